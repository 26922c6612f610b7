#include "input/marks.h"

#if defined(__x86_64__) && defined(__SSE2__) && !defined(TLU_PORTABLE)
#define MARKS_SSE2
#include <emmintrin.h>
#endif

// ---- 8 bytes at a time ----

static inline uint64_t load_first_lowest(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

// The highest bits of eight bytes next to each other.
static inline uint64_t gather(uint64_t high_bits)
{
    return (high_bits >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

static struct marks_vw vw_plain(const char *block)
{
    struct marks_vw marks = {0, 0};
    for (int i = 0; i < MARKS_BLOCK; i += 8) {
        uint64_t word = load_first_lowest(block + i);
        marks.blanks |=
            gather(marks_zeros(word ^ MARKS_BYTES(' ')) | marks_zeros(word ^ MARKS_BYTES('\t')))
            << i;
        marks.others |=
            gather(marks_zeros(word ^ MARKS_BYTES(':')) | marks_zeros(word ^ MARKS_BYTES('|')))
            << i;
    }
    return marks;
}

// ---- 16 ----

#ifdef MARKS_SSE2
static inline __m128i equal(__m128i bytes, char byte)
{
    return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte));
}

static struct marks_vw vw_sse2(const char *block)
{
    struct marks_vw marks = {0, 0};
    for (int i = 0; i < MARKS_BLOCK; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(block + i));
        __m128i blanks = _mm_or_si128(equal(bytes, ' '), equal(bytes, '\t'));
        __m128i others = _mm_or_si128(equal(bytes, ':'), equal(bytes, '|'));
        marks.blanks |= (uint64_t)(unsigned)_mm_movemask_epi8(blanks) << i;
        marks.others |= (uint64_t)(unsigned)_mm_movemask_epi8(others) << i;
    }
    return marks;
}
#endif

marks_function *marks_of_vw(enum cpu_level level)
{
#ifdef MARKS_SSE2
    if (level >= CPU_SIMD)
        return vw_sse2;
#endif
    (void)level;
    return vw_plain;
}
