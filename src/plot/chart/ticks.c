#include "numeric/number.h"
#include "plot/chart/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NEARLY 1e-9

// 1, 2 or 5 times a power of ten, so that about so many steps go into the length.
static double nice_step(double length, size_t about)
{
    double rough = length / (double)(about ? about : 1);
    double power = pow(10, floor(log10(rough)));
    double share = rough / power;
    return (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10) * power;
}

// Of parts of a right angle: rather one more than one less.
static double degree_step(double length, size_t about)
{
    static const double steps[] = {5, 15, 30, 45};
    double rough = length / (double)about;
    if (rough < 4)
        return nice_step(length, about);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if (steps[i] >= 0.65 * rough)
            return steps[i];
    return 90 * fmax(1, round(rough / 90));
}

static size_t even_ticks(const struct axis *axis, size_t about, double places[TICKS_MAX],
                         double *step)
{
    size_t count = 0;
    *step = axis->degrees ? degree_step(axis->high - axis->low, about)
                          : nice_step(axis->high - axis->low, about);
    if (axis->whole && *step < 1)
        *step = 1;
    double first = ceil(axis->low / *step - NEARLY);
    for (; count < TICKS_MAX; count++) {
        double place = (first + (double)count) * *step;
        if (!(place <= axis->high + *step * NEARLY))
            break;
        places[count] = place == 0 ? 0 : place;
    }
    return count;
}

// ---- logarithmic: powers of ten, or one in so many of them; if there are few, 2 and 5 times them
// as well

static size_t powers_of_ten(const struct axis *axis, size_t about, double places[TICKS_MAX])
{
    size_t count = 0;
    double from = ceil(log10(axis->low) - NEARLY), to = floor(log10(axis->high) + NEARLY);
    double apart = fmax(1, ceil((to - from) / (double)about));
    for (double power = from; power <= to && count < TICKS_MAX; power += apart)
        places[count++] = pow(10, power);
    return count;
}

static size_t ones_twos_fives(const struct axis *axis, double places[TICKS_MAX])
{
    static const double times[] = {1, 2, 5};
    size_t count = 0;
    double from = floor(log10(axis->low)), to = floor(log10(axis->high) + NEARLY);
    for (double power = from; power <= to; power++) {
        for (size_t i = 0; i < 3 && count < TICKS_MAX; i++) {
            double place = times[i] * pow(10, power);
            if (place >= axis->low * (1 - NEARLY) && place <= axis->high * (1 + NEARLY))
                places[count++] = place;
        }
    }
    return count;
}

static size_t logarithmic_ticks(const struct axis *axis, size_t about, double places[TICKS_MAX],
                                double *step)
{
    double decades = log10(axis->high / axis->low);
    size_t count = 3 * decades <= (double)about ? ones_twos_fives(axis, places)
                                                : powers_of_ten(axis, about, places);
    if (count < 2)
        count = ones_twos_fives(axis, places);
    if (count >= 2 || decades >= 1)
        return count;
    return even_ticks(axis, about, places, step);
}

size_t axis_ticks(const struct axis *axis, size_t about, double places[TICKS_MAX], double *step)
{
    *step = 0;
    if (!(axis->high > axis->low))
        return 0;
    about = about ? about : 1;
    if (axis->logarithmic)
        return logarithmic_ticks(axis, about, places, step);
    return even_ticks(axis, about, places, step);
}

// ---- numbers

static int digits_after_point(double step)
{
    return (int)fmax(0, -floor(log10(step) + NEARLY));
}

// "1234567.5" becomes "1,234,567.5", and the hyphen a minus sign.
static void for_people(char out[TICK_SIZE], const char *plain)
{
    size_t used = 0;
    if (*plain == '-') {
        memcpy(out, "\xe2\x88\x92", 3);
        used = 3;
        plain++;
    }
    size_t whole = strspn(plain, "0123456789");
    for (size_t i = 0; plain[i] && used + 2 < TICK_SIZE; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0)
            out[used++] = ',';
        out[used++] = plain[i];
    }
    out[used] = 0;
}

// "2e+38", "-1.5e-7": so many digits that neighbours differ.
static void with_exponent(char out[TICK_SIZE], double value, double step)
{
    char plain[TICK_SIZE], number[TICK_SIZE];
    double size = floor(log10(fabs(value)) + NEARLY);
    int digits = step > 0 ? (int)fmin(15, fmax(0, size - floor(log10(step) + NEARLY))) : 0;
    number_print_as(plain, sizeof plain, 'e', digits, value);
    char *exponent = strchr(plain, 'e');
    if (!exponent) {
        for_people(out, plain);
        return;
    }
    char sign = exponent[1];
    const char *power = exponent + 2 + strspn(exponent + 2, "0");
    *exponent = 0;
    for_people(number, plain);
    snprintf(out, TICK_SIZE, "%.40se%s%.8s", number, sign == '-' ? "\xe2\x88\x92" : "+",
             *power ? power : "0");
}

// Whether numbers of this size, so far apart, are best read with an exponent.
static bool needs_exponent(double largest, double value, double step)
{
    if (step == 0)
        return fabs(value) >= 1e6 || fabs(value) < 1e-4;
    return largest >= 1e9 || step < 0.9e-4;
}

static void plain_number(char out[TICK_SIZE], double value, double largest, double step)
{
    char plain[TICK_SIZE];
    if (step == 0) {
        number_print_as(plain, sizeof plain, 'f', fabs(value) < 1 ? digits_after_point(value) : 0,
                        value);
        for_people(out, plain);
        return;
    }
    bool millions = largest >= 1e7 && step >= 0.9e5;
    double unit = millions ? 1e6 : 1;
    number_print_as(plain, sizeof plain - 1, 'f', digits_after_point(step / unit), value / unit);
    strcat(plain, millions ? "M" : "");
    for_people(out, plain);
}

const char *axis_number(char out[TICK_SIZE], const struct axis *axis, double value, double step)
{
    double times = axis->percent ? 100 : 1;
    double shown = times * value, apart = times * step;
    double largest = times * fmax(fabs(axis->low), fabs(axis->high));
    if (shown == 0)
        snprintf(out, TICK_SIZE, "0");
    else if (needs_exponent(largest, shown, apart))
        with_exponent(out, shown, apart);
    else
        plain_number(out, shown, largest, apart);
    if (axis->percent && strlen(out) + 1 < TICK_SIZE)
        strcat(out, "%");
    return out;
}
