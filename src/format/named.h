// Rows of named features: what Vowpal Wabbit's format, fastText's, JSON lines and labelled text
// have in common. A row is a line. A feature that occurs twice in a row is one feature with the sum
// of the values.
#ifndef TLU_FORMAT_NAMED_H
#define TLU_FORMAT_NAMED_H

#include "format/parse.h"

// A namespace, or the path to a JSON value, is part of the name of each feature in it: a row of 1
// MB must not become names of a terabyte.
#define NAMED_PATH_MOST 1000

struct named_row {
    const struct parser *parser;
    struct batch *batch;
    struct bad_row *bad;
    const char *line; // start of the line
    const char *cursor;
    const char *end; // of the line, without its end
    size_t start;    // entries in the batch before this row
    size_t count;    // and with those so far
    bool lost;       // an entry was left out because the model does not know it
    bool repeated;   // a feature occurred twice
};

// Parses a row from row->cursor on: the label by row_label, the weight by row_weight, the features.
typedef enum parse_result named_function(struct named_row *row);

// Lines to rows. Lines that are empty or blank are not rows.
enum parse_result named_parse(const struct parser *parser, const char *bytes, size_t size,
                              struct batch *batch, struct bad_row *bad, named_function *parse_row);

// Adds value to the feature; 0 is as if it were not there. The name has no NUL.
enum parse_result named_add(struct named_row *row, const char *name, size_t length, float value);

// Room for `size` bytes in batch->scratch.text; false if out of memory.
bool named_scratch(struct named_row *row, size_t size);

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
