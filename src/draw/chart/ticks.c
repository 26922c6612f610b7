#include "draw/chart/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// 1, 2 or 5 times a power of ten, so that about so many steps go into the length.
static double nice_step(double length, size_t about)
{
    double rough = length / (double)(about ? about : 1);
    double power = pow(10, floor(log10(rough)));
    double share = rough / power;
    return (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10) * power;
}

static size_t powers_of_ten(const struct axis *axis, double places[TICKS_MOST])
{
    size_t count = 0;
    double from = ceil(log10(axis->low) - 1e-9), to = floor(log10(axis->high) + 1e-9);
    double apart = fmax(1, ceil((to - from) / 10));
    for (double power = from; power <= to && count < TICKS_MOST; power += apart)
        places[count++] = pow(10, power);
    return count;
}

size_t axis_ticks(const struct axis *axis, size_t about, double places[TICKS_MOST], double *step)
{
    size_t count = 0;
    *step = 0;
    if (axis->logarithmic)
        return powers_of_ten(axis, places);
    if (!(axis->high > axis->low))
        return 0;
    *step = nice_step(axis->high - axis->low, about);
    if (axis->whole && *step < 1)
        *step = 1;
    double first = ceil(axis->low / *step - 1e-9);
    for (; count < TICKS_MOST; count++) {
        double place = (first + (double)count) * *step;
        if (!(place <= axis->high + *step * 1e-9))
            break;
        places[count] = place == 0 ? 0 : place;
    }
    return count;
}

const char *axis_number(char out[TICK_SIZE], const struct axis *axis, double value, double step)
{
    double shown = axis->percent ? 100 * value : value, apart = axis->percent ? 100 * step : step;
    int digits = apart > 0 ? (int)fmax(0, -floor(log10(apart) + 1e-9)) : 0;
    if (fabs(shown) >= 1e6 || digits > 6 || apart == 0)
        snprintf(out, TICK_SIZE, "%.4g", shown);
    else
        snprintf(out, TICK_SIZE, "%.*f", digits, shown);
    if (axis->percent)
        strcat(out, "%");
    return out;
}
