#include "train/feed.h"

#include "base/memory.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define BLOCKS 8
#define BLOCK_ROWS 64
#define BLOCK_CELLS 32768 // 32-bit cells for indices and values; a longer row is not copied
#define FETCH_START 24    // rows ahead: where they start is looked up
#define FETCH_ROW 8       // rows ahead: they are asked for
#define CACHE_LINE 64     // bytes
#define NEAR 2            // into the second cache: the first takes fewer requests at once
#define PATIENCE 20000    // looks for a block before the caller falls asleep: about 0.2 ms

struct block {
    struct lesson lessons[BLOCK_ROWS];
    size_t count;
    uint32_t indices[BLOCK_CELLS];
    float values[BLOCK_CELLS];
};

struct feed {
    struct batch *const *batches;
    const struct norms *norms;
    const struct place *places;
    size_t count, next; // of the places

    pthread_t thread;
    bool threaded;
    pthread_mutex_t mutex;
    pthread_cond_t more, room; // for the caller, for the thread
    atomic_size_t filled;      // blocks so far
    size_t given;              // and of these, to the caller
    bool holding;              // the caller has a block
    bool stop;
    struct block blocks[BLOCKS];
};

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

// Asks for rows that will be needed: first where they start, then all of them.
static inline void fetch_ahead(const struct feed *feed, size_t i)
{
    if (i + FETCH_START < feed->count) {
        struct place p = feed->places[i + FETCH_START];
        __builtin_prefetch(feed->batches[p.batch]->offsets + p.row);
        __builtin_prefetch(feed->batches[p.batch]->labels + p.row);
        if (feed->norms->count)
            __builtin_prefetch(feed->norms->items +
                               (feed->batches[p.batch]->first_row + p.row - feed->norms->first));
    }
    if (i + FETCH_ROW < feed->count) {
        struct place p = feed->places[i + FETCH_ROW];
        const struct batch *batch = feed->batches[p.batch];
        const uint32_t *offsets = batch->offsets + p.row;
        for (uint32_t k = offsets[0]; k < offsets[1]; k += CACHE_LINE / sizeof *batch->indices) {
            if (!batch->alike)
                __builtin_prefetch(batch->indices + k, 0, NEAR);
            if (!batch->ones)
                __builtin_prefetch(batch->values + k, 0, NEAR);
        }
    }
}

static void fill(struct feed *feed, struct block *block)
{
    size_t used = 0;
    for (block->count = 0; block->count < BLOCK_ROWS && feed->next < feed->count; feed->next++) {
        fetch_ahead(feed, feed->next);
        struct place place = feed->places[feed->next];
        bool alike = feed->batches[place.batch]->alike;
        struct lesson lesson = lesson_at(feed->batches, place, feed->norms);
        tlu_row row = lesson.x;
        if (row.count <= BLOCK_CELLS) {
            if (row.count > BLOCK_CELLS - used)
                break;
            if (!alike) { // else all rows share them, and they are near
                memcpy(block->indices + used, row.features, row.count * sizeof *row.features);
                row.features = block->indices + used;
            }
            if (row.values) {
                memcpy(block->values + used, row.values, row.count * sizeof *row.values);
                row.values = block->values + used;
            }
            used += row.count;
        }
        lesson.x = row;
        block->lessons[block->count++] = lesson;
    }
}

static size_t used_blocks(const struct feed *feed)
{
    return feed->filled - feed->given + feed->holding;
}

static void *run(void *argument)
{
    struct feed *feed = argument;
    pthread_mutex_lock(&feed->mutex);
    while (!feed->stop) {
        if (used_blocks(feed) == BLOCKS) { // sleeps long, since to be woken takes its time too
            while (!feed->stop && used_blocks(feed) > BLOCKS / 2)
                pthread_cond_wait(&feed->room, &feed->mutex);
            continue;
        }
        struct block *block = &feed->blocks[feed->filled % BLOCKS];
        pthread_mutex_unlock(&feed->mutex);
        fill(feed, block);
        pthread_mutex_lock(&feed->mutex);
        feed->filled++;
        feed->stop |= block->count == 0;
        pthread_cond_signal(&feed->more);
    }
    pthread_mutex_unlock(&feed->mutex);
    return NULL;
}

struct feed *feed_open(struct batch *const *batches, const struct norms *norms,
                       const struct place *places, size_t count, bool threaded)
{
    struct feed *feed = memory_resize(NULL, 1, sizeof *feed); // blocks need not be zeros
    if (!feed)
        return NULL;
    memset(feed, 0, offsetof(struct feed, blocks));
    feed->batches = batches;
    feed->norms = norms;
    feed->places = places;
    feed->count = count;
    pthread_mutex_init(&feed->mutex, NULL);
    pthread_cond_init(&feed->more, NULL);
    pthread_cond_init(&feed->room, NULL);
    feed->threaded = threaded && thread_start(&feed->thread, run, feed);
    return feed;
}

size_t feed_next(struct feed *feed, const struct lesson **lessons)
{
    struct block *block = &feed->blocks[0];
    if (feed->threaded) {
        pthread_mutex_lock(&feed->mutex);
        feed->holding = false;
        if (used_blocks(feed) <= BLOCKS / 2)
            pthread_cond_signal(&feed->room);
        pthread_mutex_unlock(&feed->mutex);
        // The next block is there in less time than it takes to fall asleep and to be woken.
        for (int i = 0; i < PATIENCE && feed->given == feed->filled; i++)
            relax();
        pthread_mutex_lock(&feed->mutex);
        while (feed->given == feed->filled)
            pthread_cond_wait(&feed->more, &feed->mutex);
        block = &feed->blocks[feed->given % BLOCKS];
        if (block->count) { // the last, empty one stays for the next call
            feed->given++;
            feed->holding = true;
        }
        pthread_mutex_unlock(&feed->mutex);
    } else {
        fill(feed, block);
    }
    *lessons = block->lessons;
    return block->count;
}

void feed_close(struct feed *feed)
{
    if (!feed)
        return;
    if (feed->threaded) {
        pthread_mutex_lock(&feed->mutex);
        feed->stop = true;
        pthread_cond_signal(&feed->room);
        pthread_mutex_unlock(&feed->mutex);
        pthread_join(feed->thread, NULL);
    }
    pthread_mutex_destroy(&feed->mutex);
    pthread_cond_destroy(&feed->more);
    pthread_cond_destroy(&feed->room);
    memory_free(feed);
}
