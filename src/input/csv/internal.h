// What csv.c, the rules, and quick.c, the fast path, share: rows on their way into a batch.
#ifndef TLU_INPUT_CSV_INTERNAL_H
#define TLU_INPUT_CSV_INTERNAL_H

#include "input/csv/csv.h"
#include "input/named.h"

struct csv_rows {
    const struct parser *parser;
    struct batch *batch;
    struct bad_row *bad;
    struct csv_quick *quick; // NULL: by the rules alone
    struct named_row *words; // for columns that are texts; NULL: there are none
    size_t count;            // entries in the batch, those of this row included
    bool shared;             // names of the growing schema are looked up
};

// Entries for which there is memory besides those of the fields: eight are stored where one is.
#define CSV_SPARE 8

// Adds an entry, for which there is room.
static inline void csv_store(struct csv_rows *row, uint32_t feature, float value)
{
    row->batch->indices[row->count] = feature;
    row->batch->values[row->count] = value;
    row->batch->ones &= value == 1;
    row->count++;
}

// ---- csv.c ----

enum parse_result csv_parse_field(struct csv_rows *row, const struct plan_column *column,
                                  const struct csv_field *field);

// ---- quick.c ----

// Prepares the fast path for a chunk; row->quick stays NULL if the chunk is not one for it.
enum parse_result csv_quick_start(struct csv_rows *row, const struct csv_cursor *cursor);
// Parses the row at the cursor. PARSE_BAD if it is unusual: csv_quick_undo then takes back what was
// done, and the caller parses the row by the rules.
enum parse_result csv_quick_row(struct csv_rows *row, struct csv_cursor *cursor);
void csv_quick_undo(struct csv_rows *row, const struct row_mark *mark);

#endif
