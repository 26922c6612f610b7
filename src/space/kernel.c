#include "space/kernel.h"

#include "numeric/number.h"
#include "vector/lanes.h"

#include <math.h>
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
        return exp(-kernel->gamma * (distance > 0 ? distance : 0));
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

void kernel_values(const struct kernel *kernel, const double *dots, size_t count, double norm,
                   const double *norms, double *values)
{
    if (kernel->kind == KERNEL_RBF)
        for (size_t i = 0; i < count; i++)
            values[i] = kernel_value(kernel, dots[i], norm, norms[i]);
    else if (kernel->kind != KERNEL_POLY)
        memmove(values, dots, count * sizeof *values);
    else if (lanes_have_avx2())
        powers_avx2(kernel, dots, count, values);
    else
        powers(kernel, dots, count, values);
}
