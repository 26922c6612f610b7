// Scores of rows for each decision and space: weights of features, a kernel over supports,
// or the replay of a run for vote and random.

#include "model/score.h"
#include "base/memory.h"

#include <string.h>

// ---- weights of features ----

static void score_weights(const struct tlu_model *model, const tlu_row *row, double *scores)
{
    const struct weights *weights = &model->weights;
    const double *w = model->decided.folded ? model->decided.folded : model->decided.w;
    const double *bias =
        model->decided.folded_bias ? model->decided.folded_bias : model->decided.bias;
    if (weights->columns == 1) {
        double dot = weights->kernels->dot(w, row->features, row->values, row->count);
        scores[0] = (bias[0] + dot) / model->decided.divisor;
        return;
    }
    memcpy(scores, bias, weights->columns * sizeof *scores);
    weights->kernels->scores(w, weights->columns, row->features, row->values, row->count, scores);
    for (uint32_t c = 0; c < weights->columns; c++)
        scores[c] /= model->decided.divisor;
}

// ---- kernel values against all supports ----

// Several rows make a full panel, so that the last few of a file need no panel of their own; one
// alone does not pay for 32.
static bool prepare_panel(struct panel *panel, const struct tlu_model *model, size_t count)
{
    size_t lanes = count > 1 ? PANEL_LANES : 1;
    if (panel->cells && panel->lanes == lanes)
        return true;
    panel_free(panel);
    return panel_init_lanes(panel, schema_features(&model->schema), lanes);
}

// False: out of memory.
static bool fill_panel(const struct tlu_model *model, const tlu_row *rows, size_t count,
                       struct panel *panel)
{
    if (!prepare_panel(panel, model, count))
        return false;
    for (size_t i = 0; i < count; i++)
        panel_add(panel, &rows[i], panel_norm(&rows[i]));
    return true;
}

// room->values[supports][count] for up to PANEL_LANES rows; false: out of memory.
static bool kernel_values(const struct tlu_model *model, const tlu_row *rows, size_t count,
                          struct score_room *room)
{
    const struct supports *supports = &model->supports;
    struct kernel linear = {KERNEL_LINEAR, 1, 0, 0};
    const struct kernel *kernel = model->kernel.kind ? &model->kernel : &linear;
    struct panel *panel = &room->panel;
    if (supports->count > SIZE_MAX / PANEL_LANES ||
        !memory_reserve(&room->values, &room->values_capacity, supports->count * count,
                        sizeof *room->values) ||
        !fill_panel(model, rows, count, panel))
        return false;
    for (size_t s = 0; s < supports->count; s++)
        panel_values(panel, kernel, &supports->row[s], supports->norm[s], room->values + s * count);
    panel_clear(panel);
    return true;
}

static bool score_kernel(const struct tlu_model *model, const tlu_row *rows, size_t count,
                         double *scores, struct score_room *room)
{
    uint32_t columns = model->weights.columns;
    if (!kernel_values(model, rows, count, room))
        return false;
    for (size_t i = 0; i < count; i++)
        memcpy(scores + i * columns, model->decided.bias, columns * sizeof *scores);
    for (size_t s = 0; s < model->supports.count; s++)
        for (uint32_t c = 0; c < columns; c++) {
            double alpha = model->decided.w[s * columns + c];
            for (size_t i = 0; alpha != 0 && i < count; i++)
                scores[i * columns + c] += alpha * room->values[s * count + i];
        }
    for (size_t i = 0; i < count * columns; i++)
        scores[i] /= model->decided.divisor;
    return true;
}

// ---- replaying the run ----

struct player {
    const struct tlu_model *model;
    size_t count;    // rows
    double *now;     // [columns][count] scores with the weights of the moment
    double *votes;   // [columns][count], or the scores of the time that was picked
    uint64_t *since; // [columns] time from which on the weights of a group count
    // The rows' kernel values with the supports; or the rows themselves, and the gains to come.
    const double *values;
    const struct panel *panel;
    const double *gains;
};

