#include "stream/read_ahead.h"

#include "base/memory.h"
#include "base/thread.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#define THREADS_MAX 3                    // besides the training thread; more would only wait for it
#define CHUNKS 8                         // in the ring
#define SMALL_READ (READ_AHEAD_SIZE / 8) // smaller reads are not worth other threads

struct text_buffer {
    char *bytes;
    size_t size, capacity;
};

struct read_ahead {
    tlu_read_function read;
    void *context;
    struct reader *reader;
    pthread_t threads[THREADS_MAX];
    size_t thread_count, threads_wanted;

    // Used only by the thread that is reading: at most one at a time, see `busy`.
    struct text_buffer rest; // the text after the last complete row
    bool end;                // the stream has ended
    tlu_status status;
    tlu_error error;

    pthread_mutex_t lock; // protects everything below
    pthread_cond_t more;  // a thread may read the next chunk
    pthread_cond_t ready; // a chunk was parsed, or reading has paused
    bool reading;         // more text is probably available without waiting
    bool busy;            // a thread is reading
    bool stop;            // the threads are to end
    size_t begun, used;   // number of chunks begun and of those used so far; modulo CHUNKS: slots
    bool given;           // the caller is using chunk number `used`
    struct chunk_slot {
        bool parsed;
        struct stream_chunk chunk;
        struct text_buffer text;
    } ring[CHUNKS];
};

// ---- reading and parsing, in any thread ----

static tlu_status put_text(struct text_buffer *text, const char *bytes, size_t size,
                           tlu_error *error)
{
    if (!memory_reserve(&text->bytes, &text->capacity, size + 1, 1))
        return error_memory(error);
    if (size)
        memcpy(text->bytes, bytes, size);
    text->size = size;
    return TLU_OK;
}

static void swap_texts(struct text_buffer *a, struct text_buffer *b)
{
    struct text_buffer swap = *a;
    *a = *b;
    *b = swap;
}

// Reads text until it contains the end of a row. *rows: the size of the complete rows. *more: more
// text is probably available without waiting. If the text has no end of a row, the next search
// waits until the text is twice as long, or longer than a row may be.
static tlu_status read_rows(struct read_ahead *ahead, struct text_buffer *text, size_t *rows,
                            bool *more)
{
    tlu_error *error = &ahead->error;
    tlu_status status = TLU_OK;
    size_t longest = reader_row_most(ahead->reader);
    swap_texts(text, &ahead->rest);
    *rows = 0;
    *more = true;
    for (size_t wanted = text->size + 1; status == TLU_OK && *more && !*rows;) {
        size_t got = 0;
        int end = 0;
        if (!memory_reserve(&text->bytes, &text->capacity, text->size + READ_AHEAD_SIZE, 1))
            return error_memory(error);
        error->status = TLU_OK;
        if (ahead->read(ahead->context, text->bytes + text->size, READ_AHEAD_SIZE, &got, &end,
                        error))
            status = error_stopped(error, error);
        text->size += got;
        ahead->end = end;
        *more = got >= SMALL_READ && !end;
        if (*more && text->size < wanted)
            continue;
        *rows = end ? text->size : reader_complete(ahead->reader, text->bytes, text->size);
        wanted = text->size <= longest / 2 ? 2 * text->size : longest + 1;
        *more &= *rows || text->size <= longest;
    }
    return status;
}

// Reads the text of a chunk. False: an error, or no more text is available at the moment.
static bool read_chunk(struct read_ahead *ahead, struct chunk_slot *slot)
{
    struct text_buffer *text = &slot->text;
    size_t rows;
    bool more;
    ahead->status = read_rows(ahead, text, &rows, &more);
    if (!rows || ahead->status != TLU_OK) // swapped, not copied: it may be long
        swap_texts(text, &ahead->rest);
    else if (ahead->status == TLU_OK)
        ahead->status =
            put_text(&ahead->rest, text->bytes + rows, text->size - rows, &ahead->error);
    slot->chunk.bytes = text->bytes;
    slot->chunk.size = ahead->status == TLU_OK ? rows : 0;
    return ahead->status == TLU_OK && more;
}

// Reads and parses one chunk. The lock is held on entry and on return, but not during the work.
static void make_chunk(struct read_ahead *ahead)
{
    struct chunk_slot *slot = &ahead->ring[ahead->begun++ % CHUNKS];
    slot->parsed = false;
    ahead->busy = true;
    pthread_mutex_unlock(&ahead->lock);
    bool more = read_chunk(ahead, slot);
    pthread_mutex_lock(&ahead->lock);
    ahead->busy = false;
    ahead->reading = more;
    ahead->begun -= slot->chunk.size == 0;
    if (slot->chunk.size) {
        pthread_cond_signal(&ahead->more); // another thread may read
        pthread_mutex_unlock(&ahead->lock);
        chunk_parse(&slot->chunk, ahead->reader);
        pthread_mutex_lock(&ahead->lock);
        slot->parsed = true;
    }
    pthread_cond_signal(&ahead->ready);
}

