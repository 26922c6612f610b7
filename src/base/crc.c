// CRC-32, eight bytes per step (Kounavis and Berry 2005, "slicing by 8").
//
// The checksum is the remainder of a division of polynomials over the two-element field, so that of
// a byte is the exclusive or of those of its bits. That leaves 64 numbers to write down: the
// remainders of the powers x^32 to x^95, one for each bit of eight bytes. The compiler builds the
// tables from them.
#include "base/crc.h"

#include <stdbool.h>

// One table entry: the remainder of byte i, where a to h are those of its bits 7 to 0.
#define BIT(i, n, remainder) ((i) >> (n)&1 ? (remainder) : 0u)
#define ENTRY(i, a, b, c, d, e, f, g, h)                                                           \
    (BIT(i, 7, a) ^ BIT(i, 6, b) ^ BIT(i, 5, c) ^ BIT(i, 4, d) ^ BIT(i, 3, e) ^ BIT(i, 2, f) ^     \
     BIT(i, 1, g) ^ BIT(i, 0, h))
#define FOUR(i, ...)                                                                               \
    ENTRY(i, __VA_ARGS__), ENTRY((i) + 1, __VA_ARGS__), ENTRY((i) + 2, __VA_ARGS__),               \
        ENTRY((i) + 3, __VA_ARGS__)
#define SIXTEEN(i, ...)                                                                            \
    FOUR(i, __VA_ARGS__), FOUR((i) + 4, __VA_ARGS__), FOUR((i) + 8, __VA_ARGS__),                  \
        FOUR((i) + 12, __VA_ARGS__)
#define SIXTY_FOUR(i, ...)                                                                         \
    SIXTEEN(i, __VA_ARGS__), SIXTEEN((i) + 16, __VA_ARGS__), SIXTEEN((i) + 32, __VA_ARGS__),       \
        SIXTEEN((i) + 48, __VA_ARGS__)
#define TABLE(...)                                                                                 \
    {                                                                                              \
        SIXTY_FOUR(0, __VA_ARGS__), SIXTY_FOUR(64, __VA_ARGS__), SIXTY_FOUR(128, __VA_ARGS__),     \
            SIXTY_FOUR(192, __VA_ARGS__)                                                           \
    }

// remainders[k][i]: of byte i followed by k zero bytes.
static const uint32_t remainders[8][256] = {
    TABLE(0xEDB88320u, 0x76DC4190u, 0x3B6E20C8u, 0x1DB71064u, 0x0EDB8832u, 0x076DC419u, 0xEE0E612Cu,
          0x77073096u),
    TABLE(0x3B83984Bu, 0xF0794F05u, 0x958424A2u, 0x4AC21251u, 0xC8D98A08u, 0x646CC504u, 0x32366282u,
          0x191B3141u),
    TABLE(0xE1351B80u, 0x709A8DC0u, 0x384D46E0u, 0x1C26A370u, 0x0E1351B8u, 0x0709A8DCu, 0x0384D46Eu,
          0x01C26A37u),
    TABLE(0xED59B63Bu, 0x9B14583Du, 0xA032AF3Eu, 0x5019579Fu, 0xC5B428EFu, 0x8F629757u, 0xAA09C88Bu,
          0xB8BC6765u),
    TABLE(0xB1E6B092u, 0x58F35849u, 0xC1C12F04u, 0x60E09782u, 0x30704BC1u, 0xF580A6C0u, 0x7AC05360u,
          0x3D6029B0u),
    TABLE(0x1EB014D8u, 0x0F580A6Cu, 0x07AC0536u, 0x03D6029Bu, 0xEC53826Du, 0x9B914216u, 0x4DC8A10Bu,
          0xCB5CD3A5u),
    TABLE(0x8816EAF2u, 0x440B7579u, 0xCFBD399Cu, 0x67DE9CCEu, 0x33EF4E67u, 0xF44F2413u, 0x979F1129u,
          0xA6770BB4u),
    TABLE(0x533B85DAu, 0x299DC2EDu, 0xF9766256u, 0x7CBB312Bu, 0xD3E51BB5u, 0x844A0EFAu, 0x4225077Du,
          0xCCAA009Eu),
};

// Continues the remainder `crc` with these bytes, 8 at a time.
static uint32_t divide(uint32_t crc, const unsigned char *b, size_t size)
{
    for (; size >= 8; size -= 8, b += 8)
        crc = remainders[7][(crc ^ b[0]) & 255] ^ remainders[6][(crc >> 8 ^ b[1]) & 255] ^
              remainders[5][(crc >> 16 ^ b[2]) & 255] ^ remainders[4][(crc >> 24 ^ b[3]) & 255] ^
              remainders[3][b[4]] ^ remainders[2][b[5]] ^ remainders[1][b[6]] ^ remainders[0][b[7]];
    for (; size > 0; size--, b++)
        crc = crc >> 8 ^ remainders[0][(crc ^ *b) & 255];
    return crc;
}

#if defined(__x86_64__)
#include <immintrin.h>

#define FOLD_MIN 64 // bytes
#define FOLDS __attribute__((target("pclmul")))

// Moves a block n bits further by multiplying it by x^n mod P: `by` has the factors for the two
// halves of the block.
FOLDS static inline __m128i fold(__m128i block, __m128i by, __m128i next)
{
    __m128i low = _mm_clmulepi64_si128(block, by, 0x00);
    __m128i high = _mm_clmulepi64_si128(block, by, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

static inline __m128i block_at(const unsigned char *bytes, size_t i)
{
    return _mm_loadu_si128((const __m128i *)bytes + i);
}

// The same for four or more whole blocks of 16 bytes, by carry-less multiplication (Gopal et al.,
// Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction, Intel 2009): each block
// is folded into the next ones, and the last one is divided.
FOLDS static uint32_t fold_all(uint32_t crc, const unsigned char *b, size_t size)
{
    const __m128i by_four = _mm_set_epi64x(0x1C6E41596, 0x154442BD4);
    const __m128i by_one = _mm_set_epi64x(0x0CCAA009E, 0x1751997D0);
    unsigned char rest[16];
    __m128i x[4];
    for (size_t i = 0; i < 4; i++)
        x[i] = block_at(b, i);
    x[0] = _mm_xor_si128(x[0], _mm_cvtsi32_si128((int)crc));
    for (b += 64, size -= 64; size >= 64; b += 64, size -= 64)
        for (size_t i = 0; i < 4; i++)
            x[i] = fold(x[i], by_four, block_at(b, i));
    for (size_t i = 1; i < 4; i++)
        x[0] = fold(x[0], by_one, x[i]);
    for (; size >= 16; b += 16, size -= 16)
        x[0] = fold(x[0], by_one, block_at(b, 0));
    _mm_storeu_si128((__m128i *)rest, x[0]);
    return divide(0, rest, sizeof rest);
}

static bool folds(void)
{
    return __builtin_cpu_supports("pclmul");
}
#else
#define FOLD_MIN SIZE_MAX

static uint32_t fold_all(uint32_t crc, const unsigned char *b, size_t size)
{
    return divide(crc, b, size);
}

static bool folds(void)
{
    return false;
}
#endif

uint32_t crc32_add(uint32_t crc, const void *bytes, size_t size)
{
    const unsigned char *b = bytes;
    size_t blocks = size / 16 * 16;
    crc = ~crc;
    if (size >= FOLD_MIN && folds()) {
        crc = fold_all(crc, b, blocks);
        b += blocks;
        size -= blocks;
    }
    return ~divide(crc, b, size);
}
