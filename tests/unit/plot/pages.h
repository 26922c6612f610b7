// Pages to draw on, and looks of what is drawn.
#ifndef TLU_TESTS_PAGES_H
#define TLU_TESTS_PAGES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "plot/picture.h"
#include "tlu_plot.h"

#include <cmocka.h>

#define RED 0xd00000

static const struct style filled = {.fill = RED, .line = COLOUR_NONE};
static const struct style lined = {.fill = COLOUR_NONE, .line = RED, .width = 1};
static const struct style hatched = {.fill = COLOUR_NONE, .line = RED, .width = 1, .hatched = true};
static const struct text_style font = {.size = 12, .colour = 0};

static inline struct page *new_page(double width, double height, double scale)
{
    const tlu_picture_style size = {.width = width, .height = height, .scale = scale};
    tlu_picture *picture;
    struct page *page;
    assert_int_equal(picture_new(&size, theme_named("light"), &picture, NULL), TLU_OK);
    assert_int_equal(picture_add_page(picture, &page, NULL), TLU_OK);
    return page;
}

#endif
