// A picture as the characters of a terminal: each page becomes lines of UTF-8.
#include "plot/terminal/terminal.h"
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "input/text/unicode.h"

#include <string.h>

#define QUADRANTS 4
#define PLAIN (-1) // the terminal's own colour

// A cell as it is written.
struct shown_cell {
    uint32_t glyph;
    int ink, ground; // PLAIN or one of 256 colours
};

// Characters for 0 to 15: a bit for each quadrant that is inked, the upper left one first, then
// upper right, lower left, lower right.
static const uint32_t blocks[1 << QUADRANTS] = {' ',    0x2598, 0x259d, 0x2580, 0x2596, 0x258c,
                                                0x259e, 0x259b, 0x2597, 0x259a, 0x2590, 0x259c,
                                                0x2584, 0x2599, 0x259f, 0x2588};

// ---- what a cell shows

static const struct subpixel *subpixel_of(const struct canvas *canvas, size_t column, size_t line,
                                          size_t number)
{
    return canvas_subpixel(canvas, column * SUBPIXELS_ACROSS + number % SUBPIXELS_ACROSS,
                           line * SUBPIXELS_DOWN + number / SUBPIXELS_ACROSS);
}

// The most frequent background; of equally frequent ones not the terminal's own.
static colour most_common(const struct theme *theme, const colour *grounds, size_t count)
{
    colour best = grounds[0];
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        size_t same = 0;
        for (size_t k = 0; k < count; k++)
            same += grounds[k] == grounds[i];
        bool paper = ground_is_paper(theme, best);
        if (same > most || (same == most && paper))
            best = grounds[i], most = same;
    }
    return best;
}

// The backgrounds of a cell's quadrants; returns that of the cell.
static colour find_grounds(const struct canvas *canvas, size_t column, size_t line,
                           colour quadrants[QUADRANTS])
{
    colour all[SUBPIXELS_ACROSS * SUBPIXELS_DOWN];
    for (size_t i = 0; i < SUBPIXELS_ACROSS * SUBPIXELS_DOWN; i++)
        all[i] = subpixel_of(canvas, column, line, i)->ground;
    for (size_t i = 0; i < QUADRANTS; i++) {
        size_t upper = i / 2 * 4 + i % 2; // of two subpixels, one above the other
        const colour two[2] = {all[upper], all[upper + SUBPIXELS_ACROSS]};
        quadrants[i] = most_common(canvas->theme, two, 2);
    }
    return most_common(canvas->theme, all, SUBPIXELS_ACROSS * SUBPIXELS_DOWN);
}

// Braille: dots 1, 2, 3, 7 are the left subpixels from the top, 4, 5, 6, 8 the right ones.
static uint32_t braille(const struct canvas *canvas, size_t column, size_t line, colour *ink)
{
    static const unsigned bits[] = {0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80};
    uint32_t dots = 0;
    for (size_t i = 0; i < SUBPIXELS_ACROSS * SUBPIXELS_DOWN; i++) {
        const struct subpixel *subpixel = subpixel_of(canvas, column, line, i);
        if (subpixel->ink != COLOUR_NONE) {
            dots |= bits[i];
            *ink = subpixel->ink;
        }
    }
    return dots ? 0x2800 + dots : 0;
}

static bool is_hatched(const struct canvas *canvas, size_t column, size_t line, colour *ink)
{
    size_t hatched = 0;
    for (size_t i = 0; i < SUBPIXELS_ACROSS * SUBPIXELS_DOWN; i++) {
        const struct subpixel *subpixel = subpixel_of(canvas, column, line, i);
        if (subpixel->hatch != COLOUR_NONE) {
            hatched++;
            *ink = subpixel->hatch;
        }
    }
    return 2 * hatched >= SUBPIXELS_ACROSS * SUBPIXELS_DOWN;
}

// The glyph over the background, and its colour; 0: none.
static uint32_t glyph_over(const struct canvas *canvas, size_t column, size_t line, colour *ink)
{
    const struct text_cell *cell = canvas_cell(canvas, column, line);
    *ink = cell->colour;
    if (cell->glyph)
        return cell->glyph;
    uint32_t dots = braille(canvas, column, line, ink);
    if (dots)
        return dots;
    return is_hatched(canvas, column, line, ink) ? '/' : 0;
}

