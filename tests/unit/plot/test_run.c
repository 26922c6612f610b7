// Pictures of runs: a run worked out by hand, how long frames are shown, memory that runs out.
#include "base/fault.h"
#include "plot/run/run.h"
#include "tlu.h"
#include "tlu_plot.h"
#include "trials.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

static const char *two_classes(void)
{
    return write_file("two.csv", "a,b,label\n2,0,+\n0,1,-\n1,2,-\n3,1,+\n");
}

static tlu_options *in_order(void)
{
    tlu_options *options;
    tlu_options_new(&options, NULL);
    assert_non_null(options);
    assert_int_equal(tlu_options_set(options, "shuffle", "none", NULL), TLU_OK);
    assert_int_equal(tlu_options_set(options, "no-bias", "yes", NULL), TLU_OK);
    return options;
}

static const tlu_picture_style style = {.size = sizeof style, .columns = 60, .lines = 20};

static tlu_plot_run_settings settings_for(const char *path)
{
    return (tlu_plot_run_settings){.size = sizeof(tlu_plot_run_settings), .path = path};
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

static void assert_boundary(const struct state *state, double w0, double w1, double w2)
{
    assert_int_equal(state->count, 1);
    assert_float_equal(state->boundaries[0].f.w0, w0, 1e-12);
    assert_float_equal(state->boundaries[0].f.w1, w1, 1e-12);
    assert_float_equal(state->boundaries[0].f.w2, w2, 1e-12);
}

static void assert_place(struct point at, double x, double y)
{
    assert_float_equal(at.x, x, 1e-6);
    assert_float_equal(at.y, y, 1e-6);
}

// Of + (the first class, and so the negative one: labels are ordered by their bytes, and - is the
// later) the perceptron has, from w = 0 in the order of the rows:
//     (2, 0) +   0: a tie, w = (-2, 0)
//     (0, 1) -   0: a tie, w = (-2, 1)
//     (1, 2) -   0: a tie, w = (-1, 3)
//     (3, 1) +   0: a tie, w = (-4, 2)
// and in the second pass -8, 2, 0 (a tie, w = (-3, 4)), -5; in the third -6, 4, 5, -5: done.
static void a_run_by_hand(void **state)
{
    (void)state;
    const double weights[][2] = {{-2, 0}, {-2, 1}, {-1, 3}, {-4, 2}, {-3, 4}};
    const double rows[][2] = {{2, 0}, {0, 1}, {1, 2}, {3, 1}, {1, 2}};
    const uint64_t steps[] = {1, 2, 3, 4, 7};
    tlu_plot_run_settings settings = settings_for(two_classes());
    tlu_options *options = in_order();
    struct animation animation;
    struct plot plot = {.settings = &settings, .path = settings.path, .options = options};
    assert_int_equal(picture_new(&style, theme_named("light"), &plot.picture, NULL), TLU_OK);
    plot.theme = plot.picture->theme;
    assert_int_equal(animation_make(&animation, &plot, 200, 1000, NULL), TLU_OK);
    assert_int_equal(animation.count, 6);
    assert_int_equal(animation.moments[0].update, 0);
    assert_int_equal(animation.moments[0].after.count, 0);
    for (size_t i = 1; i < 6; i++) {
        const struct moment *moment = &animation.moments[i];
        assert_int_equal(moment->update, i);
        assert_int_equal(moment->mistakes, i);
        assert_int_equal(moment->step, steps[i - 1]);
        assert_place(moment->at, rows[i - 1][0], rows[i - 1][1]);
        assert_boundary(&moment->after, 0, weights[i - 1][0], weights[i - 1][1]);
        if (i > 1)
            assert_boundary(&moment->before, 0, weights[i - 2][0], weights[i - 2][1]);
    }
    trace_free(&animation.trace);
    settings.frames = 2; // the first and the last
    assert_int_equal(animation_make(&animation, &plot, 200, 1000, NULL), TLU_OK);
    assert_int_equal(animation.count, 2);
    assert_boundary(&animation.moments[1].before, 0, -4, 2);
    assert_boundary(&animation.moments[1].after, 0, -3, 4);
    trace_free(&animation.trace);
    tlu_picture_free(plot.picture);
    plot_free(&plot); // the options too
}

static void frames_and_figures(void **state)
{
    (void)state;
    tlu_plot_run_settings settings = settings_for(two_classes());
    tlu_options *options = in_order();
    tlu_picture *picture;
    settings.fps = 10;
    assert_int_equal(tlu_plot_run(&settings, options, &style, &picture, NULL), TLU_OK);
    assert_int_equal(tlu_picture_frames(picture), 6);
    for (size_t i = 0; i < 5; i++)
        assert_float_equal(picture->pages[i]->seconds, 0.1, 1e-12);
    assert_true(picture->pages[5]->seconds >= 2);
    assert_float_equal(figure(picture, "updates"), 5, 0);
    assert_float_equal(figure(picture, "mistakes"), 5, 0);
    assert_float_equal(figure(picture, "passes"), 3, 0);
    tlu_picture_free(picture);
    settings.strip = 1;
    assert_int_equal(tlu_plot_run(&settings, options, &style, &picture, NULL), TLU_OK);
    assert_int_equal(tlu_picture_frames(picture), 1);
    tlu_picture_free(picture);
    tlu_options_free(options);
}

static void assert_frame(const tlu_picture *picture, size_t frame, const char *part, bool there)
{
    char *text;
    size_t size;
    double seconds;
    assert_int_equal(tlu_picture_frame(picture, frame, &text, &size, &seconds, NULL), TLU_OK);
    char *copy = calloc(size + 1, 1);
    assert_non_null(copy);
    memcpy(copy, text, size);
    if ((strstr(copy, part) != NULL) != there)
        fail_msg("frame %zu: '%s' is %sthere: %s", frame, part, there ? "not " : "", copy);
    free(copy);
    tlu_bytes_free(text);
}

// Two rows away from 0. q is the later class, and so the positive one; the perceptron has
//     (3, 3) p   0: a tie, w = (-3, -3), bias -1: all around the rows is p
//     (5, 4) q   -28, w = (2, 1), bias 0: all of it is q
//     (3, 3) p   9, w = (-1, -2), bias -1: p again
// and so on, until both are right, and the line is between them.
static void a_line_outside(void **state)
{
    (void)state;
    tlu_plot_run_settings settings =
        settings_for(write_file("far.csv", "a,b,label\n3,3,p\n5,4,q\n"));
    const tlu_picture_style wide = {.size = sizeof wide, .columns = 100, .lines = 20};
    tlu_options *options;
    tlu_options_new(&options, NULL);
    tlu_picture *picture;
    assert_int_equal(tlu_options_set(options, "shuffle", "none", NULL), TLU_OK);
    assert_int_equal(tlu_plot_run(&settings, options, &wide, &picture, NULL), TLU_OK);
    size_t last = tlu_picture_frames(picture) - 1;
    assert_true(last > 3);
    assert_frame(picture, 0, "called", false);
    assert_frame(picture, 1, "1 mistake; the line is outside, and all is called p", true);
    assert_frame(picture, 2, "2 mistakes; the line is outside, and all is called q", true);
    assert_frame(picture, 3, "3 mistakes; the line is outside, and all is called p", true);
    assert_frame(picture, last, "converged after", true);
    assert_frame(picture, last, "called", false);
    tlu_picture_free(picture);
    tlu_options_free(options);
}

// Whatever fails in the search for the bound, a run is drawn without it.
static void memory_runs_out(void **state)
{
    (void)state;
    const char *paths[] = {two_classes(), NULL};
    paths[1] = write_file("three.csv", "a,b,c,label\n2,0,1,x\n0,1,2,y\n1,2,0,z\n3,1,1,x\n");
    for (size_t i = 0; i < 6; i++) {
        bool reached = true;
        long failed = 0, n = 1;
        tlu_plot_run_settings settings = settings_for(paths[i / 3]);
        settings.strip = i % 3 == 1;
        for (; reached; n += n < 60 ? 1 : (long)unless_sanitized(61, 151)) {
            tlu_picture *picture = NULL;
            tlu_error error = {0};
            fault_at(FAULT_MEMORY, n);
            tlu_status status = i % 3 == 2
                                    ? tlu_plot_bounds(settings.path, NULL, &style, &picture, &error)
                                    : tlu_plot_run(&settings, NULL, &style, &picture, &error);
            reached = fault_calls(FAULT_MEMORY) >= n;
            fault_at(FAULT_MEMORY, 0);
            if (status == TLU_ERROR_SYSTEM)
                assert_non_null(strstr(error.text, "memory"));
            failed += status == TLU_ERROR_SYSTEM;
            assert_int_equal(picture == NULL, status != TLU_OK);
            tlu_picture_free(picture);
        }
        assert_true(failed > 20);
    }
}

static void numbers_out_of_range_are_errors(void **state)
{
    (void)state;
    static const double wrong[] = {NAN, -1, INFINITY, 1e-300};
    const tlu_picture_style plain = {.size = sizeof plain};
    for (size_t i = 0; i < 4 * sizeof wrong / sizeof wrong[0]; i++) {
        tlu_plot_run_settings settings = settings_for(two_classes());
        tlu_picture_style page = i % 4 ? plain : style;
        double *numbers[] = {&settings.fps, &page.width, &page.height, &page.scale};
        if (i % 4 == 3 && wrong[i / 4] > 0 && wrong[i / 4] < 1)
            continue; // a scale may be small
        *numbers[i % 4] = wrong[i / 4];
        tlu_picture *picture;
        tlu_error error;
        assert_int_equal(tlu_plot_run(&settings, NULL, &page, &picture, &error), TLU_ERROR_INPUT);
        assert_null(picture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_by_hand),
        cmocka_unit_test(frames_and_figures),
        cmocka_unit_test(a_line_outside),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(numbers_out_of_range_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
