// The kinds of pictures. plot.c makes an empty picture; the function of the kind draws its pages
// and describes it.
#ifndef TLU_PLOT_PLOT_H
#define TLU_PLOT_PLOT_H

#include "plot/picture.h"

struct plot {
    tlu_picture *picture;
    const tlu_options *options; // never NULL
    const char *title;          // the caller's; NULL: the kind has its own
    const char *path;           // of the data or the log; NULL: the kind reads none
    const tlu_model *model;     // NULL: none is given
    tlu_progress_function progress;
    void *progress_context;
};

// `settings` are those of the kind: the public struct, or what the comment says.
typedef tlu_status plot_function(struct plot *plot, const void *settings, tlu_error *error);

plot_function plot_data;           // tlu_plot_data_settings
plot_function plot_run;            // tlu_plot_run_settings
plot_function plot_bounds;         // none
plot_function plot_truth;          // tlu_plot_truth_settings
plot_function plot_learning_curve; // tlu_plot_learning_curve_settings
plot_function plot_progress;       // none
plot_function plot_roc;            // none
plot_function plot_pr;             // none
plot_function plot_confusion;      // none
plot_function plot_calibration;    // none
plot_function plot_weights;        // size_t, the number of features
plot_function plot_weight_image;   // size_t[2], width and height

#endif
