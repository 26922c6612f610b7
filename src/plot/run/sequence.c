#include "plot/run/sequence.h"
#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

// ---- which updates are shown

uint64_t update_of_moment(uint64_t updates, size_t count, size_t i)
{
    assert(i < count);
    if (count == 1)
        return updates;
    double share = (double)i / (double)(count - 1);
    return (uint64_t)(share * (double)updates + 0.5);
}

size_t count_moments(uint64_t updates, uint64_t most)
{
    return (size_t)(most <= updates ? most : updates + 1);
}

// ---- the text of a picture

// A line of text at the top of a box, shortened if necessary.
static void frame_line(struct page *page, const struct box *box, const char *text,
                       const struct text_style *font)
{
    char *fitted = page_text_fitted(page, text, font, box_width(box), CUT_END);
    double middle = (box->left + box->right) / 2;
    if (fitted)
        page_text(page, font->across == ALIGN_MIDDLE ? middle : box->left, box->top, fitted, font);
    page->picture->failed |= !fitted;
    memory_free(fitted);
}

// The longest text of a picture that fits, from `terse` on.
static void frame_text(const struct sequence *sequence, const struct frame *frame, size_t index,
                       const struct box *box, int terse, const struct text_style *font)
{
    char words[TEXT_SIZE];
    sequence->text(sequence->context, frame, index, terse, words);
    while (terse < TERSEST && page_text_width(frame->page, words, font) > box_width(box))
        sequence->text(sequence->context, frame, index, ++terse, words);
    frame_line(frame->page, box, words, font);
}

// ---- an animation

#define FPS 4
#define FEW 20 // frames or fewer are shown more slowly
#define FPS_OF_FEW 2
#define HELD 4  // seconds for the last frame
#define LOW 240 // points: lower pages have no caption
#define FPS_MIN 0.01
#define FPS_MAX 100.0

tlu_status check_fps(double fps, tlu_error *error)
{
    if (fps != 0 && !(fps >= FPS_MIN && fps <= FPS_MAX))
        return error_input(error,
                           "fps must be 0.01 to 100 frames per second, or 0 for the default");
    return TLU_OK;
}

static tlu_status draw_frame(const struct sequence *sequence, double seconds, size_t index,
                             tlu_error *error)
{
    struct plot *plot = sequence->plot;
    const struct text_style font = {.size = 13, .colour = plot->theme->ink};
    struct page *page;
    TRY(picture_add_page(plot->picture, &page, error));
    page->seconds = index + 1 == sequence->count ? fmax(HELD, seconds) : seconds;
    struct frame frame = {.page = page, .place = page_whole(page)};
    bool low = box_height(&frame.place) < LOW; // no space for the caption
    chart_frame(page, plot_drawn_title(plot), low || plot->no_caption ? NULL : sequence->caption,
                false, &frame.place);
    const struct box line = frame.place;
    frame.place.top += page_text_height(page, &font);
    TRY(sequence->draw(sequence->context, &frame, index, error));
    page_clip(page, NULL);
    frame_text(sequence, &frame, index, &line, 0, &font);
    return TLU_OK;
}

tlu_status sequence_animate(const struct sequence *sequence, double fps, tlu_error *error)
{
    fps = fps > 0 ? fps : sequence->count <= FEW ? FPS_OF_FEW : FPS;
    for (size_t i = 0; i < sequence->count; i++)
        TRY(draw_frame(sequence, 1 / fps, i, error));
    return TLU_OK;
}

// ---- a strip: small pictures on one page

#define GAP 8
#define LEGEND_LINES 2
#define SHAPE 1.25 // aspect ratio of a small picture

// The number of columns that makes the small pictures largest.
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

static struct text_style small_font(const struct page *page, enum align across)
{
    return (struct text_style){.size = 10, .across = across, .colour = page->picture->theme->ink};
}

