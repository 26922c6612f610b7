// A page as characters. Marks are painted on a canvas of cells, each of 2 x 4 subpixels (as fine as
// braille dots); then each cell becomes one glyph.
#ifndef TLU_PLOT_TERMINAL_TERMINAL_H
#define TLU_PLOT_TERMINAL_TERMINAL_H

#include "plot/paint/paint.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SUBPIXELS_ACROSS 2
#define SUBPIXELS_DOWN 4
#define SUBPIXEL 4 // points: CELL_WIDTH / SUBPIXELS_ACROSS, and CELL_HEIGHT / SUBPIXELS_DOWN

#define GLYPH_HALF UINT32_MAX // the right half of the wide glyph before it

// Flag in the ground of a subpixel: it belongs to an image, so the colour is not that of a class.
#define OF_IMAGE 0x1000000u

struct subpixel {
    colour ground, ink, hatch;
};

struct text_cell {
    uint32_t glyph; // 0: none
    uint32_t accents[2];
    colour colour;  // of the glyph
    unsigned votes; // of a dot: majority vote among the dots of the cell
};

struct canvas {
    const struct page *page;
    const struct theme *theme;
    size_t columns, lines;
    struct text_cell *cells;    // [lines][columns]
    size_t across, down;        // subpixels
    struct subpixel *subpixels; // [down][across]
    unsigned char *inside;      // [down][across + 1] where the edges of a path change sides; all 0
};

static inline struct text_cell *canvas_cell(const struct canvas *canvas, size_t column, size_t line)
{
    assert(column < canvas->columns && line < canvas->lines);
    return &canvas->cells[line * canvas->columns + column];
}

static inline struct subpixel *canvas_subpixel(const struct canvas *canvas, size_t across,
                                               size_t down)
{
    assert(across < canvas->across && down < canvas->down);
    return &canvas->subpixels[down * canvas->across + across];
}

// The index of the cell or subpixel of `size` points that contains a place. index_until: an end on
// the border of two belongs to the first.
static inline ptrdiff_t index_from(double place, int size)
{
    double number = place / size;
    ptrdiff_t whole = (ptrdiff_t)number;
    return number < (double)whole ? whole - 1 : whole;
}

static inline ptrdiff_t index_until(double place, int size)
{
    ptrdiff_t number = index_from(place, size);
    return (double)number * size == place ? number - 1 : number;
}

// The subpixels of a box, including those at its edges.
struct subpixel_range {
    ptrdiff_t left, top, right, bottom; // inclusive
};
struct subpixel_range canvas_range(const struct canvas *canvas, const struct box *clip);

void canvas_fill(struct canvas *canvas, const struct mark *mark);
void canvas_image(struct canvas *canvas, const struct mark *mark);
void canvas_stroke(struct canvas *canvas, const struct mark *mark);
void canvas_dots(struct canvas *canvas, const struct mark *mark);
void canvas_text(struct canvas *canvas, const struct mark *mark);

// The terminal's own background.
static inline bool ground_is_paper(const struct theme *theme, colour ground)
{
    ground &= ~OF_IMAGE;
    return ground == theme->panel || ground == theme->background;
}

// The glyph that stands for a background without colours: one per class, others by their strength;
// a blank for the terminal's own background.
uint32_t ground_glyph(const struct theme *theme, colour ground);
// Whether it is nearly as dark as ink (in the dark theme as bright).
bool ground_is_strong(const struct theme *theme, colour ground);
// The nearest of the 256 colours of terminals (16 to 255).
unsigned terminal_colour(colour of);
// The same for backgrounds, which stay distinct for classes. -1: the terminal's own.
int terminal_ground(const struct theme *theme, colour of);

// ---- widths of characters, in any locale

// 0, 1 or 2 cells: East Asian characters and emoji are wide, accents and invisible characters take
// none.
size_t glyph_width(uint32_t code);
// Whether it is drawn over the glyph before it. Other characters without a cell are left out: they
// set directions or join characters, which terminals handle differently.
bool glyph_is_accent(uint32_t code);

size_t text_cells(const char *text);  // of valid UTF-8
size_t text_glyphs(const char *text); // those that take cells

#endif
