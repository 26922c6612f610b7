// Parts of the data are read one after the other and parsed side by side; the caller takes them in
// their order. With one slot it does all of that itself.
#include "base/memory.h"
#include "base/thread.h"
#include "input/reader/internal.h"

#include <assert.h>
#include <time.h>

#define WAIT_NANOSECONDS 100000000 // between two questions whether to go on

// ---- the work on one part ----

static void read_part(struct reader *reader, struct reader_slot *slot)
{
    slot->end = false;
    slot->status = reader->origin->read(reader, slot, &slot->error);
}

static void parse_part(struct reader *reader, struct reader_slot *slot)
{
    const struct reader_work *work = &reader->work;
    slot->result = PARSE_OK;
    if (slot->status != TLU_OK || slot->end)
        return;
    slot->status = reader->origin->parse(reader, slot, &slot->error);
    if (slot->status == TLU_OK && slot->result == PARSE_OK && work->run &&
        !work->run(work->context, slot->batch))
        slot->result = PARSE_MEMORY;
}

static struct reader_slot *slot_at(struct workers *workers, uint64_t number)
{
    return &workers->slots[number % workers->slot_count];
}

static void use_spare(struct workers *workers, struct reader_slot *slot)
{
    if (!slot->batch && workers->spare_count)
        slot->batch = workers->spares[--workers->spare_count];
}

// ---- a worker ----

// Until the slot is free; false if work is over, and then the slot may still belong to another
// thread.
static bool wait_for_slot(struct workers *workers, struct reader_slot *slot)
{
    pthread_mutex_lock(&workers->state);
    while (slot->busy && !workers->stop)
        pthread_cond_wait(&workers->slot_free, &workers->state);
    bool stop = workers->stop;
    if (!stop) {
        slot->busy = true;
        use_spare(workers, slot);
    }
    pthread_mutex_unlock(&workers->state);
    return !stop;
}

static void stop_workers(struct workers *workers)
{
    pthread_mutex_lock(&workers->state);
    workers->stop = true;
    pthread_cond_broadcast(&workers->slot_free);
    pthread_mutex_unlock(&workers->state);
}

// Reads the next part into its slot; NULL if work is over.
static struct reader_slot *take_part(struct reader *reader)
{
    struct workers *workers = &reader->workers;
    pthread_mutex_lock(&workers->reading);
    struct reader_slot *slot = slot_at(workers, workers->next_read);
    bool more = wait_for_slot(workers, slot);
    if (more) {
        read_part(reader, slot);
        workers->next_read++;
        if (slot->status != TLU_OK || slot->end) // reading on is not needed
            stop_workers(workers);
    }
    pthread_mutex_unlock(&workers->reading);
    return more ? slot : NULL;
}

static void *run_worker(void *argument)
{
    struct reader *reader = argument;
    struct workers *workers = &reader->workers;
    struct reader_slot *slot;
    while ((slot = take_part(reader))) {
        parse_part(reader, slot);
        pthread_mutex_lock(&workers->state);
        slot->ready = true;
        pthread_cond_signal(&workers->batch_ready);
        pthread_mutex_unlock(&workers->state);
    }
    return NULL;
}

// ---- the caller ----

// Until the slot is parsed; false if the caller has had enough.
static bool wait_for_batch(struct reader *reader, struct reader_slot *slot)
{
    struct workers *workers = &reader->workers;
    bool over = false;
    pthread_mutex_lock(&workers->state);
    while (!slot->ready && !over) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += WAIT_NANOSECONDS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&workers->batch_ready, &workers->state, &until) == 0)
            continue;
        pthread_mutex_unlock(&workers->state);
        over = caller_is_over(&reader->caller);
        pthread_mutex_lock(&workers->state);
    }
    pthread_mutex_unlock(&workers->state);
    return !over;
}

struct reader_slot *workers_next(struct reader *reader)
{
    struct workers *workers = &reader->workers;
    if (workers->next_given == 0) {
        workers->threaded = workers->threads_wanted > 0;
        while (workers->thread_count < workers->threads_wanted &&
               thread_start(&workers->threads[workers->thread_count], run_worker, reader))
            workers->thread_count++; // fewer will do
        workers->threads_wanted = 0;
    }
    struct reader_slot *slot = slot_at(workers, workers->next_given);
    if (workers->thread_count)
        return wait_for_batch(reader, slot) ? slot : NULL;
    use_spare(workers, slot);
    read_part(reader, slot);
    parse_part(reader, slot);
    return slot;
}

void workers_release(struct workers *workers, struct reader_slot *slot)
{
    assert(slot == slot_at(workers, workers->next_given));
    workers->next_given++;
    if (workers->thread_count == 0)
        return;
    pthread_mutex_lock(&workers->state);
    slot->busy = slot->ready = false;
    pthread_cond_signal(&workers->slot_free);
    pthread_mutex_unlock(&workers->state);
}

bool workers_take_back(struct workers *workers, struct batch *batch)
{
    pthread_mutex_lock(&workers->state);
    bool kept = workers->spare_count < workers->slot_count;
    if (kept)
        workers->spares[workers->spare_count++] = batch;
    pthread_mutex_unlock(&workers->state);
    return kept;
}

bool workers_is_over(void *context)
{
    struct reader *reader = context;
    struct workers *workers = &reader->workers;
    if (!workers->threaded)
        return caller_is_over(&reader->caller);
    pthread_mutex_lock(&workers->state);
    bool stop = workers->stop;
    pthread_mutex_unlock(&workers->state);
    return stop;
}

// ---- beginning and end ----

void workers_init(struct workers *workers)
{
    pthread_mutex_init(&workers->reading, NULL);
    pthread_mutex_init(&workers->state, NULL);
    pthread_cond_init(&workers->batch_ready, NULL);
    pthread_cond_init(&workers->slot_free, NULL);
}

tlu_status workers_reserve(struct workers *workers, size_t threads, tlu_error *error)
{
    if (threads > THREADS_MAX)
        threads = THREADS_MAX;
    workers->threads_wanted = threads > 1 ? threads : 0;
    workers->slot_count = threads > 1 ? threads * 2 : 1;
    workers->slots = memory_new(workers->slot_count, sizeof *workers->slots);
    return enough_memory(workers->slots, error);
}

void workers_free(struct workers *workers)
{
    stop_workers(workers);
    for (size_t i = 0; i < workers->thread_count; i++)
        pthread_join(workers->threads[i], NULL);
    for (size_t i = 0; workers->slots && i < workers->slot_count; i++) {
        memory_free(workers->slots[i].chunk.bytes);
        binary_drop(&workers->slots[i].block);
        batch_free(workers->slots[i].batch);
    }
    memory_free(workers->slots);
    for (size_t i = 0; i < workers->spare_count; i++)
        batch_free(workers->spares[i]);
    pthread_mutex_destroy(&workers->reading);
    pthread_mutex_destroy(&workers->state);
    pthread_cond_destroy(&workers->batch_ready);
    pthread_cond_destroy(&workers->slot_free);
}
