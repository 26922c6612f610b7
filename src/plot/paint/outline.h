// The outline of a path, as cairo can take it: what is far outside is cut off, since cairo has no
// numbers for it, and the sides of upright boxes and lines are put where pixels begin.
#ifndef TLU_PLOT_PAINT_OUTLINE_H
#define TLU_PLOT_PAINT_OUTLINE_H

#include "plot/paint/marks.h"

#ifdef TLU_HAVE_CAIRO

// Makes it the path of the brush: to be filled, or to be drawn with a pen of this width. Whether it
// is nothing but upright boxes and lines; the width is then a number of pixels.
void outline_of_area(const struct brush *brush, const struct mark *mark);
bool outline_of_line(const struct brush *brush, const struct mark *mark, double *width);

#endif
#endif
