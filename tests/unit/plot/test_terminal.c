// Pages as letters: marks at known cells give known letters, worked out by hand from Unicode's
// charts. A cell is 8 x 16 points, a braille dot 4 x 4.
#include "base/fault.h"
#include "base/memory.h"
#include "input/text/unicode.h"
#include "plot/paint/paint.h"
#include "plot/terminal/terminal.h"
#include "tlu_plot.h"
#include "trials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static tlu_picture *picture;
static struct page *page;
static const struct theme *theme;

static void begin_as(size_t columns, size_t lines, bool coloured)
{
    const tlu_picture_style size = {.columns = columns, .lines = lines, .coloured = coloured};
    theme = theme_named("light");
    assert_int_equal(picture_new(&size, theme, &picture, NULL), TLU_OK);
    assert_int_equal(picture_add_page(picture, &page, NULL), TLU_OK);
}

static void begin(size_t columns, size_t lines)
{
    begin_as(columns, lines, false);
}

static char *painted(void)
{
    struct byte_buffer bytes = {0};
    assert_int_equal(picture_check(page->picture, NULL), TLU_OK);
    assert_int_equal(paint_text(picture, &bytes, NULL), TLU_OK);
    buffer_add(&bytes, "", 1);
    assert_false(bytes.failed);
    return (char *)bytes.data;
}

static void expect(const char *text)
{
    char *found = painted();
    assert_string_equal(found, text);
    memory_free(found);
    tlu_picture_free(picture);
}

static struct style fill(colour of)
{
    return (struct style){of, COLOUR_NONE, 0, 0, false, true, 0};
}

static struct style line(void)
{
    return (struct style){COLOUR_NONE, theme->ink, 1, 0, false, false, 0};
}

static void put_box(double left, double top, double right, double bottom, const struct style *style)
{
    page_box(page, &(struct box){left, top, right, bottom}, style);
}

static void put_line(double x1, double y1, double x2, double y2)
{
    const struct style style = line();
    page_line(page, (struct point){x1, y1}, (struct point){x2, y2}, &style);
}

static void put_dot(double x, double y, enum shape shape, const struct style *style)
{
    page_dots(page, &(struct point){x, y}, 1, shape, 4, style);
}

static void put_text(double x, double y, const char *text, enum align across, enum align along)
{
    page_text(page, x, y, text,
              &(struct text_style){.across = across, .along = along, .colour = theme->ink});
}

// ---- lines

static void lines_are_braille(void **state)
{
    (void)state;
    begin(4, 2); // the upper dots of two cells: 1 and 4
    put_line(0, 2, 16, 2);
    expect("⠉⠉\n\n");
    begin(4, 2); // all left dots: 1, 2, 3, 7
    put_line(2, 0, 2, 32);
    expect("⡇\n⡇\n");
    begin(1, 1); // down to the right: 1, 2 and 6, 8
    put_line(0, 0, 8, 16);
    expect("⢣\n");
    begin(1, 1); // dashes are two dots long at least: 1 and 2
    struct style dashed = line();
    dashed.dash = 4;
    page_line(page, (struct point){2, 0}, (struct point){2, 16}, &dashed);
    expect("⠃\n");
}

static void lines_are_clipped(void **state)
{
    (void)state;
    begin(4, 3);
    page_clip(page, &(struct box){8, 16, 24, 32});
    put_line(-1e9, 18, 1e9, 18);
    put_line(12, -1e9, 12, 1e9);
    expect("\n ⢹⠉\n\n"); // of the cell at 8: 1 and the right ones
    begin(4, 3);         // along the lower and right edges: what is inside of them
    page_clip(page, &(struct box){8, 16, 24, 32});
    put_line(8, 32, 24, 32);
    put_line(24, 16, 24, 32);
    expect("\n ⣀⣸\n\n");
    begin(4, 1);
    put_line(2, -3, 2, -300);
    put_line(-5, 2, -1, 2);
    put_line(40, 2, 32.5, 2);
    expect("\n");
}

static void outlines_are_not_cut_edges(void **state)
{
    (void)state;
    struct style outline;
    begin(4, 1); // an area that goes on to the left and up
    outline = line();
    outline.closed = true;
    page_clip(page, &(struct box){8, 0, 32, 16});
    put_box(8, 0, 22, 14, &outline);
    expect(" ⣀⣸\n");
}

