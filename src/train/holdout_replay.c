#include "train/holdout_replay.h"

#include "base/memory.h"
#include "learn/decision.h"
#include "space/panel.h"
#include "train/train.h"

#include <string.h>

void holdout_replay_free(struct holdout_replay *holdout_replay)
{
    memory_free(holdout_replay->now);
    memory_free(holdout_replay->votes);
    memory_free(holdout_replay->right);
    memory_free(holdout_replay->since);
}

// As many held-out rows side by side as the panel has lanes, from the first on.
struct bench {
    struct panel panel;
    tlu_row rows[PANEL_LANES];
    size_t first, count;
    double values[PANEL_LANES]; // of the kernel with a row of the run
    size_t gains;               // of the history, played for these rows
};

static tlu_row row_at(const struct rows *rows, struct place place)
{
    return batch_row(rows_batch(rows, place), place.row);
}

static void slot(struct bench *bench, const struct rows *rows, size_t first)
{
    const struct places *places = &rows->held_out.places;
    panel_clear(&bench->panel);
    bench->first = first;
    bench->count = 0;
    for (; bench->count < bench->panel.lanes && first + bench->count < places->count;
         bench->count++) {
        tlu_row *row = &bench->rows[bench->count];
        *row = row_at(rows, places->items[first + bench->count]);
        panel_add(&bench->panel, row, panel_norm(row));
    }
}

static void find_values(struct bench *bench, const struct training *t, uint64_t id)
{
    struct kernel linear = {KERNEL_LINEAR, 1, 0, 0};
    const struct kernel *kernel = &t->learner.space.kernel;
    tlu_row row = row_at(&t->rows, rows_find(&t->rows, id));
    panel_values(&bench->panel, kernel->kind ? kernel : &linear, &row, panel_norm(&row),
                 bench->values);
}

// Of [columns][rows], those of a row.
static void gather(const double *cells, size_t rows, size_t row, uint32_t columns, double *to)
{
    for (uint32_t c = 0; c < columns; c++)
        to[c] = cells[c * rows + row];
}

static bool is_right(const struct training *t, const double *scores, size_t k)
{
    return learner_elect(&t->learner, scores) == t->rows.held_out.labels[k];
}

// ---- vote and random ----

// The weights of a group have lasted up to the example at `time`.
static void cast_votes(struct training *t, struct bench *bench, uint32_t group, uint64_t time)
{
    struct holdout_replay *holdout_replay = &t->holdout_replay;
    size_t rows = t->rows.held_out.places.count;
    double lasted = (double)(time - holdout_replay->since[group]);
    for (size_t i = bench->first; lasted > 0 && i < bench->first + bench->count; i++) {
        size_t winner = group, columns = learner_columns(&t->learner);
        double vote = holdout_replay->now[group * rows + i] >= 0 ? lasted : -lasted;
        if (t->learner.scheme.kind == SCHEME_WTA) {
            winner = 0;
            vote = lasted;
            for (size_t c = 1; c < columns; c++)
                if (holdout_replay->now[c * rows + i] > holdout_replay->now[winner * rows + i])
                    winner = c;
        }
        holdout_replay->votes[winner * rows + i] += vote;
    }
}

// All weights have lasted up to the example at `time`.
static void count_right(struct training *t, struct bench *bench, uint64_t time)
{
    struct holdout_replay *holdout_replay = &t->holdout_replay;
    size_t rows = t->rows.held_out.places.count;
    double *scores = t->learner.space.scratch, lasted = (double)(time - holdout_replay->since[0]);
    for (size_t i = bench->first; lasted > 0 && i < bench->first + bench->count; i++) {
        gather(holdout_replay->now, rows, i, learner_columns(&t->learner), scores);
        holdout_replay->right[i] += is_right(t, scores, i) ? lasted : 0;
    }
}

