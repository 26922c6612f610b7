// Turing machines: known ones, random ones against a plain simulation of their table, and networks
// that were damaged, against all short sequences of symbols.
#include "base/fault.h"
#include "base/random.h"
#include "logic/network/network.h"
#include "tlu.h"
#include "tlu_logic.h"
#include "trials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define TEXT_SIZE 4000

static const char *const encodings[] = {"onehot", "binary", NULL};

static tlu_turing *parsed(const char *text)
{
    tlu_turing *machine;
    tlu_error error;
    if (tlu_turing_parse(text, strlen(text), "text", &machine, &error) != TLU_OK)
        fail_msg("%s\n%s", text, error.text);
    return machine;
}

static tlu_network *network_of(const tlu_turing *machine, const char *encoding)
{
    tlu_network *network;
    tlu_turing_equivalence *walk;
    tlu_error error;
    assert_int_equal(tlu_network_from_turing(machine, encoding, &network, &error), TLU_OK);
    assert_int_equal(tlu_turing_equivalence_check(machine, network, &walk, &error), TLU_OK);
    const tlu_turing_facts *facts = tlu_turing_get_facts(machine);
    assert_int_equal(walk->equal, 1);
    assert_int_equal(walk->pairs, facts->states);
    assert_int_equal(walk->symbols, facts->symbols);
    for (size_t i = 0; i < facts->states; i++)
        assert_int_equal(strlen(tlu_turing_equivalence_delays(walk, i)),
                         tlu_network_delay_count(network));
    tlu_turing_equivalence_free(walk);
    return network;
}

static const tlu_turing_run_state *run_to_end(tlu_turing_run *run, const char *tape, int most)
{
    tlu_error error;
    assert_int_equal(tlu_turing_run_set_tape(run, tape, strlen(tape), &error), TLU_OK);
    for (int i = 0; i < most && !tlu_turing_run_get_state(run)->halted; i++)
        assert_int_equal(tlu_turing_run_step(run, &error), TLU_OK);
    return tlu_turing_run_get_state(run);
}

// The tape without the blanks around it.
static const char *contents(tlu_turing_run *run, char out[TEXT_SIZE])
{
    const tlu_turing_run_state *state = tlu_turing_run_get_state(run);
    int64_t first = state->first, last = state->last;
    size_t used = 0;
    while (first <= last && strcmp(tlu_turing_run_cell(run, first), state->blank) == 0)
        first++;
    while (first <= last && strcmp(tlu_turing_run_cell(run, last), state->blank) == 0)
        last--;
    out[0] = '\0';
    for (; first <= last; first++)
        used +=
            (size_t)snprintf(out + used, TEXT_SIZE - used, "%s", tlu_turing_run_cell(run, first));
    return out;
}

static size_t count_ones(tlu_turing_run *run)
{
    char text[TEXT_SIZE];
    size_t count = 0;
    contents(run, text);
    for (const char *at = text; *at; at++)
        count += *at == '1';
    return count;
}

// ---- machines that are known ----

// Steps and ones of the busy beavers: Rado 1962, Lin and Rado 1965, Brady 1983.
static void busy_beavers(void **state)
{
    (void)state;
    static const struct {
        const char *table;
        uint64_t steps;
        size_t ones;
    } beavers[] = {
        {"blank 0\nA 0 1 R halt\n", 1, 1},
        {"blank 0\nA 0 1 R B\nA 1 1 L B\nB 0 1 L A\nB 1 1 R halt\n", 6, 4},
        {"blank 0\nA 0 1 R B\nA 1 1 R halt\nB 0 0 R C\nB 1 1 R B\nC 0 1 L C\nC 1 1 L A\n", 14, 6},
        {"blank 0\nA 0 1 R B\nA 1 1 R halt\nB 0 1 L B\nB 1 0 R C\nC 0 1 L C\nC 1 1 L A\n", 21, 5},
        {"blank 0\nA 0 1 R B\nA 1 1 L B\nB 0 1 L A\nB 1 0 L C\nC 0 1 R halt\nC 1 1 L D\n"
         "D 0 1 R D\nD 1 0 R A\n",
         107, 13},
    };
    for (size_t i = 0; i < sizeof beavers / sizeof beavers[0]; i++)
        for (size_t e = 0; e < 3; e++) {
            tlu_turing *machine = parsed(beavers[i].table);
            tlu_network *network = network_of(machine, encodings[e]);
            tlu_turing_run *run;
            tlu_error error;
            assert_int_equal(tlu_turing_run_new(machine, network, &run, &error), TLU_OK);
            const tlu_turing_run_state *end = run_to_end(run, "", 1000);
            assert_int_equal(end->halted, 1);
            assert_int_equal(end->accepted, -1);
            assert_int_equal(end->steps, beavers[i].steps);
            assert_string_equal(end->state, "halt");
            assert_int_equal(count_ones(run), beavers[i].ones);
            // After a halt there are no steps, and the network stays as it is.
            assert_int_equal(tlu_turing_run_step(run, &error), TLU_OK);
            assert_int_equal(tlu_turing_run_get_state(run)->steps, beavers[i].steps);
            tlu_turing_run_free(run);
            tlu_network_free(network);
            tlu_turing_free(machine);
        }
}

