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
#define NAMED_WAITING 16 // a power of two
#define NAMED_COPIED 64  // bytes of a name that is copied (named_add_copy)
struct named_waiting {
    uint32_t first, next; // counted on and on
    struct waiting_name {
        struct table_key key;
        const char *cursor; // for messages
        float value;
    } names[NAMED_WAITING]; // number n is at n % NAMED_WAITING
    char texts[NAMED_WAITING][NAMED_COPIED];
};

struct named_row {
    const struct parser *parser;
    struct batch *batch;
    struct bad_row *bad;
    const char *line; // start of the line
    const char *cursor;
    const char *end;           // of the line, without its end
    const char *limit;         // of all lines
    uint32_t start;            // entries in the batch before this row
    uint32_t count;            // and with those so far
    uint32_t room;             // for entries
    unsigned shift;            // batch->scratch.places has 2^(64 - shift) places
    bool lost;                 // an entry was left out because the model does not know it
    bool repeated;             // a feature occurred twice
    const struct table *known; // names that have their numbers; NULL: none
    uint32_t known_count;      // how many there were at the start of the row
    struct named_waiting waiting;
};

// Parses a row from row->cursor on: the label by row_label, the weight by row_weight, the features.
typedef enum parse_result named_function(struct named_row *row);

// Lines to rows. Lines that are empty or blank are not rows.
enum parse_result named_parse(const struct parser *parser, const char *bytes, size_t size,
                              struct batch *batch, struct bad_row *bad, named_function *parse_row);

// Looks up the first of the features that are waiting; all of them.
enum parse_result named_settle(struct named_row *row);
enum parse_result named_settle_all(struct named_row *row);
enum parse_result named_nameless(struct named_row *row);

// Room for `size` bytes in batch->scratch.text; false if out of memory.
bool named_scratch(struct named_row *row, size_t size);

// Adds value to the feature; 0 is as if it were not there. The name has no NUL and is a piece of
// the line or of the scratch. If it has more than TABLE_INLINE bytes, it stays there until the row
// ends or named_settle_all is called.
static inline enum parse_result named_add(struct named_row *row, const char *name, size_t length,
                                          float value)
{
    struct named_waiting *waiting = &row->waiting;
    const struct table *table = &row->batch->names; // known names have the same key
    if (value == 0)
        return PARSE_OK;
    if (length == 0)
        return named_nameless(row);
    // After the scratch there are TABLE_INLINE bytes that may be read, after the lines there may be
    // none.
    bool padded = (uintptr_t)row->limit - (uintptr_t)name >= TABLE_INLINE;
    struct table_key key = padded && length <= TABLE_INLINE ? table_key_padded(table, name, length)
                                                            : table_key(table, name, length);
    table_prefetch(row->known ? row->known : table, &key);
    enum parse_result result = PARSE_OK;
    if (waiting->next - waiting->first == NAMED_WAITING)
        result = named_settle(row);
    waiting->names[waiting->next++ % NAMED_WAITING] =
        (struct waiting_name){key, row->cursor, value};
    return result;
}

// The same for a name that does not stay.
enum parse_result named_add_copy(struct named_row *row, const char *name, size_t length,
                                 float value);

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline size_t named_column(const struct named_row *row, const char *where)
{
    return (size_t)(where - row->line) + 1;
}

// "expected WHAT, found 'the text up to `stop`'"
enum parse_result named_expected(struct named_row *row, const char *where, const char *stop,
                                 const char *what);

#endif
