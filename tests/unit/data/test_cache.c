// What is kept for several passes: how much memory it takes, and that a cache file changes nothing.
#include "base/fault.h"
#include "data/cache.h"
#include "learning.h"
#include "train/train.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 12000 };

enum { VALUED, ONES, DENSE }; // kinds of data; in the last all rows have the same indices

static void write_data(const char *path, int kind)
{
    FILE *file = fopen(path, "w");
    struct random random;
    assert_non_null(file);
    random_seed(&random, 5);
    for (int i = 0; i < ROWS; i++) {
        fprintf(file, "%c", 'a' + (int)random_below(&random, 3));
        for (int j = 1, n = kind == DENSE ? 30 : 10 + (int)random_below(&random, 40); j <= n; j++)
            fprintf(file, " %d:%s", kind == DENSE ? j : j * 37,
                    kind == ONES ? "1"
                    : j % 2      ? "0.5"
                                 : "-2.25");
        fputc('\n', file);
    }
    assert_int_equal(fclose(file), 0);
}

// At most 10 bytes per non-zero, 5 if every value is 1, and a constant per row: its offset, label
// and line take 12, its place in the order of learning 8 or, if that has just grown, 16.
static void memory_of_a_run(void **state)
{
    (void)state;
    static const char *const settings[] = {"epochs=2", "epochs=2 scale=maxabs",
                                           "epochs=2 holdout=0.2",
                                           "epochs=2 binarize=yes learner=bernoulli-bayes"};
    for (int ones = 0; ones < 2; ones++)
        for (size_t i = 0; i < 4; i++) {
            write_data("data", ones ? ONES : VALUED);
            tlu_options *options = options_of(settings[i]);
            struct training training = {.rows.path = "data"};
            tlu_error error;
            if (training_run(&training, options, NULL, &error) != TLU_OK)
                fail_msg("%s", error.text);
            bool plain = (ones && i != 1) || i == 3; // scaled values are not 1
            double kept = 0, nonzeros = (double)training.rows.counts.nonzeros;
            for (size_t b = 0; b < training.rows.batch_count; b++) {
                const struct batch *batch = training.rows.batches[b];
                kept += (double)(batch_bytes(batch) + sizeof *batch);
                assert_true((batch->values == NULL) == plain);
            }
            assert_true(training.rows.batch_count > 1 && training.rows.counts.rows == ROWS &&
                        nonzeros > 10.0 * ROWS);
            assert_true(kept - 12.1 * ROWS <= (plain ? 4.1 : 8.1) * nonzeros);
            assert_true((training.rows.order.capacity + training.rows.held_out.capacity) *
                            sizeof(struct place) <=
                        3 * sizeof(struct place) * ROWS);
            assert_true(training.rows.cache.stored == 0);
            assert_int_equal(training.rows.cache.memory +
                                 training.rows.batch_count * sizeof(struct batch),
                             (uint64_t)kept);
            training_free(&training);
            tlu_options_free(options);
        }
}

static char *model_bytes_of(const char *settings, size_t *size)
{
    tlu_model *model = train("data", settings);
    assert_int_equal(tlu_model_save(model, "model", NULL), TLU_OK);
    tlu_model_free(model);
    return read_bytes("model", size);
}

// The same model, byte for byte, wherever the rows are.
static void same_bits(void **state)
{
    (void)state;
    static const char *const settings[] = {"epochs=3", "epochs=3 scale=standard",
                                           "epochs=2 holdout=0.3",
                                           "epochs=2 shuffle=all learner=arow", "learner=rocchio"};
    for (int kind = VALUED; kind <= DENSE; kind++) {
        write_data("data", kind);
        for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
            static const char *const sizes[] = {"1", "1M", "3.5M", "1G"};
            size_t expected_size, size;
            char *expected = model_bytes_of(settings[i], &expected_size);
            for (size_t k = 0; k < 4; k++) {
                char with[100];
                snprintf(with, sizeof with, "%s memory=%s", settings[i], sizes[k]);
                char *bytes = model_bytes_of(with, &size);
                assert_int_equal(size, expected_size);
                assert_memory_equal(bytes, expected, size);
                free(bytes);
            }
            free(expected);
        }
    }
}

// Past the limit, memory holds no more; the file has no name.
static void the_limit_holds(void **state)
{
    (void)state;
    write_data("data", VALUED);
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_int_equal(setenv("TMPDIR", "folder", 1), 0);
    tlu_options *options = options_of("epochs=2 memory=2M");
    struct training training = {.rows.path = "data"};
    assert_int_equal(training_run(&training, options, NULL, NULL), TLU_OK);
    assert_true(training.rows.cache.memory > 0 && training.rows.cache.memory <= 2 << 20);
    assert_true(training.rows.cache.stored > 0);
    uint64_t lent = 0;
    for (size_t b = 0; b < training.rows.batch_count; b++)
        lent += training.rows.batches[b]->memory.lent_entries &&
                training.rows.batches[b]->memory.lent_rows;
    assert_true(lent > 0 && lent < training.rows.batch_count);
    assert_int_equal(rmdir("folder"), 0); // it is empty
    training_free(&training);
    tlu_options_free(options);
    unsetenv("TMPDIR");
}

