#include "train/team.h"

#include "base/memory.h"
#include "data/impute.h"
#include "learn/mix.h"
#include "train/clock.h"
#include "train/train.h"
#include "train/unite.h"

#include <math.h>
#include <string.h>

// ---- sums ----

// The part of `count` numbers that process i sums up.
static size_t part_start(const struct team *team, size_t i, size_t count)
{
    size_t share = count / team->ranks, more = count % team->ranks;
    return i * share + (i < more ? i : more);
}

static void sum_part(struct packet_reader *received, size_t ranks, double *numbers, size_t count,
                     bool largest)
{
    for (size_t k = 0; k < count; k++) {
        double result = 0;
        for (size_t i = 0; i < ranks; i++) {
            double number;
            packet_get(&received[i], &number, sizeof number);
            result = largest ? fmax(result, number) : result + number;
        }
        numbers[k] = result;
    }
}

static tlu_status combine(struct team *team, double *numbers, size_t count, bool largest,
                          tlu_error *error)
{
    struct packet_reader *received = memory_new(team->ranks, sizeof *received);
    if (!received)
        return error_memory(error);
    size_t first = part_start(team, team->rank, count);
    size_t own = part_start(team, team->rank + 1, count) - first;
    team_begin_packets(team);
    for (size_t i = 0; i < team->ranks; i++) {
        size_t start = part_start(team, i, count), end = part_start(team, i + 1, count);
        packet_put(&team->send[i], numbers + start, (end - start) * sizeof *numbers);
    }
    tlu_status status = team_exchange(team, received, error);
    if (status == TLU_OK) {
        sum_part(received, team->ranks, numbers + first, own, largest);
        team_begin_packets(team);
        packet_put(&team->send[0], numbers + first, own * sizeof *numbers);
        status = team_gather(team, received, error);
    }
    for (size_t i = 0; status == TLU_OK && i < team->ranks; i++) {
        size_t start = part_start(team, i, count), end = part_start(team, i + 1, count);
        packet_get(&received[i], numbers + start, (end - start) * sizeof *numbers);
    }
    memory_free(received);
    return status;
}

tlu_status team_sum(struct team *team, double *numbers, size_t count, tlu_error *error)
{
    return combine(team, numbers, count, false, error);
}

tlu_status team_largest(struct team *team, double *numbers, size_t count, tlu_error *error)
{
    return combine(team, numbers, count, true, error);
}

// ---- before the first example ----

static tlu_status sum_classes(struct training *t, tlu_error *error)
{
    struct scheme *scheme = &t->learner.state.scheme;
    size_t count = scheme->class_examples_count;
    double *rows = memory_new(count, sizeof *rows);
    if (!rows)
        return error_memory(error);
    for (size_t c = 0; c < count; c++)
        rows[c] = (double)scheme->class_examples[c];
    tlu_status status = team_sum(t->team, rows, count, error);
    for (size_t c = 0; status == TLU_OK && c < count; c++)
        scheme->class_examples[c] = (uint64_t)rows[c];
    memory_free(rows);
    return status;
}

static tlu_status unite_packets(struct training *t, struct packet *packets, size_t before,
                                tlu_error *error)
{
    struct team *team = t->team;
    struct packet_reader *received = memory_new(team->ranks, sizeof *received);
    if (!received)
        return error_memory(error);
    tlu_status status = team_gather(team, received, error);
    for (size_t i = 0; status == TLU_OK && i < team->ranks; i++) {
        size_t size = (size_t)(received[i].end - received[i].at);
        packets[before + i] = (struct packet){(unsigned char *)received[i].at, size, size, false};
    }
    memory_free(received);
    return status == TLU_OK ? unite_schemas(t, packets, before + team->ranks, error) : status;
}

tlu_status team_unite(struct training *t, tlu_error *error)
{
    struct team *team = t->team;
    size_t before = t->start.model ? 1 : 0, ranks = team ? team->ranks : 0;
    if (before + ranks == 0)
        return TLU_OK;
    struct packet *packets = memory_new(before + ranks, sizeof *packets), first = {0};
    TRY(enough_memory(packets != NULL, error));
    tlu_status status = TLU_OK;
    if (t->start.model) {
        t->start.pack(&first, t->start.model);
        packets[0] = first;
        status = enough_memory(!first.no_memory, error);
    }
    if (status == TLU_OK && team) {
        team_begin_packets(team);
        unite_pack(&team->send[0], &t->learner.state.schema, NULL);
        status = unite_packets(t, packets, before, error);
    } else if (status == TLU_OK) {
        status = unite_schemas(t, packets, before, error);
    }
    packet_free(&first);
    memory_free(packets);
    if (status == TLU_OK && team)
        status = sum_classes(t, error);
    return status == TLU_OK ? team_count(t, error) : status;
}

