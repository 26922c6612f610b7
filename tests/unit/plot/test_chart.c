// Charts: ticks worked out by hand, and everything around the area in its place, whatever the size,
// the range and the names.
#include "base/memory.h"
#include "locales.h"
#include "plot/chart/chart.h"
#include "plot/paint/paint.h"
#include "plot/text.h"
#include "plot/texts.h"
#include "tlu_plot.h"
#include "trials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define MINUS "\xe2\x88\x92"

// ---- ticks and numbers

struct tick_case {
    struct axis axis;
    size_t about;
    const char *texts; // with blanks between them
};

static const struct tick_case tick_cases[] = {
    {{.low = 0, .high = 1}, 5, "0 0.2 0.4 0.6 0.8 1.0"},
    {{.low = 0, .high = 1, .percent = true}, 4, "0% 20% 40% 60% 80% 100%"},
    {{.low = 0, .high = 1, .percent = true}, 2, "0% 50% 100%"},
    {{.low = 0.001, .high = 0.0031, .percent = true}, 4, "0.10% 0.15% 0.20% 0.25% 0.30%"},
    {{.low = -1, .high = 1}, 2, MINUS "1 0 1"},
    {{.low = 0.3, .high = 12345}, 6, "2,000 4,000 6,000 8,000 10,000 12,000"},
    {{.low = 1e6, .high = 1e6 + 1}, 2, "1,000,000.0 1,000,000.5 1,000,001.0"},
    {{.low = 0, .high = 3.4e7}, 3, "0 10M 20M 30M"},
    {{.low = -2e38, .high = 2e38}, 4, MINUS "2e+38 " MINUS "1e+38 0 1e+38 2e+38"},
    {{.low = 1e-30, .high = 2e-30}, 2, "1.0e" MINUS "30 1.5e" MINUS "30 2.0e" MINUS "30"},
    {{.low = 0, .high = 2e-5}, 2, "0 1e" MINUS "5 2e" MINUS "5"},
    {{.low = 0, .high = 3, .whole = true}, 10, "0 1 2 3"},
    {{.low = 0.2, .high = 0.8, .whole = true}, 10, ""},
    {{.low = 0, .high = 90, .degrees = true}, 1, "0 90"},
    {{.low = 0, .high = 90, .degrees = true}, 2, "0 30 60 90"},
    {{.low = 0, .high = 180, .degrees = true}, 3, "0 45 90 135 180"},
    {{.low = 0, .high = 90, .degrees = true}, 6, "0 15 30 45 60 75 90"},
    {{.low = 0, .high = 360, .degrees = true}, 4, "0 90 180 270 360"},
    {{.low = 88, .high = 90, .degrees = true}, 2, "88 89 90"},
    {{.low = 0, .high = 1.08, .whole = true}, 8, "0 1"},
    {{.low = 1.1, .high = 16, .logarithmic = true}, 3, "2 5 10"},
    {{.low = 0.001, .high = 1e5, .logarithmic = true},
     10,
     "0.001 0.01 0.1 1 10 100 1,000 10,000 100,000"},
    {{.low = 1, .high = 1e8, .logarithmic = true}, 4, "1 100 10,000 1e+6 1e+8"},
    {{.low = 0.5, .high = 70, .logarithmic = true}, 8, "0.5 1 2 5 10 20 50"},
    {{.low = 10, .high = 11, .logarithmic = true}, 2, "10.0 10.5 11.0"},
};

static void ticks_are_those_of_a_reader(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tick_cases / sizeof tick_cases[0]; i++) {
        const struct tick_case *given = &tick_cases[i];
        const struct ticks ticks = axis_ticks(&given->axis, given->about);
        char all[1000] = "", text[TICK_SIZE];
        for (size_t k = 0; k < ticks.count; k++) {
            strcat(all, k ? " " : "");
            strcat(all, axis_number(text, &given->axis, ticks.places[k], ticks.step));
        }
        assert_string_equal(all, given->texts);
    }
}

// A host program's locale changes nothing: ticks, and numbers in sentences.
static void comma_locale_changes_nothing(void **state)
{
    char text[AMOUNT_SIZE];
    if (!set_comma_locale("locale-chart")) {
        print_message("no locale with a decimal comma here, and none could be made\n");
        skip();
    }
    snprintf(text, sizeof text, "%.1f", 1.5);
    assert_string_equal(text, "1,5"); // the locale is what it should be
    ticks_are_those_of_a_reader(state);
    assert_string_equal(to_digits(text, 4, 0.123456), "0.1235");
    assert_string_equal(to_digits(text, 4, 12345678), "1.235e+07");
    assert_string_equal(to_places(text, 2, 1234.5), "1234.50");
    assert_string_equal(counted(text, 1234567, "row", "rows"), "1,234,567 rows");
    setlocale(LC_ALL, "C");
}

