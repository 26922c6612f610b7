#include "learn/replay.h"

#include "base/memory.h"
#include "vector/lanes.h"

#include <assert.h>
#include <float.h>
#include <string.h>

struct replay_update replay_update_of(const struct history_step *step, uint32_t support,
                                      uint64_t *since)
{
    assert(step->time >= *since);
    struct replay_update update = {.support = support,
                                   .group = step->group,
                                   .factor = step->factor,
                                   .lasted = (double)(step->time - *since)};
    *since = step->time;
    for (int p = 0; p < 2; p++) {
        update.column[p] = step->column[p];
        update.sign[p] = step->sign[p];
        update.amount[p] = step->amount * step->sign[p];
    }
    return update;
}

static const double *values_of(const struct replay_group *group, const struct replay_update *update)
{
    return group->values + (update->support - group->first) * group->lanes;
}

// A score from this on is a vote for the positive side of a column.
static inline double least_positive(const struct replay_run *run, uint32_t column)
{
    bool reversed = run->reversed && run->reversed[column];
    return tie_is_positive(run->tie) != reversed ? 0 : DBL_TRUE_MIN;
}

// ---- one weight vector ----

LANES_BODY void vote_all(const struct replay_group *group, size_t start, size_t end)
{
    four now[GRAM_LANES / 4], votes[GRAM_LANES / 4];
    double bias = group->run->bias;
    four least = least_positive(group->run, 0) - (four){0};
    for (size_t i = 0; i < GRAM_LANES / 4; i++) {
        now[i] = *(four *)(group->now + 4 * i);
        votes[i] = *(four *)(group->votes + 4 * i);
    }
    for (const struct replay_update *update = group->run->updates + start;
         update < group->run->updates + end; update++) {
        const double *values = group->values + (update->support - group->first) * GRAM_LANES;
        four lasted = update->lasted - (four){0};
#pragma GCC unroll 4
        for (size_t i = 0; i < GRAM_LANES / 4; i++) {
            four_bits counts = (four_bits)(now[i] >= least) & (four_bits)lasted;
            votes[i] += (four)counts;
        }
        if (update->factor != 1)
#pragma GCC unroll 4
            for (size_t i = 0; i < GRAM_LANES / 4; i++)
                now[i] *= update->factor;
        if (update->amount[0] != 0)
#pragma GCC unroll 4
            for (size_t i = 0; i < GRAM_LANES / 4; i++)
                now[i] += update->amount[0] * (*(const four *)(values + 4 * i) + bias);
    }
    for (size_t i = 0; i < GRAM_LANES / 4; i++) {
        *(four *)(group->now + 4 * i) = now[i];
        *(four *)(group->votes + 4 * i) = votes[i];
    }
}

LANES_AVX2 static void vote_avx2(const struct replay_group *group, size_t start, size_t end)
{
    vote_all(group, start, end);
}

static void vote_plain(const struct replay_group *group, size_t start, size_t end)
{
    vote_all(group, start, end);
}

// ---- several weight vectors ----

LANES_BODY void cast(const struct replay_group *group, uint32_t column, double lasted)
{
    const double *now = group->now + column * group->lanes;
    double *votes = group->votes + column * group->lanes;
    double least = least_positive(group->run, column);
    for (size_t i = 0; i + 4 <= group->lanes; i += 4) {
        four counts = lasted - (four){0};
        four_bits mask = (four_bits)(*(const four *)(now + i) >= least - (four){0});
        *(four *)(votes + i) += (four)(mask & (four_bits)counts);
    }
    if (group->lanes == 1)
        votes[0] += now[0] >= least ? lasted : 0;
}

// The n-th column in the order in which equal scores win.
static inline uint32_t nth_column(const struct replay_run *run, uint32_t n)
{
    uint32_t place = run->tie == TIE_POSITIVE ? run->columns - 1 - n : n;
    return run->order ? run->order[place] : place;
}

LANES_BODY void cast_winners(const struct replay_group *group, double lasted)
{
    for (size_t i = 0; i + 4 <= group->lanes; i += 4) {
        uint32_t first = nth_column(group->run, 0);
        four best = *(const four *)(group->now + first * group->lanes + i);
        four_bits winner = (int64_t)first - (four_bits){0};
        for (uint32_t n = 1; n < group->run->columns; n++) {
            uint32_t c = nth_column(group->run, n);
            four other = *(const four *)(group->now + c * group->lanes + i);
            four_bits wins = (four_bits)(other > best);
            best = (four)(((four_bits)other & wins) | ((four_bits)best & ~wins));
            winner = (((int64_t)c - (four_bits){0}) & wins) | (winner & ~wins);
        }
        for (size_t k = 0; k < 4; k++)
            group->votes[(size_t)winner[k] * group->lanes + i + k] += lasted;
    }
    if (group->lanes > 1)
        return;
    uint32_t winner = nth_column(group->run, 0);
    for (uint32_t n = 1; n < group->run->columns; n++) {
        uint32_t c = nth_column(group->run, n);
        if (group->now[c] > group->now[winner])
            winner = c;
    }
    group->votes[winner] += lasted;
}

// Multiplies the scores of a column, or of all columns, by the factor of the update.
LANES_BODY void shrink(const struct replay_group *group, const struct replay_update *update,
                       bool all_columns)
{
    size_t first = all_columns ? 0 : update->group;
    size_t last = all_columns ? group->run->columns : (size_t)update->group + 1;
    for (size_t i = first * group->lanes; update->factor != 1 && i < last * group->lanes; i++)
        group->now[i] *= update->factor;
}