tlu_status team_agree(struct training *t, bool *flag, tlu_error *error)
{
    struct team *team = t->team;
    if (!team)
        return TLU_OK;
    double *flags = memory_new(team->ranks, sizeof *flags);
    if (!flags)
        return error_memory(error);
    if (t->rows.counts.rows)
        flags[team->rank] = *flag ? 1 : -1;
    tlu_status status = team_sum(team, flags, team->ranks, error);
    size_t first = 0;
    while (status == TLU_OK && first + 1 < team->ranks && flags[first] == 0)
        first++;
    *flag = flags[first] > 0;
    memory_free(flags);
    return status;
}

tlu_status team_reduce_sum(void *team, double *numbers, size_t count, tlu_error *error)
{
    return combine(team, numbers, count, false, error);
}

tlu_status team_reduce_largest(void *team, double *numbers, size_t count, tlu_error *error)
{
    return combine(team, numbers, count, true, error);
}

uint64_t team_rows(const struct training *t)
{
    return t->team ? t->team->counts.rows : t->rows.counts.rows;
}

uint64_t team_examples(const struct training *t)
{
    return t->team ? t->team->counts.examples : t->rows.order.count;
}

uint64_t team_held_out(const struct training *t)
{
    return t->team ? t->team->counts.held_out : t->rows.held_out.count;
}

tlu_status team_fill(struct training *t, tlu_error *error)
{
    struct schema *schema = &t->learner.state.schema;
    if (schema->column_count == 0)
        return TLU_OK;
    double *sums = memory_new(2 * schema->column_count, sizeof *sums);
    TRY(enough_memory(sums != NULL, error));
    for (size_t i = 0; i < schema->column_count; i++) {
        sums[2 * i] = schema->columns[i].fill.sum;
        sums[2 * i + 1] = (double)schema->columns[i].fill.count;
    }
    tlu_status status = team_sum(t->team, sums, 2 * schema->column_count, error);
    for (size_t i = 0; status == TLU_OK && i < schema->column_count; i++) {
        struct fill *fill = &schema->columns[i].fill;
        if (!fill->known || fill->text)
            continue;
        fill->sum = sums[2 * i];
        fill->count = (uint64_t)sums[2 * i + 1];
        fill_set_mean(fill);
    }
    memory_free(sums);
    return status;
}

tlu_status team_count(struct training *t, tlu_error *error)
{
    struct team *team = t->team;
    if (!team)
        return TLU_OK;
    const struct rows *rows = &t->rows;
    double counts[] = {(double)rows->counts.rows, (double)rows->order.count,
                       (double)rows->held_out.count, (double)rows->counts.nonzeros,
                       (double)rows->counts.skipped};
    double most = (double)rows->order.count, interrupted = t->reporter.interrupted;
    TRY(team_sum(team, counts, sizeof counts / sizeof counts[0], error));
    TRY(team_largest(team, &most, 1, error));
    TRY(team_largest(team, &interrupted, 1, error));
    if (interrupted != 0)
        return error_interrupted(error, "interrupted before anything was learned");
    team->counts =
        (struct team_counts){(uint64_t)counts[0], (uint64_t)counts[1], (uint64_t)counts[2],
                             (uint64_t)counts[3], (uint64_t)counts[4], (uint64_t)most};
    return TLU_OK;
}

// What tells the rows of all from others, and from the same rows dealt out in another way.
static tlu_status print_all(struct training *t, tlu_error *error)
{
    struct team *team = t->team;
    struct packet_reader *received = memory_new(team->ranks, sizeof *received);
    if (!received)
        return error_memory(error);
    struct fingerprint print = rows_fingerprint(&t->rows, t->rows.counts.rows, 1);
    team_begin_packets(team);
    packet_put(&team->send[0], &print, sizeof print);
    tlu_status status = team_gather(team, received, error);
    team->print = (struct fingerprint){0};
    for (size_t i = 0; status == TLU_OK && i < team->ranks; i++) {
        packet_get(&received[i], &print, sizeof print);
        team->print.rows += print.rows;
        team->print.nonzeros += print.nonzeros;
        team->print.sum = (team->print.sum ^ print.sum ^ print.rows << 32) * 0x9E3779B97F4A7C15u;
    }
    memory_free(received);
    return status;
}