// ---- cells without a glyph

// Without colours: quadrants if part of the cell is black, else the glyph of its background.
static uint32_t plain_ground(const struct theme *theme, const colour quadrants[QUADRANTS],
                             colour whole)
{
    unsigned black = 0;
    for (size_t i = 0; i < QUADRANTS; i++)
        black |= (unsigned)(ground_glyph(theme, quadrants[i]) == 0x2588) << i;
    return black ? blocks[black] : ground_glyph(theme, whole);
}

// Two backgrounds become a block character; of more, the upper and the lower half are shown.
static struct shown_cell coloured_ground(const struct theme *theme,
                                         const colour quadrants[QUADRANTS])
{
    int colours[QUADRANTS], other = terminal_ground(theme, quadrants[0]);
    unsigned inked = 0;
    bool more = false;
    for (size_t i = 0; i < QUADRANTS; i++)
        colours[i] = terminal_ground(theme, quadrants[i]);
    for (size_t i = 0; i < QUADRANTS; i++)
        if (colours[i] != colours[0]) {
            more = more || (inked && colours[i] != other);
            other = colours[i];
            inked |= 1u << i;
        }
    if (more) {
        other = colours[2];
        inked = 12;
    }
    if (!inked)
        return (struct shown_cell){' ', PLAIN, colours[0]};
    if (other == PLAIN) // available only as a background
        return (struct shown_cell){blocks[15 & ~inked], colours[0], PLAIN};
    return (struct shown_cell){blocks[inked], other, colours[0]};
}

static struct shown_cell shown_cell_of(const struct canvas *canvas, size_t column, size_t line,
                                       bool coloured)
{
    const struct theme *theme = canvas->theme;
    colour quadrants[QUADRANTS], ink;
    colour whole = find_grounds(canvas, column, line, quadrants);
    uint32_t glyph = glyph_over(canvas, column, line, &ink);
    if (!glyph && !coloured)
        return (struct shown_cell){plain_ground(theme, quadrants, whole), PLAIN, PLAIN};
    if (!glyph)
        return coloured_ground(theme, quadrants);
    if (!coloured)
        return (struct shown_cell){glyph, PLAIN, PLAIN};
    // On the terminal's own background, ink has the terminal's own colour.
    int ground = terminal_ground(theme, whole);
    bool own = ground == PLAIN && (ink == theme->ink || ink == theme->faint);
    return (struct shown_cell){glyph, own ? PLAIN : (int)terminal_colour(ink), ground};
}

// ---- lines

static void write_colours(struct byte_buffer *to, const struct shown_cell *shown,
                          struct shown_cell *now)
{
    if ((shown->ink == PLAIN && now->ink != PLAIN) ||
        (shown->ground == PLAIN && now->ground != PLAIN)) {
        buffer_add(to, "\x1b[0m", 4);
        now->ink = now->ground = PLAIN;
    }
    if (shown->ink != now->ink)
        buffer_print(to, "\x1b[38;5;%dm", shown->ink);
    if (shown->ground != now->ground)
        buffer_print(to, "\x1b[48;5;%dm", shown->ground);
    *now = *shown;
}

static void write_glyph(struct byte_buffer *to, uint32_t glyph)
{
    char text[4];
    buffer_add(to, text, unicode_write(text, glyph));
}

static void write_line(const struct canvas *canvas, size_t line, bool coloured,
                       struct byte_buffer *to)
{
    struct shown_cell now = {0, PLAIN, PLAIN};
    size_t blanks = 0; // before the glyph; trailing ones are left out
    for (size_t column = 0; column < canvas->columns; column++) {
        const struct text_cell *cell = canvas_cell(canvas, column, line);
        struct shown_cell shown = shown_cell_of(canvas, column, line, coloured);
        if (shown.glyph == GLYPH_HALF)
            continue;
        if (shown.glyph == ' ' && shown.ground == PLAIN) {
            blanks++;
            continue;
        }
        if (blanks && now.ground != PLAIN)
            write_colours(to, &(struct shown_cell){' ', PLAIN, PLAIN}, &now);
        for (; blanks; blanks--)
            buffer_add(to, " ", 1);
        write_colours(to, &shown, &now);
        write_glyph(to, shown.glyph);
        for (size_t i = 0; i < 2 && cell->accents[i]; i++)
            write_glyph(to, cell->accents[i]);
    }
    write_colours(to, &(struct shown_cell){' ', PLAIN, PLAIN}, &now);
    buffer_add(to, "\n", 1);
}

