// Where the fields of CSV end, found 64 bytes at a time: vector instructions make bit masks of the
// delimiters, newlines and quotes, and the bits that are outside quotes become a list of places.
//
// The list is a guess that is right if quotes are as they should be. Code that uses it looks at
// the fields themselves and leaves a row that is unusual in any way to the strict code in csv.c,
// the one place of rules and messages. Nothing here reads outside the chunk.
#ifndef TLU_FORMAT_CSV_SCAN_H
#define TLU_FORMAT_CSV_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__SSE2__) && !defined(TLU_PORTABLE)
#define SCAN_SSE2
#include <immintrin.h>
// Functions for CPUs that have more, chosen when the program runs.
#define SCAN_AVX2 __attribute__((target("avx2,bmi,popcnt")))
#define SCAN_AVX512 __attribute__((target("avx2,bmi,popcnt,avx512f,avx512bw,avx512vl,avx512vbmi2")))
#endif

#define SCAN_BLOCK 64
#define SCAN_WINDOW 4096 // bytes scanned at a time: the places stay in the first-level cache
#define SCAN_FIRST 256   // the first window is small, as its first row may be one for the rules

// How to go about it. All ways give the same; tests try each of them.
enum csv_way {
    CSV_BEST,   // of those that the CPU has
    CSV_STRICT, // without a list: the rules alone
    CSV_PLAIN,
    CSV_SSE2,
    CSV_AVX2,
    CSV_AVX512,
    CSV_WAYS
};

// The bytes of a block that are of a kind, the first in the lowest bit.
struct block_masks {
    uint64_t ends; // delimiters and newlines
    uint64_t newlines, quotes;
};

struct csv_scan;
typedef void scan_function(struct csv_scan *scan);
typedef struct block_masks masks_function(const char *block, char delimiter);

struct csv_scan {
    const char *at, *limit; // what is not yet scanned
    const char *base;       // the places count from here
    scan_function *window;  // scans the next window
    size_t width;           // of it
    char delimiter;
    bool quotes;     // there was one since the start
    bool lines;      // and a newline inside a pair of them
    uint64_t inside; // all ones if `at` is inside quotes
    size_t next, count;
    uint16_t ends[SCAN_WINDOW + SCAN_BLOCK]; // [count]
};

// The next window starts at `at`, which is outside quotes.
void csv_scan_start(struct csv_scan *scan, const char *at, const char *limit, char delimiter,
                    enum csv_way way);
// The same scan from another place on.
void csv_scan_from(struct csv_scan *scan, const char *at);
// Replaces the list, which has been used up, by that of the next window with places in it; false
// at the end of the chunk.
bool csv_scan_more(struct csv_scan *scan);
// Goes on after a row's end at `at`: in the list if it has that place, else by scanning again.
void csv_scan_after(struct csv_scan *scan, const char *at);

masks_function *csv_masks(enum csv_way way);
// Whether this CPU can do it.
bool csv_way_there(enum csv_way way);
// The way that is meant: the best, or the nearest to one that is not there.
enum csv_way csv_best_way(enum csv_way way);

// ---- eight bytes as a word, the first in its lowest byte ----

#define SCAN_HIGHS 0x8080808080808080u