// A group's weights have lasted from since[group] to `time`: each row gives its vote.
static void cast_votes(struct player *player, uint32_t group, uint64_t time)
{
    double lasted = (double)(time - player->since[group]);
    player->since[group] = time;
    if (lasted == 0)
        return;
    size_t count = player->count;
    if (player->model->scheme != SCHEME_WTA) {
        for (size_t i = 0; i < count; i++)
            player->votes[group * count + i] +=
                player->now[group * count + i] >= 0 ? lasted : -lasted;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        size_t winner = 0;
        for (size_t c = 1; c < player->model->weights.columns; c++)
            if (player->now[c * count + i] > player->now[winner * count + i])
                winner = c;
        player->votes[winner * count + i] += lasted;
    }
}

static void shrink(struct player *player, const struct replay_step *step)
{
    bool all = player->model->scheme == SCHEME_WTA;
    size_t first = all ? 0 : step->group;
    size_t last = all ? player->model->weights.columns : (size_t)step->group + 1;
    double factor = step->factor, *now = player->now;
    for (size_t i = first * player->count; i < last * player->count; i++)
        now[i] *= factor;
}

static void play_gains(struct player *player, const struct replay_step *step, bool with_bias)
{
    const tlu_row *row = &player->model->supports.row[step->support];
    for (int p = 0; p < 2; p++)
        if (step->sign[p])
            player->gains += panel_gain(player->panel, row, with_bias, step->sign[p], player->gains,
                                        player->now + step->column[p] * player->count);
}

static void play(struct player *player, const struct replay_step *step, bool with_bias)
{
    size_t count = player->count;
    const double *value = player->values + step->support * count;
    for (int p = 0; p < 2; p++) {
        double amount = step->amount * step->sign[p], *now = player->now + step->column[p] * count;
        if (amount == 0)
            continue;
        for (size_t i = 0; i < count; i++)
            now[i] += amount * (value[i] + with_bias);
    }
}

// The example whose weights --decide random takes: from the seed and the row, so that a prediction
// does not depend on those before it.
static uint64_t pick_time(const struct tlu_model *model, const tlu_row *row)
{
    struct random random;
    uint64_t hash = options_count(model->options, OPTION_SEED);
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
    return 1 + random_below(&random, (uint64_t)model->weights.steps);
}

// Before the step at `time`: rows whose time has come, which is then 0, get their scores. False if
// all have theirs.
static bool keep_picked(struct player *player, uint64_t picked[PANEL_LANES], uint64_t time)
{
    bool left = false;
    for (size_t i = 0; i < player->count; i++) {
        if (picked[i] && picked[i] <= time) {
            for (size_t c = 0; c < player->model->weights.columns; c++)
                player->votes[c * player->count + i] = player->now[c * player->count + i];
            picked[i] = 0;
        }
        left = left || picked[i];
    }
    return left;
}

// Zeroed room for `count` items of 8 bytes; false: out of memory.
static bool clean_room(void *array_pointer, size_t *capacity, size_t count)
{
    if (!memory_reserve(array_pointer, capacity, count, 8))
        return false;
    void *array;
    memcpy(&array, array_pointer, sizeof array);
    memset(array, 0, count * 8);
    return true;
}

