// The rows of a data set, parsed, in memory: as a binary data file (docs/data-format.md), which is
// read as any other data and needs no parsing.
#ifndef TLU_MODEL_SPLIT_PACK_H
#define TLU_MODEL_SPLIT_PACK_H

#include "input/reader.h"

struct pack_look {
    bool table; // the first rows are those of a table of numbers (scale.h)
    bool words; // the format is one of text: --ngrams and --lowercase apply
    uint64_t rows, nonzeros, features;
    char *few; // of CSV: columns to be tried as categories (columns.h); NULL: none
};

struct packed {
    unsigned char *bytes; // NULL: there was no room
    size_t size;
    // Features have numbers in the place of their names, which learning is faster from and comes to
    // the same; options about names and words do not apply any more.
    bool numbered;
    struct pack_look look;
};

// Reads what the path leads to, or the row_source's bytes, into memory as far as --memory allows.
tlu_status pack_rows(struct packed *packed, const char *path, const struct row_source *row_source,
                     const tlu_options *options, tlu_error *error);

#endif
