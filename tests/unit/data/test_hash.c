// --hash: slots against a second implementation and plain loops, streams, and models. What becomes
// of the rows of each format is tested by cli/hash.sh.
#include "data/hash.h"
#include "data/schema.h"
#include "learn/learner.h"
#include "learning.h"
#include "model/model.h"

// From tests/hash_reference.py.
static void is_the_function_of_the_document(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t hash;
    } vectors[] = {{"", 0xefd01f60ba992926},    {"a", 0x82a2a958a9bece5b},
                   {"17", 0xd8273c40ac76f52c},  {"free", 0x469bfc5d67aae2de},
                   {"age", 0xb91a141fbd35e263}, {"outlook=rainy", 0x7e80ac2518324ef5},
                   {"n^a", 0xd039bf4bb7c2a5fe}, {"Größe", 0xe504efb774d003a6}};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        uint64_t hash = hash_name(vectors[i].name, strlen(vectors[i].name));
        assert_true(hash == vectors[i].hash);
        assert_int_equal(hash_slot(hash, 10), vectors[i].hash % 1024);
        assert_int_equal(hash_slot(hash, 30), vectors[i].hash % (1u << 30));
    }
}

static size_t number_name(char *name, size_t i)
{
    return (size_t)sprintf(name, "name %zu", i);
}

// Every slot has the list of its names here.
static void counts_slots_and_collisions(void **state)
{
    (void)state;
    enum { BITS = 10, NAMES = 1500 };
    struct schema schema;
    schema_init(&schema);
    assert_true(schema_hash(&schema, BITS));
    assert_int_equal(schema_features(&schema), 1 << BITS);
    for (int twice = 0; twice < 2; twice++) { // what comes again is no news
        size_t names[1 << BITS] = {0}, used = 0, shared = 0;
        for (size_t i = 0; i < NAMES; i++) {
            char name[32];
            size_t length = number_name(name, i);
            uint32_t slot = schema_add(&schema, name, length);
            assert_int_equal(slot, hash_name(name, length) % (1 << BITS));
            assert_int_equal(schema_find(&schema, name, length), slot);
            used += names[slot] == 0;
            shared += names[slot]++ == 1;
            if (!twice) {
                assert_int_equal(schema.slots.used, used);
                assert_int_equal(schema.slots.shared, shared);
            }
        }
        assert_true(shared > 100);
        assert_int_equal(schema_columns(&schema), used);
    }
    assert_int_equal(schema.names.count, 0);
    schema_free(&schema);
}

// Names that differ fall together only where their marks do not tell them apart.
static void marks_are_bits_above_the_slot(void **state)
{
    (void)state;
    assert_int_equal(hash_mark(0x82a2a958a9bece5b), 0x82a2a958);
    assert_int_equal(hash_mark(0x82a2a959a9bece5b), 0x82a2a958);
    assert_int_equal(hash_mark(0x00000001ffffffff), 2);
    assert_int_equal(hash_mark(0x0000000000000000), 2);
}

static void finds_the_slots_that_are_kept(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 3);
    for (uint32_t bits = 10; bits <= 20; bits += 5) {
        struct schema schema;
        schema_init(&schema);
        schema.frozen = true;
        schema.slots.bits = bits;
        uint32_t *expected = calloc((size_t)1 << bits, sizeof *expected);
        schema.ids = calloc((size_t)1 << bits, sizeof *schema.ids);
        assert_true(expected && schema.ids);
        for (uint32_t s = 0; s < 1u << bits; s++) {
            bool kept = s == 0 || s == (1u << bits) - 1 || random_unit(&random) < 0.3;
            expected[s] = kept ? schema.numbered : SCHEMA_NONE;
            if (kept)
                schema.ids[schema.numbered++] = s;
        }
        assert_true(schema_rank(&schema));
        for (uint32_t s = 0; s < 1u << bits; s++)
            assert_int_equal(schema_slot_feature(&schema, s), expected[s]);
        char name[16];
        assert_int_equal(schema_name(&schema, schema.numbered - 1, name, sizeof name),
                         bits == 20   ? 8
                         : bits == 15 ? 6
                                      : 5);
        assert_int_equal(strtol(name + 1, NULL, 10), (1 << bits) - 1);
        free(expected);
        schema_free(&schema);
    }
}

// ---- Rows ----

// Entries of the same feature, in any order and number, against a sum over all pairs.
static void adds_up_what_falls_together(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 4);
    struct batch *batch = batch_new();
    assert_non_null(batch);
    enum { ROWS = 200, MOST = 120 };
    static uint32_t features[ROWS][MOST];
    static float values[ROWS][MOST];
    static size_t counts[ROWS];
    for (int round = 0; round < 3; round++) { // the batch's memory is used again
        batch_clear(batch);
        for (size_t i = 0; i < ROWS; i++) {
            counts[i] = (size_t)random_below(&random, MOST);
            assert_true(batch_reserve(batch, 1, counts[i]));
            size_t start = batch_nonzeros(batch);
            for (size_t k = 0; k < counts[i]; k++) {
                features[i][k] = (uint32_t)random_below(&random, 60) << (round * 8);
                values[i][k] = random_below(&random, 2) ? 1 : -1;
                batch->indices[start + k] = features[i][k];
                batch->values[start + k] = values[i][k];
                batch->ones &= values[i][k] == 1;
            }
            batch->offsets[++batch->rows] = (uint32_t)(start + counts[i]);
        }
        assert_true(hash_fold(batch));
        for (size_t i = 0; i < ROWS; i++) {
            size_t at = 0;
            tlu_row row = batch_row(batch, i);
            for (size_t k = 0; k < counts[i]; k++) {
                float sum = 0;
                bool first = true;
                for (size_t n = 0; n < counts[i]; n++)
                    if (features[i][n] == features[i][k]) {
                        sum += values[i][n];
                        first &= n >= k;
                    }
                if (!first || sum == 0)
                    continue;
                assert_true(at < row.count);
                assert_int_equal(row_feature(&row, at), features[i][k]);
                assert_exactly(row_value(&row, at++), (double)sum);
            }
            assert_int_equal(row.count, at);
        }
    }
    batch_free(batch);
}