tlu_status team_ready(struct training *t, tlu_error *error)
{
    if (!t->team)
        return TLU_OK;
    TRY(print_all(t, error));
    weights_free(&t->team->base);
    memset(&t->team->cost, 0, sizeof t->team->cost); // of an earlier training
    t->team->mixed = 0;
    t->team->updates = t->learner.state.updates;
    return enough_memory(weights_copy(&t->team->base, &t->learner.state.weights), error);
}

uint64_t team_chunks(const struct training *t)
{
    uint64_t most = t->team->counts.most_examples, every = t->team->mix_every;
    return every ? (most + every - 1) / every : 1;
}

void team_seed(struct training *t, uint64_t number)
{
    uint64_t seed = options_count(t->learner.state.options, OPTION_SEED);
    if (t->team)
        random_seed(&t->learner.state.random,
                    seed + (number * t->team->ranks + t->team->rank) * 0x9E3779B97F4A7C15u);
}

// ---- mixing ----

// What a process says of itself before a mixture.
struct summary {
    double weight, steps;       // examples since the last mixture, T
    uint64_t mistakes, updates; // of the pass
    unsigned char interrupted, checkpoint_due;
};

// The features are dealt out in blocks, of at most CELLS_MAX cells unless one feature has more. A
// message has the blocks in which a cell has changed: the distance to the block before, the number
// of cells, which cells they are, then their weights, sums and states. All cells of a block need no
// list; else there is a bit for each cell of the block, or the distance to the cell before,
// whatever is shorter.
#define FEATURES_MAX 64
#define CELLS_MAX 1024

struct cell_block {
    uint64_t number; // from 1; UINT64_MAX: there are no more
    size_t count;
    uint32_t *cells;         // [count] feature of the block * columns + column, ascending
    double *w, *u, *state;   // [count]
    struct packet_reader in; // the rest of the message
};

struct mixing {
    struct training *t;
    struct team *team;
    struct weights *weights;
    uint32_t columns;      // in use
    size_t block_features; // see struct cell_block
    struct mix mix;
    struct packet_reader *received; // [ranks]
    struct summary *summaries;      // [ranks]
    double *numbers;                // [2][ranks] weights, steps
    double *lanes;                  // [4][ranks][MIX_LANES] for mix_cells
    struct cell_block *blocks;      // [ranks] the next one of each process
    struct cell_block own;
    double *values;  // [4][ranks][cells of a block]: w, u, state, weight
    uint32_t *place; // [cells of a block] in `own`
};

// ---- blocks of cells ----

static size_t block_features(uint32_t columns)
{
    size_t features = CELLS_MAX / columns;
    return features > FEATURES_MAX ? FEATURES_MAX : features ? features : 1;
}

static size_t block_cells(const struct mixing *mixing)
{
    return mixing->block_features * mixing->columns;
}

static size_t owner_of(const struct team *team, uint64_t block)
{
    return (size_t)((block - 1) % team->ranks);
}

static bool block_init(struct cell_block *block, size_t cells)
{
    block->cells = memory_new(cells, sizeof *block->cells);
    block->w = memory_new(3 * cells, sizeof *block->w);
    if (!block->cells || !block->w)
        return false;
    block->u = block->w + cells;
    block->state = block->u + cells;
    return true;
}

static void block_free(struct cell_block *block)
{
    memory_free(block->cells);
    memory_free(block->w);
}

static void put_bits(struct packet *packet, const struct cell_block *block, size_t cells)
{
    unsigned char bits[64];
    for (size_t first = 0, i = 0; first < cells; first += 8 * sizeof bits) {
        size_t end = first + 8 * sizeof bits < cells ? first + 8 * sizeof bits : cells;
        memset(bits, 0, sizeof bits);
        for (; i < block->count && block->cells[i] < end; i++)
            bits[(block->cells[i] - first) / 8] |=
                (unsigned char)(1u << (block->cells[i] - first) % 8);
        packet_put(packet, bits, (end - first + 7) / 8);
    }
}

