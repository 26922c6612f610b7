// A page as letters. Marks are painted on a sheet of cells, each of 2 x 4 specks, which are as fine
// as braille dots; then each cell becomes one letter.
#ifndef TLU_PLOT_TERMINAL_TERMINAL_H
#define TLU_PLOT_TERMINAL_TERMINAL_H

#include "plot/paint/paint.h"

#define SPECKS_ACROSS 2
#define SPECKS_DOWN 4
#define SPECK 4 // points: CELL_WIDTH / SPECKS_ACROSS, and CELL_HEIGHT / SPECKS_DOWN

#define LETTER_HALF UINT32_MAX // the right half of the letter before it, which is wide

// In the ground of a speck: it is of an image, and no class has that colour but by chance.
#define OF_IMAGE 0x1000000u

struct speck {
    colour ground, ink, hatch;
};

struct cell {
    uint32_t letter; // 0: none
    uint32_t accents[2];
    colour colour;  // of the letter
    unsigned votes; // if it is a dot: how many more are like it than not
};

struct sheet {
    const struct page *page;
    const struct theme *theme;
    size_t columns, lines;
    struct cell *cells;    // [lines][columns]
    size_t across, down;   // specks
    struct speck *specks;  // [down][across]
    unsigned char *inside; // [down][across + 1] where the edges of a path change sides; all 0
};

static inline struct cell *sheet_cell(const struct sheet *sheet, size_t column, size_t line)
{
    return &sheet->cells[line * sheet->columns + column];
}

static inline struct speck *sheet_speck(const struct sheet *sheet, size_t across, size_t down)
{
    return &sheet->specks[down * sheet->across + across];
}

// The number of the piece of `size` points in which a place is. An end that lies between two pieces
// belongs to the first.
static inline ptrdiff_t piece_from(double place, int size)
{
    double number = place / size;
    ptrdiff_t whole = (ptrdiff_t)number;
    return number < (double)whole ? whole - 1 : whole;
}

static inline ptrdiff_t piece_until(double place, int size)
{
    ptrdiff_t number = piece_from(place, size);
    return (double)number * size == place ? number - 1 : number;
}

// Specks of a box, those at its edges too.
struct span {
    ptrdiff_t left, top, right, bottom; // the last two belong to it
};
struct span sheet_span(const struct sheet *sheet, const struct box *clip);

struct box sheet_box(const struct sheet *sheet, const struct mark *mark); // around a path
void sheet_fill(struct sheet *sheet, const struct mark *mark);
void sheet_image(struct sheet *sheet, const struct mark *mark);
void sheet_stroke(struct sheet *sheet, const struct mark *mark);
void sheet_dots(struct sheet *sheet, const struct mark *mark);
void sheet_text(struct sheet *sheet, const struct mark *mark);
void sheet_write(const struct sheet *sheet, bool coloured, struct bytes *to);

// The terminal's own ground.
static inline bool ground_is_paper(const struct theme *theme, colour ground)
{
    ground &= ~OF_IMAGE;
    return ground == theme->panel || ground == theme->background;
}

// What a ground looks like without colours: a letter for each class, others by their strength; a
// blank for what is the paper itself.
uint32_t ground_letter(const struct theme *theme, colour ground);
// Whether it is nearly as strong as ink.
bool ground_is_strong(const struct theme *theme, colour ground);
// One of 256 colours of terminals (16 to 255).
unsigned terminal_colour(colour of);
// The same for grounds: those of classes stay apart. -1: the paper itself.
int terminal_ground(const struct theme *theme, colour of);

#endif
