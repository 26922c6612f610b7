// Rows by the feeder, with and without its thread, against the batches themselves.
#include "base/random.h"
#include "train/prefetch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BATCHES 5
#define FIRST_ROW 1000000 // in the file

struct data {
    struct batch *batches[BATCHES];
    struct place *places;
    size_t count;
    struct norms norms;
};

// Rows of 0 to `longest` entries; every second batch has ones alone.
static void make(struct data *data, struct random *random, size_t rows, size_t longest)
{
    *data = (struct data){.places = malloc(BATCHES * rows * sizeof *data->places),
                          .norms = {.first = FIRST_ROW, .count = BATCHES * rows}};
    data->norms.items = malloc(data->norms.count * sizeof *data->norms.items);
    assert_non_null(data->places);
    assert_non_null(data->norms.items);
    for (size_t i = 0; i < data->norms.count; i++)
        data->norms.items[i] = random_unit(random);
    for (uint32_t b = 0; b < BATCHES; b++) {
        struct batch *batch = data->batches[b] = batch_new();
        assert_non_null(batch);
        batch->ones = b % 2;
        batch->first_row = FIRST_ROW + rows * b;
        for (uint32_t i = 0; i < rows; i++) {
            size_t length = (size_t)random_below(random, longest + 1);
            assert_true(batch_reserve(batch, 1, length));
            uint32_t end = (uint32_t)batch_nonzeros(batch);
            for (size_t k = 0; k < length; k++, end++) {
                batch->indices[end] = (uint32_t)random_bits(random);
                batch->values[end] = (float)random_unit(random);
            }
            batch->labels[i] = (uint32_t)random_below(random, 7);
            batch->rows++;
            batch->offsets[batch->rows] = end;
            data->places[data->count++] = (struct place){b, i};
        }
    }
    for (size_t i = data->count; i > 1; i--) {
        size_t j = (size_t)random_below(random, i);
        struct place swap = data->places[i - 1];
        data->places[i - 1] = data->places[j];
        data->places[j] = swap;
    }
}

static void drop(struct data *data)
{
    for (size_t b = 0; b < BATCHES; b++)
        batch_free(data->batches[b]);
    free(data->places);
    free(data->norms.items);
}

static void expect_row(const struct data *data, size_t place, const struct example *fed)
{
    struct place p = data->places[place];
    const struct batch *batch = data->batches[p.batch];
    tlu_row row = batch_row(batch, p.row);
    assert_int_equal(fed->class_index, batch->labels[p.row]);
    assert_int_equal(fed->id, batch->first_row + p.row);
    assert_true(fed->norm == data->norms.items[fed->id - FIRST_ROW]);
    assert_int_equal(fed->x.count, row.count);
    assert_int_equal(fed->x.values == NULL, row.values == NULL);
    assert_memory_equal(fed->x.features, row.features, row.count * sizeof *row.features);
    if (row.values)
        assert_memory_equal(fed->x.values, row.values, row.count * sizeof *row.values);
}

static void check(const struct data *data, bool threaded)
{
    struct prefetch *feed =
        prefetch_open(data->batches, &data->norms, data->places, data->count, threaded);
    assert_non_null(feed);
    struct example *rows;
    size_t seen = 0, count;
    while ((count = prefetch_next(feed, &rows)))
        for (size_t i = 0; i < count; i++)
            expect_row(data, seen++, &rows[i]);
    assert_int_equal(seen, data->count);
    assert_int_equal(prefetch_next(feed, &rows), 0); // and again
    prefetch_close(feed);
}

static void rows_in_their_order(void **state)
{
    (void)state;
    static const size_t longest[] = {0, 3, 80, 5000, 60000}; // the last: longer than a block
    struct random random;
    random_seed(&random, 1);
    for (size_t i = 0; i < sizeof longest / sizeof longest[0]; i++) {
        struct data data;
        make(&data, &random, longest[i] < 100 ? 2000 : 20, longest[i]);
        check(&data, false);
        check(&data, true);
        drop(&data);
    }
}

static void no_rows(void **state)
{
    (void)state;
    struct data data = {0};
    check(&data, false);
    check(&data, true);
}

// Closed while the thread is filling or waiting.
static void closed_early(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 2);
    struct data data;
    make(&data, &random, 2000, 50);
    for (int asked = 0; asked < 20; asked++) {
        struct prefetch *feed =
            prefetch_open(data.batches, &data.norms, data.places, data.count, true);
        struct example *rows;
        assert_non_null(feed);
        for (int i = 0; i < asked; i++)
            assert_true(prefetch_next(feed, &rows) > 0);
        prefetch_close(feed);
    }
    prefetch_close(NULL);
    drop(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_in_their_order),
        cmocka_unit_test(no_rows),
        cmocka_unit_test(closed_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
