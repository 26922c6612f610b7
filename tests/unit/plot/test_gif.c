// Animations: the frames that a reader of its own sees are the pages as cairo paints them.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/fault.h"
#include "base/memory.h"
#include "gif_reader.h"
#include "plot/paint/paint.h"
#include "tlu_plot.h"

#define SIDE 64

static tlu_picture *new_picture(double width, double height, double scale)
{
    const tlu_picture_style size = {.width = width, .height = height, .scale = scale};
    tlu_picture *picture;
    assert_int_equal(picture_new(&size, theme_named("light"), &picture, NULL), TLU_OK);
    return picture;
}

// A square of the colour at (x, y) on a ground of its own, with a few letters.
static struct page *add_page(tlu_picture *picture, double x, double y, colour of)
{
    const struct style ground = {.fill = 0xdde8f0, .line = COLOUR_NONE};
    const struct style style = {.fill = of, .line = COLOUR_NONE};
    const struct text_style font = {.size = 12, .colour = 0x1f2328};
    struct page *page;
    assert_int_equal(picture_add_page(picture, &page, NULL), TLU_OK);
    page_box(page, &(struct box){4, 4, 90, 60}, &ground);
    page_text(page, 6, 6, "step", &font);
    page_box(page, &(struct box){x, y, x + 10, y + 10}, &style);
    assert_int_equal(picture_check(page->picture, NULL), TLU_OK);
    return page;
}

static struct gif *save(const tlu_picture *picture)
{
    void *bytes;
    size_t size;
    tlu_error error = {0};
    if (tlu_picture_save_bytes(picture, "gif", &bytes, &size, &error) != TLU_OK)
        fail_msg("%s", error.text);
    struct gif *gif = gif_read(bytes, size);
    assert_int_equal(gif->frame_count, picture->page_count);
    tlu_bytes_free(bytes);
    return gif;
}

// The largest difference of a channel between a frame and the page that it shows.
static int worst_channel(const tlu_picture *picture, const struct gif *gif, size_t frame)
{
    struct pixels pixels;
    int worst = 0;
    assert_int_equal(paint_pixels(picture, picture->pages[frame], &pixels, NULL), TLU_OK);
    assert_int_equal(pixels.width, gif->width);
    assert_int_equal(pixels.height, gif->height);
    for (size_t i = 0; i < pixels.width * pixels.height; i++)
        for (int shift = 0; shift < 24; shift += 8) {
            int away = abs((int)(pixels.at[i] >> shift & 255) -
                           (int)(gif->frames[frame].pixels[i] >> shift & 255));
            worst = away > worst ? away : worst;
        }
    memory_free(pixels.at);
    return worst;
}

static void frames_are_the_pages(void **state)
{
    (void)state;
    for (int scale = 1; scale <= 3; scale++) {
        tlu_picture *picture = new_picture(100, 70, scale);
        for (int i = 0; i < 5; i++)
            add_page(picture, 20 + 9 * i, 30 + 0.5 * i, i % 2 ? 0xd55e00 : 0x0072b2);
        struct gif *gif = save(picture);
        assert_int_equal(gif->width, 100 * scale);
        assert_int_equal(gif->height, 70 * scale);
        for (size_t i = 0; i < 5; i++)
            assert_int_equal(worst_channel(picture, gif, i), 0);
        gif_free(gif);
        tlu_picture_free(picture);
    }
}

static void a_frame_has_what_changed(void **state)
{
    (void)state;
    tlu_picture *picture = new_picture(100, 70, 1);
    add_page(picture, 20, 30, 0x0072b2);
    add_page(picture, 50, 35, 0x0072b2);
    add_page(picture, 50, 35, 0x0072b2);
    struct gif *gif = save(picture);
    const struct gif_frame *frame = gif->frames;
    assert_true(frame[0].width == 100 && frame[0].height == 70);
    assert_true(frame[1].left == 20 && frame[1].width == 40); // the old square and the new one
    assert_true(frame[1].top == 30 && frame[1].height == 15);
    assert_true(frame[2].width == 1 && frame[2].height == 1); // nothing did
    gif_free(gif);
    tlu_picture_free(picture);
}

static void frames_last_as_long_as_their_pages(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        int delay;
    } cases[] = {{0, 25},    {0.1, 10},  {1.0 / 3, 33}, {0.29, 29},
                 {0.001, 2}, {2.5, 250}, {1e6, 65535},  {3, 300}};
    tlu_picture *picture = new_picture(100, 70, 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        add_page(picture, 10 + 5 * (double)i, 30, 0)->seconds = cases[i].seconds;
    struct gif *gif = save(picture);
    for (size_t i = 0; i < gif->frame_count; i++)
        assert_int_equal(gif->frames[i].delay, cases[i].delay);
    assert_int_equal(gif->loops, 0);
    gif_free(gif);
    tlu_picture_free(picture);
}

