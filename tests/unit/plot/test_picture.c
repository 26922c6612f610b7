// Pictures: marks, text that fits, what is painted where.
#include "plot/pages.h"

#include "base/memory.h"
#include "plot/paint/cairo.h"
#include "plot/paint/paint.h"
#include "plot/text.h"
#include "tlu_plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHITE 0xffffff

static struct pixels paint(const struct page *page)
{
    struct pixels pixels;
    assert_int_equal(paint_pixels(page->picture, page, &pixels, NULL), TLU_OK);
    return pixels;
}

static colour at(const struct pixels *pixels, size_t x, size_t y)
{
    assert_true(x < pixels->width && y < pixels->height);
    return pixels->at[y * pixels->width + x];
}

static size_t count_of(const struct pixels *pixels, colour of)
{
    size_t count = 0;
    for (size_t i = 0; i < pixels->width * pixels->height; i++)
        count += pixels->at[i] == of;
    return count;
}

#define SHADE                                                                                      \
    20 // of an edge, by which cairo paints the same line otherwise if it is clipped otherwise

// The largest difference of a channel, where (x, y) of the second is (0, 0) of the first.
static int farthest(const struct pixels *a, const struct pixels *b, size_t x, size_t y)
{
    int worst = 0;
    for (size_t i = 0; i < a->width * a->height; i++)
        for (int shift = 0; shift < 24; shift += 8) {
            int one = (int)(a->at[i] >> shift & 255);
            int other = (int)(at(b, x + i % a->width, y + i / a->width) >> shift & 255);
            worst = abs(one - other) > worst ? abs(one - other) : worst;
        }
    return worst;
}

// ---- marks

static void what_has_no_place_is_left_out(void **state)
{
    (void)state;
    struct page *page = new_page(100, 100, 1);
    const struct point points[4] = {{1, 2}, {NAN, 3}, {4, INFINITY}, {5, NAN}};
    page_dots(page, points, 4, SHAPE_CIRCLE, 3, &filled);
    assert_int_equal(page->count, 1);
    assert_int_equal(page->marks[0].count, 2);
    assert_true(isfinite(page->points[1].y) && page->points[1].y > 100);
    page_dots(page, points, 0, SHAPE_CIRCLE, 3, &filled);
    page_dots(page, points, 4, SHAPE_CIRCLE, NAN, &filled);
    page_text(page, 1, NAN, "nowhere", &font);
    page_text(page, 1, 1, "", &font);
    page_text(page, 1, 1, "as good as nothing", &(struct text_style){.size = 0});
    page_image(page, &(struct box){1, 1, 1, 5}, NULL, 2, 2);
    page_image(page, &(struct box){1, 1, 5, 5}, NULL, 0, 2);
    path_begin(page, &lined);
    path_end(page);
    assert_int_equal(page->count, 1);
    assert_int_equal(picture_check(page->picture, NULL), TLU_OK);
    tlu_picture_free(page->picture);
}

// ---- text

