#include "vector/lanes.h"

// Transposes a block of four by four.
LANES_BODY void transpose_four(const double *rows, size_t length, double *columns, size_t wide)
{
    four a = *(const four *)rows, b = *(const four *)(rows + length);
    four c = *(const four *)(rows + 2 * length), d = *(const four *)(rows + 3 * length);
    four ab = __builtin_shufflevector(a, b, 0, 4, 2, 6); // a0 b0 a2 b2
    four cd = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    four ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    four cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    *(four *)columns = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    *(four *)(columns + wide) = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
    *(four *)(columns + 2 * wide) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    *(four *)(columns + 3 * wide) = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
}

LANES_BODY void transpose(const double *rows, size_t length, size_t count, double *columns,
                          size_t wide)
{
    size_t k = 0;
    for (; k + 4 <= count; k += 4) {
        transpose_four(rows + k, length, columns + k * wide, wide);
        transpose_four(rows + 4 * length + k, length, columns + k * wide + 4, wide);
    }
    for (; k < count; k++)
        for (size_t i = 0; i < 8; i++)
            columns[k * wide + i] = rows[i * length + k];
}

LANES_AVX2 static void transpose_avx2(const double *rows, size_t length, size_t count,
                                      double *columns, size_t wide)
{
    transpose(rows, length, count, columns, wide);
}

void lanes_transpose(const double *rows, size_t length, size_t count, double *columns, size_t wide)
{
    if (lanes_have_avx2())
        transpose_avx2(rows, length, count, columns, wide);
    else
        transpose(rows, length, count, columns, wide);
}
