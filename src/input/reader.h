// The reader: from a path to batches in file order.
//
//     source -> chunks -> workers -> batches
//
// The source reads and unpacks bytes. They are cut into chunks of whole rows. Worker threads read
// one chunk after the other and parse them in parallel; the caller gets the batches in file order.
// How the file is cut does not depend on the number of threads, so the batches do not either.
//
// A binary data file (binary/binary.h) has blocks instead of chunks. If the schema grows, its
// batches are lent: they live as long as the reader.
//
// Training on CSV reads the whole file first, because one word in the last row makes a column
// categorical. A plain file is then read again; compressed data and data from a pipe stay in
// memory.
#ifndef TLU_INPUT_READER_H
#define TLU_INPUT_READER_H

#include "base/options.h"
#include "input/parse.h"

struct reader;
struct file_writer; // base/file.h

// The path may name several files (input/files.h), which are read one after the other; with the
// option "part", a part of the data. Adds to a growing schema: columns at once, names and labels
// with each batch. A frozen schema does not change. The schema must outlive the reader.
tlu_status reader_open(struct reader **reader, const char *path, const tlu_options *options,
                       struct schema *schema, tlu_error *error);
// Fills an empty batch with the next rows, as a parser does (input/parse.h); without a row or a
// line in it the data has ended. Runs in the thread that calls reader_next. Features are numbered
// or named as in LIBSVM data; for a frozen schema, features and labels have its numbers. If the
// function counts no lines, the reader numbers the rows from 1.
typedef tlu_status next_rows_function(void *context, struct batch *batch, tlu_error *error);

// Where rows come from, and which of them are read; the schema gets nothing from the others. A part
// of a data set is read more than once, so the caller has put into memory what can be read only
// once.
struct row_source {
    const char *bytes; // [size] the content of the path; NULL: read it
    size_t size;
    struct subset subset;
    size_t chunk_size; // 0: the usual size; tests use many small chunks
    bool unlabelled;   // rows may lack a label, even if the schema grows
    bool exact;        // keep numbers as they are written, too (batch.scratch.exact)
    bool texts;        // keep the text of rows (reader_row_text)
    bool prompt; // return rows of a pipe as soon as no more are waiting; the schema is settled
    next_rows_function *next_rows; // NULL: read the path; else the path is for messages
    void *next_rows_context;
    // Makes `next_rows` start again, for this schema; called when a reader opens. NULL: `next_rows`
    // returns its rows once.
    void (*again)(void *next_rows_context, const struct schema *schema);
    // Called now and then while the reader waits for data, in the thread that called the reader;
    // true ends the data there. NULL: not called.
    bool (*is_over)(void *context);
    void *context;
    // An open file to read from its place on, in place of the path, which is for messages; 0: none.
    int descriptor;
    // All bytes that are read go there too, unpacked; NULL: nowhere.
    struct file_writer *copy;
    // A part of a file with one row per line is read from its place on, so batch_line counts from
    // there. Messages of the reader have the lines of the file.
    bool seeks;
    // The bytes are the rows that --part chose when they were read before.
    bool chosen;
    // Keep the labels alone: features are checked and left out, those of CSV are not checked.
    // Binary data is an error.
    bool labels_only;
};
tlu_status reader_open_source(struct reader **reader, const char *path,
                              const struct row_source *row_source, const tlu_options *options,
                              struct schema *schema, tlu_error *error);
// A reader of bytes in memory, without threads.
tlu_status reader_open_bytes(struct reader **reader, const char *bytes, size_t size,
                             const tlu_options *options, struct schema *schema, tlu_error *error);
// The same for the schema of a model.
tlu_status reader_open_frozen(struct reader **reader, const char *bytes, size_t size,
                              const tlu_options *options, struct schema *schema, tlu_error *error);
// A reader of a stream, which comes in pieces of whole rows. The first piece tells the format. Rows
// need no label. *rest is the rest of that piece after a header, after *lines lines; it lives until
// the reader is closed. The path is for messages.
tlu_status reader_open_stream(struct reader **reader, const char *path, const char *bytes,
                              size_t size, const tlu_options *options, struct schema *schema,
                              const char **rest, size_t *rest_size, uint64_t *lines,
                              tlu_error *error);
