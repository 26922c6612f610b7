// CSV as in RFC 4180, with any delimiter. Blanks around a field without quotes are not part of it;
// empty lines are not rows. If the quotes of a row are broken, nobody knows what they enclose: the
// row ends with its first line.
#ifndef TLU_INPUT_CSV_CSV_H
#define TLU_INPUT_CSV_CSV_H

#include "base/options.h"
#include "input/parse.h"

// What to do with each field of a row of this file.
struct plan_column {
    enum column_kind kind;
    uint32_t feature; // of a numeric column
    const char *name; // belongs to the schema
    size_t run; // numeric columns from here on whose features ascend by one; see csv_plan_runs
};

struct csv_plan {
    char delimiter;
    size_t count;
    struct plan_column *columns; // [count]
    size_t id;                   // the column of --id, from 1; 0: none
};

// The size of the complete rows among the bytes: those with a newline at their end.
size_t csv_complete(const char *bytes, size_t size, char delimiter);

// What the feature COLUMN=VALUE of a missing value has for VALUE.
#define CSV_MISSING "(missing)"

// ---- kinds.c: which columns hold numbers ----

struct column_stats;

// Adds a chunk to the looks; malformed rows are left to the parser. *lines is the number of lines
// before the chunk and becomes that of the lines before the next; `way` is CSV_... False if out
// of memory.
bool csv_kinds_scan(const struct schema *schema, struct column_stats *looks, const char *bytes,
                    size_t size, uint64_t *lines, int way);

// Gives a worker (0, the caller, and up) the next chunk, which stays as it is until the worker asks
// again; of no bytes at the end. Called by one worker at a time.
typedef tlu_status csv_next_chunk(void *context, size_t worker, const char **bytes, size_t *size,
                                  tlu_error *error);
// The same for all chunks of a file, after `lines_before` lines.
tlu_status csv_kinds_search(const struct schema *schema, struct column_stats *looks,
                            uint64_t lines_before, size_t threads, csv_next_chunk *next,
                            void *context, tlu_error *error);

// ---- delimiter.c ----

// The length of a comment at the start, above the first row; 0 without one.
size_t csv_comment(const char *bytes, size_t size);
// The delimiter that fits the first rows best, or '\0' if none does.
char csv_delimiter(const char *bytes, size_t size);
// For a model's file: the model's, unless that makes one field of a row and another fits.
char csv_delimiter_for(const struct schema *schema, const char *bytes, size_t size);
// The delimiter that the option names; '\0' if it is not set, with *error set if it is wrong.
tlu_status csv_delimiter_option(const tlu_options *options, char *delimiter, tlu_error *error);

// Training on another format: fails if the options say something about CSV.
tlu_status csv_options_refuse(const tlu_options *options, enum data_format format, const char *file,
                              tlu_error *error);

// ---- columns.c: what the columns of a file to train on are ----

// Training: sets the schema's columns from the first chunk, which starts at the first row or at the
// comment right above it; kinds that the options leave open are still to be found by
// csv_kinds_scan. *lines is the number of lines before the chunk and becomes that of the lines
// before the first row of data, *used their length.
tlu_status csv_columns(struct schema *schema, const tlu_options *options, const char *file,
                       const char *bytes, size_t size, size_t *used, uint64_t *lines,
                       tlu_error *error);

// ---- decide.c: which columns are numbers, by what kinds.c has found ----

// What the values of a column look like.
struct column_stats {
    bool open; // the kind is to be found
    uint64_t numbers, others;
    uint64_t commas;                   // of the others: digits, a comma, digits
    uint64_t other_line, other_column; // the first that is not a number
    char other[64];
    size_t other_chunk; // csv_kinds_search alone
};

// [column_count] looks, open if the options leave the kind open.
tlu_status csv_stats_new(struct column_stats **looks, const struct schema *schema,
                         const tlu_options *options, const char *file, tlu_error *error);
// Decides the open kinds and gives numeric columns their features. A few words among many numbers
// are an error, or with skip_bad left to the parser; so are columns whose features could share a
// name.
tlu_status csv_kinds_decide(struct schema *schema, const struct column_stats *looks, bool skip_bad,
                            const char *file, tlu_error *error);

// ---- plan.c: which field of a file is which column ----

// The plan for the training file itself.
tlu_status csv_plan_own(struct csv_plan *plan, const struct schema *schema, tlu_error *error);
// The plan that leads from another file's columns to the model's: by name if both have a header,
// else by place; a label is optional. The delimiter is set already; the rest as in csv_columns.
tlu_status csv_plan_make(struct csv_plan *plan, const struct schema *schema,
                         const tlu_options *options, const char *file, const char *bytes,
                         size_t size, size_t *used, uint64_t *lines, tlu_error *error);
// Counts the runs, when the rest is set.
void csv_plan_runs(struct csv_plan *plan);
void csv_plan_free(struct csv_plan *plan);

// ---- csv.c: fields by the rules ----

// Walks the fields of a chunk.
struct csv_cursor {
    const char *at, *limit;
    char delimiter;
    bool bare;   // only the ends of fields matter: doubled quotes stay as they are
    bool marked; // to look for byte order marks: there is one
    const char *line_start;
    uint64_t line;         // of the chunk, from 1
    const char *row_start; // of the current row, with its line
    uint64_t row_line;
    char *unquoted; // a quoted field with its doubled quotes undone
    size_t unquoted_capacity;
};

struct csv_field {
    const char *text; // not terminated; lives until the next field
    size_t length;
    uint64_t line, column; // where it starts
    bool last;             // of its row
};

struct csv_cursor csv_start(const char *bytes, size_t size, char delimiter);
void csv_end(struct csv_cursor *cursor);
// Steps over empty lines; false at the end of the chunk.
bool csv_next_row(struct csv_cursor *cursor);
enum parse_result csv_next_field(struct csv_cursor *cursor, struct csv_field *field,
                                 struct bad_row *bad);
// Goes to the end of the current row from anywhere in it; false if a quote is open at the
// chunk's end.
bool csv_skip_row(struct csv_cursor *cursor);
// At the start of a line: counts it.
void csv_new_line(struct csv_cursor *cursor);
void csv_to_row_start(struct csv_cursor *cursor);

bool csv_is_missing(const char *text, size_t length);

#endif
