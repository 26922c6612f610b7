// A minibatch: some rows that are learned from together, by rows and by inputs.
#ifndef TLU_MLP_MINIBATCH_H
#define TLU_MLP_MINIBATCH_H

#include "mlp/simd.h"
#include "tlu.h"

#include <stdbool.h>

// From this share of entries on rows are dense; below it, sums over the entries that are there take
// less time.
#define MINIBATCH_DENSE 0.5

struct entries {
    uint32_t *index;
    float *value;
    size_t capacity;
};

struct minibatch {
    size_t rows, capacity;
    size_t inputs;         // of the net
    uint32_t *classes;     // [rows]
    float *weights;        // [rows] how much a row counts
    size_t *offsets;       // [rows + 1]
    struct entries by_row; // index: the input
    // The inputs that some row has, and the rows of each, ascending: see minibatch_close.
    uint32_t *met; // [met_count] inputs, in the order in which they are met
    size_t met_count, met_capacity;
    size_t *met_offsets;     // [met_count + 1]
    struct entries by_input; // index: the row
    uint32_t *slot;          // [inputs] its place among `met`, from 1; 0: no row has it
    bool is_dense;           // most entries are there; then, in the place of by_input:
    float *dense;            // [rows][inputs] all of them, zeros too
    size_t dense_capacity;
};

// Of inputs `inputs`. Whatever comes of it, minibatch_free frees it. False: out of memory.
bool minibatch_init(struct minibatch *batch, size_t inputs, size_t rows);
void minibatch_free(struct minibatch *batch);
void minibatch_clear(struct minibatch *batch);
// A row of a class, with the input that place[feature] - 1 says, or none if that is 0; place NULL:
// features are inputs. False: out of memory.
bool minibatch_add(struct minibatch *batch, const tlu_row *row, const uint32_t *place,
                   uint32_t class_index, float weight);
// When all rows are there, before it is learned from: fills the second half. False: out of memory.
bool minibatch_close(struct minibatch *batch);

#endif
