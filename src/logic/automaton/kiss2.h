// A KISS2 file as it is written, and its machine cell by cell.
#ifndef TLU_LOGIC_AUTOMATON_KISS2_H
#define TLU_LOGIC_AUTOMATON_KISS2_H

#include "logic/automaton/automaton.h"
#include "tlu_logic.h"

#define KISS_WIDTH_MAX 1024 // inputs, and outputs
#define KISS_ROWS_MAX 100000
#define KISS_LETTERS_MAX 65536  // cells
#define KISS_WORK_MAX 500000000 // rows of states times cells, and places looked at to find these

struct kiss2 {
    const char *name; // of the file
    size_t inputs, outputs;
    uint32_t start; // STATE_NONE: not said
    struct table states;
    struct kiss_rows rows;
    bool *holds; // [states] whether it stays as it is with some inputs that no row is about
};

tlu_status kiss2_read(struct kiss2 *kiss, tlu_automaton *automaton, const char *text, size_t size,
                      tlu_error *error);
// Cuts the inputs into cells, in which all vectors are in the same cubes: the letters.
tlu_status kiss2_cells(const struct kiss2 *kiss, tlu_automaton *automaton, tlu_error *error);
// What each state does in each cell: dfa->next, dfa->groups, and shown[states][cells]. State 0 of
// the DFA is where it starts; kiss2_state is the same state's number in the file, and the reverse.
tlu_status kiss2_fill(struct kiss2 *kiss, tlu_automaton *automaton, struct dfa *dfa,
                      uint32_t **shown, tlu_error *error);

static inline uint32_t kiss2_state(const struct kiss2 *kiss, uint32_t state)
{
    return state == 0 ? kiss->start : state == kiss->start ? 0 : state;
}

// Whether all vectors of the cell are in the cube.
bool cube_has(const char *cube, const char *cell, size_t inputs);

#endif
