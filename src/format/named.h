// Rows of named features: what Vowpal Wabbit's format, fastText's, JSON lines and labelled text
// have in common. A row is a line. A feature that occurs twice in a row is one feature with the sum
// of the values.
#ifndef TLU_FORMAT_NAMED_H
#define TLU_FORMAT_NAMED_H

#include "format/parse.h"

// A namespace, or the path to a JSON value, is part of the name of each feature in it: a row of 1
// MB must not become names of a terabyte.
#define NAMED_PATH_MOST 1000

// Features that are to be looked up, in the order in which they came. Meanwhile the memory that
// tells their numbers is fetched.
#define NAMED_STEP 16                  // are looked up at a time
#define NAMED_WAITING (2 * NAMED_STEP) // a power of two
#define NAMED_COPIED 64                // bytes of a name that is copied (named_add_copy)
struct named_waiting {
    uint32_t first, next; // counted on and on
    struct waiting_name {
        struct table_key key;
        float value;
        uint32_t column;    // for messages
    } names[NAMED_WAITING]; // number n is at n % NAMED_WAITING
    char texts[NAMED_WAITING][NAMED_COPIED];
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
    unsigned shift;    // batch->scratch.places has 2^(64 - shift) places
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

// Looks up some of the features that are waiting, or all of them.
enum parse_result named_settle(struct named_row *row);
enum parse_result named_settle_all(struct named_row *row);
// named_add for what is not as usual.
enum parse_result named_add_slowly(struct named_row *row, const char *name, size_t length,
                                   float value);

// Room for `size` bytes in batch->scratch.text; false if out of memory.
bool named_scratch(struct named_row *row, size_t size);

static inline size_t named_column(const struct named_row *row, const char *where)
{
    return (size_t)(where - row->line) + 1;
}

static inline enum parse_result named_wait(struct named_row *row, struct table_key key, float value)
{
    struct named_waiting *waiting = &row->waiting;
    uint32_t next = waiting->next++, column = (uint32_t)named_column(row, row->cursor);
    table_prefetch(&row->slots, &key);
    waiting->names[next % NAMED_WAITING] = (struct waiting_name){key, value, column};
    return next - waiting->first < NAMED_WAITING - 1 ? PARSE_OK : named_settle(row);
}

// Whether TABLE_INLINE bytes of a piece of the line or of the scratch may be read. After the
// scratch there are as many, after the lines there may be none.
static inline bool named_is_padded(const struct named_row *row, const char *piece)
{
    return (uintptr_t)row->limit - (uintptr_t)piece >= TABLE_INLINE;
}

// Adds value to the feature; 0 is as if it were not there. The name has no NUL and is a piece of
// the line or of the scratch. If it has more than TABLE_INLINE bytes, it stays there until the row
// ends or named_settle_all is called.
static inline enum parse_result named_add(struct named_row *row, const char *name, size_t length,
                                          float value)
{
    if (!named_is_padded(row, name) || length - 1 >= TABLE_INLINE || value == 0)
        return named_add_slowly(row, name, length, value);
    return named_wait(row, table_key_padded(row->table, name, length), value);
}

// The same for several features, to each of which 1 is added. None is empty; all are pieces of the
// line, one after the other, or all are pieces of the scratch.
struct named_piece {
    const char *text;
    size_t length;
};
enum parse_result named_add_pieces(struct named_row *row, const struct named_piece *names,
                                   size_t count);

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
// At the end of a row: what words have added, too.
enum parse_result named_total(struct named_row *row);

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

// "expected WHAT, found 'the text up to `stop`'"
enum parse_result named_expected(struct named_row *row, const char *where, const char *stop,
                                 const char *what);

#endif
