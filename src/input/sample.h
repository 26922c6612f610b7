// What the first rows of a table tell about its columns: which are texts, which only number the
// rows, which holds the label. CSV and JSON use the same rules; docs/data.md has them.
#ifndef TLU_INPUT_SAMPLE_H
#define TLU_INPUT_SAMPLE_H

#include "data/schema.h"

#define SAMPLE_ROWS 1000 // at most

#define SAMPLE_BITS 1024 // of the set of values
struct column_sample {
    const char *name;
    uint64_t values;                 // not missing
    uint64_t numbers;                // of the values
    uint64_t blanks;                 // values with a blank inside
    uint64_t words;                  // pieces of the values between blanks
    uint64_t steps;                  // numbers that are one more than the number in the row before
    double last;                     // the last number
    uint64_t seen[SAMPLE_BITS / 64]; // a bit for each value, by its hash
};

// Adds a value that is not missing.
void sample_add(struct column_sample *column, const char *text, size_t length);
bool sample_is_text(const struct column_sample *column);
// Whether it identifies rows: by its name, or because its numbers count the rows. `named`: columns
// have names.
bool sample_is_identifier(const struct column_sample *column, bool named);

// Usual names of the label column, the likeliest first; NULL past the end.
const char *sample_usual_label(size_t index);
bool sample_is_usual_label(const char *name);
// The label column of `count` columns, and why. A column with open[i] false is not the last one.
size_t sample_find_label(const struct column_sample *columns, size_t count, const bool *open,
                         enum label_reason *reason);

#endif
