// Scores of rows for each decision and space: weights of features, a kernel over supports,
// or the replay of a run for vote and random.

#include "model/score/score.h"
#include "base/memory.h"
#include "model/score/score_cache.h"

#include <string.h>

// ---- weights of features ----

// w . x / |x| + b, where x is the scaled row: the bias that the shifts are folded into has a part
// that belongs to w . x.
static void score_normalized(const struct tlu_model *model, const tlu_row *row, const double *w,
                             const double *bias, double *scores)
{
    const struct weights *weights = &model->state.weights;
    double length = scaling_row_length(&model->scaling, row);
    memset(scores, 0, weights->columns * sizeof *scores);
    if (weights->columns == 1)
        scores[0] = weights->routines->dot(w, row->features, row->values, row->count);
    else
        weights->routines->scores(w, weights->columns, row->features, row->values, row->count,
                                  scores);
    for (uint32_t c = 0; c < weights->columns; c++) {
        double dot = scores[c] + (bias[c] - model->decided.bias[c]);
        scores[c] = (dot / length + model->decided.bias[c]) / model->decided.divisor;
    }
}

static void score_weights(const struct tlu_model *model, const tlu_row *row, double *scores)
{
    const struct weights *weights = &model->state.weights;
    const double *w = model->decided.folded ? model->decided.folded : model->decided.w;
    const double *bias =
        model->decided.folded_bias ? model->decided.folded_bias : model->decided.bias;
    if (model->scaling.normalize) {
        score_normalized(model, row, w, bias, scores);
        return;
    }
    if (weights->columns == 1) {
        double dot = weights->routines->dot(w, row->features, row->values, row->count);
        scores[0] = (bias[0] + dot) / model->decided.divisor;
        return;
    }
    memcpy(scores, bias, weights->columns * sizeof *scores);
    weights->routines->scores(w, weights->columns, row->features, row->values, row->count, scores);
    for (uint32_t c = 0; c < weights->columns; c++)
        scores[c] /= model->decided.divisor;
}

// ---- a kernel ----

static bool score_kernel(const struct tlu_model *model, const tlu_row *rows, size_t count,
                         double *scores, struct score_scratch *scratch)
{
    struct score_cache *cache = model_score_cache(model);
    const struct gram *gram = cache ? score_cache_gram(cache, count) : NULL;
    struct gram_weights weights = {model->decided.w, model->decided.bias,
                                   model->state.weights.columns, model->decided.divisor};
    return gram && gram_scores(gram, &weights, rows, count, scores, &scratch->gram);
}

// ---- the replay of a run: --decide vote and random ----

// The example whose weights --decide random takes: from the seed and the row, so that a prediction
// does not depend on those before it.
static uint64_t pick_time(const struct tlu_model *model, const tlu_row *row)
{
    struct random random;
    uint64_t hash = options_count(model->state.options, OPTION_SEED);
    for (size_t i = 0; i < row->count; i++) {
        float value = row->values ? row->values[i] : 1;
        uint32_t bits;
        if (value == 0) // as if it were not there
            continue;
        memcpy(&bits, &value, sizeof bits);
        uint64_t entry = (row_feature(row, i) | (uint64_t)bits << 32) * 0x9E3779B97F4A7C15u;
        hash += (entry ^ entry >> 29) * 0xBF58476D1CE4E5B9u; // a sum: their order does not matter
    }
    random_seed(&random, hash);
    return 1 + random_below(&random, (uint64_t)model->state.weights.steps);
}

// A group of rows, for each of which --decide random has picked an example.
struct pick_group {
    struct replay_group group;
    const struct history_step *steps; // of the model
    uint64_t picked[GRAM_LANES];      // the time of each row; 0: it has its scores
    uint64_t next;                    // the first of them; UINT64_MAX: every row has its scores
};

// Copies the scores of the rows whose time is at most `time` to votes.
static void keep_picked(struct pick_group *pick, uint64_t time)
{
    const struct replay_group *group = &pick->group;
    pick->next = UINT64_MAX;
    for (size_t i = 0; i < group->count; i++) {
        uint64_t picked = pick->picked[i];
        for (size_t c = 0; picked && picked <= time && c < group->run->columns; c++)
            group->votes[c * group->lanes + i] = group->now[c * group->lanes + i];
        if (picked <= time)
            pick->picked[i] = 0;
        else if (picked < pick->next)
            pick->next = picked;
    }
}