static void a_sum_stays_finite(void **state)
{
    (void)state;
    assert_true(hash_sum(3e38f, 3e38f) == 3.40282347e+38f);
    assert_true(hash_sum(-3e38f, -3e38f) == -3.40282347e+38f);
    assert_true(hash_sum(1.5f, -0.25f) == 1.25f);
}

// ---- Streams ----

static tlu_learner *learner_of(const char *settings)
{
    tlu_options *options = options_of(settings);
    tlu_learner *learner;
    tlu_error error;
    if (tlu_learner_new(options, &learner, &error) != TLU_OK)
        fail_msg("%s", error.text);
    tlu_options_free(options);
    return learner;
}

enum { WIDTH = 12 };

static void random_row(struct random *random, char names[WIDTH][32], tlu_feature *features)
{
    for (size_t k = 0; k < WIDTH; k++) {
        // No name twice.
        number_name(names[k], (size_t)random_below(random, 500) * WIDTH + k);
        features[k] = (tlu_feature){names[k], (double)random_below(random, 3) + 1};
    }
}

// The same rows with a slot's number as the name, summed up by plain loops.
static size_t slots_of(const tlu_feature *features, uint32_t bits, char names[WIDTH][32],
                       tlu_feature *out)
{
    size_t count = 0;
    for (size_t k = 0; k < WIDTH; k++) {
        size_t n = 0;
        sprintf(names[count], "%llu",
                (unsigned long long)(hash_name(features[k].name, strlen(features[k].name)) %
                                     (1u << bits)));
        while (n < count && strcmp(out[n].name, names[count]) != 0)
            n++;
        if (n < count)
            out[n].value += features[k].value;
        else
            out[count] = (tlu_feature){names[count], features[k].value}, count++;
    }
    return count;
}

static tlu_learner *through_a_file(tlu_learner *learner)
{
    tlu_model *model, *loaded;
    tlu_learner *resumed;
    assert_int_equal(tlu_learner_make_model(learner, &model, NULL), TLU_OK);
    assert_int_equal(tlu_model_save(model, "stream.tlu", NULL), TLU_OK);
    assert_int_equal(tlu_model_load("stream.tlu", &loaded, NULL), TLU_OK);
    assert_int_equal(tlu_learner_resume(loaded, &resumed, NULL), TLU_OK);
    tlu_model_free(model);
    tlu_model_free(loaded);
    tlu_learner_free(learner);
    return resumed;
}

static void a_stream_is_that_of_its_slots(void **state)
{
    (void)state;
    static const char *const labels[] = {"ham", "spam", "other"};
    for (int learner = 0; learner < 2; learner++) {
        const char *kind = learner ? "learner=arow" : "learner=perceptron";
        char settings[64];
        sprintf(settings, "hash=10 %s", kind);
        tlu_learner *hashed = learner_of(settings), *plain = learner_of(kind);
        struct random random;
        random_seed(&random, 9);
        for (size_t i = 0; i < 600; i++) {
            char names[WIDTH][32], slots[WIDTH][32];
            tlu_feature a[WIDTH], b[WIDTH];
            random_row(&random, names, a);
            size_t count = slots_of(a, 10, slots, b);
            const char *label = labels[random_below(&random, 3)], *first, *second;
            double x, y;
            assert_int_equal(tlu_learner_predict(hashed, a, WIDTH, &first, &x, NULL), TLU_OK);
            assert_int_equal(tlu_learner_predict(plain, b, count, &second, &y, NULL), TLU_OK);
            if (i) {
                assert_string_equal(first, second);
                assert_same_number(x, y, learner ? 1e-9 : 1e-12, "the score");
            }
            int wrong, also;
            assert_int_equal(tlu_learner_learn(hashed, a, WIDTH, label, 1, &wrong, NULL), TLU_OK);
            assert_int_equal(tlu_learner_learn(plain, b, count, label, 1, &also, NULL), TLU_OK);
            assert_int_equal(wrong, also);
            if (i == 300)
                hashed = through_a_file(hashed);
        }
        tlu_learner_free(hashed);
        tlu_learner_free(plain);
    }
}

static void one_name_twice_is_refused(void **state)
{
    (void)state;
    tlu_learner *learner = learner_of("hash=10");
    tlu_feature features[] = {{"b", 1}, {"a", 1}, {"b", 2}};
    tlu_error error;
    assert_int_equal(tlu_learner_learn(learner, features, 3, "x", 1, NULL, &error),
                     TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "'b' occurs twice"));
    tlu_learner_free(learner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_function_of_the_document),
        cmocka_unit_test(counts_slots_and_collisions),
        cmocka_unit_test(marks_are_bits_above_the_slot),
        cmocka_unit_test(finds_the_slots_that_are_kept),
        cmocka_unit_test(adds_up_what_falls_together),
        cmocka_unit_test(a_sum_stays_finite),
        cmocka_unit_test(a_stream_is_that_of_its_slots),
        cmocka_unit_test(one_name_twice_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
