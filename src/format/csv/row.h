// What csv.c, the rules, and quick.c, the short cuts, share: rows on their way into a batch.
#ifndef TLU_FORMAT_CSV_ROW_H
#define TLU_FORMAT_CSV_ROW_H

#include "format/csv/fields.h"
#include "format/csv/scan.h"

struct csv_rows {
    const struct parser *parser;
    struct batch *batch;
    struct bad_row *bad;
    struct csv_quick *quick; // NULL: no short cuts
    size_t count;            // entries in the batch, those of this row included
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

// What texts of up to 16 bytes came to in this chunk, so that most categories and labels are looked
// up without their names being put together. A text has two places, and the later of three that
// want them gets the second.
#define RECENT_COUNT 512 // a power of two
struct recent {
    uint64_t text[2];
    uint64_t tag;    // of the column and the text's length; 0: free
    uint32_t result; // a feature, SCHEMA_NONE if the schema does not know it, or a class
};

// Entries whose numbers are known to be plain and wait for being converted four at a time.
#define WAITING_MOST 64
struct waiting {
    size_t count;
    uint8_t digits[WAITING_MOST][16]; // without the point, at the end
    double scales[WAITING_MOST];      // to divide by; negative for a negative number
    uint32_t features[WAITING_MOST];
};

// Takes a field of a numeric column, other than an empty one; false if it is not a plain number.
typedef bool csv_take(struct csv_rows *row, uint32_t feature, const char *start, const char *end);
typedef void csv_take_one(struct csv_rows *row, uint32_t feature); // the value is 1
// Stores what was taken and waits.
typedef void csv_settle(struct csv_rows *row);

struct csv_quick {
    // Takes plain numbers from field i on, which begins at *start, and returns which field is next.
    size_t (*numbers)(struct csv_rows *row, size_t i, const char **start);
    csv_take *take;
    csv_take_one *take_one;
    csv_settle *settle;
    const char *floor;    // the start of the chunk
    const char *expected; // the next row's start, if the scan goes on there
    size_t room;          // rows that the batch has room for
    struct csv_scan scan;
    struct waiting waiting;
    struct recent recent[RECENT_COUNT];
};

void csv_quick_start(struct csv_quick *quick, const struct csv_cursor *cursor, enum csv_way way);
// The row at the cursor, by short cuts. PARSE_BAD if it is unusual: csv_quick_undo then takes
// back what was done, and the rules decide.
enum parse_result csv_quick_row(struct csv_rows *row, struct csv_cursor *cursor);
void csv_quick_undo(struct csv_rows *row, const struct row_mark *mark);

#endif
