// Boolean functions: every one of up to four inputs as a unit or a contradiction, expressions at
// random against a plain evaluator, PLA files against another, messages, failing memory. What is a
// threshold function is found out here by trying small weights.
#include "base/fault.h"
#include "base/random.h"
#include "logic/function/function.h"
#include "tlu.h"
#include "tlu_logic.h"
#include "trials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// ---- every function of up to four inputs

#define WEIGHT_MAX 3

static bool known[1 << 16]; // by table, row r as bit r: some unit with small weights computes it

static int sum_of(const int *weights, unsigned inputs, unsigned row)
{
    int sum = 0;
    for (unsigned i = 0; i < inputs; i++)
        sum += row >> (inputs - 1 - i) & 1 ? weights[i] : 0;
    return sum;
}

static unsigned try_all_weights(unsigned inputs)
{
    unsigned count = 0;
    int weights[4] = {-WEIGHT_MAX, -WEIGHT_MAX, -WEIGHT_MAX, -WEIGHT_MAX};
    memset(known, 0, sizeof known);
    for (unsigned i = 0; i < inputs;) {
        for (int threshold = -13; threshold <= 13; threshold++) {
            unsigned table = 0;
            for (unsigned row = 0; row < 1U << inputs; row++)
                table |= (unsigned)(sum_of(weights, inputs, row) >= threshold) << row;
            count += !known[table];
            known[table] = true;
        }
        for (i = 0; i < inputs && weights[i] == WEIGHT_MAX; i++)
            weights[i] = -WEIGHT_MAX;
        if (i < inputs)
            weights[i]++;
    }
    return count;
}

static void check_weights(const tlu_threshold_unit *unit, unsigned inputs, unsigned table)
{
    for (unsigned row = 0; row < 1U << inputs; row++) {
        int64_t sum = 0;
        for (unsigned i = 0; i < inputs; i++)
            sum += row >> (inputs - 1 - i) & 1 ? unit->weights[i] : 0;
        assert_int_equal(sum >= unit->threshold, table >> row & 1);
    }
}

static void check_contradiction(const tlu_threshold_unit *unit, unsigned inputs, unsigned table)
{
    int64_t sums[2][5] = {{0}};
    assert_true(unit->count >= 2);
    for (size_t k = 0; k < unit->count; k++) {
        int64_t *side = sums[table >> unit->rows[k] & 1];
        assert_true(unit->times[k] > 0 && unit->rows[k] < 1U << inputs);
        for (unsigned i = 0; i < inputs; i++)
            side[i] += unit->rows[k] >> (inputs - 1 - i) & 1 ? unit->times[k] : 0;
        side[4] += unit->times[k];
    }
    assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
}

// An input is needed if some row's value changes with it.
static bool is_needed(unsigned table, unsigned inputs, unsigned input)
{
    unsigned bit = 1U << (inputs - 1 - input);
    for (unsigned row = 0; row < 1U << inputs; row++)
        if ((table >> row & 1) != (table >> (row ^ bit) & 1))
            return true;
    return false;
}

static unsigned check_all(unsigned inputs)
{
    unsigned found = 0;
    for (unsigned table = 0; table < 1U << (1U << inputs); table++) {
        tlu_function *function = function_new(inputs, 1, false);
        tlu_realisation *answer;
        assert_non_null(function);
        function->tables[0].ones[0] = table;
        assert_int_equal(tlu_function_realise(function, NULL, &answer, NULL), TLU_OK);
        const tlu_threshold_unit *unit = answer->units[0];
        assert_int_equal(unit->is_threshold, known[table]);
        found += (unsigned)unit->is_threshold;
        (unit->is_threshold ? check_weights : check_contradiction)(unit, inputs, table);
        for (unsigned i = 0; i < inputs; i++)
            assert_int_equal(unit->needed[i], is_needed(table, inputs, i));
        tlu_realisation_free(answer);
        tlu_function_free(function);
    }
    return found;
}

