// What cairo paints on: the same steps for every kind of file.
#ifndef TLU_PLOT_PAINT_SURFACES_H
#define TLU_PLOT_PAINT_SURFACES_H

#include "plot/paint/marks.h"
#include "plot/paint/paint.h"

#ifdef TLU_HAVE_CAIRO

tlu_status surface_library(struct cairo *cairo, tlu_error *error);
// Paints a page, for pixels by the scale of the picture; the surface can take another one.
tlu_status surface_paint(const struct cairo *cairo, cairo_surface_t *surface,
                         const struct page *page, bool vectors, tlu_error *error);
// Ends and destroys the surface. Returns what went wrong so far, or now.
tlu_status surface_finish(const struct cairo *cairo, cairo_surface_t *surface, tlu_status so_far,
                          tlu_error *error);
// Where surfaces write, with a struct bytes as the context.
cairo_status_t surface_bytes(void *bytes, const unsigned char *data, unsigned int size);

#endif
#endif
