// A regular expression as a tree.
#ifndef TLU_LOGIC_AUTOMATON_REGEX_H
#define TLU_LOGIC_AUTOMATON_REGEX_H

#include "logic/automaton/alphabet.h"

#define REGEX_REPEAT_MAX 1000   // in {m,n}
#define REGEX_DEPTH_MAX 200     // of parentheses
#define NODE_DEPTH_MAX 1000     // of the tree
#define REGEX_WRITTEN_MAX 50000 // letters, repeats and choices, once repeats are written out
#define REPEAT_ENDLESS UINT32_MAX
#define NODE_NONE UINT32_MAX

enum node_kind {
    NODE_SET,    // one character of a set
    NODE_CHAIN,  // its parts one after the other; without parts: the empty string
    NODE_CHOICE, // one of its parts
    NODE_REPEAT  // its one part, `least` to `most` times
};

struct node {
    enum node_kind kind;
    uint32_t set;
    uint32_t first, next; // part, and the part after this one; NODE_NONE: there is none
    uint32_t least, most;
    uint32_t depth;
    uint64_t written; // how many nodes it is, written out
};

struct syntax {
    struct node *nodes;
    size_t count, capacity;
    uint32_t root;
    struct table sets; // each a struct span[], ascending, with gaps between them, letter 0
};

// Spans of characters that are being collected.
struct spans {
    struct span *at;
    size_t count, capacity;
};

bool spans_add(struct spans *spans, uint32_t first, uint32_t last); // false: no memory
bool spans_tidy(struct spans *spans, bool negated);                 // likewise
bool spans_add_class(struct spans *spans, const char *name, size_t length, bool *known);
// Whether a character after a backslash is a set, "d" or "W" say; then it is added.
bool spans_add_escape(struct spans *spans, char letter, bool *known);

tlu_status syntax_parse(struct syntax *syntax, const char *text, size_t size, tlu_error *error);
void syntax_free(struct syntax *syntax);

#endif
