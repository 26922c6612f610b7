// Subset construction: a state of the DFA is a set of states of the NFA (Rabin and Scott 1959).
#include "logic/append.h"
#include "logic/automaton/nfa.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

uint32_t nfa_add_state(struct nfa *nfa)
{
    nfa->full =
        nfa->full || !APPEND(nfa->state, nfa->states, nfa->state_capacity, (struct nfa_state){0});
    return nfa->full ? 0 : nfa->states - 1;
}

void nfa_add_edge(struct nfa *nfa, uint32_t from, uint32_t symbol, uint32_t to)
{
    nfa->full =
        nfa->full || nfa->edge_count >= NFA_EDGES_MAX ||
        !APPEND(nfa->edges, nfa->edge_count, nfa->edge_capacity, (struct edge){from, symbol, to});
    assert(nfa->full || (from < nfa->states && to < nfa->states));
}

void nfa_free(struct nfa *nfa)
{
    memory_free(nfa->edges);
    memory_free(nfa->state);
}

void dfa_free(struct dfa *dfa)
{
    memory_free(dfa->next);
    memory_free(dfa->accepts);
    memory_free(dfa->named);
    memory_free(dfa->groups);
    memory_free(dfa->classes);
}

struct subset_construction {
    const struct nfa *nfa;
    uint32_t symbols;
    size_t *first;      // [states + 1] of the edges, which are sorted
    struct edge *edges; // by state, then by symbol, silent ones last
    struct table sets;  // subsets, ascending: the states of the DFA
    uint32_t *members;  // [states] the current subset
    uint32_t *marks;    // [states] the last subset that a state was put into
    uint32_t mark, count;
    struct edge *moves; // [move_capacity] transitions of the current subset, by symbol
    size_t move_capacity;
    uint64_t done, stored;
};

static void subsets_free(struct subset_construction *work)
{
    memory_free(work->first);
    memory_free(work->edges);
    memory_free(work->members);
    memory_free(work->marks);
    memory_free(work->moves);
    table_free(&work->sets);
}

static int by_state(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->symbol != y->symbol)
        return x->symbol < y->symbol ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static int by_symbol(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool begin_subsets(struct subset_construction *work)
{
    const struct nfa *nfa = work->nfa;
    work->first = memory_new(nfa->states + (size_t)1, sizeof *work->first);
    work->edges = memory_new(nfa->edge_count + 1, sizeof *work->edges);
    work->members = memory_new(nfa->states + (size_t)1, sizeof *work->members);
    work->marks = memory_new(nfa->states + (size_t)1, sizeof *work->marks);
    if (!work->first || !work->edges || !work->members || !work->marks)
        return false;
    if (nfa->edge_count)
        memcpy(work->edges, nfa->edges, nfa->edge_count * sizeof *nfa->edges);
    qsort(work->edges, nfa->edge_count, sizeof *work->edges, by_state);
    size_t at = 0;
    for (uint32_t state = 0; state <= nfa->states; state++) {
        while (at < nfa->edge_count && work->edges[at].from < state)
            at++;
        work->first[state] = at;
    }
    return true;
}

// ---- sets ----

static void put(struct subset_construction *work, uint32_t state)
{
    if (work->marks[state] == work->mark)
        return;
    work->marks[state] = work->mark;
    work->members[work->count++] = state;
}

// Adds the epsilon closure, then drops states without transitions by symbols that do not accept.
static void close_set(struct subset_construction *work)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < work->count; i++) {
        uint32_t state = work->members[i];
        for (size_t e = work->first[state + 1]; e > work->first[state]; e--) {
            work->done++;
            if (work->edges[e - 1].symbol != NFA_SILENT)
                break;
            put(work, work->edges[e - 1].to);
        }
    }
    for (uint32_t i = 0; i < work->count; i++) {
        uint32_t state = work->members[i];
        size_t first = work->first[state];
        bool moves = first < work->first[state + 1] && work->edges[first].symbol != NFA_SILENT;
        if (moves || work->nfa->state[state].accepts)
            work->members[kept++] = state;
    }
    work->done += work->count;
    work->count = kept;
    qsort(work->members, kept, sizeof *work->members, by_number);
}

