// Pictures as files: every format, the same bytes again, what cannot be saved, failing memory.
#include "plot/pages.h"

#include "base/fault.h"
#include "base/memory.h"
#include "tlu_plot.h"
#include "trials.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MANY_STARS 2500 // which are painted otherwise than a few

static const char *const formats[] = {"svg", "png", "pdf", "gif"};

static void draw(struct page *page, size_t stars)
{
    const colour pixels[4] = {RED, 0x00ff00, 0x0000ff, 0x123456};
    struct point dots[MANY_STARS];
    for (size_t i = 0; i < stars; i++)
        dots[i] = (struct point){(double)(i * 7 % 200), (double)(i * 13 % 100)};
    page_box(page, &(struct box){10.5, 10, 60, 50}, &filled);
    page_dots(page, dots, stars, SHAPE_STAR, 3, &lined);
    page_dots(page, dots, 20, SHAPE_CIRCLE, 3, &filled);
    page_image(page, &(struct box){100, 10, 120, 30}, pixels, 2, 2);
    page_image(page, &(struct box){130, 10, 150, 30}, pixels, 1, 4);
    page_box(page, &(struct box){60, 50, 90, 70}, &hatched);
    page_text(page, 10, 80, "a <name> & \xff more", &font);
}

static struct page *new_drawing(void)
{
    struct page *page = new_page(200, 100, 1);
    picture_describe(page->picture, "1 < 2 & \"so\"", "two\nlines \xff");
    draw(page, MANY_STARS);
    assert_int_equal(picture_check(page->picture, NULL), TLU_OK);
    return page;
}

static char *save(const tlu_picture *picture, const char *format, size_t *size)
{
    void *bytes;
    tlu_error error = {0};
    if (tlu_picture_save_bytes(picture, format, &bytes, size, &error) != TLU_OK)
        fail_msg("%s: %s", format, error.text);
    return bytes;
}

static bool has(const char *bytes, size_t size, const char *text)
{
    return memmem(bytes, size, text, strlen(text)) != NULL;
}

static void every_file_is_what_its_name_says(void **state)
{
    (void)state;
    struct page *page = new_drawing();
    size_t size;
    char *svg = save(page->picture, "svg", &size);
    assert_memory_equal(svg, "<?xml", 5);
    assert_true(has(svg, size, "role=\"img\""));
    assert_true(has(svg, size, "<title>1 &lt; 2 &amp; \"so\"</title>"));
    assert_true(has(svg, size, "<desc>two lines \xef\xbf\xbd</desc>"));
    assert_true(has(svg, size, "</svg>"));
    tlu_bytes_free(svg);
    char *png = save(page->picture, "PNG", &size);
    assert_memory_equal(png, "\x89PNG\r\n\x1a\n", 8);
    tlu_bytes_free(png);
    char *pdf = save(page->picture, "pdf", &size);
    assert_memory_equal(pdf, "%PDF-1.", 7);
    assert_true(has(pdf, size, "%%EOF"));
    char today[32];
    time_t now = time(NULL);
    strftime(today, sizeof today, "(D:%Y", gmtime(&now));
    assert_false(has(pdf, size, today)); // tomorrow it would be another file
    tlu_bytes_free(pdf);
    char *gif = save(page->picture, "gif", &size);
    assert_memory_equal(gif, "GIF89a", 6);
    tlu_bytes_free(gif);
    tlu_picture_free(page->picture);
}

static void the_same_picture_is_the_same_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct page *page = new_drawing();
        size_t size, again;
        char *first = save(page->picture, formats[i], &size);
        tlu_picture_free(page->picture);
        page = new_drawing();
        char *second = save(page->picture, formats[i], &again);
        assert_int_equal(size, again);
        assert_memory_equal(first, second, size);
        tlu_bytes_free(first);
        tlu_bytes_free(second);
        tlu_picture_free(page->picture);
    }
}

