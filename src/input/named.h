// Rows of named features: what Vowpal Wabbit's format, fastText's, JSON and labelled text have in
// common. A row is a line, or a JSON object. A feature that occurs twice in a row is one feature
// with the sum of the values.
#ifndef TLU_INPUT_NAMED_H
#define TLU_INPUT_NAMED_H

#include "input/parse.h"

#include <assert.h>

// Bytes of a namespace or of the path to a JSON value. It is part of the name of each feature in
// it; without a limit, a row of 1 MB could become names of a terabyte.
#define NAMED_PATH_MAX 1000

// Names are looked up in groups, so that the memory for their numbers is fetched in advance.
#define NAMED_WAITING 192 // names of a group
#define NAMED_BLOCK 64    // names that named_put_all adds at most
#define NAMED_COPIED 2048 // bytes of names that are copied (named_add_copy)
#define NAMED_SLACK 64    // bytes after them that may be written
struct named_waiting {
    uint32_t count, copied;
    struct waiting_name {
        struct table_key key;
        float value;      // 1 after the first `count`
        uint32_t feature; // after the look-up; TABLE_NONE: the model does not have it
    } names[NAMED_WAITING];
    uint32_t columns[NAMED_WAITING];        // of names whose values are not 1, for messages
    bool ones;                              // all values are 1
    char texts[NAMED_COPIED + NAMED_SLACK]; // [copied]
};

struct named_row {
    const struct parser *parser; // NULL: JSON alone is read, without features
    struct batch *batch;
    struct bad_row *bad;
    const char *line; // start of the line
    const char *cursor;
    const char *end;   // of the line, without its end
    const char *limit; // of all lines
    const char *first; // where they start; NULL: rows are not lines
    uint32_t start;    // entries in the batch before this row
    uint32_t count;    // and with those so far
    uint32_t reserved; // entries for which the batch has memory
    uint32_t mask;     // of the places in use (batch->scratch.places), a power of two minus 1
    bool lost;         // an entry was left out because the model does not have its feature
    bool zeroed;       // values added up to 0
    // Where names are looked up first: in the schema, whose numbers are final, or in the batch.
    const struct table *table;
    uint32_t table_count;     // names that it had at the start of the row; later ones do not count
    struct table_slots slots; // of the table
    struct named_waiting waiting;
};

// Parses a row from row->cursor on: the label by row_label, with NULL if there is none; the weight
// by row_weight, of every row if the format has weights; the features by named_add, or with
// parser.exact by named_add_exact.
typedef enum parse_result named_function(struct named_row *row);

// Parses the row from row->line to row->end, which starts in line batch->place.lines. A malformed
// row is an error, with its line, or is left out.
enum parse_result named_parse_row(struct named_row *row, named_function *parse_row);
// Lines to rows. Lines that are empty or blank are not rows.
enum parse_result named_parse(const struct parser *parser, const char *bytes, size_t size,
                              struct batch *batch, struct bad_row *bad, named_function *parse_row);

// ---- rows that are not lines, and words in rows of another format ----

// For the rows of a chunk that ends at `limit`; false: out of memory.
bool named_begin(struct named_row *row, const struct parser *parser, struct batch *batch,
                 struct bad_row *bad, const char *limit, size_t size);
// To add names to a row that has `count` entries so far, none of which has one of the names. The
// caller calls named_settle when they are added; row->count is then the number of entries. False:
// out of memory.
bool named_continue(struct named_row *row, size_t count);
// After rows were taken back.
void named_forget(struct named_row *row);

// Looks up the names that are waiting.
enum parse_result named_settle(struct named_row *row);

// named_add for empty or long names and for the value 0.
enum parse_result named_add_slowly(struct named_row *row, const char *name, size_t length,
                                   float value);

// Reserves `size` bytes of batch->scratch.text; false: out of memory.
bool named_scratch(struct named_row *row, size_t size);

static inline size_t named_column(const struct named_row *row, const char *where)
{
    return (size_t)(where - row->line) + 1;
}

static inline enum parse_result named_reserve(struct named_row *row)
{
    return row->waiting.count <= NAMED_WAITING - NAMED_BLOCK ? PARSE_OK : named_settle(row);
}

static inline enum parse_result named_wait(struct named_row *row, struct table_key key, float value)
{
    struct named_waiting *waiting = &row->waiting;
    if (value != 1) { // a sum with 1 is never too large, so it needs no column for a message
        waiting->columns[waiting->count] = (uint32_t)named_column(row, row->cursor);
        waiting->names[waiting->count].value = value;
        waiting->ones = false;
    }
    table_prefetch(&row->slots, &key);
    waiting->names[waiting->count++].key = key;
    return waiting->count < NAMED_WAITING ? PARSE_OK : named_settle(row);
}

// Whether TABLE_INLINE bytes may be read from `piece` on, which is in the line or in the scratch.
// The scratch is padded with as many bytes; the lines may not be.
static inline bool named_is_padded(const struct named_row *row, const char *piece)
{
    return (uintptr_t)row->limit - (uintptr_t)piece >= TABLE_INLINE;
}

// Adds a value to the feature; 0 adds nothing. The name has no NUL and is a piece of the line or of
// the scratch. If it has more than TABLE_INLINE bytes, it must stay there until the row ends or
// named_settle is called.
static inline enum parse_result named_add(struct named_row *row, const char *name, size_t length,
                                          float value)
{
    if (!named_is_padded(row, name) || length - 1 >= TABLE_INLINE || value == 0)
        return named_add_slowly(row, name, length, value);
    return named_wait(row, table_key_padded(row->table, name, length), value);
}

// The same for a name that the caller overwrites.
enum parse_result named_add_copy(struct named_row *row, const char *name, size_t length,
                                 float value);

// With parser.exact, instead of these for numbers: adds a number as it is written. The caller may
// overwrite the name.
enum parse_result named_add_exact(struct named_row *row, const char *name, size_t length,
                                  struct decimal value);
// The number from text to end times a factor.
enum parse_result named_decimal(struct named_row *row, const char *text, const char *end,
                                const struct decimal *factor, struct decimal *out);
// ---- many names at once ----

// What adding names with the value 1 needs, kept in registers.
struct named_hand {
    struct waiting_name *next;
    const struct table *table;
    uint64_t key[2];          // of its hash
    struct table_slots slots; // of the table
    size_t most;              // bytes of a name whose TABLE_INLINE bytes may be read
};

// For at most NAMED_BLOCK names, after named_reserve. They start before `end`, all in the line or
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

static inline void named_put_key(struct named_hand *hand, struct table_key key)
{
    table_prefetch(&hand->slots, &key);
    hand->next++->key = key;
}

// The value of the name that is put next, if it is not 1. It ends before `end`.
static inline void named_put_value(struct named_row *row, struct named_hand *hand, float value,
                                   const char *end)
{
    row->waiting.columns[hand->next - row->waiting.names] = (uint32_t)named_column(row, end);
    row->waiting.ones = false;
    hand->next->value = value;
}

// Adds a name, which is not empty; see named_add.
static inline void named_put(struct named_hand *hand, const char *name, size_t length)
{
    assert(length > 0);
    named_put_key(hand, length <= hand->most ? table_key_by(hand->key, name, length)
                                             : table_key(hand->table, name, length));
}

// The bits of a block of 64 bytes at which names start, and those after their ends.
struct named_edges {
    uint64_t starts, ends;
};

// Puts the names that end in the block, after named_reserve. The first starts at block + start,
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
