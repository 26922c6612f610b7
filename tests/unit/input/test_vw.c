// Vowpal Wabbit's text format. What rows mean is worked out by hand from its documentation.
#include "base/random.h"
#include "input/parse.h"
#include "reading.h"

#include <unistd.h>

#define VW "format=vw"

static void labels_and_namespaces(void **state)
{
    (void)state;
    // The examples of the documentation.
    assert_string_equal(
        rows_of("1 1.0 |MetricFeatures:3.25 height:1.5 length:2.0 |Says black with white stripes "
                "|OtherFeatures NumberOfLegs:4.0 HasStripes\n",
                NULL),
        "1 MetricFeatures^height:4.875 MetricFeatures^length:6.5 Says^black:1 Says^with:1 "
        "Says^white:1 Says^stripes:1 OtherFeatures^NumberOfLegs:4 OtherFeatures^HasStripes:1\n");
    assert_string_equal(rows_of("1 1.0 zebra|f a:2\n-1 'zebra |f b\n", NULL),
                        "1 f^a:2\n-1 f^b:1\n");
    assert_string_equal(rows_of("1 | a a b\n1 | a:1 a:1 b:1\n1 | a:2 b:1\n", NULL),
                        "1 a:2 b:1\n1 a:2 b:1\n1 a:2 b:1\n");
}

static void names_and_values(void **state)
{
    (void)state;
    assert_string_equal(rows_of("1 | 13:0.5 24:-1e1 007\n", VW), "1 13:0.5 24:-10 007:1\n");
    assert_string_equal(rows_of("x |n a|m b | c\n", VW), "x n^a:1 m^b:1 c:1\n");
    assert_string_equal(rows_of("x |n a:0 b:1 |n a:2\n", VW), "x n^b:1 n^a:2\n");
    assert_string_equal(rows_of("x || a |\n", VW), "x a:1\n");
    assert_string_equal(rows_of("x |\n", VW), "x\n");
    assert_string_equal(rows_of("x |n\n", VW), "x\n");
    // Features without a name are called by their number in the namespace.
    assert_string_equal(rows_of("x |n :3 :0 a :5\n", VW), "x n^0:3 n^a:1 n^2:5\n");
    // Texts as values; the weight of the namespace is not theirs.
    assert_string_equal(rows_of("x |n:2 city:paris a:nantes b:info c:a:b\n", VW),
                        "x n^city=paris:1 n^a=nantes:1 n^b=info:1 n^c=a:b:1\n");
    assert_string_equal(rows_of("x | :red\n", VW), "x =red:1\n");
    assert_string_equal(rows_of("x |\t a\t b:2\t\r\n\n  \n", VW), "x a:1 b:2\n");
    // What adds up to nothing is not there.
    assert_string_equal(rows_of("x | a b a:-1 c\n", VW), "x b:1 c:1\n");
    assert_string_equal(rows_of("# | a\n'b | a\n", "format=vw skip-bad=yes"), "# a:1\n");
    assert_int_equal(got.skipped, 1);
}

static float weights[64];

// The weights of the rows, by the parser itself.
static size_t weights_of(const char *text, bool skip_bad)
{
    struct schema schema;
    schema_init(&schema);
    schema.format = DATA_VW;
    struct parser parser = {.schema = &schema, .skip_bad = skip_bad};
    struct bad_row bad;
    struct batch *batch = batch_new();
    assert_non_null(batch);
    assert_int_equal(vw_parse(&parser, text, strlen(text), batch, &bad), PARSE_OK);
    size_t rows = batch->rows;
    for (size_t i = 0; i < rows; i++)
        weights[i] = batch_weight(batch, i);
    batch_free(batch);
    schema_free(&schema);
    return rows;
}

static void importance(void **state)
{
    (void)state;
    assert_int_equal(weights_of("1 | a\n1 1 | a\n", false), 2);
    assert_float_equal(weights[0], 1, 0);
    // From the first weight on there is one for each row; a malformed row leaves none.
    assert_int_equal(
        weights_of("1 | a\n1 0.5 | a\n1 2 | a:x:\n1 3 0 't | a\n1 | a\n1 0| a\n", true), 6);
    float expected[] = {1, 0.5f, 2, 3, 1, 1};
    for (size_t i = 0; i < 6; i++)
        assert_float_equal(weights[i], expected[i], 0);
    assert_int_equal(weights_of("1 | a\n1 7 |: a\n1 | a\n", true), 2);
    assert_float_equal(weights[1], 1, 0);
}

