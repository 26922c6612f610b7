// What texts of up to 32 bytes came to in this chunk, so that most categories and labels are looked
// up without their names being put together. A text has two places, and the later of three that
// want them gets the second.
#ifndef TLU_INPUT_CSV_RECENT_H
#define TLU_INPUT_CSV_RECENT_H

#include "input/csv/scan.h"

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
    if (!first)
        recents->chunk += (uint64_t)1 << 40;
    if (first || recents->chunk == 0) {
        memset(recents, 0, sizeof *recents);
        recents->chunk = (uint64_t)1 << 40;
    }
}

// A text that is looked for.
struct recent_key {
#ifdef SCAN_SSE2
    __m128i text[2];
#else
    uint64_t text[4];
#endif
    uint64_t tag, hash;
};

static inline uint64_t recent_hash(uint64_t first, uint64_t second, uint64_t tag)
{
    return (first + tag) * 0x9E3779B97F4A7C15u ^ second * 0xC4CEB9FE1A85EC53u;
}

// The key of a text with RECENT_LONGEST bytes from its start on.
static inline struct recent_key recent_key(const struct recents *recents, size_t column,
                                           const char *text, size_t length)
{
    struct recent_key key;
    key.tag = recents->chunk + ((uint64_t)column << 8) + length;
#ifdef SCAN_SSE2
    enum { M = 0xFF };
    static const uint8_t kept[64] = {M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
                                     M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M};
    const uint8_t *masks = kept + 32 - length;
    for (size_t i = 0; i < 2; i++)
        key.text[i] =
            _mm_and_si128(_mm_loadu_si128((const __m128i *)(const void *)(text + 16 * i)),
                          _mm_loadu_si128((const __m128i *)(const void *)(masks + 16 * i)));
    __m128i both = _mm_xor_si128(key.text[0], _mm_slli_epi64(key.text[1], 1));
    key.hash = recent_hash((uint64_t)_mm_cvtsi128_si64(both),
                           (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(both, both)), key.tag);
#else
    for (size_t i = 0; i < 4; i++) {
        size_t left = length > 8 * i ? length - 8 * i : 0;
        uint64_t mask = left >= 8 ? UINT64_MAX : ((uint64_t)1 << 8 * left) - 1;
        key.text[i] = scan_word(text + 8 * i) & mask;
    }
    key.hash = recent_hash(key.text[0] ^ key.text[2] << 1, key.text[1] ^ key.text[3] << 1, key.tag);
#endif
    return key;
}

static inline bool recent_is(const struct recent *place, const struct recent_key *key)
{
#ifdef SCAN_SSE2
    const __m128i *text = (const __m128i *)(const void *)place->text;
    __m128i same = _mm_and_si128(_mm_cmpeq_epi8(_mm_loadu_si128(text), key->text[0]),
                                 _mm_cmpeq_epi8(_mm_loadu_si128(text + 1), key->text[1]));
    return place->tag == key->tag && _mm_movemask_epi8(same) == 0xFFFF;
#else
    return ((place->tag ^ key->tag) | (place->text[0] ^ key->text[0]) |
            (place->text[1] ^ key->text[1]) | (place->text[2] ^ key->text[2]) |
            (place->text[3] ^ key->text[3])) == 0;
#endif
}

static inline size_t recent_place(const struct recent_key *key)
{
    return key->hash >> 40 & (RECENT_COUNT - 2);
}

// NULL: it is not among the recent ones.
static inline const struct recent *recent_find(const struct recents *recents,
                                               const struct recent_key *key)
{
    const struct recent *place = &recents->places[recent_place(key)];
    return recent_is(place, key) ? place : recent_is(place + 1, key) ? place + 1 : NULL;
}

static inline void recent_add(struct recents *recents, const struct recent_key *key,
                              uint32_t result)
{
    struct recent *place = &recents->places[recent_place(key)];
    place += place->tag >= recents->chunk; // else it is free, or of an earlier chunk
    memcpy(place->text, key->text, sizeof place->text);
    place->tag = key->tag;
    place->result = result;
}

#endif
