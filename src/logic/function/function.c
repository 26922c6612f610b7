#include "logic/function/function.h"

#include "base/call/fp_env.h"
#include "base/memory.h"
#include "logic/function/expression.h"
#include "tlu_logic.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPRESSION "expression" // in messages

// ---- construction

static bool function_name(char **name, const char *text, size_t length)
{
    memory_free(*name);
    *name = memory_copy_text(text, length);
    return *name != NULL;
}

bool function_names(char **names, const struct table *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (!function_name(&names[i], table_text(table, i), table_length(table, i)))
            return false;
    return true;
}

static bool number_names(char **names, size_t count, const char *letter, bool numbered)
{
    char text[32];
    for (size_t i = 0; i < count; i++) {
        int length = numbered ? snprintf(text, sizeof text, "%s%zu", letter, i + 1)
                              : snprintf(text, sizeof text, "%s", letter);
        if (!function_name(&names[i], text, (size_t)length))
            return false;
    }
    return true;
}

static bool fill(struct tlu_function *function, bool with_open)
{
    function->input_names = memory_new(function->inputs + 1, sizeof *function->input_names);
    function->output_names = memory_new(function->outputs, sizeof *function->output_names);
    function->tables = memory_new(function->outputs, sizeof *function->tables);
    if (!function->input_names || !function->output_names || !function->tables)
        return false;
    for (size_t i = 0; i < function->outputs; i++)
        if (!truth_init(&function->tables[i], function->inputs, with_open))
            return false;
    return number_names(function->input_names, function->inputs, "x", true) &&
           number_names(function->output_names, function->outputs, "f", function->outputs > 1);
}

struct tlu_function *function_new(unsigned inputs, size_t outputs, bool with_open)
{
    assert(inputs <= TRUTH_INPUTS_MAX && outputs > 0);
    struct tlu_function *function = memory_new(1, sizeof *function);
    if (!function)
        return NULL;
    function->inputs = inputs;
    function->outputs = outputs;
    if (fill(function, with_open))
        return function;
    tlu_function_free(function);
    return NULL;
}

void tlu_function_free(tlu_function *function)
{
    if (!function)
        return;
    for (size_t i = 0; function->input_names && i < function->inputs; i++)
        memory_free(function->input_names[i]);
    for (size_t i = 0; function->output_names && i < function->outputs; i++)
        memory_free(function->output_names[i]);
    for (size_t i = 0; function->tables && i < function->outputs; i++)
        truth_free(&function->tables[i]);
    memory_free(function->input_names);
    memory_free(function->output_names);
    memory_free(function->tables);
    memory_free(function);
}

// ---- names

// Adds the names of a comma-separated list to a table.
static tlu_status read_names(struct table *table, const char *names, const char *what,
                             tlu_error *error)
{
    char shown[64];
    for (const char *at = names;; at++) {
        size_t length = strcspn(at, ",");
        error_quote(shown, sizeof shown, at, length);
        if (length == 0)
            return error_input(error, "%s has an empty name: expected a,b,c", what);
        if (table_find(table, at, length) != TABLE_NONE)
            return error_input(error, "%s has '%s' twice", what, shown);
        if (table->count == TRUTH_INPUTS_MAX)
            return error_input(error, "%s has more than the %d inputs of a truth table", what,
                               TRUTH_INPUTS_MAX);
        TRY(enough_memory(table_add(table, at, length) != TABLE_NONE, error));
        at += length;
        if (!*at)
            return TLU_OK;
    }
}

static tlu_status copy_names(struct tlu_function *function, const struct table *table,
                             const char *what, tlu_error *error)
{
    if (table->count != function->inputs)
        return error_input(error, "%s has %u %s, but the function has %u inputs", what,
                           table->count, table->count == 1 ? "name" : "names", function->inputs);
    return enough_memory(function_names(function->input_names, table), error);
}

// Sets the input names from a comma-separated list of distinct, non-empty names. Messages call the
// list `what`.
static tlu_status function_take_names(struct tlu_function *function, const char *names,
                                      const char *what, tlu_error *error)
{
    struct table table = {0};
    tlu_status status = read_names(&table, names, what, error);
    if (status == TLU_OK)
        status = copy_names(function, &table, what, error);
    table_free(&table);
    return status;
}

// ---- from an expression

