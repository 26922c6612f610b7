#include "space/kernel.h"

#include "numeric/exp_log.h"
#include "numeric/number.h"
#include "vector/lanes.h"

#include <string.h>

static tlu_status refuse(const char *text, tlu_error *error)
{
    return error_input(
        error, "--kernel is linear, poly:DEGREE, poly:DEGREE,COEF or rbf:GAMMA, not '%.80s'", text);
}

tlu_status kernel_parse(struct kernel *kernel, const char *text, tlu_error *error)
{
    *kernel = (struct kernel){KERNEL_NONE, 1, 1, 1};
    if (text[0] == '\0')
        return TLU_OK;
    if (strcmp(text, "linear") == 0) {
        kernel->kind = KERNEL_LINEAR;
        return TLU_OK;
    }
    if (strncmp(text, "rbf:", 4) == 0) {
        kernel->kind = KERNEL_RBF;
        if (!number_whole(text + 4, strlen(text + 4), &kernel->gamma) || !(kernel->gamma > 0))
            return refuse(text, error);
        return TLU_OK;
    }
    if (strncmp(text, "poly:", 5) != 0)
        return refuse(text, error);
    kernel->kind = KERNEL_POLY;
    const char *degree = text + 5, *comma = strchr(degree, ',');
    size_t length = comma ? (size_t)(comma - degree) : strlen(degree);
    uint64_t number;
    if (!number_index(degree, length, &number) || number < 1 || number > 100 ||
        (comma && !number_whole(comma + 1, strlen(comma + 1), &kernel->coef)))
        return refuse(text, error);
    kernel->degree = (unsigned)number;
    return TLU_OK;
}

double kernel_value(const struct kernel *kernel, double dot, double norm_x, double norm_z)
{
    if (kernel->kind == KERNEL_RBF) {
        double distance = norm_x + norm_z - 2 * dot;
        return same_exp(-kernel->gamma * (distance > 0 ? distance : 0));
    }
    if (kernel->kind != KERNEL_POLY)
        return dot;
    // By repeated squaring, so that the bits are the same everywhere; exact for small whole
    // numbers.
    double base = dot + kernel->coef, power = 1;
    for (unsigned n = kernel->degree; n; n >>= 1) {
        if (n & 1)
            power *= base;
        base *= base;
    }
    return power;
}

LANES_BODY void powers(const struct kernel *kernel, const double *dots, size_t count,
                       double *values)
{
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        four base = *(const four *)(dots + i) + kernel->coef, power = {1, 1, 1, 1};
        for (unsigned n = kernel->degree; n; n >>= 1) {
            if (n & 1)
                power *= base;
            base *= base;
        }
        *(four *)(values + i) = power;
    }
    for (; i < count; i++)
        values[i] = kernel_value(kernel, dots[i], 0, 0);
}

LANES_AVX2 static void powers_avx2(const struct kernel *kernel, const double *dots, size_t count,
                                   double *values)
{
    powers(kernel, dots, count, values);
}

// The steps of same_exp for eight numbers from -700 to 0, so that the bits are the same. Two chains
// of operations side by side take little longer than one.
LANES_BODY void exp_eight(const four *x, double *to)
{
    const double magic = 0x1.8p52; // adding and subtracting it rounds to a whole number
    four k[2], r[2], series[2];
    for (int h = 0; h < 2; h++) {
        four t = x[h] * 0x1.71547652b82fep+0 + 0.5, rounded = (t + magic) - magic;
        four one = {1, 1, 1, 1};
        k[h] = rounded - (four)((four_bits)(rounded > t) & (four_bits)one); // floor
        r[h] = (x[h] - k[h] * 0x1.62e42fefa38p-1) - k[h] * 0x1.ef35793c7673p-45;
        series[h] = one;
    }
#pragma GCC unroll 12
    for (int i = 13; i >= 2; i--) {
        series[0] = 1 + series[0] * (r[0] * (1.0 / i));
        series[1] = 1 + series[1] * (r[1] * (1.0 / i));
    }
    for (int h = 0; h < 2; h++) {
        four_bits power = ((four_bits)(k[h] + magic) + 1023) << 52; // 2^k
        *(four *)(to + 4 * h) = (1 + r[h] * series[h]) * (four)power;
    }
}

LANES_BODY void exps(const struct kernel *kernel, const double *dots, size_t count, double norm,
                     const double *norms, double *values)
{
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        four x[2];
        for (size_t h = 0; h < 2; h++) {
            const double *dot = dots + i + 4 * h, *other = norms + i + 4 * h;
            four distance = norm + *(const four *)other - 2 * *(const four *)dot;
            four_bits positive = (four_bits)(distance > 0);
            x[h] = -kernel->gamma * (four)((four_bits)distance & positive);
        }
        four_bits fine = (four_bits)(x[0] > -700) & (four_bits)(x[1] > -700);
        if (fine[0] & fine[1] & fine[2] & fine[3])
            exp_eight(x, values + i);
        else
            for (size_t k = i; k < i + 8; k++)
                values[k] = kernel_value(kernel, dots[k], norm, norms[k]);
    }
    for (; i < count; i++)
        values[i] = kernel_value(kernel, dots[i], norm, norms[i]);
}

LANES_AVX2 static void exps_avx2(const struct kernel *kernel, const double *dots, size_t count,
                                 double norm, const double *norms, double *values)
{
    exps(kernel, dots, count, norm, norms, values);
}

void kernel_values(const struct kernel *kernel, const double *dots, size_t count, double norm,
                   const double *norms, double *values)
{
    if (kernel->kind == KERNEL_RBF && lanes_have_avx2())
        exps_avx2(kernel, dots, count, norm, norms, values);
    else if (kernel->kind == KERNEL_RBF)
        exps(kernel, dots, count, norm, norms, values);
    else if (kernel->kind != KERNEL_POLY)
        memmove(values, dots, count * sizeof *values);
    else if (lanes_have_avx2())
        powers_avx2(kernel, dots, count, values);
    else
        powers(kernel, dots, count, values);
}
