// Text of a chart: cut or broken into lines, on a terminal in whole cells.
#include "plot/text.h"
#include "base/memory.h"
#include "plot/chart/internal.h"

#include <math.h>
#include <string.h>

void page_put_text(struct page *page, double x, double y, const char *text,
                   const struct text_style *font)
{
    if (!picture_is_text(page->picture)) {
        page_text(page, x, y, text, font);
        return;
    }
    static const double share[] = {0, 0.5, 1};
    double width = page_text_width(page, text, font);
    double left = round((x - share[font->across] * width) / CELL_WIDTH) * CELL_WIDTH;
    double top = font->along == ALIGN_START    ? round(y / CELL_HEIGHT)
                 : font->along == ALIGN_MIDDLE ? floor(y / CELL_HEIGHT)
                                               : round(y / CELL_HEIGHT) - 1;
    struct text_style snapped = *font;
    snapped.across = ALIGN_START;
    snapped.along = ALIGN_MIDDLE;
    snapped.upright = false;
    page_text(page, left, (top + 0.5) * CELL_HEIGHT, text, &snapped);
}

static void fit(struct page *page, double x, double y, const char *text,
                const struct text_style *font, double width, enum cut cut)
{
    char *fitted = page_text_fitted(page, text, font, width, cut);
    if (!fitted)
        page->picture->failed = true;
    else if (page_text_width(page, fitted, font) <= width)
        page_put_text(page, x, y, fitted, font);
    memory_free(fitted);
}

void page_fit_text(struct page *page, double x, double y, const char *text,
                   const struct text_style *font, double width)
{
    fit(page, x, y, text, font, width, CUT_END);
}

void page_fit_name(struct page *page, double x, double y, const char *text,
                   const struct text_style *font, double width)
{
    fit(page, x, y, text, font, width, CUT_MIDDLE);
}

// ---- lines: the last one contains the rest, with an ellipsis if it is too long

struct text_block {
    struct text_style font;
    double width;
    size_t most;
};

static double width_of(const struct page *page, const char *text, size_t size,
                       const struct text_style *font)
{
    char *part = memory_copy_text(text, size);
    double width = part ? page_text_width(page, part, font) : 0;
    memory_free(part);
    return width;
}

// The length of the next line: up to a space or a line feed.
static size_t line_size(const struct page *page, const char *text, const struct text_block *block)
{
    size_t fits = 0;
    for (size_t at = 0;;) {
        at += strcspn(text + at, " \n");
        if (fits && width_of(page, text, at, &block->font) > block->width)
            return fits;
        fits = at;
        if (text[at] != ' ')
            return fits;
        at++;
    }
}

// Breaks the text into lines, draws them if `draw` is not NULL, and returns their number.
static size_t each_line(const struct page *page, const char *text, const struct text_block *block,
                        struct page *draw, struct point at)
{
    size_t count = 0;
    double line = page_text_height(page, &block->font);
    while (*text && count < block->most) {
        bool last = count + 1 == block->most;
        size_t size = last ? strlen(text) : line_size(page, text, block);
        char *part = memory_copy_text(text, size);
        if (!part)
            break;
        if (draw)
            page_fit_text(draw, at.x, at.y + (double)count * line, part, &block->font,
                          block->width);
        memory_free(part);
        count++;
        text += size;
        text += *text != 0;
    }
    return count;
}

// ---- title and caption

double half_points(double size)
{
    return floor(2 * size + 0.5) / 2;
}

double page_text_size(const struct page *page, bool small)
{
    const tlu_picture *picture = page->picture;
    return small ? 10 : picture->width < 500 || picture->height < 340 ? 11 : 13;
}

static struct text_block title_block(const struct page *page, const struct box *inner, bool small)
{
    const struct text_style font = {
        .size = half_points(page_text_size(page, small) * (small ? 1 : 1.15)),
        .bold = true,
        .colour = page->picture->theme->ink};
    double lines = box_height(inner) / page_text_height(page, &font);
    return (struct text_block){font, box_width(inner), lines < 4 ? 0 : lines < 10 || small ? 1 : 2};
}

// The caption takes at most three tenths of the height.
static struct text_block caption_block(const struct page *page, const struct box *inner, bool small)
{
    const struct text_style font = {.size = half_points(page_text_size(page, small) * 0.9),
                                    .colour = page->picture->theme->faint};
    double lines = 0.3 * box_height(inner) / page_text_height(page, &font);
    return (struct text_block){font, box_width(inner), lines > 0 ? (size_t)lines : 0};
}

static double block_height(const struct page *page, const char *text,
                           const struct text_block *block)
{
    size_t lines = text ? each_line(page, text, block, NULL, (struct point){0, 0}) : 0;
    double gap = picture_is_text(page->picture) || !lines ? 0 : GAP / 2;
    return (double)lines * page_text_height(page, &block->font) + gap;
}

// On a terminal: whole cells, with an empty one between small charts.
static struct box inside_margins(const struct page *page, bool small, const struct box *box)
{
    double margin = small ? GAP / 2 : GAP;
    if (!picture_is_text(page->picture))
        return (struct box){box->left + margin, box->top + margin, box->right - margin,
                            box->bottom - margin};
    return (struct box){ceil(box->left / CELL_WIDTH - 1e-9) * CELL_WIDTH,
                        ceil(box->top / CELL_HEIGHT - 1e-9) * CELL_HEIGHT,
                        (floor(box->right / CELL_WIDTH + 1e-9) - small) * CELL_WIDTH,
                        floor(box->bottom / CELL_HEIGHT + 1e-9) * CELL_HEIGHT};
}

void chart_frame(struct page *page, const char *title, const char *caption, bool small,
                 struct box *box)
{
    struct box inner = inside_margins(page, small, box);
    struct text_block above = title_block(page, &inner, small);
    struct text_block below = caption_block(page, &inner, small);
    double above_height = block_height(page, title, &above);
    double below_height = block_height(page, caption, &below);
    *box = inner;
    box->top += above_height;
    box->bottom -= below_height;
    page_clip(page, NULL);
    if (title)
        each_line(page, title, &above, page, (struct point){inner.left, inner.top});
    double gap = picture_is_text(page->picture) ? 0 : GAP / 2;
    if (caption)
        each_line(page, caption, &below, page, (struct point){inner.left, box->bottom + gap});
}
