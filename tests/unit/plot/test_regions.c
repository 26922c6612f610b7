// Regions of a plane against figures whose areas are known: they tile the box, their outlines are
// closed and lie where the labels change; half-planes and lines; memory that runs out.
#include "base/fault.h"
#include "base/memory.h"
#include "plot/plane/plane.h"
#include "tlu_plot.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

typedef uint32_t figure(double x, double y);

static figure *wanted;

static tlu_status label(void *context, const struct point *at, size_t count, uint32_t *labels,
                        tlu_error *error)
{
    (void)context, (void)error;
    for (size_t i = 0; i < count; i++)
        labels[i] = wanted(at[i].x, at[i].y);
    return TLU_OK;
}

static const struct region_field field = {label, NULL};

static struct regions *regions_of(figure *function, size_t across, size_t up)
{
    struct regions *regions;
    wanted = function;
    // A box that is neither square nor around 0: x from -1 to 3, y from 10 to 12.
    assert_int_equal(plane_regions(&field, -1, 3, 10, 12, across, up, &regions, NULL), TLU_OK);
    return regions;
}

static double outline_area(const struct point *at, size_t count)
{
    double twice = 0;
    for (size_t i = 0; i < count; i++) {
        struct point a = at[i], b = at[(i + 1) % count];
        twice += a.x * b.y - b.x * a.y;
    }
    return twice / 2;
}

// The area of the outlines that are handed out, without what was found on the way to them.
static double area_of(const struct regions *regions, uint32_t wanted_label)
{
    double area = 0;
    for (size_t i = 0; i < regions->count; i++) {
        const struct region *region = &regions->regions[i];
        size_t first = 0;
        for (size_t o = 0; o < region->outline_count; first += region->outlines[o++])
            if (region->label == wanted_label)
                area += outline_area(region->points + first, region->outlines[o]);
    }
    return area;
}

static void assert_tiling(const struct regions *regions)
{
    double all = 0;
    for (size_t i = 0; i < regions->count; i++) {
        const struct region *region = &regions->regions[i];
        assert_true(i == 0 || region[-1].label < region->label);
        assert_true(fabs(region->area * 8 - area_of(regions, region->label)) < 1e-5);
        all += area_of(regions, region->label);
    }
    assert_true(fabs(all - 8) < 1e-5);
}

static uint32_t half(double x, double y)
{
    return 2 * x + 3 * y >= 35; // through (2.5, 10), (-0.5, 12)
}

static void test_half_plane(void **state)
{
    (void)state;
    struct regions *regions = regions_of(half, 20, 15);
    assert_tiling(regions);
    assert_int_equal(regions->count, 2);
    assert_true(fabs(area_of(regions, 1) - (0.5 + 3.5) / 2 * 2) < 1e-5);
    // Its corners alone are left: two of the box and two ends of the line.
    assert_int_equal(regions->regions[1].outline_count, 1);
    assert_int_equal(regions->regions[1].point_count, 4);
    plane_regions_free(regions);
}

static uint32_t circle(double x, double y)
{
    return hypot(x - 1, y - 11) < 0.75 ? 7 : 3;
}

static void test_circle(void **state)
{
    (void)state;
    struct regions *regions = regions_of(circle, 200, 150);
    assert_tiling(regions);
    assert_true(fabs(area_of(regions, 7) - PI * 0.75 * 0.75) < 1e-3);
    const struct region *around = &regions->regions[0], *inside = &regions->regions[1];
    assert_int_equal(around->outline_count, 2); // the box and the hole
    assert_int_equal(inside->outline_count, 1);
    for (size_t i = 0; i < inside->point_count; i++) {
        struct point at = inside->points[i];
        assert_true(fabs(hypot(at.x - 1, at.y - 11) - 0.75) < 1e-6);
    }
    plane_regions_free(regions);
}

// Three sectors around (1.013, 11.007).
static uint32_t sectors(double x, double y)
{
    double angle = atan2(y - 11.007, x - 1.013);
    return angle < -PI / 3 ? 0 : angle < PI / 3 ? 1 : 2;
}

