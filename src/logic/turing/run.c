// Runs a network, the control of a Turing machine, on a tape. The network sees one symbol at a
// time. The tape has no end: it is an array that grows in both directions.
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "logic/turing/turing.h"

#include <assert.h>
#include <string.h>

#define CELLS_MIN 64

struct tlu_turing_run {
    tlu_turing_run_state told;
    const tlu_turing *machine; // or NULL
    const tlu_network *network;
    struct table own; // the symbols, if there is no machine
    const struct table *symbols;
    struct turing_ports ports;
    bool *signals, *scratch;
    uint32_t state;          // of the machine
    uint32_t reading;        // the symbol whose input is 1
    uint32_t *cells;         // [capacity] symbols; the cells around them are blank
    size_t capacity, origin; // cell 0 is cells[origin]
    char *delays;
};

void tlu_turing_run_free(tlu_turing_run *run)
{
    if (!run)
        return;
    table_free(&run->own);
    ports_free(&run->ports);
    memory_free(run->signals);
    memory_free(run->scratch);
    memory_free(run->cells);
    memory_free(run->delays);
    memory_free(run);
}

// ---- the tape ----

static bool tape_has(const tlu_turing_run *run, int64_t cell)
{
    return cell >= -(int64_t)run->origin && cell < (int64_t)(run->capacity - run->origin);
}

static uint32_t *tape_at(const tlu_turing_run *run, int64_t cell)
{
    assert(tape_has(run, cell));
    return &run->cells[(int64_t)run->origin + cell];
}

// Extends the tape by a cell next to the present ones. False: out of memory.
static bool tape_reach(tlu_turing_run *run, int64_t cell)
{
    if (tape_has(run, cell))
        return true;
    uint64_t capacity = 2 * (uint64_t)run->capacity;
    uint32_t *cells = memory_new(capacity, sizeof *cells);
    if (!cells)
        return false;
    size_t before = cell < 0 ? run->capacity : 0; // new cells on the left
    memcpy(cells + before, run->cells, run->capacity * sizeof *cells);
    memory_free(run->cells);
    run->cells = cells;
    run->origin += before;
    run->capacity = (size_t)capacity;
    assert(tape_has(run, cell));
    return true;
}

static void include_cell(tlu_turing_run *run, int64_t cell)
{
    run->told.first = cell < run->told.first ? cell : run->told.first;
    run->told.last = cell > run->told.last ? cell : run->told.last;
}

const char *tlu_turing_run_cell(const tlu_turing_run *run, int64_t cell)
{
    return table_text(run->symbols, tape_has(run, cell) ? *tape_at(run, cell) : TURING_BLANK);
}

// ---- the control ----

static tlu_status differs(const tlu_turing_run *run, const char *prefix, const char *name,
                          tlu_error *error)
{
    char shown[64];
    return error_input(error,
                       "the network is not the control of this machine: after %llu steps its "
                       "output '%s%s' differs from the table",
                       (unsigned long long)run->told.steps, prefix,
                       error_quote(shown, sizeof shown, name, strlen(name)));
}

static tlu_status compare(const tlu_turing_run *run, uint32_t symbol, tlu_error *error)
{
    struct turing_outputs expected = turing_outputs(run->machine, run->state, symbol);
    const bool *signals = run->signals;
    for (uint32_t i = 0; i < run->symbols->count; i++)
        if (signals[run->ports.write[i]] != (expected.write == i))
            return differs(run, WRITE_PREFIX, table_text(run->symbols, i), error);
    uint32_t accept = run->ports.accept;
    if (accept != SIGNAL_NONE && signals[accept] != expected.accept)
        return differs(run, "", "accept", error);
    return signals[run->ports.left] != expected.left     ? differs(run, "", "left", error)
           : signals[run->ports.right] != expected.right ? differs(run, "", "right", error)
           : signals[run->ports.halt] != expected.halt   ? differs(run, "", "halt", error)
                                                         : TLU_OK;
}

// Computes the outputs for the symbol under the head.
static tlu_status read_cell(tlu_turing_run *run, tlu_error *error)
{
    uint32_t symbol = *tape_at(run, run->told.head);
    run->signals[run->ports.read[run->reading]] = false;
    run->signals[run->ports.read[symbol]] = true;
    run->reading = symbol;
    network_settle(run->network, run->signals);
    run->told.halted = run->signals[run->ports.halt];
    return run->machine ? compare(run, symbol, error) : TLU_OK;
}

// The symbol that the network writes, or the present one if it writes none.
static tlu_status find_written(const tlu_turing_run *run, uint32_t *symbol, tlu_error *error)
{
    char one[64], other[64];
    uint32_t found = TURING_NONE;
    for (uint32_t i = 0; i < run->symbols->count; i++) {
        if (!run->signals[run->ports.write[i]])
            continue;
        if (found != TURING_NONE)
            return error_input(error,
                               "after %llu steps the network writes '%s' and '%s' at once; it is "
                               "not the control of a Turing machine",
                               (unsigned long long)run->told.steps,
                               error_quote(one, sizeof one, table_text(run->symbols, found),
                                           table_length(run->symbols, found)),
                               error_quote(other, sizeof other, table_text(run->symbols, i),
                                           table_length(run->symbols, i)));
        found = i;
    }
    *symbol = found == TURING_NONE ? *tape_at(run, run->told.head) : found;
    return TLU_OK;
}