// A row of weight 2 is learned from as much as twice the amount; one of weight 0 not at all.
static void importance_in_training(void **state)
{
    (void)state;
    tlu_model *model = model_of("1 2 | a\n-1 3 | b\n-1 0 | a\n1 | b\n",
                                "format=vw epochs=1 decide=last shuffle=none");
    // (0): a += 2, bias += 2. score of b is 2: b -= 3, bias -= 3. a: 2 - 1 = 1, wrong, weight 0.
    // b: -3 - 1 < 0: b += 1, bias += 1.
    size_t a = tlu_model_feature_find(model, "a"), b = tlu_model_feature_find(model, "b");
    assert_float_equal(tlu_model_weight(model, 1, a), 2, 0);
    assert_float_equal(tlu_model_weight(model, 1, b), -2, 0);
    assert_float_equal(tlu_model_bias(model, 1), 0, 0);
    tlu_model_free(model);
    // Learners of all rows at once: the mean of two rows, one of which counts three times.
    model = model_of("1 3 | a:4\n1 | a:8\n-1 | b\n", "format=vw learner=rocchio");
    tlu_model *same =
        model_of("1 | a:4\n1 | a:4\n1 | a:4\n1 | a:8\n-1 | b\n", "format=vw learner=rocchio");
    a = tlu_model_feature_find(model, "a");
    assert_true(tlu_model_weight(model, 1, a) != 0);
    assert_float_equal(tlu_model_weight(model, 1, a), tlu_model_weight(same, 1, a), 1e-12);
    tlu_model_free(model);
    tlu_model_free(same);
}

// In later passes, which take the rows in another order: weight 2 is a rate of 2.
static void importance_in_later_passes(void **state)
{
    (void)state;
    enum { ROWS = 20000, ROOM = ROWS * 48 };
    char *with = malloc(ROOM), *without = malloc(ROOM), *a = with, *b = without;
    assert_true(with && without);
    struct random random;
    random_seed(&random, 3);
    for (int i = 0; i < ROWS; i++) {
        int label = (int)random_below(&random, 2);
        unsigned x = (unsigned)random_below(&random, 300), y = (unsigned)random_below(&random, 300);
        a += sprintf(a, "%d 2 | w%u w%u\n", label, x, y);
        b += sprintf(b, "%d | w%u w%u\n", label, x, y);
    }
    tlu_model *heavy = model_of(with, "epochs=3"), *fast = model_of(without, "epochs=3 rate=2");
    assert_int_equal(tlu_model_report(heavy)->updates, tlu_model_report(fast)->updates);
    assert_int_equal(tlu_model_feature_count(heavy), 300);
    for (size_t f = 0; f < 300; f++)
        assert_true(tlu_model_weight(heavy, 1, f) == tlu_model_weight(fast, 1, f));
    tlu_model_free(heavy);
    tlu_model_free(fast);
    free(with);
    free(without);
}

// Numbers with commas between are several labels (test_label_sets.c), other words are one.
static void several_labels(void **state)
{
    (void)state;
    assert_string_equal(rows_of("a,b | c\n2, | d\n", VW), "a,b c:1\n2, d:1\n");
}

static void prediction(void **state)
{
    (void)state;
    tlu_model *model = model_of("1 |n a b\n-1 |n c\n", VW);
    assert_string_equal(rows_for(model, "|n a new c\n1| a\n7 |n b:2 b\n'tag |n c\n", NULL),
                        "- n^a:1 n^c:1\n-\n? n^b:3\n- n^c:1\n");
    // One space of names: a model of one of these formats reads the others.
    assert_string_equal(rows_for(model, "{\"features\": {\"n\": {\"a\": 2, \"d\": 1}}}\n", NULL),
                        "- n^a:2\n");
    assert_string_equal(rows_for(model, "1 3:1\n", "format=libsvm"),
                        "! data: is LIBSVM, but the model was trained on Vowpal Wabbit's format; "
                        "give --format if that is wrong");
    assert_string_equal(rows_for(model, "# |n a\n", NULL), "? n^a:1\n");
    const char *label;
    assert_int_equal(tlu_model_predict_line(model, "|n c", &label, NULL, NULL), TLU_OK);
    assert_string_equal(label, "-1");
    tlu_model_free(model);
    model = model_of("1 3:1\n-1 4:1\n", NULL);
    assert_string_equal(rows_for(model, "1 |n a\n", NULL),
                        "! data: is Vowpal Wabbit's format, but the model was trained on LIBSVM; "
                        "give --format if that is wrong");
    tlu_model_free(model);
}

static void recognised(void **state)
{
    (void)state;
    assert_string_equal(rows_of("1 |f 3:0.5\n-1 |f 4:2 5\n", NULL), "1 f^3:0.5\n-1 f^4:2 f^5:1\n");
    assert_string_equal(rows_of("spam |f a\nham |f b\n", NULL), "spam f^a:1\nham f^b:1\n");
    assert_string_equal(rows_of("1 | one\n2 | two\n", NULL), "1 one:1\n2 two:1\n");
    assert_string_equal(rows_of("0.5 1 A/2|T A |f t1:-1\n0.6 1 B/2|T B |f t1:2\n", NULL),
                        "0.5 T^A:1 f^t1:-1\n0.6 T^B:1 f^t1:2\n");
    // Bars between the columns of CSV
    assert_string_equal(rows_of("a|b|c\n1|p|x\n2|q|y\n", NULL), "x a:1 b=p:1\ny a:2 b=q:1\n");
    assert_string_equal(rows_of("a | c\n1 | x\n2 | y\n", NULL), "x a:1\ny a:2\n");
    assert_string_equal(rows_of("1 | 2 | x\n2 | 3 | y\n", NULL), "x 1:1 2:2\ny 1:2 2:3\n");
}

