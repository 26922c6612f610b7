// The alphabet of a regular expression, classes of characters that are in the same sets; and its
// NFA (Thompson 1968).
#include "base/memory.h"
#include "logic/automaton/nfa.h"

#include <stdlib.h>
#include <string.h>

// Intervals of characters between the limits of all sets, and the sets that contain each.
struct pieces {
    uint32_t *starts; // [count + 1] the last is the end
    size_t count, capacity;
    size_t row;          // bytes of `member` per piece
    uint8_t *member;     // [count][row] a bit per set
    struct table groups; // the distinct rows
    uint32_t *symbols;   // [count] of each piece
};

static void pieces_free(struct pieces *pieces)
{
    memory_free(pieces->starts);
    memory_free(pieces->member);
    memory_free(pieces->symbols);
    table_free(&pieces->groups);
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static const struct char_range *set_ranges(const struct syntax *syntax, uint32_t set, size_t *count)
{
    *count = table_length(&syntax->sets, set) / sizeof(struct char_range);
    return (const void *)table_text(&syntax->sets, set);
}

// Copies, because texts of a table are not aligned.
static struct char_range range_at(const struct char_range *ranges, size_t i)
{
    struct char_range range;
    memcpy(&range, (const char *)ranges + i * sizeof range, sizeof range);
    return range;
}

static bool add_start(struct pieces *pieces, uint32_t start)
{
    if (!memory_reserve(&pieces->starts, &pieces->capacity, pieces->count + 1,
                        sizeof *pieces->starts))
        return false;
    pieces->starts[pieces->count++] = start;
    return true;
}

static bool find_starts(struct pieces *pieces, const struct syntax *syntax)
{
    bool enough = add_start(pieces, 0) && add_start(pieces, POINT_INVALID + 1);
    for (uint32_t set = 0; enough && set < syntax->sets.count; set++) {
        size_t count, i = 0;
        const struct char_range *ranges = set_ranges(syntax, set, &count);
        for (; enough && i < count; i++)
            enough = add_start(pieces, range_at(ranges, i).first) &&
                     add_start(pieces, range_at(ranges, i).last + 1);
    }
    if (!enough)
        return false;
    size_t kept = 0;
    qsort(pieces->starts, pieces->count, sizeof *pieces->starts, compare_numbers);
    for (size_t i = 0; i < pieces->count; i++)
        if (kept == 0 || pieces->starts[kept - 1] != pieces->starts[i])
            pieces->starts[kept++] = pieces->starts[i];
    pieces->count = kept - 1; // the last is an end
    return true;
}

static size_t find_piece(const struct pieces *pieces, uint32_t point)
{
    const uint32_t *found =
        bsearch(&point, pieces->starts, pieces->count + 1, sizeof *pieces->starts, compare_numbers);
    return (size_t)(found - pieces->starts); // it is present
}

static bool find_members(struct pieces *pieces, const struct syntax *syntax)
{
    pieces->row = syntax->sets.count / 8 + 1;
    pieces->member = memory_new(pieces->count, pieces->row);
    if (!pieces->member)
        return false;
    for (uint32_t set = 0; set < syntax->sets.count; set++) {
        size_t count;
        const struct char_range *ranges = set_ranges(syntax, set, &count);
        for (size_t i = 0; i < count; i++) {
            size_t at = find_piece(pieces, range_at(ranges, i).first);
            for (; pieces->starts[at] <= range_at(ranges, i).last; at++)
                pieces->member[at * pieces->row + set / 8] |= (uint8_t)(1 << set % 8);
        }
    }
    return true;
}

// Finds the symbol of each piece. The last piece, which no set names, has the last symbol.
static bool find_symbols(struct pieces *pieces)
{
    uint8_t *rest = pieces->member + (pieces->count - 1) * pieces->row;
    pieces->symbols = memory_new(pieces->count, sizeof *pieces->symbols);
    if (!pieces->symbols)
        return false;
    for (size_t i = 0; i < pieces->count; i++) {
        const uint8_t *row = pieces->member + i * pieces->row;
        pieces->symbols[i] = SYMBOL_NONE;
        if (memcmp(row, rest, pieces->row) != 0) {
            pieces->symbols[i] = table_add(&pieces->groups, (const char *)row, pieces->row);
            if (pieces->symbols[i] == TABLE_NONE)
                return false;
        }
    }
    for (size_t i = 0; i < pieces->count; i++)
        if (pieces->symbols[i] == SYMBOL_NONE)
            pieces->symbols[i] = pieces->groups.count;
    return true;
}

static bool name_symbols(const struct pieces *pieces, struct alphabet *alphabet)
{
    struct char_ranges ranges = {0};
    bool enough = true;
    for (uint32_t symbol = 0; enough && symbol < pieces->groups.count; symbol++) {
        ranges.count = 0;
        for (size_t i = 0; enough && i < pieces->count; i++)
            if (pieces->symbols[i] == symbol)
                enough = ranges_add(&ranges, pieces->starts[i], pieces->starts[i + 1] - 1);
        enough = enough && ranges_normalise(&ranges, false) &&
                 alphabet_add(alphabet, ranges.at, ranges.count);
    }
    memory_free(ranges.at);
    return enough && alphabet_add(alphabet, NULL, 0);
}

// ---- the NFA ----

struct nfa_builder {
    struct nfa *nfa;
    const struct syntax *syntax;
    const struct pieces *pieces;
    uint8_t *sets; // [sets][symbols] whether the symbol is in the set
    uint32_t symbols;
    bool full; // out of memory, or too large
};

// Adds a state that the symbol reaches from `from`.
static uint32_t step(struct nfa_builder *build, uint32_t from, uint32_t symbol)
{
    uint32_t to = nfa_add_state(build->nfa);
    build->full = build->full || !nfa_add_edge(build->nfa, from, symbol, to);
    return to;
}

static void join(struct nfa_builder *build, uint32_t from, uint32_t to)
{
    build->full = build->full || !nfa_add_edge(build->nfa, from, NFA_SILENT, to);
}

static uint32_t build_set(struct nfa_builder *build, const struct node *node, uint32_t from)
{
    uint32_t to = nfa_add_state(build->nfa);
    const uint8_t *in = build->sets + (size_t)node->set * build->symbols;
    for (uint32_t symbol = 0; symbol < build->symbols && !build->full; symbol++)
        if (in[symbol])
            build->full = !nfa_add_edge(build->nfa, from, symbol, to);
    return to;
}

static uint32_t build_node(struct nfa_builder *build, uint32_t at, uint32_t from);

static uint32_t build_repeat(struct nfa_builder *build, const struct node *node, uint32_t from)
{
    for (uint32_t i = 0; i < node->least; i++)
        from = build_node(build, node->first, from);
    if (node->most == REPEAT_ENDLESS) {
        uint32_t loop = step(build, from, NFA_SILENT);
        join(build, build_node(build, node->first, loop), loop);
        return step(build, loop, NFA_SILENT);
    }
    uint32_t end = nfa_add_state(build->nfa);
    for (uint32_t i = node->least; i < node->most; i++) {
        join(build, from, end);
        from = build_node(build, node->first, from);
    }
    join(build, from, end);
    return end;
}

// Adds the states of a node after `from`; returns its last state.
static uint32_t build_node(struct nfa_builder *build, uint32_t at, uint32_t from)
{
    const struct node *nodes = build->syntax->nodes, *node = &nodes[at];
    if (build->full)
        return from;
    if (node->kind == NODE_SET)
        return build_set(build, node, from);
    if (node->kind == NODE_REPEAT)
        return build_repeat(build, node, from);
    if (node->kind == NODE_CHAIN) {
        for (uint32_t part = node->first; part != NODE_NONE; part = nodes[part].next)
            from = build_node(build, part, from);
        return from;
    }
    uint32_t end = nfa_add_state(build->nfa);
    for (uint32_t part = node->first; part != NODE_NONE; part = nodes[part].next)
        join(build, build_node(build, part, from), end);
    return end;
}

static bool find_sets(struct nfa_builder *build)
{
    const struct pieces *pieces = build->pieces;
    size_t sets = build->syntax->sets.count;
    build->sets = memory_new(sets * build->symbols + 1, 1);
    for (size_t set = 0; build->sets && set < sets; set++)
        for (size_t i = 0; i < pieces->count; i++)
            if (pieces->member[i * pieces->row + set / 8] >> set % 8 & 1)
                build->sets[set * build->symbols + pieces->symbols[i]] = 1;
    return build->sets != NULL;
}

static tlu_status build_nfa(struct nfa_builder *build, tlu_error *error)
{
    TRY(enough_memory(find_sets(build), error));
    uint32_t start = nfa_add_state(build->nfa);
    uint32_t end = build_node(build, build->syntax->root, start);
    if (build->nfa->edge_count >= NFA_EDGES_MAX)
        return error_input(error,
                           "the regular expression is too large: as an automaton it has more than "
                           "%d transitions",
                           NFA_EDGES_MAX);
    TRY(enough_memory(!build->full && nfa_mark(build->nfa), error));
    build->nfa->starts[start] = true;
    build->nfa->accepts[end] = true;
    return TLU_OK;
}

tlu_status nfa_of_syntax(struct nfa *nfa, struct alphabet *alphabet, const struct syntax *syntax,
                         tlu_error *error)
{
    struct pieces pieces = {0};
    struct nfa_builder build = {.nfa = nfa, .syntax = syntax, .pieces = &pieces};
    tlu_status status =
        enough_memory(find_starts(&pieces, syntax) && find_members(&pieces, syntax) &&
                          find_symbols(&pieces) && name_symbols(&pieces, alphabet),
                      error);
    build.symbols = alphabet->names.count;
    if (status == TLU_OK)
        status = build_nfa(&build, error);
    memory_free(build.sets);
    pieces_free(&pieces);
    return status;
}