static tlu_turing *loaded(const char *name)
{
    char path[1000];
    tlu_turing *machine;
    tlu_error error;
    snprintf(path, sizeof path, "%s/../../examples/turing/%s", TLU_TEST_DATA, name);
    if (tlu_turing_load(path, &machine, &error) != TLU_OK)
        fail_msg("%s", error.text);
    return machine;
}

static void binary_text(unsigned number, char out[40])
{
    int bits = 1;
    while (number >> bits)
        bits++;
    for (int i = 0; i < bits; i++)
        out[i] = (char)('0' + (number >> (bits - 1 - i) & 1));
    out[bits] = '\0';
}

static void increment(void **state)
{
    (void)state;
    tlu_turing *machine = loaded("increment.tm");
    for (size_t e = 0; e < 2; e++) {
        tlu_network *network = network_of(machine, encodings[e]);
        tlu_turing_run *run;
        tlu_error error;
        // With the machine, and by the names of the inputs alone.
        for (int with = 0; with < 2; with++) {
            assert_int_equal(tlu_turing_run_new(with ? machine : NULL, network, &run, &error),
                             TLU_OK);
            for (unsigned i = 0; i < 600; i++) {
                char before[40], after[40], found[TEXT_SIZE];
                binary_text(i, before);
                binary_text(i + 1, after);
                const tlu_turing_run_state *end = run_to_end(run, before, 1000);
                assert_int_equal(end->halted, 1);
                assert_string_equal(contents(run, found), after);
            }
            tlu_turing_run_free(run);
        }
        tlu_network_free(network);
    }
    tlu_turing_free(machine);
}

static void palindromes(void **state)
{
    (void)state;
    tlu_turing *machine = loaded("palindrome.tm");
    tlu_network *network = network_of(machine, NULL);
    tlu_turing_run *run;
    tlu_error error;
    assert_int_equal(tlu_turing_run_new(machine, network, &run, &error), TLU_OK);
    for (unsigned length = 0; length <= 8; length++)
        for (unsigned bits = 0; bits < 1u << length; bits++) {
            char text[16] = "";
            int is_one = 1;
            for (unsigned i = 0; i < length; i++)
                text[i] = "ab"[bits >> i & 1];
            for (unsigned i = 0; i < length; i++)
                is_one = is_one && text[i] == text[length - 1 - i];
            const tlu_turing_run_state *end = run_to_end(run, text, 1000);
            assert_int_equal(end->halted, 1);
            assert_int_equal(end->accepted, is_one);
            assert_string_equal(end->state, is_one ? "accept" : "reject");
        }
    tlu_turing_run_free(run);
    tlu_network_free(network);
    tlu_turing_free(machine);
}

// ---- what a table says ----