static bool before_update(struct replay_group *group, size_t update)
{
    struct pick_group *pick = (struct pick_group *)group;
    if (pick->next <= pick->steps[update].time)
        keep_picked(pick, pick->steps[update].time);
    return pick->next != UINT64_MAX;
}

static void begin_pick(struct pick_group *pick, const struct tlu_model *model, const tlu_row *rows)
{
    pick->group.before = before_update;
    pick->steps = model->state.decision.history->steps;
    for (size_t i = 0; i < pick->group.count; i++)
        pick->picked[i] = pick_time(model, &rows[i]);
    keep_picked(pick, 0);
}

// Votes are shares: how long the weights were for the class, minus how long against it.
static void finish(struct pick_group *pick, const struct tlu_model *model, const double *left,
                   double *scores)
{
    const struct replay_group *group = &pick->group;
    double whole = model->state.weights.steps;
    bool votes = model->state.decision.kind == DECIDE_VOTE,
         all = model->state.scheme.kind == SCHEME_WTA;
    if (votes)
        replay_last_votes(group, left);
    else
        keep_picked(pick, (uint64_t)whole + 1);
    for (size_t i = 0; i < group->count; i++)
        for (uint32_t c = 0; c < group->run->columns; c++) {
            double score = group->votes[c * group->lanes + i];
            if (votes) // all are whole numbers, and so exact
                score = (all ? score : 2 * score - whole) / whole;
            scores[i * group->run->columns + c] = score;
        }
}

// Rows that are replayed at once.
static bool replay_some(const struct tlu_model *model, const struct replay_run *run,
                        const tlu_row *rows, size_t count, const double *left, double *scores,
                        struct score_scratch *scratch)
{
    struct pick_group picks[GRAM_ROWS / GRAM_LANES];
    struct replay_group *groups[GRAM_ROWS / GRAM_LANES];
    size_t lanes = count > 1 ? GRAM_LANES : 1, columns = run->columns;
    size_t cells = (count + lanes - 1) / lanes * lanes * columns;
    if (!memory_reserve(&scratch->now, &scratch->now_capacity, cells, sizeof *scratch->now) ||
        !memory_reserve(&scratch->votes, &scratch->votes_capacity, cells, sizeof *scratch->votes))
        return false;
    memset(scratch->now, 0, cells * sizeof *scratch->now);
    memset(scratch->votes, 0, cells * sizeof *scratch->votes);
    for (size_t i = 0; i < count; i += lanes) {
        struct pick_group *pick = &picks[i / lanes];
        *pick = (struct pick_group){.group = {.run = run,
                                              .lanes = lanes,
                                              .count = count - i < lanes ? count - i : lanes,
                                              .now = scratch->now + i * columns,
                                              .votes = scratch->votes + i * columns}};
        groups[i / lanes] = &pick->group;
        if (model->state.decision.kind != DECIDE_VOTE)
            begin_pick(pick, model, rows + i);
    }
    if (!replay_rows(groups, rows, count, &scratch->gram))
        return false;
    for (size_t i = 0; i < count; i += lanes)
        finish(&picks[i / lanes], model, left, scores + i * columns);
    return true;
}

static bool score_replay(const struct tlu_model *model, const tlu_row *rows, size_t count,
                         double *scores, struct score_scratch *scratch)
{
    struct score_cache *cache = model_score_cache(model);
    if (!cache)
        return false;
    struct replay_run run = {.scheme = model->state.scheme.kind,
                             .columns = model->state.weights.columns,
                             .bias = !options_flag(model->state.options, OPTION_NO_BIAS),
                             .updates = cache->updates,
                             .count = model->state.decision.history->count,
                             .in_order = cache->in_order,
                             .gains = model->state.decision.history->gains,
                             .tie = options_choice(model->state.options, OPTION_TIE)};
    run.gram = run.gains ? cache->gram : score_cache_gram(cache, count);
    bool fine = run.gram != NULL;
    for (size_t i = 0, some; fine && i < count; i += some) {
        some = replay_rows_at_once(&run, rows + i, count - i);
        fine = replay_some(model, &run, rows + i, some, cache->left, scores + i * run.columns,
                           scratch);
    }
    return fine;
}

