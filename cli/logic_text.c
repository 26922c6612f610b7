// A Boolean function and what it is as units, for people.
#include "logic.h"
#include "text.h"
#include "tlu_logic.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_INPUTS 5  // the most for which the whole table is printed
#define TABLE_OUTPUTS 8 // likewise
#define NAME_WIDTH 20   // of a column
#define UNITS_SHOWN 24  // of a network
#define ROWS_SHOWN 40   // of a contradiction

static const char *shown(char out[NAME_WIDTH * 4 + 4], const char *name)
{
    return text_show(out, NAME_WIDTH * 4 + 4, name, NAME_WIDTH);
}

static int name_width(const char *name)
{
    char out[NAME_WIDTH * 4 + 4];
    return (int)text_width(shown(out, name));
}

static bool input_at(const tlu_function *function, size_t row, size_t input)
{
    return row >> (tlu_function_input_count(function) - 1 - input) & 1;
}

static size_t rows_of(const tlu_function *function)
{
    return (size_t)1 << tlu_function_input_count(function);
}

static const char *all_rows(char out[64], const tlu_function *function)
{
    size_t rows = rows_of(function);
    snprintf(out, 64, rows > 1 ? "all %zu rows" : "its only row", rows);
    return out;
}

// ---- the truth table

static void print_names(const tlu_function *function)
{
    char name[NAME_WIDTH * 4 + 4];
    for (size_t i = 0; i < tlu_function_input_count(function); i++)
        printf("%s ", shown(name, tlu_function_input_name(function, i)));
    printf("|");
    for (size_t i = 0; i < tlu_function_output_count(function); i++)
        printf(" %s", shown(name, tlu_function_output_name(function, i)));
    printf("\n");
}

static void print_row(const tlu_function *function, size_t row)
{
    for (size_t i = 0; i < tlu_function_input_count(function); i++)
        printf("%*d ", name_width(tlu_function_input_name(function, i)),
               input_at(function, row, i));
    printf("|");
    for (size_t i = 0; i < tlu_function_output_count(function); i++)
        printf(" %*c", name_width(tlu_function_output_name(function, i)),
               "-01"[tlu_function_value(function, i, row) + 1]);
    printf("\n");
}

// How many rows have each value, of a table that is too long to be printed.
static void print_counts(const tlu_function *function, size_t output)
{
    char name[NAME_WIDTH * 4 + 4];
    size_t counts[3] = {0, 0, 0};
    for (size_t row = 0; row < rows_of(function); row++)
        counts[tlu_function_value(function, output, row) + 1]++;
    printf("table     %s is 1 in %zu of %zu rows",
           shown(name, tlu_function_output_name(function, output)), counts[2], rows_of(function));
    if (counts[0])
        printf(" and does not matter in %zu", counts[0]);
    printf(" (--json has it)\n");
}

static void print_table(const tlu_function *function)
{
    size_t outputs = tlu_function_output_count(function);
    if (tlu_function_input_count(function) > TABLE_INPUTS || outputs > TABLE_OUTPUTS) {
        for (size_t i = 0; i < outputs; i++)
            print_counts(function, i);
        return;
    }
    print_names(function);
    for (size_t row = 0; row < rows_of(function); row++)
        print_row(function, row);
    printf("\n");
}

// ---- a unit

// "2 a + b - c >= 2"
static void print_unit(const tlu_function *function, const tlu_threshold_unit *unit)
{
    char name[NAME_WIDTH * 4 + 4];
    bool first = true;
    for (size_t i = 0; i < unit->inputs; i++) {
        int64_t weight = unit->weights[i];
        if (weight == 0)
            continue;
        printf("%s", weight < 0 ? (first ? "-" : " - ") : first ? "" : " + ");
        if (weight != 1 && weight != -1)
            printf("%" PRId64 " ", weight < 0 ? -weight : weight);
        printf("%s", shown(name, tlu_function_input_name(function, i)));
        first = false;
    }
    printf("%s >= %" PRId64, first ? "0" : "", unit->threshold);
}

static bool is_constant(const tlu_threshold_unit *unit)
{
    for (size_t i = 0; i < unit->inputs; i++)
        if (unit->weights[i])
            return false;
    return true;
}

static int64_t weights_size(const tlu_threshold_unit *unit)
{
    int64_t sum = 0;
    for (size_t i = 0; i < unit->inputs; i++)
        sum += unit->weights[i] < 0 ? -unit->weights[i] : unit->weights[i];
    return sum;
}

static void print_unneeded(const tlu_function *function, const tlu_threshold_unit *unit)
{
    char name[NAME_WIDTH * 4 + 4];
    bool any = false;
    for (size_t i = 0; i < unit->inputs; i++)
        if (!unit->needed[i]) {
            printf("%s%s", any ? ", " : "unneeded  ",
                   shown(name, tlu_function_input_name(function, i)));
            any = true;
        }
    if (any)
        printf(": it can be computed without\n");
}

// ---- a contradiction

// Room for the sum of a column, which has no more digits than that of all numbers.
static int sum_width(const tlu_threshold_unit *unit)
{
    char text[32];
    int64_t total = 0;
    for (size_t i = 0; i < unit->count; i++)
        total += unit->times[i];
    return snprintf(text, sizeof text, "%" PRId64, total / 2);
}