static void test_every_function(void **state)
{
    static const unsigned expected[] = {2, 4, 14, 104, 1882}; // OEIS A000609
    (void)state;
    for (unsigned inputs = 1; inputs <= 4; inputs++) {
        assert_int_equal(try_all_weights(inputs), expected[inputs]);
        assert_int_equal(check_all(inputs), expected[inputs]);
    }
}

// ---- every network of up to three inputs, and some with rows that do not matter

static void check_realised(tlu_function *function)
{
    tlu_realise_settings settings = {.size = sizeof settings, .network = 1};
    tlu_realisation *answer;
    tlu_network_run *run;
    unsigned inputs = function->inputs;
    assert_int_equal(tlu_function_realise(function, &settings, &answer, NULL), TLU_OK);
    assert_int_equal(tlu_network_run_new(answer->network, &run, NULL), TLU_OK);
    for (size_t row = 0; row < (size_t)1 << inputs; row++) {
        unsigned char in[20], out[8];
        for (unsigned i = 0; i < inputs; i++)
            in[i] = row >> (inputs - 1 - i) & 1;
        tlu_network_run_step(run, in, out);
        for (size_t o = 0; o < function->outputs; o++) {
            int value = tlu_function_value(function, o, row);
            assert_true(value < 0 || value == out[o]);
        }
    }
    assert_int_equal(tlu_function_value(function, 0, (size_t)1 << inputs), -1);
    tlu_network_run_free(run);
    tlu_realisation_free(answer);
}

static void test_networks(void **state)
{
    struct random random;
    (void)state;
    random_seed(&random, 5);
    for (unsigned table = 0; table < 256; table++) {
        tlu_function *function = function_new(3, 1, false);
        function->tables[0].ones[0] = table;
        check_realised(function);
        tlu_function_free(function);
    }
    for (int i = 0; i < often(2000); i++) { // several outputs, some rows open
        tlu_function *function = function_new((unsigned)random_below(&random, 6), 3, true);
        for (size_t o = 0; o < 3; o++)
            for (size_t row = 0; row < truth_rows(&function->tables[o]); row++) {
                uint64_t bits = random_bits(&random);
                if (bits >> 10 & 1)
                    truth_set_open(&function->tables[o], row);
                else if (bits & 1)
                    truth_set(&function->tables[o], row);
            }
        check_realised(function);
        tlu_function_free(function);
    }
}

// With rows that do not matter: a unit must be right about the others, whatever weights it has, and
// a contradiction may only use the others.
static void test_open_rows(void **state)
{
    (void)state;
    try_all_weights(3);
    for (unsigned code = 0; code < 6561; code++) { // 3^8
        char values[9] = "";
        unsigned ones = 0, zeros = 0, rest = code;
        for (unsigned row = 0; row < 8; row++, rest /= 3) {
            values[row] = "01-"[rest % 3];
            ones |= (unsigned)(rest % 3 == 1) << row;
            zeros |= (unsigned)(rest % 3 == 0) << row;
        }
        bool possible = false;
        for (unsigned table = 0; table < 256; table++)
            possible = possible || (known[table] && (table & ones) == ones && !(table & zeros));
        tlu_function *function;
        tlu_realisation *answer;
        assert_int_equal(tlu_function_from_table(values, NULL, &function, NULL), TLU_OK);
        assert_int_equal(tlu_function_realise(function, NULL, &answer, NULL), TLU_OK);
        const tlu_threshold_unit *unit = answer->units[0];
        assert_int_equal(unit->is_threshold, possible);
        for (size_t k = 0; k < unit->count; k++)
            assert_true(values[unit->rows[k]] != '-');
        if (!possible)
            check_contradiction(unit, 3, ones);
        for (unsigned row = 0; possible && row < 8; row++) {
            int64_t sum = 0;
            for (unsigned i = 0; i < 3; i++)
                sum += row >> (2 - i) & 1 ? unit->weights[i] : 0;
            assert_true(values[row] == '-' || (sum >= unit->threshold) == (values[row] == '1'));
        }
        tlu_realisation_free(answer);
        tlu_function_free(function);
    }
}

