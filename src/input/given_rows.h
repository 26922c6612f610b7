// Rows that the caller of the library has in memory (tlu_rows), as batches for struct row_source
// (reader.h).
#ifndef TLU_INPUT_GIVEN_ROWS_H
#define TLU_INPUT_GIVEN_ROWS_H

#include "input/reader.h"

#define GIVEN_LABELS 64 // most data has fewer

struct given_rows {
    const char *path;       // for messages
    bool skip_bad;          // leave bad rows out and count them
    bool multilabel;        // rows have sets of labels
    bool unlabelled;        // rows may have no labels
    tlu_rows_function next; // returns more rows; NULL: `first` are all
    void *next_context;
    const tlu_rows *first; // NULL: the function returns all

    // All zero at the start.
    const struct schema *frozen; // whose numbers the rows get; NULL: the schema grows
    bool begun, ended;
    tlu_rows rows;    // the current ones
    size_t done;      // of them
    uint64_t before;  // rows before these
    uint64_t *sorted; // [sorted_capacity] entries of a row: the feature in the upper 32 bits, the
                      // place below
    size_t sorted_capacity;
    // By label: its class in the batch, plus one; 0: not known.
    uint32_t class_of[GIVEN_LABELS];
};

// A next_rows_function, whose context is a struct given_rows.
tlu_status given_rows_next(void *given, struct batch *batch, tlu_error *error);
// Starts again with the first rows, for this schema.
void given_rows_again(void *given, const struct schema *schema);
void given_rows_free(struct given_rows *given);

#endif
