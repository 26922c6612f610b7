#include "train/prefetch.h"

#include "base/memory.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define BLOCKS 8
#define BLOCK_ROWS 64
#define BLOCK_CELLS 32768 // 32-bit cells for indices and values; what does not fit is not copied
#define BLOCK_USUAL 16384 // cells that a block has on average, or fewer
#define SAMPLE 32         // rows
#define FETCH_START 24    // rows ahead: where they start is looked up
#define FETCH_ROW 8       // rows ahead: they are asked for
#define CACHE_LINE 64     // bytes
#define NEAR 2            // into the second cache: the first takes fewer requests at once
#define PATIENCE 5000     // looks for a block before the caller falls asleep: some 0.1 ms

struct prefetch_block {
    struct example examples[BLOCK_ROWS];
    size_t count;
    atomic_size_t ready; // one more than the number of the block that is here
    uint32_t indices[BLOCK_CELLS];
    float values[BLOCK_CELLS];
};

// The rows are cut into blocks, numbered from 0. Blocks are claimed one after the other and filled
// by the one that has claimed them: the thread, as far as there is room, or the caller, which would
// have to wait otherwise. On cores that are far from each other, a block is filled more slowly by
// another than by the one that needs it.
struct prefetch {
    struct batch *const *batches;
    const struct norms *norms;
    const struct place *places;
    size_t count; // of the places
    size_t rows;  // of a block
    size_t total; // blocks

    pthread_t thread;
    bool threaded;
    pthread_mutex_t mutex;     // to fall asleep and to be woken, no more
    pthread_cond_t more, room; // for the caller, for the thread
    atomic_bool caller_sleeps, thread_sleeps, stop;
    atomic_size_t claimed; // blocks so far
    atomic_size_t done;    // blocks that the caller no longer needs: their room is free

    size_t next; // block for the caller
    size_t own;  // one more than the number of the block that the caller has filled itself
    struct prefetch_block blocks[BLOCKS + 1]; // the last is the caller's own
};

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

// ---- filling ----

// Asks for what says where a row starts.
static inline void fetch_start(const struct prefetch *feed, size_t i)
{
    struct place p = feed->places[i];
    const struct batch *batch = feed->batches[p.batch];
    __builtin_prefetch(batch->offsets + p.row);
    __builtin_prefetch(batch->labels + p.row);
    if (feed->norms->count)
        __builtin_prefetch(feed->norms->items + (batch->first_row + p.row - feed->norms->first));
}

// Asks for a row.
static inline void fetch_row(const struct prefetch *feed, size_t i)
{
    struct place p = feed->places[i];
    const struct batch *batch = feed->batches[p.batch];
    const uint32_t *offsets = batch->offsets + p.row;
    for (uint32_t k = offsets[0]; k < offsets[1]; k += CACHE_LINE / sizeof *batch->indices) {
        if (!batch->alike)
            __builtin_prefetch(batch->indices + k, 0, NEAR);
        if (!batch->ones)
            __builtin_prefetch(batch->values + k, 0, NEAR);
    }
}

static inline struct example copy_example(const struct prefetch *feed, size_t i,
                                          struct prefetch_block *block, size_t *used)
{
    struct place place = feed->places[i];
    struct example example = example_at(feed->batches, place, feed->norms);
    tlu_row row = example.x;
    if (row.count > BLOCK_CELLS - *used)
        return example;
    if (!feed->batches[place.batch]->alike) { // else all rows share them, and they are near
        memcpy(block->indices + *used, row.features, row.count * sizeof *row.features);
        example.x.features = block->indices + *used;
    }
    if (row.values) {
        memcpy(block->values + *used, row.values, row.count * sizeof *row.values);
        example.x.values = block->values + *used;
    }
    *used += row.count;
    return example;
}

static void fill(const struct prefetch *feed, size_t number, struct prefetch_block *block)
{
    size_t first = number * feed->rows, used = 0;
    size_t end = feed->count - first < feed->rows ? feed->count : first + feed->rows;
    size_t known = feed->threaded ? end : feed->count; // the block after it may be another's
    for (size_t i = first; feed->threaded && i < end && i < first + FETCH_START; i++)
        fetch_start(feed, i);
    for (size_t i = first; feed->threaded && i < end && i < first + FETCH_ROW; i++)
        fetch_row(feed, i);
    for (size_t i = first; i < end; i++) {
        if (i + FETCH_START < known)
            fetch_start(feed, i + FETCH_START);
        if (i + FETCH_ROW < known)
            fetch_row(feed, i + FETCH_ROW);
        block->examples[i - first] = copy_example(feed, i, block, &used);
    }
    block->count = end - first;
}

// The next block, if it is before `limit`; else false.
static bool claim(struct prefetch *feed, size_t limit, size_t *number)
{
    *number = atomic_load(&feed->claimed);
    do
        if (*number >= limit || *number >= feed->total)
            return false;
    while (!atomic_compare_exchange_weak(&feed->claimed, number, *number + 1));
    return true;
}

// ---- the thread ----
//
// One who falls asleep says so before the last look; one who changes something does so before
// looking who sleeps. All agree on the order (seq_cst), so that neither is left asleep.

