// A sheet as lines of UTF-8.
#include "input/text/unicode.h"
#include "plot/terminal/terminal.h"

#include <stdio.h>
#include <string.h>

#define QUADRANTS 4
#define PLAIN (-1) // the terminal's own colour

// A cell as it is written.
struct glyph {
    uint32_t letter;
    int ink, ground; // PLAIN or one of 256 colours
};

// Characters for 0 to 15: a bit for each quadrant that is inked, the upper left one first, then
// upper right, lower left, lower right.
static const uint32_t blocks[1 << QUADRANTS] = {' ',    0x2598, 0x259d, 0x2580, 0x2596, 0x258c,
                                                0x259e, 0x259b, 0x2597, 0x259a, 0x2590, 0x259c,
                                                0x2584, 0x2599, 0x259f, 0x2588};

// ---- what a cell shows

static const struct speck *speck_of(const struct sheet *sheet, size_t column, size_t line,
                                    size_t number)
{
    return sheet_speck(sheet, column * SPECKS_ACROSS + number % SPECKS_ACROSS,
                       line * SPECKS_DOWN + number / SPECKS_ACROSS);
}

// The ground that most of some specks have; the paper gives way if there are as many of another.
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

// The grounds of a cell's quadrants, and that of all of it.
static colour find_grounds(const struct sheet *sheet, size_t column, size_t line,
                           colour quadrants[QUADRANTS])
{
    colour all[SPECKS_ACROSS * SPECKS_DOWN];
    for (size_t i = 0; i < SPECKS_ACROSS * SPECKS_DOWN; i++)
        all[i] = speck_of(sheet, column, line, i)->ground;
    for (size_t i = 0; i < QUADRANTS; i++) {
        size_t upper = i / 2 * 4 + i % 2; // of two specks, one above the other
        const colour two[2] = {all[upper], all[upper + SPECKS_ACROSS]};
        quadrants[i] = most_common(sheet->theme, two, 2);
    }
    return most_common(sheet->theme, all, SPECKS_ACROSS * SPECKS_DOWN);
}

// Braille: dots 1, 2, 3, 7 are the left specks from the top, 4, 5, 6, 8 the right ones.
static uint32_t braille(const struct sheet *sheet, size_t column, size_t line, colour *ink)
{
    static const unsigned bits[] = {0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80};
    uint32_t dots = 0;
    for (size_t i = 0; i < SPECKS_ACROSS * SPECKS_DOWN; i++) {
        const struct speck *speck = speck_of(sheet, column, line, i);
        if (speck->ink != COLOUR_NONE) {
            dots |= bits[i];
            *ink = speck->ink;
        }
    }
    return dots ? 0x2800 + dots : 0;
}

static bool is_hatched(const struct sheet *sheet, size_t column, size_t line, colour *ink)
{
    size_t hatched = 0;
    for (size_t i = 0; i < SPECKS_ACROSS * SPECKS_DOWN; i++) {
        const struct speck *speck = speck_of(sheet, column, line, i);
        if (speck->hatch != COLOUR_NONE) {
            hatched++;
            *ink = speck->hatch;
        }
    }
    return 2 * hatched >= SPECKS_ACROSS * SPECKS_DOWN;
}

// The letter that is over the ground, and its colour; 0: none.
static uint32_t letter_over(const struct sheet *sheet, size_t column, size_t line, colour *ink)
{
    const struct cell *cell = sheet_cell(sheet, column, line);
    *ink = cell->colour;
    if (cell->letter)
        return cell->letter;
    uint32_t dots = braille(sheet, column, line, ink);
    if (dots)
        return dots;
    return is_hatched(sheet, column, line, ink) ? '/' : 0;
}

// ---- the ground alone

