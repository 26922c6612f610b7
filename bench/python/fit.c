// fit ARRAYS MODEL TIMES LEARNER [OPTION VALUE]...: fits the arrays that bench/python/native wrote,
// TIMES times, saves the model, and prints the least seconds of a fit: by the wall clock, and of
// the processor in all threads.
#include <tlu.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void fail(const char *why)
{
    fprintf(stderr, "fit: %s\n", why);
    exit(2);
}

static double seconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// An array of the file: its number of items, then the items.
static void *take(FILE *file, size_t item, uint64_t *count)
{
    if (fread(count, sizeof *count, 1, file) != 1)
        fail("the file of arrays is too short");
    void *items = malloc(*count * item + 1);
    if (!items || fread(items, item, *count, file) != *count)
        fail("the file of arrays is too short");
    return *count ? items : NULL;
}

int main(int argc, char **argv)
{
    if (argc < 5 || argc % 2 == 0)
        fail("usage: fit ARRAYS MODEL TIMES LEARNER [OPTION VALUE]...");
    FILE *file = fopen(argv[1], "rb");
    if (!file)
        fail("the file of arrays cannot be opened");
    uint64_t count, rows_count, columns, *shape = take(file, sizeof *shape, &count);
    if (count != 2)
        fail("the arrays have no shape");
    rows_count = shape[0];
    columns = shape[1];
    tlu_rows rows = {
        .size = sizeof rows, .rows = rows_count, .columns = columns, .first_feature = 1};
    rows.values = take(file, sizeof *rows.values, &count);
    rows.features = take(file, sizeof *rows.features, &count);
    rows.offsets = take(file, sizeof *rows.offsets, &count);
    rows.labels = take(file, sizeof *rows.labels, &count);
    uint64_t names_size;
    char *texts = take(file, 1, &names_size); // each with a NUL
    const char **names = malloc((names_size + 1) * sizeof *names);
    for (uint64_t i = 0; names && i < names_size; i++)
        if (i == 0 || texts[i - 1] == '\0')
            names[rows.label_count++] = texts + i;
    rows.label_names = names;
    fclose(file);

    tlu_error error;
    tlu_options *options;
    if (tlu_options_new(&options, &error) != TLU_OK ||
        tlu_options_set(options, "learner", argv[4], &error) != TLU_OK)
        fail(error.text);
    for (int i = 5; i < argc; i += 2)
        if (tlu_options_set(options, argv[i], argv[i + 1], &error) != TLU_OK)
            fail(error.text);
    double least = 1e300, least_cpu = 1e300;
    for (int i = atoi(argv[3]); i > 0; i--) {
        tlu_train_settings settings = {.size = sizeof settings, .rows = &rows};
        tlu_model *model;
        const double start = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
        if (tlu_train_with(&settings, options, &model, &error) != TLU_OK)
            fail(error.text);
        const double took = seconds(CLOCK_MONOTONIC) - start,
                     took_cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        least = took < least ? took : least;
        least_cpu = took_cpu < least_cpu ? took_cpu : least_cpu;
        if (i == 1 && tlu_model_save(model, argv[2], &error) != TLU_OK)
            fail(error.text);
        tlu_model_free(model);
    }
    printf("%.6f %.6f\n", least, least_cpu);
    tlu_options_free(options);
    return 0;
}
