// The reader's own parts: reader.c hands out batches, chunks.c reads the text of rows, open.c finds
// out what the data is. Everybody else wants reader.h.
#ifndef TLU_DATA_READER_INSIDE_H
#define TLU_DATA_READER_INSIDE_H

#include "data/reader.h"
#include "data/source.h"
#include "format/binary/binary.h"
#include "format/csv/csv.h"
#include "format/parse.h"

#include <pthread.h>

#define CHUNK_SIZE ((size_t)1 << 20)
#define STEP_SIZE ((size_t)4 << 20) // of a longer row, before it is asked whether to go on
#define THREADS_MOST 64
#define WAIT_NANOSECONDS 100000000 // between two questions whether to go on

struct chunk {
    char *bytes;
    size_t size, capacity;
    uint64_t position; // bytes of the file read by its end
    bool end;          // there was nothing left to read
};

// What a worker makes of a chunk.
struct slot {
    bool busy;  // from reading its chunk to handing out its batch
    bool ready; // parsed
    bool end;   // there was no chunk left
    struct chunk chunk;
    struct binary_block block; // of a binary file, instead of a chunk
    struct batch *batch;
    enum parse_result result;
    struct bad_row bad;
    tlu_status status; // of reading
    tlu_error error;
};

struct reader {
    char *path;
    struct source *source; // NULL for bytes in memory
    struct schema *schema;
    struct parser parser;
    struct csv_plan plan;
    parse_function *parse;
    struct binary *binary;   // of a binary file; else NULL
    enum data_format format; // what parse parses

    // Reading chunks: one at a time, in order.
    pthread_mutex_t reading;
    struct chunk carry; // read, and not yet part of a chunk
    size_t chunk_size;  // about
    bool source_ended;
    size_t row_most;      // bytes of a row; SIZE_MAX: of what was given, not read
    bool overlong;        // the last chunk is a part of a row that is longer
    bool shared;          // several threads read that must not ask the caller
    struct chunk *loaded; // chunks read before parsing began
    size_t loaded_count, loaded_capacity, loaded_next;
    uint64_t next_read; // number of the next chunk

    // Handing out batches.
    pthread_mutex_t state;
    pthread_cond_t batch_ready, slot_free;
    struct slot *slots;
    size_t slot_count;
    uint64_t next_given;
    bool stop;
    struct batch *spares[2 * THREADS_MOST]; // [spare_count] given back
    size_t spare_count;
    pthread_t threads[THREADS_MOST];
    size_t thread_count; // 0: the caller parses

    uint64_t lines, rows;           // before the next batch
    struct subset subset;           // the rows to hand out
    uint64_t file_rows;             // read so far, whether handed out or not
    bool (*is_over)(void *context); // see struct excerpt
    void *context;
    size_t threads_wanted; // they are started when the first batch is asked for
    bool threaded;         // it is the workers that read
    bool ended;
    bool live;        // rows are given by reader_feed; their names are the caller's to look up
    batch_work *work; // NULL: none
    void *work_context;
};

// ---- reader.c ----

// Without options (NULL) as the defaults have it; NULL: no memory.
struct reader *reader_new(const char *path, const tlu_options *options, struct schema *schema);

// ---- chunks.c ----

bool reader_is_over(const struct reader *reader); // whether the caller has had enough
// Asked by the source while it waits: workers look whether they are to stop, the caller asks
// itself.
bool reader_wait_is_over(void *reader);
// Reads the next chunk of whole rows. One without a complete row grows until it has one.
tlu_status reader_read_chunk(struct reader *reader, struct chunk *chunk, tlu_error *error);
// Parses whole rows, up to one that is too long.
enum parse_result reader_parse_rows(const struct reader *reader, const char *bytes, size_t size,
                                    struct batch *batch, struct bad_row *bad);
// Whether the first row of the first chunk is too long.
tlu_status reader_check_first(const struct reader *reader, tlu_error *error);
// The next chunk, from memory where it was read before.
tlu_status reader_next_chunk(struct reader *reader, struct chunk *chunk, tlu_error *error);

// ---- open.c ----

// Decides on the format and prepares for it. The first chunk is loaded[0].
tlu_status reader_open_format(struct reader *reader, const tlu_options *options, tlu_error *error);

#endif
