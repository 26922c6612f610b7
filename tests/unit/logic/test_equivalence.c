// The walk through all pairs of states: networks that were damaged, and the shortest strings that
// tell, against all short strings. Minimising against two other ways. Failing memory.
#include "base/fault.h"
#include "base/memory.h"
#include "base/random.h"
#include "logic/automaton/nfa.h"
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

static const char *const expressions[] = {
    "a(b|c)*", "(a|b)*abb", "a{2,4}|b+", "(ab|ba)*", "[^a]*a.", "((a|b)(a|b))*", "a?b?a?b?", ".*",
};
#define EXPRESSIONS (sizeof expressions / sizeof expressions[0])

static const char mealy[] = ".i 2\n.o 2\n0- a b 10\n11 a a 01\n-0 b c 11\n-1 b a -0\n1- c a 01\n"
                            "01 c b 11\n";

static tlu_automaton *automaton_of(size_t i)
{
    tlu_automaton *automaton;
    tlu_error error;
    tlu_status status =
        i < EXPRESSIONS
            ? tlu_automaton_from_regex(expressions[i], &automaton, &error)
            : tlu_automaton_parse(mealy, strlen(mealy), "mealy", "kiss2", &automaton, &error);
    assert_int_equal(status, TLU_OK);
    return automaton;
}

// ---- damage ----

// Changes something; whatever it is, the network stays one.
static void damage(tlu_network *network, struct random *random)
{
    size_t signals = network_signals(network);
    uint64_t kind = random_below(random, 4);
    struct unit *unit = &network->unit[random_below(random, network->units)];
    if (kind == 0 || (kind == 1 && unit->count == 0)) {
        unit->threshold += random_below(random, 2) ? 1 : -1;
    } else if (kind == 1) {
        unit->links[random_below(random, unit->count)].weight = -1;
    } else if (kind == 2 && network->delays) {
        struct delay *delay = &network->delay[random_below(random, network->delays)];
        delay->from = (uint32_t)random_below(random, signals);
    } else if (kind == 3 && network->delays) {
        struct delay *delay = &network->delay[random_below(random, network->delays)];
        delay->start = !delay->start;
    }
}

// Whether a word of this length tells the two apart: all words are tried, with plain steps.
struct trial {
    const tlu_automaton *automaton;
    const tlu_network *network;
};

static bool output_differs(const struct trial *trial, const bool *signals, size_t state,
                           size_t letter)
{
    const char *shown = tlu_automaton_outputs(trial->automaton, state, letter);
    for (size_t i = 0; i < trial->network->outputs; i++) {
        bool expected =
            shown ? shown[i] == '1' : tlu_automaton_is_accepting(trial->automaton, state);
        if (signals[trial->network->output[i].from] != expected)
            return true;
    }
    return false;
}

static bool differs(const struct trial *trial, const bool *delays, size_t state, int length)
{
    const tlu_network *network = trial->network;
    const tlu_automaton_facts *facts = tlu_automaton_get_facts(trial->automaton);
    bool signals[600] = {false}, room[100];
    size_t vectors = facts->inputs ? (size_t)1 << facts->inputs : facts->symbols + 1;
    assert_true(network_signals(network) <= 600 && network->delays <= 100);
    for (size_t number = 0; number < vectors; number++) {
        size_t letter = number;
        for (size_t i = 0; i < network->inputs; i++)
            signals[i] = facts->inputs ? number >> i & 1 : number == i;
        for (size_t l = 0; facts->inputs && l < facts->symbols; l++) {
            const char *cell = tlu_automaton_symbol_name(trial->automaton, l);
            bool fits = true;
            for (size_t i = 0; i < facts->inputs; i++)
                fits = fits && (cell[i] == '-' || (cell[i] == '1') == signals[i]);
            letter = fits ? l : letter;
        }
        memcpy(signals + network->inputs, delays, network->delays * sizeof *delays);
        network_settle(network, signals);
        bool mealy_step = facts->inputs != 0;
        if (length == (mealy_step ? 1 : 0)) {
            if (output_differs(trial, signals, state, letter))
                return true;
        } else if (letter < facts->symbols) { // the last number of an acceptor is "no letter"
            network_advance(network, signals, room);
            if (differs(trial, signals + network->inputs,
                        tlu_automaton_next(trial->automaton, state, letter), length - 1))
                return true;
        }
    }
    return false;
}

static void check_verdict(const tlu_automaton *automaton, const tlu_network *network, int most,
                          int *found)
{
    struct trial trial = {.automaton = automaton, .network = network};
    bool delays[100];
    tlu_equivalence *walk;
    tlu_error error;
    assert_int_equal(tlu_equivalence_check(automaton, network, &walk, &error), TLU_OK);
    for (size_t i = 0; i < network->delays; i++)
        delays[i] = network->delay[i].start;
    int shortest = walk->equal ? most + 1 : (int)walk->length;
    for (int length = tlu_automaton_get_facts(automaton)->inputs ? 1 : 0; length <= most;
         length++) {
        bool is_told = differs(&trial, delays, 0, length);
        if (length < shortest)
            assert_false(is_told);
        if (length == shortest)
            assert_true(is_told);
    }
    *found += !walk->equal;
    tlu_equivalence_free(walk);
}