static void facts(void **state)
{
    (void)state;
    // "start" and "blank" may be states; "lost" cannot be reached; "odd" has no row for "two".
    static const char text[] = "  # comment\n\nstart start\nstart one two R odd # to the right\n"
                               "blank one one S halt\nlost one one L lost\r\n"
                               "odd one one L blank\nstart two one L start\nblank zero";
    tlu_turing *machine = parsed(text);
    const tlu_turing_facts *f = tlu_turing_get_facts(machine);
    assert_int_equal(f->states_given, 5);
    assert_int_equal(f->states, 4);
    assert_int_equal(f->symbols, 3);
    assert_int_equal(f->rows, 4);
    assert_int_equal(f->missing, 5);
    assert_true(f->accept == TLU_NONE);
    assert_int_equal(f->characters, 0);
    assert_string_equal(tlu_turing_symbol_name(machine, 0), "zero");
    assert_string_equal(tlu_turing_symbol_name(machine, 1), "one");
    assert_string_equal(tlu_turing_state_name(machine, 0), "start");
    assert_string_equal(tlu_turing_state_name(machine, 1), "odd");
    assert_string_equal(tlu_turing_state_name(machine, 2), "blank");
    assert_string_equal(tlu_turing_state_name(machine, 3), "halt");
    assert_int_equal(tlu_turing_next(machine, 0, 1), 1);
    assert_int_equal(tlu_turing_written(machine, 0, 1), 2);
    assert_int_equal(tlu_turing_move(machine, 0, 1), 1);
    assert_int_equal(tlu_turing_move(machine, 0, 2), -1);
    assert_true(tlu_turing_next(machine, 3, 0) == TLU_NONE);
    static const size_t past[] = {4, 100, UINT32_MAX, SIZE_MAX / 2, SIZE_MAX};
    for (size_t i = 0; i < 5; i++) {
        assert_null(tlu_turing_state_name(machine, past[i]));
        assert_null(tlu_turing_symbol_name(machine, past[i]));
        assert_true(tlu_turing_next(machine, past[i], 1) == TLU_NONE);
        assert_true(tlu_turing_next(machine, 0, past[i]) == TLU_NONE);
        assert_true(tlu_turing_written(machine, 0, past[i]) == TLU_NONE);
        assert_int_equal(tlu_turing_move(machine, 0, past[i]), 0);
    }
    tlu_turing_free(machine);
}

// Tapes of words, unknown symbols, and callers that give nothing.
static void tapes(void **state)
{
    (void)state;
    tlu_turing *machine = parsed("a up down R a\na é é R a\n");
    tlu_network *network = network_of(machine, NULL);
    tlu_turing_run *run;
    tlu_turing *none;
    tlu_network *no_network;
    tlu_error error;
    char text[TEXT_SIZE];
    assert_int_equal(tlu_turing_run_new(machine, network, &run, &error), TLU_OK);
    assert_int_equal(run_to_end(run, "  up\tup é ", 100)->steps, 3);
    assert_string_equal(contents(run, text), "downdowné");
    assert_int_equal(tlu_turing_run_get_state(run)->head, 3);
    assert_string_equal(tlu_turing_run_get_state(run)->symbol, "_");
    assert_string_equal(tlu_turing_run_cell(run, INT64_MIN), "_");
    assert_string_equal(tlu_turing_run_cell(run, INT64_MAX), "_");
    assert_int_equal(tlu_turing_run_set_tape(run, "up upp", 6, &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "symbol 2: 'upp' is not a symbol of the machine"));
    assert_string_equal(tlu_turing_run_cell(run, 0), "_");
    // Bytes past the end do not count, and a NUL is not a symbol.
    assert_int_equal(tlu_turing_run_set_tape(run, "up upp", 5, &error), TLU_OK);
    assert_int_equal(tlu_turing_run_set_tape(run, "up\0up", 5, &error), TLU_ERROR_INPUT);
    assert_int_equal(tlu_turing_run_set_tape(run, NULL, 5, &error), TLU_ERROR_INPUT);
    tlu_turing_run_free(run);
    assert_int_equal(tlu_network_from_turing(machine, "unary", &no_network, &error),
                     TLU_ERROR_INPUT);
    assert_null(no_network);
    tlu_network_free(network);
    tlu_turing_free(machine);
    assert_int_equal(tlu_turing_parse(NULL, 3, "x", &none, &error), TLU_ERROR_INPUT);
    assert_int_equal(tlu_turing_parse(NULL, 0, "x", &none, &error), TLU_ERROR_INPUT);
    assert_int_equal(tlu_turing_parse("a 0 0 R a\0", 10, "x", &none, &error), TLU_ERROR_INPUT);
    assert_int_equal(tlu_turing_load(NULL, &none, &error), TLU_ERROR_INPUT);
}