// ---- layout

struct look_at {
    double width, height;
    size_t columns, lines; // of a terminal
};
static const struct look_at sizes[] = {{720, 480, 0, 0}, {400, 300, 0, 0}, {250, 600, 0, 0},
                                       {900, 200, 0, 0}, {100, 80, 0, 0},  {0, 0, 80, 24},
                                       {0, 0, 60, 20},   {0, 0, 120, 50},  {0, 0, 30, 10}};

static const double ranges[][2] = {{0, 1},          {-1, 1},        {1e6, 1e6 + 1},  {-2e38, 3e38},
                                   {1e-30, 4e-30},  {5, 5},         {NAN, INFINITY}, {0, 12345},
                                   {-1e300, 1e300}, {0.1, 0.10001}, {3e7, 3.4e7},    {-1e-6, 7e-6}};

static const char *const texts[] = {
    "A", "petal length",
    "Wörter, die länger sind, als es für ein Bild gut wäre: "
    "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenhersteller und noch mehr davon. "
    "Und noch ein Satz. Und noch einer."};

static struct page *new_page(const struct look_at *size)
{
    const tlu_picture_style of = {.width = size->width,
                                  .height = size->height,
                                  .columns = size->columns,
                                  .lines = size->lines};
    tlu_picture *picture;
    struct page *page;
    tlu_error error;
    assert_int_equal(picture_new(&of, theme_named("light"), &picture, &error), TLU_OK);
    assert_int_equal(picture_add_page(picture, &page, &error), TLU_OK);
    return page;
}

static void end_page(struct page *page)
{
    tlu_error error;
    assert_int_equal(texts_that_clash(page), 0);
    for (size_t i = 0; i < page->count; i++)
        if (page->marks[i].kind == MARK_TEXT)
            assert_true(fmod(page->marks[i].font.size, 0.5) == 0);
    assert_int_equal(picture_check(page->picture, &error), TLU_OK);
    tlu_picture_free(page->picture);
}

static void check_boxes(const struct chart *chart)
{
    const struct box *area = &chart->area, *legend = &chart->layout.legend;
    assert_true(box_is_inside(area, &chart->place));
    assert_true(box_width(area) > 0 && box_height(area) > 0);
    assert_true(chart->x.low < chart->x.high && chart->y.low < chart->y.high);
    assert_false(boxes_overlap(area, legend));
}

static bool is_possible(const struct look_at *size)
{
    return size->columns || font_is_there();
}

#define MANY 60
struct names {
    char text[MANY][400];
    const char *all[MANY];
    struct legend_entry legend[MANY];
};

static void fill_names(struct names *names, const char *text)
{
    for (size_t i = 0; i < MANY; i++) {
        snprintf(names->text[i], sizeof names->text[i], "%zu %s", i, text);
        names->all[i] = names->text[i];
        names->legend[i] = (struct legend_entry){.text = names->text[i], .kind = i % 3};
    }
}

static void draw_chart(const struct look_at *size, const struct chart *given)
{
    struct chart chart = *given;
    chart.page = new_page(size);
    chart.place = page_whole(chart.page);
    chart_begin(&chart);
    chart_end(&chart);
    check_boxes(&chart);
    end_page(chart.page);
}

static void any_range_and_text_has_its_room(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (!is_possible(&sizes[i]))
            continue;
        for (size_t r = 0; r < sizeof ranges / sizeof ranges[0]; r++) {
            for (size_t t = 0; t < 3 * 4; t += unless_sanitized(1, 5)) {
                struct chart chart = {.title = texts[t % 3], .caption = texts[t % 3]};
                chart.x = (struct axis){ranges[r][0], ranges[r][1], .label = texts[t % 3]};
                chart.y = chart.x;
                chart.square = t / 3 % 2;
                chart.small = t / 6;
                chart.x.logarithmic = chart.y.logarithmic = ranges[r][0] > 0 && t % 2;
                draw_chart(&sizes[i], &chart);
            }
        }
    }
}

static void any_number_of_names_has_its_room(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 2, 5, 12, 33, MANY};
    struct names *names = malloc(sizeof *names);
    assert_non_null(names);
    for (size_t t = 0; t < 3; t++) {
        fill_names(names, texts[t]);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] * 6; i++) {
            size_t count = counts[i % 6];
            struct chart chart = {.title = texts[t], .legend = names->legend};
            if (!is_possible(&sizes[i / 6]))
                continue;
            chart.x = (struct axis){-0.5, (double)count - 0.5, .label = "x"};
            chart.y = (struct axis){-0.5, (double)count - 0.5, .label = texts[t]};
            chart.legend_count = count;
            draw_chart(&sizes[i / 6], &chart);
            chart.x.names = chart.y.names = names->all;
            chart.x.name_count = chart.y.name_count = count;
            draw_chart(&sizes[i / 6], &chart);
        }
    }
    free(names);
}

