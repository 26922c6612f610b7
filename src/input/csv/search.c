// Looking at all chunks of a file for the kinds of its columns, by as many threads as there are;
// what they find does not depend on how many.
#include "base/memory.h"
#include "base/thread.h"
#include "input/csv/row.h"

#include <pthread.h>
#include <string.h>

#define THREADS_MAX 64

struct search {
    const struct schema *schema;
    csv_next_chunk *next;
    void *context;
    pthread_mutex_t reading; // chunks, in order
    size_t chunks;
    bool over;
    pthread_mutex_t adding; // what was found
    struct column_look *looks;
    uint64_t *lines; // [chunks] in each
    size_t lines_capacity;
    tlu_status status;
    tlu_error error;
};

struct searcher {
    struct search *search;
    size_t number;
};

static void end_search(struct search *search, tlu_status status, const tlu_error *error)
{
    pthread_mutex_lock(&search->adding);
    if (search->status == TLU_OK) {
        search->status = status;
        search->error = *error;
    }
    pthread_mutex_unlock(&search->adding);
}

// The number of the chunk, or SIZE_MAX at the end.
static size_t take_chunk(struct search *search, size_t worker, const char **bytes, size_t *size)
{
    size_t number = SIZE_MAX;
    tlu_error error;
    pthread_mutex_lock(&search->reading);
    if (!search->over) {
        tlu_status status = search->next(search->context, worker, bytes, size, &error);
        search->over = status != TLU_OK || *size == 0;
        if (status != TLU_OK)
            end_search(search, status, &error);
        else if (*size)
            number = search->chunks++;
    }
    pthread_mutex_unlock(&search->reading);
    return number;
}

// Adds what a chunk has shown; false if out of memory.
static bool add_looks(struct search *search, struct column_look *found, size_t chunk,
                      uint64_t lines)
{
    pthread_mutex_lock(&search->adding);
    bool fine =
        memory_reserve(&search->lines, &search->lines_capacity, chunk + 1, sizeof *search->lines);
    if (fine)
        search->lines[chunk] = lines;
    for (size_t i = 0; fine && i < search->schema->column_count; i++) {
        struct column_look *look = &search->looks[i];
        if (found[i].others && (look->others == 0 || chunk < look->other_chunk)) {
            look->other_chunk = chunk;
            look->other_line = found[i].other_line;
            look->other_column = found[i].other_column;
            memcpy(look->other, found[i].other, sizeof look->other);
        }
        look->numbers += found[i].numbers;
        look->others += found[i].others;
        look->commas += found[i].commas;
        found[i].numbers = found[i].others = found[i].commas = 0;
    }
    pthread_mutex_unlock(&search->adding);
    return fine;
}

static void *search_chunks(void *argument)
{
    const struct searcher *searcher = argument;
    struct search *search = searcher->search;
    size_t columns = search->schema->column_count, chunk;
    struct column_look *found = memory_new(columns, sizeof *found);
    const char *bytes;
    size_t size;
    bool fine = found != NULL;
    for (size_t i = 0; fine && i < columns; i++)
        found[i].open = search->looks[i].open;
    while (fine && (chunk = take_chunk(search, searcher->number, &bytes, &size)) != SIZE_MAX) {
        uint64_t lines = 0;
        fine = csv_kinds_scan(search->schema, found, bytes, size, &lines, CSV_BEST) &&
               add_looks(search, found, chunk, lines);
    }
    if (!fine) {
        tlu_error error;
        end_search(search, error_memory(&error), &error);
        pthread_mutex_lock(&search->reading);
        search->over = true;
        pthread_mutex_unlock(&search->reading);
    }
    memory_free(found);
    return NULL;
}

// Lines of chunks become lines of the file.
static void number_lines(struct search *search, uint64_t lines_before)
{
    for (size_t i = 0; i < search->schema->column_count; i++) {
        struct column_look *look = &search->looks[i];
        if (look->others == 0)
            continue;
        look->other_line += lines_before;
        for (size_t chunk = 0; chunk < look->other_chunk; chunk++)
            look->other_line += search->lines[chunk];
    }
}

tlu_status csv_kinds_search(const struct schema *schema, struct column_look *looks,
                            uint64_t lines_before, size_t threads, csv_next_chunk *next,
                            void *context, tlu_error *error)
{
    struct search search = {.schema = schema, .looks = looks, .next = next, .context = context};
    struct searcher searchers[THREADS_MAX];
    pthread_t running[THREADS_MAX];
    size_t started = 1; // the caller
    pthread_mutex_init(&search.reading, NULL);
    pthread_mutex_init(&search.adding, NULL);
    for (size_t i = 0; i < THREADS_MAX; i++)
        searchers[i] = (struct searcher){&search, i};
    while (started < threads && started < THREADS_MAX &&
           thread_start(&running[started], search_chunks, &searchers[started]))
        started++; // fewer will do
    search_chunks(&searchers[0]);
    for (size_t i = 1; i < started; i++)
        pthread_join(running[i], NULL);
    if (search.status == TLU_OK)
        number_lines(&search, lines_before);
    else if (error)
        *error = search.error;
    pthread_mutex_destroy(&search.reading);
    pthread_mutex_destroy(&search.adding);
    memory_free(search.lines);
    return search.status;
}
