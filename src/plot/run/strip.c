// A run as small pictures on one page.
#include "base/memory.h"
#include "plot/run/animation.h"
#include "tlu_plot.h"

#include <math.h>
#include <stdio.h>

#define PICTURES 12 // unless the user wants more
#define POINTS 400  // drawn in each at most
#define GAP 8
#define LEGEND_LINES 2
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

static double entry_width(const struct page *page, const struct box *box, const char *text,
                          const struct letters *letters)
{
    return fmin(box_width(box) / 3, page_text_width(page, text, letters)) + 4 * GAP;
}

static void draw_entry(struct page *page, const struct legend_entry *entry, struct point at,
                       double wide, const struct letters *letters)
{
    double line = page_text_height(page, letters);
    struct point middle = {at.x, at.y + line / 2};
    if (entry->kind == LEGEND_DOT)
        page_dots(page, &middle, 1, entry->shape, 3, &entry->look);
    else
        page_line(page, (struct point){at.x - GAP, middle.y}, (struct point){at.x + GAP, middle.y},
                  &entry->look);
    words_fit_name(page, at.x + 1.5 * GAP, at.y, entry->text, letters, wide - 3.5 * GAP);
}

// In rows; if there is no room for all, the last place says how many are left out: of many classes,
// some of these.
static void draw_legend(struct page *page, const struct animation *animation, struct box *box)
{
    const struct letters letters = small_letters(page, ALIGN_START);
    double line = page_text_height(page, &letters);
    struct point at = {box->left + GAP, box->top};
    char rest[COUNTED_SIZE] = "and 100 more";
    double more = page_text_width(page, rest, &letters) + GAP;
    size_t first = animation->classes > FEW_CLASSES ? animation->classes : 0;
    int lines = 1;
    for (size_t i = 0; i < animation->legend_count; i++) {
        const struct legend_entry *entry =
            &animation->legend[(first + i) % animation->legend_count];
        double wide = entry_width(page, box, entry->text, &letters);
        bool last = i + 1 == animation->legend_count;
        if (at.x + wide - 2 * GAP > box->right && lines < LEGEND_LINES) {
            at = (struct point){box->left + GAP, at.y + line};
            lines++;
        }
        if (at.x + wide - 2 * GAP + (lines == LEGEND_LINES && !last ? more : 0) > box->right) {
            snprintf(rest, sizeof rest, "and %zu more", animation->legend_count - i);
            frame_line(page, &(struct box){at.x - GAP / 2, at.y, box->right, at.y + line}, rest,
                       &letters);
            break;
        }
        draw_entry(page, entry, at, wide, &letters);
        at.x += wide;
    }
    box->top = at.y + line;
}

static tlu_status draw_pictures(struct page *page, const struct animation *animation,
                                const struct box *box, tlu_error *error)
{
    const struct letters letters = small_letters(page, ALIGN_MIDDLE);
    double line = page_text_height(page, &letters);
    size_t columns = find_columns(box, animation->count, line);
    size_t rows = (animation->count + columns - 1) / columns;
    double width = box_width(box) / (double)columns, height = box_height(box) / (double)rows;
    if (picture_is_text(page->picture)) {
        width = floor(width / CELL_WIDTH) * CELL_WIDTH;
        height = floor(height / CELL_HEIGHT) * CELL_HEIGHT;
    }
    if (width < 5 * line || height < 4 * line)
        return error_input(error,
                           "%zu small pictures have no room on this page: --frames N takes "
                           "fewer, --size WxH a larger page",
                           animation->count);
    for (size_t i = 0; i < animation->count; i++) {
        double left = box->left + (double)(i % columns) * width;
        double top = box->top + (double)(i / columns) * height;
        struct frame frame = {page, {left, top, left + width, top + height - line}, true, NO_CLASS};
        TRY(frame_draw_moment(&frame, animation, &animation->moments[i], error));
        page_clip(page, NULL);
        frame_words(&frame, animation, &animation->moments[i],
                    &(struct box){left, top + height - line, left + width, top + height},
                    SMALL_WORDS, &letters);
    }
    return TLU_OK;
}

// Small pictures have no room for names of axes.
static tlu_status add_axes(struct page *page, const struct animation *animation, tlu_error *error)
{
    const struct projection *projection = &animation->projection;
    const struct letters letters = small_letters(page, ALIGN_START);
    char caption[4 * WORDS_SIZE];
    char *across = page_text_fitted(page, projection->x_name, &letters, NAME_WIDTH);
    char *up = page_text_fitted(page, projection->by_class ? "the class" : projection->y_name,
                                &letters, NAME_WIDTH);
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

static tlu_status draw(struct animation *animation, struct plot *plot, tlu_error *error)
{
    char title[WORDS_SIZE];
    struct page *page;
    TRY(animation_make(animation, plot, PICTURES, POINTS, error));
    TRY(animation_describe(animation, plot, error));
    TRY(picture_add_page(plot->picture, &page, error));
    TRY(add_axes(page, animation, error));
    struct box box = page_whole(page);
    chart_frame(page, animation_title(animation, plot, title, sizeof title),
                tlu_picture_caption(plot->picture), &box);
    draw_legend(page, animation, &box);
    TRY(draw_pictures(page, animation, &box, error));
    return page_end(page, error);
}

tlu_status plot_strip(struct plot *plot, tlu_error *error)
{
    struct animation animation;
    tlu_status status = draw(&animation, plot, error);
    animation_free(&animation);
    return status;
}
