// Colours: text that can be read, and series that can be told apart, by the colour-blind too.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "plot/theme.h"

#include <math.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[] = {"light", "dark"};

// How colours are seen: all cones, and without those for long, middle and short waves. G. M.
// Machado, M. M. Oliveira and L. A. F. Fernandes, A physiologically-based model for simulation of
// color vision deficiency, 2009, severity 1, for linear red, green and blue.
static const double eyes[4][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868},
     {0.114503, 0.786281, 0.099216},
     {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968},
     {0.280085, 0.672501, 0.047413},
     {-0.011820, 0.042940, 0.968881}},
    {{1.255528, -0.076749, -0.178779},
     {-0.078411, 0.930809, 0.147602},
     {0.004733, 0.691367, 0.303900}},
};

static void to_linear(colour of, double linear[3])
{
    for (int i = 0; i < 3; i++) {
        double value = (double)(of >> (16 - 8 * i) & 255) / 255;
        linear[i] = value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
    }
}

// WCAG 2.1: 1 to 21.
static double contrast(colour a, colour b)
{
    double light[2], linear[3];
    for (int i = 0; i < 2; i++) {
        to_linear(i ? b : a, linear);
        light[i] = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05;
    }
    return fmax(light[0], light[1]) / fmin(light[0], light[1]);
}

static double root(double t)
{
    return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
}

// CIELAB, of the white of sRGB, as an eye sees it.
static void to_lab(colour of, size_t eye, double lab[3])
{
    double linear[3], seen[3];
    to_linear(of, linear);
    for (int i = 0; i < 3; i++) {
        const double *row = eyes[eye][i];
        double sum = row[0] * linear[0] + row[1] * linear[1] + row[2] * linear[2];
        seen[i] = fmin(1, fmax(0, sum));
    }
    double x = root((0.4124564 * seen[0] + 0.3575761 * seen[1] + 0.1804375 * seen[2]) / 0.95047);
    double y = root(0.2126729 * seen[0] + 0.7151522 * seen[1] + 0.0721750 * seen[2]);
    double z = root((0.0193339 * seen[0] + 0.1191920 * seen[1] + 0.9503041 * seen[2]) / 1.08883);
    lab[0] = 116 * y - 16;
    lab[1] = 500 * (x - y);
    lab[2] = 200 * (y - z);
}

static double apart(colour a, colour b, size_t eye)
{
    double p[3], q[3];
    to_lab(a, eye, p);
    to_lab(b, eye, q);
    return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                (p[2] - q[2]) * (p[2] - q[2]));
}

static void the_measures_are_right(void **state)
{
    (void)state;
    double lab[3];
    assert_true(fabs(contrast(0, 0xffffff) - 21) < 1e-9);
    assert_true(fabs(contrast(0x777777, 0xffffff) - 4.48) < 0.005); // as published for #777
    to_lab(0xff0000, 0, lab);
    assert_true(fabs(lab[0] - 53.24) < 0.05 && fabs(lab[1] - 80.09) < 0.1 &&
                fabs(lab[2] - 67.20) < 0.1);
    assert_true(apart(0xff0000, 0x8a8a00, 2) < apart(0xff0000, 0x8a8a00, 0) / 3);
}

static void text_can_be_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const struct theme *theme = theme_named(names[i]);
        assert_non_null(theme);
        assert_true(contrast(theme->ink, theme->background) >= 7);
        assert_true(contrast(theme->faint, theme->background) >= 4.5);
        assert_true(contrast(theme->wrong, theme->background) >= 4.5);
        for (size_t k = 0; k < 4 * THEME_COLOURS; k++)
            assert_true(contrast(theme->ink, theme_region(theme, k)) >= 4.5);
    }
    assert_null(theme_named("none"));
}

// Just noticeable is 2.3; lines and dots are small, and far from each other.
static void series_can_be_told_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++)
        for (size_t eye = 0; eye < 4; eye++) {
            const struct theme *theme = theme_named(names[i]);
            for (size_t a = 0; a < THEME_COLOURS; a++) {
                for (size_t b = 0; b < a; b++) {
                    double least = a < 2 ? 80 : a < 6 ? 16 : 12;
                    double found = apart(theme->series[a], theme->series[b], eye);
                    if (found < least)
                        fail_msg("%s: %zu and %zu are %g apart for eye %zu", names[i], a, b, found,
                                 eye);
                }
                assert_true(contrast(theme->series[a], theme->background) >= 2);
                assert_true(apart(theme->series[a], theme->wrong, eye) >= 14);
            }
        }
}

static void colours_mix(void **state)
{
    (void)state;
    assert_int_equal(colour_mix(0x000000, 0xffffff, 0), 0);
    assert_int_equal(colour_mix(0x000000, 0xffffff, 1), 0xffffff);
    assert_int_equal(colour_mix(0x102030, 0x304050, 0.5), 0x203040);
    assert_int_equal(theme_series(theme_named("light"), THEME_COLOURS + 1), 0xd55e00);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_measures_are_right),
        cmocka_unit_test(text_can_be_read),
        cmocka_unit_test(series_can_be_told_apart),
        cmocka_unit_test(colours_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
