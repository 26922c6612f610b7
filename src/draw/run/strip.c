// A run as small pictures on one page.
#include "base/memory.h"
#include "draw/run/film.h"

#include <math.h>
#include <stdio.h>

#define PICTURES 12 // unless the user wants more
#define POINTS 400  // drawn in each at most
#define GAP 8
#define NAME_WIDTH 200 // points, of the name of an axis in the caption
#define SHAPE 1.25     // width by height of a small picture that looks well

// So many small pictures side by side that they become as large as they can.
static size_t find_columns(const struct box *box, size_t count, double line)
{
    size_t best = 1;
    double largest = -INFINITY;
    for (size_t columns = 1; columns <= count; columns++) {
        double rows = ceil((double)count / (double)columns);
        double width = box_width(box) / (double)columns, height = box_height(box) / rows - line;
        double size = fmin(width, height * SHAPE);
        if (size > largest) {
            largest = size;
            best = columns;
        }
    }
    return best;
}

static struct letters small_letters(const struct page *page, enum align across)
{
    return (struct letters){.size = 10, .across = across, .colour = page->picture->theme->ink};
}

#define MORE "and 10 more" // as wide as it can be

// Where entries in a row end: before what counts the rest, if there is not room for all.
static double end_of_entries(const struct page *page, const struct film *film,
                             const struct box *box, const struct letters *letters)
{
    double most = box_width(box) / 3, all = 0;
    for (size_t i = 0; i < film->legend_count; i++)
        all += 4 * GAP + fmin(most, page_text_width(page, film->legend[i].text, letters));
    return all - GAP <= box_width(box)
               ? box->right
               : box->right - 2 * GAP - page_text_width(page, MORE, letters);
}

// The classes in a row, as many as there is room for.
static void draw_legend(struct page *page, const struct film *film, struct box *box)
{
    const struct letters letters = small_letters(page, ALIGN_START);
    double line = page_text_height(page, &letters), x = box->left + GAP;
    double most = box_width(box) / 3, end = end_of_entries(page, film, box, &letters);
    for (size_t i = 0; i < film->legend_count; i++) {
        const struct legend_entry *entry = &film->legend[i];
        double wide = fmin(most, page_text_width(page, entry->text, &letters));
        struct point at = {x, box->top + line / 2};
        if (x + 2 * GAP + wide > end) {
            char rest[40];
            snprintf(rest, sizeof rest, "and %zu more", film->legend_count - i);
            frame_line(page, &(struct box){x - GAP, box->top, box->right, box->bottom}, rest,
                       &letters);
            break;
        }
        if (entry->kind == LEGEND_DOT)
            page_dots(page, &at, 1, entry->shape, 3, &entry->look);
        else
            page_line(page, (struct point){x - GAP, at.y}, (struct point){x + GAP, at.y},
                      &entry->look);
        frame_line(page, &(struct box){x + 1.5 * GAP, box->top, x + 2 * GAP + wide, box->bottom},
                   entry->text, &letters);
        x += 4 * GAP + wide;
    }
    box->top += line;
}

static tlu_status draw_pictures(struct page *page, const struct film *film, const struct box *box,
                                tlu_error *error)
{
    const struct letters letters = small_letters(page, ALIGN_MIDDLE);
    double line = page_text_height(page, &letters);
    size_t columns = find_columns(box, film->count, line);
    size_t rows = (film->count + columns - 1) / columns;
    double width = box_width(box) / (double)columns, height = box_height(box) / (double)rows;
    char words[WORDS_SIZE];
    if (picture_is_text(page->picture)) {
        width = floor(width / CELL_WIDTH) * CELL_WIDTH;
        height = floor(height / CELL_HEIGHT) * CELL_HEIGHT;
    }
    if (width < 5 * line || height < 4 * line)
        return error_input(error,
                           "%zu small pictures have no room on this page: --frames N takes "
                           "fewer, --size WxH a larger page",
                           film->count);
    for (size_t i = 0; i < film->count; i++) {
        double left = box->left + (double)(i % columns) * width;
        double top = box->top + (double)(i / columns) * height;
        struct frame frame = {page, {left, top, left + width, top + height - line}, true};
        TRY(frame_draw_moment(&frame, film, &film->moments[i], error));
        page_clip(page, NULL);
        frame_line(page, &(struct box){left, top + height - line, left + width, top + height},
                   moment_words_short(&film->moments[i], words), &letters);
    }
    return TLU_OK;
}

// Small pictures have no room for names of axes.
static tlu_status add_axes(struct page *page, const struct film *film, tlu_error *error)
{
    const struct sight *sight = &film->sight;
    const struct letters letters = small_letters(page, ALIGN_START);
    char caption[4 * WORDS_SIZE];
    char *across = page_text_fitted(page, sight->x_name, &letters, NAME_WIDTH);
    char *up =
        page_text_fitted(page, sight->by_class ? "the class" : sight->y_name, &letters, NAME_WIDTH);
    tlu_status status = enough_memory(across && up, error);
    if (status == TLU_OK) {
        snprintf(caption, sizeof caption, "%s Across: %s; up: %s.",
                 tlu_picture_caption(page->picture), across, up);
        status = picture_describe(page->picture, NULL, caption, error);
    }
    memory_free(across);
    memory_free(up);
    return status;
}

static tlu_status draw(struct film *film, struct plot *plot, tlu_error *error)
{
    char title[WORDS_SIZE];
    struct page *page;
    TRY(film_make(film, plot, PICTURES, POINTS, error));
    TRY(film_describe(film, plot, error));
    TRY(picture_add_page(plot->picture, &page, error));
    TRY(add_axes(page, film, error));
    struct box box = page_whole(page);
    chart_frame(page, film_title(film, plot, title, sizeof title),
                tlu_picture_caption(plot->picture), &box);
    draw_legend(page, film, &box);
    TRY(draw_pictures(page, film, &box, error));
    return page_end(page, error);
}

tlu_status plot_strip(struct plot *plot, tlu_error *error)
{
    struct film film;
    tlu_status status = draw(&film, plot, error);
    film_free(&film);
    return status;
}
