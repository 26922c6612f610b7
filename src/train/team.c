#include "train/team.h"

#include "base/memory.h"
#include "data/impute.h"
#include "learn/mix.h"
#include "train/clock.h"
#include "train/train.h"
#include "train/unite.h"

#include <math.h>
#include <string.h>

#define BLOCK 64 // features of one owner, one after the other

// ---- exchanges ----

struct team *team_new(const tlu_team *out, uint64_t mix_every)
{
    struct team *team = memory_new(1, sizeof *team);
    if (!team)
        return NULL;
    *team = (struct team){.out = out,
                          .rank = out->rank,
                          .ranks = out->ranks,
                          .mix_every = mix_every,
                          .send = memory_new(out->ranks, sizeof *team->send),
                          .outgoing = memory_new(out->ranks, sizeof *team->outgoing),
                          .incoming = memory_new(out->ranks, sizeof *team->incoming)};
    if (team->send && team->outgoing && team->incoming)
        return team;
    team_free(team);
    return NULL;
}

void team_free(struct team *team)
{
    if (!team)
        return;
    for (size_t i = 0; team->send && i < team->ranks; i++)
        packet_free(&team->send[i]);
    memory_free(team->send);
    memory_free(team->outgoing);
    memory_free(team->incoming);
    weights_free(&team->base);
    memory_free(team);
}

// Every message begins with a status; after one that is not TLU_OK follows the error.
void team_begin_packets(struct team *team)
{
    static const unsigned char fine = TLU_OK;
    for (size_t i = 0; i < team->ranks; i++) {
        team->send[i].size = 0;
        team->send[i].no_memory = false;
        packet_put(&team->send[i], &fine, 1);
    }
}

// Sends and receives, and returns the error of the first process that has one.
static tlu_status exchange(struct team *team, struct packet_reader *received, tlu_error *error)
{
    tlu_status failed = TLU_OK;
    if (team->out->exchange(team->out->exchange_context, team->outgoing, team->incoming, error) !=
        0) {
        team->over = true;
        return error && error->status ? error->status
                                      : error_system(error, "the processes of the job cannot reach "
                                                            "each other any more");
    }
    for (size_t i = 0; i < team->ranks; i++) {
        const unsigned char *bytes = team->incoming[i].bytes;
        struct packet_reader in = {bytes, bytes + team->incoming[i].size, false};
        unsigned char status;
        packet_get(&in, &status, 1);
        if (status != TLU_OK && failed == TLU_OK) {
            tlu_error theirs;
            packet_get(&in, &theirs, sizeof theirs);
            failed = in.bad ? TLU_ERROR_SYSTEM : (tlu_status)status;
            if (error && !in.bad)
                *error = theirs;
            team->over = true;
        }
        if (received)
            received[i] = in;
    }
    return failed;
}

tlu_status team_exchange(struct team *team, struct packet_reader *received, tlu_error *error)
{
    for (size_t i = 0; i < team->ranks; i++) {
        if (team->send[i].no_memory)
            return error_memory(error);
        team->outgoing[i] = (tlu_message){team->send[i].bytes, team->send[i].size};
    }
    return exchange(team, received, error);
}

tlu_status team_gather(struct team *team, struct packet_reader *received, tlu_error *error)
{
    if (team->send[0].no_memory)
        return error_memory(error);
    for (size_t i = 0; i < team->ranks; i++)
        team->outgoing[i] = (tlu_message){team->send[0].bytes, team->send[0].size};
    return exchange(team, received, error);
}

void team_fail(struct team *team, const tlu_error *error)
{
    struct {
        unsigned char status;
        tlu_error error;
    } __attribute__((packed)) message = {0};
    if (team->over)
        return;
    message.status = (unsigned char)(error && error->status ? error->status : TLU_ERROR_SYSTEM);
    if (error)
        message.error = *error;
    for (size_t i = 0; i < team->ranks; i++)
        team->outgoing[i] = (tlu_message){&message, sizeof message};
    tlu_error ignored;
    exchange(team, NULL, &ignored);
    team->over = true;
}

tlu_status team_join(struct team *team, const tlu_error *own, tlu_error *error)
{
    if (own->status != TLU_OK) {
        tlu_status status = own->status;
        team_fail(team, own);
        if (error && error != own)
            *error = *own;
        return status;
    }
    team_begin_packets(team);
    return team_gather(team, NULL, error);
}

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

