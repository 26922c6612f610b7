// Short texts at places of a chart that do not overlap each other.
#ifndef TLU_PLOT_CHART_LABELS_H
#define TLU_PLOT_CHART_LABELS_H

#include "plot/chart/chart.h"

#define LABELS_MAX 64

struct labels {
    struct chart *chart;
    struct box taken[LABELS_MAX];
    size_t count;
};

// Writes a text near a place, in the units of the data: in the direction `away` (y up, any length)
// if there is space, else beside it. Nothing if there is none, or if the text would leave the area.
void labels_put(struct labels *labels, struct point at, struct point away, const char *text,
                const struct text_style *font);
// The same at the place itself.
void labels_put_at(struct labels *labels, struct point at, const char *text,
                   const struct text_style *font);

#endif
