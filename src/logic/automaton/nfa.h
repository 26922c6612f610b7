// Nondeterministic and deterministic automata.
#ifndef TLU_LOGIC_AUTOMATON_NFA_H
#define TLU_LOGIC_AUTOMATON_NFA_H

#include "logic/automaton/alphabet.h"

#define NFA_SILENT UINT32_MAX // the symbol of an epsilon transition
#define NFA_EDGES_MAX 4000000
#define STATES_MAX 10000   // of a deterministic automaton
#define CELLS_MAX 16000000 // states times symbols
#define WORK_MAX 400000000 // steps of the subset construction
#define STORED_MAX 8000000 // total size of the subsets

struct edge {
    uint32_t from, symbol, to;
};

struct nfa {
    uint32_t states;
    struct nfa_state {
        bool starts, accepts;
    } * state; // [states]
    size_t state_capacity;
    struct edge *edges; // [edge_count]
    size_t edge_count, edge_capacity;
    bool full; // out of memory, or too many edges: nothing is added any more
};

uint32_t nfa_add_state(struct nfa *nfa);
void nfa_add_edge(struct nfa *nfa, uint32_t from, uint32_t symbol, uint32_t to);
void nfa_free(struct nfa *nfa);

// State 0 is the start, and every state is reachable.
struct dfa {
    uint32_t states, symbols;
    uint32_t *next; // [states][symbols]
    size_t next_capacity;
    bool *accepts; // [states]
    size_t accepts_capacity;
    uint32_t *named; // [states] the only state of its subset; NFA_SILENT: none or several
    size_t named_capacity;
    uint32_t *groups;  // [states] states of different groups are not equivalent
    uint32_t *classes; // [states] after dfa_minimise
};

// The alphabet and the NFA of a regular expression.
tlu_status nfa_from_regex(struct nfa *nfa, struct alphabet *alphabet, const char *expression,
                          tlu_error *error);
tlu_status nfa_determinise(const struct nfa *nfa, uint32_t symbols, struct dfa *dfa,
                           tlu_error *error);
void dfa_free(struct dfa *dfa);

// Finds the *count classes of equivalent states (Hopcroft 1971). Classes are numbered in
// breadth-first order from state 0; unreachable states get UINT32_MAX. False: out of memory.
bool dfa_minimise(struct dfa *dfa, uint32_t *count);

#endif