static inline uint64_t scan_word(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

// The highest bits of the bytes, side by side.
static inline uint64_t scan_gather(uint64_t highs)
{
    return (highs >> 7) * 0x0102040810204080u >> 56;
}

// The bytes that are c.
static inline uint64_t scan_bytes(uint64_t word, char c)
{
    uint64_t other = word ^ (uint64_t)(unsigned char)c * 0x0101010101010101u;
    return scan_gather(~(((other & ~SCAN_HIGHS) + ~SCAN_HIGHS) | other) & SCAN_HIGHS);
}

static inline uint64_t scan_word_digits(uint64_t word)
{
    uint64_t value = word ^ 0x3030303030303030u;
    return scan_gather(~(((value & ~SCAN_HIGHS) + 0x7676767676767676u) | value) & SCAN_HIGHS);
}

// ---- quotes ----

// Bits that are inside quotes, the opening one included; *inside is carried from block to block.
static inline uint64_t scan_inside(uint64_t quotes, uint64_t *inside)
{
    uint64_t bits = quotes;
    for (int shift = 1; shift < 64; shift *= 2)
        bits ^= bits << shift;
    bits ^= *inside;
    *inside = (uint64_t)((int64_t)bits >> 63);
    return bits;
}

// What is known of a field whose ends the scan has found.
enum scan_field {
    SCAN_PLAIN,  // it is the text from *text to *stop, without blanks around it
    SCAN_QUOTED, // the same, with a quote before and after it
    SCAN_STRICT, // quoted, and one for the rules
    SCAN_ODD     // its row is one for the rules
};

// quotes, lines: as in struct csv_scan.
static inline enum scan_field scan_field(bool quotes, bool lines, const char **text,
                                         const char **stop)
{
    const char *start = *text, *end = *stop;
    while (start < end && *start == ' ')
        start++;
    if (end > start && *end == '\n' && end[-1] == '\r')
        end--;
    while (end > start && end[-1] == ' ')
        end--;
    *text = start;
    *stop = end;
    if (!quotes || start == end)
        return SCAN_PLAIN;
    const char *quote = memchr(start + 1, '"', (size_t)(end - start) - 1);
    if (*start != '"')
        return quote ? SCAN_ODD : SCAN_PLAIN;
    if (quote != end - 1 || lines)
        return SCAN_STRICT;
    ++*text;
    --*stop;
    return SCAN_QUOTED;
}

// ---- numbers with known ends ----

#define SCAN_NUMBER 16 // bytes that are looked at, all before the end

#ifdef SCAN_SSE2
// The bits of `length` bytes at the end of 16.
static inline unsigned scan_tail(size_t length)
{
    return 0xFFFFu & (0xFFFFu << (SCAN_NUMBER - length));
}

// Which of the bytes of a text of 1 to 16 bytes are not digits; *digits gets the values of them
// all, those before the text included.
static inline unsigned scan_digits(const char *end, size_t length, __m128i *bytes, __m128i *digits)
{
    *bytes = _mm_loadu_si128((const __m128i *)(const void *)(end - SCAN_NUMBER));
    *digits = _mm_sub_epi8(*bytes, _mm_set1_epi8('0'));
    __m128i small = _mm_cmpeq_epi8(_mm_min_epu8(*digits, _mm_set1_epi8(9)), *digits);
    return ~(unsigned)_mm_movemask_epi8(small) & scan_tail(length);
}

// Whether the bytes that are not digits are at most one point, with a digit beside it.
static inline bool scan_is_point(__m128i bytes, unsigned others, size_t length)
{
    unsigned points = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('.')));
    return ((others & ~points) | (others & (others - 1))) == 0 && length > (others != 0);
}

// 16 digits, the first in the lowest byte.
static inline uint64_t scan_join(__m128i digits)
{
    __m128i low = _mm_and_si128(digits, _mm_set1_epi16(0xFF));
    __m128i pairs =
        _mm_add_epi16(_mm_mullo_epi16(low, _mm_set1_epi16(10)), _mm_srli_epi16(digits, 8));
    __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(1 << 16 | 100));
    __m128i eights = _mm_madd_epi16(_mm_packs_epi32(fours, fours), _mm_set1_epi32(1 << 16 | 10000));
    uint64_t both;
    _mm_storel_epi64((__m128i *)(void *)&both, eights);
    return (both & 0xFFFFFFFF) * 100000000 + (both >> 32);
}
#endif

#ifdef SCAN_SSE2
// What the digits are to be divided by, by how many places before the end the point is.
static const double scan_scales[17] = {1e0, 1e0, 1e1,  1e2,  1e3,  1e4,  1e5,  1e6, 1e7,
                                       1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

// The digits of a text of `length` bytes, 0 before them; those before the point (16: there is
// none) move into its place.
static inline __m128i scan_without_point(__m128i digits, size_t length, size_t point)
{
    enum { M = 0xFF };
    static const uint8_t kept[32] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                     M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M};
    static const uint8_t moved[48] = {M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M};
    const uint8_t *move = moved + 15 - point + 32 * (point == SCAN_NUMBER);
    __m128i keep = _mm_loadu_si128((const __m128i *)(const void *)(kept + length));
    __m128i mask = _mm_loadu_si128((const __m128i *)(const void *)move);
    digits = _mm_and_si128(digits, keep);
    return _mm_or_si128(_mm_and_si128(mask, _mm_slli_si128(digits, 1)),
                        _mm_andnot_si128(mask, digits));
}
#endif