// The state of the DFA for the current subset, added if new; TABLE_NONE: out of memory.
static uint32_t keep_set(struct subset_construction *work, struct dfa *dfa)
{
    uint32_t state =
        table_add(&work->sets, (const char *)work->members, work->count * sizeof *work->members);
    if (state == TABLE_NONE || state < dfa->states)
        return state;
    if (!memory_reserve(&dfa->accepts, &dfa->accepts_capacity, state + (size_t)1,
                        sizeof *dfa->accepts) ||
        !memory_reserve(&dfa->named, &dfa->named_capacity, state + (size_t)1, sizeof *dfa->named))
        return TABLE_NONE;
    dfa->accepts[state] = false;
    for (uint32_t i = 0; i < work->count; i++)
        dfa->accepts[state] = dfa->accepts[state] || work->nfa->state[work->members[i]].accepts;
    work->stored += work->count;
    dfa->named[state] = work->count == 1 ? work->members[0] : NFA_SILENT;
    dfa->states++;
    return state;
}

// Collects the transitions of a subset, sorted by symbol.
static bool gather_moves(struct subset_construction *work, uint32_t state, size_t *count)
{
    const char *set = table_text(&work->sets, state);
    size_t members = table_length(&work->sets, state) / sizeof(uint32_t);
    *count = 0;
    for (size_t i = 0; i < members; i++) {
        uint32_t member;
        memcpy(&member, set + i * sizeof member, sizeof member); // may not be aligned
        for (size_t e = work->first[member];
             e < work->first[member + 1] && work->edges[e].symbol != NFA_SILENT; e++)
            if (!APPEND(work->moves, *count, work->move_capacity, work->edges[e]))
                return false;
    }
    work->done += *count;
    if (*count)
        qsort(work->moves, *count, sizeof *work->moves, by_symbol);
    return true;
}

static bool expand(struct subset_construction *work, struct dfa *dfa, uint32_t state)
{
    size_t moves, at = 0;
    if (!memory_reserve(&dfa->next, &dfa->next_capacity, ((size_t)state + 1) * work->symbols,
                        sizeof *dfa->next) ||
        !gather_moves(work, state, &moves))
        return false;
    for (uint32_t symbol = 0; symbol < work->symbols; symbol++) {
        work->count = 0;
        work->mark++;
        for (; at < moves && work->moves[at].symbol == symbol; at++)
            put(work, work->moves[at].to);
        close_set(work);
        uint32_t to = keep_set(work, dfa);
        if (to == TABLE_NONE)
            return false;
        dfa->next[(size_t)state * work->symbols + symbol] = to;
    }
    return true;
}

static tlu_status check_size(const struct subset_construction *work, const struct dfa *dfa,
                             tlu_error *error)
{
    if (dfa->states > STATES_MAX)
        return error_input(error,
                           "the automaton is too large: made deterministic, it has more than %d "
                           "states; simplify it",
                           STATES_MAX);
    if (work->done > WORK_MAX || work->stored > STORED_MAX ||
        (uint64_t)dfa->states * work->symbols > CELLS_MAX)
        return error_input(error,
                           "the automaton is too large: after %u states, making it deterministic "
                           "takes too much time or memory; simplify it",
                           (unsigned)dfa->states);
    return TLU_OK;
}

static tlu_status determinise(struct subset_construction *work, struct dfa *dfa, tlu_error *error)
{
    TRY(enough_memory(begin_subsets(work), error));
    work->mark = 1;
    for (uint32_t state = 0; state < work->nfa->states; state++)
        if (work->nfa->state[state].starts)
            put(work, state);
    close_set(work);
    TRY(enough_memory(keep_set(work, dfa) != TABLE_NONE, error));
    for (uint32_t state = 0; state < dfa->states; state++) {
        TRY(check_size(work, dfa, error));
        TRY(enough_memory(expand(work, dfa, state), error));
    }
    return TLU_OK;
}

