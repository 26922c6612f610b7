// Names that are a short prefix and a word: their keys are put together in registers. The prefix is
// a namespace of Vowpal Wabbit's format, or the column of a text.
#ifndef TLU_INPUT_JOINT_H
#define TLU_INPUT_JOINT_H

#include "base/table.h"
#include "input/bytes.h"

#include <assert.h>

#define JOINT_INLINE static inline __attribute__((always_inline))

struct joint {
    uint64_t prefix[2]; // its bytes, with zeros after it
    size_t length;      // of it, may be 0; longer ones than TABLE_INLINE have no bytes here
};

static inline struct joint joint_of(const char *prefix, size_t length)
{
    struct joint joint = {{0, 0}, length};
    if (length <= TABLE_INLINE)
        memcpy(joint.prefix, prefix, length);
    return joint;
}

// The key of the prefix and a word, together up to TABLE_INLINE bytes; as many are readable from
// the start of the word on.
typedef struct table_key join_function(const struct joint *joint, const uint64_t hash_key[2],
                                       const char *word, size_t length);

static const unsigned char joint_kept[2 * TABLE_INLINE] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                           255, 255, 255, 255, 255, 255, 255, 255};

JOINT_INLINE struct table_key join_plain(const struct joint *joint, const uint64_t hash_key[2],
                                         const char *word, size_t length)
{
    const char *mask = (const char *)joint_kept + TABLE_INLINE - length;
    const char *prefix = (const char *)joint->prefix;
    uint64_t low = load_word(word) & load_word(mask), words[2];
    uint64_t high = load_word(word + 8) & load_word(mask + 8);
    unsigned shift = (unsigned)(joint->length * 8 & 63);
    assert(joint->length + length <= TABLE_INLINE);
    high = joint->length >= 8 ? low << shift : high << shift | low >> 1 >> (63 - shift);
    low = joint->length >= 8 ? 0 : low << shift;
    store_word((char *)&words[0], low | load_word(prefix));
    store_word((char *)&words[1], high | load_word(prefix + 8));
    return table_key_of_words(hash_key, words[0], words[1], joint->length + length);
}

#ifdef BYTES_X86
BYTES_AVX2 JOINT_INLINE struct table_key
join_avx2(const struct joint *joint, const uint64_t hash_key[2], const char *word, size_t length)
{
    // Byte i comes from byte i - length; those before the first are 0.
    static const signed char moved[2 * TABLE_INLINE] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                                        -1, -1, -1, -1, -1, 0,  1,  2,  3,  4,  5,
                                                        6,  7,  8,  9,  10, 11, 12, 13, 14, 15};
    __m128i text = _mm_loadu_si128((const __m128i *)(const void *)word);
    __m128i kept =
        _mm_loadu_si128((const __m128i *)(const void *)(joint_kept + TABLE_INLINE - length));
    __m128i places =
        _mm_loadu_si128((const __m128i *)(const void *)(moved + TABLE_INLINE - joint->length));
    __m128i prefix = _mm_loadu_si128((const __m128i *)(const void *)joint->prefix);
    text = _mm_or_si128(_mm_shuffle_epi8(_mm_and_si128(text, kept), places), prefix);
    return table_key_of_words(hash_key, (uint64_t)_mm_cvtsi128_si64(text),
                              (uint64_t)_mm_extract_epi64(text, 1), joint->length + length);
}
#endif

#endif