LANES_BODY void take(const struct replay_group *group, const struct replay_update *update,
                     bool all_columns)
{
    size_t lanes = group->lanes;
    shrink(group, update, all_columns);
    const double *values = values_of(group, update);
    for (int p = 0; p < 2; p++) {
        double *now = group->now + update->column[p] * lanes, amount = update->amount[p];
        if (amount == 0)
            continue;
        for (size_t i = 0; i + 4 <= lanes; i += 4)
            *(four *)(now + i) += amount * (*(const four *)(values + i) + group->run->bias);
        if (lanes == 1)
            now[0] += amount * (values[0] + group->run->bias);
    }
}

enum replay_what { VOTES, WINNERS, STEPS, STEPS_OF_ALL };

LANES_BODY void replay_updates(const struct replay_group *group, size_t start, size_t end,
                               enum replay_what what)
{
    for (const struct replay_update *update = group->run->updates + start;
         update < group->run->updates + end; update++) {
        if (what == VOTES)
            cast(group, update->group, update->lasted);
        else if (what == WINNERS && update->lasted != 0)
            cast_winners(group, update->lasted);
        take(group, update, what == WINNERS || what == STEPS_OF_ALL);
    }
}

LANES_AVX2 static void replay_avx2(const struct replay_group *group, size_t start, size_t end,
                                   enum replay_what what)
{
    replay_updates(group, start, end, what);
}

static void replay_any(const struct replay_group *group, size_t start, size_t end,
                       enum replay_what what)
{
    if (lanes_have_avx2())
        replay_avx2(group, start, end, what);
    else
        replay_updates(group, start, end, what);
}

// ---- by kernel values ----

// Replays updates `start` to `end` - 1, whose kernel values are in group->values.
static void replay_range(struct replay_group *group, size_t start, size_t end)
{
    bool all = group->run->scheme == SCHEME_WTA;
    for (size_t n = start; group->before && n < end && group->before(group, n); n++)
        replay_any(group, n, n + 1, all ? STEPS_OF_ALL : STEPS);
    if (group->before)
        return;
    if (group->run->columns > 1 || group->lanes == 1)
        replay_any(group, start, end, all ? WINNERS : VOTES);
    else
        (lanes_have_avx2() ? vote_avx2 : vote_plain)(group, start, end);
}

// Replays the run one tile of supports at a time, if the updates are in the order of the tiles.
static bool replay_values(struct replay_group *const *groups, const tlu_row *rows, size_t count,
                          struct gram_scratch *scratch)
{
    const struct replay_run *run = groups[0]->run;
    const struct gram *gram = run->gram;
    size_t supports = gram->count, n = 0;
    size_t tile = run->in_order && supports > GRAM_TILE ? GRAM_TILE : supports;
    if (!gram_load(gram, scratch, rows, count, tile))
        return false;
    for (size_t first = 0; first < supports; first += tile) {
        size_t last = supports - first < tile ? supports : first + tile, start = n;
        while (n < run->count && run->updates[n].support < last)
            n++;
        for (size_t row = 0; row < count; row += scratch->lanes) {
            struct replay_group *group = groups[row / scratch->lanes];
            gram_values(gram, scratch, row, first, last, scratch->values);
            group->values = scratch->values;
            group->first = first;
            replay_range(group, start, n);
        }
    }
    gram_unload(scratch);
    return true;
}

// ---- by gains ----

static bool replay_gains(struct replay_group *group, const tlu_row *rows,
                         struct gram_scratch *scratch)
{
    const struct replay_run *run = group->run;
    const double *gains = run->gains;
    bool all = run->scheme == SCHEME_WTA;
    if (!panel_prepare(&scratch->panel, run->gram->features, group->lanes))
        return false;
    for (size_t i = 0; i < group->count; i++)
        panel_add(&scratch->panel, &rows[i], panel_norm(&rows[i]));
    for (size_t n = 0; n < run->count && (!group->before || group->before(group, n)); n++) {
        const struct replay_update *update = &run->updates[n];
        if (!group->before && all)
            cast_winners(group, update->lasted);
        else if (!group->before)
            cast(group, update->group, update->lasted);
        shrink(group, update, all);
        for (int p = 0; p < 2; p++)
            if (update->sign[p])
                gains += panel_gain(&scratch->panel, &run->gram->rows[update->support],
                                    run->bias != 0, update->sign[p], gains,
                                    group->now + update->column[p] * group->lanes);
    }
    panel_clear(&scratch->panel);
    return true;
}

// ---- all of it ----

size_t replay_rows_at_once(const struct replay_run *run, const tlu_row *rows, size_t count)
{
    if (!run->gains)
        return gram_rows_at_once(run->gram, rows, count);
    return count < GRAM_LANES ? count : GRAM_LANES;
}

bool replay_rows(struct replay_group *const *groups, const tlu_row *rows, size_t count,
                 struct gram_scratch *scratch)
{
    assert(count > 0 && (count <= GRAM_LANES || !groups[0]->run->gains));
    return groups[0]->run->gains ? replay_gains(groups[0], rows, scratch)
                                 : replay_values(groups, rows, count, scratch);
}

void replay_last_votes(const struct replay_group *group, const double *left)
{
    if (group->run->scheme == SCHEME_WTA)
        cast_winners(group, left[0]);
    for (uint32_t c = 0; group->run->scheme != SCHEME_WTA && c < group->run->columns; c++)
        cast(group, c, left[c]);
}
