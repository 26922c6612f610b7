// From a draft to a network: names to signals, units in an order in which each comes after those
// that it looks at.
#include "base/memory.h"
#include "base/near.h"
#include "logic/net/draft.h"
#include "tlu_logic.h"

#include <stdio.h>
#include <stdlib.h>

#define SHOWN_MAX 100      // bytes of a name in a message
#define CYCLE_SHOWN_MAX 12 // units

static const char *shown_name(const struct draft *draft, uint32_t symbol, char out[SHOWN_MAX])
{
    return error_quote(out, SHOWN_MAX, table_text(&draft->names, symbol),
                       table_length(&draft->names, symbol));
}

// ---- every name is explained ----

// The name of a signal that is most like this one; TABLE_NONE: there is none like it.
static uint32_t nearest(const struct draft *draft, uint32_t symbol)
{
    const char *name = table_text(&draft->names, symbol);
    uint32_t best = TABLE_NONE;
    size_t least = SIZE_MAX;
    for (uint32_t i = 0; i < draft->names.count; i++) {
        if (draft->symbols[i].kind == SYMBOL_UNKNOWN)
            continue;
        size_t distance = tlu_text_distance(name, table_text(&draft->names, i));
        if (distance < least && near_enough(distance, strlen(name))) {
            least = distance;
            best = i;
        }
    }
    return best;
}

static tlu_status check_known(const struct draft *draft, uint32_t symbol, struct place place,
                              tlu_error *error)
{
    char shown[SHOWN_MAX], other[SHOWN_MAX];
    if (draft->symbols[symbol].kind != SYMBOL_UNKNOWN)
        return TLU_OK;
    uint32_t near = nearest(draft, symbol);
    shown_name(draft, symbol, shown);
    if (near != TABLE_NONE)
        return error_at(error, draft->path, place.line, place.column,
                        "there is no input, delay or unit '%s'; did you mean '%s'?", shown,
                        shown_name(draft, near, other));
    return error_at(error, draft->path, place.line, place.column,
                    "there is no input, delay or unit '%s'", shown);
}

static tlu_status check_all_known(const struct draft *draft, tlu_error *error)
{
    for (size_t i = 0; i < draft->link_count; i++)
        TRY(check_known(draft, draft->links[i].from, draft->links[i].place, error));
    for (size_t i = 0; i < draft->delay_count; i++)
        TRY(check_known(draft, draft->delays[i].from, draft->delays[i].place, error));
    for (size_t i = 0; i < draft->output_names.count; i++)
        TRY(check_known(draft, draft->outputs[i].from, draft->outputs[i].place, error));
    return TLU_OK;
}

// ---- no unit looks at a signal twice ----

// `last` is [symbols]: the unit that looked at it last, plus 1.
static tlu_status check_twice(const struct draft *draft, size_t *last, tlu_error *error)
{
    char shown[SHOWN_MAX];
    for (size_t i = 0; i < draft->unit_count; i++) {
        const struct draft_unit *unit = &draft->units[i];
        for (size_t j = 0; j < unit->count; j++) {
            const struct draft_link *link = &draft->links[unit->first + j];
            if (last[link->from] == i + 1)
                return error_at(error, draft->path, link->place.line, link->place.column,
                                "'%s' has a weight in this unit already",
                                shown_name(draft, link->from, shown));
            last[link->from] = i + 1;
        }
    }
    return TLU_OK;
}

// ---- the order of the units ----

// A walk into the depth, from unit to unit that it looks at.
struct walk {
    const struct draft *draft;
    size_t *order; // [units] those that are done, each after those that it looks at
    size_t done;
    size_t *place; // [units] in the order, plus 1; 0: not yet
    size_t *path;  // [units] the units that the walk is in
    size_t *next;  // [units] of a unit in the path: the link to look at next
    bool *within;  // [units] whether it is in the path
    size_t depth;
};

static tlu_status fail_cycle(const struct walk *walk, size_t unit, struct place place,
                             tlu_error *error)
{
    char text[600] = "", shown[SHOWN_MAX];
    size_t first = 0, used = 0;
    while (walk->path[first] != unit)
        first++;
    for (size_t i = first; i < walk->depth && used + SHOWN_MAX + 16 < sizeof text; i++) {
        bool most = i - first == CYCLE_SHOWN_MAX;
        const char *name = shown_name(walk->draft, walk->draft->units[walk->path[i]].symbol, shown);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                 i > first ? " looks at " : "", most ? "..." : name);
        if (most)
            break;
    }
    return error_at(error, walk->draft->path, place.line, place.column,
                    "a cycle without a delay: %s looks at %s", text,
                    shown_name(walk->draft, walk->draft->units[unit].symbol, shown));
}

static void enter(struct walk *walk, size_t unit)
{
    walk->within[unit] = true;
    walk->next[unit] = 0;
    walk->path[walk->depth++] = unit;
}