static void bytes_that_are_no_text_are_replaced(void **state)
{
    (void)state;
    static const struct {
        const char *given, *expected;
    } cases[] = {
        {"plain", "plain"},
        {"two\nlines\tand\r", "two lines and "},
        {"\x01\x7f", "\xef\xbf\xbd\xef\xbf\xbd"},
        {"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
        {"cut \xe2\x82", "cut \xef\xbf\xbd\xef\xbf\xbd"},
        {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},                 // longer than need be
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, // half of a pair
        {"\xef\xbf\xbe", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, // U+FFFE, which XML refuses
        {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
        {"\xc2\x9b", "\xef\xbf\xbd\xef\xbf\xbd"}, // a control of two bytes
        {"a\xe2\x80\xae"
         "b\xd8\x9c\xe2\x81\xa6",
         "ab"}, // U+202E, U+061C, U+2066
        {"a\xe2\x80\xa8"
         "b\xe2\x80\xa9",
         "ab"}, // U+2028, U+2029
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *clean = text_clean(cases[i].given);
        assert_string_equal(clean, cases[i].expected);
        memory_free(clean);
    }
}

// The longest beginning that fits, and characters are whole.
static void long_text_is_cut(void **state)
{
    (void)state;
    static const char *const texts[] = {"sepal length in millimetres",
                                        "\xe2\x82\xac\xc3\xbc\xf0\x9f\x98\x80 abc \xe2\x82\xac",
                                        "\xff\xfe broken \xe2\x82 bytes", "a"};
    struct page *page = new_page(100, 100, 1);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char *clean = text_clean(texts[i]);
        double whole = page_text_width(page, texts[i], &font);
        for (double width = 0; width < whole + 4; width += 2.5) {
            char *fitted = page_text_fitted(page, texts[i], &font, width, CUT_END);
            if (whole <= width) {
                assert_string_equal(fitted, clean);
                memory_free(fitted);
                continue;
            }
            size_t kept = strlen(fitted) - 3;
            assert_string_equal(fitted + kept, "\xe2\x80\xa6");
            assert_memory_equal(fitted, clean, kept);
            if (kept)
                assert_true(page_text_width(page, fitted, &font) <= width);
            char more[200];
            size_t next = kept + text_character(clean + kept);
            assert_true(next > kept);
            snprintf(more, sizeof more, "%.*s\xe2\x80\xa6", (int)next, clean);
            if (clean[next])
                assert_true(page_text_width(page, more, &font) > width);
            memory_free(fitted);
        }
        memory_free(clean);
    }
    tlu_picture_free(page->picture);
}

static void text_is_as_wide_at_every_size(void **state)
{
    (void)state;
    struct page *page = new_page(100, 100, 1);
    struct text_style large = font;
    large.size = 1200;
    double width = page_text_width(page, "weights", &font);
    assert_true(width > 30 && width < 70);
    assert_true(fabs(page_text_width(page, "weights", &large) - 100 * width) < 1);
    tlu_picture_free(page->picture);
}

// ---- what is painted where

#define LINES 40

// How much ink the lines of pixels have, in the first columns.
static void ink_of_lines(const char *text, double y, double size, unsigned ink[LINES])
{
    struct page *page = new_page(100, LINES, 1);
    page_text(page, 5, y, text, &(struct text_style){.size = size});
    struct pixels pixels = paint(page);
    memset(ink, 0, LINES * sizeof *ink);
    for (size_t i = 0; i < LINES; i++)
        for (size_t k = 0; k < LINES; k++)
            ink[i] += 255 - (at(&pixels, k, i) & 255);
    memory_free(pixels.at);
    tlu_picture_free(page->picture);
}

// Letters look the same wherever in a pixel their line is, and beside letters that are higher: of
// those at the left no edge is cut off.
static void letters_are_whole(void **state)
{
    (void)state;
    unsigned ink[LINES], higher[LINES];
    for (int i = 0; i < 9 * 8; i++) {
        double size = 9.9 + i / 8 * 0.45, y = 10 + i % 8 / 8.0;
        ink_of_lines("differ", y, size, ink);
        ink_of_lines("differ      \u00c2\u1e9e|", y, size, higher);
        assert_memory_equal(ink, higher, sizeof ink);
    }
}

static void nothing_is_painted_outside_of_the_clip(void **state)
{
    (void)state;
    for (int scale = 1; scale <= 2; scale++) {
        struct page *page = new_page(40, 30, scale);
        page_clip(page, &(struct box){10, 5, 20, 25});
        page_box(page, &(struct box){-100, -100, 100, 100}, &filled);
        page_clip(page, NULL);
        page_box(page, &(struct box){30, 0, 31, 1}, &filled);
        struct pixels pixels = paint(page);
        assert_int_equal(count_of(&pixels, RED), (size_t)(scale * scale) * (10 * 20 + 1));
        assert_int_equal(count_of(&pixels, WHITE) + count_of(&pixels, RED),
                         pixels.width * pixels.height);
        assert_int_equal(at(&pixels, (size_t)(10 * scale), (size_t)(5 * scale)), RED);
        memory_free(pixels.at);
        tlu_picture_free(page->picture);
    }
}

// One point wide: one column of pixels at scale 1, two at scale 2, and no shades beside it.
static void thin_lines_are_crisp(void **state)
{
    (void)state;
    for (size_t scale = 1; scale <= 3; scale++)
        for (double x = 10; x < 11; x += 0.3) {
            struct page *page = new_page(40, 30, (double)scale);
            page_line(page, (struct point){x, -5}, (struct point){x, 40}, &lined);
            page_box(page, &(struct box){20.2, 10.7, 30.9, 20.1}, &lined);
            struct pixels pixels = paint(page);
            size_t reds = 0;
            for (size_t i = 0; i < 15 * scale; i++)
                reds += at(&pixels, i, 15) == RED;
            assert_int_equal(reds, scale);
            assert_int_equal(count_of(&pixels, WHITE) + count_of(&pixels, RED),
                             pixels.width * pixels.height);
            memory_free(pixels.at);
            tlu_picture_free(page->picture);
        }
}

// A hatched area is the same in one piece and in two, with clips of their own.
static void hatching_goes_on_in_the_next_area(void **state)
{
    (void)state;
    struct page *whole = new_page(60, 40, 2), *halves = new_page(60, 40, 2);
    page_box(whole, &(struct box){5, 5, 55, 35}, &hatched);
    page_clip(halves, &(struct box){0, 0, 31, 40});
    page_box(halves, &(struct box){5, 5, 31, 35}, &hatched);
    page_clip(halves, &(struct box){31, 3, 60, 36});
    page_box(halves, &(struct box){31, 5, 55, 35}, &hatched);
    struct pixels a = paint(whole), b = paint(halves);
    assert_true(count_of(&a, WHITE) < a.width * a.height);
    assert_true(farthest(&a, &b, 0, 0) <= SHADE);
    memory_free(a.at);
    memory_free(b.at);
    tlu_picture_free(whole->picture);
    tlu_picture_free(halves->picture);
}

// Cairo has no numbers for places so far out, at this scale.
static void lines_from_far_away_keep_their_way(void **state)
{
    (void)state;
    struct page *page = new_page(40, 40, 20);
    const struct point half[3] = {{-9e5, -9e5}, {9e5, 9e5}, {-9e5, 9e5}}; // below the diagonal
    page_polygon(page, half, 3, &filled);
    struct style pen = lined;
    pen.line = 0x0000ff;
    page_line(page, (struct point){-9e5, 9e5 + 40}, (struct point){9e5, -9e5 + 40}, &pen);
    struct pixels pixels = paint(page);
    assert_int_equal(at(&pixels, 200, 230), RED);
    assert_int_equal(at(&pixels, 200, 170), WHITE);
    assert_int_equal(at(&pixels, 600, 630), RED);
    assert_int_equal(at(&pixels, 600, 570), WHITE);
    assert_int_equal(at(&pixels, 200, 600), 0x0000ff);
    assert_int_equal(at(&pixels, 600, 200), 0x0000ff);
    memory_free(pixels.at);
    tlu_picture_free(page->picture);
}

static void a_cut_path_is_as_the_whole_one(void **state)
{
    (void)state;
    static const struct point zigzag[] = {{-30, 20}, {20, -30}, {70, 20}, {20, 70},
                                          {20, 20},  {90, 18},  {5, 5},   {-20, 60}};
    struct page *page = new_page(40, 40, 1), *large = new_page(140, 140, 1);
    struct style style = {.fill = RED, .line = 0x0000ff, .width = 3};
    struct point moved[8];
    page_polygon(page, zigzag, 8, &style);
    for (size_t i = 0; i < 8; i++)
        moved[i] = (struct point){zigzag[i].x + 50, zigzag[i].y + 50};
    page_polygon(large, moved, 8, &style);
    struct pixels a = paint(page), b = paint(large);
    assert_true(farthest(&a, &b, 50, 50) <= SHADE);
    memory_free(a.at);
    memory_free(b.at);
    tlu_picture_free(page->picture);
    tlu_picture_free(large->picture);
}

static void shapes_are_where_they_should_be(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPE_COUNT; shape++) {
        struct page *page = new_page(40, 40, 1);
        page_dots(page, &(struct point){20, 20}, 1, (enum shape)shape, 10, &filled);
        struct pixels pixels = paint(page);
        size_t seen = count_of(&pixels, RED);
        assert_int_equal(at(&pixels, 20, 20), RED);
        assert_true(seen > 200 && seen < 320); // about as much of each
        for (size_t i = 0; i < 40; i++)
            assert_true(at(&pixels, i, 4) == WHITE && at(&pixels, 35, i) == WHITE);
        memory_free(pixels.at);
        tlu_picture_free(page->picture);
    }
}

#ifdef TLU_HAVE_CAIRO
// Many dots are put together for SVG and PDF. Each covers those before it all the same: painted as
// pixels, both ways are the same picture.
static void paint_by(const struct page *page, bool vectors, struct pixels *pixels)
{
    struct cairo cairo;
    assert_true(cairo_load(&cairo));
    *pixels = (struct pixels){120, 80, memory_new(120 * 80, sizeof *pixels->at)};
    cairo_surface_t *surface = cairo.image_surface_create_for_data(
        (unsigned char *)pixels->at, CAIRO_FORMAT_RGB24, 120, 80, 480);
    struct brush brush = {&cairo, cairo.create(surface), page, 1, vectors};
    assert_int_equal(marks_paint(&brush), CAIRO_STATUS_SUCCESS);
    cairo.destroy(brush.to);
    cairo.surface_finish(surface);
    cairo.surface_destroy(surface);
    for (size_t i = 0; i < pixels->width * pixels->height; i++)
        pixels->at[i] &= 0xffffff;
}

static void many_dots_cover_each_other_as_a_few_do(void **state)
{
    (void)state;
    struct page *page = new_page(120, 80, 1);
    const struct style style = {.fill = RED, .line = WHITE, .width = 1};
    struct point dots[2500];
    for (size_t i = 0; i < 2500; i++)
        dots[i] = (struct point){(double)(i * 7919 % 1500) / 10 - 15,
                                 (double)(i * 104729 % 1103) / 10 - 15};
    page_clip(page, &(struct box){10, 10, 110, 70});
    for (int shape = 0; shape < SHAPE_COUNT; shape++) {
        struct pixels each, together;
        page->count = page->point_count = 0;
        page_dots(page, dots, 2500, (enum shape)shape, 4, &style);
        paint_by(page, false, &each);
        paint_by(page, true, &together);
        assert_true(count_of(&each, RED) > 500);
        assert_true(farthest(&each, &together, 0, 0) <= SHADE);
        memory_free(each.at);
        memory_free(together.at);
    }
    tlu_picture_free(page->picture);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_no_place_is_left_out),
        cmocka_unit_test(bytes_that_are_no_text_are_replaced),
        cmocka_unit_test(long_text_is_cut),
        cmocka_unit_test(text_is_as_wide_at_every_size),
        cmocka_unit_test(letters_are_whole),
        cmocka_unit_test(nothing_is_painted_outside_of_the_clip),
        cmocka_unit_test(thin_lines_are_crisp),
        cmocka_unit_test(hatching_goes_on_in_the_next_area),
        cmocka_unit_test(lines_from_far_away_keep_their_way),
        cmocka_unit_test(a_cut_path_is_as_the_whole_one),
        cmocka_unit_test(shapes_are_where_they_should_be),
#ifdef TLU_HAVE_CAIRO
        cmocka_unit_test(many_dots_cover_each_other_as_a_few_do),
#endif
    };
    if (!strstr(tlu_built_with(), "giflib") || !strstr(tlu_built_with(), "cairo"))
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
