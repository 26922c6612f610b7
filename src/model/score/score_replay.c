// The replay of a run, for --decide vote and random.
#include "base/memory.h"
#include "model/score/score.h"
#include "model/score/score_cache.h"

#include <string.h>

#define GROUPS (GRAM_ROWS / GRAM_LANES)

// A group of rows, side by side.
struct player {
    const struct tlu_model *model;
    struct score_room *room;
    struct score_cache *score_cache;
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

// Steps start to end - 1, for all groups of the mapped rows, with the supports first to last - 1.
static void play_tile(struct player *players, const struct gram *gram, size_t start, size_t end,
                      size_t first, size_t last)
{
    struct score_room *room = players->room;
    for (size_t row = 0; row < room->gram.count; row += room->gram.lanes) {
        struct player *player = &players[row / room->gram.lanes];
        gram_values(gram, &room->gram, row, first, last, room->values);
        player->play.values = room->values;
        player->play.first = first;
        play_range(player, start, end);
    }
}

// Tile by tile of the supports, if the steps come in their order.
static bool play_values(struct player *players, const struct gram *gram, const tlu_row *rows,
                        size_t count)
{
    struct score_room *room = players->room;
    const struct score_cache *score_cache = players->score_cache;
    size_t supports = gram->count, steps = players->model->replay.count, n = 0;
    size_t tile = score_cache->in_order && supports > GRAM_TILE ? GRAM_TILE : supports;
    if (supports > SIZE_MAX / GRAM_LANES ||
        !memory_reserve(&room->values, &room->values_capacity, tile * players->play.lanes,
                        sizeof *room->values))
        return false;
    if (tile)
        memset(room->values, 0, tile * players->play.lanes * sizeof *room->values);
    if (!gram_seat(gram, &room->gram, rows, count))
        return false;
    for (size_t first = 0; first < supports; first += tile) {
        size_t last = supports - first < tile ? supports : first + tile, start = n;
        while (n < steps && score_cache->turns[n].support < last)
            n++;
        play_tile(players, gram, start, n, first, last);
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
            play_cast(play, c, player->score_cache->left[c]);
    if (model->scheme == SCHEME_WTA)
        play_cast_winners(play, player->score_cache->left[0]);
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

static struct player player_of(const struct tlu_model *model, struct score_cache *score_cache,
                               struct score_room *room, const tlu_row *rows, size_t count)
{
    struct player player = {.model = model,
                            .room = room,
                            .score_cache = score_cache,
                            .count = count,
                            .next = UINT64_MAX};
    player.play.turns = score_cache->turns;
    player.play.columns = model->weights.columns;
    player.play.bias = !options_flag(model->options, OPTION_NO_BIAS);
    if (model->decide != DECIDE_VOTE) {
        for (size_t i = 0; i < count; i++)
            player.picked[i] = pick_time(model, &rows[i]);
        keep_picked(&player, 0);
    }
    return player;
}

// Rows that are mapped at once; gram is NULL if the steps have gains.
static bool replay_seated(const struct tlu_model *model, struct score_cache *score_cache,
                          const struct gram *gram, const tlu_row *rows, size_t count,
                          double *scores, struct score_room *room)
{
    struct player players[GROUPS];
    size_t lanes = count > 1 ? GRAM_LANES : 1, columns = model->weights.columns;
    size_t cells = (count + lanes - 1) / lanes * lanes * columns;
    if (!memory_reserve(&room->now, &room->now_capacity, cells, sizeof *room->now) ||
        !memory_reserve(&room->votes, &room->votes_capacity, cells, sizeof *room->votes))
        return false;
    memset(room->now, 0, cells * sizeof *room->now);
    memset(room->votes, 0, cells * sizeof *room->votes);
    for (size_t i = 0; i < count; i += lanes) {
        struct player *player = &players[i / lanes];
        *player =
            player_of(model, score_cache, room, rows + i, count - i < lanes ? count - i : lanes);
        player->play.lanes = lanes;
        player->play.now = room->now + i * columns;
        player->play.votes = room->votes + i * columns;
    }
    if (!(gram ? play_values(players, gram, rows, count) : play_all_gains(players, rows)))
        return false;
    for (size_t i = 0; i < count; i += lanes)
        (model->decide == DECIDE_VOTE ? give_votes : give_picked)(&players[i / lanes],
                                                                  scores + i * columns);
    return true;
}

bool score_replay(const struct tlu_model *model, const tlu_row *rows, size_t count, double *scores,
                  struct score_room *room)
{
    struct score_cache *score_cache = model_score_cache(model);
    const struct gram *gram =
        score_cache && !model->replay.gains ? score_cache_gram(score_cache, count) : NULL;
    bool fine = score_cache && (gram || model->replay.gains);
    for (size_t i = 0, some; fine && i < count; i += some) {
        some = gram                     ? gram_seats(gram, rows + i, count - i)
               : count - i < GRAM_LANES ? count - i
                                        : GRAM_LANES;
        fine = replay_seated(model, score_cache, gram, rows + i, some,
                             scores + i * model->weights.columns, room);
    }
    return fine;
}
