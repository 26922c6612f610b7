// Columns of a CSV file by what the user calls them.
#ifndef TLU_INPUT_CSV_COLUMNS_H
#define TLU_INPUT_CSV_COLUMNS_H

#include "input/csv/csv.h"

// By name, else by number from 1. SCHEMA_NONE with *error set if there is no such column; `option`
// is what has asked for it.
size_t csv_find_column(const struct schema *schema, const char *option, const char *text,
                       size_t length, const char *file, tlu_error *error);

#endif