// Parses a piece. The batch keeps its own numbers of names and labels. If a row is malformed, the
// batch has the rows before it.
enum parse_result reader_parse(struct reader *reader, const char *bytes, size_t size,
                               struct batch *batch, struct bad_row *bad);
// Sets the most bytes that a row may have; for a file, --max-row does.
#define TOO_LONG "the row has more than %zu bytes%s; --max-row SIZE allows longer ones"
#define TOO_LONG_CSV " (a quote may not be closed)"
#define TOO_LONG_JSON " (a brace may not be closed)"
void reader_limit_rows(struct reader *reader, size_t most);
size_t reader_row_most(const struct reader *reader);
// The size of the whole rows among the bytes; without a reader, of lines.
size_t reader_complete(const struct reader *reader, const char *bytes, size_t size);
// How rows of JSON end; JSON_LINES in other formats.
enum json_rows reader_json_rows(const struct reader *reader);
// Sets a function that runs on every batch, in the thread that parsed it, in parallel and in any
// order, before reader_next returns the batch. It stores its result in batch->memory.made.result;
// false: out of memory. Only for a frozen schema and all rows of the data: which part of the data a
// row belongs to is not known yet. Call it before the first reader_next.
typedef bool batch_work(void *context, struct batch *batch);
void reader_work(struct reader *reader, batch_work *work, void *context);
// The next batch, with the schema's numbers; NULL at the end. The caller owns the batch, and either
// returns it with reader_recycle or frees it with batch_free.
tlu_status reader_next(struct reader *reader, struct batch **batch, tlu_error *error);
void reader_recycle(struct reader *reader, struct batch *batch);
void reader_close(struct reader *reader);

// Takes over the options that a binary data file was made with, where `options` leaves them open;
// an error if they contradict.
tlu_status reader_adopt(const struct reader *reader, tlu_options *options, tlu_error *error);

uint64_t reader_size(const struct reader *reader); // of the files, 0 if unknown
// Whether it returns all rows that it parses: no subset, and no blocks dealt to others.
bool reader_takes_all(const struct reader *reader);
// Bytes of the unpacked data before the first row: a byte order mark, comments, the header. Of a
// reader with labels_only, before the first reader_next.
uint64_t reader_head(const struct reader *reader);
// Reports an error in a row of a batch, with its place in the data.
tlu_status reader_refuse(const struct reader *reader, const struct batch *batch, size_t row,
                         const char *reason, tlu_error *error);
const char *reader_format(const struct reader *reader);
// Whether the words of texts are features already: binary data.
bool reader_is_parsed(const struct reader *reader);

// --id: where the ids of rows come from; an error if the format has none. *source lives as long as
// the reader and `id`.
struct id_source;
tlu_status reader_id_source(const struct reader *reader, const char *id, struct id_source *source,
                            tlu_error *error);

// Where reader_row_text found the last row; all zero before the first row of a batch.
struct row_text {
    const char *line; // its start
    uint32_t number;  // from 1; 0: none so far
};
// The text of a row without the newline; NULL if texts are not kept (struct row_source) or the data
// is binary. Call it for rows of a batch in ascending order.
const char *reader_row_text(const struct reader *reader, const struct batch *batch,
                            struct row_text *last, size_t row, size_t *length);

// ---- reading.c: how the rows of a stream are read ----

// What a reader has decided about a stream; a later reader of the stream takes it over.
struct reading {
    enum data_format format;
    bool skip_bad;
    int missing;         // MISSING_...
    enum json_rows json; // JSON alone
    // CSV alone
    char delimiter;
    bool decimal_comma;
    size_t count;      // fields of a row
    uint32_t *columns; // [count] of the schema; SCHEMA_NONE: the field is ignored
};

// What the reader of a stream has decided.
tlu_status reading_of(struct reading *reading, const struct reader *reader, tlu_error *error);
void reading_free(struct reading *reading);
// A reader of a stream that decides nothing. The schema is settled, matches `reading`, and must
// outlive the reader. The path is for messages.
tlu_status reader_open_read(struct reader **reader, const char *path, const struct reading *reading,
                            struct schema *schema, tlu_error *error);

// Whether both schemas read rows alike: same format, words and columns.
bool schema_reads_same(const struct schema *a, const struct schema *b);
// Settles a new schema like another one, with features of its own.
tlu_status schema_settle_as(struct schema *schema, const struct schema *decided, const char *path,
                            tlu_error *error);

#endif
