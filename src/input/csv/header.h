// The first row of a CSV file, which may name its columns.
#ifndef TLU_INPUT_CSV_HEADER_H
#define TLU_INPUT_CSV_HEADER_H

#include "input/csv/fields.h"

// A copy of the fields of one row.
struct csv_row {
    char **fields;
    size_t count;
};

// The first row, whether or not it is a header, and the comment above it, which may be one: that
// is how numpy.savetxt writes it.
struct first_row {
    struct csv_row row, comment;
    size_t before; // bytes and lines of the comment
    uint64_t lines_before;
    size_t length; // of both
    uint64_t lines;
};

tlu_status first_row_read(struct first_row *first, char delimiter, const char *file,
                          const char *bytes, size_t size, uint64_t lines_before, tlu_error *error);
void first_row_free(struct first_row *first);

// The header, or NULL: the first row, or the comment above it with as many fields. `choice` is
// HEADER_...
const struct csv_row *csv_header(const struct first_row *first, int choice, const char *bytes,
                                 size_t size, char delimiter);

// The names of `count` columns, numbered by their places: those of the header, else their numbers
// from 1. False if out of memory.
bool csv_name_columns(struct table *names, const struct csv_row *header, size_t count);

// What the label column is usually called, the likeliest first.
#define CSV_USUAL_LABELS 4
extern const char *const csv_usual_labels[CSV_USUAL_LABELS];

#endif
