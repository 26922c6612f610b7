// Times parsing alone: one thread, of a file of any format that is in memory, cut into chunks as
// the reader cuts it. Usage: parse [--json] [--rounds N] [--OPTION VALUE]... FILE, with the options
// of training, such as --label and --ngrams. Each figure is the best of the rounds. Names are
// merged into a schema that starts empty in each round, which is timed apart. What counts as a
// value is an entry of a row; of text a word or an n-gram, with those that are repeated in the row.
#include "base/memory.h"
#include "data/formats.h"
#include "input/csv/csv.h"
#include "input/csv/scan.h"
#include "input/text/words.h"

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
    double cut, kinds, parse, merge; // seconds
    uint64_t rows, values;
};

struct bench {
    enum data_format format;
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
    struct column_stats *looks = NULL;
    size_t used = 0, sample = text->size < CHUNK_SIZE ? text->size : CHUNK_SIZE;
    uint64_t lines = 0;
    bench->plan.delimiter = csv_delimiter(text->bytes, sample);
    bench->schema.delimiter = bench->plan.delimiter;
    tlu_status status = csv_columns(&bench->schema, bench->options, "file", text->bytes, sample,
                                    &used, &lines, &error);
    text->bytes += used;
    text->size -= used;
    if (status == TLU_OK)
        status = csv_stats_new(&looks, &bench->schema, bench->options, "file", &error);
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

// Names and labels that were met are forgotten.
static void forget(struct bench *bench)
{
    if (bench->csv)
        return;
    struct word_rule words = bench->schema.words;
    schema_free(&bench->schema);
    schema_init(&bench->schema);
    bench->schema.format = bench->format;
    bench->schema.words = words;
    bench->schema.base = bench->format == DATA_LIBSVM ? SCHEMA_DIRECT : bench->schema.base;
    table_share(&bench->schema.names); // as the reader does
    bench->parser.lasting = true;
}

// Words are told by their number of times.
static uint64_t values_of(const struct bench *bench, const struct batch *batch)
{
    size_t entries = batch_nonzeros(batch);
    if (format_table[bench->format].words != WORDS_ALL || !batch->values)
        return entries;
    double times = 0;
    for (size_t i = 0; i < entries; i++)
        times += (double)batch->values[i];
    return (uint64_t)times;
}

static struct outcome run(struct bench *bench, const struct text *text, struct batch *batch)
{
    struct outcome outcome = {0};
    struct bad_row bad = {.reason = ""};
    struct column_stats *looks = NULL;
    uint64_t lines = 0;
    forget(bench);
    if (bench->csv && csv_stats_new(&looks, &bench->schema, bench->options, "file", NULL) != TLU_OK)
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
        parse_function *parse = format_table[bench->format].parse;
        if (parse(&bench->parser, bytes, size, batch, &bad) != PARSE_OK)
            fail(bad.reason);
        double parsed = now();
        outcome.values += values_of(bench, batch);
        double counted = now();
        if (!schema_merge(&bench->schema, batch))
            fail("out of memory");
        outcome.merge += now() - counted;
        outcome.cut += ready - start;
        outcome.kinds += bench->csv ? known - ready : 0;
        outcome.parse += parsed - known;
        outcome.rows += batch->rows;
        at += size;
    }
    memory_free(looks);
    return outcome;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double rate(size_t size, double seconds)
{
    return seconds > 0 ? (double)size / seconds : 0;
}

static void print(const struct bench *bench, size_t size, const struct outcome *best, bool json)
{
    double values = (double)best->values;
    printf(json ? "{\"format\":\"%s\",\"bytes\":%zu,\"rows\":%llu,\"values\":%llu,"
                  "\"bytes_per_second\":%.0f,\"ns_per_value\":%.3f,\"merge_ns_per_value\":%.3f,"
                  "\"cut_bytes_per_second\":%.0f,\"kinds_bytes_per_second\":%.0f}\n"
                : "%s: %zu bytes, %llu rows, %llu values\nparsing %.0f bytes/s, %.2f ns per value; "
                  "merging names %.2f ns per value; cutting %.0f bytes/s; finding kinds %.0f "
                  "bytes/s\n",
           format_table[bench->format].name, size, (unsigned long long)best->rows,
           (unsigned long long)best->values, rate(size, best->parse), 1e9 * best->parse / values,
           1e9 * best->merge / values, rate(size, best->cut), rate(size, best->kinds));
}

// Prepares for the file by its format.
static void plan(struct bench *bench, struct text *text)
{
    size_t sample = text->size < CHUNK_SIZE ? text->size : CHUNK_SIZE;
    enum data_format chosen;
    schema_init(&bench->schema);
    bench->parser = (struct parser){.schema = &bench->schema,
                                    .labelled = true,
                                    .missing = options_choice(bench->options, OPTION_MISSING)};
    if (!format_recognise(text->bytes, sample, &bench->schema.format))
        fail("the format is not recognised");
    if (format_chosen(bench->options, &chosen))
        bench->schema.format = chosen;
    bench->format = bench->schema.format;
    if (words_set_rule(&bench->schema, bench->options, NULL) != TLU_OK)
        fail("the options of words are not valid");
    bench->csv = bench->format == DATA_CSV;
    if (bench->csv)
        plan_csv(bench, text);
}

int main(int count, char **arguments)
{
    bool json = false;
    const char *path = NULL;
    int rounds = 5;
    struct bench bench = {0};
    tlu_options_new(&bench.options, NULL);
    if (!bench.options)
        fail("out of memory");
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--json") == 0)
            json = true;
        else if (strcmp(arguments[i], "--rounds") == 0 && i + 1 < count)
            rounds = atoi(arguments[++i]);
        else if (strncmp(arguments[i], "--", 2) == 0 && i + 1 < count) {
            if (tlu_options_set(bench.options, arguments[i] + 2, arguments[i + 1], NULL) != TLU_OK)
                fail("no such option");
            i++;
        } else
            path = arguments[i];
    }
    if (!path)
        fail("expected [--json] [--rounds N] [--OPTION VALUE]... FILE");
    struct text text = load(path);
    char *bytes = text.bytes;
    plan(&bench, &text);
    struct batch *batch = batch_new();
    if (!batch)
        fail("out of memory");
    struct outcome best = run(&bench, &text, batch);
    for (int i = 1; i < rounds; i++) {
        struct outcome next = run(&bench, &text, batch);
        best.cut = least(best.cut, next.cut);
        best.kinds = least(best.kinds, next.kinds);
        best.parse = least(best.parse, next.parse);
        best.merge = least(best.merge, next.merge);
    }
    print(&bench, text.size, &best, json);
    batch_free(batch);
    csv_plan_free(&bench.plan);
    schema_free(&bench.schema);
    tlu_options_free(bench.options);
    memory_free(bytes);
    return 0;
}
