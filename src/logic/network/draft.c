#include "logic/network/draft.h"

#include "base/near.h"
#include "logic/append.h"
#include "logic/integers.h"
#include "tlu_logic.h"

#include <stdio.h>

#define SHOWN_MAX 100      // bytes of a name in a message
#define CYCLE_SHOWN_MAX 12 // units

enum definition_kind { DEFINED_NOT, DEFINED_INPUT, DEFINED_DELAY, DEFINED_UNIT };

// What a name stands for. A name that was used but not defined is DEFINED_NOT.
struct definition {
    enum definition_kind kind;
    size_t number;                 // among the inputs, delays or units, in file order
    struct file_position position; // of the definition
    size_t last_unit;              // the last unit with a link from it, plus 1
};

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
    memory_free(draft->order);
    memory_free(draft->walk);
    memory_free(draft->network_links);
    tlu_network_free(draft->network);
}

static tlu_status check_name(const struct draft *draft, struct located_name name)
{
    return name.length ? TLU_OK : DRAFT_ERROR(draft, name.position, "a name must not be empty");
}

// *number := the definition of a name.
static tlu_status find_name(struct draft *draft, struct located_name name, uint32_t *number)
{
    TRY(check_name(draft, name));
    *number = table_add(&draft->names, name.text, name.length);
    bool added = *number == draft->definition_count;
    return enough_memory(*number != TABLE_NONE &&
                             (!added || APPEND(draft->definitions, draft->definition_count,
                                               draft->definition_capacity, (struct definition){0})),
                         draft->error);
}

// Defines a name; defining it twice is an error.
static tlu_status define(struct draft *draft, struct located_name name, enum definition_kind kind,
                         size_t number, uint32_t *definition)
{
    static const char *const kinds[] = {"", "an input", "a delay", "a unit"};
    char shown[SHOWN_MAX];
    TRY(find_name(draft, name, definition));
    struct definition *found = &draft->definitions[*definition];
    if (found->kind != DEFINED_NOT)
        return DRAFT_ERROR(draft, name.position, "'%s' is %s already, on line %llu",
                           error_quote(shown, sizeof shown, name.text, name.length),
                           kinds[found->kind], (unsigned long long)found->position.line);
    *found = (struct definition){.kind = kind, .number = number, .position = name.position};
    return TLU_OK;
}

tlu_status draft_input(struct draft *draft, struct located_name name)
{
    uint32_t input;
    TRY(define(draft, name, DEFINED_INPUT, draft->input_count, &input));
    return enough_memory(APPEND(draft->inputs, draft->input_count, draft->input_capacity, input),
                         draft->error);
}

tlu_status draft_delay(struct draft *draft, struct located_name name, struct located_name from,
                       bool start)
{
    struct draft_delay delay = {.position = from.position, .start = start};
    TRY(define(draft, name, DEFINED_DELAY, draft->delay_count, &delay.name));
    TRY(find_name(draft, from, &delay.from));
    return enough_memory(APPEND(draft->delays, draft->delay_count, draft->delay_capacity, delay),
                         draft->error);
}

tlu_status draft_begin_unit(struct draft *draft)
{
    struct draft_unit unit = {.first = draft->link_count};
    return enough_memory(APPEND(draft->units, draft->unit_count, draft->unit_capacity, unit),
                         draft->error);
}

tlu_status draft_link(struct draft *draft, struct located_name from, struct draft_number weight)
{
    assert(draft->unit_count);
    struct draft_unit *unit = &draft->units[draft->unit_count - 1];
    struct draft_link link = {
        .weight = weight.digits, .written = weight, .position = from.position};
    int64_t size = magnitude(weight.digits);
    TRY(find_name(draft, from, &link.from));
    if (size > NUMBER_MAX - unit->total)
        return DRAFT_ERROR(draft, from.position,
                           "the weights of this unit add up to more than 2^62, signs left out");
    unit->total += size;
    unit->count++;
    return enough_memory(APPEND(draft->links, draft->link_count, draft->link_capacity, link),
                         draft->error);
}

// Multiplies a number by 10^places.
static tlu_status make_whole(const struct draft *draft, const struct draft_number *number,
                             uint32_t places, int64_t *whole)
{
    *whole = number->digits;
    for (uint32_t i = number->places; i < places && *whole; i++) {
        if (magnitude(*whole) > NUMBER_MAX / 10)
            return DRAFT_ERROR(draft, number->position,
                               "this number times 10^%u, which makes all numbers of the unit "
                               "whole, is above 2^62; use fewer decimal places",
                               places);
        *whole *= 10;
    }
    return TLU_OK;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return magnitude(a);
}

