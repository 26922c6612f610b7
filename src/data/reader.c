#include "data/reader.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "data/binary.h"
#include "data/csv.h"
#include "data/foreign.h"
#include "data/parse.h"
#include "data/recognise.h"
#include "data/source.h"
#include "data/words.h"

#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHUNK_SIZE ((size_t)1 << 20)
#define CHUNK_MOST ((size_t)1 << 32) // the longest row: its entries are counted in 32 bits
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
    batch_work *work; // NULL: none
    void *work_context;
};

// Whether the caller has had enough.
static bool is_over(const struct reader *reader)
{
    return reader->is_over && reader->is_over(reader->context);
}

// Asked by the source while it waits: workers look whether they are to stop, the caller asks
// itself.
static bool wait_is_over(void *context)
{
    struct reader *reader = context;
    if (!reader->threaded)
        return is_over(reader);
    pthread_mutex_lock(&reader->state);
    bool stop = reader->stop;
    pthread_mutex_unlock(&reader->state);
    return stop;
}

// ---- chunks ----

// The size of the complete rows among the bytes. Before the format is known, lines are rows.
static size_t complete_rows(const struct reader *reader, const struct chunk *chunk)
{
    if (reader->parse == csv_parse)
        return csv_complete(chunk->bytes, chunk->size, reader->plan.delimiter);
    const char *newline = memrchr(chunk->bytes, '\n', chunk->size);
    return newline ? (size_t)(newline - chunk->bytes) + 1 : 0;
}

static tlu_status fill_chunk(struct reader *reader, struct chunk *chunk, size_t size,
                             tlu_error *error)
{
    if (!memory_reserve(&chunk->bytes, &chunk->capacity, size, 1))
        return error_memory(error);
    size_t got = 0;
    tlu_status status = TLU_OK;
    if (reader->source)
        status = source_read(reader->source, chunk->bytes + chunk->size, size - chunk->size, &got,
                             error);
    reader->source_ended = got < size - chunk->size;
    chunk->size += got;
    return status;
}

// Keeps what is behind the last complete row for the next chunk.
static tlu_status carry_rest(struct reader *reader, struct chunk *chunk, size_t complete,
                             tlu_error *error)
{
    struct chunk *carry = &reader->carry;
    carry->size = chunk->size - complete;
    if (!memory_reserve(&carry->bytes, &carry->capacity, carry->size, 1))
        return error_memory(error);
    if (carry->size)
        memcpy(carry->bytes, chunk->bytes + complete, carry->size);
    chunk->size = complete;
    return TLU_OK;
}

// Reads the next chunk of whole rows. One without a complete row grows until it has one.
static tlu_status read_chunk(struct reader *reader, struct chunk *chunk, tlu_error *error)
{
    struct chunk *carry = &reader->carry;
    chunk->size = 0;
    if (!memory_reserve(&chunk->bytes, &chunk->capacity, carry->size, 1))
        return error_memory(error);
    if (carry->size)
        memcpy(chunk->bytes, carry->bytes, carry->size);
    chunk->size = carry->size;
    carry->size = 0;
    size_t complete = 0;
    tlu_status status = TLU_OK;
    for (size_t size = reader->chunk_size; status == TLU_OK && !reader->source_ended && !complete;
         size *= 2) {
        if (size > CHUNK_MOST)
            return error_at(error, reader->path, 0, 0, "a row is longer than 4 GB%s",
                            reader->parse == csv_parse ? ": a quote may not be closed" : "");
        if (chunk->size < size)
            status = fill_chunk(reader, chunk, size, error);
        if (status == TLU_OK && chunk->size)
            complete = complete_rows(reader, chunk);
    }
    if (status == TLU_OK && !reader->source_ended)
        status = carry_rest(reader, chunk, complete, error);
    chunk->end = chunk->size == 0;
    chunk->position = reader->source ? source_position(reader->source) : chunk->size;
    return status;
}

// The next chunk from memory or from the source.
static tlu_status next_chunk(struct reader *reader, struct chunk *chunk, tlu_error *error)
{
    if (reader->loaded_next == reader->loaded_count)
        return read_chunk(reader, chunk, error);
    memory_free(chunk->bytes);
    *chunk = reader->loaded[reader->loaded_next];
    reader->loaded[reader->loaded_next++] = (struct chunk){0};
    return TLU_OK;
}