// What is not shown is counted: those that are shown and those that are not are all. Before the
// last ones others are left out.
static void legend_counts_what_it_leaves_out(void **state)
{
    (void)state;
    struct names *names = malloc(sizeof *names);
    char rest[40];
    assert_non_null(names);
    fill_names(names, "name");
    const struct look_at cells = {0, 0, 60, 20};
    struct page *page = new_page(&cells);
    struct chart chart = {.page = page, .place = page_whole(page), .legend = names->legend};
    chart.legend_count = MANY;
    chart_begin(&chart);
    chart_end(&chart);
    size_t shown = 0;
    for (size_t i = 0; i < MANY; i++)
        shown += page_has_text(page, names->text[i]);
    assert_in_range(shown, 5, MANY - 2);
    snprintf(rest, sizeof rest, "and %zu more", MANY - shown);
    assert_true(page_has_text(page, rest));
    end_page(page);

    page = new_page(&cells);
    chart = (struct chart){.page = page, .place = page_whole(page), .legend = names->legend};
    chart.legend_count = MANY;
    chart.legend_last = 3;
    chart_begin(&chart);
    chart_end(&chart);
    for (size_t i = 0; i < MANY; i++)
        assert_int_equal(page_has_text(page, names->text[i]), i < shown - 3 || i >= MANY - 3);
    assert_true(page_has_text(page, rest));
    end_page(page);
    free(names);
}

// One unit is as long across as up.
static void square_charts_are_square(void **state)
{
    (void)state;
    const struct look_at cells = {0, 0, 80, 24};
    for (int wide = 0; wide < 2; wide++) {
        struct page *page = new_page(&cells);
        struct chart chart = {.page = page, .place = page_whole(page), .square = true};
        chart.x = (struct axis){0, wide ? 100 : 1, .label = "x"};
        chart.y = (struct axis){0, wide ? 1 : 100, .label = "y"};
        chart_begin(&chart);
        struct point a = chart_place(&chart, 0, 0), b = chart_place(&chart, 1, 1);
        assert_true(fabs((b.x - a.x) - (a.y - b.y)) < 1e-9);
        assert_true(chart.x.low <= 0 && chart.x.high >= (wide ? 100 : 1));
        assert_true(chart.y.low <= 0 && chart.y.high >= (wide ? 1 : 100));
        chart_end(&chart);
        end_page(page);
    }
}

// A triangle whose corner is far out keeps the direction of its edges: y = x passes the middle.
static void polygons_are_cut_at_the_area(void **state)
{
    (void)state;
    const struct look_at cells = {0, 0, 80, 24};
    struct page *page = new_page(&cells);
    struct chart chart = {.page = page, .place = page_whole(page)};
    chart.x = chart.y = (struct axis){0, 1, .bare = true};
    const struct point corners[] = {{-1e30, -1e30}, {1e30, 1e30}, {1e30, -1e30}};
    const struct style style = {0, COLOUR_NONE, 0, 0, false, true, 0};
    chart_begin(&chart);
    size_t first = page->count;
    chart_polygon(&chart, corners, 3, &style);
    assert_int_equal(page->count, first + 1);
    const struct mark *mark = &page->marks[first];
    double area = 0; // of the polygon, by the shoelace formula
    for (size_t i = 0; i < mark->count; i++) {
        struct point a = page->points[mark->first + i];
        struct point b = page->points[mark->first + (i + 1) % mark->count];
        assert_in_range((int)(a.x + 100), 0, 2000);
        area += (a.x * b.y - b.x * a.y) / 2;
    }
    double whole = (box_width(&chart.area) + 40) * (box_height(&chart.area) + 40);
    assert_in_range((int)(100 * fabs(area) / whole), 45, 55);
    chart_end(&chart);
    end_page(page);
}

// ---- curves

static struct chart begin_bare(struct page *page)
{
    struct chart chart = {.page = page, .place = page_whole(page)};
    chart.x = chart.y = (struct axis){0, 1, .bare = true};
    chart_begin(&chart);
    return chart;
}