static struct batch *batch_of(struct random *random, size_t rows, size_t longest, int kind)
{
    struct batch *batch = batch_new();
    assert_non_null(batch);
    batch->first_row = random_bits(random);
    batch->ones = kind == ONES;
    batch->weighted = random_below(random, 2);
    batch->weights = calloc(rows + 1, sizeof *batch->weights);
    batch->memory.weights_capacity = rows + 1;
    for (size_t i = 0; i < rows; i++) {
        size_t length = kind == DENSE ? longest : (size_t)random_below(random, longest + 1);
        assert_true(batch_reserve(batch, 1, length));
        uint32_t end = (uint32_t)batch_nonzeros(batch);
        for (size_t k = 0; k < length; k++, end++) {
            batch->indices[end] = kind == DENSE ? (uint32_t)k : (uint32_t)random_bits(random);
            batch->values[end] = (float)random_unit(random);
        }
        batch->labels[i] = (uint32_t)random_below(random, 7);
        batch->line[i] = (uint32_t)random_bits(random);
        batch->weights[i] = (float)random_unit(random);
        batch->offsets[++batch->rows] = end;
    }
    return batch;
}

static void expect_copy(const struct batch *copy, const struct batch *batch)
{
    assert_int_equal(copy->rows, batch->rows);
    assert_int_equal(copy->first_row, batch->first_row);
    for (size_t i = 0; i < batch->rows; i++) {
        tlu_row a = batch_row(copy, i), b = batch_row(batch, i);
        assert_int_equal(a.count, b.count);
        assert_memory_equal(a.features, b.features, b.count * sizeof *b.features);
        assert_int_equal(a.values == NULL, b.values == NULL);
        if (b.values)
            assert_memory_equal(a.values, b.values, b.count * sizeof *b.values);
        assert_int_equal(copy->labels[i], batch->labels[i]);
        assert_int_equal(copy->line[i], batch->line[i]);
        assert_true(batch_weight(copy, i) == batch_weight(batch, i));
    }
}

// Rows of many batches in large pieces of memory; few rows, too many, and those of dense data are
// left to cache_keep.
static void copies(void **state)
{
    (void)state;
    enum { BATCHES = 100, ENOUGH = 4 << 20 };
    struct batch *batches[BATCHES], *copy[BATCHES];
    struct random random;
    random_seed(&random, 6);
    struct cache cache = {.limit = UINT64_MAX};
    struct batch *dense = batch_of(&random, 10, 5, DENSE), *one = batch_of(&random, 1, 3, VALUED);
    assert_null(cache_copy(&cache, one));
    cache.memory = ENOUGH;
    assert_null(cache_copy(&cache, dense));
    cache.limit = ENOUGH;
    assert_null(cache_copy(&cache, one));
    cache.limit = UINT64_MAX;
    uint64_t kept = ENOUGH;
    for (size_t i = 0; i < BATCHES; i++) {
        batches[i] = batch_of(&random, i < 5 ? i : 4000, i % 10 ? 30 : 300, (int)i % 2);
        copy[i] = cache_copy(&cache, batches[i]);
        assert_non_null(copy[i]);
        kept += batch_bytes(copy[i]);
    }
    assert_int_equal(cache.memory, kept);
    assert_true(cache.pool.count > 1);
    for (size_t i = 0; i < BATCHES; i++) {
        expect_copy(copy[i], batches[i]);
        batch_free(batches[i]);
        batch_free(copy[i]);
    }
    batch_free(dense);
    batch_free(one);
    cache_free(&cache);
}

// An array keeps its items when it moves to a file and grows there, and what it takes in memory is
// within the limit; what fails leaves it as it was.
static void arrays(void **state)
{
    (void)state;
    struct cache cache = {.limit = 4096};
    struct cache_array where = {0};
    uint64_t *items = NULL;
    size_t capacity = 0, refused = 0;
    for (size_t i = 0; i < 100000; i++) {
        if (i == capacity) {
            fault_at(FAULT_MEMORY, 1);
            fault_at(FAULT_WRITE, 1);
            refused += cache_reserve(&cache, &where, &items, &capacity, i + 1, 8, NULL) != TLU_OK;
            fault_at(FAULT_MEMORY, 0);
            fault_at(FAULT_WRITE, 0);
        }
        assert_int_equal(cache_reserve(&cache, &where, &items, &capacity, i + 1, 8, NULL), TLU_OK);
        items[i] = i * i;
        assert_true(cache.arrays <= cache.limit);
        assert_int_equal(cache.arrays, where.bytes);
    }
    assert_true(refused > 10 && where.mapped > 0 && cache.arrays == 0);
    for (size_t i = 0; i < 100000; i++)
        assert_int_equal(items[i], i * i);
    cache_array_free(&where, items);
}

static void a_full_disk(void **state)
{
    (void)state;
    write_data("data", ONES);
    tlu_options *options = options_of("epochs=2 memory=1000");
    tlu_model *model;
    tlu_error error;
    fault_at(FAULT_WRITE, 1);
    tlu_status status = tlu_train("data", options, &model, &error);
    fault_at(FAULT_WRITE, 0);
    assert_int_equal(status, TLU_ERROR_SYSTEM);
    assert_non_null(strstr(error.text, "the cache file in /tmp cannot be written: No space left"));
    assert_null(model);
    tlu_options_free(options);
}

int main(void)
{
    unsetenv("TMPDIR");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_a_run), cmocka_unit_test(same_bits),
        cmocka_unit_test(the_limit_holds), cmocka_unit_test(copies),
        cmocka_unit_test(arrays),          cmocka_unit_test(a_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
