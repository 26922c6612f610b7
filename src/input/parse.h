// What parsers share. A parser appends the rows of a chunk, which holds whole rows, to a batch. It
// reads nothing but its arguments, so any number of threads may parse at the same time.
#ifndef TLU_INPUT_PARSE_H
#define TLU_INPUT_PARSE_H

#include "data/schema.h"
#include "numeric/number.h"

struct csv_plan;
struct json_plan;

// What a row of JSON is: a line, one of several objects one after the other, or an object of an
// array (json/objects.h).
enum json_rows { JSON_LINES, JSON_OBJECTS, JSON_ARRAY };

struct parser {
    // If it grows, parsers read only what is fixed before reading starts and, with `lasting`, its
    // names, which are shared and keep their numbers.
    const struct schema *schema;
    bool lasting;
    const struct csv_plan *plan;     // CSV, and text for a model of a table
    const struct json_plan *members; // of JSON records; NULL: rows are not records
    enum json_rows rows;             // JSON alone
    bool labelled;                   // every row must have a label
    bool stream;                     // the first rows of a stream have decided its columns
    char separator[SEPARATOR_SIZE];  // --label-separator
    bool skip_bad;                   // leave malformed rows out and count them
    bool exact;                      // keep numbers as they are written, too (batch.scratch.exact)
    int missing;                     // MISSING_...
    int way;                         // enum csv_way; not CSV_BEST in tests only
};

// Why and where a row is malformed.
struct bad_row {
    uint64_t line; // in the chunk, from 1
    uint64_t column;
    size_t start; // bytes of the chunk before the row, if rows are JSON objects
    char reason[512];
    const char *remedy; // if the row is the first line of its file; NULL: none
};

// TRY for functions that return enum parse_result.
#define TRY_PARSE(step)                                                                            \
    do {                                                                                           \
        enum parse_result try_result = (step);                                                     \
        if (try_result != PARSE_OK)                                                                \
            return try_result;                                                                     \
    } while (0)

// Fills *bad, without a line, a start and a remedy, and returns PARSE_BAD.
enum parse_result bad_row_set(struct bad_row *bad, uint64_t column, const char *format, ...)
    PRINTF_LIKE(3, 4);

// Adds a remedy for the case that the row is the first line of its file, which the reader knows.
void bad_row_if_first(struct bad_row *bad, const char *remedy);

// The first byte order mark of UTF-8, which is allowed only at the start of a file; NULL: none.
const char *byte_order_mark(const char *bytes, size_t size);
// Reports one inside a row.
enum parse_result bad_row_marked(struct bad_row *bad, size_t column);

// What is wrong with a value, as a phrase for the user; NULL if nothing is, and *value is set.
const char *value_problem(enum number_result result, double number, float *value);

// With parser->exact: keeps the number from text to end as it is written, for entry number `entry`
// of the batch, the next that is stored. Without a text the number is 1. *value, its float, becomes
// 0 only if the number is 0.
enum parse_result row_exact(const struct parser *parser, struct batch *batch, size_t entry,
                            const char *text, const char *end, float *value);
#define TOO_SMALL "is too close to 0 to be read exactly: down to 1e-1000"

// Sets the label of the row that is not closed yet; NULL: it has none (TLU_NO_LABEL). With
// --multilabel it is a set of one.
enum parse_result row_label(const struct parser *parser, struct batch *batch, const char *label,
                            size_t length);

// --multilabel: the set of labels of the row that is not closed yet. Without further labels, the
// set is empty.
enum parse_result row_set_begin(struct batch *batch);
// Adds a label, which is not empty. PARSE_BAD: the set has it already.
enum parse_result row_set_add(const struct parser *parser, struct batch *batch, const char *label,
                              size_t length);
void row_set_end(const struct parser *parser, struct batch *batch);
// Adds the number of a label that the set does not have. False: out of memory.
bool row_set_put(struct batch *batch, uint32_t number);
// The labels of a list, without blanks around them; the empty text is the empty set. `column` is
// that of the text, for messages. A malformed list adds nothing.
enum parse_result row_label_list(const struct parser *parser, struct batch *batch, const char *text,
                                 size_t length, const char *separator, struct bad_row *bad,
                                 size_t column);
// Reports a label that the set has already.
enum parse_result bad_row_repeats(struct bad_row *bad, size_t column, const char *label,
                                  size_t length);
// Without --multilabel: reports a row with several labels.
enum parse_result bad_row_several(const struct parser *parser, struct bad_row *bad, size_t column);
// Whether a text is several numbers with commas between, such as "1,2".
bool is_number_list(const char *text, size_t length);
// Ends the row, whose entries end at `nonzeros`. named_parse calls it for its formats.
void row_close(struct batch *batch, size_t nonzeros, uint64_t line);

// Sets the weight of the row, before it is closed. False: out of memory.
bool row_weight(struct batch *batch, float weight);

// ---- formats.c ----

#define SAMPLE_LINES 200 // that recognisers examine

// Whether a line, which is not empty and has no blanks around it, looks like a row.
typedef bool line_test(const char *line, const char *end, void *context);
// Whether nearly all of the first lines do: a few others may be malformed rows.
bool most_lines(const char *bytes, size_t size, line_test *is_row, void *context);

// Training: an error if options are set that are for tables or for text, and the data is neither.
// The schema is that of the data, with its columns.
tlu_status format_check_options(const tlu_options *options, const struct schema *schema,
                                const char *file, tlu_error *error);

// What is wrong with text in a common format that is not supported; NULL if it is in none of them.
// All of a small file, or at least one line, should be there.
const char *foreign_format(const char *bytes, size_t size);

// ---- parse.c: taking back a row ----

// The state of a batch before a row, so that a malformed row can be removed without a trace.
struct row_mark {
    uint32_t names, large, classes;
    size_t set_cells;
    uint64_t unseen, unknown_labels, queries;
    uint32_t lowest, highest;
    bool ones, weighted;
};
struct row_mark row_mark(const struct batch *batch);
void row_undo(struct batch *batch, const struct row_mark *mark);

#endif
