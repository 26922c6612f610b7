// Entries "index:value" one after the other, without a branch. See quick_rows.h.
#include "format/libsvm/tokens.h"

#define ENTRIES_AT_ONCE 8

static inline bool convert_index(const char *colon, int32_t *index)
{
    uint64_t word, strange = 0;
    memcpy(&word, colon - 8, 8);
    word ^= 0x3030303030303030u;
    uint64_t others =
        (((word & 0x7F7F7F7F7F7F7F7Fu) + 0x7676767676767676u) | word) & 0x8080808080808080u;
    size_t digits = _lzcnt_u64(others) / 8;
    *index = (int32_t)token_index(colon, digits, &strange);
    return !strange & (digits < 8) & (colon[-1 - (ptrdiff_t)digits] == ' ');
}

// The digits before eight colons, with a blank before them. Returns which do not look so.
static inline uint32_t convert_indices(const char *text, const uint32_t *colons, int32_t *indices)
{
    uint32_t strange = 0;
    for (uint32_t i = 0; i < ENTRIES_AT_ONCE; i++)
        strange |= (uint32_t)!convert_index(text + colons[i], indices + i) << i;
    return strange;
}

// The numbers between eight colons and the stops after them. Returns where token_number() does not
// know better.
static inline uint32_t convert_values(const char *text, const uint32_t *colons,
                                      const uint32_t *stops, float *values)
{
    uint32_t strange = 0;
    for (uint32_t i = 0; i < ENTRIES_AT_ONCE; i++) {
        double number;
        size_t length = (size_t)stops[i] - colons[i] - 1;
        strange |= (uint32_t)!token_number(text + stops[i], length, &number) << i;
        values[i] = (float)number;
    }
    return strange;
}
