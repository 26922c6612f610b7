// Of an interrupted run: the updates so far (PAST; --decide vote, random), and the state of the
// dual form (DUAL; --kernel). What the data and the options say about them is checked when the run
// goes on (train/checkpoint/resume.c).
#include "base/memory.h"
#include "model/file/sections.h"

// The run that they are of, which comes before them.
static struct checkpoint *unpack_checkpoint(struct unpack *in)
{
    if (!in->model->checkpoint)
        unpack_damaged(in, "it is of a run that is not there");
    return in->model->checkpoint;
}

static uint32_t unpack_small(struct unpack *in, const char *what)
{
    uint64_t number = unpack_count(in);
    if (number > UINT32_MAX)
        unpack_damaged(in, "%s is past what there can be", what);
    return (uint32_t)number;
}

// ---- PAST ----

void put_past(struct out *out, const tlu_model *model)
{
    const struct history *history = model->checkpoint ? model->checkpoint->learner.history : NULL;
    uint64_t time = 0;
    if (!history)
        return;
    put_count(out, model->checkpoint->run.best_updates);
    put_count(out, history->count);
    for (size_t n = 0; n < history->count; n++) {
        const struct history_step *step = &history->steps[n];
        put_count(out, step->id);
        put_count(out, step->time - time);
        put_double(out, step->amount);
        put_double(out, step->factor);
        put_count(out, step->group);
        for (int p = 0; p < 2; p++) {
            put_count(out, step->column[p]);
            put_fixed(out, (uint64_t)(step->sign[p] + 1), 1);
        }
        time = step->time;
    }
    if (model_keeps_gains(model)) {
        put_count(out, history->gain_count);
        put_numbers(out, history->gains, history->gain_count);
    }
}

#define STEP_MIN 23 // bytes

static void get_step(struct unpack *in, struct history_step *step, uint64_t time)
{
    step->id = unpack_count(in);
    step->time = time + unpack_count(in);
    step->amount = unpack_number(in, CODE_DOUBLE);
    step->factor = unpack_number(in, CODE_DOUBLE);
    step->group = unpack_small(in, "a group");
    for (int p = 0; p < 2; p++) {
        step->column[p] = unpack_small(in, "a column");
        step->sign[p] = (int8_t)((int)unpack_choice(in, 2, "a sign") - 1);
    }
    if (step->time < time)
        unpack_damaged(in, "a time overflows");
}

static void get_gains(struct unpack *in, struct history *history)
{
    uint64_t count = unpack_count(in);
    if (unpack_failed(in) || !unpack_numbers_fit(in, count))
        return;
    history->gains = unpack_new_numbers(in, (size_t)count);
    history->gain_count = history->gain_capacity = unpack_failed(in) ? 0 : (size_t)count;
}

void unpack_past(struct unpack *in)
{
    struct checkpoint *checkpoint = unpack_checkpoint(in);
    if (!checkpoint)
        return;
    struct history *history = checkpoint->learner.history =
        unpack_checked(in, memory_new(1, sizeof *history));
    uint64_t best = unpack_count(in), time = 0;
    size_t count = (size_t)unpack_length(in, STEP_MIN, "steps");
    if (unpack_failed(in))
        return;
    if (best > count)
        unpack_damaged(in, "the best pass is past the last step");
    checkpoint->run.best_updates = (size_t)best;
    history->steps = unpack_checked(in, memory_new(count, sizeof *history->steps));
    history->count = history->capacity = unpack_failed(in) ? 0 : count;
    for (size_t n = 0; n < count && !unpack_failed(in); time = history->steps[n++].time)
        get_step(in, &history->steps[n], time);
    if (model_keeps_gains(in->model))
        get_gains(in, history);
}

// ---- DUAL ----

void put_dual(struct out *out, const tlu_model *model)
{
    const struct dual_state *dual = model->checkpoint ? model->checkpoint->learner.dual : NULL;
    uint64_t before = 0;
    if (!dual)
        return;
    put_count(out, dual->rows);
    put_count(out, dual->columns);
    put_numbers(out, dual->scores, (size_t)dual->rows * dual->columns);
    put_count(out, dual->block_count);
    for (size_t b = 0; b < dual->block_count; before = dual->block_ends[b++])
        put_count(out, dual->block_ends[b] - before);
    put_count(out, dual->change_count);
    for (size_t i = 0; i < dual->change_count; i++) {
        put_count(out, dual->changes[i].row);
        put_count(out, dual->changes[i].column);
        put_double(out, dual->changes[i].amount);
    }
    put_count(out, dual->support_count);
    put_numbers(out, dual->delta, dual->support_count * dual->columns);
}

#define CHANGE_MIN 10 // bytes

static void get_scores(struct unpack *in, struct dual_state *dual)
{
    dual->rows = unpack_count(in);
    dual->columns = unpack_small(in, "the columns");
    if (dual->columns == 0 || dual->rows > UINT32_MAX)
        unpack_damaged(in, "there are scores of nothing");
    else if (unpack_numbers_fit(in, dual->rows * dual->columns))
        dual->scores = unpack_new_numbers(in, (size_t)dual->rows * dual->columns);
}

static void get_blocks(struct unpack *in, struct dual_state *dual)
{
    uint64_t end = 0;
    dual->block_count = (size_t)unpack_length(in, 1, "blocks");
    if (unpack_failed(in))
        return;
    dual->block_ends = unpack_checked(in, memory_new(dual->block_count, sizeof *dual->block_ends));
    for (size_t b = 0; b < dual->block_count && !unpack_failed(in); b++)
        dual->block_ends[b] = end += unpack_count(in);
}

static void get_changes(struct unpack *in, struct dual_state *dual)
{
    dual->change_count = (size_t)unpack_length(in, CHANGE_MIN, "changes");
    if (unpack_failed(in))
        return;
    dual->changes = unpack_checked(in, memory_new(dual->change_count, sizeof *dual->changes));
    for (size_t i = 0; i < dual->change_count && !unpack_failed(in); i++) {
        dual->changes[i].row = unpack_small(in, "a row");
        dual->changes[i].column = unpack_small(in, "a column");
        dual->changes[i].amount = unpack_number(in, CODE_DOUBLE);
    }
}

void unpack_dual(struct unpack *in)
{
    struct checkpoint *checkpoint = unpack_checkpoint(in);
    if (!checkpoint)
        return;
    struct dual_state *dual = checkpoint->learner.dual =
        unpack_checked(in, memory_new(1, sizeof *dual));
    if (unpack_failed(in))
        return;
    get_scores(in, dual);
    get_blocks(in, dual);
    get_changes(in, dual);
    uint64_t supports = unpack_count(in);
    if (unpack_failed(in) || supports > dual->rows ||
        !unpack_numbers_fit(in, supports * dual->columns)) {
        unpack_damaged(in, "there are more sums than rows");
        return;
    }
    dual->support_count = (size_t)supports;
    dual->delta = unpack_new_numbers(in, (size_t)supports * dual->columns);
}
