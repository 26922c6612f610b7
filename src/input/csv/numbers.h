// Numbers with known ends: converted eight at a time if they are plain, [-] digits [. digits].
#ifndef TLU_INPUT_CSV_NUMBERS_H
#define TLU_INPUT_CSV_NUMBERS_H

#include "input/csv/scan.h"

#define NUMBERS_AT_ONCE 8
#define NUMBERS_REACH 17   // bytes from the place before a number on that may be read
#define NUMBERS_LONGEST 17 // bytes of a number that may be plain

// The outcome of eight numbers, a bit for each.
struct csv_converted {
    uint8_t odd;    // not plain, or too long: the value means nothing
    uint8_t zeros;  // is 0
    uint8_t others; // is neither 0 nor 1
};

// The numbers between the places `before` and `ends` of the chunk, which begins at `floor`.
// NUMBERS_REACH bytes from each place before are there.
typedef struct csv_converted csv_convert(const char *floor, const uint32_t *before,
                                         const uint32_t *ends, float *values);

// Numbers side by side, of features that ascend by one. There is room for NUMBERS_AT_ONCE entries
// more.
struct csv_run {
    const char *floor;
    const uint32_t *ends; // [n + 1 + NUMBERS_AT_ONCE] number i is between ends[i] and ends[i + 1]
    size_t n;
    size_t limit;     // of the places that may be read
    uint32_t feature; // of the first
    uint32_t *features;
    float *values;
    struct csv_converted outcome; // odd: of the last eight; the others: of all
};
// Converts up to the first odd number, or to one that is too near to the limit; how many that is.
typedef size_t csv_convert_run(struct csv_run *run);

// Takes the entries out whose value is 0, and returns how many are left. Four entries after the
// last may be written.
typedef size_t csv_compact(uint32_t *features, float *values, size_t count);

struct csv_converters {
    csv_convert *eight;
    csv_convert_run *run;
    csv_compact *compact;
};
struct csv_converters csv_converters(enum csv_way way);
extern const struct csv_converters csv_converters_avx2; // of NULL if the compiler has no AVX2

// ---- runs ----

// first, first + 1, ...
static inline void number_eight(uint32_t *out, uint32_t first)
{
    typedef uint32_t eight __attribute__((vector_size(32)));
    eight numbers = (eight){0, 1, 2, 3, 4, 5, 6, 7} + first;
    memcpy(out, &numbers, sizeof numbers);
}

// For each instruction set: `convert` is known where this is inlined, and inlined itself.
static inline __attribute__((always_inline)) size_t convert_run(struct csv_run *run,
                                                                csv_convert *convert)
{
    const uint32_t *ends = run->ends;
    size_t k = 0, n = run->n;
    unsigned odd = 0, zeros = 0, others = 0;
    while (!odd && k < n && ends[k + NUMBERS_AT_ONCE - 1] + (size_t)NUMBERS_REACH < run->limit) {
        struct csv_converted eight = convert(run->floor, ends + k, ends + k + 1, run->values + k);
        number_eight(run->features + k, run->feature + (uint32_t)k);
        size_t taken = n - k < NUMBERS_AT_ONCE ? n - k : NUMBERS_AT_ONCE;
        odd = eight.odd & ((1u << taken) - 1);
        if (odd)
            taken = (size_t)__builtin_ctz(odd);
        zeros |= eight.zeros & ((1u << taken) - 1);
        others |= eight.others & ((1u << taken) - 1);
        k += taken;
    }
    run->outcome = (struct csv_converted){(uint8_t)odd, (uint8_t)zeros, (uint8_t)others};
    return k;
}

// ---- one number ----

// Converts [-] digits [. digits] [e [+-] digits] of up to 32 digits to the nearest double, and that
// to the nearest float. False if it is anything else, or if the float is in doubt.
bool csv_decimal_number(const char *start, const char *end, float *value);

#endif