// Networks that are not the control of this machine, or of any.
static void other_networks(void **state)
{
    (void)state;
    static const struct {
        const char *text, *reason;
        int with; // a machine; else only without one
    } nets[] = {
        {"inputs a\noutput halt = a\n", "the input 'a' of the network is not a symbol", 1},
        {"unit u = 0 >= 1\noutput halt = u\n", "the network has no inputs", 1},
        {"inputs read__\noutput halt = read__\n", "the network has no input 'read_0'; add it", 1},
        {"inputs read__ read_0 read_1\noutput write__ = read__\n", "has 3 inputs", 1},
        {"inputs read__ read_0\noutput write__ = read__\n",
         "the network has no output 'write_0'; add it", 1},
        {"inputs read__ read_0\noutput write__ = read__\noutput write_0 = read_0\n"
         "output left = read_0\noutput right = read_0\n",
         "the network has no output 'halt'; add it", 1},
        {"inputs read__ read_0\nunit u = 0 >= 1\noutput write__ = read__\noutput write_0 = read__\n"
         "output left = u\noutput right = u\noutput halt = u\n",
         "writes '_' and '0' at once", 0},
        {"inputs read__ read_0\nunit u = 0 >= 1\noutput write__ = read__\noutput write_0 = u\n"
         "output left = read__\noutput right = read__\noutput halt = u\n",
         "moves to the left and to the right at once", 0},
        {"inputs read__ read_0\nunit u = 0 >= 1\noutput write__ = read__\noutput write_0 = read_0\n"
         "output left = u\noutput right = read_0\noutput halt = read__\n",
         "after 0 steps its output 'write__' differs from the table", 2},
    };
    tlu_turing *machine = parsed("a 0 0 R a\n");
    for (size_t i = 0; i < sizeof nets / sizeof nets[0]; i++) {
        tlu_network *network;
        tlu_turing_run *run;
        tlu_turing_equivalence *walk;
        tlu_error error;
        assert_int_equal(
            tlu_network_parse(nets[i].text, strlen(nets[i].text), "net", &network, &error), TLU_OK);
        if (nets[i].with == 1) {
            assert_int_equal(tlu_turing_equivalence_check(machine, network, &walk, &error),
                             TLU_ERROR_INPUT);
            assert_non_null(strstr(error.text, nets[i].reason));
            assert_null(walk);
        }
        tlu_status status =
            tlu_turing_run_new(nets[i].with ? machine : NULL, network, &run, &error);
        if (nets[i].with == 0) {
            assert_int_equal(status, TLU_OK);
            status = tlu_turing_run_step(run, &error);
            tlu_turing_run_free(run);
        }
        assert_int_equal(status, TLU_ERROR_INPUT);
        if (!strstr(error.text, nets[i].reason))
            fail_msg("'%s' does not say '%s'", error.text, nets[i].reason);
        tlu_network_free(network);
    }
    tlu_turing_free(machine);
}

// The output accept, which the network of a machine with such a state needs.
static void missing_accept(void **state)
{
    (void)state;
    static const char text[] = "inputs read__\nunit no = 0 >= 1\nunit yes = 0 >= 0\n"
                               "output write__ = no\noutput left = no\noutput right = no\n"
                               "output halt = yes\n%s";
    static const struct {
        const char *more, *reason;
    } nets[] = {{"", "the network has no output 'accept'; add it"},
                {"output accept = no\n", "its output 'accept' differs from the table"}};
    tlu_turing *machine = parsed("start accept\nlost _ _ R lost\n");
    for (size_t i = 0; i < 2; i++) {
        char net[500];
        tlu_network *network;
        tlu_turing_run *run;
        tlu_turing_equivalence *walk;
        tlu_error error;
        snprintf(net, sizeof net, text, nets[i].more);
        assert_int_equal(tlu_network_parse(net, strlen(net), "net", &network, &error), TLU_OK);
        assert_int_equal(tlu_turing_run_new(machine, network, &run, &error), TLU_ERROR_INPUT);
        assert_non_null(strstr(error.text, nets[i].reason));
        assert_int_equal(tlu_turing_equivalence_check(machine, network, &walk, &error),
                         i ? TLU_OK : TLU_ERROR_INPUT);
        if (i) {
            assert_int_equal(walk->equal, 0);
            assert_string_equal(walk->output, "accept");
            assert_int_equal(walk->expected, 1);
            assert_int_equal(walk->length, 0);
        }
        tlu_turing_equivalence_free(walk);
        tlu_network_free(network);
    }
    tlu_turing_free(machine);
}

