// Scaling: x' = (x - shift) * factor for each feature, fitted in training and stored in the model.
//
// maxabs divides by the largest absolute value. standard divides by the standard deviation and
// subtracts the mean first, but for columns that are zero in more than three rows out of four:
// those keep their zeros, so that sparse data stays sparse. The values of categorical columns are 0
// and 1 already and stay as they are.
//
// auto decides whether the data has columns of numbers, as a table has, or words and categories, as
// a text has. A feature is numeric if its non-zero entries differ; a numeric feature is a column if
// it is non-zero in at least half of the rows. If three quarters of all numeric entries are in
// columns, or the widest range of a column is at least a thousand times the narrowest, columns are
// standardised and other numeric features are divided by their root mean square, which keeps zeros.
// Everything else stays unchanged.
#ifndef TLU_DATA_SCALE_H
#define TLU_DATA_SCALE_H

#include "data/schema.h"

struct scaling {
    int kind; // SCALE_...
    size_t features;
    double *factor; // [features]; NULL for SCALE_NONE
    double *shift;  // [features]; NULL for SCALE_NONE
    uint32_t
        *shifted; // [shifted_count] features with a shift, ascending; every scaled row has them
    size_t shifted_count;
};

#define RANGE_RATIO 1000 // of the ranges of two columns, from which on auto scales

// The entries of a feature that are not zero.
struct value_range {
    float low, high;
    uint32_t count;
};
// Extends the ranges by the first `most` rows that have a label; returns the number of these rows.
uint64_t ranges_find(struct value_range *ranges, struct batch *const *batches, size_t batch_count,
                     uint64_t most);
double range_width(const struct value_range *range, uint64_t rows); // includes zeros

// Ignores held-out rows (batch.h).
tlu_status scaling_fit(struct scaling *scaling, int kind, const struct schema *schema,
                       struct batch *const *batches, size_t batch_count, tlu_error *error);
// Whether `auto` scales, given the first `most` rows.
tlu_status scaling_wanted(const struct schema *schema, struct batch *const *batches,
                          size_t batch_count, uint64_t most, bool *wanted, tlu_error *error);
// Fills shifted[] from shift[]; false: out of memory.
bool scaling_index(struct scaling *scaling);
// Replaces the values of a batch by the scaled ones.
tlu_status scaling_apply(const struct scaling *scaling, struct batch *batch, tlu_error *error);
void scaling_free(struct scaling *scaling);

#endif
