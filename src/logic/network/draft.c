#include "logic/network/draft.h"

#include "base/memory.h"
#include "base/near.h"
#include "logic/integers.h"
#include "tlu_logic.h"

#include <stdio.h>
#include <stdlib.h>

#define SHOWN_MAX 100 // bytes of a name in a message

void draft_free(struct draft *draft)
{
    table_free(&draft->names);
    table_free(&draft->output_names);
    memory_free(draft->definitions);
    memory_free(draft->inputs);
    memory_free(draft->delays);
    memory_free(draft->units);
    memory_free(draft->links);
    memory_free(draft->outputs);
}

static tlu_status reserve(void *array, size_t *capacity, size_t needed, size_t size,
                          tlu_error *error)
{
    return enough_memory(memory_reserve(array, capacity, needed, size), error);
}

static const char *kind_text(enum definition_kind kind)
{
    return kind == DEFINED_INPUT ? "an input" : kind == DEFINED_DELAY ? "a delay" : "a unit";
}

// *symbol := the number of a name.
static tlu_status number_name(struct draft *draft, struct located_name name, uint32_t *symbol,
                              tlu_error *error)
{
    if (name.length == 0)
        return error_at(error, draft->path, name.position.line, name.position.column,
                        "a name must not be empty");
    uint32_t before = draft->names.count;
    *symbol = table_add(&draft->names, name.text, name.length);
    if (*symbol == TABLE_NONE || !memory_reserve(&draft->definitions, &draft->definition_capacity,
                                                 *symbol + (size_t)1, sizeof *draft->definitions))
        return error_memory(error);
    if (*symbol == before)
        draft->definitions[*symbol] = (struct definition){0};
    return TLU_OK;
}

// Defines a name; defining it twice is an error.
static tlu_status define(struct draft *draft, struct located_name name, enum definition_kind kind,
                         size_t number, uint32_t *symbol, tlu_error *error)
{
    char shown[SHOWN_MAX];
    TRY(number_name(draft, name, symbol, error));
    struct definition *found = &draft->definitions[*symbol];
    if (found->kind != DEFINED_NOT)
        return error_at(error, draft->path, name.position.line, name.position.column,
                        "'%s' is %s already, on line %llu",
                        error_quote(shown, sizeof shown, name.text, name.length),
                        kind_text(found->kind), (unsigned long long)found->position.line);
    *found = (struct definition){.kind = kind, .number = number, .position = name.position};
    return TLU_OK;
}

tlu_status draft_input(struct draft *draft, struct located_name name, tlu_error *error)
{
    uint32_t symbol;
    TRY(define(draft, name, DEFINED_INPUT, draft->input_count, &symbol, error));
    TRY(reserve(&draft->inputs, &draft->input_capacity, draft->input_count + 1,
                sizeof *draft->inputs, error));
    draft->inputs[draft->input_count++] = symbol;
    return TLU_OK;
}

tlu_status draft_delay(struct draft *draft, struct located_name name, struct located_name from,
                       bool start, tlu_error *error)
{
    struct draft_delay delay = {.position = from.position, .start = start};
    TRY(define(draft, name, DEFINED_DELAY, draft->delay_count, &delay.symbol, error));
    TRY(number_name(draft, from, &delay.from, error));
    TRY(reserve(&draft->delays, &draft->delay_capacity, draft->delay_count + 1,
                sizeof *draft->delays, error));
    draft->delays[draft->delay_count++] = delay;
    return TLU_OK;
}

tlu_status draft_begin_unit(struct draft *draft, tlu_error *error)
{
    TRY(reserve(&draft->units, &draft->unit_capacity, draft->unit_count + 1, sizeof *draft->units,
                error));
    draft->units[draft->unit_count++] = (struct draft_unit){.first = draft->link_count};
    return TLU_OK;
}