static int column_width(const tlu_function *function, size_t input, int digits)
{
    int width = name_width(tlu_function_input_name(function, input));
    return width > digits ? width : digits;
}

static void print_heading(const tlu_function *function, const char *name, int value, int digits)
{
    char column[NAME_WIDTH * 4 + 4];
    printf("  %s = %d%*s", name, value, digits + 3, "");
    for (size_t i = 0; i < tlu_function_input_count(function); i++) {
        printf(" ");
        text_write_column(stdout, shown(column, tlu_function_input_name(function, i)),
                          -column_width(function, i, digits));
    }
    printf("\n");
}

// The rows of one value, each with its number, and their sum.
static void print_side(const tlu_function *function, size_t output, const tlu_threshold_unit *unit,
                       int value)
{
    char name[NAME_WIDTH * 4 + 4];
    int64_t sums[64] = {0}, total = 0;
    int digits = sum_width(unit);
    shown(name, tlu_function_output_name(function, output));
    int indent = (int)text_width(name) + 4;
    size_t inputs = tlu_function_input_count(function), left = 0, printed = 0;
    print_heading(function, name, value, digits);
    for (size_t k = 0; k < unit->count; k++) {
        size_t row = unit->rows[k];
        if (tlu_function_value(function, output, row) != value)
            continue;
        total += unit->times[k];
        for (size_t i = 0; i < inputs; i++)
            sums[i] += input_at(function, row, i) * unit->times[k];
        if (printed++ >= ROWS_SHOWN) {
            left++;
            continue;
        }
        printf("  %*s%*" PRId64 " x ", indent, "", digits, unit->times[k]);
        for (size_t i = 0; i < inputs; i++)
            printf(" %*d", column_width(function, i, digits), input_at(function, row, i));
        printf("\n");
    }
    if (left)
        printf("  %*sand %zu more (--json has all)\n", indent, "", left);
    printf("  %*s%*" PRId64 "   ", indent, "", digits, total);
    for (size_t i = 0; i < inputs; i++)
        printf(" %*" PRId64, column_width(function, i, digits), sums[i]);
    printf("  in all\n");
}

void logic_print_contradiction(const tlu_function *function, size_t output,
                               const tlu_threshold_unit *unit)
{
    print_side(function, output, unit, 1);
    print_side(function, output, unit, 0);
    printf("As many rows add up to the same: with any weights the sums of both kinds have the same "
           "mean, so no\nthreshold has all of the first at or above it and all of the second "
           "below.\n");
}

// ---- the answers

static void print_answer(const tlu_function *function, size_t output,
                         const tlu_threshold_unit *unit, bool quiet)
{
    char name[NAME_WIDTH * 4 + 4], rows[64];
    shown(name, tlu_function_output_name(function, output));
    if (!unit->is_threshold) {
        printf("not a threshold function: these rows of %s contradict each other\n", name);
        if (!quiet)
            logic_print_contradiction(function, output, unit);
    } else {
        printf("threshold function: %s is 1 if ", name);
        print_unit(function, unit);
        printf("%s\n", is_constant(unit)
                           ? unit->threshold > 0 ? ", which is never" : ", which is always"
                           : ", else 0");
        if (unit->sum_min && !unit->smallest && !quiet)
            printf("smallest  not proven: the sum of |weights| is %" PRId64
                   ", and no unit for it has a smaller one than %" PRId64 "\n",
                   weights_size(unit), unit->sum_min);
        if (unit->smallest && !quiet)
            printf("smallest  no unit for it has a smaller sum of |weights| than %" PRId64 "\n",
                   weights_size(unit));
        if (!quiet)
            printf("checked   on %s\n", all_rows(rows, function));
    }
    if (!quiet)
        print_unneeded(function, unit);
}

static int write_out(void *context, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, context) != size;
}

static void print_network(const tlu_function *function, const tlu_realisation *realisation)
{
    char units[64], hidden[64], rows[64];
    tlu_error error;
    bool single = realisation->outputs == 1;
    count_text(units, realisation->network_units, "unit");
    count_text(hidden, realisation->hidden, "hidden unit");
    if (single)
        printf("network   %s and one on top", hidden);
    else
        printf("network   %s for all outputs", units);
    printf(", checked on %s%s\n", all_rows(rows, function),
           realisation->fewest    ? "; two layers need as many"
           : realisation->stopped ? "; --time ended the search: fewer may be possible"
           : single               ? "; fewer may be possible"
                                  : "");
    if (realisation->network_units > UNITS_SHOWN)
        printf("          (--as text prints it)\n");
    else if (tlu_network_write(realisation->network, "text", write_out, stdout, &error) != TLU_OK)
        printf("          (%s)\n", error.text);
}

void logic_print(const tlu_function *function, const tlu_realisation *realisation, bool quiet)
{
    if (!quiet)
        print_table(function);
    for (size_t i = 0; i < realisation->outputs; i++)
        print_answer(function, i, realisation->units[i], quiet);
    bool units_alone = realisation->outputs == 1 && realisation->hidden == 0;
    if (realisation->network && !quiet && !units_alone)
        print_network(function, realisation);
}