// Accepting states are not equivalent to others.
static bool group_by_acceptance(struct dfa *dfa)
{
    dfa->groups = memory_new(dfa->states, sizeof *dfa->groups);
    for (uint32_t state = 0; dfa->groups && state < dfa->states; state++)
        dfa->groups[state] = dfa->accepts[state] != dfa->accepts[0];
    return dfa->groups != NULL;
}

tlu_status nfa_determinise(const struct nfa *nfa, uint32_t symbols, struct dfa *dfa,
                           tlu_error *error)
{
    struct subset_construction work = {.nfa = nfa, .symbols = symbols};
    dfa->symbols = symbols;
    tlu_status status = determinise(&work, dfa, error);
    if (status == TLU_OK)
        status = enough_memory(group_by_acceptance(dfa), error);
    subsets_free(&work);
    return status;
}

// ---- minimisation ----
//
// Partition refinement (Hopcroft 1971, with the arrays of Valmari and Lehtinen 2008): a class is
// split if a symbol leads from some but not all of its states into the splitter. The smaller part
// becomes a splitter.

struct partition {
    uint32_t count;
    uint32_t *order;       // [states] grouped by class
    uint32_t *place;       // [states] in that order
    uint32_t *class_of;    // [states]
    uint32_t *first, *end; // [states] of a class in that order
    uint32_t *marked;      // [states] states moved to the front of a class
    uint32_t *touched;     // [states] classes with marked states
    uint32_t touched_count;
    bool *waiting;   // [states] the class is queued as a splitter
    uint32_t *queue; // [states] these classes
    uint32_t queued;
    uint32_t *member; // [states] a copy of the splitter
};

// Predecessors: from[first[symbol * states + to] ...]
struct inverse {
    size_t *first; // [symbols * states + 1]
    uint32_t *from;
};

static bool find_inverse(struct inverse *inverse, const struct dfa *dfa)
{
    size_t states = dfa->states, cells = states * dfa->symbols;
    inverse->first = memory_new(cells + 2, sizeof *inverse->first);
    inverse->from = memory_new(cells + 1, sizeof *inverse->from);
    if (!inverse->first || !inverse->from)
        return false;
    size_t *at = inverse->first + 1; // next free index of a row; finally its end
    for (size_t state = 0; state < states; state++)
        for (size_t symbol = 0; symbol < dfa->symbols; symbol++)
            inverse->first[symbol * states + dfa->next[state * dfa->symbols + symbol] + 2]++;
    for (size_t i = 2; i <= cells; i++)
        inverse->first[i] += inverse->first[i - 1];
    for (uint32_t state = 0; state < states; state++)
        for (size_t symbol = 0; symbol < dfa->symbols; symbol++) {
            size_t cell = symbol * states + dfa->next[state * dfa->symbols + symbol];
            inverse->from[at[cell]++] = state;
        }
    return true;
}

// One block for all arrays, at `order`.
static bool partition_new(struct partition *partition, uint32_t states)
{
    uint32_t **arrays[] = {&partition->order, &partition->place,  &partition->class_of,
                           &partition->first, &partition->end,    &partition->marked,
                           &partition->queue, &partition->member, &partition->touched};
    size_t count = sizeof arrays / sizeof arrays[0], size = states + (size_t)1;
    uint32_t *block = memory_new(count * size, sizeof *block);
    for (size_t i = 0; block && i < count; i++)
        *arrays[i] = block + i * size;
    partition->waiting = memory_new(size, sizeof *partition->waiting);
    return block && partition->waiting;
}

static void enqueue(struct partition *partition, uint32_t class)
{
    if (partition->waiting[class])
        return;
    partition->waiting[class] = true;
    partition->queue[partition->queued++] = class;
}

// The initial partition, by group.
static void partition_begin(struct partition *partition, const struct dfa *dfa)
{
    uint32_t states = dfa->states, at = 0;
    uint32_t *counts = partition->marked;
    for (uint32_t state = 0; state < states; state++)
        counts[dfa->groups[state]]++;
    for (uint32_t group = 0; group < states; group++) {
        uint32_t size = counts[group];
        if (size == 0)
            continue;
        partition->touched[group] = partition->count; // the class of the group
        partition->first[partition->count] = partition->end[partition->count] = at;
        partition->count++;
        at += size;
    }
    for (uint32_t state = 0; state < states; state++) {
        uint32_t class = partition->touched[dfa->groups[state]];
        partition->class_of[state] = class;
        partition->place[state] = partition->end[class]++;
        partition->order[partition->place[state]] = state;
    }
    memset(partition->marked, 0, states * sizeof *partition->marked);
    for (uint32_t class = 0; class < partition->count; class ++)
        enqueue(partition, class);
}

