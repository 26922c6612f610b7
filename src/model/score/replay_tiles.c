// The replay of a run for several rows, side by side.
#include "model/score/score_cache.h"
#include "vector/lanes.h"

static const double *values_of(const struct play *play, const struct turn *turn)
{
    return play->values + (turn->support - play->first) * play->lanes;
}

// ---- one weight vector ----

LANES_BODY void vote_all(const struct play *play, size_t start, size_t end)
{
    four now[GRAM_LANES / 4], votes[GRAM_LANES / 4];
    double bias = play->bias;
    for (size_t i = 0; i < GRAM_LANES / 4; i++) {
        now[i] = *(four *)(play->now + 4 * i);
        votes[i] = *(four *)(play->votes + 4 * i);
    }
    for (const struct turn *turn = play->turns + start; turn < play->turns + end; turn++) {
        const double *values = play->values + (turn->support - play->first) * GRAM_LANES;
        four lasted = turn->lasted - (four){0};
#pragma GCC unroll 4
        for (size_t i = 0; i < GRAM_LANES / 4; i++) {
            four_bits counts = (four_bits)(now[i] >= 0) & (four_bits)lasted;
            votes[i] += (four)counts;
        }
        if (turn->factor != 1)
#pragma GCC unroll 4
            for (size_t i = 0; i < GRAM_LANES / 4; i++)
                now[i] *= turn->factor;
        if (turn->amount[0] != 0)
#pragma GCC unroll 4
            for (size_t i = 0; i < GRAM_LANES / 4; i++)
                now[i] += turn->amount[0] * (*(const four *)(values + 4 * i) + bias);
    }
    for (size_t i = 0; i < GRAM_LANES / 4; i++) {
        *(four *)(play->now + 4 * i) = now[i];
        *(four *)(play->votes + 4 * i) = votes[i];
    }
}

LANES_AVX2 static void vote_avx2(const struct play *play, size_t start, size_t end)
{
    vote_all(play, start, end);
}

static void vote_plain(const struct play *play, size_t start, size_t end)
{
    vote_all(play, start, end);
}

// ---- several ----

LANES_BODY void cast(const struct play *play, uint32_t column, double lasted)
{
    const double *now = play->now + column * play->lanes;
    double *votes = play->votes + column * play->lanes;
    for (size_t i = 0; i + 4 <= play->lanes; i += 4) {
        four counts = lasted - (four){0};
        four_bits mask = (four_bits)(*(const four *)(now + i) >= 0);
        *(four *)(votes + i) += (four)(mask & (four_bits)counts);
    }
    if (play->lanes == 1)
        votes[0] += now[0] >= 0 ? lasted : 0;
}

LANES_BODY void cast_winners(const struct play *play, double lasted)
{
    for (size_t i = 0; i + 4 <= play->lanes; i += 4) {
        four best = *(const four *)(play->now + i);
        four_bits winner = {0};
        for (uint32_t c = 1; c < play->columns; c++) {
            four other = *(const four *)(play->now + c * play->lanes + i);
            four_bits wins = (four_bits)(other > best);
            best = (four)(((four_bits)other & wins) | ((four_bits)best & ~wins));
            winner = (((int64_t)c - (four_bits){0}) & wins) | (winner & ~wins);
        }
        for (size_t k = 0; k < 4; k++)
            play->votes[(size_t)winner[k] * play->lanes + i + k] += lasted;
    }
    if (play->lanes > 1)
        return;
    size_t winner = 0;
    for (size_t c = 1; c < play->columns; c++)
        if (play->now[c] > play->now[winner])
            winner = c;
    play->votes[winner] += lasted;
}

// A column, or all if they shrink together.
LANES_BODY void shrink(const struct play *play, const struct turn *turn, bool all_columns)
{
    size_t first = all_columns ? 0 : turn->group;
    size_t last = all_columns ? play->columns : (size_t)turn->group + 1;
    for (size_t i = first * play->lanes; turn->factor != 1 && i < last * play->lanes; i++)
        play->now[i] *= turn->factor;
}

LANES_BODY void take(const struct play *play, const struct turn *turn, bool all_columns)
{
    size_t lanes = play->lanes;
    shrink(play, turn, all_columns);
    const double *values = values_of(play, turn);
    for (int p = 0; p < 2; p++) {
        double *now = play->now + turn->column[p] * lanes, amount = turn->amount[p];
        if (amount == 0)
            continue;
        for (size_t i = 0; i + 4 <= lanes; i += 4)
            *(four *)(now + i) += amount * (*(const four *)(values + i) + play->bias);
        if (lanes == 1)
            now[0] += amount * (values[0] + play->bias);
    }
}

enum playing { VOTES, WINNERS, STEPS, STEPS_OF_ALL };

LANES_BODY void play_turns(const struct play *play, size_t start, size_t end, enum playing what)
{
    for (const struct turn *turn = play->turns + start; turn < play->turns + end; turn++) {
        if (what == VOTES)
            cast(play, turn->group, turn->lasted);
        else if (what == WINNERS && turn->lasted != 0)
            cast_winners(play, turn->lasted);
        take(play, turn, what == WINNERS || what == STEPS_OF_ALL);
    }
}

LANES_AVX2 static void play_avx2(const struct play *play, size_t start, size_t end,
                                 enum playing what)
{
    play_turns(play, start, end, what);
}

static void play_any(const struct play *play, size_t start, size_t end, enum playing what)
{
    if (lanes_have_avx2())
        play_avx2(play, start, end, what);
    else
        play_turns(play, start, end, what);
}

void play_votes(const struct play *play, size_t start, size_t end)
{
    if (play->columns > 1 || play->lanes == 1) {
        play_any(play, start, end, VOTES);
        return;
    }
    (lanes_have_avx2() ? vote_avx2 : vote_plain)(play, start, end);
}

void play_winners(const struct play *play, size_t start, size_t end)
{
    play_any(play, start, end, WINNERS);
}

void play_steps(const struct play *play, size_t start, size_t end, bool all_columns)
{
    play_any(play, start, end, all_columns ? STEPS_OF_ALL : STEPS);
}

void play_cast(const struct play *play, uint32_t column, double lasted)
{
    cast(play, column, lasted);
}

void play_cast_winners(const struct play *play, double lasted)
{
    cast_winners(play, lasted);
}

void play_shrink(const struct play *play, const struct turn *turn, bool all_columns)
{
    shrink(play, turn, all_columns);
}

// ---- coefficients ----

LANES_BODY void add_all(const double *values, size_t lanes, const double *amounts, uint32_t columns,
                        double *sums)
{
    for (uint32_t c = 0; c < columns; c++) {
        if (amounts[c] == 0)
            continue;
        for (size_t i = 0; i + 4 <= lanes; i += 4)
            *(four *)(sums + c * lanes + i) += amounts[c] * *(const four *)(values + i);
        if (lanes == 1)
            sums[c] += amounts[c] * values[0];
    }
}

LANES_AVX2 static void add_all_avx2(const double *values, size_t lanes, const double *amounts,
                                    uint32_t columns, double *sums)
{
    add_all(values, lanes, amounts, columns, sums);
}

void play_add(const double *values, size_t lanes, const double *amounts, uint32_t columns,
              double *sums)
{
    if (lanes_have_avx2())
        add_all_avx2(values, lanes, amounts, columns, sums);
    else
        add_all(values, lanes, amounts, columns, sums);
}