// ---- pages

static void canvas_free(struct canvas *canvas)
{
    memory_free(canvas->cells);
    memory_free(canvas->subpixels);
    memory_free(canvas->inside);
}

static tlu_status canvas_new(struct canvas *canvas, const struct page *page, tlu_error *error)
{
    const tlu_picture *picture = page->picture;
    size_t across = picture->columns * SUBPIXELS_ACROSS, down = picture->lines * SUBPIXELS_DOWN;
    *canvas = (struct canvas){
        .page = page,
        .theme = picture->theme,
        .columns = picture->columns,
        .lines = picture->lines,
        .across = across,
        .down = down,
        .cells = memory_new(picture->columns * picture->lines, sizeof *canvas->cells),
        .subpixels = memory_new(across * down, sizeof *canvas->subpixels),
        .inside = memory_new((across + 1) * down, 1),
    };
    if (!canvas->cells || !canvas->subpixels || !canvas->inside) {
        canvas_free(canvas);
        return error_memory(error);
    }
    for (size_t i = 0; i < across * down; i++)
        canvas->subpixels[i] =
            (struct subpixel){canvas->theme->background, COLOUR_NONE, COLOUR_NONE};
    return TLU_OK;
}

struct subpixel_range canvas_range(const struct canvas *canvas, const struct box *clip)
{
    struct subpixel_range span = {index_from(clip->left, SUBPIXEL), index_from(clip->top, SUBPIXEL),
                                  index_until(clip->right, SUBPIXEL),
                                  index_until(clip->bottom, SUBPIXEL)};
    span.left = span.left < 0 ? 0 : span.left;
    span.top = span.top < 0 ? 0 : span.top;
    if (span.right >= (ptrdiff_t)canvas->across)
        span.right = (ptrdiff_t)canvas->across - 1;
    if (span.bottom >= (ptrdiff_t)canvas->down)
        span.bottom = (ptrdiff_t)canvas->down - 1;
    return span;
}

static void paint_mark(struct canvas *canvas, const struct mark *mark)
{
    if (mark->kind == MARK_PATH) {
        canvas_fill(canvas, mark);
        canvas_stroke(canvas, mark);
    } else if (mark->kind == MARK_DOTS) {
        canvas_dots(canvas, mark);
    } else if (mark->kind == MARK_IMAGE) {
        canvas_image(canvas, mark);
    }
}

// Text is painted last, so that nothing covers it.
static tlu_status paint_page(const struct page *page, struct byte_buffer *to, tlu_error *error)
{
    struct canvas canvas;
    TRY(canvas_new(&canvas, page, error));
    for (size_t i = 0; i < page->count; i++)
        paint_mark(&canvas, &page->marks[i]);
    for (size_t i = 0; i < page->count; i++)
        if (page->marks[i].kind == MARK_TEXT)
            canvas_text(&canvas, &page->marks[i]);
    for (size_t line = 0; line < canvas.lines; line++)
        write_line(&canvas, line, page->picture->coloured, to);
    canvas_free(&canvas);
    return TLU_OK;
}

// The last frame of an animation, which shows the result.
tlu_status paint_text(const tlu_picture *picture, struct byte_buffer *to, tlu_error *error)
{
    if (picture->page_count == 0)
        return TLU_OK;
    return paint_page(picture->pages[picture->page_count - 1], to, error);
}

tlu_status tlu_picture_frame(const tlu_picture *picture, size_t frame, char **text, size_t *size,
                             double *seconds, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct byte_buffer made = {0};
    *text = NULL;
    if (!picture->columns)
        return error_input(error, "text is for pictures that were made for a terminal");
    if (frame >= picture->page_count)
        return error_input(error, "frame %zu of a picture that has %zu", frame + 1,
                           picture->page_count);
    TRY(paint_page(picture->pages[frame], &made, error));
    if (made.failed) {
        memory_free(made.data);
        return error_memory(error);
    }
    *text = (char *)made.data;
    *size = made.size;
    *seconds = picture->pages[frame]->seconds;
    return TLU_OK;
}
