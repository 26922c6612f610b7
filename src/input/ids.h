// predict --id: what a row is called, in the words of its format: a field of CSV, the tag of Vowpal
// Wabbit's format, a member of a JSON object.
#ifndef TLU_INPUT_IDS_H
#define TLU_INPUT_IDS_H

#include "input/csv/csv.h"

// Where ids come from.
struct id_source {
    enum data_format format;
    const struct csv_plan *plan; // of CSV
    const char *name;            // as --id has it
};

// Ids one after the other, each with a NUL after it.
struct ids {
    char *bytes;
    size_t size, capacity;
};

// Whether rows of the format can have one; --id is then a column, any word, or a key.
bool format_has_ids(enum data_format format);
// Adds that of a row, which was parsed before; "" if it has none. False: out of memory.
bool ids_add(struct ids *ids, const struct id_source *source, const char *row, size_t size);

#endif
