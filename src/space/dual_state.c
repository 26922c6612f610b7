#include "base/memory.h"
#include "space/dual_internal.h"

#include <string.h>

void dual_state_free(struct dual_state *state)
{
    memory_free(state->scores);
    memory_free(state->block_ends);
    memory_free(state->changes);
    memory_free(state->delta);
    *state = (struct dual_state){0};
}

bool dual_take(const struct dual *dual, struct dual_state *state)
{
    const struct dual_pass *pass = &dual->pass;
    size_t supports = pass->block_count ? pass->support_count : 0; // 0: the pass has ended
    size_t cells = dual->rows * dual->columns, sums = supports * dual->columns;
    *state = (struct dual_state){.rows = dual->rows,
                                 .columns = dual->columns,
                                 .block_count = pass->block_count,
                                 .change_count = pass->change_count,
                                 .support_count = supports};
    state->scores = memory_new(cells, sizeof *state->scores);
    state->block_ends = memory_new(pass->block_count, sizeof *state->block_ends);
    state->changes = memory_new(pass->change_count, sizeof *state->changes);
    state->delta = memory_new(sums, sizeof *state->delta);
    if (!state->scores || !state->block_ends || !state->changes || !state->delta) {
        dual_state_free(state);
        return false;
    }
    memcpy(state->scores, dual->scores, cells * sizeof *state->scores);
    for (size_t b = 0; b < pass->block_count; b++)
        state->block_ends[b] =
            b + 1 < pass->block_count ? pass->blocks[b].changes_after : pass->change_count;
    for (size_t i = 0; i < pass->change_count; i++)
        state->changes[i] = (struct dual_step){pass->supports[pass->changes[i].support],
                                               pass->changes[i].column, pass->changes[i].amount};
    if (sums)
        memcpy(state->delta, pass->delta, sums * sizeof *state->delta);
    return true;
}

// Checks a state from a file, which may be corrupt.
static bool fits(const struct dual *dual, const struct dual_state *state, size_t taken)
{
    uint64_t before = 0;
    if (state->rows != dual->rows || state->columns != dual->columns ||
        (state->block_count && state->block_count != (taken + DUAL_BLOCK - 1) / DUAL_BLOCK))
        return false;
    for (size_t b = 0; b < state->block_count; before = state->block_ends[b++])
        if (state->block_ends[b] < before || state->block_ends[b] > state->change_count)
            return false;
    for (size_t i = 0; i < state->change_count; i++)
        if (state->changes[i].row >= dual->rows || state->changes[i].column >= dual->columns)
            return false;
    return before == state->change_count;
}

// Restores the blocks and changes of the pass, but not the sums of the changes.
static bool load_pass(struct dual *dual, const struct dual_state *state, const uint64_t *ids,
                      size_t taken)
{
    size_t change = 0;
    dual_pass_begin(dual);
    for (size_t b = 0; b < state->block_count; b++) {
        size_t first = b * DUAL_BLOCK, left = taken - first;
        if (!dual_add_block(dual, ids + first, left < DUAL_BLOCK ? left : DUAL_BLOCK))
            return false;
        for (; change < state->block_ends[b]; change++)
            if (!dual_add_change(dual, state->changes[change].row, state->changes[change].column,
                                 state->changes[change].amount))
                return false;
    }
    return true;
}

tlu_status dual_load(struct dual *dual, const struct dual_state *state, const uint64_t *ids,
                     size_t taken, tlu_error *error)
{
    if (fits(dual, state, taken)) {
        TRY(enough_memory(load_pass(dual, state, ids, taken), error));
        size_t sums = state->support_count * dual->columns;
        memcpy(dual->scores, state->scores, dual->rows * dual->columns * sizeof *dual->scores);
        if (dual->pass.support_count == state->support_count) {
            if (sums) // dual_rescale rounds the sums, not each change
                memcpy(dual->pass.delta, state->delta, sums * sizeof *state->delta);
            return TLU_OK;
        }
    }
    return error_input(error, "the model is damaged: the scores of its run are not of this data");
}