tlu_status draft_link(struct draft *draft, struct located_name from, int64_t weight,
                      tlu_error *error)
{
    struct draft_unit *unit = &draft->units[draft->unit_count - 1];
    struct draft_link link = {.weight = weight, .position = from.position};
    int64_t size = magnitude(weight);
    TRY(number_name(draft, from, &link.from, error));
    if (size > NUMBER_MAX - unit->total)
        return error_at(error, draft->path, from.position.line, from.position.column,
                        "the weights of this unit add up to more than 2^62, signs left out");
    TRY(reserve(&draft->links, &draft->link_capacity, draft->link_count + 1, sizeof *draft->links,
                error));
    draft->links[draft->link_count++] = link;
    unit->total += size;
    unit->count++;
    return TLU_OK;
}

tlu_status draft_end_unit(struct draft *draft, struct located_name name, int64_t threshold,
                          tlu_error *error)
{
    size_t number = draft->unit_count - 1;
    draft->units[number].threshold = threshold;
    return define(draft, name, DEFINED_UNIT, number, &draft->units[number].symbol, error);
}

tlu_status draft_output(struct draft *draft, struct located_name name, struct located_name from,
                        tlu_error *error)
{
    char shown[SHOWN_MAX];
    struct draft_output output = {.position = from.position};
    uint32_t before = draft->output_names.count;
    if (name.length == 0)
        return error_at(error, draft->path, name.position.line, name.position.column,
                        "a name must not be empty");
    uint32_t number = table_add(&draft->output_names, name.text, name.length);
    TRY(enough_memory(number != TABLE_NONE, error));
    if (number < before)
        return error_at(error, draft->path, name.position.line, name.position.column,
                        "there is an output '%s' already",
                        error_quote(shown, sizeof shown, name.text, name.length));
    TRY(number_name(draft, from, &output.from, error));
    TRY(reserve(&draft->outputs, &draft->output_capacity, number + (size_t)1,
                sizeof *draft->outputs, error));
    draft->outputs[number] = output;
    return TLU_OK;
}

// ---- from a draft to a network ----
//
// Resolves names to signals and sorts the units topologically.

#define SHOWN_MAX 100      // bytes of a name in a message
#define CYCLE_SHOWN_MAX 12 // units

static const char *shown_name(const struct draft *draft, uint32_t symbol, char out[SHOWN_MAX])
{
    return error_quote(out, SHOWN_MAX, table_text(&draft->names, symbol),
                       table_length(&draft->names, symbol));
}

// ---- every name is defined ----

// The most similar defined name; TABLE_NONE: none is similar.
static uint32_t nearest(const struct draft *draft, uint32_t symbol)
{
    const char *name = table_text(&draft->names, symbol);
    uint32_t best = TABLE_NONE;
    size_t least = SIZE_MAX;
    for (uint32_t i = 0; i < draft->names.count; i++) {
        if (draft->definitions[i].kind == DEFINED_NOT)
            continue;
        size_t distance = tlu_text_distance(name, table_text(&draft->names, i));
        if (distance < least && near_enough(distance, strlen(name))) {
            least = distance;
            best = i;
        }
    }
    return best;
}

static tlu_status check_known(const struct draft *draft, uint32_t symbol,
                              struct file_position position, tlu_error *error)
{
    char shown[SHOWN_MAX], other[SHOWN_MAX];
    if (draft->definitions[symbol].kind != DEFINED_NOT)
        return TLU_OK;
    uint32_t near = nearest(draft, symbol);
    shown_name(draft, symbol, shown);
    if (near != TABLE_NONE)
        return error_at(error, draft->path, position.line, position.column,
                        "there is no input, delay or unit '%s'; did you mean '%s'?", shown,
                        shown_name(draft, near, other));
    return error_at(error, draft->path, position.line, position.column,
                    "there is no input, delay or unit '%s'", shown);
}