static void damaged(void **state)
{
    (void)state;
    struct random random;
    int found = 0, trials = often(20000);
    random_seed(&random, 5);
    for (int i = 0; i < trials; i++) {
        tlu_automaton *automaton = automaton_of(random_below(&random, EXPRESSIONS + 1));
        tlu_network *network;
        tlu_error error;
        const char *encoding = i % 2 ? "onehot" : "binary";
        assert_int_equal(tlu_network_from_automaton(automaton, encoding, NULL, &network, &error),
                         TLU_OK);
        int none = 0;
        check_verdict(automaton, network, 4, &none);
        assert_int_equal(none, 0);
        damage(network, &random);
        check_verdict(automaton, network, 5, &found);
        tlu_network_free(network);
        tlu_automaton_free(automaton);
    }
    assert_true(found > trials / 4); // not all damage shows
}

// By hand: if the state after "a" is entered after every a, "aab" is accepted, and in the order of
// letters it is the first string that should not be.
static void told_as_text(void **state)
{
    (void)state;
    tlu_automaton *automaton;
    tlu_network *network;
    tlu_equivalence *walk;
    tlu_error error;
    assert_int_equal(tlu_automaton_from_regex("ab|[c-e]\xC3\xA9", &automaton, &error), TLU_OK);
    assert_int_equal(tlu_network_from_automaton(automaton, "onehot", NULL, &network, &error),
                     TLU_OK);
    bool done = false;
    for (size_t i = 0; i < network->delays && !done; i++)
        if (!network->delay[i].start && strcmp(network->delay[i].name, "q1") == 0) {
            network->delay[i].from = 0; // is 1 after every a
            done = true;
        }
    assert_true(done);
    assert_int_equal(tlu_equivalence_check(automaton, network, &walk, &error), TLU_OK);
    assert_false(walk->equal);
    assert_string_equal(walk->text, "aab");
    assert_string_equal(walk->output, "accept");
    assert_int_equal(walk->expected, 0);
    assert_int_equal(walk->length, 3);
    assert_string_equal(tlu_automaton_symbol_name(automaton, walk->word[2]), "b");
    tlu_equivalence_free(walk);
    tlu_network_free(network);
    tlu_automaton_free(automaton);
}

static void other_names(void **state)
{
    (void)state;
    tlu_automaton *automaton = automaton_of(0), *other = automaton_of(1);
    tlu_network *network;
    tlu_equivalence *walk;
    tlu_error error;
    assert_int_equal(tlu_network_from_automaton(automaton, NULL, NULL, &network, &error), TLU_OK);
    assert_int_equal(tlu_equivalence_check(other, network, &walk, &error), TLU_ERROR_INPUT);
    assert_string_equal(
        error.text,
        "the network has 4 inputs, the automaton has 3 symbols; give it an input for each symbol");
    assert_null(walk);
    tlu_network_free(network);
    assert_int_equal(tlu_network_from_automaton(other, NULL, NULL, &network, &error), TLU_OK);
    assert_int_equal(tlu_equivalence_check(automaton, network, &walk, &error), TLU_ERROR_INPUT);
    assert_string_equal(error.text, "the network has no input 'c'; add it");
    tlu_network_free(network);
    tlu_automaton_free(automaton);
    tlu_automaton_free(other);
}

// ---- minimising ----

static void random_nfa(struct nfa *nfa, struct random *random, uint32_t letters)
{
    uint32_t states = 1 + (uint32_t)random_below(random, 8);
    for (uint32_t i = 0; i < states; i++)
        nfa_add_state(nfa);
    for (uint64_t i = random_below(random, 20); i > 0; i--) {
        uint32_t letter = (uint32_t)random_below(random, letters + 1);
        nfa_add_edge(nfa, (uint32_t)random_below(random, states),
                     letter == letters && letters ? NFA_SILENT : letter,
                     (uint32_t)random_below(random, states));
    }
    assert_false(nfa->full);
    nfa->state[0].starts = true;
    for (uint32_t i = 0; i < states; i++)
        nfa->state[i].accepts = random_below(random, 3) == 0;
}

// Brzozowski 1962: the reverse, made deterministic, twice.
static void reverse(struct nfa *nfa, const struct dfa *dfa)
{
    for (uint32_t i = 0; i < dfa->states; i++)
        nfa_add_state(nfa);
    for (uint32_t i = 0; i < dfa->states; i++)
        for (uint32_t letter = 0; letter < dfa->symbols; letter++)
            nfa_add_edge(nfa, dfa->next[i * dfa->symbols + letter], letter, i);
    assert_false(nfa->full);
    for (uint32_t i = 0; i < dfa->states; i++)
        nfa->state[i].starts = dfa->accepts[i];
    nfa->state[0].accepts = true;
}