// The usual number: [-] digits [. digits] in at most 16 bytes after the sign, rounded as
// number_parse rounds it. False if it is anything else. Nothing before `floor` is read; *start
// and *end are there, even if the text is empty.
static inline bool scan_number(const char *start, const char *end, const char *floor, double *value)
{
#ifdef SCAN_SSE2
    bool negative = *start == '-';
    size_t length = (size_t)(end - start) - negative;
    if (length - 1 >= SCAN_NUMBER || end - floor < SCAN_NUMBER)
        return false;
    __m128i bytes, digits;
    unsigned others = scan_digits(end, length, &bytes, &digits);
    if (!scan_is_point(bytes, others, length))
        return false;
    size_t point = (size_t)__builtin_ctz(others | 1u << SCAN_NUMBER);
    digits = scan_without_point(digits, length, point);
    uint64_t mantissa = scan_join(digits);
    // Up to 15 digits are exact, and so is the power of ten: the quotient is the right one (Clinger
    // 1990). 16 have no point, so that they are rounded once, and divided by 1.
    double magnitude = (double)(int64_t)mantissa / scan_scales[SCAN_NUMBER - point];
    uint64_t bits;
    memcpy(&bits, &magnitude, sizeof bits);
    bits |= (uint64_t)negative << 63;
    memcpy(value, &bits, sizeof bits);
    return true;
#else
    (void)start, (void)end, (void)floor, (void)value;
    return false;
#endif
}

#ifdef SCAN_SSE2
// The bytes of a text of 17 to 32 bytes that are not digits: of the last 16 in the higher half, of
// those before them in the lower.
struct scan_halves {
    __m128i head, tail; // the values of digits
    unsigned others;
};

// False if the text is not digits with at most one point.
static inline bool scan_halves(struct scan_halves *halves, const char *end, size_t length)
{
    __m128i head, tail;
    __m128i point = _mm_set1_epi8('.');
    unsigned others = scan_digits(end - SCAN_NUMBER, length - SCAN_NUMBER, &head, &halves->head) |
                      scan_digits(end, SCAN_NUMBER, &tail, &halves->tail) << SCAN_NUMBER;
    unsigned points = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(head, point)) |
                      (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(tail, point)) << SCAN_NUMBER;
    halves->others = others;
    return ((others & ~points) | (others & (others - 1))) == 0;
}
#endif

// A number of more digits, up to 32 bytes, as a float. It is computed with an error far below what
// a float can show, so two bounds around it are nearly always the same float; if they are, that
// is what the correctly rounded double becomes, which lies between them. False else.
static inline bool scan_long_number(const char *start, const char *end, const char *floor,
                                    float *value)
{
#ifdef SCAN_SSE2
    static const double powers[32] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23,
                                      1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31};
    const double error = 0x1p-49; // seven roundings of 2^-53 are less
    bool negative = *start == '-';
    size_t length = (size_t)(end - start) - negative;
    struct scan_halves halves;
    if (length - SCAN_NUMBER - 1 >= SCAN_NUMBER || end - floor < 2 * SCAN_NUMBER ||
        !scan_halves(&halves, end, length))
        return false;
    unsigned head = halves.others & 0xFFFF, tail = halves.others >> SCAN_NUMBER;
    size_t head_point = (size_t)__builtin_ctz(head | 1u << SCAN_NUMBER);
    size_t tail_point = (size_t)__builtin_ctz(tail | 1u << SCAN_NUMBER);
    uint64_t first = scan_join(scan_without_point(halves.head, length - SCAN_NUMBER, head_point));
    uint64_t last = scan_join(scan_without_point(halves.tail, SCAN_NUMBER, tail_point));
    double digits = (double)(int64_t)first * (tail ? 1e15 : 1e16) + (double)(int64_t)last;
    double number = digits / powers[tail ? 15 - tail_point : head ? 31 - head_point : 0];
    float low = (float)(number * (1 - error)), high = (float)(number * (1 + error));
    *value = negative ? -low : low;
    return low == high;
#else
    (void)start, (void)end, (void)floor, (void)value;
    return false;
#endif
}

// Whether it is digits with at most one point, as most numbers are; false if that is not seen.
static inline bool scan_is_number(const char *start, const char *end, const char *floor)
{
#ifdef SCAN_SSE2
    size_t length = (size_t)(end - start) - (*start == '-');
    __m128i bytes, digits;
    struct scan_halves halves;
    if (length - 1 < SCAN_NUMBER && end - floor >= SCAN_NUMBER) {
        unsigned others = scan_digits(end, length, &bytes, &digits);
        return scan_is_point(bytes, others, length);
    }
    return length - SCAN_NUMBER - 1 < SCAN_NUMBER && end - floor >= 2 * SCAN_NUMBER &&
           scan_halves(&halves, end, length);
#else
    (void)start, (void)end, (void)floor;
    return false;
#endif
}

#endif
