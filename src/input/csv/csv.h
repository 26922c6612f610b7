// CSV as in RFC 4180, with any delimiter. Blanks around a field without quotes are not part of it;
// empty lines are not rows. If the quotes of a row are broken, what they enclose is unknown: the
// row ends with its first line.
#ifndef TLU_INPUT_CSV_CSV_H
#define TLU_INPUT_CSV_CSV_H

#include "base/options.h"
#include "input/parse.h"

// What a field of a row is, for one file.
struct plan_column {
    enum column_kind kind;
    uint32_t feature;        // of a numeric column
    const char *name;        // belongs to the schema
    const struct fill *fill; // likewise; NULL: none
    size_t run; // numeric columns from here on whose features ascend by one; see csv_plan_complete
    char *prefix; // of a text: the name and a colon, before each word
    size_t prefix_length;
};

struct csv_plan {
    char delimiter;
    size_t count;
    struct plan_column *columns; // [count]
    size_t id;                   // the column of --id, from 1; 0: none
    bool decimal_comma;
    bool texts;  // some columns are texts
    bool truths; // true and false are numbers: the model was trained on JSON
};

// The size of the complete rows at the start of the bytes: those that end with a newline.
size_t csv_complete(const char *bytes, size_t size, char delimiter);

// ---- kinds.c: which columns hold numbers ----

// The values of a column, as far as they have been examined.
struct column_stats {
    bool open; // the kind of the column is still to be decided
    uint64_t numbers, others, missing;
    uint64_t commas;                   // of the others: digits, a comma, digits
    const char *other_file;            // NULL: the file of all values
    uint64_t other_line, other_column; // of the first value that is not a number
    char other[64];                    // this value
    size_t other_chunk;                // csv_kinds_search alone
};

// [column_count] stats, open if the options leave the kind open.
tlu_status csv_stats_new(struct column_stats **stats, const struct schema *schema,
                         const tlu_options *options, const char *file, tlu_error *error);
// Adds the rows of a chunk to the stats, without malformed rows: the parser reports these. *lines
// is the number of lines before the chunk; it becomes that before the next. False: out of memory.
bool csv_kinds_scan(const struct schema *schema, struct column_stats *stats, const char *bytes,
                    size_t size, uint64_t *lines, int way);

// Returns the next chunk to a worker (0, the caller, and up); no bytes at the end. The chunk stays
// unchanged until the worker's next call. Called by one worker at a time.
typedef tlu_status csv_next_chunk(void *context, size_t worker, const char **bytes, size_t *size,
                                  tlu_error *error);
// Adds all chunks of a file, after `lines_before` lines. The stats do not depend on `threads`.
tlu_status csv_kinds_search(const struct schema *schema, struct column_stats *stats,
                            uint64_t lines_before, size_t threads, csv_next_chunk *next,
                            void *context, tlu_error *error);

// ---- columns.c: the delimiter ----

// The length of a comment at the start, above the first row; 0 without one.
size_t csv_comment(const char *bytes, size_t size);
// The delimiter that fits the first rows best, or '\0' if none does.
char csv_delimiter(const char *bytes, size_t size);
// For data of a model: the model's delimiter, unless it gives rows of one field and another fits.
char csv_delimiter_for(const struct schema *schema, const char *bytes, size_t size);
// Whether numbers have a comma, by --decimal or the first rows; `known` if these do not tell.
bool csv_decimal_comma(const tlu_options *options, const char *bytes, size_t size, char delimiter,
                       bool known);
// The delimiter that the option names; '\0' if it is not set, with *error set if it is wrong.
tlu_status csv_delimiter_option(const tlu_options *options, char *delimiter, tlu_error *error);

// ---- columns.c: the columns of a file to train on ----

// Sets the schema's columns from the first chunk, which starts at the first row or at the comment
// right above it. csv_kinds_decide decides kinds that the options leave open. *lines is the number
// of lines before the chunk; it becomes that before the first row of data, and *used their length.
tlu_status csv_columns(struct schema *schema, const tlu_options *options, const char *file,
                       const char *bytes, size_t size, size_t *used, uint64_t *lines,
                       tlu_error *error);

// Decides the open kinds and adds the features of numeric columns. Errors: a few words among many
// numbers, unless skip_bad leaves them to the parser; columns whose features could share a name.
// `stats` is NULL if no kind is open.
tlu_status csv_kinds_decide(struct schema *schema, const struct column_stats *stats, bool skip_bad,
                            const char *file, tlu_error *error);

// An error if a column of a whole file has no value that its missing ones could be replaced by.
tlu_status csv_check_values(const struct schema *schema, const struct column_stats *stats,
                            const char *file, tlu_error *error);

// ---- columns.c: which field of a file is which column ----

// The plan for the training file itself.
tlu_status csv_plan_own(struct csv_plan *plan, const struct schema *schema, tlu_error *error);
// The plan from the columns of another file to those of the model: by name if both have a header,
// else by place. The label is optional. plan->delimiter is set already; the rest as in csv_columns.
tlu_status csv_plan_make(struct csv_plan *plan, const struct schema *schema,
                         const tlu_options *options, const char *file, const char *bytes,
                         size_t size, size_t *used, uint64_t *lines, tlu_error *error);
// Sets the runs and prefixes, when the rest is set; false: out of memory.
bool csv_plan_complete(struct csv_plan *plan);
void csv_plan_free(struct csv_plan *plan);
// Whether the names include those of at least half of the schema's features: then they are a
// header, no matter what else they look like.
bool csv_names_features(const struct schema *schema, const struct table *names);

// ---- csv.c: fields by the rules ----

// A position among the fields of a chunk.
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