// Outputs that are inputs, and a delay that nothing needs.
static void direct_network(void **state)
{
    (void)state;
    static const char text[] = "inputs read_0 read__\ndelay last = read_0 start 0\n"
                               "unit no = 0 >= 1\nunit yes = 0 >= 0\noutput write__ = read__\n"
                               "output write_0 = read_0\noutput left = no\noutput right = yes\n"
                               "output halt = no\n";
    tlu_turing *machine = parsed("a 0 0 R a\na _ _ R a\n");
    tlu_network *network;
    tlu_turing_equivalence *walk;
    tlu_turing_run *run;
    tlu_error error;
    assert_int_equal(tlu_network_parse(text, strlen(text), "net", &network, &error), TLU_OK);
    assert_int_equal(tlu_turing_equivalence_check(machine, network, &walk, &error), TLU_OK);
    assert_int_equal(walk->equal, 1);
    assert_int_equal(walk->pairs, 2); // the delay is 0 or 1
    assert_int_equal(tlu_turing_run_new(machine, network, &run, &error), TLU_OK);
    assert_int_equal(run_to_end(run, "0_0", 50)->steps, 50);
    assert_int_equal(tlu_turing_run_get_state(run)->head, 50);
    tlu_turing_run_free(run);
    tlu_turing_equivalence_free(walk);
    tlu_network_free(network);
    tlu_turing_free(machine);
}

// ---- machines at random, against a plain simulation ----

#define STATES 5
#define SYMBOLS 4
#define CELLS 4000

struct plain {
    int write[STATES][SYMBOLS], move[STATES][SYMBOLS];
    int next[STATES][SYMBOLS]; // -1: no row; STATES: halt
    int tape[CELLS], head, state;
};

static void random_machine(struct random *random, struct plain *plain, char text[TEXT_SIZE])
{
    size_t used = (size_t)snprintf(text, TEXT_SIZE, "blank w\nstart s0\n");
    size_t rows = 0;
    for (int s = 0; s < STATES; s++)
        for (int a = 0; a < SYMBOLS; a++) {
            // Each state has a row.
            int there = a == 0 || random_below(random, 5) != 0;
            plain->next[s][a] = there ? (int)random_below(random, STATES * 4 + 1) / 4 : -1;
            plain->write[s][a] = (int)random_below(random, SYMBOLS);
            plain->move[s][a] = (int)random_below(random, 5) / 2 - 1; // to stay is rarer
            if (!there)
                continue;
            rows++;
            char next[16] = "halt";
            if (plain->next[s][a] < STATES)
                snprintf(next, sizeof next, "s%d", plain->next[s][a]);
            used +=
                (size_t)snprintf(text + used, TEXT_SIZE - used, "s%d %c %c %c %s\n", s, "wxyz"[a],
                                 "wxyz"[plain->write[s][a]], "LSR"[plain->move[s][a] + 1], next);
        }
    assert_true(rows >= STATES && used < TEXT_SIZE);
}

// One step; 0: it has halted.
static int plain_step(struct plain *plain)
{
    int symbol = plain->tape[plain->head];
    if (plain->state == STATES || plain->next[plain->state][symbol] == -1)
        return 0;
    int s = plain->state;
    plain->tape[plain->head] = plain->write[s][symbol];
    plain->head += plain->move[s][symbol];
    plain->state = plain->next[s][symbol];
    return 1;
}

static void compare_run(struct plain *plain, tlu_turing_run *run, struct random *random)
{
    char tape[32];
    size_t length = (size_t)random_below(random, 20);
    tlu_error error;
    memset(plain->tape, 0, sizeof plain->tape);
    plain->head = CELLS / 2;
    plain->state = 0;
    for (size_t i = 0; i < length; i++) {
        plain->tape[CELLS / 2 + i] = (int)random_below(random, SYMBOLS);
        tape[i] = "wxyz"[plain->tape[CELLS / 2 + i]];
    }
    assert_int_equal(tlu_turing_run_set_tape(run, tape, length, &error), TLU_OK);
    for (int step = 0; step < 300; step++) {
        char name[16] = "halt";
        const tlu_turing_run_state *now = tlu_turing_run_get_state(run);
        if (plain->state < STATES)
            snprintf(name, sizeof name, "s%d", plain->state);
        assert_string_equal(now->state, name);
        assert_int_equal(now->steps, step);
        assert_int_equal(now->head, plain->head - CELLS / 2);
        for (int64_t cell = now->first - 1; cell <= now->last + 1; cell++)
            assert_int_equal(tlu_turing_run_cell(run, cell)[0],
                             "wxyz"[plain->tape[CELLS / 2 + cell]]);
        int more = plain_step(plain);
        assert_int_equal(now->halted, !more);
        if (!more)
            return;
        assert_int_equal(tlu_turing_run_step(run, &error), TLU_OK);
    }
}