struct mixing {
    struct training *t;
    struct team *team;
    struct weights *weights;
    uint32_t columns; // in use
    struct mix mix;
    struct mix_cells cells;
    struct packet_reader *received; // [ranks]
    struct summary *summaries;      // [ranks]
    double *numbers;                // [5 ranks]
    double *group_updates;          // [groups]
};

// The three numbers of a cell.
struct cell {
    double w, u, state;
};

static struct cell cell_at(const struct weights *weights, size_t feature, uint32_t column)
{
    struct cell cell = {0, 0, weights->state_start};
    size_t row = weights_row(weights, feature);
    if (row == SIZE_MAX)
        return cell;
    size_t at = row * weights->columns + column;
    cell.w = weights->w[at];
    if (weights->u)
        cell.u = weights->u[at];
    if (weights->state)
        cell.state = weights_state(weights, at);
    return cell;
}

static void put_cell(const struct mixing *mixing, struct packet *packet, const struct cell *cell)
{
    packet_put(packet, &cell->w, sizeof cell->w);
    if (mixing->weights->u)
        packet_put(packet, &cell->u, sizeof cell->u);
    if (mixing->weights->state)
        packet_put(packet, &cell->state, sizeof cell->state);
}

static void get_cell(const struct mixing *mixing, struct packet_reader *in, struct cell *cell)
{
    *cell = (struct cell){0, 0, 0};
    packet_get(in, &cell->w, sizeof cell->w);
    if (mixing->weights->u)
        packet_get(in, &cell->u, sizeof cell->u);
    if (mixing->weights->state)
        packet_get(in, &cell->state, sizeof cell->state);
}

static size_t owner_of(const struct team *team, size_t feature)
{
    return feature / BLOCK % team->ranks;
}

// The rest of a list of cells: each is the distance to the one before, then its numbers.
struct cell_list {
    struct packet_reader in;
    uint64_t next; // number of the next cell, from 1; UINT64_MAX: the list has ended
};

static void list_advance(struct cell_list *list)
{
    if (list->in.at == list->in.end)
        list->next = UINT64_MAX;
    else
        list->next += packet_get_count(&list->in);
}

// Whether a row of an array has changed since the last mixture.
static bool has_changed(const struct mixing *mixing, size_t row)
{
    const struct weights *now = mixing->weights, *base = &mixing->team->base;
    size_t at = row * now->columns, size = mixing->columns * sizeof(double);
    return memcmp(now->w + at, base->w + at, size) != 0 ||
           (now->u && memcmp(now->u + at, base->u + at, size) != 0) ||
           (now->state && memcmp(now->state + at, base->state + at, size) != 0);
}

static bool is_same(const struct cell *a, const struct cell *b)
{
    return a->w == b->w && a->u == b->u && a->state == b->state;
}

// Sends the changed cells to their owners.
static tlu_status send_changes(struct mixing *mixing, tlu_error *error)
{
    struct team *team = mixing->team;
    uint64_t *last = memory_new(team->ranks, sizeof *last);
    if (!last || !weights_follow(&team->base, mixing->weights)) {
        memory_free(last);
        return error_memory(error);
    }
    team_begin_packets(team);
    size_t row, all = 0;
    for (size_t f = weights_next(mixing->weights, 0, &row); f != SIZE_MAX;
         f = weights_next(mixing->weights, f + 1, &row), all++) {
        if (!has_changed(mixing, row))
            continue;
        size_t owner = owner_of(team, f);
        for (uint32_t c = 0; c < mixing->columns; c++) {
            struct cell now = cell_at(mixing->weights, f, c), base = cell_at(&team->base, f, c);
            uint64_t number = (uint64_t)f * mixing->columns + c + 1;
            if (is_same(&now, &base))
                continue;
            packet_put_count(&team->send[owner], number - last[owner]);
            put_cell(mixing, &team->send[owner], &now);
            last[owner] = number;
        }
    }
    memory_free(last);
    for (size_t i = 0; i < team->ranks; i++)
        team->cost.bytes += i == team->rank ? 0 : team->send[i].size;
    // Densely, each process would send all cells of others to their owners, and its own to all.
    size_t arrays = 1u + (mixing->weights->u ? 1u : 0u) + (mixing->weights->state ? 1u : 0u);
    team->cost.dense +=
        2 * sizeof(double) * all * mixing->columns * arrays * (team->ranks - 1) / team->ranks;
    return team_exchange(team, mixing->received, error);
}

