// The fields of CSV by the rules, one after the other: what decides about every unusual row.
#ifndef TLU_INPUT_CSV_FIELDS_H
#define TLU_INPUT_CSV_FIELDS_H

#include "input/csv/csv.h"

// Walks the fields of a chunk.
struct csv_cursor {
    const char *at, *limit;
    char delimiter;
    bool bare;   // only the ends of fields matter: doubled quotes stay as they are
    bool marked; // to look for byte order marks: there is one
    const char *line_start;
    uint64_t line;         // of the chunk, from 1
    const char *row_start; // of the current row, with its line
    uint64_t row_line;
    char *unquoted; // a quoted field with its doubled quotes undone
    size_t unquoted_capacity;
};

struct csv_field {
    const char *text; // not terminated; lives until the next field
    size_t length;
    uint64_t line, column; // where it starts
    bool last;             // of its row
};

struct csv_cursor csv_start(const char *bytes, size_t size, char delimiter);
void csv_end(struct csv_cursor *cursor);
// Steps over empty lines; false at the end of the chunk.
bool csv_next_row(struct csv_cursor *cursor);
enum parse_result csv_next_field(struct csv_cursor *cursor, struct csv_field *field,
                                 struct bad_row *bad);
// Goes to the end of the current row from anywhere in it; false if a quote is open at the
// chunk's end.
bool csv_skip_row(struct csv_cursor *cursor);
// At the start of a line: counts it.
void csv_new_line(struct csv_cursor *cursor);
void csv_to_row_start(struct csv_cursor *cursor);

bool csv_is_missing(const char *text, size_t length);

#endif
