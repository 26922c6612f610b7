// What pictures of a model share: names, title and caption, evaluation, tilings.
#ifndef TLU_PLOT_ANSWERS_ANSWERS_H
#define TLU_PLOT_ANSWERS_ANSWERS_H

#include "plot/chart/chart.h"
#include "plot/plot.h"
#include "plot/text.h"

// The label of a class for a sentence: shortened and cleaned.
#define NAME_SIZE 120
const char *class_name(const tlu_model *model, size_t class_index, char out[NAME_SIZE]);
// The file of the rows, without its folders.
const char *file_name(const struct plot *plot, char out[NAME_SIZE]);

// "alma on iris.csv": the learner and the training data.
const char *model_name(const tlu_model *model, char out[NAME_SIZE]);

// Title and caption, shown by the chart and stored in the file.
struct description {
    char title[200];
    char caption[1000];
};
void description_title(struct description *description, const struct plot *plot, const char *form,
                       ...) __attribute__((format(printf, 3, 4)));
// Appends to the caption.
#define description_add(description, ...)                                                          \
    text_add((description)->caption, sizeof(description)->caption, __VA_ARGS__)
tlu_status description_set(const struct description *description, struct plot *plot,
                           tlu_error *error);

// Evaluates the model on the data with these metrics, "roc-auc,accuracy".
tlu_status plot_evaluate(const struct plot *plot, const char *metrics, bool curves,
                         tlu_evaluation **evaluation, tlu_error *error);
// The value of a metric, which becomes a figure of the picture; NaN: undefined, no figure.
tlu_status plot_metric(struct plot *plot, const tlu_evaluation *evaluation, const char *metric,
                       double *value, tlu_error *error);

// TLU_ERROR_INPUT, with the reason and a remedy, if the model has no weights of features.
tlu_status need_weights(const tlu_model *model, tlu_error *error);

// Tiles in a box: the number of columns that makes tiles of this aspect ratio (width over height)
// largest.
struct tiling {
    struct box box;
    size_t columns, rows;
};
struct tiling tiling_in(const struct box *box, size_t count, double shape);
struct box tile_box(const struct tiling *tiling, size_t index);

#endif