static bool score_replay(const struct tlu_model *model, const tlu_row *rows, size_t count,
                         double *scores, struct score_room *room)
{
    uint32_t columns = model->weights.columns;
    bool with_bias = !options_flag(model->options, OPTION_NO_BIAS);
    const double *gains = model->replay.gains;
    if (!clean_room(&room->now, &room->now_capacity, columns * count) ||
        !clean_room(&room->votes, &room->votes_capacity, columns * count) ||
        !clean_room(&room->since, &room->since_capacity, columns) ||
        !(gains ? fill_panel(model, rows, count, &room->panel)
                : kernel_values(model, rows, count, room)))
        return false;
    struct player player = {model,       count,        room->now,    room->votes,
                            room->since, room->values, &room->panel, gains};
    bool votes = model->decide == DECIDE_VOTE;
    uint64_t end = (uint64_t)model->weights.steps + 1, picked[PANEL_LANES];
    for (size_t i = 0; !votes && i < count; i++)
        picked[i] = pick_time(model, &rows[i]);
    for (uint32_t c = 0; c < columns; c++)
        player.since[c] = 1;
    for (size_t n = 0; n < model->replay.count; n++) {
        const struct replay_step *step = &model->replay.steps[n];
        if (votes)
            cast_votes(&player, step->group, step->time);
        else if (!keep_picked(&player, picked, step->time))
            break;
        if (step->factor != 1)
            shrink(&player, step);
        if (gains)
            play_gains(&player, step, with_bias);
        else
            play(&player, step, with_bias);
    }
    if (gains)
        panel_clear(&room->panel);
    uint32_t groups = scheme_groups(model->scheme, schema_classes(&model->schema));
    for (uint32_t g = 0; votes && g < groups; g++)
        cast_votes(&player, g, end);
    if (!votes)
        keep_picked(&player, picked, end);
    double whole = votes ? model->weights.steps : 1; // votes are shares
    for (size_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < columns; c++)
            scores[i * columns + c] = player.votes[c * count + i] / whole;
    return true;
}

// ---- all of them ----

void score_room_free(struct score_room *room)
{
    panel_free(&room->panel);
    memory_free(room->scores);
    memory_free(room->values);
    memory_free(room->now);
    memory_free(room->votes);
    memory_free(room->since);
    batch_free(room->scaled);
    *room = (struct score_room){0};
}

static bool score_plain(const struct tlu_model *model, const tlu_row *rows, size_t count,
                        double *scores, struct score_room *room)
{
    uint32_t columns = model->weights.columns;
    if (model_replays(model))
        return score_replay(model, rows, count, scores, room);
    if (model->kernel.kind)
        return score_kernel(model, rows, count, scores, room);
    for (size_t i = 0; i < count; i++)
        score_weights(model, &rows[i], scores + i * columns);
    return true;
}

bool model_is_quick(const struct tlu_model *model)
{
    return !model->kernel.kind && !model_replays(model) &&
           (model->scaling.kind == SCALE_NONE || model->decided.folded);
}

// The rows scaled, in room->scaled; false: out of memory.
static bool scale_rows(const struct tlu_model *model, const tlu_row *rows, size_t count,
                       struct score_room *room)
{
    if (!room->scaled)
        room->scaled = batch_new();
    struct batch *batch = room->scaled;
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

bool model_scores(const struct tlu_model *model, const tlu_row *rows, size_t count, double *scores,
                  struct score_room *room)
{
    tlu_row changed[PANEL_LANES];
    if (options_flag(model->options, OPTION_BINARIZE)) { // as in training
        for (size_t i = 0; i < count; i++)
            changed[i] = (tlu_row){rows[i].count, rows[i].features, NULL};
        rows = changed;
    }
    if (model->scaling.kind != SCALE_NONE && !model->decided.folded) {
        // They must be scaled before they meet the supports.
        if (!scale_rows(model, rows, count, room))
            return false;
        for (size_t i = 0; i < count; i++)
            changed[i] = batch_row(room->scaled, i);
        rows = changed;
    }
    return score_plain(model, rows, count, scores, room);
}

void model_user_scores(const struct tlu_model *model, const double *columns, double *scores)
{
    uint32_t classes = schema_classes(&model->schema);
    if (model->scheme != SCHEME_OVO) {
        memcpy(scores, columns, model->weights.columns * sizeof *scores);
        return;
    }
    for (uint32_t c = 0; c < classes; c++) {
        scores[c] = 0;
        for (uint32_t other = 0; other < classes; other++)
            if (other != c) {
                double score = columns[scheme_pair(c, other)];
                scores[c] += c > other ? score >= 0 : score < 0;
            }
    }
}
