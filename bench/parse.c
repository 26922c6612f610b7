// Times parsing alone: one thread, of a file that is in memory, cut into chunks as the reader cuts
// it. Usage: parse [--json] [--rounds N] [--label COLUMN] FILE. Each figure is the best
// of the rounds.
#include "base/memory.h"
#include "format/csv/csv.h"
#include "format/csv/scan.h"
#include "format/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHUNK_SIZE ((size_t)1 << 20)

struct text {
    char *bytes;
    size_t size;
};

// What one round came to.
struct outcome {
    double cut, kinds, parse; // seconds
    uint64_t rows, values;
};

struct bench {
    bool csv;
    struct schema schema;
    struct csv_plan plan;
    struct parser parser;
    tlu_options *options;
};

static void fail(const char *what)
{
    fprintf(stderr, "parse: %s\n", what);
    exit(2);
}

// The time of the CPU, so that other programs do not count.
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static struct text load(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct text text = {NULL, 0};
    if (!file || fseek(file, 0, SEEK_END) != 0)
        fail("cannot open the file");
    text.size = (size_t)ftell(file);
    text.bytes = memory_new(text.size, 1);
    rewind(file);
    if (!text.bytes || fread(text.bytes, 1, text.size, file) != text.size)
        fail("cannot read the file");
    fclose(file);
    return text;
}

static size_t cut(const struct bench *bench, const char *bytes, size_t size)
{
    size_t part = size < CHUNK_SIZE ? size : CHUNK_SIZE, complete = 0;
    for (; part < size && complete == 0; part = part * 2 < size ? part * 2 : size)
        if (bench->csv) {
            complete = csv_complete(bytes, part, bench->plan.delimiter);
        } else {
            const char *newline = memrchr(bytes, '\n', part);
            complete = newline ? (size_t)(newline - bytes) + 1 : 0;
        }
    return complete ? complete : size;
}

// Finds the columns of CSV and drops the header.
static void plan_csv(struct bench *bench, struct text *text)
{
    tlu_error error = {.text = ""};
    struct column_look *looks = NULL;
    size_t used = 0, sample = text->size < CHUNK_SIZE ? text->size : CHUNK_SIZE;
    uint64_t lines = 0;
    bench->plan.delimiter = csv_delimiter(text->bytes, sample);
    bench->schema.delimiter = bench->plan.delimiter;
    tlu_status status = csv_columns(&bench->schema, bench->options, "file", text->bytes, sample,
                                    &used, &lines, &error);
    text->bytes += used;
    text->size -= used;
    if (status == TLU_OK)
        status = csv_looks_new(&looks, &bench->schema, bench->options, "file", &error);
    if (status == TLU_OK &&
        !csv_kinds_scan(&bench->schema, looks, text->bytes, text->size, &lines, CSV_BEST))
        fail("out of memory");
    if (status == TLU_OK)
        status = csv_kinds_decide(&bench->schema, looks, false, "file", &error);
    if (status == TLU_OK)
        status = csv_plan_own(&bench->plan, &bench->schema, &error);
    if (status != TLU_OK)
        fail(error.text);
    memory_free(looks);
    bench->parser.plan = &bench->plan;
}

static struct outcome run(const struct bench *bench, const struct text *text, struct batch *batch)
{
    struct outcome outcome = {0};
    struct bad_row bad = {.reason = ""};
    struct column_look *looks = NULL;
    uint64_t lines = 0;
    if (bench->csv && csv_looks_new(&looks, &bench->schema, bench->options, "file", NULL) != TLU_OK)
        fail("out of memory");
    for (size_t at = 0; at < text->size;) {
        const char *bytes = text->bytes + at;
        double start = now();
        size_t size = cut(bench, bytes, text->size - at);
        double ready = now();
        if (bench->csv)
            csv_kinds_scan(&bench->schema, looks, bytes, size, &lines, CSV_BEST);
        double known = now();
        batch_clear(batch);
        parse_function *parse = bench->csv ? csv_parse : libsvm_parse;
        if (parse(&bench->parser, bytes, size, batch, &bad) != PARSE_OK)
            fail(bad.reason);
        outcome.cut += ready - start;
        outcome.kinds += known - ready;
        outcome.parse += now() - known;
        outcome.rows += batch->rows;
        outcome.values += batch_nonzeros(batch);
        at += size;
    }
    memory_free(looks);
    return outcome;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static void print(const struct bench *bench, size_t size, const struct outcome *best, bool json)
{
    double megabytes = (double)size / 1e6, values = (double)best->values;
    double kinds = bench->csv ? megabytes / best->kinds : 0;
    printf(json ? "{\"format\":\"%s\",\"bytes\":%zu,\"rows\":%llu,\"values\":%llu,"
                  "\"bytes_per_second\":%.0f,\"ns_per_value\":%.3f,"
                  "\"cut_bytes_per_second\":%.0f,\"kinds_bytes_per_second\":%.0f}\n"
                : "%s: %zu bytes, %llu rows, %llu values\nparsing %.0f bytes/s, %.2f ns per value; "
                  "cutting %.0f bytes/s; finding kinds %.0f bytes/s\n",
           bench->csv ? "csv" : "libsvm", size, (unsigned long long)best->rows,
           (unsigned long long)best->values, 1e6 * megabytes / best->parse,
           1e9 * best->parse / values, 1e6 * megabytes / best->cut, 1e6 * kinds);
}

int main(int count, char **arguments)
{
    bool json = false;
    const char *path = NULL;
    int rounds = 5;
    struct bench bench = {.options = tlu_options_new()};
    if (!bench.options)
        fail("out of memory");
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--json") == 0)
            json = true;
        else if (strcmp(arguments[i], "--rounds") == 0 && i + 1 < count)
            rounds = atoi(arguments[++i]);
        else if (strcmp(arguments[i], "--label") == 0 && i + 1 < count)
            tlu_options_set(bench.options, "label", arguments[++i], NULL);
        else
            path = arguments[i];
    }
    if (!path)
        fail("expected [--json] [--rounds N] [--label COLUMN] FILE");
    struct text text = load(path);
    char *bytes = text.bytes;
    schema_init(&bench.schema);
    bench.parser = (struct parser){.schema = &bench.schema, .labelled = true};
    size_t sample = text.size < CHUNK_SIZE ? text.size : CHUNK_SIZE;
    if (!format_recognise(text.bytes, sample, &bench.schema.format) ||
        bench.schema.format > DATA_CSV)
        fail("the file is neither LIBSVM nor CSV");
    bench.csv = bench.schema.format == DATA_CSV;
    if (bench.csv)
        plan_csv(&bench, &text);
    else
        bench.schema.base = SCHEMA_DIRECT;

    struct batch *batch = batch_new();
    if (!batch)
        fail("out of memory");
    struct outcome best = run(&bench, &text, batch);
    for (int i = 1; i < rounds; i++) {
        struct outcome next = run(&bench, &text, batch);
        best.cut = least(best.cut, next.cut);
        best.kinds = least(best.kinds, next.kinds);
        best.parse = least(best.parse, next.parse);
    }
    print(&bench, text.size, &best, json);
    batch_free(batch);
    csv_plan_free(&bench.plan);
    schema_free(&bench.schema);
    tlu_options_free(bench.options);
    memory_free(bytes);
    return 0;
}