static void test_sectors(void **state)
{
    (void)state;
    struct regions *regions = regions_of(sectors, 60, 50);
    assert_tiling(regions);
    assert_int_equal(regions->count, 3);
    // Each has the place where they meet, found to a small part of a cell.
    for (size_t i = 0; i < 3; i++) {
        double nearest = 1;
        for (size_t j = 0; j < regions->regions[i].point_count; j++) {
            struct point at = regions->regions[i].points[j];
            nearest = fmin(nearest, hypot(at.x - 1.013, at.y - 11.007));
        }
        assert_true(nearest < 4.0 / 60 / 100);
    }
    // The right sector: a triangle to the top and the bottom, and what is right of it.
    double up = 12 - 11.007, down = 11.007 - 10, right = 3 - 1.013;
    double expected = (up + down) * right - (up * up + down * down) / tan(PI / 3) / 2;
    assert_true(fabs(area_of(regions, 1) - expected) < 1e-3);
    plane_regions_free(regions);
}

// Squares of 0.5, with corners at which four meet.
static uint32_t board(double x, double y)
{
    return (uint32_t)((int)floor((x + 10.03) * 2) + (int)floor((y + 10.02) * 2)) % 2;
}

static void test_board(void **state)
{
    (void)state;
    struct regions *regions = regions_of(board, 83, 41);
    double expected = 0;
    assert_tiling(regions);
    for (int i = 0; i < 2000; i++) // slowly
        for (int j = 0; j < 1000; j++)
            expected += board(-1 + (i + 0.5) / 500, 10 + (j + 0.5) / 500) / 250000.0;
    assert_true(fabs(area_of(regions, 1) - expected) < 5e-3);
    plane_regions_free(regions);
}

static uint32_t noise(double x, double y)
{
    union {
        double number;
        uint64_t bits;
    } mixed = {.number = x * 37.7 + y * 91.3};
    return (uint32_t)(mixed.bits * 0x9e3779b97f4a7c15u >> 61);
}

static void test_noise(void **state)
{
    (void)state;
    struct regions *regions = regions_of(noise, 30, 20);
    assert_tiling(regions);
    assert_int_equal(regions->count, 8);
    plane_regions_free(regions);
}

static size_t looks;

static uint32_t counted_noise(double x, double y)
{
    looks++;
    return noise(x, y);
}

// As of decisions by chance: there are no borders to find.
static void test_noise_is_looked_at_less_closely(void **state)
{
    (void)state;
    const size_t nodes = 241 * 181;
    looks = 0;
    struct regions *regions = regions_of(counted_noise, 240, 180);
    assert_true(looks > nodes && looks < 12 * nodes);
    plane_regions_free(regions);
}

static uint32_t same(double x, double y)
{
    (void)x, (void)y;
    return 5 | REGION_AMBIGUOUS;
}

static void test_one_label(void **state)
{
    (void)state;
    struct regions *regions = regions_of(same, 1, 1);
    assert_tiling(regions);
    assert_int_equal(regions->count, 1);
    assert_int_equal(regions->regions[0].label, 5 | REGION_AMBIGUOUS);
    assert_int_equal(regions->regions[0].point_count, 4);
    plane_regions_free(regions);
}

// Numbers as large as a row can have.
static uint32_t far_away(double x, double y)
{
    return x > y;
}

static void test_large_numbers(void **state)
{
    (void)state;
    struct regions *regions;
    wanted = far_away;
    assert_int_equal(plane_regions(&field, -3e38, 3e38, -3e38, 3e38, 10, 10, &regions, NULL),
                     TLU_OK);
    assert_int_equal(regions->count, 2);
    assert_true(fabs(regions->regions[1].area - 0.5) < 1e-5);
    plane_regions_free(regions);
}

// The line between two classes alone, without what is ambiguous and without the box.
static uint32_t halo(double x, double y)
{
    double away = hypot(x - 1, y - 11);
    return away < 0.4 ? 1 : away < 0.75 ? 1 | REGION_AMBIGUOUS : 0;
}

static void test_borders(void **state)
{
    (void)state;
    struct regions *regions = regions_of(halo, 120, 90);
    const struct region *borders = &regions->borders;
    double length = 0;
    assert_tiling(regions);
    assert_int_equal(regions->count, 3);
    assert_int_equal(borders->outline_count, 1);
    for (size_t i = 0; i < borders->point_count; i++) {
        struct point at = borders->points[i], last = borders->points[i ? i - 1 : 0];
        assert_true(fabs(hypot(at.x - 1, at.y - 11) - 0.75) < 1e-6);
        length += hypot(at.x - last.x, at.y - last.y);
    }
    assert_true(fabs(length - 2 * PI * 0.75) < 1e-3);
    plane_regions_free(regions);
}

// A coarse look first finds the same, with fewer questions.
static size_t asked;

static tlu_status count_label(void *context, const struct point *at, size_t count, uint32_t *labels,
                              tlu_error *error)
{
    asked += count;
    return label(context, at, count, labels, error);
}

