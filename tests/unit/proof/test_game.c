// The perceptron game and the distances through the library: what a call refuses, and failing
// memory. The rules and the adversary are tests/cli/game.sh's, the formulas
// tests/cli/distance.sh's.
#include "base/fault.h"
#include "tlu.h"
#include "tlu_proof.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const tlu_game_rules rules = {
    .size = sizeof rules, .gamma = 0.25, .radius = 1, .dimension = 2};

static void test_rounds(void **state)
{
    tlu_game *game;
    tlu_error error;
    int guess, mistake;
    (void)state;
    assert_int_equal(tlu_game_new(&rules, &game, &error), TLU_OK);
    assert_int_equal(tlu_game_label(game, 1, &mistake, &error), TLU_ERROR_INPUT); // of what?
    assert_int_equal(tlu_game_offer(game, (double[]){1, 0}, &guess, &error), TLU_ERROR_INPUT);
    assert_int_equal(tlu_game_offer(game, (double[]){0.5, 0}, &guess, &error), TLU_OK);
    assert_int_equal(guess, 1);
    assert_int_equal(tlu_game_label(game, 0, &mistake, &error), TLU_ERROR_INPUT);
    assert_int_equal(tlu_game_label(game, -1, &mistake, &error), TLU_OK);
    assert_true(mistake);
    // The opposite of an example with the other label says the same: it fits, and B knows it now.
    assert_int_equal(tlu_game_offer(game, (double[]){-0.5, 0}, &guess, &error), TLU_OK);
    assert_int_equal(guess, 1);
    assert_int_equal(tlu_game_label(game, -1, &mistake, &error), TLU_ERROR_INPUT);
    assert_int_equal(tlu_game_label(game, 1, &mistake, &error), TLU_OK);
    assert_false(mistake);
    const tlu_game_state *look = tlu_game_get_state(game);
    assert_true(look->rounds == 2 && look->mistakes == 1 && look->mistakes_max == 15);
    assert_true(look->v[0] == -0.5 && look->v[1] == 0 && look->v_squared == 0.25);
    assert_true(fabs(look->v_dot_u - 0.5) < 1e-12 && look->v_dot_u_min == 0.25);
    double x[2];
    int label;
    assert_int_equal(tlu_game_attack(game, x, &label, &error), TLU_ERROR_INPUT); // too late
    tlu_game_free(game);
}

static void test_no_memory(void **state)
{
    tlu_error error;
    (void)state;
    for (long n = 1;; n++) {
        tlu_game *game = NULL;
        int guess = 0, mistake = 0;
        fault_at(FAULT_MEMORY, n);
        tlu_status status = tlu_game_new(&rules, &game, &error);
        if (status == TLU_OK)
            status = tlu_game_offer(game, (double[]){0.5, 0}, &guess, &error);
        if (status == TLU_OK)
            status = tlu_game_label(game, -1, &mistake, &error);
        bool reached = fault_calls(FAULT_MEMORY) >= n;
        fault_at(FAULT_MEMORY, 0);
        tlu_game_free(game);
        assert_int_equal(status, reached ? TLU_ERROR_SYSTEM : TLU_OK);
        if (!reached) {
            assert_true(n > 3);
            return;
        }
    }
}

static void test_planes(void **state)
{
    static const float x[] = {1, 1, 0, 0};
    static const uint32_t y[] = {1, 0}, features[] = {0, 1};
    tlu_rows rows = {.size = sizeof rows, .rows = 2, .columns = 2, .values = x, .labels = y};
    tlu_train_settings settings = {.size = sizeof settings, .rows = &rows};
    tlu_options *options;
    tlu_options_new(&options, NULL);
    tlu_model *model;
    tlu_planes *planes;
    tlu_error error;
    tlu_distance distance;
    (void)state;
    tlu_options_set(options, "learner", "perceptron", &error);
    tlu_options_set(options, "decide", "last", &error);
    tlu_options_set(options, "shuffle", "none", &error);
    assert_int_equal(tlu_train_with(&settings, options, &model, &error), TLU_OK);
    assert_int_equal(tlu_planes_new(model, &planes, &error), TLU_OK);
    // The weights are (-1; 1, 1): the example of the Honavar notes.
    tlu_row row = {2, features, (float[]){2, 1}};
    assert_int_equal(tlu_planes_distance(planes, &row, 1, &distance, &error), TLU_OK);
    assert_true(distance.score == 2 && fabs(distance.distance - sqrt(2)) < 1e-15);
    assert_true(distance.predicted == 1 && distance.against == 0);
    assert_true(distance.margin == distance.distance);
    assert_true(tlu_planes_distance_between(planes, 0, 1) == -distance.distance);
    assert_true(isnan(tlu_planes_distance_between(planes, 0, 0)) &&
                isnan(tlu_planes_distance_between(planes, 0, 2)));
    assert_int_equal(tlu_planes_distance(planes, &row, TLU_NO_LABEL, &distance, &error), TLU_OK);
    assert_true(isnan(distance.margin) && !tlu_planes_are_scaled(planes));
    tlu_planes_free(planes);
    for (long n = 1; n <= 3; n++) {
        fault_at(FAULT_MEMORY, n);
        assert_int_equal(tlu_planes_new(model, &planes, &error), TLU_ERROR_SYSTEM);
        fault_at(FAULT_MEMORY, 0);
    }
    tlu_model_free(model);
    tlu_options_free(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_planes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
