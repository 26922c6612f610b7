// An automaton that may have several ways to go, as expressions and transition tables give it.
#ifndef TLU_LOGIC_AUTOMATON_NFA_H
#define TLU_LOGIC_AUTOMATON_NFA_H

#include "logic/automaton/alphabet.h"
#include "logic/automaton/regex.h"

#define NFA_SILENT UINT32_MAX // the letter of a step without a letter
#define NFA_EDGES_MAX 4000000
#define STATES_MAX 10000   // of an automaton, determinised
#define CELLS_MAX 16000000 // states times letters
#define WORK_MAX 400000000 // steps of determinising
#define STORED_MAX 8000000 // states of the NFA that the states of the DFA stand for, in all

struct edge {
    uint32_t from, letter, to;
};

struct nfa {
    uint32_t states;
    struct edge *edges;
    size_t edge_count, edge_capacity;
    bool *starts, *accepts; // [states] once all of them are there
};

uint32_t nfa_add_state(struct nfa *nfa);
bool nfa_add_edge(struct nfa *nfa, uint32_t from, uint32_t letter, uint32_t to); // false: no memory
bool nfa_mark(struct nfa *nfa); // makes room for starts and accepts; false: no memory
void nfa_free(struct nfa *nfa);

// A deterministic one. Every state can be reached from the first, 0, where it starts.
struct dfa {
    uint32_t states, letters;
    uint32_t *next; // [states][letters]
    size_t next_capacity;
    bool *accepts; // [states]
    size_t accepts_capacity;
    uint32_t *named; // [states] the one state of the NFA that it stands for; NFA_SILENT: none, or
                     // several
    size_t named_capacity;
    uint32_t *groups; // [states] states of different groups are to be told apart
};

// From an expression: its letters, and what reads it.
tlu_status nfa_of_syntax(struct nfa *nfa, struct alphabet *alphabet, const struct syntax *syntax,
                         tlu_error *error);
tlu_status nfa_determinise(const struct nfa *nfa, uint32_t letters, struct dfa *dfa,
                           tlu_error *error);
void dfa_free(struct dfa *dfa);

// The classes of states that no string tells apart (Hopcroft 1971): classes[states], of which there
// are *count. They are numbered as a walk over the letters from state 0 meets them; states that it
// does not meet get UINT32_MAX. False: no memory.
bool dfa_minimise(const struct dfa *dfa, uint32_t *classes, uint32_t *count);

#endif