static void test_blocks(void **state)
{
    (void)state;
    const struct region_field counted = {count_label, NULL};
    double areas[2];
    size_t questions[2];
    wanted = circle;
    for (size_t block = 0; block < 2; block++) {
        struct regions *regions;
        asked = 0;
        assert_int_equal(
            plane_regions_in_blocks(&counted, -1, 3, 10, 12, 201, 149, 4 * block, &regions, NULL),
            TLU_OK);
        assert_tiling(regions);
        areas[block] = area_of(regions, 7);
        questions[block] = asked;
        plane_regions_free(regions);
    }
    assert_true(areas[0] == areas[1]);
    assert_true(questions[1] < questions[0] * 2 / 3);
}

// x + 2 y = 5 in a box from (-1, 1) to (2, 4).
static void test_ends(void **state)
{
    (void)state;
    const struct chart chart = {.x = {.low = -1, .high = 2}, .y = {.low = 1, .high = 4}};
    struct point ends[2];
    assert_true(plane_ends(&chart, &(struct linear){-5, 1, 2}, ends));
    size_t right = ends[0].x > ends[1].x ? 0 : 1;
    assert_true(fabs(ends[right].x - 2) < 1e-12 && fabs(ends[right].y - 1.5) < 1e-12);
    assert_true(fabs(ends[1 - right].x + 1) < 1e-12 && fabs(ends[1 - right].y - 3) < 1e-12);
    assert_false(plane_ends(&chart, &(struct linear){-50, 1, 2}, ends));
    assert_false(plane_ends(&chart, &(struct linear){1, 0, 0}, ends));
}

// In all directions the letter is ahead of the arrow, which goes to where the function grows.
static void test_normal(void **state)
{
    (void)state;
    const struct style style = {0xffffff, 0, 2, 0, false, false, 0};
    const tlu_picture_style size = {.columns = 120, .lines = 40};
    for (int i = 0; i < 16; i++) {
        double angle = i * PI / 8, w1 = cos(angle), w2 = sin(angle);
        tlu_picture *picture;
        struct page *page;
        assert_int_equal(picture_new(&size, theme_named("light"), &picture, NULL), TLU_OK);
        assert_int_equal(picture_add_page(picture, &page, NULL), TLU_OK);
        struct chart chart = {.page = page, .place = page_whole(page), .square = true};
        chart.x = chart.y = (struct axis){.low = -1, .high = 1};
        chart_begin(&chart);
        size_t before = page->count;
        plane_normal(&chart, &(struct linear){0.1, w1, w2}, &style);
        assert_int_equal(page->count - before, 3); // letter, shaft, head
        const struct mark *letter = &page->marks[before], *head = &page->marks[before + 2];
        assert_string_equal(letter->text, "w");
        struct point tip = page->points[head->first], at = page->points[letter->first];
        struct point middle = chart_place(&chart, -0.1 * w1, -0.1 * w2);
        assert_true((tip.x - middle.x) * w1 - (tip.y - middle.y) * w2 > 50);
        at.x += CELL_WIDTH / 2.0; // the middle of the letter
        assert_true((at.x - tip.x) * w1 - (at.y - tip.y) * w2 > 0);
        chart_end(&chart);
        tlu_picture_free(picture);
    }
}

static tlu_status refuse(void *context, const struct point *at, size_t count, uint32_t *labels,
                         tlu_error *error)
{
    (void)context, (void)at, (void)count, (void)labels;
    return error_input(error, "no labels");
}

static void test_failures(void **state)
{
    (void)state;
    struct regions *regions;
    tlu_error error;
    const struct region_field none = {refuse, NULL};
    assert_int_equal(plane_regions(&none, 0, 1, 0, 1, 5, 5, &regions, &error), TLU_ERROR_INPUT);
    assert_string_equal(error.text, "no labels");
    assert_null(regions);
    wanted = sectors;
    for (long call = 1;; call++) {
        fault_at(FAULT_MEMORY, call);
        tlu_status status = plane_regions(&field, -1, 3, 10, 12, 6, 6, &regions, &error);
        fault_at(FAULT_MEMORY, 0);
        if (status == TLU_OK)
            break;
        assert_int_equal(status, TLU_ERROR_SYSTEM);
        assert_null(regions);
    }
    plane_regions_free(regions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half_plane),
        cmocka_unit_test(test_circle),
        cmocka_unit_test(test_sectors),
        cmocka_unit_test(test_board),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_one_label),
        cmocka_unit_test(test_large_numbers),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_borders),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_normal),
        cmocka_unit_test(test_noise_is_looked_at_less_closely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
