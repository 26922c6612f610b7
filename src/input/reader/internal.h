// The parts of a reader. All others use input/reader.h.
//
//     open.c      opens the data, finds its format and prepares for it
//     chunks.c    cuts text into chunks of whole rows
//     shares.c    goes from file to file, and finds the rows of a part of the data
//     workers.c   reads parts of the data in order and parses them in parallel
//     reader.c    returns the batches in the order of the data
//     reading.c   how the rows of a stream are read, for a later reader of the same stream
#ifndef TLU_INPUT_READER_INTERNAL_H
#define TLU_INPUT_READER_INTERNAL_H

#include "input/binary/binary.h"
#include "input/csv/csv.h"
#include "input/files.h"
#include "input/json/members.h"
#include "input/parse.h"
#include "input/reader.h"
#include "input/source.h"

#include <pthread.h>

#define THREADS_MAX 64

// Where rows end, and how long a row may be. (chunks.c)
struct row_rule {
    char delimiter; // of CSV, whose quoted fields may have newlines in them; '\0': a row is a line
    enum json_rows json; // unless it is an object
    size_t longest;      // bytes of a row; SIZE_MAX: no limit
};

struct chunk {
    char *bytes;
    size_t size, capacity;
    uint64_t position; // bytes of the data read by its end
    bool end;          // there was nothing left to read
    size_t file;       // its number
    uint64_t place;    // bytes of the file before it; meaningless if the file is compressed
    struct gap {       // what was left out between the last chunk and this one, in its file
        uint64_t lines, column;
        bool closed; // the JSON array has ended
    } gap;
};

// The files that the bytes come from, and the share of them that is read. (shares.c)
struct file_set {
    struct file_list list;
    uint64_t *starts;   // [list.count + 1] bytes of the files before each; NULL: not from files
    bool waits;         // some are not regular files; these have no bytes in `starts`
    bool comments;      // lines at the start that begin with # are not rows
    bool libsvm;        // the ruling file looks like LIBSVM, so the others have to
    size_t open;        // the file that is read
    size_t ruling;      // the first file with a row, which decides about format and columns
    size_t first, stop; // files outside this range are not read
    char *header;       // [header_size] the header of CSV, which other files may have, too
    size_t header_size;
    bool ranged; // only rows are read that start in a range of bytes
    uint64_t start, end;
    bool seeks;      // see struct row_source
    size_t sought;   // the file that is not read from its start
    uint64_t unread; // bytes of this file before those that are read; 0: none
};

// The bytes of text, which are cut into chunks: one at a time, in order. (chunks.c)
struct chunks {
    struct source *source; // NULL: all bytes are loaded
    struct file_set files;
    struct row_rule rule;
    size_t chunk_size;    // about
    struct chunk carry;   // read, and not yet part of a chunk
    bool ended;           // there is nothing left to read from the source
    bool overlong;        // the last chunk is a part of a row that is longer
    bool opening;         // the rule is not known yet
    bool shared;          // several threads read that must not ask the caller
    bool prompt;          // a chunk ends when no more data is ready
    struct chunk *loaded; // [loaded_count] chunks read before parsing began
    size_t loaded_count, loaded_capacity, loaded_next;
    bool (*is_over)(void *context); // asked while a long row is read; NULL: not asked
    void *context;
    uint64_t read;            // bytes that the source has returned
    struct file_writer *copy; // see struct row_source
};

// A part of the data on its way to a batch.
struct reader_slot {
    bool busy;                 // from reading the part until its batch is taken
    bool ready;                // parsed
    bool end;                  // there was nothing left to read
    struct chunk chunk;        // of text
    struct binary_block block; // of a binary file
    struct batch *batch;
    enum parse_result result;
    struct bad_row bad;
    tlu_status status; // of reading
    tlu_error error;
};

// The threads that read and parse, and the slots that they fill. (workers.c)
struct workers {
    pthread_mutex_t reading; // held by the thread that reads the next part
    uint64_t next_read;      // number of the next part to be read

    pthread_mutex_t state; // for all that follows
    pthread_cond_t batch_ready, slot_free;
    struct reader_slot *slots; // [slot_count] part number n is in slot n % slot_count
    size_t slot_count;
    uint64_t next_given; // number of the next part that the caller gets
    bool stop;
    struct batch *spares[2 * THREADS_MAX]; // [spare_count] given back
    size_t spare_count;