// Moves a state to the front of its class.
static void mark(struct partition *partition, uint32_t state)
{
    uint32_t class = partition->class_of[state], from = partition->place[state];
    uint32_t to = partition->first[class] + partition->marked[class];
    if (from < to)
        return; // already there
    uint32_t other = partition->order[to];
    partition->order[to] = state;
    partition->order[from] = other;
    partition->place[state] = to;
    partition->place[other] = from;
    if (partition->marked[class]++ == 0)
        partition->touched[partition->touched_count++] = class;
}

// Splits off the marked states of a class.
static void split_class(struct partition *partition, uint32_t class)
{
    uint32_t middle = partition->first[class] + partition->marked[class];
    partition->marked[class] = 0;
    if (middle == partition->end[class])
        return;
    uint32_t made = partition->count++;
    partition->first[made] = partition->first[class];
    partition->end[made] = middle;
    partition->first[class] = middle;
    for (uint32_t i = partition->first[made]; i < middle; i++)
        partition->class_of[partition->order[i]] = made;
    bool smaller = middle - partition->first[made] <= partition->end[class] - middle;
    enqueue(partition, smaller || partition->waiting[class] ? made : class);
}

static void refine(struct partition *partition, const struct dfa *dfa,
                   const struct inverse *inverse)
{
    while (partition->queued) {
        uint32_t splitter = partition->queue[--partition->queued];
        uint32_t size = partition->end[splitter] - partition->first[splitter];
        partition->waiting[splitter] = false;
        memcpy(partition->member, partition->order + partition->first[splitter],
               size * sizeof *partition->member); // it may be split meanwhile
        for (size_t symbol = 0; symbol < dfa->symbols; symbol++) {
            for (uint32_t i = 0; i < size; i++) {
                size_t cell = symbol * dfa->states + partition->member[i];
                for (size_t e = inverse->first[cell]; e < inverse->first[cell + 1]; e++)
                    mark(partition, inverse->from[e]);
            }
            while (partition->touched_count)
                split_class(partition, partition->touched[--partition->touched_count]);
        }
    }
}

// Numbers the classes in breadth-first order from state 0.
static void number_classes(struct partition *partition, struct dfa *dfa, uint32_t *count)
{
    uint32_t *number = partition->touched, *queue = partition->queue;
    memset(number, 0xFF, dfa->states * sizeof *number);
    *count = 0;
    if (dfa->states == 0)
        return;
    queue[0] = 0;
    number[partition->class_of[0]] = (*count)++;
    for (uint32_t i = 0; i < *count; i++)
        for (size_t symbol = 0; symbol < dfa->symbols; symbol++) {
            uint32_t to = dfa->next[(size_t)queue[i] * dfa->symbols + symbol];
            uint32_t class = partition->class_of[to];
            if (number[class] != UINT32_MAX)
                continue;
            queue[*count] = to;
            number[class] = (*count)++;
        }
    for (uint32_t state = 0; state < dfa->states; state++)
        dfa->classes[state] = number[partition->class_of[state]];
}

bool dfa_minimise(struct dfa *dfa, uint32_t *count)
{
    assert(dfa->states == 0 || dfa->groups);
    struct partition partition = {0};
    struct inverse inverse = {0};
    dfa->classes = memory_new(dfa->states + (size_t)1, sizeof *dfa->classes);
    bool enough =
        dfa->classes && partition_new(&partition, dfa->states) && find_inverse(&inverse, dfa);
    if (enough) {
        partition_begin(&partition, dfa);
        refine(&partition, dfa, &inverse);
        number_classes(&partition, dfa, count);
    }
    memory_free(partition.order);
    memory_free(partition.waiting);
    memory_free(inverse.first);
    memory_free(inverse.from);
    return enough;
}
