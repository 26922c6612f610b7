// How wide text is, on paper or in the cells of a terminal.
#ifndef TLU_DRAW_FONT_H
#define TLU_DRAW_FONT_H

#include "draw/picture.h"

#define FONT_FAMILY "DejaVu Sans"

// NULL: out of memory, or what draws is not there (font_is_there).
struct font *font_new(bool cells);
bool font_is_there(void); // for paper; cells need nothing
double font_width(struct font *font, const char *text, double size, bool bold);
double font_height(const struct font *font, double size); // of a line
void font_free(struct font *font);

#endif