static void the_grid_is_left_out(void **state)
{
    (void)state;
    begin(2, 1);
    struct style style = line();
    style.line = theme->grid;
    page_line(page, (struct point){0, 2}, (struct point){16, 2}, &style);
    expect("\n");
}

// ---- areas

static void classes_have_letters(void **state)
{
    (void)state;
    begin(6, 2);
    struct style first = fill(theme_region(theme, 0)), second = fill(theme_region(theme, 1));
    put_box(0, 0, 24, 32, &first);
    put_box(24, 0, 48, 32, &second);
    put_box(8, 16, 16, 32, &second);
    expect("···░░░\n·░·░░░\n");
    begin(2, 1); // the paper itself
    struct style paper = fill(theme->panel);
    put_box(0, 0, 16, 16, &paper);
    expect("\n");
}

// A region has a boundary anywhere: a cell shows what most of it is.
static void most_of_a_cell_counts(void **state)
{
    (void)state;
    begin(3, 1);
    struct style first = fill(theme_region(theme, 0)), second = fill(theme_region(theme, 1));
    put_box(0, 0, 24, 16, &first);
    put_box(0, 0, 8, 4, &second);   // a quarter
    put_box(8, 0, 16, 12, &second); // three quarters
    expect("·░·\n");
}

static void strong_areas_are_blocks(void **state)
{
    (void)state;
    begin(6, 2);
    struct style strong = fill(theme->wrong);
    put_box(0, 0, 4, 16, &strong);   // left half
    put_box(8, 8, 24, 16, &strong);  // lower halves
    put_box(24, 0, 36, 32, &strong); // one and a half
    expect("▌▄▄█▌\n   █▌\n");
}

static void holes_are_empty(void **state)
{
    (void)state;
    begin(5, 3);
    struct style strong = fill(theme->wrong);
    strong.closed = true;
    path_begin(page, &strong);
    path_move(page, 0, 0);
    path_line(page, 40, 0);
    path_line(page, 40, 48);
    path_line(page, 0, 48);
    path_move(page, 8, 16);
    path_line(page, 32, 16);
    path_line(page, 32, 32);
    path_line(page, 8, 32);
    path_end(page);
    expect("█████\n█   █\n█████\n");
}

static void hatched_areas_are_slashes(void **state)
{
    (void)state;
    begin(4, 1);
    struct style ground = fill(theme_region(theme, 0));
    struct style hatched = {COLOUR_NONE, theme->ink, 1, 0, true, true, 0};
    put_box(0, 0, 32, 16, &ground);
    put_box(8, 0, 24, 16, &hatched);
    expect("·//·\n");
}

static void small_areas_are_braille(void **state)
{
    (void)state;
    begin(2, 1); // 8 x 8: the four upper dots, as of the head of an arrow
    struct style strong = fill(theme->ink), ground = fill(theme_region(theme, 0));
    put_box(0, 0, 16, 16, &ground);
    put_box(0, 0, 8, 8, &strong);
    expect("⠛·\n");
}

static void areas_cover_what_was_there(void **state)
{
    (void)state;
    begin(3, 1);
    struct style dot = fill(theme->ink), ground = fill(theme_region(theme, 0));
    put_dot(4, 8, SHAPE_CIRCLE, &dot);
    put_line(8, 2, 24, 2);
    put_box(0, 0, 16, 16, &ground);
    expect("··⠉\n");
}

static void images_are_shades(void **state)
{
    (void)state;
    begin(4, 2);
    const colour pixels[4] = {theme->wrong, theme->panel, theme->panel, 0xff8080}; // half as strong
    page_image(page, &(struct box){0, 0, 32, 32}, pixels, 2, 2);
    expect("██\n  ▒▒\n");
    begin(1, 1);
    const colour halves[2] = {theme->panel, theme->wrong};
    page_image(page, &(struct box){0, 0, 8, 16}, halves, 2, 1);
    expect("▄\n");
    begin(1, 1); // the colour of a class by chance: a fifth of the way from white to blue
    const colour pixel = theme_region(theme, 4);
    page_image(page, &(struct box){0, 0, 8, 16}, &pixel, 1, 1);
    expect("·\n");
}

