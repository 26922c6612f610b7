// Scaling: x' = (x - shift) * factor for each feature, fitted in training and stored in the model.
//
// maxabs divides by the largest absolute value. standard divides by the standard deviation and
// subtracts the mean first, but for columns that are zero in more than three rows out of four:
// those keep their zeros, so that sparse data stays sparse. The values of categorical columns are 0
// and 1 already and stay as they are.
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

// Rows without a label (TLU_NO_LABEL), those held out, take no part.
tlu_status scaling_fit(struct scaling *scaling, int kind, const struct schema *schema,
                       struct batch *const *batches, size_t batch_count, tlu_error *error);
// Fills shifted[] from shift[]; false where memory is out.
bool scaling_index(struct scaling *scaling);
// Replaces the values of a batch by the scaled ones.
tlu_status scaling_apply(const struct scaling *scaling, struct batch *batch, tlu_error *error);
void scaling_free(struct scaling *scaling);

#endif
