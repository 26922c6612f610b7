// Text of a page: where it is, that it is on the page, and that no two pieces of it overlap.
#ifndef TLU_TEST_TEXTS_H
#define TLU_TEST_TEXTS_H

#include "plot/picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Of letters with accents and descenders. On a terminal: whole cells.
static inline struct box text_box(const struct page *page, const struct mark *mark)
{
    static const double share[] = {0, 0.5, 1};
    const struct text_style *font = &mark->font;
    struct point at = page->points[mark->first];
    double size = font->size, width = page_text_width(page, mark->text, font);
    double before = share[font->across] * width;
    if (picture_is_text(page->picture)) {
        double left = floor((at.x - before) / CELL_WIDTH) * CELL_WIDTH;
        double top = floor(at.y / CELL_HEIGHT) * CELL_HEIGHT;
        return (struct box){left, top, left + width, top + CELL_HEIGHT};
    }
    double line = font->along == ALIGN_START    ? 0.928 * size
                  : font->along == ALIGN_MIDDLE ? 0.36 * size
                                                : -0.236 * size;
    double above = line - 0.76 * size, below = line + 0.236 * size;
    if (font->upright)
        return (struct box){at.x + above, at.y + before - width, at.x + below, at.y + before};
    return (struct box){at.x - before, at.y + above, at.x - before + width, at.y + below};
}

static inline bool boxes_overlap(const struct box *a, const struct box *b)
{
    const double touch = 0.01;
    return a->left < b->right - touch && b->left < a->right - touch && a->top < b->bottom - touch &&
           b->top < a->bottom - touch;
}

static inline bool box_is_inside(const struct box *box, const struct box *of)
{
    const double touch = 0.01;
    return box->left >= of->left - touch && box->right <= of->right + touch &&
           box->top >= of->top - touch && box->bottom <= of->bottom + touch;
}

// How many texts are off the page, or overlap another; each is named on stderr.
static inline size_t texts_that_clash(const struct page *page)
{
    const struct box whole = page_whole(page);
    size_t clashes = 0;
    for (size_t i = 0; i < page->count; i++) {
        if (page->marks[i].kind != MARK_TEXT)
            continue;
        const struct box box = text_box(page, &page->marks[i]);
        if (!box_is_inside(&box, &whole)) {
            fprintf(stderr, "off the page: '%s' (%g %g %g %g)\n", page->marks[i].text, box.left,
                    box.top, box.right, box.bottom);
            clashes++;
        }
        for (size_t j = 0; j < i; j++) {
            if (page->marks[j].kind != MARK_TEXT)
                continue;
            const struct box other = text_box(page, &page->marks[j]);
            if (!boxes_overlap(&box, &other))
                continue;
            fprintf(stderr, "overlapping: '%s' and '%s'\n", page->marks[j].text,
                    page->marks[i].text);
            clashes++;
        }
    }
    return clashes;
}

static inline bool page_has_text(const struct page *page, const char *text)
{
    for (size_t i = 0; i < page->count; i++)
        if (page->marks[i].kind == MARK_TEXT && strcmp(page->marks[i].text, text) == 0)
            return true;
    return false;
}

#endif