// Multiplies decimal weights and their threshold by the smallest factor that makes them whole.
static tlu_status scale_unit(const struct draft *draft, struct draft_unit *unit,
                             const struct draft_number *threshold)
{
    struct draft_link *links = unit->count ? draft->links + unit->first : NULL;
    uint32_t places = threshold->places;
    for (size_t i = 0; i < unit->count; i++)
        places = links[i].written.places > places ? links[i].written.places : places;
    if (places == 0)
        return TLU_OK;
    TRY(make_whole(draft, threshold, places, &unit->threshold));
    int64_t divisor = unit->threshold;
    for (size_t i = 0; i < unit->count; i++) {
        TRY(make_whole(draft, &links[i].written, places, &links[i].weight));
        divisor = common_divisor(divisor, links[i].weight);
    }
    unit->total = 0;
    unit->threshold /= divisor ? divisor : 1;
    for (size_t i = 0; i < unit->count; i++) {
        links[i].weight /= divisor ? divisor : 1;
        if (magnitude(links[i].weight) > NUMBER_MAX - unit->total)
            return DRAFT_ERROR(draft, links[i].position,
                               "the weights of this unit, made whole, add up to more than 2^62, "
                               "signs left out; use fewer decimal places");
        unit->total += magnitude(links[i].weight);
    }
    return TLU_OK;
}

tlu_status draft_end_unit(struct draft *draft, struct located_name name,
                          struct draft_number threshold)
{
    assert(draft->unit_count);
    struct draft_unit *unit = &draft->units[draft->unit_count - 1];
    unit->threshold = threshold.digits;
    TRY(scale_unit(draft, unit, &threshold));
    return define(draft, name, DEFINED_UNIT, draft->unit_count - 1, &unit->name);
}

tlu_status draft_output(struct draft *draft, struct located_name name, struct located_name from)
{
    char shown[SHOWN_MAX];
    struct draft_output output = {.position = from.position};
    TRY(check_name(draft, name));
    uint32_t number = table_add(&draft->output_names, name.text, name.length);
    TRY(enough_memory(number != TABLE_NONE, draft->error));
    if (number < draft->output_count)
        return DRAFT_ERROR(draft, name.position, "there is an output '%s' already",
                           error_quote(shown, sizeof shown, name.text, name.length));
    TRY(find_name(draft, from, &output.from));
    return enough_memory(
        APPEND(draft->outputs, draft->output_count, draft->output_capacity, output), draft->error);
}

// ---- checks ----

static const char *shown_name(const struct draft *draft, uint32_t name, char out[SHOWN_MAX])
{
    return error_quote(out, SHOWN_MAX, table_text(&draft->names, name),
                       table_length(&draft->names, name));
}

// The most similar defined name; TABLE_NONE: none is similar.
static uint32_t nearest(const struct draft *draft, const char *name)
{
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

static tlu_status check_known(const struct draft *draft, uint32_t name,
                              struct file_position position)
{
    char shown[SHOWN_MAX], other[SHOWN_MAX];
    if (draft->definitions[name].kind != DEFINED_NOT)
        return TLU_OK;
    uint32_t near = nearest(draft, table_text(&draft->names, name));
    shown_name(draft, name, shown);
    if (near != TABLE_NONE)
        return DRAFT_ERROR(draft, position,
                           "there is no input, delay or unit '%s'; did you mean '%s'?", shown,
                           shown_name(draft, near, other));
    return DRAFT_ERROR(draft, position, "there is no input, delay or unit '%s'", shown);
}

static tlu_status check_all_known(const struct draft *draft)
{
    for (size_t i = 0; i < draft->link_count; i++)
        TRY(check_known(draft, draft->links[i].from, draft->links[i].position));
    for (size_t i = 0; i < draft->delay_count; i++)
        TRY(check_known(draft, draft->delays[i].from, draft->delays[i].position));
    for (size_t i = 0; i < draft->output_count; i++)
        TRY(check_known(draft, draft->outputs[i].from, draft->outputs[i].position));
    return TLU_OK;
}

// No unit has two links from one signal.
static tlu_status check_twice(const struct draft *draft)
{
    char shown[SHOWN_MAX];
    for (size_t i = 0; i < draft->unit_count; i++)
        for (size_t j = 0; j < draft->units[i].count; j++) {
            const struct draft_link *link = &draft->links[draft->units[i].first + j];
            if (draft->definitions[link->from].last_unit == i + 1)
                return DRAFT_ERROR(draft, link->position, "'%s' has a weight in this unit already",
                                   shown_name(draft, link->from, shown));
            draft->definitions[link->from].last_unit = i + 1;
        }
    return TLU_OK;
}

// ---- the order of the units: a depth-first search along their links ----

// The units of the walk from `unit` on are a cycle.
static tlu_status fail_cycle(const struct draft *draft, size_t unit, size_t depth,
                             struct file_position position)
{
    char text[600] = "", shown[SHOWN_MAX];
    size_t first = 0, used = 0;
    while (draft->walk[first] != unit)
        first++;
    for (size_t i = first; i < depth && used + SHOWN_MAX + 16 < sizeof text; i++) {
        bool most = i - first == CYCLE_SHOWN_MAX;
        const char *name = shown_name(draft, draft->units[draft->walk[i]].name, shown);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                 i > first ? " looks at " : "", most ? "..." : name);
        if (most)
            break;
    }
    return DRAFT_ERROR(draft, position, "a cycle without a delay: %s looks at %s", text,
                       shown_name(draft, draft->units[unit].name, shown));
}

