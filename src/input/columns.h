// The columns of a table to train on, which are fields in CSV and members in JSON: those that
// options name, and what the first rows tell about the others.
#ifndef TLU_INPUT_COLUMNS_H
#define TLU_INPUT_COLUMNS_H

#include "base/options.h"
#include "input/sample.h"

struct table_columns {
    struct schema *schema; // has the names of the columns
    const tlu_options *options;
    const char *file;        // for messages
    bool members;            // of JSON: they have no numbers, and none of them is the last one
    bool named;              // columns have names of their own
    enum option *options_of; // [columns] the option that names the column; 0: none
    struct column_sample *samples; // [columns] of the first rows, for columns_decide
};

// Allocates the arrays, with the names of the samples.
tlu_status columns_begin(struct table_columns *columns, tlu_error *error);
void columns_end(struct table_columns *columns);

// A column by its name, else by its number from 1. SCHEMA_NONE with *error set if there is no such
// column; `option` is the one that names it.
size_t columns_find(const struct table_columns *columns, enum option option, const char *text,
                    size_t length, tlu_error *error);

// Sets the kinds of the columns that options name, then what these leave open: the label, texts,
// and identifiers, which are ignored unless there is nothing else. Other columns stay as they are.
tlu_status columns_decide(struct table_columns *columns, tlu_error *error);

#endif