tlu_status tlu_turing_run_step(tlu_turing_run *run, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    if (run->told.halted)
        return TLU_OK;
    uint32_t written = TURING_BLANK;
    bool left = run->signals[run->ports.left], right = run->signals[run->ports.right];
    TRY(find_written(run, &written, error));
    if (left && right)
        return error_input(error,
                           "after %llu steps the network moves to the left and to the right at "
                           "once; it is not the control of a Turing machine",
                           (unsigned long long)run->told.steps);
    int64_t head = run->told.head + right - left;
    TRY(enough_memory(tape_reach(run, head), error));
    if (run->machine)
        run->state = turing_find(run->machine, run->state, *tape_at(run, run->told.head))->next;
    *tape_at(run, run->told.head) = written;
    run->told.head = head;
    include_cell(run, head);
    run->told.steps++;
    network_advance(run->network, run->signals, run->scratch);
    return read_cell(run, error);
}

const tlu_turing_run_state *tlu_turing_run_get_state(tlu_turing_run *run)
{
    const tlu_network *network = run->network;
    for (size_t i = 0; i < network->delays; i++)
        run->delays[i] = run->signals[signal_of_delay(network, i)] ? '1' : '0';
    run->told.delays = run->delays;
    run->told.symbol = tlu_turing_run_cell(run, run->told.head);
    run->told.blank = table_text(run->symbols, TURING_BLANK);
    run->told.accepted =
        run->ports.accept == SIGNAL_NONE ? -1 : run->told.halted && run->signals[run->ports.accept];
    run->told.state = run->machine ? table_text(&run->machine->states, run->state) : NULL;
    return &run->told;
}

// ---- the start ----

static tlu_status read_tape(tlu_turing_run *run, const char *text, size_t size, tlu_error *error)
{
    char shown[64];
    size_t used;
    for (int64_t cell = 0;; cell++, text += used, size -= used) {
        uint32_t symbol = symbols_read(run->symbols, run->told.characters, text, size, &used);
        if (used == 0)
            return TLU_OK;
        if (symbol == TABLE_NONE) {
            size_t from = run->told.characters ? 0 : symbols_skip_blanks(text, used);
            return error_input(error,
                               "the tape, symbol %lld: '%s' is not a symbol of the machine; use "
                               "those of its rows%s",
                               (long long)cell + 1,
                               error_quote(shown, sizeof shown, text + from, used - from),
                               run->told.characters ? "" : ", with blanks between them");
        }
        TRY(enough_memory(tape_reach(run, cell), error));
        *tape_at(run, cell) = symbol;
        include_cell(run, cell);
    }
}

static void clear(tlu_turing_run *run)
{
    memset(run->cells, 0, run->capacity * sizeof *run->cells);
    run->told = (tlu_turing_run_state){.characters = symbols_are_characters(run->symbols)};
    run->state = 0;
}

tlu_status tlu_turing_run_set_tape(tlu_turing_run *run, const char *text, size_t size,
                                   tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    TRY(check_given(text || !size, "tape", error));
    clear(run);
    tlu_status status = read_tape(run, size ? text : "", size, error);
    if (status != TLU_OK)
        clear(run);
    memset(run->signals, 0, network_signals(run->network) * sizeof *run->signals);
    for (size_t i = 0; i < run->network->delays; i++)
        run->signals[signal_of_delay(run->network, i)] = run->network->delay[i].start;
    tlu_status first = read_cell(run, status == TLU_OK ? error : NULL);
    return status == TLU_OK ? first : status;
}

static tlu_status begin(tlu_turing_run *run, tlu_error *error)
{
    const tlu_network *network = run->network;
    run->symbols = run->machine ? &run->machine->symbols : &run->own;
    if (!run->machine)
        TRY(ports_symbols(&run->own, network, error));
    TRY(ports_find(&run->ports, run->symbols, run->machine, network, error));
    run->signals = memory_new(network_signals(network) + 1, sizeof *run->signals);
    run->scratch = memory_new(network->delays + 1, sizeof *run->scratch);
    run->delays = memory_new(network->delays + 1, 1);
    run->cells = memory_new(CELLS_MIN, sizeof *run->cells);
    run->capacity = CELLS_MIN;
    run->origin = CELLS_MIN / 2;
    TRY(enough_memory(run->signals && run->scratch && run->delays && run->cells, error));
    return tlu_turing_run_set_tape(run, "", 0, error);
}

tlu_status tlu_turing_run_new(const tlu_turing *machine, const tlu_network *network,
                              tlu_turing_run **run, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_turing_run *made = memory_new(1, sizeof *made);
    *run = NULL;
    TRY(enough_memory(made != NULL, error));
    made->machine = machine;
    made->network = network;
    tlu_status status = begin(made, error);
    if (status == TLU_OK)
        *run = made;
    else
        tlu_turing_run_free(made);
    return status;
}