// ---- one slot's work ----

// Reads the slot's part of the file.
static void read_slot(struct reader *reader, struct slot *slot)
{
    if (!reader->binary) {
        slot->status = next_chunk(reader, &slot->chunk, &slot->error);
        return;
    }
    slot->status = binary_next(reader->binary, &slot->block, &slot->error);
    slot->chunk.end = slot->status == TLU_OK && slot->block.end;
}

// The text of the slot's chunk becomes its batch.
static void parse_text(struct reader *reader, struct slot *slot)
{
    if (!slot->batch)
        slot->batch = batch_new();
    if (!slot->batch) {
        slot->result = PARSE_MEMORY;
        return;
    }
    batch_clear(slot->batch);
    slot->batch->bytes = slot->chunk.position;
    slot->result = reader->parse(&reader->parser, slot->chunk.bytes, slot->chunk.size, slot->batch,
                                 &slot->bad);
}

static void parse_slot(struct reader *reader, struct slot *slot)
{
    slot->end = slot->status == TLU_OK && slot->chunk.end;
    slot->result = PARSE_OK;
    if (slot->status != TLU_OK || slot->end)
        return;
    if (reader->binary) {
        slot->status = binary_batch(reader->binary, &slot->block, &slot->batch, &slot->error);
        binary_drop(&slot->block);
    } else {
        parse_text(reader, slot);
    }
    if (slot->status == TLU_OK && slot->result == PARSE_OK && reader->work &&
        !reader->work(reader->work_context, slot->batch))
        slot->result = PARSE_MEMORY;
}

static struct slot *slot_at(struct reader *reader, uint64_t number)
{
    return &reader->slots[number % reader->slot_count];
}

// Waits for a free slot and reads the next chunk into it; NULL where work is over.
static struct slot *take_chunk(struct reader *reader)
{
    pthread_mutex_lock(&reader->reading);
    struct slot *slot = slot_at(reader, reader->next_read);
    pthread_mutex_lock(&reader->state);
    while (slot->busy && !reader->stop)
        pthread_cond_wait(&reader->slot_free, &reader->state);
    bool stop = reader->stop; // then the slot may still be somebody else's
    if (!stop) {
        slot->busy = true;
        if (!slot->batch && reader->spare_count)
            slot->batch = reader->spares[--reader->spare_count];
    }
    pthread_mutex_unlock(&reader->state);
    if (!stop) {
        read_slot(reader, slot);
        reader->next_read++;
        if (slot->status != TLU_OK || slot->chunk.end) { // nobody needs to read on
            pthread_mutex_lock(&reader->state);
            reader->stop = true;
            pthread_cond_broadcast(&reader->slot_free);
            pthread_mutex_unlock(&reader->state);
        }
    }
    pthread_mutex_unlock(&reader->reading);
    return stop ? NULL : slot;
}

static void *run_worker(void *argument)
{
    struct reader *reader = argument;
    struct slot *slot;
    while ((slot = take_chunk(reader))) {
        parse_slot(reader, slot);
        pthread_mutex_lock(&reader->state);
        slot->ready = true;
        pthread_cond_signal(&reader->batch_ready);
        pthread_mutex_unlock(&reader->state);
    }
    return NULL;
}

// ---- opening ----

// Reading the whole file for the kinds of its columns.
struct first_reading {
    struct reader *reader;
    bool keep;          // what is read cannot be read again
    size_t given;       // chunks so far
    struct chunk *room; // [threads] for what is not kept
};

static tlu_status next_to_look_at(void *context, size_t worker, const char **bytes, size_t *size,
                                  tlu_error *error)
{
    struct first_reading *reading = context;
    struct reader *reader = reading->reader;
    tlu_status status = TLU_OK;
    struct chunk *chunk;
    do { // the first chunk may have been the header alone
        size_t i = reading->given++;
        chunk = &reading->room[worker];
        if (i < reader->loaded_count) {
            chunk = &reader->loaded[i];
            continue;
        }
        if (reading->keep) {
            if (!memory_reserve(&reader->loaded, &reader->loaded_capacity, i + 1,
                                sizeof *reader->loaded))
                return error_memory(error);
            chunk = &reader->loaded[reader->loaded_count++];
            *chunk = (struct chunk){0};
        }
        status = read_chunk(reader, chunk, error);
    } while (status == TLU_OK && chunk->size == 0 && !chunk->end);
    if (status == TLU_OK && worker == 0 && is_over(reader)) // the caller alone may be asked
        status = error_system(error, "interrupted before anything was learned");
    *bytes = chunk->bytes;
    *size = chunk->size;
    return status;
}

