// --kernel: scores of rows of the run, from the coefficients of all rows.
#ifndef TLU_TRAIN_KERNEL_SCORES_H
#define TLU_TRAIN_KERNEL_SCORES_H

#include "train/rows.h"

struct training;

// Calls take(context, scores[columns], k) for each place k, in order. False: out of memory.
bool kernel_scores(struct training *training, const struct places *places,
                   void (*take)(void *context, const double *scores, size_t k), void *context);

#endif
