// The marks of a page by cairo.
#ifndef TLU_DRAW_MARKS_H
#define TLU_DRAW_MARKS_H

#include "draw/paint/cairo.h"
#include "draw/picture.h"

#ifdef TLU_HAVE_CAIRO
void marks_paint(const struct cairo *cairo, cairo_t *to, const struct page *page);
#endif

#endif
