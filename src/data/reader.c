#include "data/reader_inside.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/thread.h"
#include "data/hash.h"
#include "format/text/words.h"

#include <string.h>
#include <time.h>

// ---- one slot's work ----

// Reads the slot's part of the file.
static void read_slot(struct reader *reader, struct slot *slot)
{
    if (!reader->binary) {
        slot->status = reader_next_chunk(reader, &slot->chunk, &slot->error);
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
    slot->batch->place.bytes = slot->chunk.position;
    slot->result =
        reader_parse_rows(reader, slot->chunk.bytes, slot->chunk.size, slot->batch, &slot->bad);
    // Of a part of the rows the names are still needed, to leave no trace of the others.
    if (slot->result == PARSE_OK && reader->schema->slots.bits && !reader->subset.part &&
        !hash_batch(reader->schema, slot->batch))
        slot->result = PARSE_MEMORY;
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

static tlu_status make_slots(struct reader *reader, const tlu_options *options, tlu_error *error)
{
    size_t wanted = parallel_threads((size_t)options_count(options, OPTION_THREADS));
    if (wanted > THREADS_MOST)
        wanted = THREADS_MOST;
    // A small file is parsed by the time a thread has started.
    bool small = reader->source_ended && (reader->loaded_count == 1 || reader->loaded[1].end);
    reader->slot_count = wanted > 1 && !small ? wanted * 2 : 1;
    reader->slots = memory_new(reader->slot_count, sizeof *reader->slots);
    if (!reader->slots)
        return error_memory(error);
    reader->threads_wanted = reader->slot_count > 1 ? wanted : 0;
    return TLU_OK;
}

static void start_threads(struct reader *reader)
{
    reader->threaded = reader->threads_wanted > 0;
    for (; reader->threads_wanted > 0; reader->threads_wanted--) {
        if (!thread_start(&reader->threads[reader->thread_count], run_worker, reader))
            break; // fewer will do
        reader->thread_count++;
    }
}

struct reader *reader_new(const char *path, const tlu_options *options, struct schema *schema)
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
    reader->row_most = SIZE_MAX;
    reader->parser = (struct parser){.schema = schema,
                                     .labelled = !schema->frozen,
                                     .skip_bad = options && options_flag(options, OPTION_SKIP_BAD),
                                     .missing = options ? options_choice(options, OPTION_MISSING)
                                                        : MISSING_REFUSE};
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
    reader->row_most = (size_t)options_count(options, OPTION_MAX_ROW);
    if (excerpt->chunk_size)
        reader->chunk_size = excerpt->chunk_size;
    reader->parser.labelled &= !excerpt->unlabelled;
    reader->is_over = excerpt->is_over;
    reader->context = excerpt->context;
    tlu_status status =
        source_open_bytes(&reader->source, path, excerpt->bytes, excerpt->size, error);
    if (status == TLU_OK)
        source_watch(reader->source, reader_wait_is_over, reader);
    if (status == TLU_OK) {
        reader->loaded_count = 1;
        status = reader_read_chunk(reader, &reader->loaded[0], error);
    }
    if (status == TLU_OK && reader_is_over(reader))
        status = error_interrupted(error, "interrupted before anything was learned");
    if (status == TLU_OK && reader->loaded[0].end)
        status = error_at(error, path, 0, 0, "is empty");
    if (status == TLU_OK)
        status = reader_open_format(reader, options, error);
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

static tlu_status open_bytes(struct reader **out, const char *path, bool live, const char *bytes,
                             size_t size, const tlu_options *options, struct schema *schema,
                             tlu_error *error)
{
    *out = NULL;
    struct reader *reader = reader_new(path, options, schema);
    if (!reader)
        return error_memory(error);
    reader->live = live;
    reader->parser.labelled &= !live;
    reader->parser.stream = live;
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
        status = reader_open_format(reader, options, error);
    }
    if (status == TLU_OK)
        status = make_slots(reader, options, error);
    if (status != TLU_OK)
        reader_close(reader);
    else
        *out = reader;
    return status;
}

tlu_status reader_open_bytes(struct reader **reader, const char *bytes, size_t size,
                             const tlu_options *options, struct schema *schema, tlu_error *error)
{
    return open_bytes(reader, "the given text", false, bytes, size, options, schema, error);
}

tlu_status reader_open_live(struct reader **reader, const char *path, const char *bytes,
                            size_t size, const tlu_options *options, struct schema *schema,
                            const char **rest, size_t *rest_size, uint64_t *lines, tlu_error *error)
{
    tlu_status status = open_bytes(reader, path, true, bytes, size, options, schema, error);
    if (status == TLU_OK) {
        *rest = (*reader)->loaded[0].bytes;
        *rest_size = (*reader)->loaded[0].size;
        *lines = (*reader)->lines;
        schema->known = true;
    }
    return status;
}

enum parse_result reader_parse(struct reader *reader, const char *bytes, size_t size,
                               struct batch *batch, struct bad_row *bad)
{
    batch_clear(batch);
    return reader_parse_rows(reader, bytes, size, batch, bad);
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
        over = reader_is_over(reader);
        pthread_mutex_lock(&reader->state);
    }
    pthread_mutex_unlock(&reader->state);
    return !over;
}

static bool select_rows(struct reader *reader, struct batch *batch)
{
    bool hash = reader->subset.part && reader->schema->slots.bits && !reader->binary;
    return batch_select(batch, &reader->subset, reader->file_rows) &&
           (!hash || hash_batch(reader->schema, batch));
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
        else if (!select_rows(reader, slot->batch))
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
    (*batch)->place.first_line = reader->lines;
    reader->rows += (*batch)->rows;
    reader->lines += (*batch)->place.lines;
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
    if (batch && (batch->memory.lent_entries ||
                  batch->memory.lent_rows)) { // nothing in it can be used again
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

tlu_status reader_refuse(const struct reader *reader, const struct batch *batch, size_t row,
                         const char *reason, tlu_error *error)
{
    uint64_t line = batch_line(batch, row);
    if (reader->binary)
        return error_at(error, reader->path, 0, 0, "the row of line %llu of the text: %s",
                        (unsigned long long)line, reason);
    return error_at(error, reader->path, line, 0, "%s", reason);
}

const char *reader_format(const struct reader *reader)
{
    return format_table[reader->format].name;
}