static void put_block(const struct mixing *mixing, struct packet *packet, uint64_t *last,
                      const struct cell_block *block)
{
    size_t cells = block_cells(mixing), size = block->count * sizeof(double);
    packet_put_count(packet, block->number - *last);
    packet_put_count(packet, block->count);
    *last = block->number;
    if (block->count < cells && block->count >= cells / 8)
        put_bits(packet, block, cells);
    for (size_t i = 0; block->count < cells / 8 && i < block->count; i++)
        packet_put_count(packet, block->cells[i] - (i ? block->cells[i - 1] : 0));
    packet_put(packet, block->w, size);
    if (mixing->weights->u)
        packet_put(packet, block->u, size);
    if (mixing->weights->state)
        packet_put(packet, block->state, size);
}

static size_t get_bits(struct packet_reader *in, uint32_t *to, size_t cells)
{
    size_t count = 0;
    for (size_t first = 0; first < cells; first += 8) {
        unsigned char bits;
        packet_get(in, &bits, 1);
        for (; bits; bits &= (unsigned char)(bits - 1))
            if (first + (size_t)__builtin_ctz(bits) < cells)
                to[count++] = (uint32_t)(first + (size_t)__builtin_ctz(bits));
    }
    return count;
}

// False: the message is damaged.
static bool next_block(const struct mixing *mixing, struct cell_block *block)
{
    struct packet_reader *in = &block->in;
    size_t cells = block_cells(mixing), i = 0;
    if (in->at == in->end) {
        block->number = UINT64_MAX;
        return true;
    }
    block->number += packet_get_count(in);
    uint64_t count = packet_get_count(in);
    if (in->bad || count > cells)
        return false;
    block->count = (size_t)count;
    if (count == cells) {
        for (; i < count; i++)
            block->cells[i] = (uint32_t)i;
    } else if (count >= cells / 8) {
        if (get_bits(in, block->cells, cells) != count)
            return false;
    } else {
        for (uint64_t cell = 0; i < count; i++) {
            cell += packet_get_count(in);
            if (cell >= cells)
                return false;
            block->cells[i] = (uint32_t)cell;
        }
    }
    packet_get(in, block->w, block->count * sizeof(double));
    if (mixing->weights->u)
        packet_get(in, block->u, block->count * sizeof(double));
    if (mixing->weights->state)
        packet_get(in, block->state, block->count * sizeof(double));
    return !in->bad;
}

static tlu_status damaged(tlu_error *error)
{
    return error_system(error, "a message of another process is damaged");
}

// The numbers of a cell of the last mixture.
static void base_cell(const struct mixing *mixing, uint64_t number, uint32_t cell, double *w,
                      double *u, double *state)
{
    const struct weights *base = &mixing->team->base;
    size_t feature = (size_t)(number - 1) * mixing->block_features + cell / mixing->columns;
    size_t row = weights_row(base, feature), at = row * base->columns + cell % mixing->columns;
    *w = row == SIZE_MAX ? 0 : base->w[at];
    *u = row == SIZE_MAX || !base->u ? 0 : base->u[at];
    *state = row == SIZE_MAX || !base->state ? base->state_start : weights_state(base, at);
}

// ---- the summary of a process ----

static uint32_t groups_of(const struct mixing *mixing)
{
    const struct scheme *scheme = &mixing->t->learner.state.scheme;
    return scheme_groups(scheme->kind, scheme->classes);
}

static void put_summary(struct mixing *mixing, struct packet *packet)
{
    const struct training *t = mixing->t;
    const struct weights *weights = mixing->weights;
    struct team *team = mixing->team;
    const struct progress_reporter *reporter = &t->reporter;
    struct summary own = {.weight = (double)(t->run.now.examples - team->mixed),
                          .steps = weights->steps,
                          .mistakes = t->run.now.mistakes,
                          .updates = t->learner.state.updates - team->updates,
                          .interrupted = reporter->interrupted,
                          .checkpoint_due =
                              reporter->checkpoint && clock_seconds() >= reporter->checkpoint_due};
    packet_put(packet, &own, sizeof own);
    packet_put(packet, weights->bias, mixing->columns * sizeof *weights->bias);
    if (weights->u)
        packet_put(packet, weights->u_bias, mixing->columns * sizeof *weights->u_bias);
    if (weights->state)
        packet_put(packet, weights->state_bias, mixing->columns * sizeof *weights->state_bias);
    for (uint32_t g = 0; g < groups_of(mixing); g++) {
        double updates = (double)t->learner.state.group_updates[g];
        packet_put(packet, &updates, sizeof updates);
    }
}

