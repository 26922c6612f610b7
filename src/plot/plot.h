// What can be drawn: one table.
#ifndef TLU_PLOT_PLOT_H
#define TLU_PLOT_PLOT_H

#include "plot/picture.h"
#include "tlu_plot.h"

// A kind of picture: fills the pages of the picture, which is empty, and describes it.
struct plot {
    const tlu_plot_settings *settings; // complete: see plot.c
    const tlu_options *options;
    tlu_picture *picture;
};
typedef tlu_status plot_function(struct plot *plot, tlu_error *error);

// "data", as plot_data: NAME(name, needs) with PLOT_DATA, PLOT_MODEL.
enum { PLOT_DATA = 1, PLOT_MODEL = 2 };
#define PLOTS(ROW)                                                                                 \
    ROW(data, PLOT_DATA)                                                                           \
    ROW(run, PLOT_DATA)                                                                            \
    ROW(strip, PLOT_DATA)                                                                          \
    ROW(truth, 0)                                                                                  \
    ROW(curve, PLOT_DATA)                                                                          \
    ROW(progress, PLOT_DATA)                                                                       \
    ROW(roc, PLOT_DATA | PLOT_MODEL)                                                               \
    ROW(pr, PLOT_DATA | PLOT_MODEL)                                                                \
    ROW(confusion, PLOT_DATA | PLOT_MODEL)                                                         \
    ROW(calibration, PLOT_DATA | PLOT_MODEL)                                                       \
    ROW(weights, PLOT_MODEL)                                                                       \
    ROW(image, PLOT_MODEL)                                                                         \
    ROW(bounds, PLOT_DATA)

#define PLOT_ROW(name, needs) plot_function plot_##name;
PLOTS(PLOT_ROW)
#undef PLOT_ROW

#endif
