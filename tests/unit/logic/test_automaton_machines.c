// Transition tables and KISS2 machines, by hand and at random, against a second reading of them.
#include "base/random.h"
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

#define TEXT_SIZE 8000

static const char *const encodings[] = {"onehot", "binary", NULL};

static tlu_automaton *parsed(const char *text, const char *notation)
{
    tlu_automaton *automaton;
    tlu_error error;
    if (tlu_automaton_parse(text, strlen(text), "text", notation, &automaton, &error) != TLU_OK)
        fail_msg("%s\n%s", text, error.text);
    return automaton;
}

static tlu_network *network_of(const tlu_automaton *automaton, const char *encoding)
{
    tlu_network *network;
    tlu_error error;
    assert_int_equal(tlu_network_from_automaton(automaton, encoding, NULL, &network, &error),
                     TLU_OK);
    return network;
}

static void prove(const tlu_automaton *automaton, const tlu_network *network, const char *text)
{
    tlu_equivalence *walk;
    tlu_error error;
    assert_int_equal(tlu_equivalence_check(automaton, network, &walk, &error), TLU_OK);
    if (!walk->equal)
        fail_msg("%s\n'%s' tells them apart in %s", text, walk->text, walk->output);
    tlu_equivalence_free(walk);
}

static const tlu_automaton_run_state *after(tlu_automaton_run *run, const char *string)
{
    size_t used;
    tlu_automaton_run_reset(run);
    for (; *string; string += used) {
        used = tlu_automaton_run_feed(run, string, strlen(string));
        if (used == 0)
            break;
    }
    return tlu_automaton_run_get_state(run);
}

// ---- tables ----

static void even_ones(void **state)
{
    (void)state;
    tlu_automaton *automaton = parsed("# an even number of ones\nstart even\naccept even\n"
                                      "even 0 even\neven 1 odd # one more\n\nodd 0 odd\nodd 1 even",
                                      "table");
    const tlu_automaton_facts *facts = tlu_automaton_get_facts(automaton);
    assert_int_equal(facts->states, 2);
    assert_int_equal(facts->symbols, 2);
    assert_string_equal(tlu_automaton_state_name(automaton, 0), "even");
    assert_string_equal(tlu_automaton_state_name(automaton, 1), "odd");
    assert_null(tlu_automaton_outputs(automaton, 0, 0));
    for (size_t e = 0; e < 3; e++) {
        tlu_network *network = network_of(automaton, encodings[e]);
        tlu_automaton_run *run;
        tlu_error error;
        prove(automaton, network, "even");
        // With the automaton, and by the names of the inputs alone.
        for (int i = 0; i < 2; i++) {
            assert_int_equal(tlu_automaton_run_new(i ? automaton : NULL, network, &run, &error),
                             TLU_OK);
            assert_int_equal(after(run, "")->accepted, 1);
            assert_int_equal(after(run, "0110")->accepted, 1);
            assert_int_equal(after(run, "0111")->accepted, 0);
            const tlu_automaton_run_state *strayed = after(run, "01x1");
            assert_int_equal(strayed->accepted, 0);
            assert_int_equal(strayed->strayed, 1);
            tlu_automaton_run_free(run);
        }
        tlu_network_free(network);
    }
    tlu_automaton_free(automaton);
}

// A turnstile: letters that are words.
static void words(void **state)
{
    (void)state;
    tlu_automaton *automaton =
        parsed("start locked\naccept open\nlocked coin open\nopen coin open\n"
               "open push locked\nlocked push locked\n",
               "table");
    tlu_network *network = network_of(automaton, NULL);
    tlu_automaton_run *run;
    tlu_error error;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tlu_automaton_run_new(i ? automaton : NULL, network, &run, &error),
                         TLU_OK);
        assert_int_equal(after(run, "coin")->accepted, 1);
        assert_int_equal(after(run, "  coin\tpush ")->accepted, 0);
        assert_int_equal(after(run, "push coin coin")->accepted, 1);
        assert_int_equal(after(run, "push coin coin")->symbols, 3);
        assert_int_equal(after(run, "kick coin")->strayed, 1);
        tlu_automaton_run_free(run);
    }
    tlu_network_free(network);
    tlu_automaton_free(automaton);
}

// Tables with several ways to go and silent steps, followed as sets of states.
#define STATES 6

struct ways {
    unsigned silent[STATES], by[2][STATES]; // sets of states
    unsigned starts, accepts;
};

static void random_table(struct random *random, struct ways *ways, char text[TEXT_SIZE])
{
    size_t used = 0;
    memset(ways, 0, sizeof *ways);
    for (int i = 0; i < 14; i++) {
        unsigned from = (unsigned)random_below(random, STATES);
        unsigned to = (unsigned)random_below(random, STATES);
        unsigned letter = (unsigned)random_below(random, 5) / 2; // 2: silent, which is rarer
        *(letter == 2 ? &ways->silent[from] : &ways->by[letter][from]) |= 1u << to;
        used += (size_t)snprintf(text + used, TEXT_SIZE - used, "s%u %c s%u\n", from, "xy-"[letter],
                                 to);
    }
    for (int i = 0; i < 2; i++) {
        unsigned start = (unsigned)random_below(random, STATES);
        unsigned accept = (unsigned)random_below(random, STATES);
        ways->starts |= 1u << start;
        ways->accepts |= 1u << accept;
        used += (size_t)snprintf(text + used, TEXT_SIZE - used, "start s%u\naccept s%u\n", start,
                                 accept);
    }
}