// ---- changes ----

// Adds the cells of a feature that have changed since the last mixture. `row`: of the weights.
static void add_changes(struct mixing *mixing, size_t feature, size_t row)
{
    const struct weights *now = mixing->weights, *base = &mixing->team->base;
    struct cell_block *own = &mixing->own;
    size_t at = row * now->columns;
    uint32_t cell = (uint32_t)(feature % mixing->block_features * mixing->columns);
    for (uint32_t c = 0; c < mixing->columns; c++, at++, cell++) {
        double u = now->u ? now->u[at] : 0, state = now->state ? weights_state(now, at) : 0;
        if (now->w[at] == base->w[at] && (!now->u || u == base->u[at]) &&
            (!now->state || state == weights_state(base, at)))
            continue;
        own->cells[own->count] = cell;
        own->w[own->count] = now->w[at];
        own->u[own->count] = u;
        own->state[own->count++] = state;
    }
}

// Whether cells [at, at + count) of an array are those of the last mixture.
static bool is_unchanged(const struct mixing *mixing, size_t at, size_t count)
{
    const struct weights *now = mixing->weights, *base = &mixing->team->base;
    size_t size = count * sizeof(double);
    return memcmp(now->w + at, base->w + at, size) == 0 &&
           (!now->u || memcmp(now->u + at, base->u + at, size) == 0) &&
           (!now->state || memcmp(now->state + at, base->state + at, size) == 0);
}

static void send_own(struct mixing *mixing, uint64_t *last)
{
    size_t owner = owner_of(mixing->team, mixing->own.number);
    if (mixing->own.count)
        put_block(mixing, &mixing->team->send[owner], &last[owner], &mixing->own);
    mixing->own.count = 0;
}

// Packs the changed cells for their owners, and returns the number of features.
static size_t pack_changes(struct mixing *mixing, uint64_t *last)
{
    const struct weights *now = mixing->weights;
    size_t wide = mixing->block_features, row, features = 0;
    mixing->own.count = 0;
    for (size_t f = weights_next(now, 0, &row); f != SIZE_MAX; features++) {
        uint64_t number = f / wide + 1;
        if (number != mixing->own.number || features == 0)
            send_own(mixing, last);
        mixing->own.number = number;
        if (!now->slots && f % wide == 0) { // the rows of a block lie side by side
            size_t rows = now->features - f < wide ? now->features - f : wide;
            if (is_unchanged(mixing, f * now->columns, rows * now->columns)) {
                features += rows - 1;
                f = weights_next(now, f + rows, &row);
                continue;
            }
        }
        if (!now->slots || !is_unchanged(mixing, row * now->columns, now->columns))
            add_changes(mixing, f, row);
        f = weights_next(now, f + 1, &row);
    }
    send_own(mixing, last);
    return features;
}

// Sends the changed cells to their owners, after the summary.
static tlu_status send_changes(struct mixing *mixing, tlu_error *error)
{
    struct team *team = mixing->team;
    uint64_t *last = memory_new(team->ranks, sizeof *last);
    if (!last || !weights_follow(&team->base, mixing->weights)) {
        memory_free(last);
        return error_memory(error);
    }
    team_begin_packets(team);
    for (size_t i = 0; i < team->ranks; i++)
        put_summary(mixing, &team->send[i]);
    size_t all = pack_changes(mixing, last);
    memory_free(last);
    for (size_t i = 0; i < team->ranks; i++)
        team->cost.bytes += i == team->rank ? 0 : team->send[i].size;
    // Densely, each process would send all cells of others to their owners, and its own to all.
    size_t arrays = 1u + (mixing->weights->u ? 1u : 0u) + (mixing->weights->state ? 1u : 0u);
    team->cost.dense +=
        2 * sizeof(double) * all * mixing->columns * arrays * (team->ranks - 1) / team->ranks;
    return team_exchange(team, mixing->received, error);
}

