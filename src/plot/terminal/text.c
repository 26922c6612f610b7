// Dots and text on a sheet: a letter each.
#include "input/text/unicode.h"
#include "plot/terminal/terminal.h"
#include "plot/terminal/widths.h"

#include <math.h>
#include <string.h>

// ---- dots

static const uint32_t full[SHAPE_COUNT] = {0x25cf, 0x25a0, 0x25b2, 0x25c6,
                                           '+',    0xd7,   0x25bc, 0x2605};
static const uint32_t hollow[SHAPE_COUNT] = {0x25cb, 0x25a1, 0x25b3, 0x25c7,
                                             '+',    0xd7,   0x25bd, 0x2606};

// With a ring, if brackets have no room.
static const uint32_t ringed[SHAPE_COUNT] = {0x25c9, 0x25a3, 0x25ec, 0x25c8,
                                             0x2295, 0x2297, 0x25bf, 0x272a};

static struct cell *cell_at(const struct sheet *sheet, ptrdiff_t column, ptrdiff_t line)
{
    bool there = column >= 0 && line >= 0 && column < (ptrdiff_t)sheet->columns &&
                 line < (ptrdiff_t)sheet->lines;
    return there ? sheet_cell(sheet, (size_t)column, (size_t)line) : NULL;
}

// Of many dots in a cell it shows the kind that most of them are, if there is such a one (R. S.
// Boyer and J S. Moore, MJRTY, 1981).
static void vote(struct cell *cell, uint32_t letter, colour ink)
{
    if (cell->letter == letter && cell->colour == ink) {
        cell->votes++;
    } else if (cell->votes > 1) {
        cell->votes--;
    } else {
        cell->letter = letter;
        cell->colour = ink;
        cell->votes = 1;
    }
}

static void put_free(const struct sheet *sheet, ptrdiff_t column, ptrdiff_t line, uint32_t letter,
                     colour ink)
{
    struct cell *cell = cell_at(sheet, column, line);
    if (cell && !cell->letter)
        *cell = (struct cell){.letter = letter, .colour = ink};
}

static bool is_free(const struct cell *cell)
{
    return cell && (!cell->letter || cell->letter == '(' || cell->letter == ')');
}

// Around a dot that is there: in brackets, or as another letter if others are next to it.
static void put_ring(const struct sheet *sheet, ptrdiff_t column, ptrdiff_t line, colour ink)
{
    struct cell *dot = cell_at(sheet, column, line);
    if (is_free(cell_at(sheet, column - 1, line)) && is_free(cell_at(sheet, column + 1, line))) {
        put_free(sheet, column - 1, line, '(', ink);
        put_free(sheet, column + 1, line, ')', ink);
        return;
    }
    for (size_t shape = 0; shape < SHAPE_COUNT; shape++)
        if (dot->letter == full[shape]) {
            dot->letter = ringed[shape];
            dot->colour = ink;
            return;
        }
}

static void put_dot(const struct sheet *sheet, const struct mark *mark, struct point at)
{
    ptrdiff_t column = piece_from(at.x, CELL_WIDTH), line = piece_from(at.y, CELL_HEIGHT);
    if (at.x == mark->clip.right)
        column = piece_until(at.x, CELL_WIDTH);
    if (at.y == mark->clip.bottom)
        line = piece_until(at.y, CELL_HEIGHT);
    struct cell *cell = cell_at(sheet, column, line);
    bool ring = mark->look.fill == COLOUR_NONE;
    if (!cell || (ring && mark->look.line == COLOUR_NONE))
        return;
    if (!ring) {
        vote(cell, full[mark->shape], mark->look.fill);
    } else if (cell->votes) {
        put_ring(sheet, column, line, mark->look.line);
    } else {
        vote(cell, hollow[mark->shape], mark->look.line);
    }
}

static bool is_within(const struct box *box, const struct point *point)
{
    return point->x >= box->left && point->x <= box->right && point->y >= box->top &&
           point->y <= box->bottom;
}

void sheet_dots(struct sheet *sheet, const struct mark *mark)
{
    for (size_t i = 0; i < mark->count; i++) {
        const struct point *at = &sheet->page->points[mark->first + i];
        if (is_within(&mark->clip, at))
            put_dot(sheet, mark, *at);
    }
}

// ---- text

// Where letters are written: next moves on.
struct writing {
    const struct sheet *sheet;
    ptrdiff_t column, line;
    bool downwards;
    colour colour;
    struct cell *last; // for accents
};