    pthread_t threads[THREADS_MAX];
    size_t thread_count;   // 0: the caller parses
    size_t threads_wanted; // they are started when the first batch is asked for
    bool threaded;         // it is the workers that read
};

struct reader;

// Where batches come from.
struct origin {
    // Reads the next part of the data: one at a time, in order. Sets slot->end after the last.
    tlu_status (*read)(struct reader *reader, struct reader_slot *slot, tlu_error *error);
    // Makes its batch, in parallel with other parts; reports a malformed row in slot->result and
    // slot->bad.
    tlu_status (*parse)(struct reader *reader, struct reader_slot *slot, tlu_error *error);
    // Keeps the rows of the subset, with the schema's numbers: one part at a time, in order.
    tlu_status (*admit)(struct reader *reader, struct reader_slot *slot, tlu_error *error);
};
extern const struct origin origin_text, origin_binary, origin_rows;

// How a schema that is not settled gets its columns. Readers of a model have no such rules, so
// programs that only predict are linked without them.
struct column_rules {
    tlu_status (*csv)(struct schema *schema, const tlu_options *options, const char *file,
                      const char *bytes, size_t size, size_t *used, uint64_t *lines,
                      tlu_error *error);
    tlu_status (*csv_kinds)(struct reader *reader, const tlu_options *options, tlu_error *error);
    tlu_status (*json)(struct schema *schema, const tlu_options *options, const char *file,
                       enum json_rows rows, const char *bytes, size_t size, bool stream,
                       tlu_error *error);
};

struct reader {
    const struct column_rules *rules; // NULL: the schema is settled
    char *path;
    struct schema *schema;
    const struct origin *origin;
    struct chunks chunks;     // of text
    struct binary *binary;    // of a binary file; else NULL
    struct given_rows *given; // rows that the options have (tlu_options_set_data); else NULL
    struct row_function {     // of rows that a function returns
        next_rows_function *next_rows;
        void *context;
    } row_function;

    enum data_format format; // what parse parses
    parse_function *parse;
    struct parser parser;
    struct csv_plan plan;     // of CSV
    struct json_plan members; // of JSON records
    bool texts;               // batches keep the bytes that they were parsed from
    bool labels_only;         // see struct row_source
    bool stream; // pieces of a stream go to reader_parse; the caller looks up their names

    struct workers workers;
    struct reader_work { // see reader_work
        batch_work *run; // NULL: no work
        void *context;
    } work;
    struct caller {
        bool (*is_over)(void *context); // see struct row_source
        void *context;
    } caller;

    struct subset subset; // the rows to return
    struct passed {
        size_t file;          // of the next batch
        uint64_t rows, lines; // before the next batch
        uint64_t column;      // bytes of its first line before it
        uint64_t file_rows;   // read so far, whether returned or not
        bool closed;          // the JSON array has ended
    } passed;
    bool ended;
};

// The name of a file of the data.
static inline const char *reader_file(const struct reader *reader, size_t file)
{
    const struct file_list *list = &reader->chunks.files.list;
    return file < list->count ? list->paths[file] : reader->path;
}

// Whether the caller wants to stop; call it in the caller's thread only.
static inline bool caller_is_over(const struct caller *caller)
{
    return caller->is_over && caller->is_over(caller->context);
}

// ---- open.c ----

// Without options (NULL) as the defaults have it; NULL: out of memory.
struct reader *reader_new(const char *path, const tlu_options *options, struct schema *schema);
// Returns the reader if opening it succeeded; else closes it.
tlu_status reader_opened(struct reader **out, struct reader *reader, tlu_status status);

// The size of the lines at the start that are no data in any format: empty ones, and comments.
// *rows: there is a row after them.
size_t preamble_size(const struct chunk *chunk, bool comments, uint64_t *lines, bool *rows);

// ---- shares.c ----

// Opens the first file that has a row, and reads its first chunk.
tlu_status files_begin(struct chunks *chunks, struct chunk *chunk, const tlu_options *options,
                       tlu_error *error);