// ---- means ----

// Sets the cells of `own` to those that any process has changed in this block, and their numbers in
// all processes.
static void unite_cells(struct mixing *mixing, uint64_t number)
{
    size_t cells = block_cells(mixing), ranks = mixing->team->ranks;
    struct cell_block *own = &mixing->own;
    own->number = number;
    own->count = 0;
    memset(mixing->place, 0, cells * sizeof *mixing->place);
    for (size_t i = 0; i < ranks; i++)
        for (size_t k = 0; mixing->blocks[i].number == number && k < mixing->blocks[i].count; k++)
            mixing->place[mixing->blocks[i].cells[k]] = 1;
    for (size_t cell = 0; cell < cells; cell++)
        if (mixing->place[cell]) {
            mixing->place[cell] = (uint32_t)own->count;
            own->cells[own->count++] = (uint32_t)cell;
        }
    double *w = mixing->values, *u = w + ranks * cells, *state = u + ranks * cells;
    double *weight = state + ranks * cells;
    for (size_t k = 0; k < own->count; k++)
        base_cell(mixing, number, own->cells[k], &own->w[k], &own->u[k], &own->state[k]);
    // By cells a process without a change has no weight; with the state of another one, equal
    // states have an exact mean.
    for (size_t i = 0; mixing->team->by_cells && i < ranks; i++)
        for (size_t k = 0; mixing->blocks[i].number == number && k < mixing->blocks[i].count; k++)
            own->state[mixing->place[mixing->blocks[i].cells[k]]] = mixing->blocks[i].state[k];
    for (size_t i = 0; i < ranks; i++) {
        struct cell_block *block = &mixing->blocks[i];
        size_t size = own->count * sizeof *w, at = i * cells;
        memcpy(w + at, own->w, size);
        memcpy(u + at, own->u, size);
        memcpy(state + at, own->state, size);
        memset(weight + at, 0, size);
        for (size_t k = 0; block->number == number && k < block->count; k++) {
            size_t place = at + mixing->place[block->cells[k]];
            w[place] = block->w[k];
            u[place] = block->u[k];
            state[place] = block->state[k];
            weight[place] = mixing->mix.weights[i];
        }
    }
}

// Means of cells whose numbers are values[4][ranks][stride]. `by_cells`: their weights, too.
static void mean_cells(struct mixing *mixing, bool by_cells, size_t stride, size_t all, double *w,
                       double *u, double *state)
{
    size_t ranks = mixing->team->ranks;
    double *weights = mixing->lanes + 3 * ranks * MIX_LANES;
    struct mix_cells lanes = {.w = mixing->lanes, .weights = by_cells ? weights : NULL};
    if (mixing->weights->u)
        lanes.u = mixing->lanes + ranks * MIX_LANES;
    if (mixing->weights->state)
        lanes.state = mixing->lanes + 2 * ranks * MIX_LANES;
    for (size_t first = 0; first < all; first += MIX_LANES) {
        size_t count = all - first < MIX_LANES ? all - first : MIX_LANES;
        for (size_t i = 0; i < ranks; i++) {
            const double *from = mixing->values + i * stride + first;
            memcpy(lanes.w + i * MIX_LANES, from, count * sizeof *from);
            if (lanes.u)
                memcpy(lanes.u + i * MIX_LANES, from + ranks * stride, count * sizeof *from);
            if (lanes.state)
                memcpy(lanes.state + i * MIX_LANES, from + 2 * ranks * stride,
                       count * sizeof *from);
        }
        for (size_t i = 0; by_cells && i < ranks; i++)
            memcpy(weights + i * MIX_LANES, mixing->values + (3 * ranks + i) * stride + first,
                   count * sizeof *weights);
        mix_cells(&mixing->mix, &lanes);
        memcpy(w + first, lanes.mean_w, count * sizeof *w);
        if (lanes.u)
            memcpy(u + first, lanes.mean_u, count * sizeof *u);
        if (lanes.state)
            memcpy(state + first, lanes.mean_state, count * sizeof *state);
    }
}

