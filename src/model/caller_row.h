// Checks rows that a caller passes to the library before they index arrays of the model. Rows from
// our own readers are valid and are not checked here.
#ifndef TLU_MODEL_CALLER_ROW_H
#define TLU_MODEL_CALLER_ROW_H

#include "base/error.h"

#include <stdint.h>

// A checked row: the entries of the caller's row whose features are below a limit, in its order.
struct caller_row {
    tlu_row row;
    uint32_t *features; // owned, used by `row`; NULL: `row` uses the caller's array
    float *values;      // likewise
};

// TLU_ERROR_INPUT if a feature occurs twice or a value is not finite, also for features that the
// model does not know. The caller calls caller_row_free even after an error.
tlu_status caller_row_take(struct caller_row *row, const tlu_row *given, size_t features,
                           tlu_error *error);
void caller_row_free(struct caller_row *row);

// A checked batch: as above, row by row. Its labels are not checked.
struct caller_batch {
    tlu_batch batch;
    uint32_t *offsets, *features; // owned, used by `batch`; NULL: it uses the caller's array
    float *values;                // likewise
};

// An error message names the row, counted from 1.
tlu_status caller_batch_take(struct caller_batch *batch, const tlu_batch *given, size_t features,
                             tlu_error *error);
void caller_batch_free(struct caller_batch *batch);

#endif