// ---- expressions at random

struct node {
    enum { INPUT, CONSTANT, NOT, AND, XOR, OR, IMPLIES, IFF, COUNT } kind;
    unsigned number, count;
    struct node *parts[4];
};

static const char *const names[] = {"a", "b7", "\"c d\"", "\xC3\xA9t\xC3\xA9", "e_", "\"0\""};
static const char *const signs[][3] = {[AND] = {"&", "and", "&&"},
                                       [XOR] = {"^", "xor", "\xE2\x8A\x95"},
                                       [OR] = {"|", "OR", "||"},
                                       [IMPLIES] = {"->", "=>", "implies"},
                                       [IFF] = {"<->", "<=>", "=="}};
static const char *const forms[] = {"atleast", "atmost", "exactly", "maj"};

static struct node nodes[64];
static unsigned node_count;

static struct node *grow(struct random *random, unsigned depth)
{
    struct node *node = &nodes[node_count++];
    *node = (struct node){.kind = (int)random_below(random, depth && node_count < 40 ? 9 : 2)};
    if (depth && node->kind < NOT && random_below(random, 2))
        node->kind = AND;
    if (node->kind == INPUT)
        node->number = (unsigned)random_below(random, 6);
    if (node->kind == CONSTANT)
        node->number = (unsigned)random_below(random, 2);
    unsigned parts = node->kind < NOT ? 0 : node->kind == NOT ? 1 : node->kind == COUNT ? 3 : 2;
    if (node->kind == COUNT) {
        node->number = (unsigned)random_below(random, 4);
        node->count = (unsigned)random_below(random, 5);
    }
    for (unsigned i = 0; i < parts; i++)
        node->parts[i] = grow(random, depth - 1);
    return node;
}

static bool value_of(const struct node *node, unsigned inputs)
{
    bool a = node->parts[0] && value_of(node->parts[0], inputs);
    bool b = node->parts[1] && value_of(node->parts[1], inputs);
    unsigned ones = (unsigned)a + b + (node->parts[2] && value_of(node->parts[2], inputs));
    switch (node->kind) {
    case INPUT:
        return inputs >> node->number & 1;
    case CONSTANT:
        return node->number;
    case NOT:
        return !a;
    case AND:
        return a && b;
    case XOR:
        return a != b;
    case OR:
        return a || b;
    case IMPLIES:
        return !a || b;
    case IFF:
        return a == b;
    default:
        break;
    }
    switch (node->number) {
    case 0:
        return ones >= node->count;
    case 1:
        return ones <= node->count;
    case 2:
        return ones == node->count;
    default:
        return ones >= 2;
    }
}

// With no parentheses but those that the precedence asks for. The place is how tightly its
// surroundings bind: 0 not at all, the kind of an operator, one less on the side to which it
// groups.
static void write_node(FILE *file, const struct node *node, int place, struct random *random)
{
    int tight = node->kind >= AND && node->kind <= IFF ? IFF + 1 - (int)node->kind : 100;
    bool open = tight < place || random_below(random, 8) == 0;
    fputs(open ? "(" : "", file);
    if (node->kind == INPUT) {
        fputs(names[node->number], file);
    } else if (node->kind == CONSTANT) {
        static const char *const words[] = {"0", "1", "false", "true"};
        fputs(words[node->number + 2 * random_below(random, 2)], file);
    } else if (node->kind == NOT) {
        static const char *const words[] = {"!", "~", "not "};
        fputs(words[random_below(random, 3)], file);
        write_node(file, node->parts[0], 50, random);
    } else if (node->kind == COUNT) {
        fprintf(file, "%s(", forms[node->number]);
        if (node->number < 3)
            fprintf(file, "%u; ", node->count);
        for (unsigned i = 0; i < 3; i++) {
            fputs(i ? ", " : "", file);
            write_node(file, node->parts[i], 0, random);
        }
        fputc(')', file);
    } else {
        bool right = node->kind == IMPLIES;
        write_node(file, node->parts[0], right ? tight + 1 : tight, random);
        fprintf(file, " %s ", signs[node->kind][random_below(random, 3)]);
        write_node(file, node->parts[1], right ? tight : tight + 1, random);
    }
    fputs(open ? ")" : "", file);
}