// Puts `start` and the units that it depends on into the order.
static tlu_status visit(struct draft *draft, size_t start, size_t *done)
{
    size_t depth = 0, entered = start;
    do {
        if (entered != SIZE_MAX) {
            draft->units[entered].in_path = true;
            draft->walk[depth++] = entered;
            entered = SIZE_MAX;
        }
        struct draft_unit *unit = &draft->units[draft->walk[depth - 1]];
        if (unit->next == unit->count) {
            unit->in_path = false;
            draft->order[(*done)++] = draft->walk[--depth];
            unit->place = *done;
            continue;
        }
        const struct draft_link *link = &draft->links[unit->first + unit->next++];
        const struct definition *from = &draft->definitions[link->from];
        if (from->kind != DEFINED_UNIT || draft->units[from->number].place)
            continue;
        if (draft->units[from->number].in_path)
            return fail_cycle(draft, from->number, depth, link->position);
        entered = from->number;
    } while (depth);
    return TLU_OK;
}

// ---- the network ----

static uint32_t signal_of(const struct draft *draft, uint32_t name)
{
    const struct definition *found = &draft->definitions[name];
    assert(found->kind != DEFINED_NOT);
    return found->kind == DEFINED_INPUT ? (uint32_t)found->number
           : found->kind == DEFINED_DELAY
               ? signal_of_delay(draft->network, found->number)
               : signal_of_unit(draft->network, draft->units[found->number].place - 1);
}

static bool fill_network(const struct draft *draft)
{
    struct tlu_network *network = draft->network;
    bool enough = true;
    for (size_t i = 0; enough && i < draft->input_count; i++)
        enough = network_name_input(network, i, table_text(&draft->names, draft->inputs[i]));
    for (size_t i = 0; enough && i < draft->delay_count; i++)
        enough = network_name_delay(network, i, table_text(&draft->names, draft->delays[i].name),
                                    draft->delays[i].start);
    for (size_t i = 0; enough && i < draft->unit_count; i++) {
        const struct draft_unit *unit = &draft->units[draft->order[i]];
        for (size_t j = 0; j < unit->count; j++) {
            const struct draft_link *link = &draft->links[unit->first + j];
            draft->network_links[j] = (struct link){signal_of(draft, link->from), link->weight};
        }
        enough =
            network_add_unit(network, table_text(&draft->names, unit->name), draft->network_links,
                             unit->count, unit->threshold) != SIGNAL_NONE;
    }
    for (size_t i = 0; enough && i < draft->delay_count; i++)
        network_connect_delay(network, i, signal_of(draft, draft->delays[i].from));
    for (uint32_t i = 0; enough && i < draft->output_count; i++)
        enough = network_add_output(network, table_text(&draft->output_names, i),
                                    signal_of(draft, draft->outputs[i].from));
    return enough;
}

tlu_status draft_finish(struct draft *draft, struct tlu_network **network)
{
    size_t done = 0;
    if (!draft->output_count)
        return error_at(draft->error, draft->path, 0, 0,
                        "the network has no output; add a line 'output NAME = SIGNAL'");
    TRY(check_all_known(draft));
    TRY(check_twice(draft));
    draft->order = memory_new(draft->unit_count + 1, sizeof *draft->order);
    draft->walk = memory_new(draft->unit_count + 1, sizeof *draft->walk);
    draft->network_links = memory_new(draft->link_count + 1, sizeof *draft->network_links);
    draft->network = network_new(draft->input_count, draft->delay_count);
    TRY(enough_memory(draft->order && draft->walk && draft->network_links && draft->network,
                      draft->error));
    for (size_t i = 0; i < draft->unit_count; i++)
        if (!draft->units[i].place)
            TRY(visit(draft, i, &done));
    TRY(enough_memory(fill_network(draft), draft->error));
    *network = draft->network;
    draft->network = NULL;
    return TLU_OK;
}