// Of many points on a line those are left that can be seen apart, the first and the last with them.
static void curves_keep_their_shape_with_fewer_points(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    const struct look_at cells = {0, 0, 80, 24};
    struct page *page = new_page(&cells);
    struct chart chart = begin_bare(page);
    struct point *at = malloc(COUNT * sizeof *at);
    const struct style style = {COLOUR_NONE, 0, 1, 0, false, false, 0};
    assert_non_null(at);
    for (size_t i = 0; i < COUNT; i++) {
        double share = (double)i / (COUNT - 1);
        at[i] = (struct point){share, i == COUNT / 2 ? 1 : share * share};
    }
    size_t first = page->count;
    chart_curve(&chart, at, COUNT, &style);
    const struct mark *mark = &page->marks[first];
    const struct point *drawn = page->points + mark->first;
    assert_in_range(mark->count, 500, 10000);
    size_t peaks = 0;
    for (size_t i = 0; i < mark->count; i++) {
        double x = (drawn[i].x - chart.area.left) / box_width(&chart.area);
        double y = (chart.area.bottom - drawn[i].y) / box_height(&chart.area);
        peaks += y > 0.99 && x < 0.6;
        assert_true(fabs(y - x * x) < 1e-9 || y > 0.99);
    }
    assert_int_equal(peaks, 1); // a single point that stands out is kept
    struct point end = chart_place(&chart, 1, 1);
    assert_true(drawn[mark->count - 1].x == end.x && drawn[mark->count - 1].y == end.y);
    free(at);
    chart_end(&chart);
    end_page(page);
}

static void what_is_not_a_number_interrupts_a_curve(void **state)
{
    (void)state;
    const struct look_at cells = {0, 0, 80, 24};
    struct page *page = new_page(&cells);
    struct chart chart = begin_bare(page);
    const struct point at[] = {{0, 0}, {0.2, 0.2}, {NAN, 0.3}, {0.4, 0.4}, {0.6, 0.6}};
    const struct style style = {COLOUR_NONE, 0, 1, 0, false, false, 0};
    size_t first = page->count;
    chart_curve(&chart, at, 5, &style);
    assert_int_equal(page->marks[first].strokes, 2);
    assert_int_equal(page->marks[first].count, 4);
    chart_end(&chart);
    end_page(page);
}

// ---- words

static void names_lose_their_middle(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t keep;
        const char *expected;
    } cases[] = {{"abcdefgh", 5, "abc…gh"},     {"abcdefgh", 8, "abcdefgh"},
                 {"abcdefgh", 100, "abcdefgh"}, {"abcdefgh", 0, "…"},
                 {"äöüß€", 3, "äö…€"},          {"", 0, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *found = text_shortened(cases[i].text, cases[i].keep, CUT_MIDDLE);
        assert_string_equal(found, cases[i].expected);
        memory_free(found);
    }
}

// Lines of a caption that has room have all of its words, in their order.
static void captions_are_broken_between_words(void **state)
{
    (void)state;
    const char *caption = "One two three four five six seven eight nine ten eleven twelve thirteen "
                          "fourteen fifteen sixteen seventeen eighteen nineteen twenty.\nAnd more.";
    const struct look_at cells = {0, 0, 40, 30};
    struct page *page = new_page(&cells);
    struct box box = page_whole(page);
    char joined[1000] = "";
    chart_frame(page, "A title", caption, false, &box);
    size_t lines = 0;
    for (size_t i = 0; i < page->count; i++) {
        if (page->marks[i].kind != MARK_TEXT || strcmp(page->marks[i].text, "A title") == 0)
            continue;
        const char *text = page->marks[i].text;
        assert_true(strlen(text) <= 40);
        strcat(joined, lines++ ? (strcmp(text, "And more.") == 0 ? "\n" : " ") : "");
        strcat(joined, text);
    }
    assert_string_equal(joined, caption);
    assert_in_range(lines, 5, 6); // 148 letters in lines of 40, and one of its own
    assert_true(box.top == CELL_HEIGHT && box.bottom == (30 - (double)lines) * CELL_HEIGHT);
    end_page(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_those_of_a_reader),
        cmocka_unit_test(comma_locale_changes_nothing),
        cmocka_unit_test(any_range_and_text_has_its_room),
        cmocka_unit_test(any_number_of_names_has_its_room),
        cmocka_unit_test(legend_counts_what_it_leaves_out),
        cmocka_unit_test(square_charts_are_square),
        cmocka_unit_test(polygons_are_cut_at_the_area),
        cmocka_unit_test(curves_keep_their_shape_with_fewer_points),
        cmocka_unit_test(what_is_not_a_number_interrupts_a_curve),
        cmocka_unit_test(names_lose_their_middle),
        cmocka_unit_test(captions_are_broken_between_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
