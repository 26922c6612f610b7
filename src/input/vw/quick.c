// Features as they usually are: names, and names with numbers. Blocks of 64 bytes that start with a
// feature are searched at once for what ends names and values; a feature that does not end in its
// block is the first of the next.
#include "input/vw/quick.h"

#include "input/joint.h"
#include "input/numbers.h"
#include "numeric/number.h"

#include <math.h>

#define INLINE static inline __attribute__((always_inline))
#define REACH (2 * BLOCK_BYTES) // bytes from the start of a block on that may be looked at

// The bytes of a block that end names and values, as bits, the first byte in the lowest.
struct marks {
    uint64_t stops; // blanks, the first bar and the end of the line: features end there
    uint64_t colons;
};

// Those of a block with `left` bytes before the end of the line.
INLINE struct marks marks_of(const char *block, size_t left, either_function *either)
{
    uint64_t stops = either(block, ' ', '\t'), colons = either(block, ':', ':');
    uint64_t bars = either(block, '|', '|');
    if (left < BLOCK_BYTES) {
        uint64_t end = (uint64_t)1 << left;
        stops = (stops & (end - 1)) | end;
        colons &= end - 1;
        bars &= end - 1;
    }
    if (bars)
        stops = (stops | bars) & (bars ^ (bars - 1));
    return (struct marks){stops, colons};
}

// ---- values ----

struct value {
    float value;
    bool fine; // else the rules have to look at the feature
};

// A number with an exponent, with many digits, or near the ends of the lines.
static __attribute__((noinline)) struct value long_value(const char *text, const char *end,
                                                         bool reach)
{
    float value;
    double number = 0;
    const char *stop;
    if (reach && exponent_number(text, end, &value))
        return (struct value){value, true};
    if (reach && quick_float(text, &value, &stop) && stop == end)
        return (struct value){value, true};
    bool fine = number_parse(text, end, &number, &stop) == NUMBER_OK && stop == end;
    return (struct value){(float)number, fine};
}

// The number from `text` to `end` times the weight. `reach`: 32 bytes before the end and 64 after
// the start may be read.
INLINE struct value read_value(const char *text, const char *end, bool reach, float weight)
{
    struct value read;
    bool there;
    read.fine = reach && end[-4] != 'e' && plain_number(text, end, &read.value, &there);
    if (!read.fine)
        read = long_value(text, end, reach);
    read.value *= weight;
    read.fine &= fabsf(read.value) < 1e38f;
    return read;
}

// ---- names ----

INLINE void copy_piece(char *to, const char *from, size_t length, bool reach)
{
    if (length <= NAMED_SLACK / 2 && reach)
        memcpy(to, from, NAMED_SLACK / 2);
    else
        memcpy(to, from, length);
}

// Adds a feature whose name is too long to be put together in registers, or too near to the end of
// the lines. With a prefix its bytes are copied.
static __attribute__((noinline)) enum parse_result
add_long(struct named_row *row, size_t prefix, const char *name, size_t length, float value)
{
    struct named_waiting *waiting = &row->waiting;
    size_t whole = prefix + length;
    _Static_assert(NAMED_PATH_MAX + 1 + BLOCK_BYTES <= NAMED_COPIED, "every name fits");
    if (prefix == 0)
        return named_wait(row, table_key(row->table, name, length), value);
    if (whole > NAMED_COPIED - waiting->copied)
        TRY_PARSE(named_settle(row));
    char *text = waiting->texts + waiting->copied;
    copy_piece(text, row->batch->scratch.text, prefix, true);
    copy_piece(text + prefix, name, length, row->limit - name >= NAMED_SLACK);
    waiting->copied += whole > TABLE_INLINE ? (uint32_t)whole : 0;
    return named_wait(row, table_key(row->table, text, whole), value);
}

// As join_function, without a prefix.
INLINE struct table_key no_join(const struct joint *joint, const uint64_t hash_key[2],
                                const char *name, size_t length)
{
    (void)joint;
    return table_key_by(hash_key, name, length);
}

// ---- blocks ----

// A block, and what is added from it.
struct block {
    const char *start; // of a feature
    struct marks marks;
    bool padded; // REACH bytes may be read
};

INLINE struct named_hand take_hand(struct named_row *row, const struct block *block)
{
    return named_take(row, block->padded ? block->start : row->limit);
}