static unsigned led(const unsigned *by, unsigned from)
{
    unsigned to = 0;
    for (int i = 0; i < STATES; i++)
        to |= from >> i & 1 ? by[i] : 0;
    return to;
}

static int follow(const struct ways *ways, const char *string)
{
    unsigned at = ways->starts;
    for (;; string++) {
        for (int i = 0; i < STATES; i++)
            at |= led(ways->silent, at);
        if (!*string)
            return (at & ways->accepts) != 0;
        at = led(ways->by[*string - 'x'], at);
    }
}

static void random_tables(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 3);
    for (int i = 0; i < often(2000); i++) {
        char text[TEXT_SIZE], string[16];
        struct ways ways;
        tlu_automaton_run *run;
        tlu_error error;
        random_table(&random, &ways, text);
        tlu_automaton *automaton = parsed(text, "table");
        tlu_network *network = network_of(automaton, encodings[i % 3]);
        prove(automaton, network, text);
        assert_int_equal(tlu_automaton_run_new(automaton, network, &run, &error), TLU_OK);
        for (int j = 0; j < 50; j++) {
            size_t length = (size_t)random_below(&random, sizeof string);
            for (size_t k = 0; k < length; k++)
                string[k] = "xy"[random_below(&random, 2)];
            string[length] = '\0';
            // A letter that no transition has cannot be accepted.
            assert_int_equal(after(run, string)->accepted, follow(&ways, string));
        }
        tlu_automaton_run_free(run);
        tlu_network_free(network);
        tlu_automaton_free(automaton);
    }
}

// ---- KISS2 ----

static void kiss_by_hand(void **state)
{
    (void)state;
    // Two states that do the same, a state that cannot be reached, a row for any state, names.
    static const char text[] = ".i 2\n.o 1\n.ilb reset go\n.ob busy\n.p 6\n.s 4\n.r idle\n"
                               "1- * idle 0\n00 idle idle 0\n01 idle work 0\n"
                               "0- work rest 1\n0- rest work 1\n0- lost lost -\n.e\n";
    tlu_automaton *automaton = parsed(text, "kiss2");
    const tlu_automaton_facts *facts = tlu_automaton_get_facts(automaton);
    assert_int_equal(facts->states_given, 4);
    assert_int_equal(facts->states_deterministic, 3);
    assert_int_equal(facts->states, 2);
    assert_int_equal(facts->completed, 0);
    assert_string_equal(tlu_automaton_state_name(automaton, 1), "work");
    for (size_t e = 0; e < 3; e++) {
        tlu_network *network = network_of(automaton, encodings[e]);
        tlu_automaton_run *run;
        tlu_error error;
        prove(automaton, network, text);
        assert_int_equal(tlu_automaton_run_new(automaton, network, &run, &error), TLU_OK);
        assert_string_equal(after(run, "00")->outputs, "0");
        assert_string_equal(after(run, "01 00 01")->outputs, "1");
        assert_string_equal(after(run, "01 10")->outputs, "0");
        assert_string_equal(after(run, "01 11")->state, "idle");
        assert_int_equal(after(run, "01 2")->strayed, 1);
        assert_int_equal(after(run, "01")->accepted, -1);
        tlu_automaton_run_free(run);
        tlu_network_free(network);
    }
    tlu_automaton_free(automaton);
}

#define INPUTS 4
#define OUTPUTS 3
#define ROWS 40

struct kiss {
    char cube[ROWS][INPUTS + 1], outputs[ROWS][OUTPUTS + 1];
    int from[ROWS], to[ROWS]; // -1: any, or not said
    int rows;
};

static int fits(const char *cube, const char *vector)
{
    for (int i = 0; i < INPUTS; i++)
        if (cube[i] != '-' && vector[i] != '-' && cube[i] != vector[i])
            return 0;
    return 1;
}

// A step by the rows themselves; -1: they contradict each other.
static int kiss_step(const struct kiss *kiss, int state, const char *vector, char *outputs)
{
    int next = -1;
    memset(outputs, '-', OUTPUTS);
    outputs[OUTPUTS] = '\0';
    for (int i = 0; i < kiss->rows; i++) {
        if ((kiss->from[i] != state && kiss->from[i] != -1) || !fits(kiss->cube[i], vector))
            continue;
        if (kiss->to[i] != -1 && next != -1 && next != kiss->to[i])
            return -1;
        next = kiss->to[i] == -1 ? next : kiss->to[i];
        for (int j = 0; j < OUTPUTS; j++) {
            if (kiss->outputs[i][j] == '-')
                continue;
            if (outputs[j] != '-' && outputs[j] != kiss->outputs[i][j])
                return -1;
            outputs[j] = kiss->outputs[i][j];
        }
    }
    for (int j = 0; j < OUTPUTS; j++)
        outputs[j] = outputs[j] == '1' ? '1' : '0';
    return next == -1 ? state : next;
}

