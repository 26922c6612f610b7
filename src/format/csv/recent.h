// What texts of up to 32 bytes came to in this chunk, so that most categories and labels are looked
// up without their names being put together. A text has two places, and the later of three that
// want them gets the second.
#ifndef TLU_FORMAT_CSV_RECENT_H
#define TLU_FORMAT_CSV_RECENT_H

#include "format/csv/scan.h"

#define RECENT_COUNT 1024 // a power of two
#define RECENT_LONGEST 32 // bytes from its start on are looked at, whatever its length

// What a text came to, if not to a feature or class.
#define RECENT_UNKNOWN UINT32_MAX       // the schema does not know it
#define RECENT_NOTHING (UINT32_MAX - 1) // no entry

struct recent {
    uint64_t text[4]; // with zeros after it
    uint64_t tag;     // of the chunk, the column and the text's length
    uint32_t result;  // a feature, a class or RECENT_...
    uint32_t unused[5];
};

struct recents {
    uint64_t chunk; // the tag's part
    struct recent places[RECENT_COUNT];
};

// Forgets all. Free places have the tag 0. The memory is not set before the first time.
static inline void recents_start(struct recents *recents, bool first)
{
    recents->chunk += (uint64_t)1 << 40;
    if (first || recents->chunk >> 40 == 0) {
        memset(recents, 0, sizeof *recents);
        recents->chunk = (uint64_t)1 << 40;
    }
}

static inline void recent_load(uint64_t words[4], const char *text, size_t length)
{
#ifdef SCAN_SSE2
    enum { M = 0xFF };
    static const uint8_t kept[64] = {M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
                                     M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M};
    for (size_t i = 0; i < 2; i++) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(text + 16 * i));
        __m128i mask =
            _mm_loadu_si128((const __m128i *)(const void *)(kept + 32 + 16 * i - length));
        _mm_storeu_si128((__m128i *)(void *)(words + 2 * i), _mm_and_si128(bytes, mask));
    }
#else
    for (size_t i = 0; i < 4; i++) {
        size_t left = length > 8 * i ? length - 8 * i : 0;
        uint64_t mask = left >= 8 ? UINT64_MAX : ((uint64_t)1 << 8 * left) - 1;
        words[i] = scan_word(text + 8 * i) & mask;
    }
#endif
}

// The first of the two places of a text, which has RECENT_LONGEST bytes from its start on.
static inline struct recent *recent_places(struct recents *recents, struct recent *wanted,
                                           size_t column, const char *text, size_t length)
{
    recent_load(wanted->text, text, length);
    wanted->tag = recents->chunk | (uint64_t)column << 8 | length;
    uint64_t hash = wanted->text[0] * 0x9E3779B97F4A7C15u ^ wanted->text[1] * 0xC4CEB9FE1A85EC53u ^
                    (wanted->text[2] ^ wanted->text[3] << 1) * 0xFF51AFD7ED558CCDu ^
                    wanted->tag * 0xD6E8FEB86659FD93u;
    return &recents->places[hash >> 40 & (RECENT_COUNT - 2)];
}

static inline bool is_recent(const struct recent *place, const struct recent *wanted)
{
    return ((place->tag ^ wanted->tag) | (place->text[0] ^ wanted->text[0]) |
            (place->text[1] ^ wanted->text[1]) | (place->text[2] ^ wanted->text[2]) |
            (place->text[3] ^ wanted->text[3])) == 0;
}

#endif
