// bandwidth FILE MEGABYTES: what the machine can do at best, as one line of JSON in bytes per
// second: the sum over MEGABYTES of memory with one thread and with one per core, and read(2) of
// FILE into a buffer that stays in the cache, with one thread.
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_THREADS 256
#define BUFFER ((size_t)1 << 18)

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct part {
    const uint64_t *words;
    size_t count;
    uint64_t sum;
};

// Eight sums side by side, so that memory is what it waits for, not the additions.
static void *sum_up(void *argument)
{
    struct part *part = argument;
    uint64_t sums[8] = {0};
    for (size_t i = 0; i + 8 <= part->count; i += 8)
        for (size_t k = 0; k < 8; k++)
            sums[k] += part->words[i + k];
    for (size_t k = 0; k < 8; k++)
        part->sum += sums[k];
    return NULL;
}

// Bytes per second of reading memory by some threads; 0 if the sum is wrong.
static double sum_speed(const uint64_t *words, size_t count, size_t threads)
{
    struct part parts[MAX_THREADS] = {{0}};
    pthread_t ids[MAX_THREADS];
    size_t share = count / threads / 8 * 8, started = 0;
    uint64_t sum = 0;
    double start = now();
    for (; started < threads; started++) {
        parts[started] = (struct part){.words = words + started * share, .count = share};
        if (pthread_create(&ids[started], NULL, sum_up, &parts[started]))
            break;
    }
    for (size_t i = 0; i < started; i++) {
        pthread_join(ids[i], NULL);
        sum += parts[i].sum;
    }
    double seconds = now() - start;
    return sum == share * threads ? (double)(share * threads * sizeof *words) / seconds : 0;
}

static double read_speed(const char *path)
{
    static char buffer[BUFFER];
    int file = open(path, O_RDONLY);
    if (file < 0)
        return 0;
    size_t bytes = 0;
    ssize_t count;
    double start = now();
    while ((count = read(file, buffer, sizeof buffer)) > 0)
        bytes += (size_t)count;
    double seconds = now() - start;
    close(file);
    return count < 0 ? 0 : (double)bytes / seconds;
}

int main(int argc, char **argv)
{
    size_t megabytes = argc == 3 ? (size_t)atol(argv[2]) : 0;
    if (megabytes == 0) {
        fprintf(stderr, "usage: bandwidth FILE MEGABYTES\n");
        return 2;
    }
    size_t count = megabytes * 1000000 / sizeof(uint64_t);
    uint64_t *words = malloc(count * sizeof *words);
    if (!words) {
        fprintf(stderr, "bandwidth: no memory\n");
        return 3;
    }
    for (size_t i = 0; i < count; i++)
        words[i] = 1;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t threads = cores < 1 ? 1 : cores > MAX_THREADS ? MAX_THREADS : (size_t)cores;
    printf(
        "{\"memory_one_thread\": %.0f, \"memory_all_threads\": %.0f, \"read_one_thread\": %.0f}\n",
        sum_speed(words, count, 1), sum_speed(words, count, threads), read_speed(argv[1]));
    free(words);
    return 0;
}
