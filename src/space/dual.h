// The dual form (Kun notes): one coefficient alpha per training row and class, w = sum alpha x, so
// that only dot products between rows are needed and a kernel can take their place.
//
// The coefficients are kept in learner->space.weights, whose "features" here are the rows: an
// update of row i is one of the unit vector e_i, and the average, the pocket and the scales work
// unchanged. Only the scores are computed in another way.
//
// The score of every row, S_i = sum_s alpha_s K(x_s, x_i), is kept up to date. The rows come in
// blocks in the order of the pass. At the start of a block its rows get the updates that this pass
// has made so far; an update inside a block goes to all rows of the block; and at the end of the
// pass every row gets the updates that were made after its block. So a pass computes one row of
// kernel values for each row that was updated in it, however many there were before.
#ifndef TLU_SPACE_DUAL_H
#define TLU_SPACE_DUAL_H

#include "data/batch.h"
#include "space/kernel.h"

#define DUAL_BLOCK 128

struct dual;

// Rows of the batches are numbered by first_row + i, from 0 without gaps.
tlu_status dual_new(struct dual **dual, const struct kernel *kernel, struct batch *const *batches,
                    size_t batch_count, uint32_t columns, size_t threads, tlu_error *error);
void dual_free(struct dual *dual);

void dual_pass_begin(struct dual *dual);
// The next block of rows, at most DUAL_BLOCK.
tlu_status dual_block(struct dual *dual, const uint64_t *ids, size_t count, tlu_error *error);
tlu_status dual_pass_end(struct dual *dual, tlu_error *error); // once more does nothing

// S of a row of the current block, without bias: [columns].
const double *dual_scores(const struct dual *dual, uint64_t id);
const double *dual_all_scores(const struct dual *dual); // [rows][columns], after a pass
double dual_norm(const struct dual *dual, uint64_t id); // K(x, x)
// alpha[id][column] += amount; the row is of the current block.
void dual_update(struct dual *dual, uint64_t id, uint32_t column, double amount);
// alpha[...][column] *= factor.
void dual_rescale(struct dual *dual, uint32_t column, double factor);
// What it has cost so far, in panels of kernel values; what each row that a pass updates costs;
// and how many rows the current pass has updated.
double dual_work(const struct dual *dual);
double dual_support_work(const struct dual *dual);
size_t dual_supports(const struct dual *dual);
bool dual_failed(const struct dual *dual); // out of memory in an update

// ---- dual_state.c ----

// The state between two blocks, or before the first of a pass, or after its end (no blocks).
struct dual_state {
    uint64_t rows;
    uint32_t columns;
    double *scores;       // [rows][columns] S
    uint64_t *block_ends; // [block_count] of this pass: changes made up to there
    size_t block_count;
    struct dual_step {
        uint32_t row, column;
        double amount;
    } * changes; // [change_count] of this pass
    size_t change_count;
    double *delta; // [support_count][columns] the same, summed up by row
    size_t support_count;
};

// False: out of memory.
bool dual_take(const struct dual *dual, struct dual_state *state);
// Of the same rows, `taken` of which, those with these numbers, the pass has taken.
tlu_status dual_load(struct dual *dual, const struct dual_state *state, const uint64_t *ids,
                     size_t taken, tlu_error *error);
void dual_state_free(struct dual_state *state);

#endif
