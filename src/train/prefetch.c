#include "train/prefetch.h"

#include "base/memory.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define BLOCKS 8
#define BLOCK_ROWS 64
#define BLOCK_CELLS                                                                                \
    32768 // 32-bit cells for indices and values; rows that do not fit are not copied
#define BLOCK_USUAL 16384 // cells that a block has on average, or fewer
#define SAMPLE 32         // rows
#define PATIENCE 5000     // polls for a block before the caller sleeps: about 0.1 ms

struct prefetch_block {
    struct example examples[BLOCK_ROWS];
    size_t count;
    atomic_size_t ready; // one more than the number of the block that is here
    uint32_t indices[BLOCK_CELLS];
    float values[BLOCK_CELLS];
};

// The rows are cut into blocks, numbered from 0. Blocks are claimed one after the other and filled
// by the one that has claimed them: the thread, as long as there are free blocks, or the caller,
// which would have to wait otherwise. If the cores are far apart, the thread fills a block more
// slowly than the caller.
struct prefetch {
    struct batch *const *batches;
    const struct norms *norms;
    const struct place *places;
    size_t count; // of the places
    size_t rows;  // of a block
    size_t total; // blocks

    pthread_t thread;
    bool threaded;
    pthread_mutex_t mutex;        // to fall asleep and to be woken, no more
    pthread_cond_t filled, freed; // signals of blocks: for the caller, for the thread
    atomic_bool caller_sleeps, thread_sleeps, stop;
    atomic_size_t claimed; // blocks so far
    atomic_size_t done;    // blocks that the caller no longer needs

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

static inline struct example copy_example(const struct prefetch *p, size_t i,
                                          struct prefetch_block *block, size_t *used)
{
    struct place place = p->places[i];
    struct example example = example_at(p->batches, place, p->norms);
    tlu_row row = example.x;
    if (p->batches[place.batch]->set_cells)
        example_find_set(&example, p->batches, place);
    if (row.count > BLOCK_CELLS - *used)
        return example;
    if (!p->batches[place.batch]->alike) { // else all rows share them, and they are near
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

static void fill(const struct prefetch *p, size_t number, struct prefetch_block *block)
{
    size_t first = number * p->rows, used = 0;
    size_t end = p->count - first < p->rows ? p->count : first + p->rows;
    size_t known = p->threaded ? end : p->count; // the block after it may be another's
    for (size_t i = first; p->threaded && i < end && i < first + FETCH_START; i++)
        fetch_start(p->batches, p->norms, p->places[i]);
    for (size_t i = first; p->threaded && i < end && i < first + FETCH_ROW; i++)
        fetch_row(p->batches, p->places[i]);
    for (size_t i = first; i < end; i++) {
        if (i + FETCH_START < known)
            fetch_start(p->batches, p->norms, p->places[i + FETCH_START]);
        if (i + FETCH_ROW < known)
            fetch_row(p->batches, p->places[i + FETCH_ROW]);
        block->examples[i - first] = copy_example(p, i, block, &used);
    }
    block->count = end - first;
}

// The next block, if it is before `limit`; else false.
static bool claim(struct prefetch *p, size_t limit, size_t *number)
{
    *number = atomic_load(&p->claimed);
    do
        if (*number >= limit || *number >= p->total)
            return false;
    while (!atomic_compare_exchange_weak(&p->claimed, number, *number + 1));
    return true;
}

// ---- the thread ----
//
// A thread sets its `sleeps` flag before it checks the condition for the last time. The other one
// changes the condition before it reads the flag. With sequential consistency, one of them sees the
// change of the other, so no wake-up is lost.

static void wake(struct prefetch *p, atomic_bool *sleeps, pthread_cond_t *condition)
{
    if (!atomic_load(sleeps))
        return;
    pthread_mutex_lock(&p->mutex);
    pthread_cond_signal(condition);
    pthread_mutex_unlock(&p->mutex);
}

static size_t used_blocks(struct prefetch *p)
{
    return atomic_load(&p->claimed) - atomic_load(&p->done);
}

// Waits until several blocks are free, because waking takes time too.
static void wait_for_free_blocks(struct prefetch *p)
{
    pthread_mutex_lock(&p->mutex);
    atomic_store(&p->thread_sleeps, true);
    while (!atomic_load(&p->stop) && used_blocks(p) > BLOCKS / 2)
        pthread_cond_wait(&p->freed, &p->mutex);
    atomic_store(&p->thread_sleeps, false);
    pthread_mutex_unlock(&p->mutex);
}

static void *run(void *argument)
{
    struct prefetch *p = argument;
    while (!atomic_load(&p->stop) && atomic_load(&p->claimed) < p->total) {
        size_t number;
        if (!claim(p, atomic_load(&p->done) + BLOCKS, &number)) {
            wait_for_free_blocks(p);
            continue;
        }
        struct prefetch_block *block = &p->blocks[number % BLOCKS];
        fill(p, number, block);
        atomic_store(&block->ready, number + 1);
        wake(p, &p->caller_sleeps, &p->filled);
    }
    return NULL;
}

// ---- the caller ----

// Long rows make smaller blocks.
static size_t choose_rows(const struct prefetch *p)
{
    size_t cells = 0, rows = 0;
    for (size_t i = 0; i < p->count; i += p->count / SAMPLE + 1, rows++)
        cells += batch_row(p->batches[p->places[i].batch], p->places[i].row).count;
    size_t fitting = cells ? BLOCK_USUAL * rows / cells : BLOCK_ROWS;
    return fitting > BLOCK_ROWS ? BLOCK_ROWS : fitting ? fitting : 1;
}

struct prefetch *prefetch_open(struct batch *const *batches, const struct norms *norms,
                               const struct place *places, size_t count, bool threaded)
{
    struct prefetch *p = memory_resize(NULL, 1, sizeof *p); // blocks need not be zeros
    if (!p)
        return NULL;
    memset(p, 0, offsetof(struct prefetch, blocks));
    for (size_t i = 0; i < BLOCKS; i++)
        atomic_init(&p->blocks[i].ready, 0);
    p->batches = batches;
    p->norms = norms;
    p->places = places;
    p->count = count;
    p->rows = choose_rows(p);
    p->total = (count + p->rows - 1) / p->rows;
    p->threaded = threaded;
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->filled, NULL);
    pthread_cond_init(&p->freed, NULL);
    if (threaded && !thread_start(&p->thread, run, p))
        p->threaded = false;
    return p;
}

static void wait_for_block(struct prefetch *p, struct prefetch_block *block, size_t number)
{
    pthread_mutex_lock(&p->mutex);
    atomic_store(&p->caller_sleeps, true);
    while (atomic_load(&block->ready) != number + 1)
        pthread_cond_wait(&p->filled, &p->mutex);
    atomic_store(&p->caller_sleeps, false);
    pthread_mutex_unlock(&p->mutex);
}

// The block with this number. As long as it is not there, the caller fills one: this or the next
// that is not claimed yet, which then waits its turn.
static struct prefetch_block *block_of(struct prefetch *p, size_t number)
{
    struct prefetch_block *block = &p->blocks[number % BLOCKS], *own = &p->blocks[BLOCKS];
    if (p->own == number + 1)
        return own;
    for (int polls = 0; atomic_load(&block->ready) != number + 1; polls++) {
        size_t claimed;
        if (p->own <= number && claim(p, p->total, &claimed)) {
            fill(p, claimed, own);
            p->own = claimed + 1;
            if (claimed == number)
                return own;
        } else if (polls < PATIENCE) {
            relax();
        } else {
            wait_for_block(p, block, number);
        }
    }
    return block;
}

size_t prefetch_next(struct prefetch *p, struct example **examples)
{
    atomic_store(&p->done, p->next);
    if (used_blocks(p) <= BLOCKS / 2)
        wake(p, &p->thread_sleeps, &p->freed);
    if (p->next == p->total)
        return 0;
    struct prefetch_block *block = block_of(p, p->next++);
    *examples = block->examples;
    return block->count;
}

void prefetch_close(struct prefetch *p)
{
    if (!p)
        return;
    atomic_store(&p->stop, true);
    if (p->threaded) {
        pthread_mutex_lock(&p->mutex);
        pthread_cond_signal(&p->freed);
        pthread_mutex_unlock(&p->mutex);
        pthread_join(p->thread, NULL);
    }
    pthread_mutex_destroy(&p->mutex);
    pthread_cond_destroy(&p->filled);
    pthread_cond_destroy(&p->freed);
    memory_free(p);
}