static void random_machines(void **state)
{
    (void)state;
    static struct plain plain;
    struct random random;
    random_seed(&random, 8);
    for (int i = 0; i < often(3000); i++) {
        char text[TEXT_SIZE];
        tlu_turing_run *run;
        tlu_error error;
        random_machine(&random, &plain, text);
        tlu_turing *machine = parsed(text);
        tlu_network *network = network_of(machine, encodings[i % 3]);
        assert_int_equal(tlu_turing_run_new(machine, network, &run, &error), TLU_OK);
        for (int j = 0; j < 5; j++)
            compare_run(&plain, run, &random);
        tlu_turing_run_free(run);
        tlu_network_free(network);
        tlu_turing_free(machine);
    }
}

// ---- damaged networks ----

// The value of an output in a step, by name.
static int output_of(const tlu_network *network, const unsigned char *outputs, const char *name)
{
    for (size_t i = 0; i < tlu_network_output_count(network); i++)
        if (strcmp(tlu_network_output_name(network, i), name) == 0)
            return outputs[i];
    fail_msg("no output %s", name);
    return -1;
}

// Whether some output differs from the table in a state that reads a symbol.
static int step_differs(const tlu_turing *machine, const tlu_network *network, size_t state,
                        size_t symbol, const unsigned char *outputs)
{
    size_t next = tlu_turing_next(machine, state, symbol);
    int move = tlu_turing_move(machine, state, symbol);
    int differs = output_of(network, outputs, "halt") != (next == TLU_NONE) ||
                  output_of(network, outputs, "left") != (move < 0) ||
                  output_of(network, outputs, "right") != (move > 0);
    for (size_t i = 0; i < tlu_turing_get_facts(machine)->symbols; i++) {
        char name[64];
        snprintf(name, sizeof name, "write_%s", tlu_turing_symbol_name(machine, i));
        differs = differs || output_of(network, outputs, name) !=
                                 (tlu_turing_written(machine, state, symbol) == i);
    }
    return differs;
}

// Runs both on a sequence of symbols, from the start; whether they differ in the last step.
static int word_differs(const tlu_turing *machine, const tlu_network *network, const size_t *word,
                        size_t length)
{
    tlu_network_run *run;
    tlu_error error;
    unsigned char inputs[16], outputs[32] = {0};
    size_t state = 0;
    int differs = 0;
    assert_int_equal(tlu_network_run_new(network, &run, &error), TLU_OK);
    for (size_t i = 0; i < length; i++) {
        memset(inputs, 0, sizeof inputs);
        inputs[word[i]] = 1; // the order of inputs is that of the symbols
        tlu_network_run_step(run, inputs, outputs);
        differs = step_differs(machine, network, state, word[i], outputs);
        size_t next = tlu_turing_next(machine, state, word[i]);
        state = next == TLU_NONE ? state : next; // after a halt it stays
    }
    tlu_network_run_free(run);
    return differs;
}

// Whether some sequence of at most `most` symbols tells them apart.
static int some_word_differs(const tlu_turing *machine, const tlu_network *network, size_t most)
{
    size_t symbols = tlu_turing_get_facts(machine)->symbols, word[8] = {0};
    for (size_t length = 1; length <= most; length++) {
        size_t total = 1;
        for (size_t i = 0; i < length; i++)
            total *= symbols;
        for (size_t number = 0; number < total; number++) {
            size_t rest = number;
            for (size_t i = 0; i < length; i++, rest /= symbols)
                word[i] = rest % symbols;
            if (word_differs(machine, network, word, length))
                return 1;
        }
    }
    return 0;
}

static size_t symbol_named(const tlu_turing *machine, const char *name)
{
    size_t symbol = 0;
    while (strcmp(tlu_turing_symbol_name(machine, symbol), name) != 0)
        symbol++;
    return symbol;
}

