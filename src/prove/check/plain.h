// The checker's own reader of data: rows of LIBSVM and CSV with their values exactly as written. It
// is slow, simple and shares no code with src/format: docs/proof-format.md has its rules.
#ifndef TLU_PROVE_CHECK_PLAIN_H
#define TLU_PROVE_CHECK_PLAIN_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

enum { PLAIN_DIGITS_MOST = 1000 }; // letters of a number, its exponent, and digits after the point

struct plain_entry {
    char front[24]; // the feature is called `front` and `text`: "3=" and "red", "" and "17"
    const char *text;
    mpz_t value; // times 10^digits
};

struct plain_reader {
    // To be set: the whole text, which is written to, and how to read it.
    char *at;             // NULL: all was read
    char delimiter;       // 0: LIBSVM
    const char *kinds;    // of columns: n(umber), c(ategory), l(abel), i(gnored)
    char missing;         // r(efuse), z(ero), i(ndicator)
    bool header;          // the next row is one
    unsigned long digits; // every value times 10^digits is a whole number
    // The row that was read.
    unsigned long line;
    const char *label;
    struct plain_entry *entries; // [count]
    size_t count;
    const char *too_long; // a value with more digits after the point; NULL: none
    bool example;         // of a header: it could be a row like any other
    // If there is no row.
    const char *problem, *found; // NULL: the end of the data; "found": what is not as expected
    bool no_memory;
    // For the reader alone.
    char *field;            // the rest of the row; NULL: no more fields
    bool begun;             // a row was met
    size_t ready, capacity; // entries that have a number
};

// The next row, or the header; false if there is none or a problem.
bool plain_next(struct plain_reader *reader);
void plain_free(struct plain_reader *reader);

#endif