static const char plain_names[] = "a,b7,c d,\xC3\xA9t\xC3\xA9,e_,0";

static void test_expressions(void **state)
{
    struct random random;
    (void)state;
    random_seed(&random, 3);
    for (int i = 0; i < often(50000); i++) {
        char *text;
        size_t size;
        FILE *file = open_memstream(&text, &size);
        assert_non_null(file);
        node_count = 0;
        struct node *node = grow(&random, 4);
        write_node(file, node, 0, &random);
        fclose(file);
        tlu_function *function;
        tlu_error error = {.text = ""};
        if (tlu_function_from_expression(text, plain_names, &function, &error) != TLU_OK)
            fail_msg("%s: %s", text, error.text);
        for (unsigned row = 0; row < 64; row++) {
            unsigned inputs = 0;
            for (unsigned bit = 0; bit < 6; bit++)
                inputs |= (row >> (5 - bit) & 1) << bit;
            if (tlu_function_value(function, 0, row) != value_of(node, inputs))
                fail_msg("%s is wrong in row %u", text, row);
        }
        tlu_function_free(function);
        free(text);
    }
}

// More inputs than bits of a word have rows, and names in the order in which they come.
static void test_many_inputs(void **state)
{
    static const char text[] = "exactly(3; t,s,r,q,p,o,n,m,l,k,j,i,h,g,f,e,d,c,b,a)";
    tlu_function *function;
    (void)state;
    assert_int_equal(tlu_function_from_expression(text, NULL, &function, NULL), TLU_OK);
    assert_int_equal(tlu_function_input_count(function), 20);
    assert_string_equal(tlu_function_input_name(function, 0), "t");
    assert_string_equal(tlu_function_input_name(function, 19), "a");
    assert_null(tlu_function_input_name(function, 20));
    for (size_t row = 0; row < 1 << 20; row++)
        assert_int_equal(tlu_function_value(function, 0, row), __builtin_popcountl(row) == 3);
    tlu_function_free(function);
}

// A million parentheses, and as many operators that wait.
static void test_depth(void **state)
{
    enum { DEPTH = 1000000 };
    char *text = malloc(4 * DEPTH + 10);
    tlu_function *function;
    (void)state;
    assert_non_null(text);
    memset(text, '(', DEPTH);
    text[DEPTH] = 'a';
    memset(text + DEPTH + 1, ')', DEPTH);
    text[2 * DEPTH + 1] = '\0';
    assert_int_equal(tlu_function_from_expression(text, NULL, &function, NULL), TLU_OK);
    assert_int_equal(tlu_function_value(function, 0, 1), 1);
    tlu_function_free(function);
    text[2 * DEPTH] = '\0';
    assert_int_equal(tlu_function_from_expression(text, NULL, &function, NULL), TLU_ERROR_INPUT);
    for (size_t i = 0; i < DEPTH; i++)
        memcpy(text + 4 * i, "a->(", 4);
    text[4 * DEPTH] = '\0';
    assert_int_equal(tlu_function_from_expression(text, NULL, &function, NULL), TLU_ERROR_INPUT);
    for (size_t i = 0; i < DEPTH; i++)
        memcpy(text + 4 * i, "!a^ ", 4);
    memcpy(text + 4 * DEPTH - 1, "b", 2);
    assert_int_equal(tlu_function_from_expression(text, NULL, &function, NULL), TLU_OK);
    assert_int_equal(tlu_function_value(function, 0, 1), 1); // a million times !a, and b
    assert_int_equal(tlu_function_value(function, 0, 2), 0);
    tlu_function_free(function);
    free(text);
}

// ---- PLA files at random

