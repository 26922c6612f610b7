// Which fields of CSV are not plain numbers, found 64 bytes at a time with bit masks alone. A plain
// number is [-] digits [. digits], with blanks before it, in a pair of quotes or not.
//
// Nothing is decided about the other fields, nor about the quotes of the row: odd fields are for
// code that looks closer.
#ifndef TLU_INPUT_CSV_PLAIN_H
#define TLU_INPUT_CSV_PLAIN_H

#include "input/csv/scan.h"

// The bytes of a block that are of a kind, the first in the lowest bit.
struct number_masks {
    uint64_t ends; // of fields: delimiters and newlines
    uint64_t newlines, digits, points, minuses;
    uint64_t uneven; // of the ends those whose fields have quotes or newlines for the rules
};

struct loose_masks {
    uint64_t quotes, blanks, returns;
};

typedef struct number_masks number_masks_function(const char *block, char delimiter);
typedef struct loose_masks loose_masks_function(const char *block);

// What is carried from block to block, 1 or 0 each.
struct plain_state {
    uint64_t start;    // a field starts at the next byte, or blanks before it go on
    uint64_t point;    // the last digits came after a point
    uint64_t digit;    // the field that goes on has a digit
    uint64_t odd;      // and is odd
    uint64_t inside;   // all ones: quotes are open
    uint64_t opened;   // the last byte opened them
    uint64_t closed;   // closed them
    uint64_t returned; // was a carriage return
    uint64_t loose;    // any of these four
    uint64_t uneven;   // the field that goes on has quotes or newlines for the rules
};

static inline struct plain_state plain_start(void)
{
    return (struct plain_state){.start = 1};
}

static inline uint64_t plain_add(uint64_t a, uint64_t b, uint64_t *carry)
{
    uint64_t sum;
    bool first = __builtin_add_overflow(a, b, &sum);
    bool second = __builtin_add_overflow(sum, *carry, &sum);
    *carry = first | second;
    return sum;
}

// A block with something else than bare numbers in it. Takes the ends inside quotes out; returns
// the bytes that plain numbers do not have.
static inline __attribute__((always_inline)) uint64_t
plain_loose(struct plain_state *state, struct number_masks *masks, struct loose_masks loose)
{
    uint64_t inside = 0, next;
    if (loose.quotes | state->inside) {
        inside = scan_inside(loose.quotes, &state->inside);
        masks->uneven = masks->newlines & inside;
        masks->ends &= ~inside;
        masks->newlines &= ~inside;
    }
    uint64_t opening = loose.quotes & inside, closing = loose.quotes & ~inside;
    // The sum moves a field's start over the blanks that are there.
    uint64_t starts = masks->ends << 1 | state->start;
    bool over = __builtin_add_overflow(loose.blanks, starts & loose.blanks, &next);
    uint64_t leading = loose.blanks & ~next;
    starts = (starts | next) & ~loose.blanks;
    uint64_t contents = (starts & ~opening) | (starts & opening) << 1 | state->opened;
    uint64_t known = masks->ends | masks->digits | masks->points | masks->minuses | leading |
                     loose.quotes | loose.returns;
    masks->uneven |= (opening & ~starts) |
                     ((closing << 1 | state->closed) & ~(masks->ends | loose.returns)) |
                     ((loose.returns << 1 | state->returned) & ~masks->newlines);
    uint64_t bad = ~known | (masks->minuses & ~contents) | masks->uneven;
    state->start = masks->ends >> 63 | over;
    state->opened = (starts & opening) >> 63;
    state->closed = closing >> 63;
    state->returned = loose.returns >> 63;
    state->loose = state->inside | state->opened | state->closed | state->returned;
    return bad;
}

// Of the ends in a block those whose fields are odd. The ends of *masks become those outside
// quotes.
static inline __attribute__((always_inline)) uint64_t plain_odd(struct plain_state *state,
                                                                struct number_masks *masks,
                                                                const char *block,
                                                                loose_masks_function *loose)
{
    masks->digits &= ~masks->ends; // the delimiter may be any character
    masks->points &= ~masks->ends;
    masks->minuses &= ~masks->ends;
    uint64_t rest = ~(masks->ends | masks->digits | masks->points | masks->minuses), bad, sum;
    if (rest | state->loose) {
        bad = plain_loose(state, masks, loose(block));
    } else {
        bad = masks->minuses & ~(masks->ends << 1 | state->start);
        state->start = masks->ends >> 63;
    }
    // From each point a carry runs over the digits after it, to the byte that follows them.
    bool over = __builtin_add_overflow(masks->digits, masks->points << 1 | state->point, &sum);
    bad |= sum & masks->points;
    state->point = over | masks->points >> 63;
    // In the same way the end of a field hears of what is in it.
    uint64_t odd = 0, fields = ~masks->ends;
    if (bad | state->odd)
        odd = plain_add(fields, bad & fields, &state->odd) | bad;
    if (masks->uneven | state->uneven)
        masks->uneven |= plain_add(fields, masks->uneven & fields, &state->uneven);
    odd |= ~plain_add(fields, masks->digits, &state->digit);
    return odd & masks->ends;
}

// ---- masks of a block ----