static tlu_status parse(struct expression *expression, const char *text, const char *names,
                        tlu_function **function, tlu_error *error)
{
    expression->names_given = names != NULL;
    if (names)
        TRY(read_names(&expression->names, names, "--names", error));
    TRY(expression_read(expression, EXPRESSION, text, error));
    *function = function_new(expression->names.count, 1, false);
    TRY(enough_memory(*function != NULL, error));
    TRY(copy_names(*function, &expression->names, "--names", error));
    return expression_evaluate(expression, &(*function)->tables[0], error);
}

tlu_status tlu_function_from_expression(const char *text, const char *names,
                                        tlu_function **function, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct expression expression = {0};
    *function = NULL;
    TRY(check_given(text != NULL, "expression", error));
    tlu_status status = parse(&expression, text, names, function, error);
    expression_free(&expression);
    if (status == TLU_OK)
        return TLU_OK;
    tlu_function_free(*function);
    *function = NULL;
    return status;
}

// ---- from a table of values

#define TABLE "--table"

// Blanks and _ may stand between the values.
static bool is_gap(char c)
{
    return c == ' ' || c == '_' || c == '\t' || c == '\n' || c == '\r';
}

static tlu_status count_values(const char *values, size_t *count, tlu_error *error)
{
    char shown[16];
    *count = 0;
    for (const char *at = values; *at; at++) {
        if (is_gap(*at))
            continue;
        if (!strchr("01-xX", *at))
            return error_at(error, TABLE, 1, (uint64_t)(at - values) + 1,
                            "expected 0, 1, or - or x for a row that does not matter, found '%s'",
                            error_quote(shown, sizeof shown, at, 1));
        ++*count;
    }
    return TLU_OK;
}

static tlu_status inputs_of(size_t count, unsigned *inputs, tlu_error *error)
{
    for (*inputs = 0; (size_t)1 << *inputs < count; ++*inputs)
        continue;
    if (count == 0)
        return error_input(error, TABLE " is empty: expected 2, 4, 8, ... values");
    if (*inputs > TRUTH_INPUTS_MAX)
        return error_input(error, TABLE " has %zu values, more than the 2^%d of %d inputs", count,
                           TRUTH_INPUTS_MAX, TRUTH_INPUTS_MAX);
    if ((size_t)1 << *inputs != count)
        return error_input(error,
                           TABLE " has %zu values, which is not a power of two: expected %zu for "
                                 "%u inputs",
                           count, (size_t)1 << *inputs, *inputs);
    return TLU_OK;
}

static tlu_status fill_table(struct tlu_function *function, const char *values, const char *names,
                             tlu_error *error)
{
    size_t row = 0;
    for (const char *at = values; *at; at++) {
        if (is_gap(*at))
            continue;
        if (*at == '1')
            truth_set(&function->tables[0], row);
        else if (*at != '0')
            truth_set_open(&function->tables[0], row);
        row++;
    }
    return names ? function_take_names(function, names, "--names", error) : TLU_OK;
}

tlu_status tlu_function_from_table(const char *values, const char *names, tlu_function **function,
                                   tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    size_t count;
    unsigned inputs;
    *function = NULL;
    TRY(check_given(values != NULL, "truth table", error));
    TRY(count_values(values, &count, error));
    TRY(inputs_of(count, &inputs, error));
    struct tlu_function *made = function_new(inputs, 1, strpbrk(values, "-xX") != NULL);
    tlu_status status = enough_memory(made != NULL, error);
    if (status == TLU_OK)
        status = fill_table(made, values, names, error);
    if (status == TLU_OK)
        *function = made;
    else
        tlu_function_free(made);
    return status;
}

// ---- accessors

size_t tlu_function_input_count(const tlu_function *function)
{
    return function->inputs;
}

const char *tlu_function_input_name(const tlu_function *function, size_t input)
{
    return input < function->inputs ? function->input_names[input] : NULL;
}

size_t tlu_function_output_count(const tlu_function *function)
{
    return function->outputs;
}

const char *tlu_function_output_name(const tlu_function *function, size_t output)
{
    return output < function->outputs ? function->output_names[output] : NULL;
}

int tlu_function_value(const tlu_function *function, size_t output, size_t row)
{
    if (output >= function->outputs || row >= truth_rows(&function->tables[output]))
        return -1;
    const struct truth_table *truth = &function->tables[output];
    return truth_is_open(truth, row) ? -1 : truth_value(truth, row);
}
