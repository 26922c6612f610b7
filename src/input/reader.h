// The reader: from a path to batches in file order.
//
// The bytes are cut into chunks that end at the end of a row. Worker threads take turns in reading
// a chunk and parse side by side; the caller gets the batches in the order of the file. How the
// file is cut does not depend on the number of threads, and neither does anything that follows.
//
// Of a binary data file (binary.h) the parts are blocks instead of chunks, and the batches that a
// growing schema gets are lent: they live as long as the reader.
//
// Training on CSV reads the file as a whole first, since one word in its last row makes a column
// categorical. A plain file is then read again; what comes from a pipe or is compressed stays in
// memory.
#ifndef TLU_INPUT_READER_H
#define TLU_INPUT_READER_H

#include "base/options.h"
#include "input/parse.h"

struct reader;

// A growing schema is filled (columns at once, names and labels with each batch); a frozen one is
// only looked at. Both must outlive the reader.
tlu_status reader_open(struct reader **reader, const char *path, const tlu_options *options,
                       struct schema *schema, tlu_error *error);
// Brings rows, in the thread that asks for batches: fills the batch, which is empty, as a parser
// does (batch.h, input/parse.h); without a row or a line in it the data has ended. Features are
// numbered or named as in LIBSVM data; for a frozen schema they and the labels have its numbers. If
// the function counts no lines, these are the numbers of rows from 1.
typedef tlu_status next_rows_function(void *context, struct batch *batch, tlu_error *error);

// The same for some of the rows: the schema never learns of the others. A part of a data set is
// read more than once, so what can be read only once has been put into memory.
struct row_source {
    const char *bytes; // [size] what the path leads to; NULL: read it
    size_t size;
    struct subset subset;
    size_t chunk_size; // of a chunk, if not as usual: tests have many small ones
    bool unlabelled;   // rows may lack a label, for a growing schema too
    bool exact;        // numbers are kept as they are written, too (batch.scratch.exact)
    bool texts;        // and so are the rows (reader_row_text)
    next_rows_function *next_rows; // NULL: the path is read; else it is for messages
    void *next_rows_context;
    // Lets `next_rows` begin again, for this schema; called before a reading. NULL: it brings rows
    // once.
    void (*again)(void *next_rows_context, const struct schema *schema);
    // Asked now and then while the reader waits for data, by the thread that called it; true ends
    // the data there. NULL: not asked.
    bool (*is_over)(void *context);
    void *context;
};
tlu_status reader_open_source(struct reader **reader, const char *path,
                              const struct row_source *row_source, const tlu_options *options,
                              struct schema *schema, tlu_error *error);
// A reader of bytes in memory, without threads.
tlu_status reader_open_bytes(struct reader **reader, const char *bytes, size_t size,
                             const tlu_options *options, struct schema *schema, tlu_error *error);
// A reader of a stream that comes in pieces of whole rows, of which it has the first to find the
// format by. Rows need no label. *rest is what is left of that piece after a header and lives
// until the reader is closed; *lines are those before it. The path is for messages.
tlu_status reader_open_stream(struct reader **reader, const char *path, const char *bytes,
                              size_t size, const tlu_options *options, struct schema *schema,
                              const char **rest, size_t *rest_size, uint64_t *lines,
                              tlu_error *error);
// Parses a piece. The batch keeps its own numbers of names and labels; if a row is malformed, it
// has those before it.
enum parse_result reader_parse(struct reader *reader, const char *bytes, size_t size,
                               struct batch *batch, struct bad_row *bad);
// From now on a row has at most this many bytes; for a file that is --max-row.
#define TOO_LONG "the row has more than %zu bytes%s; --max-row SIZE allows longer ones"
#define TOO_LONG_CSV " (a quote may not be closed)"
void reader_limit_rows(struct reader *reader, size_t most);
size_t reader_row_most(const struct reader *reader);
// The size of the whole rows among the bytes; without a reader, of lines.
size_t reader_complete(const struct reader *reader, const char *bytes, size_t size);
// Work to be done on every batch before it is handed out, by the thread that parsed it, several at
// a time and in no order. What comes of it goes to batch->memory.made.result; false: out of memory.
// For a frozen schema and all rows of the data, since the place in the file, and with it the part
// that a row is in, is not known yet. To be called before the first batch is asked for.
typedef bool batch_work(void *context, struct batch *batch);
void reader_work(struct reader *reader, batch_work *work, void *context);
// The next batch, with the schema's numbers; NULL at the end. The batch is the caller's, who gives
// it back with reader_recycle or frees it with batch_free.
tlu_status reader_next(struct reader *reader, struct batch **batch, tlu_error *error);
void reader_recycle(struct reader *reader, struct batch *batch);
void reader_close(struct reader *reader);

// A binary data file was made with options of its own: those that `options` leaves open are set
// there; an error if they say otherwise.
tlu_status reader_adopt(const struct reader *reader, tlu_options *options, tlu_error *error);

uint64_t reader_size(const struct reader *reader); // of the file, 0 if unknown
// What is wrong with a row of a batch, at its place in the data.
tlu_status reader_refuse(const struct reader *reader, const struct batch *batch, size_t row,
                         const char *reason, tlu_error *error);
const char *reader_format(const struct reader *reader);

// --id: where the ids of rows come from; an error if the format has none. *source lives as long as
// the reader and `id`.
struct id_source;
tlu_status reader_id_source(const struct reader *reader, const char *id, struct id_source *source,
                            tlu_error *error);

// Where the last row was that was asked for; all zero for the first of a batch.
struct row_text {
    const char *line; // its start
    uint32_t number;  // from 1; 0: none so far
};
// A row as it is written, without the newline, if it is kept (struct row_source); else NULL, as the
// rows of binary data have no text. Rows of a batch are asked for in ascending order.
const char *reader_row_text(const struct reader *reader, const struct batch *batch,
                            struct row_text *last, size_t row, size_t *length);

// ---- reader/reading.c ----

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
