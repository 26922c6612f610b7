// What tells the data of a run from other data: the number of rows and entries, and a sum over
// labels, weights and entries.
#ifndef TLU_TRAIN_FINGERPRINT_H
#define TLU_TRAIN_FINGERPRINT_H

#include "data/batch.h"
#include "data/schema.h"

struct fingerprint {
    uint64_t rows, nonzeros, sum;
};

// Adds the first `count` rows of a batch, which follow those before. Of the rows of the data,
// number 0, every, 2 every... are in the sum.
void fingerprint_add(struct fingerprint *print, const struct batch *batch, size_t count,
                     uint64_t every);
// Adds the labels of the first classes and the first names of features.
void fingerprint_add_texts(struct fingerprint *print, const struct schema *schema, uint32_t classes,
                           uint32_t names);
// In place of rows that are not in memory: how many there are of each class, and how many names.
void fingerprint_add_counts(struct fingerprint *print, const uint64_t *class_rows, uint32_t classes,
                            uint32_t names);

#endif
