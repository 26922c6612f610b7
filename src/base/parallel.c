#include "base/parallel.h"
#include "base/thread.h"

#include <assert.h>
#include <unistd.h>

#define THREADS_MAX 64

struct share {
    void (*part)(void *context, size_t first, size_t last);
    void *context;
    size_t first, last;
};

static void *run(void *argument)
{
    struct share *share = argument;
    share->part(share->context, share->first, share->last);
    return NULL;
}

size_t parallel_threads(uint64_t wanted)
{
    if (wanted == 0) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        wanted = cores > 0 ? (uint64_t)cores : 1;
    }
    return wanted < THREADS_MAX ? (size_t)wanted : THREADS_MAX;
}

void parallel_run(size_t threads, size_t count,
                  void (*part)(void *context, size_t first, size_t last), void *context)
{
    assert(part);
    struct share shares[THREADS_MAX];
    pthread_t running[THREADS_MAX];
    size_t started = 0;
    threads = threads > THREADS_MAX ? THREADS_MAX : threads;
    if (threads > count)
        threads = count ? count : 1;
    for (size_t i = 0; i < threads; i++)
        shares[i] = (struct share){part, context, count * i / threads, count * (i + 1) / threads};
    while (started + 1 < threads && thread_start(&running[started], run, &shares[started + 1]))
        started++;
    for (size_t i = started + 1; i < threads; i++) // those that could not be started
        run(&shares[i]);
    if (threads)
        run(&shares[0]);
    for (size_t i = 0; i < started; i++)
        pthread_join(running[i], NULL);
}