static void shrink(struct training *t, struct bench *bench, const struct history_step *step)
{
    size_t rows = t->rows.held_out.places.count;
    bool all = t->learner.scheme.kind == SCHEME_WTA;
    size_t first = all ? 0 : step->group;
    size_t last = all ? learner_columns(&t->learner) : (size_t)step->group + 1;
    for (size_t c = first; step->factor != 1 && c < last; c++)
        for (size_t i = bench->first; i < bench->first + bench->count; i++)
            t->holdout_replay.now[c * rows + i] *= step->factor;
}

static void play(struct training *t, struct bench *bench, const struct history_step *step)
{
    size_t rows = t->rows.held_out.places.count;
    double bias = t->learner.rule.bias;
    for (int p = 0; p < 2; p++) {
        double amount = step->amount * step->sign[p];
        double *now = t->holdout_replay.now + step->column[p] * rows + bench->first;
        if (amount == 0)
            continue;
        for (size_t i = 0; i < bench->count; i++)
            now[i] += amount * (bench->values[i] + bias);
    }
}

static void play_gains(struct training *t, struct bench *bench, const struct history_step *step)
{
    const struct history *history = t->learner.decision.history;
    size_t rows = t->rows.held_out.places.count;
    tlu_row row = row_at(&t->rows, rows_find(&t->rows, step->id));
    for (int p = 0; p < 2; p++)
        if (step->sign[p])
            bench->gains +=
                panel_gain(&bench->panel, &row, t->learner.rule.bias, step->sign[p],
                           history->gains + bench->gains,
                           t->holdout_replay.now + step->column[p] * rows + bench->first);
}

// The steps that have come since. `since` is the same for all rows, and so goes forward with the
// last of them.
static void play_new(struct training *t, struct bench *bench, const uint64_t *since)
{
    struct holdout_replay *holdout_replay = &t->holdout_replay;
    const struct history *history = t->learner.decision.history;
    bool votes = t->learner.decision.kind == DECIDE_VOTE;
    uint64_t known = UINT64_MAX;
    bench->gains = holdout_replay->gains;
    memcpy(holdout_replay->since, since, learner_columns(&t->learner) * sizeof *since);
    for (size_t n = holdout_replay->steps; n < history->count; n++) {
        const struct history_step *step = &history->steps[n];
        uint32_t group = votes ? step->group : 0;
        if (votes)
            cast_votes(t, bench, group, step->time);
        else
            count_right(t, bench, step->time);
        holdout_replay->since[group] = step->time;
        shrink(t, bench, step);
        if (history->gain_count) {
            play_gains(t, bench, step);
            continue;
        }
        if (step->id != known)
            find_values(bench, t, known = step->id);
        play(t, bench, step);
    }
}

// The weights of now, which may last longer still, have their say on top.
static double share_right(struct training *t, struct bench *bench)
{
    struct holdout_replay *holdout_replay = &t->holdout_replay;
    size_t rows = t->rows.held_out.places.count;
    uint32_t columns = learner_columns(&t->learner);
    double end = t->learner.space.weights.steps + 1, right = 0, *scores = t->learner.space.scratch;
    bool votes = t->learner.decision.kind == DECIDE_VOTE;
    bench->first = 0;
    bench->count = rows;
    double *before = votes ? holdout_replay->votes : holdout_replay->right;
    size_t cells = votes ? columns * rows : rows;
    double *kept = memory_new(cells, sizeof *kept);
    if (!kept)
        return -1;
    memcpy(kept, before, cells * sizeof *kept);
    for (uint32_t g = 0;
         votes && g < scheme_groups(t->learner.scheme.kind, t->learner.scheme.classes); g++)
        cast_votes(t, bench, g, (uint64_t)end);
    if (!votes)
        count_right(t, bench, (uint64_t)end);
    for (size_t i = 0; i < rows; i++) {
        gather(holdout_replay->votes, rows, i, columns, scores);
        right += votes ? holdout_metric_row(t, scores, i) : holdout_replay->right[i] / (end - 1);
    }
    memcpy(before, kept, cells * sizeof *kept);
    memory_free(kept);
    return right / (double)rows;
}