static void test_pla(void **state)
{
    static const char *const types[] = {"f", "fd", "fr", "fdr"};
    struct random random;
    (void)state;
    random_seed(&random, 8);
    unsigned good = 0;
    for (int i = 0; i < often(20000); i++) {
        unsigned inputs = 1 + (unsigned)random_below(&random, 8), outputs = 2;
        unsigned type = (unsigned)i % 4;
        char text[4096];
        int used =
            snprintf(text, sizeof text, ".i %u\n.o %u\n.type %s\n", inputs, outputs, types[type]);
        bool ones[2][256] = {{0}}, zeros[2][256] = {{0}}, open[2][256] = {{0}}, clash = false;
        unsigned cubes = (unsigned)random_below(&random, 6);
        for (unsigned c = 0; c < cubes; c++) {
            char in[9] = "", out[3] = "";
            for (unsigned k = 0; k < inputs; k++)
                in[k] = "01-2"[random_below(&random, 4)];
            for (unsigned k = 0; k < outputs; k++)
                out[k] = "01-~432"[random_below(&random, 7)];
            used += snprintf(text + used, sizeof text - (size_t)used, "%s %s # a cube\n", in, out);
            for (unsigned row = 0; row < 1U << inputs; row++) {
                bool inside = true;
                for (unsigned k = 0; k < inputs; k++)
                    inside = inside && (in[k] == '-' || in[k] == '2' ||
                                        (in[k] == '1') == (row >> (inputs - 1 - k) & 1));
                for (unsigned k = 0; inside && k < outputs; k++) {
                    ones[k][row] |= out[k] == '1' || out[k] == '4';
                    zeros[k][row] |= type >= 2 && (out[k] == '0' || out[k] == '3');
                    open[k][row] |= type % 2 && (out[k] == '-' || out[k] == '2');
                }
            }
        }
        for (unsigned row = 0; row < 512; row++)
            clash = clash || (ones[row / 256][row % 256] && zeros[row / 256][row % 256]);
        tlu_function *function = NULL;
        tlu_error error;
        tlu_status status = function_read_pla("a.pla", text, (size_t)used, &function, &error);
        assert_int_equal(status, clash ? TLU_ERROR_INPUT : TLU_OK);
        assert_true(!clash || (error.line > 3 && strstr(error.text, "in line ")));
        good += !clash;
        for (unsigned row = 0; !clash && row < 1U << inputs; row++)
            for (unsigned k = 0; k < outputs; k++) {
                bool any = ones[k][row] || zeros[k][row];
                int expected = open[k][row] || (type >= 2 && !any) ? -1 : ones[k][row];
                assert_int_equal(tlu_function_value(function, k, row), expected);
            }
        tlu_function_free(function);
    }
    assert_true(good > 100);
}

// ---- failing memory

static void test_no_memory(void **state)
{
    static const char pla[] = ".i 3\n.o 2\n.ilb a b c\n.type fr\n1-0 10\n001 01\n.e\n";
    tlu_error error;
    (void)state;
    for (int which = 0; which < 3; which++)
        for (long n = 1;; n++) {
            tlu_function *function = NULL;
            tlu_realisation *answer = NULL;
            tlu_realise_settings settings = {.size = sizeof settings, .network = 1, .smallest = 1};
            fault_at(FAULT_MEMORY, n);
            tlu_status status =
                which == 0   ? tlu_function_from_expression("a ^ \"b\" ^ (maj(c, a, b) -> d)", NULL,
                                                            &function, &error)
                : which == 1 ? tlu_function_from_table("0110-001", "a,b,c", &function, &error)
                             : function_read_pla("a.pla", pla, sizeof pla - 1, &function, &error);
            if (status == TLU_OK)
                status = tlu_function_realise(function, &settings, &answer, &error);
            bool reached = fault_calls(FAULT_MEMORY) >= n;
            fault_at(FAULT_MEMORY, 0);
            assert_int_equal(status, reached ? TLU_ERROR_SYSTEM : TLU_OK);
            tlu_realisation_free(answer);
            tlu_function_free(function);
            if (!reached)
                break;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_function),
        cmocka_unit_test(test_networks),
        cmocka_unit_test(test_open_rows),
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_many_inputs),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_pla),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
