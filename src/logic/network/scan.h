// Splits a network, in its text or its JSON form, into tokens.
#ifndef TLU_LOGIC_NETWORK_SCAN_H
#define TLU_LOGIC_NETWORK_SCAN_H

#include "logic/network/draft.h"

enum token_kind {
    TOKEN_END,
    TOKEN_LINE,   // the end of a line; not in JSON
    TOKEN_WORD,   // a name without quotes; in JSON: true, false or null
    TOKEN_STRING, // a name in quotes
    TOKEN_NUMBER, // digits
    TOKEN_MARK,   // punctuation: = + - >= or, in JSON, { } [ ] : , -
};

struct token {
    enum token_kind kind;
    struct located_name name;  // the text; for a string, the contents without quotes and escapes
    struct located_name shown; // as written in the file, for messages
};

struct scan {
    const char *path;
    const char *cursor, *end, *line_start;
    uint64_t line;
    bool json;
    char *scratch;      // for the contents of strings; as large as the file
    struct token token; // the current token
    tlu_error *error;
};

// Reads the next token into scan->token.
tlu_status scan_next(struct scan *scan);
// Whether the current token is this mark or word.
bool scan_is(const struct scan *scan, const char *mark);
// Fails with "expected WHAT, found '...'", which quotes the current token.
tlu_status scan_expected(const struct scan *scan, const char *what);
// Consumes this mark; any other token is an error.
tlu_status scan_skip(struct scan *scan, const char *mark);
// Consumes a number with an optional sign and an absolute value of at most NUMBER_MAX.
tlu_status scan_number(struct scan *scan, const char *what, int64_t *value);
// Consumes a name: quoted, or in the text form also without quotes.
tlu_status scan_name(struct scan *scan, const char *what, struct located_name *name);

#endif