static void legends_show_their_ground(void **state)
{
    (void)state;
    begin(3, 1);
    struct style area = {theme_region(theme, 1), theme->ink, 1, 0, false, true, 0};
    put_box(0, 0, 16, 16, &area);
    expect("░░\n");
}

// ---- dots

static void shapes_are_letters(void **state)
{
    (void)state;
    begin(8, 1);
    struct style style = fill(theme->ink), ground = fill(theme_region(theme, 1));
    put_box(0, 0, 64, 16, &ground);
    for (int i = 0; i < SHAPE_COUNT; i++)
        put_dot(8 * i + 1, 15, (enum shape)i, &style);
    expect("●■▲◆+×▼★\n");
}

static void most_dots_of_a_cell_count(void **state)
{
    (void)state;
    begin(1, 1);
    struct style style = fill(theme->ink);
    for (int i = 0; i < 5; i++)
        put_dot(i, 3, i % 2 ? SHAPE_SQUARE : SHAPE_CIRCLE, &style);
    put_dot(4, 4, SHAPE_SQUARE, &style);
    put_dot(4, 4, SHAPE_SQUARE, &style);
    expect("■\n");
}

static void rings_are_brackets(void **state)
{
    (void)state;
    begin(6, 1);
    struct style style = fill(theme->ink), ring = line();
    put_dot(12, 8, SHAPE_CIRCLE, &style);
    put_dot(12, 8, SHAPE_CIRCLE, &ring);
    put_dot(36, 8, SHAPE_TRIANGLE, &ring); // around nothing
    expect("(●) △\n");
    begin(5, 1); // what is there stays, and the ring is seen nevertheless
    put_dot(12, 8, SHAPE_CIRCLE, &style);
    put_dot(20, 8, SHAPE_SQUARE, &style);
    put_dot(12, 8, SHAPE_CIRCLE, &ring);
    expect(" ◉■\n");
    begin(5, 1);
    put_dot(12, 8, SHAPE_CIRCLE, &style);
    put_dot(20, 8, SHAPE_SQUARE, &style);
    put_dot(20, 8, SHAPE_CIRCLE, &ring);
    expect(" ●▣\n");
    begin(5, 1); // rings share what is between them
    put_dot(12, 8, SHAPE_CIRCLE, &style);
    put_dot(28, 8, SHAPE_SQUARE, &style);
    put_dot(12, 8, SHAPE_CIRCLE, &ring);
    put_dot(28, 8, SHAPE_CIRCLE, &ring);
    expect("(●)■)\n");
}

static void dots_are_clipped(void **state)
{
    (void)state;
    begin(4, 1);
    struct style style = fill(theme->ink);
    page_clip(page, &(struct box){8, 0, 24, 16});
    put_dot(7, 8, SHAPE_CIRCLE, &style);
    put_dot(8, 8, SHAPE_SQUARE, &style);
    put_dot(24, 16, SHAPE_DIAMOND, &style); // at the edge
    put_dot(25, 8, SHAPE_CIRCLE, &style);
    expect(" ■◆\n");
}

// ---- text

static void text_is_aligned(void **state)
{
    (void)state;
    begin(9, 3);
    put_text(0, 0, "abc", ALIGN_START, ALIGN_START);
    put_text(36, 24, "def", ALIGN_MIDDLE, ALIGN_MIDDLE);
    put_text(72, 48, "ghi", ALIGN_END, ALIGN_END);
    expect("abc\n   def\n      ghi\n");
    begin(3, 1); // cut at both ends, not moved
    put_text(-8, 0, "abcdef", ALIGN_START, ALIGN_START);
    put_text(0, 16, "below", ALIGN_START, ALIGN_START);
    put_text(0, -1000, "above", ALIGN_START, ALIGN_START);
    expect("bcd\n");
}