static void vector_of(int number, char vector[INPUTS + 1])
{
    for (int i = 0; i < INPUTS; i++)
        vector[i] = (char)('0' + (number >> i & 1));
    vector[INPUTS] = '\0';
}

static int kiss_is_sound(const struct kiss *kiss)
{
    char vector[INPUTS + 1], outputs[OUTPUTS + 1];
    for (int state = 0; state < STATES; state++)
        for (int number = 0; number < 1 << INPUTS; number++) {
            vector_of(number, vector);
            if (kiss_step(kiss, state, vector, outputs) == -1)
                return 0;
        }
    return 1;
}

// Rows at random, of which those are kept that do not contradict the others.
static void random_kiss(struct random *random, struct kiss *kiss, char text[TEXT_SIZE])
{
    size_t used = 0;
    kiss->rows = 0;
    while (used == 0 || random_below(random, 60)) {
        int i = kiss->rows;
        for (int j = 0; j < INPUTS; j++)
            kiss->cube[i][j] = "01--"[random_below(random, 4)];
        for (int j = 0; j < OUTPUTS; j++)
            kiss->outputs[i][j] = "01-"[random_below(random, 3)];
        kiss->cube[i][INPUTS] = kiss->outputs[i][OUTPUTS] = '\0';
        kiss->from[i] = i ? (int)random_below(random, STATES * 8) % (STATES + 1) - 1 : 0;
        kiss->to[i] = (int)random_below(random, STATES * 4) % (STATES + 1) - 1;
        kiss->rows++;
        if (!kiss_is_sound(kiss)) {
            kiss->rows--;
            continue;
        }
        char from[8] = "*", to[8] = "*";
        if (kiss->from[i] != -1)
            snprintf(from, sizeof from, "s%d", kiss->from[i]);
        if (kiss->to[i] != -1)
            snprintf(to, sizeof to, "s%d", kiss->to[i]);
        if (used == 0)
            used = (size_t)snprintf(text, TEXT_SIZE, ".i %d\n.o %d\n", INPUTS, OUTPUTS);
        used += (size_t)snprintf(text + used, TEXT_SIZE - used, "%s %s %s %s\n", kiss->cube[i],
                                 from, to, kiss->outputs[i]);
        if (kiss->rows == ROWS)
            return;
    }
}

// How many states that can be reached differ, by comparing pairs until nothing changes.
static size_t count_classes(const struct kiss *kiss)
{
    int reached[STATES] = {1}, differ[STATES][STATES] = {{0}};
    size_t classes = 0;
    for (int round = 0; round < STATES * STATES; round++)
        for (int a = 0; a < STATES; a++)
            for (int b = 0; b < STATES; b++)
                for (int number = 0; number < 1 << INPUTS; number++) {
                    char vector[INPUTS + 1], x[OUTPUTS + 1], y[OUTPUTS + 1];
                    vector_of(number, vector);
                    int next_a = kiss_step(kiss, a, vector, x),
                        next_b = kiss_step(kiss, b, vector, y);
                    differ[a][b] |= strcmp(x, y) != 0 || differ[next_a][next_b];
                    if (reached[a])
                        reached[next_a] = 1;
                }
    for (int a = 0; a < STATES; a++) {
        int first = reached[a];
        for (int b = 0; b < a; b++)
            first = first && !(reached[b] && !differ[a][b]);
        classes += (size_t)first;
    }
    return classes;
}

static void run_kiss(const struct kiss *kiss, const tlu_automaton *automaton,
                     const tlu_network *network, struct random *random)
{
    tlu_automaton_run *run;
    tlu_error error;
    int state = 0;
    assert_int_equal(tlu_automaton_run_new(automaton, network, &run, &error), TLU_OK);
    for (int i = 0; i < 200; i++) {
        char vector[INPUTS + 1], outputs[OUTPUTS + 1];
        vector_of((int)random_below(random, 1 << INPUTS), vector);
        state = kiss_step(kiss, state, vector, outputs);
        tlu_automaton_run_feed(run, vector, INPUTS);
        assert_string_equal(tlu_automaton_run_get_state(run)->outputs, outputs);
    }
    tlu_automaton_run_free(run);
}

static void random_kisses(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 4);
    for (int i = 0; i < often(500); i++) {
        static struct kiss kiss;
        char text[TEXT_SIZE];
        random_kiss(&random, &kiss, text);
        tlu_automaton *automaton = parsed(text, "kiss2");
        assert_int_equal(tlu_automaton_get_facts(automaton)->states, count_classes(&kiss));
        for (size_t e = 0; e < 2; e++) {
            tlu_network *network = network_of(automaton, encodings[e]);
            prove(automaton, network, text);
            run_kiss(&kiss, automaton, network, &random);
            tlu_network_free(network);
        }
        tlu_automaton_free(automaton);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(even_ones),     cmocka_unit_test(words),
        cmocka_unit_test(random_tables), cmocka_unit_test(kiss_by_hand),
        cmocka_unit_test(random_kisses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
