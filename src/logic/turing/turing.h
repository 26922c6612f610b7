// A deterministic Turing machine with one tape: its table, and the inputs and outputs of the
// network that is its finite control.
#ifndef TLU_LOGIC_TURING_TURING_H
#define TLU_LOGIC_TURING_TURING_H

#include "base/error.h"
#include "base/table.h"
#include "logic/network/network.h"
#include "tlu_logic.h"

#define TURING_NONE UINT32_MAX
#define TURING_BLANK 0u // the number of the blank among the symbols

struct turing_row {
    uint32_t state, read;
    uint32_t write, next;
    int move; // -1, 0 or 1
};

struct tlu_turing {
    tlu_turing_facts facts;
    struct table states;     // the start state first
    struct table symbols;    // the blank first
    struct table pairs;      // keys of state and symbol (see turing_find), in the order of the rows
    struct turing_row *rows; // [rows] by state
    size_t *first;           // [states + 1] the first row of a state
};

// The row of a state and a symbol; NULL: the machine halts.
const struct turing_row *turing_find(const tlu_turing *machine, uint32_t state, uint32_t symbol);

// Whether each symbol is a single character, so that a tape needs no blanks between symbols.
bool symbols_are_characters(const struct table *symbols);
// Reads the next symbol of a text; *used is its number of bytes, with the blanks around words, and
// 0 if only blanks are left. TABLE_NONE: not a symbol.
uint32_t symbols_read(const struct table *symbols, bool characters, const char *text, size_t size,
                      size_t *used);
// The number of blanks at the beginning of a text.
size_t symbols_skip_blanks(const char *text, size_t size);

// ---- the inputs and outputs of the network, found by their names ----

#define READ_PREFIX "read_"
#define WRITE_PREFIX "write_"

struct turing_ports {
    uint32_t *read;  // [symbols] inputs
    uint32_t *write; // [symbols] signals
    uint32_t left, right, halt;
    uint32_t accept; // SIGNAL_NONE: there is no such output
};

// Finds the ports for these symbols. The output accept is required if the machine (which may be
// NULL) has a state accept. The caller frees the ports, also after an error.
tlu_status ports_find(struct turing_ports *ports, const struct table *symbols,
                      const tlu_turing *machine, const tlu_network *network, tlu_error *error);
// Adds the symbols of the inputs of a network, which is the control of some machine.
tlu_status ports_symbols(struct table *symbols, const tlu_network *network, tlu_error *error);
void ports_free(struct turing_ports *ports);

// What the outputs should be in a state that reads a symbol.
struct turing_outputs {
    uint32_t write; // TURING_NONE: no symbol
    bool left, right, halt, accept;
    uint32_t next;
};
struct turing_outputs turing_outputs(const tlu_turing *machine, uint32_t state, uint32_t symbol);

#endif