static void wake(struct prefetch *feed, atomic_bool *sleeps, pthread_cond_t *condition)
{
    if (!atomic_load(sleeps))
        return;
    pthread_mutex_lock(&feed->mutex);
    pthread_cond_signal(condition);
    pthread_mutex_unlock(&feed->mutex);
}

static size_t used_blocks(struct prefetch *feed)
{
    return atomic_load(&feed->claimed) - atomic_load(&feed->done);
}

// Until there is room for several blocks, since to be woken takes its time too.
static void sleep_for_room(struct prefetch *feed)
{
    pthread_mutex_lock(&feed->mutex);
    atomic_store(&feed->thread_sleeps, true);
    while (!atomic_load(&feed->stop) && used_blocks(feed) > BLOCKS / 2)
        pthread_cond_wait(&feed->room, &feed->mutex);
    atomic_store(&feed->thread_sleeps, false);
    pthread_mutex_unlock(&feed->mutex);
}

static void *run(void *argument)
{
    struct prefetch *feed = argument;
    while (!atomic_load(&feed->stop) && atomic_load(&feed->claimed) < feed->total) {
        size_t number;
        if (!claim(feed, atomic_load(&feed->done) + BLOCKS, &number)) {
            sleep_for_room(feed);
            continue;
        }
        struct prefetch_block *block = &feed->blocks[number % BLOCKS];
        fill(feed, number, block);
        atomic_store(&block->ready, number + 1);
        wake(feed, &feed->caller_sleeps, &feed->more);
    }
    return NULL;
}

// ---- the caller ----

// Long rows make smaller blocks.
static size_t choose_rows(const struct prefetch *feed)
{
    size_t cells = 0, rows = 0;
    for (size_t i = 0; i < feed->count; i += feed->count / SAMPLE + 1, rows++)
        cells += batch_row(feed->batches[feed->places[i].batch], feed->places[i].row).count;
    size_t fitting = cells ? BLOCK_USUAL * rows / cells : BLOCK_ROWS;
    return fitting > BLOCK_ROWS ? BLOCK_ROWS : fitting ? fitting : 1;
}

struct prefetch *prefetch_open(struct batch *const *batches, const struct norms *norms,
                               const struct place *places, size_t count, bool threaded)
{
    struct prefetch *feed = memory_resize(NULL, 1, sizeof *feed); // blocks need not be zeros
    if (!feed)
        return NULL;
    memset(feed, 0, offsetof(struct prefetch, blocks));
    for (size_t i = 0; i < BLOCKS; i++)
        atomic_init(&feed->blocks[i].ready, 0);
    feed->batches = batches;
    feed->norms = norms;
    feed->places = places;
    feed->count = count;
    feed->rows = choose_rows(feed);
    feed->total = (count + feed->rows - 1) / feed->rows;
    feed->threaded = threaded;
    pthread_mutex_init(&feed->mutex, NULL);
    pthread_cond_init(&feed->more, NULL);
    pthread_cond_init(&feed->room, NULL);
    if (threaded && !thread_start(&feed->thread, run, feed))
        feed->threaded = false;
    return feed;
}

static void sleep_for_block(struct prefetch *feed, struct prefetch_block *block, size_t number)
{
    pthread_mutex_lock(&feed->mutex);
    atomic_store(&feed->caller_sleeps, true);
    while (atomic_load(&block->ready) != number + 1)
        pthread_cond_wait(&feed->more, &feed->mutex);
    atomic_store(&feed->caller_sleeps, false);
    pthread_mutex_unlock(&feed->mutex);
}

// The block with this number. As long as it is not there, the caller fills one: this or the next
// that is not claimed yet, which then waits its turn.
static struct prefetch_block *block_of(struct prefetch *feed, size_t number)
{
    struct prefetch_block *block = &feed->blocks[number % BLOCKS], *own = &feed->blocks[BLOCKS];
    if (feed->own == number + 1)
        return own;
    for (int looks = 0; atomic_load(&block->ready) != number + 1; looks++) {
        size_t claimed;
        if (feed->own <= number && claim(feed, feed->total, &claimed)) {
            fill(feed, claimed, own);
            feed->own = claimed + 1;
            if (claimed == number)
                return own;
        } else if (looks < PATIENCE) {
            relax();
        } else {
            sleep_for_block(feed, block, number);
        }
    }
    return block;
}

size_t prefetch_next(struct prefetch *feed, struct example **examples)
{
    atomic_store(&feed->done, feed->next);
    if (used_blocks(feed) <= BLOCKS / 2)
        wake(feed, &feed->thread_sleeps, &feed->room);
    if (feed->next == feed->total)
        return 0;
    struct prefetch_block *block = block_of(feed, feed->next++);
    *examples = block->examples;
    return block->count;
}

void prefetch_close(struct prefetch *feed)
{
    if (!feed)
        return;
    atomic_store(&feed->stop, true);
    if (feed->threaded) {
        pthread_mutex_lock(&feed->mutex);
        pthread_cond_signal(&feed->room);
        pthread_mutex_unlock(&feed->mutex);
        pthread_join(feed->thread, NULL);
    }
    pthread_mutex_destroy(&feed->mutex);
    pthread_cond_destroy(&feed->more);
    pthread_cond_destroy(&feed->room);
    memory_free(feed);
}
