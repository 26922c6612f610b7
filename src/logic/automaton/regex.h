// Regular expressions as trees.
#ifndef TLU_LOGIC_AUTOMATON_REGEX_H
#define TLU_LOGIC_AUTOMATON_REGEX_H

#include "logic/automaton/alphabet.h"

#define REGEX_REPEAT_MAX 1000   // in {m,n}
#define REGEX_DEPTH_MAX 200     // of parentheses
#define NODE_DEPTH_MAX 1000     // of the tree
#define REGEX_WRITTEN_MAX 50000 // nodes, with repeats expanded
#define REPEAT_ENDLESS UINT32_MAX
#define NODE_NONE UINT32_MAX

enum node_kind {
    NODE_SET,    // one character of a set
    NODE_CHAIN,  // concatenation; without parts, the empty string
    NODE_CHOICE, // alternation
    NODE_REPEAT  // `least` to `most` repetitions of its part
};

struct node {
    enum node_kind kind;
    uint32_t set;
    uint32_t first, next; // first part, and next sibling; NODE_NONE: none
    uint32_t least, most;
    uint32_t depth;
    uint64_t written; // number of nodes, with repeats expanded
};

struct syntax {
    struct node *nodes;
    size_t count, capacity;
    uint32_t root;
    struct table sets; // each a struct char_range[], ascending, with gaps between them, symbol 0
};

// Spans of characters that are being collected.
struct char_ranges {
    struct char_range *at;
    size_t count, capacity;
};

bool ranges_add(struct char_ranges *ranges, uint32_t first, uint32_t last); // false: out of memory
bool ranges_normalise(struct char_ranges *ranges, bool negated);            // false: out of memory

tlu_status syntax_parse(struct syntax *syntax, const char *text, size_t size, tlu_error *error);
void syntax_free(struct syntax *syntax);

#endif
