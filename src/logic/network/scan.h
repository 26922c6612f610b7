// The words of a network's text or JSON form, one after the other, each with its position.
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
    struct located_name name;  // the text, of a string what it says
    struct located_name shown; // as it is written
};

struct scan {
    const char *path;
    const char *cursor, *end, *line_start;
    uint64_t line;
    bool json;
    char *
        scratch; // what strings say: as many bytes as the file has, as none says more than it takes
    struct token token; // the current one
    tlu_error *error;
};

// Steps to the next word.
tlu_status scan_next(struct scan *scan);
bool scan_is(const struct scan *scan, const char *mark); // whether it is this mark or word
// "expected WHAT, found 'the current word'"
tlu_status scan_expected(const struct scan *scan, const char *what);
tlu_status scan_skip(struct scan *scan, const char *mark); // steps over a mark that must be there
// A number with or without a sign, of at most NUMBER_MAX.
tlu_status scan_number(struct scan *scan, const char *what, int64_t *value);
// A name, with quotes or without; in JSON with quotes.
tlu_status scan_name(struct scan *scan, const char *what, struct located_name *name);

#endif