static tlu_status check_all_known(const struct draft *draft, tlu_error *error)
{
    for (size_t i = 0; i < draft->link_count; i++)
        TRY(check_known(draft, draft->links[i].from, draft->links[i].position, error));
    for (size_t i = 0; i < draft->delay_count; i++)
        TRY(check_known(draft, draft->delays[i].from, draft->delays[i].position, error));
    for (size_t i = 0; i < draft->output_names.count; i++)
        TRY(check_known(draft, draft->outputs[i].from, draft->outputs[i].position, error));
    return TLU_OK;
}

// ---- no unit has two links from one signal ----

// last[names] is scratch: the last unit with a link from the name, plus 1.
static tlu_status check_twice(const struct draft *draft, size_t *last, tlu_error *error)
{
    char shown[SHOWN_MAX];
    for (size_t i = 0; i < draft->unit_count; i++) {
        const struct draft_unit *unit = &draft->units[i];
        for (size_t j = 0; j < unit->count; j++) {
            const struct draft_link *link = &draft->links[unit->first + j];
            if (last[link->from] == i + 1)
                return error_at(error, draft->path, link->position.line, link->position.column,
                                "'%s' has a weight in this unit already",
                                shown_name(draft, link->from, shown));
            last[link->from] = i + 1;
        }
    }
    return TLU_OK;
}

// ---- the order of the units ----

// Depth-first search along the links of units.
struct unit_sort {
    const struct draft *draft;
    size_t *order; // [units] in topological order
    size_t done;
    size_t *position; // [units] index in the order, plus 1; 0: not visited
    size_t *path;     // [units] the current path
    size_t *next;     // [units] the next link of a unit in the path
    bool *within;     // [units] whether it is in the path
    size_t depth;
};

static tlu_status fail_cycle(const struct unit_sort *sort, size_t unit,
                             struct file_position position, tlu_error *error)
{
    char text[600] = "", shown[SHOWN_MAX];
    size_t first = 0, used = 0;
    while (sort->path[first] != unit)
        first++;
    for (size_t i = first; i < sort->depth && used + SHOWN_MAX + 16 < sizeof text; i++) {
        bool most = i - first == CYCLE_SHOWN_MAX;
        const char *name = shown_name(sort->draft, sort->draft->units[sort->path[i]].symbol, shown);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                 i > first ? " looks at " : "", most ? "..." : name);
        if (most)
            break;
    }
    return error_at(error, sort->draft->path, position.line, position.column,
                    "a cycle without a delay: %s looks at %s", text,
                    shown_name(sort->draft, sort->draft->units[unit].symbol, shown));
}

static void enter(struct unit_sort *sort, size_t unit)
{
    sort->within[unit] = true;
    sort->next[unit] = 0;
    sort->path[sort->depth++] = unit;
}

static tlu_status visit(struct unit_sort *sort, size_t start, tlu_error *error)
{
    const struct draft *draft = sort->draft;
    enter(sort, start);
    while (sort->depth) {
        size_t unit = sort->path[sort->depth - 1];
        if (sort->next[unit] == draft->units[unit].count) {
            sort->within[unit] = false;
            sort->order[sort->done++] = unit;
            sort->position[unit] = sort->done;
            sort->depth--;
            continue;
        }
        const struct draft_link *link =
            &draft->links[draft->units[unit].first + sort->next[unit]++];
        const struct definition *symbol = &draft->definitions[link->from];
        if (symbol->kind != DEFINED_UNIT || sort->position[symbol->number])
            continue;
        if (sort->within[symbol->number])
            return fail_cycle(sort, symbol->number, link->position, error);
        enter(sort, symbol->number);
    }
    return TLU_OK;
}

static tlu_status sort_units(struct unit_sort *sort, tlu_error *error)
{
    for (size_t i = 0; i < sort->draft->unit_count; i++)
        if (!sort->position[i])
            TRY(visit(sort, i, error));
    return TLU_OK;
}

// ---- the network ----

