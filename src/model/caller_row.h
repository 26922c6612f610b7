// Rows that a caller of the library gives, checked before arrays of the model are indexed by them.
// Rows of our own readers are valid and do not come here.
#ifndef TLU_MODEL_CALLER_ROW_H
#define TLU_MODEL_CALLER_ROW_H

#include "base/error.h"

#include <stdint.h>

// A checked row: the entries of the caller's row whose features are below a limit, in its order.
struct caller_row {
    tlu_row row;
    uint32_t *features; // memory of `row`; NULL: it points to the caller's arrays
    float *values;      // likewise
};

// TLU_ERROR_INPUT if a feature occurs twice or a value is not finite, known features or not. Free
// it with caller_row_free in any case.
tlu_status caller_row_take(struct caller_row *row, const tlu_row *given, size_t features,
                           tlu_error *error);
void caller_row_free(struct caller_row *row);

// A checked batch: as above, row by row. Its labels are not looked at.
struct caller_batch {
    tlu_batch batch;
    uint32_t *offsets, *features; // memory of `batch`; NULL: it points to the caller's arrays
    float *values;                // likewise
};

// An error names the row, from 1.
tlu_status caller_batch_take(struct caller_batch *batch, const tlu_batch *given, size_t features,
                             tlu_error *error);
void caller_batch_free(struct caller_batch *batch);

#endif