// Finds the kinds of the columns. A plain file is read and then read again; other data stays in
// memory. The reading is to go on behind the first chunk either way.
static tlu_status find_kinds(struct reader *reader, const tlu_options *options, tlu_error *error)
{
    struct source *source = reader->source;
    bool again = source && !reader->source_ended && source_rereads(source);
    uint64_t place = again ? source_place(source) - reader->carry.size : 0;
    size_t threads = parallel_threads(options_count(options, OPTION_THREADS));
    if (reader->source_ended || (source && source_waits(source)))
        threads = 1;
    struct first_reading reading = {.reader = reader, .keep = !again};
    struct column_look *looks;
    tlu_status status = csv_looks_new(&looks, reader->schema, options, reader->path, error);
    reading.room = memory_new(threads, sizeof *reading.room);
    if (status == TLU_OK && !reading.room)
        status = error_memory(error);
    if (status == TLU_OK)
        status = csv_kinds_search(reader->schema, looks, reader->lines, threads, next_to_look_at,
                                  &reading, error);
    if (status == TLU_OK)
        status =
            csv_kinds_decide(reader->schema, looks, reader->parser.skip_bad, reader->path, error);
    if (status == TLU_OK && again) {
        status = source_reread(source, place, error);
        reader->source_ended = false;
        reader->carry.size = 0;
    }
    for (size_t i = 0; reading.room && i < threads; i++)
        memory_free(reading.room[i].bytes);
    memory_free(reading.room);
    memory_free(looks);
    return status;
}

static void drop_start(struct chunk *chunk, size_t used)
{
    if (used)
        memmove(chunk->bytes, chunk->bytes + used, chunk->size - used);
    chunk->size -= used;
}

// The size of the lines at the start that are no data in any format: empty ones, and comments.
// These are "#" with a blank behind it, since "#id" may be the first name in a CSV header. A
// comment right above the first row stays: it may be the header of CSV.
static size_t preamble(const struct chunk *chunk, bool comments, uint64_t *lines)
{
    const char *at = chunk->bytes, *limit = at + chunk->size;
    const char *above = NULL; // the line above, where it is a comment
    while (at < limit) {
        const char *start = at, *newline = memchr(at, '\n', (size_t)(limit - at));
        const char *end = newline ? newline : limit;
        bool comment = comments && *at == '#' &&
                       (end == at + 1 || at[1] == ' ' || at[1] == '\t' || at[1] == '\r');
        while (at < end && (*at == ' ' || *at == '\r'))
            at++;
        if (!comment && at < end) {
            *lines -= above != NULL;
            return (size_t)((above ? above : start) - chunk->bytes);
        }
        above = comment && !memchr(start, '"', (size_t)(end - start)) ? start : NULL;
        at = newline ? newline + 1 : limit;
        ++*lines;
    }
    return chunk->size;
}

// Drops what comes before the first row; the first chunk is empty only where there is no row at
// all. In formats of text a line that begins with # is a row like any other.
static tlu_status skip_preamble(struct reader *reader, bool comments, tlu_error *error)
{
    struct chunk *first = &reader->loaded[0];
    const char *problem = first->size ? foreign_format(first->bytes, first->size) : NULL;
    if (problem)
        return error_at(error, reader->path, 0, 0, "%s", problem);
    if (first->size >= 3 && memcmp(first->bytes, "\xEF\xBB\xBF", 3) == 0)
        drop_start(first, 3); // UTF-8's byte order mark
    tlu_status status = TLU_OK;
    do {
        drop_start(first, preamble(first, comments, &reader->lines));
        if (first->size || reader->source_ended)
            break;
        status = read_chunk(reader, first, error);
    } while (status == TLU_OK);
    return status;
}

