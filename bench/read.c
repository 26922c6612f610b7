// parse FILE [THREADS]: reads a data file as training does, without learning, and prints one line
// of JSON: bytes, rows, non-zeros, seconds. One thread by default.
#include "input/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct counts {
    uint64_t bytes, rows, nonzeros;
};

static tlu_status read_all(struct reader *reader, struct counts *counts, tlu_error *error)
{
    for (;;) {
        struct batch *batch;
        tlu_status status = reader_next(reader, &batch, error);
        if (status != TLU_OK || !batch)
            return status;
        counts->bytes = batch->place.bytes;
        counts->rows += batch->rows;
        counts->nonzeros += batch_nonzeros(batch);
        reader_recycle(reader, batch);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: read FILE [THREADS]\n");
        return TLU_ERROR_INPUT;
    }
    tlu_error error = {0};
    struct schema schema;
    schema_init(&schema);
    struct reader *reader = NULL;
    struct counts counts = {0};
    tlu_options *options;
    tlu_options_new(&options, NULL);
    tlu_status status = options ? TLU_OK : TLU_ERROR_SYSTEM;
    if (status == TLU_OK)
        status = tlu_options_set(options, "threads", argc == 3 ? argv[2] : "1", &error);
    double start = now();
    if (status == TLU_OK)
        status = reader_open(&reader, argv[1], options, &schema, &error);
    if (status == TLU_OK)
        status = read_all(reader, &counts, &error);
    double seconds = now() - start;
    reader_close(reader);
    schema_free(&schema);
    tlu_options_free(options);
    if (status != TLU_OK) {
        fprintf(stderr, "read: %s\n", error.text);
        return status;
    }
    printf("{\"bytes\": %" PRIu64 ", \"rows\": %" PRIu64 ", \"nonzeros\": %" PRIu64
           ", \"seconds\": %.6f}\n",
           counts.bytes, counts.rows, counts.nonzeros, seconds);
    return 0;
}
