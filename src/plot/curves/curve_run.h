// How a learner does, pass by pass: what `tlu train --epochs 1`, 2, 3, ... gives.
#ifndef TLU_PLOT_CURVES_CURVE_RUN_H
#define TLU_PLOT_CURVES_CURVE_RUN_H

#include "input/reader.h"
#include "plot/picture.h"
#include "tlu_plot.h"

// Where the rows come from, and how many of them are held out.
struct curve_data {
    const char *path;
    struct row_source whole;
    unsigned char *bytes;     // of what can be read only once; else NULL
    uint32_t held_out, parts; // so many of so many parts; none of 1 if no rows are
    tlu_progress_function progress;
    void *progress_context;
    tlu_picture *picture; // gets what the trainings have to say; NULL: it is dropped
};

// `share` of the rows is held out, or as near to it as a fraction of up to 20 parts comes.
tlu_status curve_data_open(struct curve_data *data, double share, tlu_error *error);
void curve_data_close(struct curve_data *data);

struct curve_run {
    char *name;           // the learner and its options
    char *words;          // the same for people
    tlu_options *options; // all of them, but for the passes
    uint64_t passes;      // wanted
    bool whole;           // the learner looks at all rows at once: passes change nothing
    // What was found.
    uint64_t rows, rows_held_out; // learned from, held out
    size_t count;                 // of the passes looked at
    uint64_t *pass;               // [count] rising, the last of them `passes`
    double *learned, *held_out;   // [count] accuracies after them; not a number: no rows
    uint64_t made;                // passes until it ended by itself, or all
    double *mistakes;             // [made]
};

tlu_status curve_run_train(struct curve_run *run, const struct curve_data *data, tlu_error *error);
void curve_run_free(struct curve_run *run);

#endif