// The first chunk was cut before its format was known, perhaps inside a quoted field: puts it
// together again and cuts it as CSV.
static tlu_status recut_first(struct reader *reader, tlu_error *error)
{
    struct chunk *first = &reader->loaded[0], *carry = &reader->carry;
    if (reader->source_ended)
        return TLU_OK;
    if (!memory_reserve(&first->bytes, &first->capacity, first->size + carry->size, 1))
        return error_memory(error);
    if (carry->size)
        memcpy(first->bytes + first->size, carry->bytes, carry->size);
    first->size += carry->size;
    struct chunk swap = *carry;
    *carry = *first;
    *first = swap;
    return read_chunk(reader, first, error);
}

static tlu_status open_csv(struct reader *reader, const tlu_options *options, tlu_error *error)
{
    struct schema *schema = reader->schema;
    struct csv_plan *plan = &reader->plan;
    struct chunk *first = &reader->loaded[0];
    size_t used = 0;
    uint64_t lines = reader->lines;
    tlu_status status = csv_delimiter_option(options, &plan->delimiter, error);
    if (!plan->delimiter)
        plan->delimiter = schema->frozen ? csv_delimiter_for(schema, first->bytes, first->size)
                                         : csv_delimiter(first->bytes, first->size);
    if (!plan->delimiter)
        plan->delimiter = ',';
    reader->parse = csv_parse;
    reader->parser.plan = plan;
    if (status == TLU_OK)
        status = recut_first(reader, error);
    if (status == TLU_OK && schema->frozen)
        status = csv_plan_make(plan, schema, options, reader->path, first->bytes, first->size,
                               &used, &lines, error);
    if (status == TLU_OK && !schema->frozen) {
        schema->delimiter = plan->delimiter;
        status = csv_columns(schema, options, reader->path, first->bytes, first->size, &used,
                             &lines, error);
    }
    if (status == TLU_OK && used) {
        drop_start(first, used);
        reader->lines += lines;
    }
    if (status == TLU_OK && !schema->frozen)
        status = find_kinds(reader, options, error);
    if (status == TLU_OK && !schema->frozen)
        status = csv_plan_own(plan, schema, error);
    return status;
}

// What was read of it so far may have been cut at what would be a newline in text.
static tlu_status open_binary(struct reader *reader, const tlu_options *options, tlu_error *error)
{
    struct chunk *first = &reader->loaded[0], *carry = &reader->carry;
    if (!memory_reserve(&first->bytes, &first->capacity, first->size + carry->size, 1))
        return error_memory(error);
    if (carry->size)
        memcpy(first->bytes + first->size, carry->bytes, carry->size);
    tlu_status status =
        binary_open(&reader->binary, reader->source, reader->path, first->bytes,
                    first->size + carry->size, &reader->parser, reader->schema, error);
    const struct schema *schema = reader->schema;
    if (status == TLU_OK)
        reader->format = schema->frozen ? binary_format(reader->binary) : schema->format;
    if (status == TLU_OK && !schema->frozen && !schema_is_csv(schema))
        status = csv_options_refuse(options, schema->format, reader->path, error);
    if (status == TLU_OK && !schema->frozen && schema->format <= DATA_VW)
        status = words_options_refuse(options, schema->format, reader->path, error);
    return status;
}

static parse_function *const parsers[DATA_FORMATS] = {
    [DATA_LIBSVM] = libsvm_parse,     [DATA_CSV] = csv_parse,     [DATA_VW] = vw_parse,
    [DATA_FASTTEXT] = fasttext_parse, [DATA_JSONL] = jsonl_parse, [DATA_TEXT] = text_parse,
};

