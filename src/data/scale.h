// Scaling: x' = (x - shift) * factor for each feature, fitted in training and stored in the model.
//
// maxabs divides by the largest absolute value. standard divides by the standard deviation and
// subtracts the mean first, but for columns that are zero in more than three rows out of four:
// those keep their zeros, so that sparse data stays sparse. The values of categorical columns are 0
// and 1 already and stay as they are.
//
// auto looks whether there are columns of numbers, as in a table, or words and categories, as in a
// text. A feature is a number if its entries that are not zero differ; a column is a number that
// is not zero in half of the rows or more. If three quarters of all entries of numbers are in
// columns, or the widest column's range is a thousand times the narrowest one's, columns are
// standardised and other numbers divided by the root of their mean square, so that zeros stay; all
// else, and all of data that is not like this, stays as it is.
#ifndef TLU_DATA_SCALE_H
#define TLU_DATA_SCALE_H

#include "data/schema.h"

struct scaling {
    int kind; // SCALE_...
    size_t features;
    double *factor;    // [features]; NULL for SCALE_NONE
    double *shift;     // [features]; NULL for SCALE_NONE
    uint32_t *shifted; // [shifted_count] features with a shift, ascending: no row is without them
    size_t shifted_count;
};

#define RANGE_RATIO 1000 // of two columns' ranges that is too much

// The entries of a feature that are not zero.
struct range {
    float low, high;
    uint32_t count;
};
// Adds the first `most` rows, but for those without a label; how many there were.
uint64_t ranges_find(struct range *ranges, struct batch *const *batches, size_t batch_count,
                     uint64_t most);
double range_width(const struct range *range, uint64_t rows); // zeros counted

// Held-out rows (batch.h) take no part.
tlu_status scaling_fit(struct scaling *scaling, int kind, const struct schema *schema,
                       struct batch *const *batches, size_t batch_count, tlu_error *error);
// Whether `auto` scales: judged by the first `most` rows.
tlu_status scaling_wanted(const struct schema *schema, struct batch *const *batches,
                          size_t batch_count, uint64_t most, bool *wanted, tlu_error *error);
// Fills shifted[] from shift[]; false: out of memory.
bool scaling_index(struct scaling *scaling);
// Replaces the values of a batch by the scaled ones.
tlu_status scaling_apply(const struct scaling *scaling, struct batch *batch, tlu_error *error);
void scaling_free(struct scaling *scaling);

#endif
