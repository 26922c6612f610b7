// Columns of numbers that have few different values: an age in years, hours, a grade. Taken as
// categories, each value has a weight of its own, and what is not linear in them can be learned.
#ifndef TLU_MODEL_COLUMNS_H
#define TLU_MODEL_COLUMNS_H

#include "data/schema.h"

#define FEW_VALUES 256 // at most
#define FEW_ROWS 10    // and as many rows per value, on average, at least

#define VALUE_SLOTS 512
struct column_values {
    uint32_t count;              // more than FEW_VALUES: many
    uint32_t slots[VALUE_SLOTS]; // bits of values; 0: free
};

struct columns {
    struct column_values *of; // [count] by feature: in CSV columns of numbers come first
    size_t count;
};

// Adds the rows of a batch of CSV; false: out of memory. All zero at the start.
bool columns_add(struct columns *columns, const struct schema *schema, const struct batch *batch);
// What --categorical takes to make categories of such columns, those of two values left out, which
// are the same either way; NULL: there are none, or out of memory.
char *columns_few(const struct columns *columns, const struct schema *schema, uint64_t rows);
void columns_free(struct columns *columns);

#endif
