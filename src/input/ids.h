// predict --id: the id of a row, which its format has in its own way: a field of CSV, the tag of
// Vowpal Wabbit's format, a member of a JSON object.
#ifndef TLU_INPUT_IDS_H
#define TLU_INPUT_IDS_H

#include "data/formats.h"

struct csv_plan;

// Where ids come from.
struct id_source {
    enum data_format format;
    const struct csv_plan *plan; // of CSV
    const char *name;            // --id: a column, any word, or a key
};

// Ids one after the other, each with a NUL after it.
struct ids {
    char *bytes;
    size_t size, capacity;
};

bool ids_put(struct ids *ids, const char *text, size_t length); // false: out of memory

// Appends the id of a row; see row_id_function.
static inline bool ids_add(struct ids *ids, const struct id_source *source, const char *row,
                           size_t size)
{
    return format_table[source->format].id_of(ids, source, row, size);
}

#endif
