// Networks that show outputs: a unit per row of a state, which looks at the state and the inputs.
#include "base/memory.h"
#include "logic/automaton/encode.h"
#include "tlu_logic.h"

#include <string.h>

static uint32_t add_row(struct sketch *sketch, const struct kiss_row *row, size_t number)
{
    const tlu_automaton *automaton = sketch->automaton;
    const char *cube = table_text(&automaton->cubes, row->cube);
    int64_t ones = sketch_link_state(sketch, row->from);
    for (uint32_t i = 0; i < automaton->facts.inputs; i++)
        if (cube[i] != '-') {
            sketch_link(sketch, i, cube[i] == '1' ? 1 : -1);
            ones += cube[i] == '1';
        }
    return sketch_unit(sketch, ones, "%.180s_%zu", table_text(&automaton->state_names, row->from),
                       number);
}

// Whether anything comes of the row: a state that takes a unit to get to, or an output of 1.
static bool row_matters(const struct sketch *sketch, const struct kiss_row *row)
{
    const tlu_automaton *automaton = sketch->automaton;
    bool leads = row->to != STATE_NONE && (sketch->onehot || sketch->code[row->to] != 0);
    bool stays = automaton->holds[row->from] && (sketch->onehot || sketch->code[row->from] != 0);
    return leads || stays || strchr(table_text(&automaton->patterns, row->pattern), '1');
}

// With inputs that none of its rows is about the machine stays in its state.
static void add_hold(struct sketch *sketch, uint32_t state, const struct fan *rows)
{
    if (!sketch->automaton->holds[state] || (!sketch->onehot && sketch->code[state] == 0))
        return;
    int64_t ones = sketch_link_state(sketch, state);
    for (size_t i = 0; i < rows->count; i++)
        sketch_link(sketch, rows->from[i], -1);
    sketch_lead(sketch,
                sketch_unit(sketch, ones, "%.180s_stays",
                            table_text(&sketch->automaton->state_names, state)),
                state);
}

static size_t add_state(struct sketch *sketch, uint32_t state, size_t at)
{
    const tlu_automaton *automaton = sketch->automaton;
    const struct kiss_rows *rows = &automaton->rows;
    struct fan leading = {0};
    size_t number = 0;
    for (; at < rows->count && rows->at[at].from == state && !sketch->full; at++) {
        const struct kiss_row *row = &rows->at[at];
        const char *pattern = table_text(&automaton->patterns, row->pattern);
        number++;
        if (!row_matters(sketch, row))
            continue;
        uint32_t unit = add_row(sketch, row, number);
        for (size_t i = 0; i < automaton->facts.outputs; i++)
            if (pattern[i] == '1')
                sketch_fan(sketch, sketch->delays + i, unit);
        if (row->to == STATE_NONE)
            continue;
        sketch_lead(sketch, unit, row->to);
        if (!memory_reserve(&leading.from, &leading.capacity, leading.count + 1,
                            sizeof *leading.from)) {
            sketch->full = true;
            break;
        }
        leading.from[leading.count++] = unit;
    }
    if (!sketch->full)
        add_hold(sketch, state, &leading);
    memory_free(leading.from);
    return at;
}

void encode_mealy(struct sketch *sketch)
{
    const tlu_automaton *automaton = sketch->automaton;
    size_t at = 0;
    for (uint32_t state = 0; state < automaton->facts.states && !sketch->full; state++)
        at = add_state(sketch, state, at);
    for (uint32_t i = 0; i < automaton->facts.outputs && !sketch->full; i++) {
        const char *name = table_text(&automaton->output_names, i);
        uint32_t unit = sketch_join(sketch, sketch->delays + i, name);
        if (!sketch->full && !network_add_output(sketch->network, name, unit))
            sketch->full = true;
    }
}