// Computes the means of the cells that this process owns, and sends them to all.
static tlu_status send_means(struct mixing *mixing, tlu_error *error)
{
    struct team *team = mixing->team;
    uint64_t last = 0;
    bool fine = true;
    team_begin_packets(team);
    for (size_t i = 0; i < team->ranks; i++) {
        mixing->blocks[i].in = mixing->received[i];
        mixing->blocks[i].number = 0;
        fine &= next_block(mixing, &mixing->blocks[i]);
    }
    while (fine) {
        uint64_t number = UINT64_MAX;
        for (size_t i = 0; i < team->ranks; i++)
            number = mixing->blocks[i].number < number ? mixing->blocks[i].number : number;
        if (number == UINT64_MAX)
            break;
        unite_cells(mixing, number);
        mean_cells(mixing, team->by_cells, block_cells(mixing), mixing->own.count, mixing->own.w,
                   mixing->own.u, mixing->own.state);
        put_block(mixing, &team->send[0], &last, &mixing->own);
        for (size_t i = 0; i < team->ranks; i++)
            if (mixing->blocks[i].number == number)
                fine &= next_block(mixing, &mixing->blocks[i]);
    }
    if (!fine)
        return damaged(error);
    team->cost.bytes += team->send[0].size * (team->ranks - 1);
    return team_gather(team, mixing->received, error);
}

static void set_cell(struct weights *weights, size_t at, const struct cell_block *from, size_t k)
{
    weights->w[at] = from->w[k];
    if (weights->u)
        weights->u[at] = from->u[k];
    if (weights->state && from->state[k] != weights_state(weights, at))
        weights_set_state(weights, at, from->state[k]);
}

static tlu_status take_block(struct mixing *mixing, const struct cell_block *block,
                             tlu_error *error)
{
    struct weights *weights = mixing->weights, *base = &mixing->team->base;
    size_t first = (size_t)(block->number - 1) * mixing->block_features;
    size_t feature = SIZE_MAX, row = SIZE_MAX;
    for (size_t k = 0; k < block->count; k++) {
        size_t own = first + block->cells[k] / mixing->columns;
        if (own != feature) {
            feature = own;
            row = !weights->slots && feature < base->rows ? feature
                  : feature < weights->features           ? weights_add_row(weights, feature)
                                                          : SIZE_MAX;
            bool grown = base->rows < weights->rows;
            if (row == SIZE_MAX || (grown && !weights_follow(base, weights)))
                return error_memory(error);
        }
        size_t at = row * weights->columns + block->cells[k] % mixing->columns;
        set_cell(weights, at, block, k);
        set_cell(base, at, block, k);
    }
    return TLU_OK;
}

static tlu_status take_means(struct mixing *mixing, tlu_error *error)
{
    struct cell_block *own = &mixing->own;
    for (size_t i = 0; i < mixing->team->ranks; i++) {
        own->in = mixing->received[i];
        own->number = 0;
        for (;;) {
            if (!next_block(mixing, own))
                return damaged(error);
            if (own->number == UINT64_MAX)
                break;
            TRY(take_block(mixing, own, error));
        }
    }
    return TLU_OK;
}

// ---- what all processes compute from what all have sent ----

static void mix_biases(struct mixing *mixing)
{
    struct weights *weights = mixing->weights;
    size_t ranks = mixing->team->ranks, columns = mixing->columns;
    double *arrays[] = {weights->bias, weights->u_bias, weights->state_bias};
    for (size_t i = 0; i < ranks; i++)
        for (size_t k = 0; k < 3; k++)
            if (arrays[k])
                packet_get(&mixing->received[i], mixing->values + (k * ranks + i) * columns,
                           columns * sizeof *mixing->values);
    mean_cells(mixing, false, columns, columns, arrays[0], arrays[1], arrays[2]);
}

// The counts of the pass become those of all.
static void take_counts(struct mixing *mixing, bool end)
{
    struct training *t = mixing->t;
    struct team *team = mixing->team;
    uint64_t mistakes = 0, updates = 0;
    for (size_t i = 0; i < team->ranks; i++) {
        mistakes += mixing->summaries[i].mistakes;
        updates += mixing->summaries[i].updates;
        t->reporter.interrupted |= mixing->summaries[i].interrupted != 0;
    }
    team->checkpoint_due = mixing->summaries[0].checkpoint_due;
    if (!end && !t->reporter.interrupted)
        return;
    t->run.now.mistakes = mistakes;
    t->learner.state.updates = team->updates + updates;
}

