// Builds the control of a Turing machine as a network: delays hold the state, the inputs give the
// symbol under the head, and the tape is outside.
//
//     a unit per row:      fires if the state and the symbol read are those of the row
//     write_X, left, ...:  OR of the rows that write X, move to the left, ...
//     next state:          OR of the rows that lead to it
//     halt:                fires if no row does; the state is kept
//
// The one-hot encoding has a delay per state. The binary encoding stores the number of the state.
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "logic/automaton/automaton.h"
#include "logic/turing/turing.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAME_SIZE 200

struct control {
    const tlu_turing *machine;
    bool onehot;
    tlu_network *network;
    uint32_t *rows;     // [rows] units
    struct link *links; // the links of the next unit
    size_t count, capacity;
    bool full; // out of memory
};

static void control_link(struct control *control, uint32_t from, int64_t weight)
{
    if (!memory_reserve(&control->links, &control->capacity, control->count + 1,
                        sizeof *control->links)) {
        control->full = true;
        return;
    }
    control->links[control->count++] = (struct link){from, weight};
}

PRINTF_LIKE(3, 4)
static uint32_t control_unit(struct control *control, int64_t threshold, const char *format, ...)
{
    char name[NAME_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    uint32_t signal = SIGNAL_NONE;
    if (!control->full)
        signal =
            network_add_unit(control->network, name, control->links, control->count, threshold);
    control->full = control->full || signal == SIGNAL_NONE;
    control->count = 0;
    return signal;
}

// Whether delay `delay` is 1 in the state.
static bool delay_is_on(const struct control *control, size_t delay, uint32_t state)
{
    if (control->onehot)
        return delay == state;
    return state >> (control->network->delays - 1 - delay) & 1; // the first is the highest bit
}

// Links the delays. Their sum is the returned number in this state, and less in all other states.
static int64_t link_state(struct control *control, uint32_t state)
{
    int64_t ones = 0;
    if (control->onehot) {
        control_link(control, signal_of_delay(control->network, state), 1);
        return 1;
    }
    for (size_t i = 0; i < control->network->delays; i++) {
        bool on = delay_is_on(control, i, state);
        control_link(control, signal_of_delay(control->network, i), on ? 1 : -1);
        ones += on;
    }
    return ones;
}

// ---- inputs and delays ----

static bool name_delays(struct control *control)
{
    char name[32];
    for (size_t i = 0; i < control->network->delays; i++) {
        snprintf(name, sizeof name, "bit%zu", control->network->delays - 1 - i);
        const char *state =
            control->onehot ? table_text(&control->machine->states, (uint32_t)i) : name;
        if (!network_name_delay(control->network, i, state, delay_is_on(control, i, 0)))
            return false;
    }
    return true;
}

// The name of an input or output, of any length: the prefix and the symbol.
static char *port_name(const char *prefix, const struct table *symbols, uint32_t symbol)
{
    size_t before = strlen(prefix), size = table_length(symbols, symbol);
    char *name = memory_new(before + size + 1, 1);
    if (name) {
        memcpy(name, prefix, before);
        memcpy(name + before, table_text(symbols, symbol), size);
    }
    return name;
}

static bool name_inputs(struct control *control)
{
    bool enough = true;
    for (uint32_t i = 0; i < control->network->inputs && enough; i++) {
        char *name = port_name(READ_PREFIX, &control->machine->symbols, i);
        enough = name && network_name_input(control->network, i, name);
        memory_free(name);
    }
    return enough;
}

static bool begin(struct control *control)
{
    const tlu_turing_facts *facts = &control->machine->facts;
    control->network =
        network_new(facts->symbols, control->onehot ? facts->states : bits_for(facts->states));
    control->rows = memory_new(facts->rows + 1, sizeof *control->rows);
    return control->network && control->rows && name_delays(control) && name_inputs(control);
}

// ---- units ----

static void add_rows(struct control *control)
{
    const tlu_turing *machine = control->machine;
    for (size_t i = 0; i < machine->facts.rows && !control->full; i++) {
        const struct turing_row *row = &machine->rows[i];
        int64_t ones = link_state(control, row->state);
        control_link(control, row->read, 1);
        control->rows[i] =
            control_unit(control, ones + 1, "%.90s_%.90s", table_text(&machine->states, row->state),
                         table_text(&machine->symbols, row->read));
    }
}

static void add_output(struct control *control, const char *name, uint32_t from)
{
    if (!control->full && !network_add_output(control->network, name, from))
        control->full = true;
}

// The OR of the signals that are linked: a unit, unless there is only one.
static uint32_t join(struct control *control, const char *prefix, const char *name)
{
    if (control->count != 1)
        return control_unit(control, 1, "%s%.180s", prefix, name);
    control->count = 0;
    return control->links[0].from;
}

// Rows grouped by a number: items first[i] to first[i + 1] - 1 are the rows of group i.
struct row_groups {
    size_t *first;
    uint32_t *items;
};

static bool group_rows(struct row_groups *groups, const tlu_turing *machine, size_t count,
                       uint32_t (*group)(const struct turing_row *row))
{
    size_t rows = machine->facts.rows;
    groups->first = memory_new(count + 2, sizeof *groups->first);
    groups->items = memory_new(rows + 1, sizeof *groups->items);
    if (!groups->first || !groups->items)
        return false;
    size_t *at = groups->first + 1;
    for (size_t i = 0; i < rows; i++)
        at[group(&machine->rows[i]) + 1]++;
    for (size_t i = 1; i <= count; i++)
        at[i] += at[i - 1];
    for (size_t i = 0; i < rows; i++)
        groups->items[at[group(&machine->rows[i])]++] = (uint32_t)i;
    return true;
}

static void groups_free(struct row_groups *groups)
{
    memory_free(groups->first);
    memory_free(groups->items);
}

static void link_group(struct control *control, const struct row_groups *groups, size_t group)
{
    for (size_t i = groups->first[group]; i < groups->first[group + 1]; i++)
        control_link(control, control->rows[groups->items[i]], 1);
}

static uint32_t row_write(const struct turing_row *row)
{
    return row->write;
}

static uint32_t row_next(const struct turing_row *row)
{
    return row->next;
}

static void add_writes(struct control *control)
{
    const struct table *symbols = &control->machine->symbols;
    struct row_groups groups = {0};
    if (!group_rows(&groups, control->machine, symbols->count, row_write))
        control->full = true;
    for (uint32_t i = 0; i < symbols->count && !control->full; i++) {
        char *name = port_name(WRITE_PREFIX, symbols, i);
        control->full = !name;
        if (name) {
            link_group(control, &groups, i);
            add_output(control, name, join(control, WRITE_PREFIX, table_text(symbols, i)));
        }
        memory_free(name);
    }
    groups_free(&groups);
}

static void add_move(struct control *control, int move, const char *name)
{
    for (size_t i = 0; i < control->machine->facts.rows; i++)
        if (control->machine->rows[i].move == move)
            control_link(control, control->rows[i], 1);
    add_output(control, name, join(control, "moves_", name));
}

static uint32_t add_halt(struct control *control)
{
    for (size_t i = 0; i < control->machine->facts.rows; i++)
        control_link(control, control->rows[i], -1);
    uint32_t halt = control_unit(control, 0, "no_row");
    add_output(control, "halt", halt);
    return halt;
}

static void add_accept(struct control *control)
{
    size_t accept = control->machine->facts.accept;
    if (accept == TLU_NONE)
        return;
    int64_t ones = link_state(control, (uint32_t)accept);
    bool alone = control->count == 1 && control->links[0].weight == 1;
    add_output(control, "accept",
               alone ? join(control, "", "") : control_unit(control, ones, "accept"));
}

// ---- the next state ----

static bool state_halts(const tlu_turing *machine, uint32_t state)
{
    return machine->first[state + 1] - machine->first[state] < machine->facts.symbols;
}

// The states in which a delay can be 1: `first` to `end` - 1.
struct state_range {
    uint32_t first, end;
};

static struct state_range range_of(const struct control *control, size_t delay)
{
    if (control->onehot)
        return (struct state_range){(uint32_t)delay, (uint32_t)delay + 1};
    return (struct state_range){0, (uint32_t)control->machine->facts.states};
}

// Links the signal that keeps a delay at 1 after a halt.
static void link_stay(struct control *control, size_t delay, uint32_t halt)
{
    const tlu_turing *machine = control->machine;
    uint32_t signal = signal_of_delay(control->network, delay);
    struct state_range range = range_of(control, delay);
    bool halts = false, always = true; // in some, or in all, states in which the delay is 1
    for (uint32_t state = range.first; state < range.end; state++)
        if (delay_is_on(control, delay, state)) {
            halts = halts || state_halts(machine, state);
            always = always && machine->first[state] == machine->first[state + 1];
        }
    if (!halts)
        return;
    if (always) {
        control_link(control, signal, 1);
        return;
    }
    // This unit has its own array, because control->links may already hold the links of next_...
    struct link links[] = {{signal, 1}, {halt, 1}};
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%.180s_stays", control->network->delay[delay].name);
    uint32_t stays = network_add_unit(control->network, name, links, 2, 2);
    control->full = control->full || stays == SIGNAL_NONE;
    if (!control->full)
        control_link(control, stays, 1);
}

static void add_next(struct control *control, uint32_t halt)
{
    const tlu_turing *machine = control->machine;
    struct row_groups groups = {0};
    if (!group_rows(&groups, machine, machine->facts.states, row_next))
        control->full = true;
    for (size_t i = 0; i < control->network->delays && !control->full; i++) {
        struct state_range range = range_of(control, i);
        for (uint32_t state = range.first; state < range.end; state++)
            if (delay_is_on(control, i, state))
                link_group(control, &groups, state);
        link_stay(control, i, halt);
        uint32_t next = join(control, "next_", control->network->delay[i].name);
        if (!control->full)
            network_connect_delay(control->network, i, next);
    }
    groups_free(&groups);
}

// ---- the interface ----

static tlu_status make(const tlu_turing *machine, bool onehot, tlu_network **network,
                       tlu_error *error)
{
    struct control control = {.machine = machine, .onehot = onehot};
    bool enough = begin(&control);
    if (enough) {
        add_rows(&control);
        add_writes(&control);
        if (!control.full) {
            add_move(&control, -1, "left");
            add_move(&control, 1, "right");
            uint32_t halt = add_halt(&control);
            add_accept(&control);
            if (!control.full)
                add_next(&control, halt);
        }
    }
    enough = enough && !control.full;
    *network = enough ? control.network : NULL;
    if (!enough)
        tlu_network_free(control.network);
    memory_free(control.rows);
    memory_free(control.links);
    return enough_memory(enough, error);
}

tlu_status tlu_network_from_turing(const tlu_turing *machine, const char *encoding,
                                   tlu_network **network, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_network *other = NULL;
    *network = NULL;
    bool onehot = !encoding || strcmp(encoding, "onehot") == 0;
    if (encoding && !onehot && strcmp(encoding, "binary") != 0)
        return error_input(error, "the encoding of states must be onehot or binary");
    TRY(make(machine, onehot, network, error));
    if (encoding)
        return TLU_OK;
    tlu_status status = make(machine, false, &other, error);
    if (status != TLU_OK || other->units < (*network)->units) {
        tlu_network_free(*network);
        *network = other;
    } else {
        tlu_network_free(other);
    }
    return status;
}
