// Rows of named features: what Vowpal Wabbit's format, fastText's, JSON lines and labelled text
// have in common. A row is a line. A feature that occurs twice in a row is one feature with the sum
// of the values.
#ifndef TLU_INPUT_NAMED_H
#define TLU_INPUT_NAMED_H

#include "input/parse.h"

// A namespace, or the path to a JSON value, is part of the name of each feature in it: a row of 1
// MB must not become names of a terabyte.
#define NAMED_PATH_MAX 1000

// Names that are to be looked up, in the order in which they came. Meanwhile the memory that tells
// their numbers is fetched.
#define NAMED_WAITING 192 // at most
#define NAMED_BLOCK 64    // for which there is room in a hand
#define NAMED_COPIED 2048 // bytes of names that are copied (named_add_copy)
struct named_waiting {
    uint32_t count, copied;
    struct waiting_name {
        struct table_key key;
        float value;      // 1 after the first `count`
        uint32_t feature; // when it was looked up; TABLE_NONE: the model does not know it
    } names[NAMED_WAITING];
    uint32_t columns[NAMED_WAITING]; // of names whose values are not 1, for messages
    bool ones;                       // all values are 1
    char texts[NAMED_COPIED];        // [copied]
};

struct named_row {
    const struct parser *parser;
    struct batch *batch;
    struct bad_row *bad;
    const char *line; // start of the line
    const char *cursor;
    const char *end;   // of the line, without its end
    const char *limit; // of all lines
    uint32_t start;    // entries in the batch before this row
    uint32_t count;    // and with those so far
    uint32_t room;     // for entries
    uint32_t mask;     // of the places in use (batch->scratch.places), a power of two minus 1
    bool lost;         // an entry was left out because the model does not know it
    bool zeroed;       // values added up to 0
    // Names are looked for here first: those that have their numbers, or the batch's own.
    const struct table *table;
    uint32_t table_count;     // names that it had at the start of the row: only these are known
    struct table_slots slots; // of the table
    struct named_waiting waiting;
};

// Parses a row from row->cursor on: the label by row_label, the weight by row_weight, the features.
typedef enum parse_result named_function(struct named_row *row);

// Lines to rows. Lines that are empty or blank are not rows.
enum parse_result named_parse(const struct parser *parser, const char *bytes, size_t size,
                              struct batch *batch, struct bad_row *bad, named_function *parse_row);

// Looks up the names that are waiting.
enum parse_result named_settle(struct named_row *row);

// named_add for what is not as usual.
enum parse_result named_add_slowly(struct named_row *row, const char *name, size_t length,
                                   float value);

// Room for `size` bytes in batch->scratch.text; false if out of memory.
bool named_scratch(struct named_row *row, size_t size);

static inline size_t named_column(const struct named_row *row, const char *where)
{
    return (size_t)(where - row->line) + 1;
}

static inline enum parse_result named_make_room(struct named_row *row)
{
    return row->waiting.count <= NAMED_WAITING - NAMED_BLOCK ? PARSE_OK : named_settle(row);
}

static inline enum parse_result named_wait(struct named_row *row, struct table_key key, float value)
{
    struct named_waiting *waiting = &row->waiting;
    if (value != 1) { // and 1 does not make a sum too large
        waiting->columns[waiting->count] = (uint32_t)named_column(row, row->cursor);
        waiting->names[waiting->count].value = value;
        waiting->ones = false;
    }
    table_prefetch(&row->slots, &key);
    waiting->names[waiting->count++].key = key;
    return waiting->count < NAMED_WAITING ? PARSE_OK : named_settle(row);
}

// Whether TABLE_INLINE bytes of a piece of the line or of the scratch may be read. After the
// scratch there are as many, after the lines there may be none.
static inline bool named_is_padded(const struct named_row *row, const char *piece)
{
    return (uintptr_t)row->limit - (uintptr_t)piece >= TABLE_INLINE;
}

// Adds value to the feature; 0 is as if it were not there. The name has no NUL and is a piece of
// the line or of the scratch. If it has more than TABLE_INLINE bytes, it stays there until the row
// ends or named_settle is called.
static inline enum parse_result named_add(struct named_row *row, const char *name, size_t length,
                                          float value)
{
    if (!named_is_padded(row, name) || length - 1 >= TABLE_INLINE || value == 0)
        return named_add_slowly(row, name, length, value);
    return named_wait(row, table_key_padded(row->table, name, length), value);
}

// The same for a name that does not stay.
enum parse_result named_add_copy(struct named_row *row, const char *name, size_t length,
                                 float value);

// With parser.exact, in place of these for numbers (named_exact.c): adds a number as it is written.
// The name may go afterwards.
enum parse_result named_add_exact(struct named_row *row, const char *name, size_t length,
                                  struct decimal value);
// The number from text to end times a factor.
enum parse_result named_decimal(struct named_row *row, const char *text, const char *end,
                                const struct decimal *factor, struct decimal *out);
// ---- many names at once ----

// What it takes to let names wait that all have the value 1, in registers.
struct named_hand {
    struct waiting_name *next;
    const struct table *table;
    uint64_t key[2];          // of its hash
    struct table_slots slots; // of the table
    size_t most;              // bytes of a name whose TABLE_INLINE bytes may be read
};

// For NAMED_BLOCK names at most, after named_make_room. They start before `end`, all in the line or
// all in the scratch.
static inline struct named_hand named_take(struct named_row *row, const char *end)
{
    return (struct named_hand){
        .next = &row->waiting.names[row->waiting.count],
        .table = row->table,
        .key = {row->table->key[0], row->table->key[1]},
        .slots = row->slots,
        .most = named_is_padded(row, end) ? TABLE_INLINE : 0,
    };
}

static inline void named_give(struct named_row *row, const struct named_hand *hand)
{
    row->waiting.count = (uint32_t)(hand->next - row->waiting.names);
}

// A name that is not empty and stays, as that of named_add.
static inline void named_put(struct named_hand *hand, const char *name, size_t length)
{
    struct table_key key = length <= hand->most ? table_key_by(hand->key, name, length)
                                                : table_key(hand->table, name, length);
    table_prefetch(&hand->slots, &key);
    hand->next++->key = key;
}

// The bits of a block of 64 bytes at which names start, and those after their ends.
struct named_edges {
    uint64_t starts, ends;
};

// Puts the names that end in the block, after named_make_room. The first starts at block + start,
// which may be before the block. Returns where the one after the last starts, if it starts in the
// block. All start before `limit`.
__attribute__((always_inline)) static inline ptrdiff_t
named_put_all(struct named_row *row, struct named_edges edges, ptrdiff_t start, const char *block,
              const char *limit)
{
    struct named_hand hand = named_take(row, limit);
    uint64_t starts = edges.starts | (uint64_t)1 << 63; // there may be one end more
    for (uint64_t ends = edges.ends; ends; ends &= ends - 1, starts &= starts - 1) {
        named_put(&hand, block + start, (size_t)(__builtin_ctzll(ends) - start));
        start = __builtin_ctzll(starts);
    }
    named_give(row, &hand);
    return start;
}

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

// "expected WHAT, found 'the text up to `stop`'"
enum parse_result named_expected(struct named_row *row, const char *where, const char *stop,
                                 const char *what);

#endif