// Half a wide letter cannot stay.
static void clear_for(const struct sheet *sheet, ptrdiff_t column, ptrdiff_t line)
{
    struct cell *cell = cell_at(sheet, column, line), *next = cell_at(sheet, column + 1, line);
    if (cell && cell->letter == LETTER_HALF)
        cell_at(sheet, column - 1, line)->letter = ' ';
    if (next && next->letter == LETTER_HALF)
        next->letter = ' ';
}

static void put_letter(struct writing *writing, uint32_t letter, size_t width)
{
    const struct sheet *sheet = writing->sheet;
    struct cell *cell = cell_at(sheet, writing->column, writing->line);
    struct cell *half =
        cell && width > 1 ? cell_at(sheet, writing->column + 1, writing->line) : NULL;
    writing->last = NULL;
    if (cell && width > 1 && !half)
        letter = ' ';
    for (ptrdiff_t i = 0; cell && i < (half ? 2 : 1); i++)
        clear_for(sheet, writing->column + i, writing->line);
    if (half)
        *half = (struct cell){.letter = LETTER_HALF, .colour = writing->colour};
    if (cell) {
        *cell = (struct cell){.letter = letter, .colour = writing->colour};
        writing->last = cell;
    }
    if (writing->downwards)
        writing->line++;
    else
        writing->column += (ptrdiff_t)width;
}

static void put_accent(const struct writing *writing, uint32_t accent)
{
    struct cell *cell = writing->last;
    for (size_t i = 0; cell && i < 2; i++) {
        if (!cell->accents[i]) {
            cell->accents[i] = accent;
            return;
        }
    }
}

// The first of `length` cells along a line, by the place that is given for some part of it.
static ptrdiff_t first_cell(double place, int size, double length, enum align align)
{
    double share = align == ALIGN_START ? 0 : align == ALIGN_MIDDLE ? length / 2 : length;
    return (ptrdiff_t)floor(place / size - share + 0.5);
}

// The line that a height belongs to: its top, its middle or its bottom is there.
static ptrdiff_t line_at(double place, int size, enum align align)
{
    return align == ALIGN_MIDDLE ? piece_from(place, size) : first_cell(place, size, 1, align);
}

static struct writing begin_writing(const struct sheet *sheet, const struct mark *mark)
{
    const struct letters *letters = &mark->letters;
    const struct point *at = &sheet->page->points[mark->first];
    struct writing writing = {
        .sheet = sheet, .downwards = letters->upright, .colour = letters->colour};
    if (!letters->upright) {
        writing.column =
            first_cell(at->x, CELL_WIDTH, (double)text_cells(mark->text), letters->across);
        writing.line = line_at(at->y, CELL_HEIGHT, letters->along);
        return writing;
    }
    // On paper it goes up from its start.
    enum align across = letters->across == ALIGN_START ? ALIGN_END
                        : letters->across == ALIGN_END ? ALIGN_START
                                                       : ALIGN_MIDDLE;
    writing.column = line_at(at->x, CELL_WIDTH, letters->along);
    writing.line = first_cell(at->y, CELL_HEIGHT, (double)text_letters(mark->text), across);
    return writing;
}

static bool is_on_letters(const struct sheet *sheet, ptrdiff_t column, ptrdiff_t line)
{
    if (sheet->page->picture->coloured || !cell_at(sheet, column, line))
        return false;
    const struct speck *middle =
        sheet_speck(sheet, (size_t)column * SPECKS_ACROSS, (size_t)line * SPECKS_DOWN + 2);
    return ground_letter(sheet->theme, middle->ground) != ' ';
}

// On a ground of letters, a blank before and after text keeps it apart from them.
static void put_blanks(const struct writing *writing, const char *text)
{
    ptrdiff_t after = writing->column + (ptrdiff_t)text_cells(text);
    if (writing->downwards || !is_on_letters(writing->sheet, writing->column, writing->line))
        return;
    put_free(writing->sheet, writing->column - 1, writing->line, ' ', writing->colour);
    put_free(writing->sheet, after, writing->line, ' ', writing->colour);
}

// Upright text that is too long for the sheet is left out: it cannot be read in part.
void sheet_text(struct sheet *sheet, const struct mark *mark)
{
    struct writing writing = begin_writing(sheet, mark);
    const char *text = mark->text, *end = text + strlen(text);
    if (writing.downwards && text_letters(text) > sheet->lines)
        return;
    if (writing.downwards && writing.line < 0)
        writing.line = 0;
    put_blanks(&writing, text);
    for (size_t length; text < end; text += length) {
        uint32_t code = unicode_read(text, end, &length);
        size_t width = letter_width(code);
        if (width > 0)
            put_letter(&writing, code, width);
        else if (letter_is_accent(code))
            put_accent(&writing, code);
    }
}
