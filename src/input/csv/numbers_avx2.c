// Numbers by AVX2, as the values of LIBSVM: compiled with its flags.
#include "input/csv/numbers.h"

#if defined(__AVX2__)
#include "input/numbers_avx2.h"

static inline struct csv_converted convert(const char *floor, const uint32_t *before,
                                           const uint32_t *ends, float *values)
{
    uint32_t odd = convert_values(floor, before, ends, values);
    __m256 eight = _mm256_loadu_ps(values);
    int zeros = _mm256_movemask_ps(_mm256_cmp_ps(eight, _mm256_setzero_ps(), _CMP_EQ_OQ));
    int ones = _mm256_movemask_ps(_mm256_cmp_ps(eight, _mm256_set1_ps(1), _CMP_EQ_OQ));
    return (struct csv_converted){(uint8_t)odd, (uint8_t)zeros, (uint8_t) ~(zeros | ones)};
}

static size_t run(struct csv_run *run)
{
    return convert_run(run, convert);
}

const struct csv_converters csv_converters_avx2 = {convert, run, NULL};
#else
const struct csv_converters csv_converters_avx2 = {NULL, NULL, NULL};
#endif