static bool make_room(struct training *t)
{
    struct holdout_replay *holdout_replay = &t->holdout_replay;
    size_t rows = t->rows.held_out.places.count, columns = learner_columns(&t->learner);
    if (holdout_replay->now)
        return true;
    holdout_replay->now = memory_new(columns * rows, sizeof *holdout_replay->now);
    holdout_replay->votes = memory_new(columns * rows, sizeof *holdout_replay->votes);
    holdout_replay->right = memory_new(rows, sizeof *holdout_replay->right);
    holdout_replay->since = memory_new(columns, sizeof *holdout_replay->since);
    for (size_t c = 0; holdout_replay->since && c < columns; c++)
        holdout_replay->since[c] = 1;
    return holdout_replay->now && holdout_replay->votes && holdout_replay->right &&
           holdout_replay->since;
}

static bool play_history(struct training *t, struct bench *bench)
{
    struct holdout_replay *holdout_replay = &t->holdout_replay;
    size_t columns = learner_columns(&t->learner);
    uint64_t *since = memory_new(columns, sizeof *since);
    if (!since)
        return false;
    memcpy(since, holdout_replay->since, columns * sizeof *since);
    for (size_t i = 0; i < t->rows.held_out.places.count; i += bench->panel.lanes) {
        slot(bench, &t->rows, i);
        play_new(t, bench, since);
    }
    memory_free(since);
    holdout_replay->steps = t->learner.decision.history->count;
    holdout_replay->gains = bench->gains;
    return true;
}

tlu_status holdout_replay_of_history(struct training *t, double *accuracy, tlu_error *error)
{
    struct bench bench;
    TRY(enough_memory(make_room(t), error));
    TRY(enough_memory(panel_init(&bench.panel, schema_features(&t->learner.schema)), error));
    bool fine = play_history(t, &bench);
    *accuracy = fine ? share_right(t, &bench) : -1;
    panel_free(&bench.panel);
    return enough_memory(*accuracy >= 0, error);
}

// ---- a kernel ----

// scores[PANEL_LANES][columns] of the rows on the bench.
static void score_bench(struct training *t, struct bench *bench, const struct weights *weights,
                        double *scores)
{
    uint32_t columns = weights->columns;
    for (size_t i = 0; i < bench->count; i++)
        for (uint32_t c = 0; c < columns; c++)
            scores[i * columns + c] = weights_total_bias(weights, c);
    for (size_t id = 0; id < weights->features; id++) {
        bool known = false;
        for (uint32_t c = 0; c < columns; c++) {
            double alpha = weights_total(weights, id, c);
            if (alpha != 0 && !known)
                find_values(bench, t, id);
            known = known || alpha != 0;
            for (size_t i = 0; alpha != 0 && i < bench->count; i++)
                scores[i * columns + c] += alpha * bench->values[i];
        }
    }
}

static double kernel_right(struct training *t, struct bench *bench, const struct weights *weights)
{
    size_t rows = t->rows.held_out.places.count;
    double right = 0;
    double *scores = memory_new((size_t)PANEL_LANES * weights->columns, sizeof *scores);
    for (size_t i = 0; scores && i < rows; i += bench->panel.lanes) {
        slot(bench, &t->rows, i);
        score_bench(t, bench, weights, scores);
        for (size_t k = 0; k < bench->count; k++)
            right += holdout_metric_row(t, scores + k * weights->columns, i + k);
    }
    memory_free(scores);
    return scores ? right / (double)rows : -1;
}

tlu_status holdout_replay_of_kernel(struct training *t, double *accuracy, tlu_error *error)
{
    struct bench bench;
    struct weights settled = {0}; // a copy: the run goes on with what it has
    TRY(enough_memory(weights_copy(&settled, learner_deciding(&t->learner)), error));
    weights_settle(&settled);
    *accuracy = -1;
    if (panel_init(&bench.panel, schema_features(&t->learner.schema))) {
        *accuracy = kernel_right(t, &bench, &settled);
        panel_free(&bench.panel);
    }
    weights_free(&settled);
    return enough_memory(*accuracy >= 0, error);
}