// Computes the mean of one cell from the lists that have it, and from the last mixture.
static struct cell mean_cell(struct mixing *mixing, struct cell_list *lists, uint64_t number)
{
    struct team *team = mixing->team;
    struct mix_cells *cells = &mixing->cells;
    struct cell base = cell_at(&team->base, (size_t)((number - 1) / mixing->columns),
                               (uint32_t)((number - 1) % mixing->columns));
    for (size_t i = 0; i < team->ranks; i++) {
        struct cell cell = base;
        if (lists[i].next == number) {
            get_cell(mixing, &lists[i].in, &cell);
            list_advance(&lists[i]);
        }
        cells->w[i] = cell.w;
        if (cells->u)
            cells->u[i] = cell.u;
        if (cells->state)
            cells->state[i] = cell.state;
    }
    mix_cell(&mixing->mix, cells);
    return (struct cell){cells->mean_w, cells->mean_u, cells->mean_state};
}

// Computes the means of the cells that this process owns, and sends them to all.
static tlu_status send_means(struct mixing *mixing, tlu_error *error)
{
    struct team *team = mixing->team;
    struct cell_list *lists = memory_new(team->ranks, sizeof *lists);
    if (!lists)
        return error_memory(error);
    team_begin_packets(team);
    for (size_t i = 0; i < team->ranks; i++) {
        lists[i] = (struct cell_list){mixing->received[i], 0};
        list_advance(&lists[i]);
    }
    for (uint64_t last = 0;;) {
        uint64_t number = UINT64_MAX;
        for (size_t i = 0; i < team->ranks; i++)
            number = lists[i].next < number ? lists[i].next : number;
        if (number == UINT64_MAX)
            break;
        struct cell mean = mean_cell(mixing, lists, number);
        packet_put_count(&team->send[0], number - last);
        put_cell(mixing, &team->send[0], &mean);
        last = number;
    }
    memory_free(lists);
    team->cost.bytes += team->send[0].size * (team->ranks - 1);
    return team_gather(team, mixing->received, error);
}

static void set_cell(struct weights *weights, size_t at, const struct cell *cell)
{
    weights->w[at] = cell->w;
    if (weights->u)
        weights->u[at] = cell->u;
    if (weights->state && cell->state != weights_state(weights, at))
        weights_set_state(weights, at, cell->state);
}

static tlu_status take_means(struct mixing *mixing, tlu_error *error)
{
    struct team *team = mixing->team;
    for (size_t i = 0; i < team->ranks; i++) {
        struct cell_list list = {mixing->received[i], 0};
        for (list_advance(&list); list.next != UINT64_MAX; list_advance(&list)) {
            size_t feature = (size_t)((list.next - 1) / mixing->columns);
            uint32_t column = (uint32_t)((list.next - 1) % mixing->columns);
            struct cell cell;
            get_cell(mixing, &list.in, &cell);
            size_t row = feature < mixing->weights->features
                             ? weights_add_row(mixing->weights, feature)
                             : SIZE_MAX;
            bool grown = team->base.rows < mixing->weights->rows;
            if (list.in.bad || row == SIZE_MAX ||
                (grown && !weights_follow(&team->base, mixing->weights)))
                return error_memory(error);
            size_t at = row * mixing->weights->columns + column;
            set_cell(mixing->weights, at, &cell);
            set_cell(&team->base, at, &cell);
        }
    }
    return TLU_OK;
}

// ---- what all processes compute from what all have sent ----

static uint32_t groups_of(const struct mixing *mixing)
{
    const struct scheme *scheme = &mixing->t->learner.state.scheme;
    return scheme_groups(scheme->kind, scheme->classes);
}

