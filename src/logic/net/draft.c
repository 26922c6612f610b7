#include "logic/net/draft.h"

#include "base/memory.h"

#define SHOWN_MAX 100 // bytes of a name in a message

void draft_free(struct draft *draft)
{
    table_free(&draft->names);
    table_free(&draft->output_names);
    memory_free(draft->symbols);
    memory_free(draft->inputs);
    memory_free(draft->delays);
    memory_free(draft->units);
    memory_free(draft->links);
    memory_free(draft->outputs);
}

static const char *kind_text(enum symbol_kind kind)
{
    return kind == SYMBOL_INPUT ? "an input" : kind == SYMBOL_DELAY ? "a delay" : "a unit";
}

// The number of a name that is met.
static tlu_status meet(struct draft *draft, struct name name, uint32_t *symbol, tlu_error *error)
{
    if (name.length == 0)
        return error_at(error, draft->path, name.place.line, name.place.column,
                        "a name must not be empty");
    uint32_t before = draft->names.count;
    *symbol = table_add(&draft->names, name.text, name.length);
    if (*symbol == TABLE_NONE || !memory_reserve(&draft->symbols, &draft->symbol_capacity,
                                                 *symbol + (size_t)1, sizeof *draft->symbols))
        return error_memory(error);
    if (*symbol == before)
        draft->symbols[*symbol] = (struct symbol){0};
    return TLU_OK;
}

// Explains a name, which has not been explained before.
static tlu_status explain(struct draft *draft, struct name name, enum symbol_kind kind,
                          size_t number, uint32_t *symbol, tlu_error *error)
{
    char shown[SHOWN_MAX];
    TRY(meet(draft, name, symbol, error));
    struct symbol *found = &draft->symbols[*symbol];
    if (found->kind != SYMBOL_UNKNOWN)
        return error_at(error, draft->path, name.place.line, name.place.column,
                        "'%s' is %s already, on line %llu",
                        error_quote(shown, sizeof shown, name.text, name.length),
                        kind_text(found->kind), (unsigned long long)found->place.line);
    *found = (struct symbol){.kind = kind, .number = number, .place = name.place};
    return TLU_OK;
}

tlu_status draft_input(struct draft *draft, struct name name, tlu_error *error)
{
    uint32_t symbol;
    TRY(explain(draft, name, SYMBOL_INPUT, draft->input_count, &symbol, error));
    TRY(enough_memory(memory_reserve(&draft->inputs, &draft->input_capacity, draft->input_count + 1,
                                     sizeof *draft->inputs),
                      error));
    draft->inputs[draft->input_count++] = symbol;
    return TLU_OK;
}

tlu_status draft_delay(struct draft *draft, struct name name, struct name from, bool start,
                       tlu_error *error)
{
    struct draft_delay delay = {.place = from.place, .start = start};
    TRY(explain(draft, name, SYMBOL_DELAY, draft->delay_count, &delay.symbol, error));
    TRY(meet(draft, from, &delay.from, error));
    TRY(enough_memory(memory_reserve(&draft->delays, &draft->delay_capacity, draft->delay_count + 1,
                                     sizeof *draft->delays),
                      error));
    draft->delays[draft->delay_count++] = delay;
    return TLU_OK;
}

tlu_status draft_begin_unit(struct draft *draft, tlu_error *error)
{
    TRY(enough_memory(memory_reserve(&draft->units, &draft->unit_capacity, draft->unit_count + 1,
                                     sizeof *draft->units),
                      error));
    draft->units[draft->unit_count++] = (struct draft_unit){.first = draft->link_count};
    return TLU_OK;
}

tlu_status draft_link(struct draft *draft, struct name from, int64_t weight, tlu_error *error)
{
    struct draft_unit *unit = &draft->units[draft->unit_count - 1];
    struct draft_link link = {.weight = weight, .place = from.place};
    int64_t size = weight < 0 ? -weight : weight;
    TRY(meet(draft, from, &link.from, error));
    if (size > NUMBER_MAX - unit->total)
        return error_at(error, draft->path, from.place.line, from.place.column,
                        "the weights of this unit add up to more than 2^62, signs left out");
    TRY(enough_memory(memory_reserve(&draft->links, &draft->link_capacity, draft->link_count + 1,
                                     sizeof *draft->links),
                      error));
    draft->links[draft->link_count++] = link;
    unit->total += size;
    unit->count++;
    return TLU_OK;
}

tlu_status draft_end_unit(struct draft *draft, struct name name, int64_t threshold,
                          tlu_error *error)
{
    size_t number = draft->unit_count - 1;
    draft->units[number].threshold = threshold;
    return explain(draft, name, SYMBOL_UNIT, number, &draft->units[number].symbol, error);
}

tlu_status draft_output(struct draft *draft, struct name name, struct name from, tlu_error *error)
{
    char shown[SHOWN_MAX];
    struct draft_output output = {.place = from.place};
    uint32_t before = draft->output_names.count;
    if (name.length == 0)
        return error_at(error, draft->path, name.place.line, name.place.column,
                        "a name must not be empty");
    uint32_t number = table_add(&draft->output_names, name.text, name.length);
    TRY(enough_memory(number != TABLE_NONE, error));
    if (number < before)
        return error_at(error, draft->path, name.place.line, name.place.column,
                        "there is an output '%s' already",
                        error_quote(shown, sizeof shown, name.text, name.length));
    TRY(meet(draft, from, &output.from, error));
    TRY(enough_memory(memory_reserve(&draft->outputs, &draft->output_capacity, number + (size_t)1,
                                     sizeof *draft->outputs),
                      error));
    draft->outputs[number] = output;
    return TLU_OK;
}