void files_free(struct file_set *files);
// Whether bytes are left to read, in this file or another.
bool chunks_more(const struct chunks *chunks);
// Bytes to be read, as far as they are known.
uint64_t chunks_size(const struct chunks *chunks);
// Opens the next file and reads its first chunk without what comes before the rows. *found is false
// after the last file.
tlu_status files_next(struct chunks *chunks, struct chunk *chunk, bool *found, tlu_error *error);
// Whether the ruling file and those after it can be read a second time.
bool files_reread(const struct chunks *chunks);
// Goes back to a place of the ruling file.
tlu_status files_return(struct chunks *chunks, uint64_t place, tlu_error *error);
// From here on chunks are those of a part of the data. *taken is false if the data cannot be cut,
// and the caller has to choose among its rows. `text`: the data is not binary.
tlu_status files_take_part(struct chunks *chunks, const struct data_part *part, bool text,
                           bool *taken, tlu_error *error);
// The lines of a file that were not read because the part begins after them. They are counted now.
uint64_t files_unread_lines(const struct chunks *chunks, size_t file);
// Cuts off what is outside the part; false if nothing is left. *gap is what was left out before the
// chunk, and then what is left out before the next.
bool files_cut(const struct chunks *chunks, struct chunk *chunk, struct gap *gap);

// ---- chunks.c: whole rows ----

// The size of the whole rows among the bytes.
size_t rows_complete(const struct row_rule *rule, const char *bytes, size_t size);
// The place of the first row that is too long; `size`: no row is. After the last whole row there
// may be a part of one.
size_t rows_overlong(const struct row_rule *rule, const char *bytes, size_t size);
// Reports that the row of this line is too long.
enum parse_result row_too_long(const struct row_rule *rule, uint64_t line, struct bad_row *bad);
// Parses whole rows, up to one that is too long.
enum parse_result reader_parse_rows(const struct reader *reader, const char *bytes, size_t size,
                                    struct batch *batch, struct bad_row *bad);

// ---- chunks.c: chunks ----

tlu_status chunk_append(struct chunk *chunk, const char *bytes, size_t size, tlu_error *error);

void chunks_init(struct chunks *chunks);
void chunks_free(struct chunks *chunks);
void chunk_drop(struct chunk *chunk, size_t used); // the first `used` bytes
// An empty one to be loaded.
tlu_status chunks_add(struct chunks *chunks, struct chunk **chunk, tlu_error *error);
// Loads bytes that are all there is.
tlu_status chunks_load(struct chunks *chunks, const char *bytes, size_t size, tlu_error *error);
// Reads the next chunk of whole rows of the open file. One without a complete row grows until it
// has one, or until the row is too long, which the parser reports.
tlu_status chunks_read_file(struct chunks *chunks, struct chunk *chunk, tlu_error *error);
// The same, of all files, one after the other.
tlu_status chunks_read(struct chunks *chunks, struct chunk *chunk, tlu_error *error);
// The next chunk, from memory if it was loaded.
tlu_status chunks_next(struct chunks *chunks, struct chunk *chunk, tlu_error *error);
// The first chunk was cut before the rule was known, perhaps inside a row: puts all bytes that were
// read into it, or cuts these as the rule says.
tlu_status chunks_uncut(struct chunks *chunks, tlu_error *error);
tlu_status chunks_recut(struct chunks *chunks, tlu_error *error);
// Adds rows to the first chunk, unless the data has ended.
tlu_status chunks_extend(struct chunks *chunks, tlu_error *error);
// The same, until the chunk has more rows than before, of which one may be longer than a chunk.
tlu_status chunks_grow(struct chunks *chunks, tlu_error *error);

// ---- workers.c ----

void workers_init(struct workers *workers);
// Allocates the slots: one for the caller alone, more for threads.
tlu_status workers_reserve(struct workers *workers, size_t threads, tlu_error *error);
void workers_free(struct workers *workers);
// The slot of the next part, which has been parsed; NULL if the caller wants to stop.
struct reader_slot *workers_next(struct reader *reader);
// Its batch was taken: the slot is free.
void workers_release(struct workers *workers, struct reader_slot *slot);
// Keeps a batch for reuse; false if there are enough of them.
bool workers_take_back(struct workers *workers, struct batch *batch);
// Whether reading should stop while it waits for data. Workers check their stop flag, the caller
// its own function.
bool workers_is_over(void *reader);

#endif