static uint32_t signal_of(const struct unit_sort *sort, const struct tlu_network *network,
                          uint32_t symbol)
{
    const struct definition *found = &sort->draft->definitions[symbol];
    return found->kind == DEFINED_INPUT ? (uint32_t)found->number
           : found->kind == DEFINED_DELAY
               ? signal_of_delay(network, found->number)
               : signal_of_unit(network, sort->position[found->number] - 1);
}

// links[link_count] is scratch.
static bool add_units(const struct unit_sort *sort, struct tlu_network *network, struct link *links)
{
    const struct draft *draft = sort->draft;
    for (size_t i = 0; i < draft->unit_count; i++) {
        const struct draft_unit *unit = &draft->units[sort->order[i]];
        for (size_t j = 0; j < unit->count; j++) {
            const struct draft_link *link = &draft->links[unit->first + j];
            links[j] = (struct link){signal_of(sort, network, link->from), link->weight};
        }
        if (network_add_unit(network, table_text(&draft->names, unit->symbol), links, unit->count,
                             unit->threshold) == SIGNAL_NONE)
            return false;
    }
    return true;
}

static bool fill_network(const struct unit_sort *sort, struct tlu_network *network,
                         struct link *links)
{
    const struct draft *draft = sort->draft;
    for (size_t i = 0; i < draft->input_count; i++)
        if (!network_name_input(network, i, table_text(&draft->names, draft->inputs[i])))
            return false;
    for (size_t i = 0; i < draft->delay_count; i++)
        if (!network_name_delay(network, i, table_text(&draft->names, draft->delays[i].symbol),
                                draft->delays[i].start))
            return false;
    if (!add_units(sort, network, links))
        return false;
    for (size_t i = 0; i < draft->delay_count; i++)
        network_connect_delay(network, i, signal_of(sort, network, draft->delays[i].from));
    for (uint32_t i = 0; i < draft->output_names.count; i++)
        if (!network_add_output(network, table_text(&draft->output_names, i),
                                signal_of(sort, network, draft->outputs[i].from)))
            return false;
    return true;
}

static tlu_status make_network(const struct unit_sort *sort, struct tlu_network **network,
                               tlu_error *error)
{
    const struct draft *draft = sort->draft;
    struct link *links = memory_new(draft->link_count + 1, sizeof *links);
    struct tlu_network *made = network_new(draft->input_count, draft->delay_count);
    bool enough = links && made && fill_network(sort, made, links);
    memory_free(links);
    if (enough) {
        *network = made;
        return TLU_OK;
    }
    tlu_network_free(made);
    return error_memory(error);
}

static tlu_status finish_draft(struct unit_sort *sort, size_t *last, struct tlu_network **network,
                               tlu_error *error)
{
    const struct draft *draft = sort->draft;
    if (!draft->output_names.count)
        return error_at(error, draft->path, 0, 0, "a network needs an output");
    TRY(check_all_known(draft, error));
    TRY(check_twice(draft, last, error));
    TRY(sort_units(sort, error));
    return make_network(sort, network, error);
}

tlu_status draft_finish(const struct draft *draft, struct tlu_network **network, tlu_error *error)
{
    size_t units = draft->unit_count + 1;
    struct unit_sort sort = {.draft = draft};
    size_t *last = memory_new(draft->names.count + (size_t)1, sizeof *last);
    sort.order = memory_new(units, sizeof *sort.order);
    sort.position = memory_new(units, sizeof *sort.position);
    sort.path = memory_new(units, sizeof *sort.path);
    sort.next = memory_new(units, sizeof *sort.next);
    sort.within = memory_new(units, sizeof *sort.within);
    tlu_status status = TLU_OK;
    if (last && sort.order && sort.position && sort.path && sort.next && sort.within)
        status = finish_draft(&sort, last, network, error);
    else
        status = error_memory(error);
    memory_free(last);
    memory_free(sort.order);
    memory_free(sort.position);
    memory_free(sort.path);
    memory_free(sort.next);
    memory_free(sort.within);
    return status;
}