// The proof must find a difference exactly if short sequences do, and its own must be one.
static int check_damage(const tlu_turing *machine, const tlu_network *network)
{
    tlu_turing_equivalence *walk;
    tlu_error error;
    assert_int_equal(tlu_turing_equivalence_check(machine, network, &walk, &error), TLU_OK);
    int equal = walk->equal;
    assert_int_equal(equal, !some_word_differs(machine, network, 6));
    if (!equal) {
        size_t word[64];
        assert_true(walk->length < 63);
        memcpy(word, walk->word, walk->length * sizeof *word);
        word[walk->length] = symbol_named(machine, walk->symbol);
        assert_true(word_differs(machine, network, word, walk->length + 1));
    }
    tlu_turing_equivalence_free(walk);
    return equal;
}

static void damaged(void **state)
{
    (void)state;
    int different = 0;
    for (size_t e = 0; e < 2; e++) {
        tlu_turing *machine = loaded("increment.tm");
        tlu_network *network = network_of(machine, encodings[e]);
        for (size_t i = 0; i < network->units; i++)
            for (int change = -1; change <= 1; change += 2) {
                network->unit[i].threshold += change;
                different += !check_damage(machine, network);
                network->unit[i].threshold -= change;
                for (size_t j = 0; j < network->unit[i].count; j++) {
                    network->unit[i].links[j].weight += change;
                    different += !check_damage(machine, network);
                    network->unit[i].links[j].weight -= change;
                }
            }
        for (size_t i = 0; i < network->delays; i++) {
            network->delay[i].start = !network->delay[i].start;
            different += !check_damage(machine, network);
            network->delay[i].start = !network->delay[i].start;
        }
        assert_int_equal(check_damage(machine, network), 1);
        tlu_network_free(network);
        tlu_turing_free(machine);
    }
    assert_true(different > 100);
}

// ---- failing memory ----

static tlu_status make_all(int with, tlu_error *error)
{
    static const char table[] = "blank 0\nb 0 1 R c\nc 0 0 R b\nc 1 1 L accept\nlost 0 0 S lost\n";
    tlu_turing *machine = NULL;
    tlu_network *network = NULL;
    tlu_turing_equivalence *walk = NULL;
    tlu_turing_run *run = NULL;
    tlu_status status = tlu_turing_parse(table, strlen(table), "t", &machine, error);
    if (status == TLU_OK)
        status = tlu_network_from_turing(machine, NULL, &network, error);
    if (status == TLU_OK)
        status = tlu_turing_equivalence_check(machine, network, &walk, error);
    if (status == TLU_OK)
        assert_int_equal(walk->equal, 1);
    tlu_turing_equivalence_free(walk);
    walk = NULL;
    if (status == TLU_OK)
        status = tlu_turing_run_new(with ? machine : NULL, network, &run, error);
    if (status == TLU_OK)
        status = tlu_turing_run_set_tape(run, "0000000000", 10, error);
    for (int i = 0; i < 100 && status == TLU_OK; i++) // past the first cells
        status = tlu_turing_run_step(run, error);
    if (status == TLU_OK) {
        network->unit[0].threshold++; // so that there is something to tell
        status = tlu_turing_equivalence_check(machine, network, &walk, error);
    }
    if (status == TLU_OK)
        assert_int_equal(walk->equal, 0);
    tlu_turing_run_free(run);
    tlu_turing_equivalence_free(walk);
    tlu_network_free(network);
    tlu_turing_free(machine);
    return status;
}

static void failing_memory(void **state)
{
    (void)state;
    for (int with = 0; with < 2; with++)
        for (long n = 1;; n++) {
            tlu_error error = {.status = TLU_OK};
            fault_at(FAULT_MEMORY, n);
            tlu_status status = make_all(with, &error);
            int reached = fault_calls(FAULT_MEMORY) >= n;
            fault_at(FAULT_MEMORY, 0);
            if (!reached) {
                assert_int_equal(status, TLU_OK);
                assert_true(n > 50);
                break;
            }
            assert_int_equal(status, TLU_ERROR_SYSTEM);
            assert_string_equal(error.text, "out of memory");
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(busy_beavers),    cmocka_unit_test(increment),
        cmocka_unit_test(palindromes),     cmocka_unit_test(facts),
        cmocka_unit_test(tapes),           cmocka_unit_test(other_networks),
        cmocka_unit_test(direct_network),  cmocka_unit_test(missing_accept),
        cmocka_unit_test(random_machines), cmocka_unit_test(damaged),
        cmocka_unit_test(failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