static void text_is_on_top(void **state)
{
    (void)state;
    begin(7, 1); // with blanks around it
    struct style strong = fill(theme->wrong);
    put_text(16, 0, "a b", ALIGN_START, ALIGN_START);
    put_box(0, 0, 56, 16, &strong);
    put_dot(20, 8, SHAPE_CIRCLE, &strong);
    expect("█ a b █\n");
    begin(5, 1); // not if it is beside the ground, as axes are
    put_box(8, 0, 40, 16, &strong);
    put_text(0, 0, "|", ALIGN_START, ALIGN_START);
    expect("|████\n");
}

static void upright_text_goes_down(void **state)
{
    (void)state;
    struct text_style font = {.across = ALIGN_MIDDLE, .along = ALIGN_START, .upright = true};
    begin(3, 5);
    font.colour = theme->ink;
    page_text(page, 8, 40, "abc", &font);
    expect("\n a\n b\n c\n\n");
    begin(3, 2); // too long: left out
    page_text(page, 8, 16, "abc", &font);
    expect("\n\n");
}

static void wide_letters_keep_columns(void **state)
{
    (void)state;
    assert_int_equal(text_cells("日本"), 4);
    assert_int_equal(text_cells("e\xcc\x81"), 1); // with an accent of its own
    assert_int_equal(text_cells("a\xe2\x80\x8f"
                                "b"),
                     2);                                 // a mark of direction
    assert_int_equal(text_cells("\xf0\x9f\x98\x80"), 2); // a face
    assert_int_equal(text_cells("─●★…−"), 5);
    begin(7, 1);
    put_text(0, 0, "日本", ALIGN_START, ALIGN_START);
    put_text(32, 0, "|", ALIGN_START, ALIGN_START);
    expect("日本|\n");
    begin(7, 1);
    put_text(0, 0, "e\xcc\x81t\xe2\x80\xae|", ALIGN_START, ALIGN_START);
    expect("e\xcc\x81t|\n");
    begin(5, 1); // half of one cannot be seen
    put_text(0, 0, "日本", ALIGN_START, ALIGN_START);
    put_text(8, 0, "xy", ALIGN_START, ALIGN_START);
    put_text(32, 0, "日", ALIGN_START, ALIGN_START);
    expect(" xy\n");
    begin(5, 1); // nor the other half
    put_text(-8, 0, "日本", ALIGN_START, ALIGN_START);
    put_text(0, 0, "x", ALIGN_START, ALIGN_START);
    expect("x本\n");
}

// ---- colours

static void colours_are_escapes(void **state)
{
    (void)state;
    begin_as(5, 2, true);
    struct style ground = fill(theme_region(theme, 0)), dot = fill(0xff0000);
    put_box(8, 0, 24, 16, &ground);
    put_dot(12, 8, SHAPE_CIRCLE, &dot); // pure red is 196 = 16 + 36 * 5
    put_text(0, 16, "ink", ALIGN_START, ALIGN_START);
    expect(" \x1b[38;5;196m\x1b[48;5;153m●\x1b[0m\x1b[48;5;153m \x1b[0m\nink\n");
    begin_as(2, 1, true); // white over black, as half blocks
    const colour halves[4] = {0xff0000, 0x0000ff, 0x0000ff, 0xff0000};
    page_image(page, &(struct box){0, 0, 16, 16}, halves, 2, 2);
    expect("\x1b[38;5;21m\x1b[48;5;196m▄\x1b[38;5;196m\x1b[48;5;21m▄\x1b[0m\n");
    begin_as(1, 1, true); // a block on the terminal's own ground
    struct style strong = fill(0x0000ff);
    put_box(0, 0, 4, 16, &strong);
    expect("\x1b[38;5;21m▌\x1b[0m\n");
}

// ---- anything at all

static double anywhere(void)
{
    double place = (double)(rand() % 2000 - 700) / 3;
    return rand() % 20 ? place : place * 1e9;
}

