// What csv.c, the rules, and quick.c, the short cuts, share: rows on their way into a batch.
#ifndef TLU_INPUT_CSV_ROW_H
#define TLU_INPUT_CSV_ROW_H

#include "input/csv/fields.h"
#include "input/csv/numbers.h"
#include "input/csv/recent.h"

struct csv_rows {
    const struct parser *parser;
    struct batch *batch;
    struct bad_row *bad;
    struct csv_quick *quick; // NULL: no short cuts
    size_t count;            // entries in the batch, those of this row included
    bool shared;             // names of the growing schema are looked up
};

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

// Numbers that have their entries, but not yet their values.
#define WAITING_MAX 64
struct waiting {
    size_t count;
    uint32_t before[WAITING_MAX + NUMBERS_AT_ONCE]; // [count] places in the chunk
    uint32_t ends[WAITING_MAX + NUMBERS_AT_ONCE];   // [count]
    uint32_t entries[WAITING_MAX];                  // [count] of the batch
};

struct csv_quick {
    struct csv_converters convert;
    csv_compact *compact;
    const char *expected; // the next row's start, if the scan goes on there
    size_t room;          // rows that the batch has room for
    bool tight;           // numbers are where the scan says, without blanks and quotes
    bool zeros;           // the row has entries of value 0
    struct waiting waiting;
    struct csv_scan scan;
    struct recents recents;
};

// first: the memory is new.
void csv_quick_start(struct csv_quick *quick, const struct csv_cursor *cursor, enum csv_way way,
                     bool first);
// The row at the cursor, by short cuts. PARSE_BAD if it is unusual: csv_quick_undo then takes
// back what was done, and the rules decide.
enum parse_result csv_quick_row(struct csv_rows *row, struct csv_cursor *cursor);
void csv_quick_undo(struct csv_rows *row, const struct row_mark *mark);

#endif
