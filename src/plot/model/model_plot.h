// What pictures of a model share: names, evaluation, tilings.
#ifndef TLU_PLOT_MODEL_MODEL_PLOT_H
#define TLU_PLOT_MODEL_MODEL_PLOT_H

#include "plot/plot.h"

// The label of a class, shortened for a sentence.
const char *class_name(const tlu_model *model, size_t class_index, char out[NAME_SIZE]);
// "alma on iris.csv": the learner and the training data.
const char *model_name(const tlu_model *model, char out[NAME_SIZE]);

// Evaluates the model on the data with these metrics, "roc-auc,accuracy": fills plot->evaluation.
tlu_status plot_evaluate(struct plot *plot, const char *metrics, bool curves, tlu_error *error);
// The value of a metric, which becomes a figure of the picture; NaN: undefined, no figure.
double plot_metric(struct plot *plot, const char *metric);

// TLU_ERROR_INPUT, with the reason and a remedy, if the model has no weights of features.
tlu_status need_weights(const tlu_model *model, tlu_error *error);

// Classes or units in the order of their importance: sorts the largest first.
struct rank_entry {
    size_t index;
    double size;
};
void rank_sort(struct rank_entry *all, size_t count);

// Tiles in a box: the number of columns that makes tiles of this aspect ratio (width over height)
// largest.
struct tiling {
    struct box box;
    size_t columns, rows;
};
struct tiling tiling_in(const struct box *box, size_t count, double shape);
struct box tile_box(const struct tiling *tiling, size_t index);

#endif