// The format of the rows, which are those of the first chunk.
static tlu_status find_format(struct reader *reader, const tlu_options *options,
                              enum data_format *format, tlu_error *error)
{
    static const enum data_format chosen[] = {
        [FORMAT_LIBSVM] = DATA_LIBSVM,     [FORMAT_CSV] = DATA_CSV,
        [FORMAT_TSV] = DATA_CSV,           [FORMAT_VW] = DATA_VW,
        [FORMAT_FASTTEXT] = DATA_FASTTEXT, [FORMAT_JSONL] = DATA_JSONL,
        [FORMAT_TEXT] = DATA_TEXT,
    };
    const struct schema *schema = reader->schema;
    const struct chunk *first = &reader->loaded[0];
    int choice = options_choice(options, OPTION_FORMAT);
    size_t comment = csv_comment(first->bytes, first->size);
    bool named = schema->frozen && schema_is_named(schema);
    if (choice != FORMAT_AUTO) {
        *format = chosen[choice];
    } else if (!recognise_format(first->bytes + comment, first->size - comment, format)) {
        if (!schema->frozen)
            return error_at(
                error, reader->path, 1, 1,
                "cannot tell the format: expected LIBSVM rows such as '+1 3:0.5 7:1' or "
                "CSV rows such as '5.1,3.5,setosa'; --format says which it is");
        *format = schema->format;
    } else if (named && *format < DATA_VW) {
        *format = schema->format; // any text looks like something
    }
    if (schema->frozen && *format != schema->format && !(named && *format >= DATA_VW))
        return error_at(error, reader->path, 0, 0,
                        "is %s, but the model was trained on %s; --format says otherwise",
                        data_format_title(*format), data_format_title(schema->format));
    return TLU_OK;
}

// Decides on the format and prepares for it. The first chunk is loaded[0].
static tlu_status open_format(struct reader *reader, const tlu_options *options, tlu_error *error)
{
    struct schema *schema = reader->schema;
    bool text = options_choice(options, OPTION_FORMAT) >= FORMAT_VW ||
                (schema->frozen && schema_is_named(schema));
    enum data_format format;
    if (binary_is(reader->loaded[0].bytes, reader->loaded[0].size))
        return open_binary(reader, options, error);
    tlu_status status = skip_preamble(reader, !text, error);
    if (status != TLU_OK)
        return status;
    if (reader->loaded[0].size == 0) {
        reader->format = schema->format; // any parser can read nothing
        reader->parse = libsvm_parse;
        return schema->frozen ? TLU_OK : error_at(error, reader->path, 0, 0, "has no examples");
    }
    status = find_format(reader, options, &format, error);
    if (status != TLU_OK)
        return status;
    if (!schema->frozen) {
        schema->format = format;
        schema->base = format == DATA_LIBSVM ? SCHEMA_DIRECT : 0;
        schema->words = word_rule_of(options);
        if (format != DATA_CSV)
            status = csv_options_refuse(options, format, reader->path, error);
        if (status == TLU_OK && format <= DATA_VW)
            status = words_options_refuse(options, format, reader->path, error);
    }
    reader->format = format;
    reader->parse = parsers[format];
    if (status == TLU_OK && format == DATA_CSV)
        status = open_csv(reader, options, error);
    return status;
}

static tlu_status make_slots(struct reader *reader, const tlu_options *options, tlu_error *error)
{
    uint64_t wanted = options_count(options, OPTION_THREADS);
    if (wanted == 0) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        wanted = cores > 0 ? (uint64_t)cores : 1;
    }
    if (wanted > THREADS_MOST)
        wanted = THREADS_MOST;
    // A small file is parsed by the time a thread has started.
    bool small = reader->source_ended && (reader->loaded_count == 1 || reader->loaded[1].end);
    reader->slot_count = wanted > 1 && !small ? (size_t)wanted * 2 : 1;
    reader->slots = memory_new(reader->slot_count, sizeof *reader->slots);
    if (!reader->slots)
        return error_memory(error);
    reader->threads_wanted = reader->slot_count > 1 ? (size_t)wanted : 0;
    return TLU_OK;
}

static void start_threads(struct reader *reader)
{
    reader->threaded = reader->threads_wanted > 0;
    for (; reader->threads_wanted > 0; reader->threads_wanted--) {
        if (pthread_create(&reader->threads[reader->thread_count], NULL, run_worker, reader) != 0)
            break; // fewer will do
        reader->thread_count++;
    }
}

static struct reader *reader_new(const char *path, const tlu_options *options,
                                 struct schema *schema)
{
    struct reader *reader = memory_new(1, sizeof *reader);
    if (!reader)
        return NULL;
    pthread_mutex_init(&reader->reading, NULL);
    pthread_mutex_init(&reader->state, NULL);
    pthread_cond_init(&reader->batch_ready, NULL);
    pthread_cond_init(&reader->slot_free, NULL);
    reader->schema = schema;
    reader->chunk_size = CHUNK_SIZE;
    reader->parser = (struct parser){.schema = schema,
                                     .labelled = !schema->frozen,
                                     .skip_bad = options_flag(options, OPTION_SKIP_BAD),
                                     .missing = options_choice(options, OPTION_MISSING)};
    reader->path = memory_copy_text(path, strlen(path));
    reader->loaded = memory_new(1, sizeof *reader->loaded);
    reader->loaded_capacity = 1;
    if (!reader->path || !reader->loaded) {
        reader_close(reader);
        return NULL;
    }
    return reader;
}