static void put_summary(struct mixing *mixing)
{
    const struct training *t = mixing->t;
    struct team *team = mixing->team;
    struct packet *packet = &team->send[0];
    const struct progress_reporter *reporter = &t->reporter;
    struct summary own = {.weight = (double)(t->run.now.examples - team->mixed),
                          .steps = mixing->weights->steps,
                          .mistakes = t->run.now.mistakes,
                          .updates = t->learner.state.updates - team->updates,
                          .interrupted = reporter->interrupted,
                          .checkpoint_due =
                              reporter->checkpoint && clock_seconds() >= reporter->checkpoint_due};
    packet_put(packet, &own, sizeof own);
    for (uint32_t c = 0; c < mixing->columns; c++) {
        struct cell bias = {mixing->weights->bias[c], 0, 0};
        if (mixing->weights->u)
            bias.u = mixing->weights->u_bias[c];
        if (mixing->weights->state)
            bias.state = mixing->weights->state_bias[c];
        put_cell(mixing, packet, &bias);
    }
    for (uint32_t g = 0; g < groups_of(mixing); g++) {
        double updates = (double)t->learner.state.group_updates[g];
        packet_put(packet, &updates, sizeof updates);
    }
}

static void mix_biases(struct mixing *mixing)
{
    struct weights *weights = mixing->weights;
    struct mix_cells *cells = &mixing->cells;
    for (uint32_t c = 0; c < mixing->columns; c++) {
        for (size_t i = 0; i < mixing->team->ranks; i++) {
            struct cell cell;
            get_cell(mixing, &mixing->received[i], &cell);
            cells->w[i] = cell.w;
            if (cells->u)
                cells->u[i] = cell.u;
            if (cells->state)
                cells->state[i] = cell.state;
        }
        mix_cell(&mixing->mix, cells);
        weights->bias[c] = cells->mean_w;
        if (weights->u)
            weights->u_bias[c] = cells->mean_u;
        if (weights->state)
            weights->state_bias[c] = cells->mean_state;
    }
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
    *mixing = (struct mixing){.t = t,
                              .team = team,
                              .weights = &t->learner.state.weights,
                              .columns = learner_columns(&t->learner),
                              .received = memory_new(ranks, sizeof *mixing->received),
                              .summaries = memory_new(ranks, sizeof *mixing->summaries),
                              .numbers = memory_new(5 * ranks, sizeof *mixing->numbers)};
    double *numbers = mixing->numbers;
    if (!mixing->received || !mixing->summaries || !numbers)
        return false;
    mixing->cells.w = numbers;
    mixing->cells.u = mixing->weights->u ? numbers + ranks : NULL;
    mixing->cells.state = mixing->weights->state ? numbers + 2 * ranks : NULL;
    return true;
}

static void mixing_free(struct mixing *mixing)
{
    mix_free(&mixing->mix);
    memory_free(mixing->received);
    memory_free(mixing->summaries);
    memory_free(mixing->numbers);
}

static tlu_status exchange_summaries(struct mixing *mixing, tlu_error *error)
{
    struct team *team = mixing->team;
    double *weights = mixing->numbers + 3 * team->ranks, *steps = weights + team->ranks;
    team_begin_packets(team);
    put_summary(mixing);
    team->cost.bytes += team->send[0].size * (team->ranks - 1);
    TRY(team_gather(team, mixing->received, error));
    for (size_t i = 0; i < team->ranks; i++) {
        packet_get(&mixing->received[i], &mixing->summaries[i], sizeof mixing->summaries[i]);
        weights[i] = mixing->summaries[i].weight;
        steps[i] = mixing->summaries[i].steps;
    }
    if (!mix_init(&mixing->mix, team->ranks, weights, steps, &mixing->t->learner))
        return error_memory(error);
    return TLU_OK;
}

static bool has_weight(const struct mixing *mixing)
{
    for (size_t i = 0; i < mixing->team->ranks; i++)
        if (mixing->mix.weights[i] > 0)
            return true;
    return false;
}

static tlu_status mix(struct mixing *mixing, bool end, tlu_error *error)
{
    struct learner_state *state = &mixing->t->learner.state;
    size_t ranks = mixing->team->ranks;
    TRY(exchange_summaries(mixing, error));
    take_counts(mixing, end);
    if (!has_weight(mixing)) // no process has learned from a row
        return TLU_OK;
    mix_biases(mixing);
    for (uint32_t g = 0; g < groups_of(mixing); g++) {
        double *updates = mixing->numbers; // the cells are not in use
        for (size_t i = 0; i < ranks; i++)
            packet_get(&mixing->received[i], &updates[i], sizeof *updates);
        state->group_updates[g] = (uint64_t)(mix_mean(&mixing->mix, updates, NULL) + 0.5);
    }
    TRY(send_changes(mixing, error));
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
