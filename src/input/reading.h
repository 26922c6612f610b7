// How the rows of a stream are read: what a reader has decided about them, and a reader of rows
// that were read so before, which decides nothing.
#ifndef TLU_INPUT_READING_H
#define TLU_INPUT_READING_H

#include "input/reader.h"

struct reading {
    enum data_format format;
    bool skip_bad;
    int missing; // MISSING_...
    // CSV alone
    char delimiter;
    size_t count;      // fields of a row
    uint32_t *columns; // [count] of the schema; SCHEMA_NONE: the field is passed over
};

// What the reader of a stream goes by.
tlu_status reading_of(struct reading *reading, const struct reader *reader, tlu_error *error);
void reading_free(struct reading *reading);
// A reader of a stream that goes by it. The schema is settled and must outlive the reader; the
// reading must fit to it. The path is for messages.
tlu_status reader_open_read(struct reader **reader, const char *path, const struct reading *reading,
                            struct schema *schema, tlu_error *error);

// Whether rows are the same to both schemas: of one format, with the same words and columns.
bool schema_reads_same(const struct schema *a, const struct schema *b);
// A new schema becomes one that is settled as the other is, with features of its own.
tlu_status schema_settle_as(struct schema *schema, const struct schema *decided, const char *path,
                            tlu_error *error);

#endif