// Vowpal Wabbit's own samples; counts by awk.
static void samples(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t rows;
    } files[] = {{"0001.dat", 200},       {"0002.dat", 1000},
                 {"multiclass", 10},      {"multilabel", 10},
                 {"rcv1_mini.dat", 250},  {"rcv1_multiclass.dat", 1000},
                 {"test-0001.dat", 100},  {"test-rcv1_small_test.data", 500},
                 {"rcv1_small.dat", 1000}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[300];
        snprintf(path, sizeof path, "%s/vw/%s", TLU_SHARED_DATA, files[i].name);
        if (access(path, R_OK) != 0)
            skip();
        bool sets = strcmp(files[i].name, "multilabel") == 0;
        const char *text = rows_of_file(path, sets ? "multilabel=yes" : NULL);
        assert_true(text[0] != '!');
        assert_int_equal(got.rows, files[i].rows);
    }
    tlu_model *model = model_of("1 | 0 2049\n2 | 2\n", VW);
    tlu_reader *reader; // without labels
    const tlu_batch *batch;
    assert_int_equal(tlu_reader_open(model, TLU_SHARED_DATA "/vw/wiki256.dat", NULL, &reader, NULL),
                     TLU_OK);
    assert_int_equal(tlu_reader_next(reader, &batch, NULL), TLU_OK);
    assert_int_equal(batch->rows, 256);
    assert_int_equal(batch->labels[0], TLU_NO_LABEL);
    tlu_row row = tlu_batch_row(batch, 0); // 0:1 2049:6 2:3
    assert_int_equal(row.count, 3);
    assert_float_equal(row.values[1], 6, 0);
    tlu_reader_close(reader);
    tlu_model_free(model);
}

// Repeated features of long rows, against sums in an array.
static void sums(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 11);
    static char text[1 << 16], expected[1 << 16];
    char *at = text, *out = expected;
    for (int row = 0; row < 40; row++) {
        int sum[50] = {0}, order[50], met = 0;
        bool seen[50] = {false};
        at += sprintf(at, "%d |", row % 2);
        out += sprintf(out, "%d", row % 2);
        for (int k = (int)random_below(&random, 120); k > 0; k--) {
            int name = (int)random_below(&random, 50), value = (int)random_below(&random, 5) - 2;
            at += sprintf(at, " w%d:%d", name, value);
            if (value && !seen[name]) {
                seen[name] = true;
                order[met++] = name;
            }
            sum[name] += value;
        }
        for (int k = 0; k < met; k++)
            if (sum[order[k]])
                out += sprintf(out, " w%d:%d", order[k], sum[order[k]]);
        at += sprintf(at, "\n");
        out += sprintf(out, "\n");
    }
    assert_string_equal(rows_of(text, VW), expected);
}

// Names without values, of any length and with any blanks between, up to the end of the memory.
static void plain_names(void **state)
{
    (void)state;
    static char text[4096], names[100][32];
    struct random random;
    random_seed(&random, 9);
    for (int round = 0; round < 3000; round++) {
        uint32_t count = (uint32_t)random_below(&random, 100);
        char *at = text + sprintf(text, "x |");
        for (uint32_t i = 0; i < count; i++) {
            for (uint64_t blanks = 1 + random_below(&random, 3) / 2; blanks > 0; blanks--)
                *at++ = random_below(&random, 4) ? ' ' : '\t';
            sprintf(names[i], "%u%.*s", i, (int)random_below(&random, 25) % 17,
                    "abcdefghijklmnopq");
            at += sprintf(at, "%s", names[i]);
        }
        size_t size = (size_t)(at - text);
        char *exact = malloc(size);
        memcpy(exact, text, size);
        struct schema schema;
        schema_init(&schema);
        schema.format = DATA_VW;
        struct parser parser = {.schema = &schema, .labelled = true};
        struct bad_row bad;
        struct batch *batch = batch_new();
        assert_int_equal(vw_parse(&parser, exact, size, batch, &bad), PARSE_OK);
        free(exact);
        assert_int_equal(batch->rows, 1);
        assert_int_equal(batch_nonzeros(batch), count);
        assert_true(batch->ones);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(batch->indices[i], i | BATCH_LOCAL);
            assert_string_equal(table_text(&batch->names, i), names[i]);
        }
        batch_free(batch);
        schema_free(&schema);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_and_namespaces),
        cmocka_unit_test(names_and_values),
        cmocka_unit_test(importance),
        cmocka_unit_test(importance_in_training),
        cmocka_unit_test(importance_in_later_passes),
        cmocka_unit_test(several_labels),
        cmocka_unit_test(prediction),
        cmocka_unit_test(recognised),
        cmocka_unit_test(samples),
        cmocka_unit_test(sums),
        cmocka_unit_test(plain_names),
    };
    return cmocka_run_group_tests(tests, NULL, free_reading);
}
