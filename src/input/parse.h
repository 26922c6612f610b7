// Parsers: from the bytes of a chunk, which holds whole rows, to a batch. A parser reads nothing
// but its arguments, so that any number of them may run side by side.
#ifndef TLU_INPUT_PARSE_H
#define TLU_INPUT_PARSE_H

#include "data/schema.h"
#include "numeric/number.h"

struct csv_plan;

struct parser {
    const struct schema *schema; // growing: only what is fixed before reading starts is looked at
    bool lasting;                // and the names, whose numbers stay (schema->names is shared)
    const struct csv_plan *plan; // CSV alone
    bool labelled;               // every row must have a label
    bool stream;                 // whose columns were decided by its first rows
    bool skip_bad;               // leave malformed rows out and count them
    bool exact;                  // numbers are kept as they are written, too (batch.scratch.exact)
    int missing;                 // MISSING_...
    int way;                     // CSV_...; 0 but in tests
};

// Why and where a row is malformed.
struct bad_row {
    uint64_t line; // in the chunk, from 1
    uint64_t column;
    char reason[512];
};

// As TRY, in functions that return what became of parsing.
#define TRY_PARSE(step)                                                                            \
    do {                                                                                           \
        enum parse_result try_result = (step);                                                     \
        if (try_result != PARSE_OK)                                                                \
            return try_result;                                                                     \
    } while (0)

// Fills *bad and returns PARSE_BAD.
enum parse_result bad_row_set(struct bad_row *bad, uint64_t column, const char *format, ...)
    PRINTF_LIKE(3, 4);

// The first byte order mark of UTF-8, which belongs only to the start of a file; NULL: no mark.
const char *byte_order_mark(const char *bytes, size_t size);
// Says that there is one in a row.
enum parse_result bad_row_marked(struct bad_row *bad, size_t column);

// What a value must be, in words for the user. NULL if it is fine; *value is then set.
const char *value_problem(enum number_result result, double number, float *value);

// Keeps the number from text to end as it is written, if the parser is to: as the next entry that
// is stored, number `entry` of the batch. *value, its float, is 0 only if the number is. Without a
// text it is 1.
enum parse_result row_exact(const struct parser *parser, struct batch *batch, size_t entry,
                            const char *text, const char *end, float *value);
#define TOO_SMALL "is too close to 0 to be read exactly: down to 1e-1000"

// The label of the row that is not closed yet; NULL: it has no label (TLU_NO_LABEL).
enum parse_result row_label(const struct parser *parser, struct batch *batch, const char *label,
                            size_t length);
// Ends the row: its entries go up to `nonzeros`. named_parse does so for its formats.
void row_close(struct batch *batch, size_t nonzeros, uint64_t line);

// How much the row counts; before it is closed. False if out of memory.
bool row_weight(struct batch *batch, float weight);

// ---- formats.c ----

#define SAMPLE_LINES 200 // that recognisers examine

// Whether a line, which is not empty and has no blanks around it, looks like a row.
typedef bool line_test(const char *line, const char *end, void *context);
// Whether nearly all of the first lines do: a few others may be malformed rows.
bool most_lines(const char *bytes, size_t size, line_test *is_row, void *context);

// What is wrong with text in a common format that is not supported; NULL if it is in none of them.
// All of a small file, or at least one line, should be there.
const char *foreign_format(const char *bytes, size_t size);

// ---- parse.c: taking back a row ----

// What a batch was before a row, so that a malformed row leaves nothing.
struct row_mark {
    uint32_t names, large, classes;
    uint64_t unseen, unknown_labels, queries, more_labels;
    uint32_t lowest, highest;
    bool ones, weighted;
};
struct row_mark row_mark(const struct batch *batch);
void row_undo(struct batch *batch, const struct row_mark *mark);

#endif