static double entry_width(const struct page *page, const struct box *box, const char *text,
                          const struct text_style *font)
{
    return fmin(box_width(box) / 3, page_text_width(page, text, font)) + 4 * GAP;
}

static void draw_entry(struct page *page, const struct legend_entry *entry, struct point at,
                       double wide, const struct text_style *font)
{
    double line = page_text_height(page, font);
    struct point middle = {at.x, at.y + line / 2};
    if (entry->kind == LEGEND_DOT)
        page_dots(page, &middle, 1, entry->shape, 3, &entry->style);
    else
        page_line(page, (struct point){at.x - GAP, middle.y}, (struct point){at.x + GAP, middle.y},
                  &entry->style);
    page_fit_name(page, at.x + 1.5 * GAP, at.y, entry->text, font, wide - 3.5 * GAP);
}

// The legend in lines; if it does not fit, its last entry counts those left out. With many classes,
// these come last.
static void draw_legend(struct page *page, const struct sequence *sequence, struct box *box)
{
    const struct text_style font = small_font(page, ALIGN_START);
    double line = page_text_height(page, &font);
    struct point at = {box->left + GAP, box->top};
    char rest[COUNTED_SIZE] = "and 100 more";
    double more = page_text_width(page, rest, &font) + GAP;
    size_t count = sequence->legend_count, first = sequence->legend_first;
    int lines = 1;
    for (size_t i = 0; i < count; i++) {
        const struct legend_entry *entry = &sequence->legend[(first + i) % count];
        double wide = entry_width(page, box, entry->text, &font);
        bool last = i + 1 == count;
        if (at.x + wide - 2 * GAP > box->right && lines < LEGEND_LINES) {
            at = (struct point){box->left + GAP, at.y + line};
            lines++;
        }
        if (at.x + wide - 2 * GAP + (lines == LEGEND_LINES && !last ? more : 0) > box->right) {
            snprintf(rest, sizeof rest, "and %zu more", count - i);
            frame_line(page, &(struct box){at.x - GAP / 2, at.y, box->right, at.y + line}, rest,
                       &font);
            break;
        }
        draw_entry(page, entry, at, wide, &font);
        at.x += wide;
    }
    box->top = at.y + line;
}

static tlu_status draw_pictures(struct page *page, const struct sequence *sequence,
                                const struct box *box, tlu_error *error)
{
    const struct text_style font = small_font(page, ALIGN_MIDDLE);
    double line = page_text_height(page, &font);
    size_t columns = find_columns(box, sequence->count, line);
    size_t rows = (sequence->count + columns - 1) / columns;
    double width = box_width(box) / (double)columns, height = box_height(box) / (double)rows;
    if (picture_is_text(page->picture)) {
        width = floor(width / CELL_WIDTH) * CELL_WIDTH;
        height = floor(height / CELL_HEIGHT) * CELL_HEIGHT;
    }
    if (width < 5 * line || height < 4 * line)
        return error_input(error,
                           "%zu small pictures do not fit on this page; use --frames N for "
                           "fewer or --size WxH for a larger page",
                           sequence->count);
    for (size_t i = 0; i < sequence->count; i++) {
        double left = box->left + (double)(i % columns) * width;
        double top = box->top + (double)(i / columns) * height;
        struct frame frame = {page, {left, top, left + width, top + height - line}, true, 0};
        TRY(sequence->draw(sequence->context, &frame, i, error));
        page_clip(page, NULL);
        frame_text(sequence, &frame, i,
                   &(struct box){left, top + height - line, left + width, top + height}, SMALL_TEXT,
                   &font);
    }
    return TLU_OK;
}

tlu_status sequence_strip(const struct sequence *sequence, tlu_error *error)
{
    struct page *page;
    struct box box;
    TRY(plot_page(sequence->plot, &page, &box, error));
    draw_legend(page, sequence, &box);
    return draw_pictures(page, sequence, &box, error);
}