static void put_anything(void)
{
    static const char *const texts[] = {"a", "日本語", "e\xcc\x81", "\x1b[31mred", "\xff\n\t", "…"};
    const colour colours[] = {COLOUR_NONE, theme->ink, theme_region(theme, (size_t)(rand() % 40)),
                              theme->grid, theme->wrong};
    struct style style = {colours[rand() % 5], colours[rand() % 5], rand() % 4, rand() % 3,
                          rand() % 4 == 0,     rand() % 2,          0};
    struct point points[5];
    struct text_style font = {10,         (enum align)(rand() % 3), (enum align)(rand() % 3),
                              rand() % 2, rand() % 3 == 0,          theme->ink};
    for (size_t i = 0; i < 5; i++)
        points[i] = (struct point){anywhere(), anywhere()};
    switch (rand() % 5) {
    case 0:
        page_polygon(page, points, 5, &style);
        break;
    case 1:
        page_dots(page, points, 5, (enum shape)(rand() % SHAPE_COUNT), 4, &style);
        break;
    case 2:
        page_text(page, points[0].x, points[0].y, texts[rand() % 6], &font);
        break;
    case 3:
        page_image(page, &(struct box){points[0].x, points[0].y, points[1].x, points[1].y}, colours,
                   1, 5);
        break;
    default:
        page_line(page, points[0], points[1], &style);
    }
}

static void check_lines(const char *text, size_t columns, size_t lines)
{
    size_t ends = 0, cells = 0;
    for (size_t length; *text; text += length) {
        uint32_t code = unicode_read(text, text + strlen(text), &length);
        assert_true(code != UNICODE_NONE);
        assert_true(code == '\n' || code >= ' ');
        cells = code == '\n' ? 0 : cells + glyph_width(code);
        assert_true(cells <= columns);
        if (code == '\n') {
            assert_true(text[-1] != ' ');
            ends++;
        }
    }
    assert_int_equal(ends, lines);
    assert_int_equal(cells, 0);
}

static void lines_are_never_too_long(void **state)
{
    (void)state;
    srand(1);
    for (int trial = 0; trial < often(3000); trial++) {
        size_t columns = (size_t)(1 + rand() % 40), lines = (size_t)(1 + rand() % 12);
        begin(columns, lines);
        for (int i = rand() % 30; i > 0; i--)
            put_anything();
        put_text(0, 0, ".", ALIGN_START, ALIGN_START); // text[-1] is there
        char *text = painted();
        check_lines(text, columns, lines);
        memory_free(text);
        tlu_picture_free(picture);
    }
}

static void memory_that_runs_out_is_told(void **state)
{
    (void)state;
    begin(10, 4);
    struct style strong = fill(theme->wrong);
    put_box(0, 0, 40, 30, &strong);
    put_text(0, 0, "abc", ALIGN_START, ALIGN_START);
    for (long n = 1;; n++) {
        void *text = NULL;
        size_t size;
        fault_at(FAULT_MEMORY, n);
        tlu_status status = tlu_picture_save_bytes(picture, "txt", &text, &size, NULL);
        bool reached = fault_calls(FAULT_MEMORY) >= n;
        fault_at(FAULT_MEMORY, 0);
        assert_int_equal(status, reached ? TLU_ERROR_SYSTEM : TLU_OK);
        tlu_bytes_free(text);
        if (!reached)
            break;
        assert_true(n < 100);
    }
    tlu_picture_free(picture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_braille),
        cmocka_unit_test(lines_are_clipped),
        cmocka_unit_test(outlines_are_not_cut_edges),
        cmocka_unit_test(the_grid_is_left_out),
        cmocka_unit_test(classes_have_letters),
        cmocka_unit_test(most_of_a_cell_counts),
        cmocka_unit_test(strong_areas_are_blocks),
        cmocka_unit_test(holes_are_empty),
        cmocka_unit_test(hatched_areas_are_slashes),
        cmocka_unit_test(small_areas_are_braille),
        cmocka_unit_test(areas_cover_what_was_there),
        cmocka_unit_test(images_are_shades),
        cmocka_unit_test(legends_show_their_ground),
        cmocka_unit_test(shapes_are_letters),
        cmocka_unit_test(most_dots_of_a_cell_count),
        cmocka_unit_test(rings_are_brackets),
        cmocka_unit_test(dots_are_clipped),
        cmocka_unit_test(text_is_aligned),
        cmocka_unit_test(text_is_on_top),
        cmocka_unit_test(upright_text_goes_down),
        cmocka_unit_test(wide_letters_keep_columns),
        cmocka_unit_test(colours_are_escapes),
        cmocka_unit_test(lines_are_never_too_long),
        cmocka_unit_test(memory_that_runs_out_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
