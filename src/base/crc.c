// CRC-32, eight bytes per step (Kounavis and Berry 2005, "slicing by 8").
//
// The checksum is the remainder of a division of polynomials over the two-element field, so that of
// a byte is the exclusive or of those of its bits. That leaves 64 numbers to write down: the
// remainders of the powers x^32 to x^95, one for each bit of eight bytes. The compiler builds the
// tables from them.
#include "base/crc.h"

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

uint32_t crc32_add(uint32_t crc, const void *bytes, size_t size)
{
    const unsigned char *b = bytes;
    crc = ~crc;
    for (; size >= 8; size -= 8, b += 8)
        crc = remainders[7][(crc ^ b[0]) & 255] ^ remainders[6][(crc >> 8 ^ b[1]) & 255] ^
              remainders[5][(crc >> 16 ^ b[2]) & 255] ^ remainders[4][(crc >> 24 ^ b[3]) & 255] ^
              remainders[3][b[4]] ^ remainders[2][b[5]] ^ remainders[1][b[6]] ^ remainders[0][b[7]];
    for (; size > 0; size--, b++)
        crc = crc >> 8 ^ remainders[0][(crc ^ *b) & 255];
    return ~crc;
}