static bool can_make(const struct read_ahead *ahead)
{
    return ahead->reading && !ahead->busy && ahead->begun - ahead->used < CHUNKS;
}

static void *run(void *argument) // the main function of a thread
{
    struct read_ahead *ahead = argument;
    pthread_mutex_lock(&ahead->lock);
    while (!ahead->stop) {
        if (can_make(ahead))
            make_chunk(ahead);
        else
            pthread_cond_wait(&ahead->more, &ahead->lock);
    }
    pthread_mutex_unlock(&ahead->lock);
    return NULL;
}

// ---- the caller's thread ----

struct read_ahead *read_ahead_new(size_t threads)
{
    struct read_ahead *ahead = memory_new(1, sizeof *ahead);
    if (!ahead)
        return NULL;
    ahead->threads_wanted = threads < THREADS_MAX ? threads : THREADS_MAX;
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->more, NULL);
    pthread_cond_init(&ahead->ready, NULL);
    return ahead;
}

void read_ahead_free(struct read_ahead *ahead)
{
    if (!ahead)
        return;
    pthread_mutex_lock(&ahead->lock);
    ahead->stop = true;
    pthread_cond_broadcast(&ahead->more);
    pthread_mutex_unlock(&ahead->lock);
    for (size_t i = 0; i < ahead->thread_count; i++)
        pthread_join(ahead->threads[i], NULL);
    for (size_t i = 0; i < CHUNKS; i++) {
        batch_free(ahead->ring[i].chunk.batch);
        memory_free(ahead->ring[i].text.bytes);
    }
    memory_free(ahead->rest.bytes);
    pthread_mutex_destroy(&ahead->lock);
    pthread_cond_destroy(&ahead->more);
    pthread_cond_destroy(&ahead->ready);
    memory_free(ahead);
}

// False: no thread could be started.
static bool start_threads(struct read_ahead *ahead)
{
    for (; ahead->threads_wanted; ahead->threads_wanted--) { // starts as many as possible
        pthread_t *thread = &ahead->threads[ahead->thread_count];
        ahead->thread_count += thread_start(thread, run, ahead);
    }
    return ahead->thread_count > 0;
}

bool read_ahead_start(struct read_ahead *ahead, struct reader *reader, tlu_read_function read,
                      void *context, const char *bytes, size_t size)
{
    for (size_t i = 0; i < CHUNKS; i++)
        if (!ahead->ring[i].chunk.batch && !(ahead->ring[i].chunk.batch = batch_new()))
            return false;
    if (put_text(&ahead->rest, bytes, size, NULL) != TLU_OK || !start_threads(ahead))
        return false;
    pthread_mutex_lock(&ahead->lock);
    ahead->reader = reader;
    ahead->read = read;
    ahead->context = context;
    ahead->begun = ahead->used = 0;
    ahead->given = false;
    ahead->reading = true;
    pthread_cond_signal(&ahead->more);
    pthread_mutex_unlock(&ahead->lock);
    return true;
}

// Whether the next chunk is parsed. *none: there is no next chunk at the moment.
static bool is_ready(const struct read_ahead *ahead, bool *none)
{
    bool begun = ahead->begun > ahead->used;
    assert(ahead->begun - ahead->used <= CHUNKS);
    *none = !begun && !ahead->reading && !ahead->busy;
    return begun && ahead->ring[ahead->used % CHUNKS].parsed;
}

struct stream_chunk *read_ahead_next(struct read_ahead *ahead)
{
    bool none;
    pthread_mutex_lock(&ahead->lock);
    if (ahead->given) {
        ahead->used++;
        pthread_cond_signal(&ahead->more);
    }
    while (!is_ready(ahead, &none) && !none) {
        if (can_make(ahead)) // does the work itself instead of waiting
            make_chunk(ahead);
        else
            pthread_cond_wait(&ahead->ready, &ahead->lock);
    }
    ahead->given = !none;
    pthread_mutex_unlock(&ahead->lock);
    return none ? NULL : &ahead->ring[ahead->used % CHUNKS].chunk;
}

tlu_status read_ahead_rest(const struct read_ahead *ahead, const char **bytes, size_t *size,
                           int *end, tlu_error *error)
{
    *bytes = ahead->rest.bytes;
    *size = ahead->rest.size;
    *end = ahead->end;
    if (ahead->status != TLU_OK && error)
        *error = ahead->error;
    return ahead->status;
}
