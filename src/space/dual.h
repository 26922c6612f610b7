// The dual form (Kun notes): one coefficient alpha per training row and column, w = sum alpha x.
// Only dot products between rows are needed, so a kernel can replace them.
//
// The coefficients are in learner->state.weights, whose "features" are then the rows: an update
// with row i is an update with the unit vector e_i. So the average, the pocket and the scales work
// unchanged. Only the scores are computed differently.
//
// The score of every row, S_i = sum_s alpha_s K(x_s, x_i), is stored and kept up to date. A pass
// processes the rows in blocks. At the start of a block, the updates of this pass so far are
// applied to the scores of its rows. An update inside a block is applied to the rows of the block.
// At the end of the pass, every row gets the updates that were made after its block. So a pass
// computes kernel values only for the rows that it updates, however many were updated before.
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
// Begins the next block of at most DUAL_BLOCK rows.
tlu_status dual_block(struct dual *dual, const uint64_t *ids, size_t count, tlu_error *error);
tlu_status dual_pass_end(struct dual *dual, tlu_error *error); // a second call has no effect

// S of a row of the current block, without bias: [columns].
const double *dual_scores(const struct dual *dual, uint64_t id);
const double *dual_all_scores(const struct dual *dual); // [rows][columns], after a pass
double dual_norm(const struct dual *dual, uint64_t id); // K(x, x)
// alpha[id][column] += amount, for a row of the current block.
void dual_update(struct dual *dual, uint64_t id, uint32_t column, double amount);
// alpha[...][column] *= factor.
void dual_rescale(struct dual *dual, uint32_t column, double factor);
// The work so far, in panels of kernel values.
double dual_work(const struct dual *dual);
// The work for each row that a pass updates.
double dual_support_work(const struct dual *dual);
// The number of rows that the current pass has updated.
size_t dual_supports(const struct dual *dual);
bool dual_failed(const struct dual *dual); // out of memory in an update

// ---- dual_state.c ----

// The state between two blocks, or before the first of a pass, or after its end (no blocks).
struct dual_state {
    uint64_t rows;
    uint32_t columns;
    double *scores;       // [rows][columns] S
    uint64_t *block_ends; // [block_count] of this pass: number of changes up to its end
    size_t block_count;
    struct dual_step {
        uint32_t row, column;
        double amount;
    } * changes; // [change_count] of this pass
    size_t change_count;
    double *delta; // [support_count][columns] the changes, summed by row
    size_t support_count;
};

// Copies the state. False: out of memory.
bool dual_take(const struct dual *dual, struct dual_state *state);
// Restores the state, for the same rows. The pass has already processed rows ids[0] to ids[taken -
// 1].
tlu_status dual_load(struct dual *dual, const struct dual_state *state, const uint64_t *ids,
                     size_t taken, tlu_error *error);
void dual_state_free(struct dual_state *state);

#endif