// ---- all of them ----

void score_scratch_free(struct score_scratch *scratch)
{
    gram_scratch_free(&scratch->gram);
    memory_free(scratch->scores);
    memory_free(scratch->now);
    memory_free(scratch->votes);
    batch_free(scratch->scaled);
    minibatch_free(&scratch->net_rows);
    net_scratch_free(&scratch->net);
    *scratch = (struct score_scratch){0};
}

static bool score_plain(const struct tlu_model *model, const tlu_row *rows, size_t count,
                        double *scores, struct score_scratch *scratch)
{
    uint32_t columns = model->state.weights.columns;
    if (model->state.net)
        return score_layers(model, rows, count, scores, scratch);
    if (model_replays(model))
        return score_replay(model, rows, count, scores, scratch);
    if (model->state.kernel.kind)
        return score_kernel(model, rows, count, scores, scratch);
    for (size_t i = 0; i < count; i++)
        score_weights(model, &rows[i], scores + i * columns);
    return true;
}

bool model_prepare_scores(const struct tlu_model *model, size_t rows)
{
    if (!model_replays(model) && !model->state.kernel.kind)
        return true;
    struct score_cache *cache = model_score_cache(model);
    bool gains = model_replays(model) && model->state.decision.history->gains;
    return cache && (gains || score_cache_gram(cache, rows));
}

bool model_is_linear(const struct tlu_model *model)
{
    return !model->state.kernel.kind && !model_replays(model) && !model->state.net &&
           (!model->scaling.factor || model->decided.folded);
}

// The rows scaled, in scratch->scaled; false: out of memory.
static bool scale_rows(const struct tlu_model *model, const tlu_row *rows, size_t count,
                       struct score_scratch *scratch)
{
    if (!scratch->scaled)
        scratch->scaled = batch_new();
    struct batch *batch = scratch->scaled;
    if (!batch)
        return false;
    batch_clear(batch);
    for (size_t i = 0; i < count; i++) {
        size_t start = batch_nonzeros(batch);
        if (!batch_reserve(batch, 1, rows[i].count))
            return false;
        for (size_t k = 0; k < rows[i].count; k++) {
            batch->indices[start + k] = row_feature(&rows[i], k);
            batch->values[start + k] = rows[i].values ? rows[i].values[k] : 1;
        }
        batch->offsets[++batch->rows] = (uint32_t)(start + rows[i].count);
    }
    batch->ones = false;
    return scaling_apply(&model->scaling, batch, NULL) == TLU_OK;
}

bool model_take_rows(const struct tlu_model *model, tlu_row *rows, size_t count,
                     struct score_scratch *scratch)
{
    if (options_flag(model->state.options, OPTION_BINARIZE)) // as in training
        for (size_t i = 0; i < count; i++)
            rows[i].values = NULL;
    if (model_is_linear(model) || !scaling_is_on(&model->scaling))
        return true;
    // They must be scaled before they meet the supports, or a net.
    if (!scale_rows(model, rows, count, scratch))
        return false;
    for (size_t i = 0; i < count; i++)
        rows[i] = batch_row(scratch->scaled, i);
    return true;
}

bool model_scores(const struct tlu_model *model, const tlu_row *rows, size_t count, double *scores,
                  struct score_scratch *scratch)
{
    tlu_row changed[SCORE_ROWS];
    bool scaled = scaling_is_on(&model->scaling) && !model_is_linear(model);
    if (!scaled && !options_flag(model->state.options, OPTION_BINARIZE))
        return score_plain(model, rows, count, scores, scratch);
    memcpy(changed, rows, count * sizeof *rows);
    return model_take_rows(model, changed, count, scratch) &&
           score_plain(model, changed, count, scores, scratch);
}

void model_user_scores(const struct tlu_model *model, const double *columns, double *scores)
{
    const struct election election = model_election(model);
    if (election.kind == SCHEME_OVO)
        scheme_votes(&election, columns, scores);
    else
        memcpy(scores, columns, model->state.weights.columns * sizeof *scores);
}
