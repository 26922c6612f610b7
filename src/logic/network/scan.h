// The tokens of a network's text or JSON form.
#ifndef TLU_LOGIC_NETWORK_SCAN_H
#define TLU_LOGIC_NETWORK_SCAN_H

#include "logic/network/draft.h"

enum token_kind {
    TOKEN_END,
    TOKEN_LINE,   // the end of a line; not in JSON
    TOKEN_WORD,   // a name without quotes; in JSON true, false, null
    TOKEN_STRING, // a name in quotes
    TOKEN_NUMBER, // digits
    TOKEN_MARK,   // one of = + - >= or of JSON's { } [ ] : , -
};

struct token {
    enum token_kind kind;
    struct located_name name;  // its text; for a string, its content
    struct located_name shown; // as written
};

struct scan {
    const char *path;
    const char *cursor, *end, *line_start;
    uint64_t line;
    bool json;
    char *scratch;      // contents of strings; as large as the file
    struct token token; // the current one
    tlu_error *error;
};

// Reads the next token.
tlu_status scan_next(struct scan *scan);
bool scan_is(const struct scan *scan, const char *mark); // whether the token is this mark or word
// The error "expected WHAT, found 'the current token'".
tlu_status scan_expected(const struct scan *scan, const char *what);
tlu_status scan_skip(struct scan *scan, const char *mark); // consumes a required mark
// Consumes a number with an optional sign, of at most NUMBER_MAX.
tlu_status scan_number(struct scan *scan, const char *what, int64_t *value);
// Consumes a name, in quotes or (not in JSON) without.
tlu_status scan_name(struct scan *scan, const char *what, struct located_name *name);

#endif
