// SVG as cairo writes it, in a third of the space: numbers of two decimals, paths from point to
// point, colours as #rrggbb, nothing that holds anyway, and what paths in a row share said once.
#ifndef TLU_PLOT_PAINT_SHORTEN_H
#define TLU_PLOT_PAINT_SHORTEN_H

#include "plot/paint/paint.h"

void svg_shorten(const char *svg, size_t size, struct bytes *to);

#endif