static void what_cannot_be_saved_is_said(void **state)
{
    (void)state;
    struct page *page = new_drawing();
    tlu_picture *empty;
    const tlu_picture_style size = {.width = 100, .height = 100};
    const tlu_picture_style cells = {.columns = 40, .lines = 10};
    tlu_error error = {0};
    void *bytes;
    size_t count;
    assert_int_equal(tlu_picture_save_bytes(page->picture, "bmp", &bytes, &count, &error),
                     TLU_ERROR_INPUT);
    assert_int_equal(tlu_picture_save_bytes(page->picture, "txt", &bytes, &count, &error),
                     TLU_ERROR_INPUT);
    assert_int_equal(tlu_picture_save(page->picture, "no-ending", &error), TLU_ERROR_INPUT);
    assert_int_equal(tlu_picture_save(page->picture, "no/folder.svg", &error), TLU_ERROR_INPUT);
    tlu_picture_free(page->picture);
    assert_int_equal(picture_new(&size, theme_named("dark"), &empty, NULL), TLU_OK);
    assert_int_equal(tlu_picture_save_bytes(empty, "svg", &bytes, &count, &error), TLU_ERROR_INPUT);
    tlu_picture_free(empty);
    assert_int_equal(picture_new(&cells, theme_named("dark"), &empty, NULL), TLU_OK);
    assert_int_equal(tlu_picture_save_bytes(empty, "png", &bytes, &count, &error), TLU_ERROR_INPUT);
    tlu_picture_free(empty);
}

// Cairo has no images of so many columns: it is said, and nothing is written.
static void what_cairo_refuses_is_said(void **state)
{
    (void)state;
    struct page *page = new_page(100, 100, 1);
    colour *pixels = memory_new(40000, sizeof *pixels);
    page_image(page, &(struct box){0, 0, 50, 50}, pixels, 1, 40000);
    memory_free(pixels);
    assert_int_equal(picture_check(page->picture, NULL), TLU_OK);
    for (size_t i = 0; i < 4; i++) {
        tlu_error error = {0};
        void *bytes = NULL;
        size_t size;
        assert_int_equal(tlu_picture_save_bytes(page->picture, formats[i], &bytes, &size, &error),
                         TLU_ERROR_SYSTEM);
        assert_non_null(strstr(error.text, "cairo could not draw the picture"));
        assert_null(bytes);
    }
    tlu_picture_free(page->picture);
}

// ---- failing memory

static tlu_status draw_and_save(const char *format, tlu_error *error)
{
    const tlu_picture_style size = {.width = 200, .height = 100};
    tlu_picture *picture;
    struct page *page;
    void *bytes = NULL;
    size_t count;
    tlu_status status = picture_new(&size, theme_named("light"), &picture, error);
    if (status != TLU_OK)
        return status;
    picture_describe(picture, "title", "caption");
    picture_figure(picture, "rows", 20);
    status = picture_add_page(picture, &page, error);
    if (status == TLU_OK) {
        draw(page, strcmp(format, "svg") == 0 ? MANY_STARS : 20);
        page_text_width(page, "measured", &font);
        status = picture_check(page->picture, error);
    }
    if (status == TLU_OK)
        status = tlu_picture_save_bytes(picture, format, &bytes, &count, error);
    tlu_bytes_free(bytes);
    tlu_picture_free(picture);
    return status;
}

static void failing_memory_is_reported(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        bool hit = true;
        long n = 1;
        for (; hit; n += n < 10 ? 1 : (long)unless_sanitized(1, 5)) {
            tlu_error error = {0};
            fault_at(FAULT_MEMORY, n);
            tlu_status status = draw_and_save(formats[i], &error);
            hit = fault_calls(FAULT_MEMORY) >= n;
            fault_at(FAULT_MEMORY, 0);
            if (!hit)
                assert_int_equal(status, TLU_OK);
            else if (status != TLU_OK && !strstr(error.text, "memory"))
                fail_msg("%s, call %ld: '%s'", formats[i], n, error.text);
        }
        assert_true(n > 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_is_what_its_name_says),
        cmocka_unit_test(the_same_picture_is_the_same_file),
        cmocka_unit_test(what_cannot_be_saved_is_said),
        cmocka_unit_test(what_cairo_refuses_is_said),
        cmocka_unit_test(failing_memory_is_reported),
    };
    if (!strstr(tlu_built_with(), "giflib") || !strstr(tlu_built_with(), "cairo"))
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