// Without colours: quadrants if part of the cell is black, else the letter of its ground.
static uint32_t plain_ground(const struct theme *theme, const colour quadrants[QUADRANTS],
                             colour whole)
{
    unsigned black = 0;
    for (size_t i = 0; i < QUADRANTS; i++)
        black |= (unsigned)(ground_letter(theme, quadrants[i]) == 0x2588) << i;
    return black ? blocks[black] : ground_letter(theme, whole);
}

// Two grounds are a block on the other; of more, the upper half and the lower one.
static struct glyph coloured_ground(const struct theme *theme, const colour quadrants[QUADRANTS])
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
        return (struct glyph){' ', PLAIN, colours[0]};
    if (other == PLAIN) // which is the colour of letters if it is not that of the ground
        return (struct glyph){blocks[15 & ~inked], colours[0], PLAIN};
    return (struct glyph){blocks[inked], other, colours[0]};
}

static struct glyph glyph_of(const struct sheet *sheet, size_t column, size_t line, bool coloured)
{
    const struct theme *theme = sheet->theme;
    colour quadrants[QUADRANTS], ink;
    colour whole = find_grounds(sheet, column, line, quadrants);
    uint32_t letter = letter_over(sheet, column, line, &ink);
    if (!letter && !coloured)
        return (struct glyph){plain_ground(theme, quadrants, whole), PLAIN, PLAIN};
    if (!letter)
        return coloured_ground(theme, quadrants);
    if (!coloured)
        return (struct glyph){letter, PLAIN, PLAIN};
    // On paper that the terminal has chosen, ink is what it has chosen too.
    int ground = terminal_ground(theme, whole);
    bool own = ground == PLAIN && (ink == theme->ink || ink == theme->faint);
    return (struct glyph){letter, own ? PLAIN : (int)terminal_colour(ink), ground};
}

// ---- lines

static void write_colours(struct bytes *to, const struct glyph *glyph, struct glyph *now)
{
    char text[32];
    if ((glyph->ink == PLAIN && now->ink != PLAIN) ||
        (glyph->ground == PLAIN && now->ground != PLAIN)) {
        bytes_add(to, "\x1b[0m", 4);
        now->ink = now->ground = PLAIN;
    }
    if (glyph->ink != now->ink)
        bytes_add(to, text, (size_t)snprintf(text, sizeof text, "\x1b[38;5;%dm", glyph->ink));
    if (glyph->ground != now->ground)
        bytes_add(to, text, (size_t)snprintf(text, sizeof text, "\x1b[48;5;%dm", glyph->ground));
    *now = *glyph;
}

static void write_letter(struct bytes *to, uint32_t letter)
{
    char text[4];
    bytes_add(to, text, unicode_write(text, letter));
}

static void write_line(const struct sheet *sheet, size_t line, bool coloured, struct bytes *to)
{
    struct glyph now = {0, PLAIN, PLAIN};
    size_t blanks = 0; // before the letter; those at the end are left out
    for (size_t column = 0; column < sheet->columns; column++) {
        const struct cell *cell = sheet_cell(sheet, column, line);
        struct glyph glyph = glyph_of(sheet, column, line, coloured);
        if (glyph.letter == LETTER_HALF)
            continue;
        if (glyph.letter == ' ' && glyph.ground == PLAIN) {
            blanks++;
            continue;
        }
        if (blanks && now.ground != PLAIN)
            write_colours(to, &(struct glyph){' ', PLAIN, PLAIN}, &now);
        for (; blanks; blanks--)
            bytes_add(to, " ", 1);
        write_colours(to, &glyph, &now);
        write_letter(to, glyph.letter);
        for (size_t i = 0; i < 2 && cell->accents[i]; i++)
            write_letter(to, cell->accents[i]);
    }
    write_colours(to, &(struct glyph){' ', PLAIN, PLAIN}, &now);
    bytes_add(to, "\n", 1);
}

void sheet_write(const struct sheet *sheet, bool coloured, struct bytes *to)
{
    for (size_t line = 0; line < sheet->lines; line++)
        write_line(sheet, line, coloured, to);
}
