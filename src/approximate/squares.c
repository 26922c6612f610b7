#include "approximate/squares.h"

#include <assert.h>
#include <math.h>

double dot(const double *a, const double *b, size_t count)
{
    double sum[4] = {0, 0, 0, 0};
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (size_t lane = 0; lane < 4; lane++)
            sum[lane] += a[i + lane] * b[i + lane];
    for (; i < count; i++)
        sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void add_times(double *to, double factor, const double *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] += factor * from[i];
}

// Applies the reflection that makes column k 0 below the diagonal, also to the columns right of it.
// *diagonal is the entry of R, or 0 if the column depends on the ones before it.
static void reflect(double *columns, size_t rows, size_t count, size_t k, double *y,
                    double *diagonal)
{
    double *v = columns + k * rows + k, whole = dot(columns + k * rows, columns + k * rows, rows);
    size_t rest = rows - k;
    double square = dot(v, v, rest), length = sqrt(square);
    *diagonal = 0;
    if (!(square > 1e-30 * whole))
        return;
    *diagonal = v[0] > 0 ? -length : length;
    v[0] -= *diagonal;
    double factor = -2 / dot(v, v, rest);
    for (size_t j = k + 1; j < count; j++) {
        double *other = columns + j * rows + k;
        add_times(other, factor * dot(v, other, rest), v, rest);
    }
    add_times(y + k, factor * dot(v, y + k, rest), v, rest);
}

void least_squares(double *columns, size_t rows, size_t count, double *y, double *solution)
{
    assert(rows >= count);
    for (size_t k = 0; k < count; k++)
        reflect(columns, rows, count, k, y, &solution[k]); // keeps the diagonal there
    for (size_t k = count; k-- > 0;) {
        double diagonal = solution[k], sum = y[k];
        for (size_t j = k + 1; j < count; j++)
            sum -= columns[j * rows + k] * solution[j];
        solution[k] = diagonal != 0 ? sum / diagonal : 0;
    }
}
