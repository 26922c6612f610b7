// Minimising, by refining a partition of the states (Hopcroft 1971; the arrays are those of Valmari
// and Lehtinen 2008): a class that leads into a splitter by a letter from some of its states and
// not from others falls apart. Of the two parts the smaller becomes a splitter in turn.
#include "base/memory.h"
#include "logic/automaton/nfa.h"

#include <string.h>

struct partition {
    uint32_t count;
    uint32_t *order;       // [states] grouped by class
    uint32_t *place;       // [states] in that order
    uint32_t *class_of;    // [states]
    uint32_t *first, *end; // [states] of a class in that order
    uint32_t *marked;      // [states] how many of a class have been moved to its front
    uint32_t *touched;     // [states] the classes with such
    uint32_t touched_count;
    bool *waiting;   // [states] the class is to be a splitter
    uint32_t *queue; // [states] these classes
    uint32_t queued;
    uint32_t *member; // [states] a copy of the splitter
};

// Where one gets to a state from: from[first[letter * states + to] ...]
struct inverse {
    size_t *first; // [letters * states + 1]
    uint32_t *from;
};

static bool find_inverse(struct inverse *inverse, const struct dfa *dfa)
{
    size_t states = dfa->states, cells = states * dfa->letters;
    inverse->first = memory_new(cells + 2, sizeof *inverse->first);
    inverse->from = memory_new(cells + 1, sizeof *inverse->from);
    if (!inverse->first || !inverse->from)
        return false;
    size_t *at = inverse->first + 1; // where the next goes; at the end where the next row begins
    for (size_t state = 0; state < states; state++)
        for (size_t letter = 0; letter < dfa->letters; letter++)
            inverse->first[letter * states + dfa->next[state * dfa->letters + letter] + 2]++;
    for (size_t i = 2; i <= cells; i++)
        inverse->first[i] += inverse->first[i - 1];
    for (uint32_t state = 0; state < states; state++)
        for (size_t letter = 0; letter < dfa->letters; letter++) {
            size_t cell = letter * states + dfa->next[state * dfa->letters + letter];
            inverse->from[at[cell]++] = state;
        }
    return true;
}

static bool partition_new(struct partition *partition, uint32_t states)
{
    uint32_t **arrays[] = {&partition->order, &partition->place,  &partition->class_of,
                           &partition->first, &partition->end,    &partition->marked,
                           &partition->queue, &partition->member, &partition->touched};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        if (!(*arrays[i] = memory_new(states + (size_t)1, sizeof **arrays[i])))
            return false;
    partition->waiting = memory_new(states + (size_t)1, sizeof *partition->waiting);
    return partition->waiting != NULL;
}

static void partition_free(struct partition *partition)
{
    uint32_t *arrays[] = {partition->order, partition->place,  partition->class_of,
                          partition->first, partition->end,    partition->marked,
                          partition->queue, partition->member, partition->touched};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        memory_free(arrays[i]);
    memory_free(partition->waiting);
}

static void enqueue(struct partition *partition, uint32_t class)
{
    if (partition->waiting[class])
        return;
    partition->waiting[class] = true;
    partition->queue[partition->queued++] = class;
}

// The states by their groups, 0 up to below `states`.
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

// The marked states of a class become one of their own.
static void split(struct partition *partition, uint32_t class)
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
               size * sizeof *partition->member); // it may fall apart meanwhile
        for (size_t letter = 0; letter < dfa->letters; letter++) {
            for (uint32_t i = 0; i < size; i++) {
                size_t cell = letter * dfa->states + partition->member[i];
                for (size_t e = inverse->first[cell]; e < inverse->first[cell + 1]; e++)
                    mark(partition, inverse->from[e]);
            }
            while (partition->touched_count)
                split(partition, partition->touched[--partition->touched_count]);
        }
    }
}

// Numbers the classes as a walk from state 0 meets them, each by the first of its states.
static void number_classes(struct partition *partition, const struct dfa *dfa, uint32_t *classes,
                           uint32_t *count)
{
    uint32_t *number = partition->touched, *queue = partition->queue;
    memset(number, 0xFF, dfa->states * sizeof *number);
    *count = 0;
    if (dfa->states == 0)
        return;
    queue[0] = 0;
    number[partition->class_of[0]] = (*count)++;
    for (uint32_t i = 0; i < *count; i++)
        for (size_t letter = 0; letter < dfa->letters; letter++) {
            uint32_t to = dfa->next[(size_t)queue[i] * dfa->letters + letter];
            uint32_t class = partition->class_of[to];
            if (number[class] != UINT32_MAX)
                continue;
            queue[*count] = to;
            number[class] = (*count)++;
        }
    for (uint32_t state = 0; state < dfa->states; state++)
        classes[state] = number[partition->class_of[state]];
}

bool dfa_minimise(const struct dfa *dfa, uint32_t *classes, uint32_t *count)
{
    struct partition partition = {0};
    struct inverse inverse = {0};
    bool enough = partition_new(&partition, dfa->states) && find_inverse(&inverse, dfa);
    if (enough) {
        partition_begin(&partition, dfa);
        refine(&partition, dfa, &inverse);
        number_classes(&partition, dfa, classes, count);
    }
    partition_free(&partition);
    memory_free(inverse.first);
    memory_free(inverse.from);
    return enough;
}