static inline struct number_masks number_masks_plain(const char *block, char delimiter)
{
    struct number_masks masks = {0, 0, 0, 0, 0, 0};
    uint64_t delimiters = 0;
    SCAN_UNROLL
    for (int i = 0; i < SCAN_BLOCK; i += 8) {
        uint64_t word = scan_word(block + i);
        delimiters |= scan_bytes(word, delimiter) << i;
        masks.newlines |= scan_bytes(word, '\n') << i;
        masks.points |= scan_bytes(word, '.') << i;
        masks.minuses |= scan_bytes(word, '-') << i;
        masks.digits |= scan_word_digits(word) << i;
    }
    masks.ends = delimiters | masks.newlines;
    return masks;
}

static inline struct loose_masks loose_masks_plain(const char *block)
{
    struct loose_masks masks = {0, 0, 0};
    SCAN_UNROLL
    for (int i = 0; i < SCAN_BLOCK; i += 8) {
        uint64_t word = scan_word(block + i);
        masks.quotes |= scan_bytes(word, '"') << i;
        masks.blanks |= scan_bytes(word, ' ') << i;
        masks.returns |= scan_bytes(word, '\r') << i;
    }
    return masks;
}

#ifdef SCAN_SSE2
#define PLAIN_BITS_SSE2(bytes) ((uint64_t)(unsigned)_mm_movemask_epi8(bytes) << i)
#define PLAIN_ARE_SSE2(c) PLAIN_BITS_SSE2(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)))

static inline struct number_masks number_masks_sse2(const char *block, char delimiter)
{
    struct number_masks masks = {0, 0, 0, 0, 0, 0};
    SCAN_UNROLL
    for (int i = 0; i < SCAN_BLOCK; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(block + i));
        __m128i digits = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
        masks.digits |=
            PLAIN_BITS_SSE2(_mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits));
        masks.ends |= PLAIN_ARE_SSE2(delimiter);
        masks.newlines |= PLAIN_ARE_SSE2('\n');
        masks.points |= PLAIN_ARE_SSE2('.');
        masks.minuses |= PLAIN_ARE_SSE2('-');
    }
    masks.ends |= masks.newlines;
    return masks;
}

static inline struct loose_masks loose_masks_sse2(const char *block)
{
    struct loose_masks masks = {0, 0, 0};
    SCAN_UNROLL
    for (int i = 0; i < SCAN_BLOCK; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(block + i));
        masks.quotes |= PLAIN_ARE_SSE2('"');
        masks.blanks |= PLAIN_ARE_SSE2(' ');
        masks.returns |= PLAIN_ARE_SSE2('\r');
    }
    return masks;
}

#define PLAIN_BITS_AVX2(bytes) ((uint64_t)(unsigned)_mm256_movemask_epi8(bytes) << i)
#define PLAIN_ARE_AVX2(c) PLAIN_BITS_AVX2(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(c)))

SCAN_AVX2 static inline struct number_masks number_masks_avx2(const char *block, char delimiter)
{
    struct number_masks masks = {0, 0, 0, 0, 0, 0};
    SCAN_UNROLL
    for (int i = 0; i < SCAN_BLOCK; i += 32) {
        __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(block + i));
        __m256i digits = _mm256_sub_epi8(bytes, _mm256_set1_epi8('0'));
        masks.digits |= PLAIN_BITS_AVX2(
            _mm256_cmpeq_epi8(_mm256_min_epu8(digits, _mm256_set1_epi8(9)), digits));
        masks.ends |= PLAIN_ARE_AVX2(delimiter);
        masks.newlines |= PLAIN_ARE_AVX2('\n');
        masks.points |= PLAIN_ARE_AVX2('.');
        masks.minuses |= PLAIN_ARE_AVX2('-');
    }
    masks.ends |= masks.newlines;
    return masks;
}

SCAN_AVX2 static inline struct loose_masks loose_masks_avx2(const char *block)
{
    struct loose_masks masks = {0, 0, 0};
    SCAN_UNROLL
    for (int i = 0; i < SCAN_BLOCK; i += 32) {
        __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(block + i));
        masks.quotes |= PLAIN_ARE_AVX2('"');
        masks.blanks |= PLAIN_ARE_AVX2(' ');
        masks.returns |= PLAIN_ARE_AVX2('\r');
    }
    return masks;
}

SCAN_AVX512 static inline struct number_masks number_masks_avx512(const char *block, char delimiter)
{
    __m512i bytes = _mm512_loadu_si512(block);
    __m512i digits = _mm512_sub_epi8(bytes, _mm512_set1_epi8('0'));
    uint64_t newlines = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\n'));
    return (struct number_masks){newlines |
                                     _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(delimiter)),
                                 newlines,
                                 _mm512_cmple_epu8_mask(digits, _mm512_set1_epi8(9)),
                                 _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('.')),
                                 _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('-')),
                                 0};
}

SCAN_AVX512 static inline struct loose_masks loose_masks_avx512(const char *block)
{
    __m512i bytes = _mm512_loadu_si512(block);
    return (struct loose_masks){_mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('"')),
                                _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(' ')),
                                _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\r'))};
}
#endif

#endif