// Names without values, which are 1. row->cursor becomes the end of the last.
INLINE enum parse_result add_names(struct named_row *row, const struct block *block,
                                   const struct joint *joint, join_function *join)
{
    struct named_hand hand = take_hand(row, block);
    const size_t prefix = joint->length, most = hand.most > prefix ? hand.most - prefix : 0;
    const char *name = block->start, *end = name;
    for (uint64_t stops = block->marks.stops; stops; stops &= stops - 1, name = end + 1) {
        end = block->start + __builtin_ctzll(stops);
        size_t length = (size_t)(end - name);
        if (__builtin_expect(length - 1 < most, true)) {
            named_put_key(&hand, join(joint, hand.key, name, length));
        } else if (length > 0) {
            named_give(row, &hand);
            TRY_PARSE(add_long(row, prefix, name, length, 1));
            hand = take_hand(row, block);
        }
    }
    named_give(row, &hand);
    row->cursor = end;
    return PARSE_OK;
}

// Names with and without values, up to one that the rules have to look at, or to the end of the
// last, which row->cursor becomes.
INLINE enum parse_result add_values(struct named_row *row, const struct block *block,
                                    struct namespace *space, const struct joint *joint,
                                    join_function *join)
{
    struct named_hand hand = take_hand(row, block);
    const size_t prefix = joint->length, most = hand.most > prefix ? hand.most - prefix : 0;
    const bool reach = block->padded && block->start - row->first >= 32;
    const float weight = space->weight;
    const char *name = block->start, *end = name;
    uint64_t colons = block->marks.colons;
    for (uint64_t stops = block->marks.stops; stops; stops &= stops - 1, name = end + 1) {
        uint64_t inside = colons & (stops ^ (stops - 1)); // the colons of this feature
        const char *name_end = end = block->start + __builtin_ctzll(stops);
        struct value read = {weight, true};
        if (inside) {
            colons ^= inside;
            name_end = block->start + __builtin_ctzll(inside);
            if ((inside & (inside - 1)) || name == name_end ||
                !(read = read_value(name_end + 1, end, reach, weight)).fine) {
                named_give(row, &hand);
                row->cursor = name;
                return vw_feature(row, space);
            }
        }
        size_t length = (size_t)(name_end - name);
        if (length == 0 || read.value == 0)
            continue;
        if (__builtin_expect(length <= most, true)) {
            if (read.value != 1)
                named_put_value(row, &hand, read.value, end);
            named_put_key(&hand, join(joint, hand.key, name, length));
            continue;
        }
        named_give(row, &hand);
        row->cursor = end;
        TRY_PARSE(add_long(row, prefix, name, length, read.value));
        hand = take_hand(row, block);
    }
    named_give(row, &hand);
    row->cursor = end;
    return PARSE_OK;
}

// Adds the features that end in the block at row->cursor, or the first by the rules.
INLINE enum parse_result add_block(struct named_row *row, struct namespace *space,
                                   const struct joint *joint, either_function *either,
                                   join_function *join)
{
    const char *start = row->cursor;
    size_t left = (size_t)(row->end - start), readable = (size_t)(row->limit - start);
    struct block block = {.start = start, .padded = readable >= REACH};
    if (__builtin_expect(readable < BLOCK_BYTES, false)) {
        char copy[BLOCK_BYTES] = {0};
        block.marks = marks_of(memcpy(copy, start, readable), left, either);
    } else {
        block.marks = marks_of(start, left, either);
    }
    TRY_PARSE(named_reserve(row));
    if (__builtin_expect(!block.marks.stops, false))
        TRY_PARSE(vw_feature(row, space)); // it is longer than a block
    else if (block.marks.colons || space->weight != 1)
        TRY_PARSE(add_values(row, &block, space, joint, join));
    else if (joint->length)
        TRY_PARSE(add_names(row, &block, joint, join));
    else
        TRY_PARSE(add_names(row, &block, joint, no_join));
    if (row->cursor < row->end && *row->cursor != '|')
        row->cursor++; // a blank
    return PARSE_OK;
}

INLINE enum parse_result add_features(struct named_row *row, struct namespace *space,
                                      either_function *either, join_function *join)
{
    const struct joint joint = joint_of(row->batch->scratch.text, space->prefix);
    while (row->cursor < row->end && *row->cursor != '|')
        TRY_PARSE(add_block(row, space, &joint, either, join));
    return PARSE_OK;
}

enum parse_result vw_features_plain(struct named_row *row, struct namespace *space)
{
    return add_features(row, space, either_plain, join_plain);
}

#ifdef BYTES_X86
BYTES_AVX2 enum parse_result vw_features_avx2(struct named_row *row, struct namespace *space)
{
    return add_features(row, space, either_avx2, join_avx2);
}
#else
enum parse_result vw_features_avx2(struct named_row *row, struct namespace *space)
{
    return vw_features_plain(row, space);
}
#endif
