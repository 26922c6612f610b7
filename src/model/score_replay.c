// The replay of a run, for --decide vote and random.
#include "base/memory.h"
#include "model/recall.h"
#include "model/score.h"

#include <string.h>

struct player {
    const struct tlu_model *model;
    struct score_room *room;
    struct recall *recall;
    struct play play;
    size_t count;                // rows
    uint64_t picked[GRAM_LANES]; // random: the time of each row; 0: it has its scores
    uint64_t next;               // the first of them; UINT64_MAX: there is none
    const double *gains;         // to come
};

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

// Before the step at `time`: rows whose time has come get their scores.
static void keep_picked(struct player *player, uint64_t time)
{
    const struct play *play = &player->play;
    player->next = UINT64_MAX;
    for (size_t i = 0; i < player->count; i++) {
        for (size_t c = 0; player->picked[i] && player->picked[i] <= time && c < play->columns; c++)
            play->votes[c * play->lanes + i] = play->now[c * play->lanes + i];
        if (player->picked[i] <= time)
            player->picked[i] = 0;
        else if (player->picked[i] < player->next)
            player->next = player->picked[i];
    }
}

// Steps start to end - 1, whose kernel values are there.
static void play_range(struct player *player, size_t start, size_t end)
{
    bool all = player->model->scheme == SCHEME_WTA;
    if (player->model->decide == DECIDE_VOTE) {
        (all ? play_winners : play_votes)(&player->play, start, end);
        return;
    }
    for (size_t n = start; n < end && player->next != UINT64_MAX; n++) {
        if (player->next <= player->model->replay.steps[n].time)
            keep_picked(player, player->model->replay.steps[n].time);
        play_steps(&player->play, n, n + 1, all);
    }
}

// Tile by tile of the supports, if the steps come in their order.
static bool play_values(struct player *player, const tlu_row *rows)
{
    struct score_room *room = player->room;
    const struct recall *recall = player->recall;
    const struct gram *gram = recall_gram(player->recall, player->count);
    size_t supports = player->model->supports.count, steps = player->model->replay.count;
    size_t tile = recall->in_order && supports > GRAM_TILE ? GRAM_TILE : supports;
    if (!gram || supports > SIZE_MAX / GRAM_LANES ||
        !memory_reserve(&room->values, &room->values_capacity, tile * player->play.lanes,
                        sizeof *room->values))
        return false;
    memset(room->values, 0, tile * player->play.lanes * sizeof *room->values);
    if (!gram_seat(gram, &room->gram, rows, player->count))
        return false;
    player->play.values = room->values;
    for (size_t first = 0, n = 0; first < supports; first += tile) {
        size_t last = supports - first < tile ? supports : first + tile, start = n;
        gram_values(gram, &room->gram, first, last, room->values);
        player->play.first = first;
        while (n < steps && recall->turns[n].support < last)
            n++;
        play_range(player, start, n);
    }
    gram_leave(&room->gram);
    return true;
}

static void play_gains(struct player *player, const struct replay_step *step)
{
    const struct play *play = &player->play;
    const tlu_row *row = &player->model->supports.row[step->support];
    for (int p = 0; p < 2; p++)
        if (step->sign[p])
            player->gains += panel_gain(&player->room->panel, row, play->bias != 0, step->sign[p],
                                        player->gains, play->now + step->column[p] * play->lanes);
}

static bool play_all_gains(struct player *player, const tlu_row *rows)
{
    const struct tlu_model *model = player->model;
    struct panel *panel = &player->room->panel;
    bool winners = model->scheme == SCHEME_WTA, votes = model->decide == DECIDE_VOTE;
    if (!panel_prepare(panel, schema_features(&model->schema), player->play.lanes))
        return false;
    for (size_t i = 0; i < player->count; i++)
        panel_add(panel, &rows[i], panel_norm(&rows[i]));
    player->gains = model->replay.gains;
    for (size_t n = 0; n < model->replay.count && (votes || player->next != UINT64_MAX); n++) {
        const struct turn *turn = &player->play.turns[n];
        if (player->next <= model->replay.steps[n].time)
            keep_picked(player, model->replay.steps[n].time);
        if (votes && winners)
            play_cast_winners(&player->play, turn->lasted);
        else if (votes)
            play_cast(&player->play, turn->group, turn->lasted);
        play_shrink(&player->play, turn, winners);
        play_gains(player, &model->replay.steps[n]);
    }
    panel_clear(panel);
    return true;
}

// Votes are shares: how long the weights were for the class, and against it.
static void give_votes(struct player *player, double *scores)
{
    const struct tlu_model *model = player->model;
    const struct play *play = &player->play;
    double whole = model->weights.steps;
    for (uint32_t c = 0; c < play->columns; c++)
        if (model->scheme != SCHEME_WTA)
            play_cast(play, c, player->recall->left[c]);
    if (model->scheme == SCHEME_WTA)
        play_cast_winners(play, player->recall->left[0]);
    for (size_t i = 0; i < player->count; i++)
        for (uint32_t c = 0; c < play->columns; c++) {
            double votes = play->votes[c * play->lanes + i];
            // All are whole numbers, and so exact.
            scores[i * play->columns + c] =
                (model->scheme == SCHEME_WTA ? votes : 2 * votes - whole) / whole;
        }
}

static void give_picked(struct player *player, double *scores)
{
    const struct play *play = &player->play;
    keep_picked(player, (uint64_t)player->model->weights.steps + 1);
    for (size_t i = 0; i < player->count; i++)
        for (uint32_t c = 0; c < play->columns; c++)
            scores[i * play->columns + c] = play->votes[c * play->lanes + i];
}

bool score_replay(const struct tlu_model *model, const tlu_row *rows, size_t count, double *scores,
                  struct score_room *room)
{
    size_t lanes = count > 1 ? GRAM_LANES : 1, cells = model->weights.columns * lanes;
    struct player player = {.model = model, .room = room, .count = count, .next = UINT64_MAX};
    struct recall *recall = player.recall = model_recall(model);
    if (!recall || !memory_reserve(&room->now, &room->now_capacity, cells, sizeof *room->now) ||
        !memory_reserve(&room->votes, &room->votes_capacity, cells, sizeof *room->votes))
        return false;
    memset(room->now, 0, cells * sizeof *room->now);
    memset(room->votes, 0, cells * sizeof *room->votes);
    player.play = (struct play){.turns = recall->turns,
                                .columns = model->weights.columns,
                                .lanes = lanes,
                                .bias = !options_flag(model->options, OPTION_NO_BIAS),
                                .now = room->now,
                                .votes = room->votes};
    if (model->decide != DECIDE_VOTE) {
        for (size_t i = 0; i < count; i++)
            player.picked[i] = pick_time(model, &rows[i]);
        keep_picked(&player, 0);
    }
    if (!(model->replay.gains ? play_all_gains : play_values)(&player, rows))
        return false;
    (model->decide == DECIDE_VOTE ? give_votes : give_picked)(&player, scores);
    return true;
}
