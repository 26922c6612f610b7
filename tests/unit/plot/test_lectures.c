// Pictures of lectures (game, weight space, growth, centroids): a run worked out by hand, sizes and
// themes in which no texts overlap, memory that runs out.
#include "base/fault.h"
#include "plot/picture.h"
#include "texts.h"
#include "tlu_plot.h"
#include "trials.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) < 0, 0);
    assert_int_equal(fclose(file), 0);
    return name;
}

// Separable without a bias, by u = (2, -1) / sqrt(5) among others.
static const char *rows(void)
{
    return write_file("lectures.csv", "a,b,label\n2,0,1\n0,1,-1\n1,2,-1\n3,1,1\n");
}

enum { GAME, ADVERSARY, SPACE, GROWTH, CENTROIDS, KINDS };
enum { ONE, STRIP, ANIMATION, FORMS };

static tlu_status draw(int kind, int form, const tlu_picture_style *style, tlu_picture **picture,
                       tlu_error *error)
{
    const tlu_plot_game_settings game = {.size = sizeof game,
                                         .path = kind == GAME ? rows() : NULL,
                                         .strip = form == STRIP,
                                         .animation = form == ANIMATION};
    const tlu_plot_weight_space_settings space = {.size = sizeof space,
                                                  .path = rows(),
                                                  .strip = form == STRIP,
                                                  .animation = form == ANIMATION};
    return kind == SPACE       ? tlu_plot_weight_space(&space, NULL, style, picture, error)
           : kind == GROWTH    ? tlu_plot_growth(rows(), NULL, style, picture, error)
           : kind == CENTROIDS ? tlu_plot_centroids(rows(), NULL, style, picture, error)
                               : tlu_plot_game(&game, NULL, style, picture, error);
}

static double figure(const tlu_picture *picture, const char *name)
{
    const char *found;
    double value;
    for (size_t i = 0; (found = tlu_picture_figure(picture, i, &value)) != NULL; i++)
        if (strcmp(found, name) == 0)
            return value;
    fail_msg("there is no figure %s", name);
    return 0;
}

static const tlu_picture_style terminal = {.size = sizeof terminal, .columns = 80, .lines = 24};

// 1 is the later label, and so positive; from w = 0 in the order of the rows:
//     (2, 0) +   0: a tie, w = (2, 0)
//     (0, 1) -   0: a tie, w = (2, -1)
//     (1, 2) -   0: a tie, w = (1, -3)
//     (3, 1) +   0: a tie, w = (4, -2)
// and in the second pass 8, -2, 0 (a tie, w = (3, -4)), 5; in the third 6, -4, -5, 5: done.
static void a_run_by_hand(void **state)
{
    (void)state;
    static const double weights[][2] = {{2, 0}, {2, -1}, {1, -3}, {4, -2}, {3, -4}};
    for (int kind = GAME; kind <= SPACE; kind += SPACE - GAME) {
        tlu_picture *picture;
        assert_int_equal(draw(kind, ANIMATION, &terminal, &picture, NULL), TLU_OK);
        assert_int_equal(tlu_picture_frames(picture), 6);
        for (int k = 1; k <= 5; k++) {
            char name[20];
            snprintf(name, sizeof name, "%c_%d_x", kind == GAME ? 'v' : 'w', k);
            assert_float_equal(figure(picture, name), weights[k - 1][0], 1e-12);
            snprintf(name, sizeof name, "%c_%d_y", kind == GAME ? 'v' : 'w', k);
            assert_float_equal(figure(picture, name), weights[k - 1][1], 1e-12);
        }
        tlu_picture_free(picture);
    }
}

// The means are (2.5, 0.5) and (0.5, 1.5), so w = (2, -1) and b = (2.5 - 6.5) / 2.
static void means_by_hand(void **state)
{
    (void)state;
    tlu_picture *picture;
    assert_int_equal(draw(CENTROIDS, ONE, &terminal, &picture, NULL), TLU_OK);
    assert_float_equal(figure(picture, "u_x"), 2.5, 1e-12);
    assert_float_equal(figure(picture, "v_y"), 1.5, 1e-12);
    assert_float_equal(figure(picture, "w_x"), 2, 1e-12);
    assert_float_equal(figure(picture, "w_y"), -1, 1e-12);
    assert_float_equal(figure(picture, "bias"), -2, 1e-12);
    assert_float_equal(figure(picture, "wrong"), 0, 0);
    tlu_picture_free(picture);
}

static void no_texts_overlap(void **state)
{
    (void)state;
    static const double sizes[][2] = {{720, 480}, {640, 360}, {1200, 900}, {400, 300}, {240, 160}};
    for (size_t i = 0; i < KINDS * FORMS * 6; i++) {
        int kind = (int)(i % KINDS), form = (int)(i / KINDS % FORMS);
        size_t size = i / KINDS / FORMS;
        tlu_picture_style style = {.size = sizeof style, .theme = i % 2 ? "dark" : "light"};
        if (size == 5)
            style.columns = 80;
        else {
            style.width = sizes[size][0];
            style.height = sizes[size][1];
        }
        tlu_picture *picture;
        tlu_error error;
        tlu_status status = draw(kind, form, &style, &picture, &error);
        if (status == TLU_ERROR_INPUT && form == STRIP) {
            assert_non_null(strstr(error.text, "small pictures do not fit"));
            continue;
        }
        assert_int_equal(status, TLU_OK);
        for (size_t page = 0; page < picture->page_count; page++)
            if (texts_that_clash(picture->pages[page]))
                fail_msg("kind %d, form %d, size %zu, page %zu", kind, form, size, page);
        tlu_picture_free(picture);
    }
}

static void memory_runs_out(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS * FORMS; i++) {
        bool reached = true;
        long failed = 0, n = 1;
        if (i % KINDS >= GROWTH && i / KINDS)
            continue; // they have one form
        for (; reached; n += n < 60 ? 1 : (long)unless_sanitized(61, 151)) {
            tlu_picture *picture = NULL;
            tlu_error error = {0};
            fault_at(FAULT_MEMORY, n);
            tlu_status status = draw(i % KINDS, i / KINDS, &terminal, &picture, &error);
            reached = fault_calls(FAULT_MEMORY) >= n;
            fault_at(FAULT_MEMORY, 0);
            if (status != TLU_OK) {
                assert_int_equal(status, TLU_ERROR_SYSTEM);
                assert_non_null(strstr(error.text, "memory"));
            }
            failed += status != TLU_OK;
            assert_int_equal(picture == NULL, status != TLU_OK);
            tlu_picture_free(picture);
        }
        assert_true(failed > 20);
    }
}

static void settings_out_of_range_are_errors(void **state)
{
    (void)state;
    static const double none[2] = {0, 0}, endless[2] = {INFINITY, 1};
    tlu_plot_game_settings game = {.size = sizeof game, .path = rows(), .u = none};
    tlu_picture *picture;
    tlu_error error;
    assert_int_equal(tlu_plot_game(&game, NULL, &terminal, &picture, &error), TLU_ERROR_INPUT);
    game.u = endless;
    assert_int_equal(tlu_plot_game(&game, NULL, &terminal, &picture, &error), TLU_ERROR_INPUT);
    game.u = NULL;
    game.fps = -1;
    assert_int_equal(tlu_plot_game(&game, NULL, &terminal, &picture, &error), TLU_ERROR_INPUT);
    assert_null(picture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_by_hand),
        cmocka_unit_test(means_by_hand),
        cmocka_unit_test(no_texts_overlap),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(settings_out_of_range_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