tlu_status reader_open_excerpt(struct reader **out, const char *path, const struct excerpt *excerpt,
                               const tlu_options *options, struct schema *schema, tlu_error *error)
{
    *out = NULL;
    struct reader *reader = reader_new(path, options, schema);
    if (!reader)
        return error_memory(error);
    reader->subset = excerpt->subset;
    if (excerpt->chunk_size)
        reader->chunk_size = excerpt->chunk_size;
    reader->parser.labelled &= !excerpt->unlabelled;
    reader->is_over = excerpt->is_over;
    reader->context = excerpt->context;
    tlu_status status =
        source_open_bytes(&reader->source, path, excerpt->bytes, excerpt->size, error);
    if (status == TLU_OK)
        source_watch(reader->source, wait_is_over, reader);
    if (status == TLU_OK) {
        reader->loaded_count = 1;
        status = read_chunk(reader, &reader->loaded[0], error);
    }
    if (status == TLU_OK && is_over(reader))
        status = error_system(error, "interrupted before anything was learned");
    if (status == TLU_OK && reader->loaded[0].end)
        status = error_at(error, path, 0, 0, "is empty");
    if (status == TLU_OK)
        status = open_format(reader, options, error);
    if (status == TLU_OK)
        status = make_slots(reader, options, error);
    if (status != TLU_OK)
        reader_close(reader);
    else
        *out = reader;
    return status;
}

tlu_status reader_open(struct reader **reader, const char *path, const tlu_options *options,
                       struct schema *schema, tlu_error *error)
{
    return reader_open_excerpt(reader, path, &(struct excerpt){0}, options, schema, error);
}

tlu_status reader_open_bytes(struct reader **out, const char *bytes, size_t size,
                             const tlu_options *options, struct schema *schema, tlu_error *error)
{
    *out = NULL;
    struct reader *reader = reader_new("the given text", options, schema);
    if (!reader)
        return error_memory(error);
    struct chunk *chunk = &reader->loaded[0];
    reader->loaded_count = 1;
    reader->source_ended = true;
    tlu_status status = TLU_OK;
    if (!memory_reserve(&chunk->bytes, &chunk->capacity, size + 1, 1)) { // never NULL
        status = error_memory(error);
    } else {
        if (size)
            memcpy(chunk->bytes, bytes, size);
        chunk->size = size;
        status = open_format(reader, options, error);
    }
    if (status == TLU_OK)
        status = make_slots(reader, options, error);
    if (status != TLU_OK)
        reader_close(reader);
    else
        *out = reader;
    return status;
}

void reader_close(struct reader *reader)
{
    if (!reader)
        return;
    pthread_mutex_lock(&reader->state);
    reader->stop = true;
    pthread_cond_broadcast(&reader->slot_free);
    pthread_mutex_unlock(&reader->state);
    for (size_t i = 0; i < reader->thread_count; i++)
        pthread_join(reader->threads[i], NULL);
    for (size_t i = 0; reader->slots && i < reader->slot_count; i++) {
        memory_free(reader->slots[i].chunk.bytes);
        binary_drop(&reader->slots[i].block);
        batch_free(reader->slots[i].batch);
    }
    for (size_t i = 0; i < reader->loaded_count; i++)
        memory_free(reader->loaded[i].bytes);
    memory_free(reader->loaded);
    memory_free(reader->slots);
    memory_free(reader->carry.bytes);
    for (size_t i = 0; i < reader->spare_count; i++)
        batch_free(reader->spares[i]);
    csv_plan_free(&reader->plan);
    binary_close(reader->binary);
    source_close(reader->source);
    pthread_mutex_destroy(&reader->reading);
    pthread_mutex_destroy(&reader->state);
    pthread_cond_destroy(&reader->batch_ready);
    pthread_cond_destroy(&reader->slot_free);
    memory_free(reader->path);
    memory_free(reader);
}

// ---- handing out ----