static bool mixing_init(struct mixing *mixing, struct training *t)
{
    struct team *team = t->team;
    size_t ranks = team->ranks;
    uint32_t columns = learner_columns(&t->learner);
    *mixing = (struct mixing){.t = t,
                              .team = team,
                              .weights = &t->learner.state.weights,
                              .columns = columns,
                              .block_features = block_features(columns)};
    size_t cells = block_cells(mixing);
    mixing->received = memory_new(ranks, sizeof *mixing->received);
    mixing->summaries = memory_new(ranks, sizeof *mixing->summaries);
    mixing->numbers = memory_new(2 * ranks, sizeof *mixing->numbers);
    mixing->lanes = memory_new(4 * ranks * MIX_LANES, sizeof *mixing->lanes);
    mixing->values = memory_new(4 * ranks * cells, sizeof *mixing->values);
    mixing->place = memory_new(cells, sizeof *mixing->place);
    mixing->blocks = memory_new(ranks, sizeof *mixing->blocks);
    bool fine = block_init(&mixing->own, cells) && mixing->blocks;
    for (size_t i = 0; fine && i < ranks; i++)
        fine = block_init(&mixing->blocks[i], cells);
    return fine && mixing->received && mixing->summaries && mixing->numbers && mixing->lanes &&
           mixing->values && mixing->place;
}

static void mixing_free(struct mixing *mixing)
{
    for (size_t i = 0; mixing->blocks && i < mixing->team->ranks; i++)
        block_free(&mixing->blocks[i]);
    block_free(&mixing->own);
    mix_free(&mixing->mix);
    memory_free(mixing->received);
    memory_free(mixing->summaries);
    memory_free(mixing->numbers);
    memory_free(mixing->lanes);
    memory_free(mixing->values);
    memory_free(mixing->place);
    memory_free(mixing->blocks);
}

static bool has_weight(const struct mixing *mixing)
{
    for (size_t i = 0; i < mixing->team->ranks; i++)
        if (mixing->mix.weights[i] > 0)
            return true;
    return false;
}

static tlu_status take_summaries(struct mixing *mixing, tlu_error *error)
{
    size_t ranks = mixing->team->ranks;
    double *weights = mixing->numbers, *steps = weights + ranks;
    for (size_t i = 0; i < ranks; i++) {
        packet_get(&mixing->received[i], &mixing->summaries[i], sizeof mixing->summaries[i]);
        weights[i] = mixing->summaries[i].weight;
        steps[i] = mixing->summaries[i].steps;
    }
    return enough_memory(mix_init(&mixing->mix, ranks, weights, steps, &mixing->t->learner), error);
}

static void mix_group_updates(struct mixing *mixing)
{
    struct learner_state *state = &mixing->t->learner.state;
    double *updates = mixing->values; // the cells are not in use
    for (uint32_t g = 0; g < groups_of(mixing); g++) {
        for (size_t i = 0; i < mixing->team->ranks; i++)
            packet_get(&mixing->received[i], &updates[i], sizeof *updates);
        state->group_updates[g] = (uint64_t)(mix_mean(&mixing->mix, updates, NULL) + 0.5);
    }
}

static tlu_status mix(struct mixing *mixing, bool end, tlu_error *error)
{
    TRY(send_changes(mixing, error));
    TRY(take_summaries(mixing, error));
    take_counts(mixing, end);
    if (!has_weight(mixing)) // no process has learned from a row
        return TLU_OK;
    mix_biases(mixing);
    mix_group_updates(mixing);
    TRY(send_means(mixing, error));
    TRY(take_means(mixing, error));
    mix_finish(&mixing->t->learner, &mixing->mix);
    return TLU_OK;
}

tlu_status team_mix(struct training *t, bool end, tlu_error *error)
{
    struct team *team = t->team;
    struct mixing mixing;
    double started = clock_seconds();
    weights_settle(&t->learner.state.weights);
    tlu_status status = TLU_OK;
    if (!mixing_init(&mixing, t))
        status = error_memory(error);
    if (status == TLU_OK)
        status = mix(&mixing, end, error);
    mixing_free(&mixing);
    team->mixed = end ? 0 : t->run.now.examples;
    if (end)
        team->updates = t->learner.state.updates;
    team->cost.mixtures++;
    team->cost.seconds += clock_seconds() - started;
    return status;
}
