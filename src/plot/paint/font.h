// How wide text is, on paper or in the cells of a terminal.
#ifndef TLU_PLOT_PAINT_FONT_H
#define TLU_PLOT_PAINT_FONT_H

#include "plot/paint/cairo.h"
#include "plot/picture.h"

// NULL: out of memory, or what draws is not there (font_is_there).
struct font *font_new(bool cells);
bool font_is_there(void); // for paper; cells need nothing
double font_width(struct font *font, const char *text, double size, bool bold);
double font_height(const struct font *font, double size); // of a line
void font_free(struct font *font);

#ifdef TLU_HAVE_CAIRO
// The text to come is in this font, and as wide as font_width has it at any scale.
void font_choose(const struct cairo *cairo, cairo_t *to, double size, bool bold);
// Text as pixels, in the font that was chosen.
void font_paint(const struct cairo *cairo, cairo_t *to, double x, double y, const char *text);
#endif

#endif