static tlu_status walk_from(struct walk *walk, size_t start, tlu_error *error)
{
    const struct draft *draft = walk->draft;
    enter(walk, start);
    while (walk->depth) {
        size_t unit = walk->path[walk->depth - 1];
        if (walk->next[unit] == draft->units[unit].count) {
            walk->within[unit] = false;
            walk->order[walk->done++] = unit;
            walk->place[unit] = walk->done;
            walk->depth--;
            continue;
        }
        const struct draft_link *link =
            &draft->links[draft->units[unit].first + walk->next[unit]++];
        const struct symbol *symbol = &draft->symbols[link->from];
        if (symbol->kind != SYMBOL_UNIT || walk->place[symbol->number])
            continue;
        if (walk->within[symbol->number])
            return fail_cycle(walk, symbol->number, link->place, error);
        enter(walk, symbol->number);
    }
    return TLU_OK;
}

static tlu_status sort_units(struct walk *walk, tlu_error *error)
{
    for (size_t i = 0; i < walk->draft->unit_count; i++)
        if (!walk->place[i])
            TRY(walk_from(walk, i, error));
    return TLU_OK;
}

// ---- the network ----

static uint32_t signal_of(const struct walk *walk, const struct tlu_network *network,
                          uint32_t symbol)
{
    const struct symbol *found = &walk->draft->symbols[symbol];
    return found->kind == SYMBOL_INPUT   ? (uint32_t)found->number
           : found->kind == SYMBOL_DELAY ? signal_of_delay(network, found->number)
                                         : signal_of_unit(network, walk->place[found->number] - 1);
}

// `links` has room for those of any unit.
static bool add_units(const struct walk *walk, struct tlu_network *network, struct link *links)
{
    const struct draft *draft = walk->draft;
    for (size_t i = 0; i < draft->unit_count; i++) {
        const struct draft_unit *unit = &draft->units[walk->order[i]];
        for (size_t j = 0; j < unit->count; j++) {
            const struct draft_link *link = &draft->links[unit->first + j];
            links[j] = (struct link){signal_of(walk, network, link->from), link->weight};
        }
        if (network_add_unit(network, table_text(&draft->names, unit->symbol), links, unit->count,
                             unit->threshold) == SIGNAL_NONE)
            return false;
    }
    return true;
}

static bool fill(const struct walk *walk, struct tlu_network *network, struct link *links)
{
    const struct draft *draft = walk->draft;
    for (size_t i = 0; i < draft->input_count; i++)
        if (!network_name_input(network, i, table_text(&draft->names, draft->inputs[i])))
            return false;
    for (size_t i = 0; i < draft->delay_count; i++)
        if (!network_name_delay(network, i, table_text(&draft->names, draft->delays[i].symbol),
                                draft->delays[i].start))
            return false;
    if (!add_units(walk, network, links))
        return false;
    for (size_t i = 0; i < draft->delay_count; i++)
        network_connect_delay(network, i, signal_of(walk, network, draft->delays[i].from));
    for (uint32_t i = 0; i < draft->output_names.count; i++)
        if (!network_add_output(network, table_text(&draft->output_names, i),
                                signal_of(walk, network, draft->outputs[i].from)))
            return false;
    return true;
}

static tlu_status make_network(const struct walk *walk, struct tlu_network **network,
                               tlu_error *error)
{
    const struct draft *draft = walk->draft;
    struct link *links = memory_new(draft->link_count + 1, sizeof *links);
    struct tlu_network *made = network_new(draft->input_count, draft->delay_count);
    bool enough = links && made && fill(walk, made, links);
    memory_free(links);
    if (enough) {
        *network = made;
        return TLU_OK;
    }
    network_free(made);
    return error_memory(error);
}

static tlu_status finish(struct walk *walk, size_t *last, struct tlu_network **network,
                         tlu_error *error)
{
    const struct draft *draft = walk->draft;
    if (!draft->output_names.count)
        return error_at(error, draft->path, 0, 0, "a network needs an output");
    TRY(check_all_known(draft, error));
    TRY(check_twice(draft, last, error));
    TRY(sort_units(walk, error));
    return make_network(walk, network, error);
}

tlu_status draft_finish(const struct draft *draft, struct tlu_network **network, tlu_error *error)
{
    size_t units = draft->unit_count + 1;
    struct walk walk = {.draft = draft};
    size_t *last = memory_new(draft->names.count + (size_t)1, sizeof *last);
    walk.order = memory_new(units, sizeof *walk.order);
    walk.place = memory_new(units, sizeof *walk.place);
    walk.path = memory_new(units, sizeof *walk.path);
    walk.next = memory_new(units, sizeof *walk.next);
    walk.within = memory_new(units, sizeof *walk.within);
    tlu_status status = TLU_OK;
    if (last && walk.order && walk.place && walk.path && walk.next && walk.within)
        status = finish(&walk, last, network, error);
    else
        status = error_memory(error);
    memory_free(last);
    memory_free(walk.order);
    memory_free(walk.place);
    memory_free(walk.path);
    memory_free(walk.next);
    memory_free(walk.within);
    return status;
}