static void one_page_is_a_still_picture(void **state)
{
    (void)state;
    tlu_picture *picture = new_picture(100, 70, 2);
    add_page(picture, 20, 30, 0x009e73);
    struct gif *gif = save(picture);
    assert_int_equal(gif->loops, -1);
    assert_int_equal(worst_channel(picture, gif, 0), 0);
    gif_free(gif);
    tlu_picture_free(picture);
}

// `count` colours, far from each other or near.
static void add_colours(tlu_picture *picture, size_t count, uint32_t apart)
{
    colour pixels[SIDE * SIDE];
    struct page *page;
    for (size_t i = 0; i < SIDE * SIDE; i++)
        pixels[i] = (colour)(i % count) * apart & 0xffffff;
    assert_int_equal(picture_add_page(picture, &page, NULL), TLU_OK);
    page_image(page, &(struct box){0, 0, SIDE, SIDE}, pixels, SIDE, SIDE);
    assert_int_equal(picture_check(page->picture, NULL), TLU_OK);
}

static void colours_are_exact_up_to_what_a_palette_holds(void **state)
{
    (void)state;
    for (size_t pages = 1; pages <= 2; pages++)
        for (size_t count = 1; count <= 257 - pages; count += count < 5 ? 1 : 251 - pages) {
            tlu_picture *picture = new_picture(SIDE, SIDE, 1);
            for (size_t i = 0; i < pages; i++)
                add_colours(picture, count, 65793 / 2 + 77);
            struct gif *gif = save(picture);
            for (size_t i = 0; i < pages; i++)
                assert_int_equal(worst_channel(picture, gif, i), 0);
            gif_free(gif);
            tlu_picture_free(picture);
        }
}

// Of more colours the frequent ones are exact and the others near. A grid of 6 x 6 x 7 colours
// would be 26 away in a channel at worst; to choose the farthest next is at most twice as bad.
static void many_colours_become_near_ones(void **state)
{
    (void)state;
    tlu_picture *picture = new_picture(SIDE, 2 * SIDE, 1);
    colour pixels[SIDE * SIDE];
    struct page *page;
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        pixels[i] = (i & 15) << 20 | (i >> 4 & 15) << 12 | (i >> 8 & 15) << 4;
    assert_int_equal(picture_add_page(picture, &page, NULL), TLU_OK);
    page_image(page, &(struct box){0, 0, SIDE, SIDE}, pixels, SIDE, SIDE);
    const struct style style = {.fill = 0x123457, .line = COLOUR_NONE};
    page_box(page, &(struct box){0, SIDE, SIDE, 2 * SIDE}, &style);
    struct gif *gif = save(picture);
    assert_int_equal(gif->colours, 256);
    assert_true(worst_channel(picture, gif, 0) <= 52);
    assert_int_equal(gif->frames[0].pixels[(SIDE + 3) * SIDE + 5], 0x123457);
    gif_free(gif);
    tlu_picture_free(picture);
}

static void failing_memory_is_reported(void **state)
{
    (void)state;
    tlu_picture *picture = new_picture(100, 70, 1);
    for (int i = 0; i < 3; i++)
        add_page(picture, 20 + 9 * i, 30, 0xd55e00);
    bool hit = true;
    long n = 1;
    for (; hit; n++) {
        tlu_error error = {0};
        void *bytes = NULL;
        size_t size;
        fault_at(FAULT_MEMORY, n);
        tlu_status status = tlu_picture_save_bytes(picture, "gif", &bytes, &size, &error);
        hit = fault_calls(FAULT_MEMORY) >= n;
        fault_at(FAULT_MEMORY, 0);
        assert_int_equal(status, hit ? TLU_ERROR_SYSTEM : TLU_OK);
        if (hit)
            assert_non_null(strstr(error.text, "memory"));
        tlu_bytes_free(bytes);
    }
    assert_true(n > 8);
    tlu_picture_free(picture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_the_pages),
        cmocka_unit_test(a_frame_has_what_changed),
        cmocka_unit_test(frames_last_as_long_as_their_pages),
        cmocka_unit_test(one_page_is_a_still_picture),
        cmocka_unit_test(colours_are_exact_up_to_what_a_palette_holds),
        cmocka_unit_test(many_colours_become_near_ones),
        cmocka_unit_test(failing_memory_is_reported),
    };
    if (!strstr(tlu_built_with(), "giflib") || !strstr(tlu_built_with(), "cairo"))
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
