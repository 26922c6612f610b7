// Indices and texts that callers give to automata, functions, networks and the game.
#include "learning.h"
#include "tlu_logic.h"
#include "tlu_proof.h"

#define FAR (SIZE_MAX / 2)

static const size_t past[] = {2, 100, UINT32_MAX, FAR, SIZE_MAX};
enum { PASTS = sizeof past / sizeof past[0] };

static void assert_input_error(tlu_status status, const tlu_error *error, const char *about)
{
    assert_int_equal(status, TLU_ERROR_INPUT);
    if (!strstr(error->text, about))
        fail_msg("'%s' does not speak of '%s'", error->text, about);
}

static void look_past_automaton(const tlu_automaton *automaton)
{
    const tlu_automaton_facts *facts = tlu_automaton_get_facts(automaton);
    for (size_t i = 0; i < PASTS; i++) {
        size_t state = past[i] < FAR ? facts->states + past[i] - 2 : past[i];
        size_t letter = past[i] < FAR ? facts->symbols + past[i] - 2 : past[i];
        assert_null(tlu_automaton_state_name(automaton, state));
        assert_null(tlu_automaton_symbol_name(automaton, letter));
        assert_true(tlu_automaton_next(automaton, state, 0) == TLU_NONE);
        assert_true(tlu_automaton_next(automaton, 0, letter) == TLU_NONE);
        assert_int_equal(tlu_automaton_is_accepting(automaton, state), 0);
        assert_null(tlu_automaton_outputs(automaton, state, 0));
        assert_null(tlu_automaton_outputs(automaton, 0, letter));
    }
}

static void automata_are_checked(void **state)
{
    (void)state;
    static const char kiss[] = ".i 1\n.o 1\n.s 2\n0 a a 0\n1 a b 1\n- b a 0\n.e\n";
    tlu_automaton *automaton;
    tlu_network *network;
    tlu_automaton_run *run;
    tlu_equivalence *walk;
    tlu_error error;
    size_t used = 7;
    assert_int_equal(tlu_automaton_from_regex("a(b|c)*", &automaton, &error), TLU_OK);
    look_past_automaton(automaton);
    assert_int_equal(tlu_network_from_automaton(automaton, NULL, NULL, &network, &error), TLU_OK);
    assert_int_equal(tlu_equivalence_check(automaton, network, &walk, &error), TLU_OK);
    assert_null(tlu_equivalence_delays(walk, FAR));
    assert_null(tlu_equivalence_delays(walk, tlu_automaton_get_facts(automaton)->states));
    tlu_equivalence_free(walk);
    assert_int_equal(tlu_automaton_run_new(automaton, network, &run, &error), TLU_OK);
    used = tlu_automaton_run_feed(run, NULL, 5);
    assert_int_equal(used, 0);
    tlu_automaton_run_free(run);
    tlu_network_free(network);
    tlu_automaton_free(automaton);

    assert_int_equal(
        tlu_automaton_parse(kiss, sizeof kiss - 1, "kiss", "kiss2", &automaton, &error), TLU_OK);
    look_past_automaton(automaton);
    tlu_automaton_free(automaton);
    assert_input_error(tlu_automaton_from_regex(NULL, &automaton, &error), &error, "expression");
    assert_input_error(tlu_automaton_parse(kiss, 3, "kiss", NULL, &automaton, &error), &error,
                       "notation");
    assert_input_error(tlu_automaton_parse(NULL, 3, "kiss", "kiss2", &automaton, &error), &error,
                       "text");
    assert_input_error(tlu_automaton_load(NULL, "kiss2", &automaton, &error), &error, "path");
}

static void functions_are_checked(void **state)
{
    (void)state;
    tlu_function *function;
    tlu_error error;
    assert_int_equal(tlu_function_from_expression("a & b", NULL, &function, &error), TLU_OK);
    for (size_t i = 0; i < PASTS; i++) {
        assert_null(tlu_function_input_name(function, past[i]));
        assert_null(tlu_function_output_name(function, past[i]));
        assert_int_equal(tlu_function_value(function, past[i], 0), -1);
        assert_int_equal(tlu_function_value(function, 0, past[i] < FAR ? past[i] + 2 : past[i]),
                         -1);
    }
    tlu_function_free(function);
    assert_input_error(tlu_function_from_expression(NULL, NULL, &function, &error), &error,
                       "expression");
    assert_input_error(tlu_function_from_table(NULL, NULL, &function, &error), &error,
                       "truth table");
    assert_input_error(tlu_function_from_pla(NULL, &function, &error), &error, "path");
}

static int take_nothing(void *context, const char *bytes, size_t size)
{
    (void)context, (void)bytes, (void)size;
    return 0;
}

static void networks_are_checked(void **state)
{
    (void)state;
    static const char text[] = "inputs a b\nunit u = a + b >= 2\noutput both = u\n";
    tlu_network *network;
    tlu_error error;
    assert_int_equal(tlu_network_parse(text, sizeof text - 1, NULL, &network, &error), TLU_OK);
    for (size_t i = 0; i < PASTS; i++) {
        assert_null(tlu_network_input_name(network, past[i]));
        assert_null(tlu_network_output_name(network, past[i]));
        assert_null(tlu_network_delay_name(network, past[i]));
    }
    assert_input_error(tlu_network_write(network, NULL, take_nothing, NULL, &error), &error,
                       "language");
    assert_input_error(tlu_network_write(network, "text", NULL, NULL, &error), &error, "function");
    tlu_network_free(network);
    assert_input_error(tlu_network_parse(NULL, 0, "x", &network, &error), &error, "x");
    assert_input_error(tlu_network_parse(NULL, 5, "x", &network, &error), &error, "text");
    assert_input_error(tlu_network_load(NULL, &network, &error), &error, "path");
}

static void the_game_is_checked(void **state)
{
    (void)state;
    static const double odd[] = {NAN, INFINITY};
    tlu_game_rules rules = {
        .size = sizeof rules, .gamma = 0.25, .radius = 1, .dimension = 2, .u = odd};
    tlu_game *game;
    int guess, mistake;
    tlu_error error;
    assert_input_error(tlu_game_new(&rules, &game, &error), &error, "length");
    rules.u = NULL;
    assert_int_equal(tlu_game_new(&rules, &game, &error), TLU_OK);
    assert_input_error(tlu_game_offer(game, NULL, &guess, &error), &error, "example");
    assert_input_error(tlu_game_offer(game, odd, &guess, &error), &error, "must be below R");
    assert_input_error(tlu_game_label(game, 1, &mistake, &error), &error, "no example");
    tlu_game_free(game);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(automata_are_checked),
        cmocka_unit_test(functions_are_checked),
        cmocka_unit_test(networks_are_checked),
        cmocka_unit_test(the_game_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