// What a slot's work came to.
static tlu_status slot_outcome(struct reader *reader, struct slot *slot, tlu_error *error)
{
    if (slot->status != TLU_OK) {
        if (error)
            *error = slot->error;
        return slot->status;
    }
    if (slot->result == PARSE_MEMORY)
        return error_memory(error);
    if (slot->result == PARSE_BAD)
        return error_at(error, reader->path, reader->lines + slot->bad.line, slot->bad.column, "%s",
                        slot->bad.reason);
    return TLU_OK;
}

// Until the slot is parsed; false where the caller has had enough.
static bool wait_for_slot(struct reader *reader, struct slot *slot)
{
    bool over = false;
    pthread_mutex_lock(&reader->state);
    while (!slot->ready && !over) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += WAIT_NANOSECONDS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&reader->batch_ready, &reader->state, &until) == 0)
            continue;
        pthread_mutex_unlock(&reader->state);
        over = is_over(reader);
        pthread_mutex_lock(&reader->state);
    }
    pthread_mutex_unlock(&reader->state);
    return !over;
}

tlu_status reader_next(struct reader *reader, struct batch **batch, tlu_error *error)
{
    *batch = NULL;
    if (reader->ended)
        return TLU_OK;
    if (reader->next_given == 0)
        start_threads(reader);
    struct slot *slot = slot_at(reader, reader->next_given);
    if (reader->thread_count == 0) {
        if (!slot->batch && reader->spare_count)
            slot->batch = reader->spares[--reader->spare_count];
        read_slot(reader, slot);
        parse_slot(reader, slot);
    } else {
        if (!wait_for_slot(reader, slot)) {
            reader->ended = true;
            return TLU_OK;
        }
    }
    tlu_status status = slot_outcome(reader, slot, error);
    if (status == TLU_OK && !slot->end) {
        size_t rows = slot->batch->rows;
        if (reader->binary)
            reader->lines = slot->block.header.first_line;
        if (reader->binary && !reader->schema->frozen)
            status = binary_merge(reader->binary, &slot->block, &slot->batch, &reader->subset,
                                  reader->file_rows, error);
        else if (!batch_select(slot->batch, &reader->subset, reader->file_rows))
            status = error_memory(error);
        reader->file_rows += rows;
    }
    if (status == TLU_OK && !slot->end && !reader->schema->frozen && !reader->binary &&
        !schema_merge(reader->schema, slot->batch))
        status = error_memory(error);
    reader->ended = status != TLU_OK || slot->end;
    if (reader->ended)
        return status;

    *batch = slot->batch;
    slot->batch = NULL;
    (*batch)->first_row = reader->rows;
    (*batch)->first_line = reader->lines;
    reader->rows += (*batch)->rows;
    reader->lines += (*batch)->lines;
    reader->next_given++;
    if (reader->thread_count) {
        pthread_mutex_lock(&reader->state);
        slot->busy = slot->ready = false;
        pthread_cond_signal(&reader->slot_free);
        pthread_mutex_unlock(&reader->state);
    }
    return TLU_OK;
}

void reader_recycle(struct reader *reader, struct batch *batch)
{
    if (batch && (batch->lent_entries || batch->lent_rows)) { // nothing in it can be used again
        if (reader->binary)
            binary_forget(reader->binary, batch);
        batch_free(batch);
        return;
    }
    pthread_mutex_lock(&reader->state);
    bool kept = reader->spare_count < reader->slot_count;
    if (kept)
        reader->spares[reader->spare_count++] = batch;
    pthread_mutex_unlock(&reader->state);
    if (!kept)
        batch_free(batch);
}

void reader_work(struct reader *reader, batch_work *work, void *context)
{
    reader->work = work;
    reader->work_context = context;
}

uint64_t reader_size(const struct reader *reader)
{
    return reader->source ? source_size(reader->source) : 0;
}

tlu_status reader_adopt(const struct reader *reader, tlu_options *options, tlu_error *error)
{
    tlu_status status = reader->binary ? binary_adopt(reader->binary, options, error) : TLU_OK;
    if (status == TLU_OK && reader->binary && !reader->schema->frozen)
        reader->schema->words = word_rule_of(options);
    return status;
}

const char *reader_format(const struct reader *reader)
{
    return data_format_name(reader->format);
}