static uint32_t reversed_twice(const struct dfa *dfa)
{
    struct nfa back = {0}, again = {0};
    struct dfa middle = {0}, end = {0};
    reverse(&back, dfa);
    assert_int_equal(nfa_determinise(&back, dfa->symbols, &middle, NULL), TLU_OK);
    reverse(&again, &middle);
    assert_int_equal(nfa_determinise(&again, dfa->symbols, &end, NULL), TLU_OK);
    uint32_t states = end.states;
    nfa_free(&back);
    nfa_free(&again);
    dfa_free(&middle);
    dfa_free(&end);
    return states;
}

// Whether two states differ, by marking pairs until nothing changes.
static void mark_pairs(const struct dfa *dfa, bool *differ)
{
    uint32_t n = dfa->states;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < n * n; i++) {
            uint32_t a = i / n, b = i % n;
            bool now = dfa->accepts[a] != dfa->accepts[b];
            for (uint32_t l = 0; l < dfa->symbols; l++)
                now = now ||
                      differ[dfa->next[a * dfa->symbols + l] * n + dfa->next[b * dfa->symbols + l]];
            changed = changed || now != differ[i];
            differ[i] = now;
        }
    }
}

static void minimal(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 6);
    for (int i = 0; i < often(3000); i++) {
        struct nfa nfa = {0};
        struct dfa dfa = {0};
        uint32_t letters = (uint32_t)(i % 4), count;
        static bool differ[300 * 300];
        random_nfa(&nfa, &random, letters);
        assert_int_equal(nfa_determinise(&nfa, letters ? letters : 1, &dfa, NULL), TLU_OK);
        assert_true(dfa.states <= 300);
        assert_true(dfa_minimise(&dfa, &count));
        memset(differ, 0, sizeof differ);
        mark_pairs(&dfa, differ);
        for (uint32_t a = 0; a < dfa.states; a++)
            for (uint32_t b = 0; b < dfa.states; b++)
                assert_int_equal(dfa.classes[a] != dfa.classes[b], differ[a * dfa.states + b]);
        assert_int_equal(count, reversed_twice(&dfa));
        assert_int_equal(dfa.classes[0], 0);
        nfa_free(&nfa);
        dfa_free(&dfa);
    }
}

// ---- failing memory ----

static tlu_status make_all(size_t i, tlu_error *error)
{
    static const char table[] = "start a b\naccept b\na x b\nb yy a\na - c\nc x c\n";
    tlu_automaton *automaton = NULL;
    tlu_network *network = NULL;
    tlu_equivalence *walk = NULL;
    tlu_automaton_run *run = NULL;
    tlu_status status =
        i == 0   ? tlu_automaton_from_regex("(a|[b-d])*x{2,3}.", &automaton, error)
        : i == 1 ? tlu_automaton_parse(table, strlen(table), "t", "table", &automaton, error)
                 : tlu_automaton_parse(mealy, strlen(mealy), "m", "kiss2", &automaton, error);
    if (status == TLU_OK)
        status = tlu_network_from_automaton(automaton, NULL, i ? NULL : "binary", &network, error);
    if (status == TLU_OK)
        status = tlu_equivalence_check(automaton, network, &walk, error);
    if (status == TLU_OK)
        assert_true(walk->equal);
    tlu_equivalence_free(walk);
    walk = NULL;
    if (status == TLU_OK) {
        network->delay[0].start = !network->delay[0].start; // so that a string has to be told
        status = tlu_equivalence_check(automaton, network, &walk, error);
    }
    if (status == TLU_OK)
        status = tlu_automaton_run_new(i == 1 ? NULL : automaton, network, &run, error);
    if (status == TLU_OK) {
        tlu_automaton_run_feed(run, "x", 1);
        assert_non_null(tlu_automaton_run_get_state(run));
    }
    tlu_automaton_run_free(run);
    tlu_equivalence_free(walk);
    tlu_network_free(network);
    tlu_automaton_free(automaton);
    return status;
}

static void failing_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (long n = 1;; n++) {
            tlu_error error = {.status = TLU_OK};
            fault_at(FAULT_MEMORY, n);
            tlu_status status = make_all(i, &error);
            bool reached = fault_calls(FAULT_MEMORY) >= n;
            fault_at(FAULT_MEMORY, 0);
            if (!reached) {
                assert_int_equal(status, TLU_OK);
                break;
            }
            assert_int_equal(status, TLU_ERROR_SYSTEM);
            assert_string_equal(error.text, "out of memory");
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged), cmocka_unit_test(told_as_text),   cmocka_unit_test(other_names),
        cmocka_unit_test(minimal), cmocka_unit_test(failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
