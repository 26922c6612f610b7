// The model file: the bytes that docs/model-format.md promises, models of every shape there and
// back, and what becomes of files that are cut, flipped, forged or cannot be written.
#include "base/crc.h"
#include "base/fault.h"
#include "base/file.h"
#include "base/memory.h"
#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- A small model, byte by byte as in the description -----------------------------------------

struct bytes {
    unsigned char *data;
    size_t size;
};

struct payload {
    const char *bytes;
    size_t size;
};
#define PAYLOAD(text)                                                                              \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }

enum { VERS, OPTS, FEAT, COLS, CLAS, SCAL, WGHT, RAND, REPT, SECTIONS };
static const char *const tags[SECTIONS] = {"VERS", "OPTS", "FEAT", "COLS", "CLAS",
                                           "SCAL", "WGHT", "RAND", "REPT"};

// LIBSVM, features 1, 3 and 5000000, classes -1 and +1, last weights.
static const struct payload small[SECTIONS] = {
    [VERS] = PAYLOAD("\0050.1.0"),
    [OPTS] = PAYLOAD("\1"
                     "\006decide\004last\1"),
    [FEAT] = PAYLOAD("\0" // not CSV
                     "\2"
                     "\1" // 1
                     "\1" // 3: one is left out
                     "\1"
                     "\0075000000"),
    [CLAS] = PAYLOAD("\2"
                     "\1"                // the second is positive
                     "\2-1\2-1\3"        // 3 rows
                     "\0011\2+1\254\2"), // 2 * 128 + 44 = 300 rows
    [WGHT] = PAYLOAD("\0"
                     "\x00\x00\x00\x00\x00\xF0\x72\x40"   // 303 steps
                     "\x01\xFE\xFF"                       // bias -2, short
                     "\x38"                               // zero, single, double
                     "\x00\x00\xC0\x3F"                   // 1.5
                     "\x9A\x99\x99\x99\x99\x99\xB9\x3F"), // 0.1
    [RAND] = PAYLOAD("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0"),
    [REPT] = PAYLOAD("\xAF\x02\0\xF4\x03\4\7\0" // 303 rows, 500 non-zeros, 4 features, 7 updates
                     "\1"
                     "\011converged\005a.svm\006libsvm"
                     "\2\2\7\0\0"), // two passes, the second the best: 7 and 0 mistakes
};

// CSV: columns "size", "colour" and the label; three classes; standard scaling; average.
static const struct payload tall[SECTIONS] = {
    [VERS] = PAYLOAD("\0050.1.0"),
    [OPTS] = PAYLOAD("\2"
                     "\006decide\007average\0"
                     "\005scale\010standard\1"),
    [FEAT] = PAYLOAD("\1\0\2\004size\012colour=red"),
    [COLS] = PAYLOAD(";\1\3"
                     "\004size\0\0"
                     "\006colour\1"
                     "\001y\2"),
    [CLAS] = PAYLOAD("\3\1a\1a\1\1b\1b\1\1c\1c\1"),
    [SCAL] = PAYLOAD("\2"
                     "\6\x00\x00\x00\x3F\1\0"             // factors 0.5 and 1
                     "\1\3\0"),                           // shifts 3 and 0
    [WGHT] = PAYLOAD("\1\x00\x00\x00\x00\x00\x00\x08\x40" // 3 steps
                     "\5\1\0\xFF\xFF"                     // biases 1, -1, 0
                     "\4\0\2\0"                           // w[0][1] = 2
                     "\0"                                 // no sums of the biases
                     "\0\4\6\0"),                         // u[1][2] = 6
    [RAND] = PAYLOAD("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0"),
    [REPT] = PAYLOAD("\3\1\5\2\2\0\0"
                     "\006epochs\005t.csv\003csv"
                     "\1\1\2\1"
                     "\2\x00\x00\x40\x3F"), // 0.75 right of the held-out rows
};

static void put(struct bytes *to, const void *bytes, size_t size)
{
    to->data = realloc(to->data, to->size + size + 1);
    assert_non_null(to->data);
    if (size)
        memcpy(to->data + to->size, bytes, size);
    to->size += size;
}

static void put_64(struct bytes *to, uint64_t value)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(value >> 8 * i);
    put(to, bytes, 8);
}

// Makes size and checksum of a file right again.
static void seal(struct bytes *file)
{
    if (file->size < 24)
        return;
    for (int i = 0; i < 8; i++)
        file->data[12 + i] = (unsigned char)((uint64_t)file->size >> 8 * i);
    uint32_t crc = crc32_add(0, file->data, file->size - 4);
    for (int i = 0; i < 4; i++)
        file->data[file->size - 4 + (size_t)i] = (unsigned char)(crc >> 8 * i);
}

static void put_section(struct bytes *file, const char *tag, const void *bytes, size_t size)
{
    put(file, tag, 4);
    put_64(file, size);
    put(file, bytes, size);
}

// The file with one payload replaced (which: none where SECTIONS).
static struct bytes assemble(const struct payload *payloads, int which, struct payload other)
{
    struct bytes file = {0};
    put(&file, "\x89TLU\r\n\x1A\n\1\0\0\0", 12);
    put_64(&file, 0);
    for (int i = 0; i < SECTIONS; i++) {
        struct payload payload = i == which ? other : payloads[i];
        if (payload.bytes)
            put_section(&file, tags[i], payload.bytes, payload.size);
    }
    put(&file, "crc?", 4);
    seal(&file);
    return file;
}

static struct bytes whole(const struct payload *payloads)
{
    return assemble(payloads, SECTIONS, (struct payload){0});
}

static tlu_model *load(const struct bytes *file)
{
    tlu_model *model = NULL;
    tlu_error error = {0};
    if (tlu_model_load_bytes(file->data, file->size, &model, &error) != TLU_OK)
        fail_msg("%s", error.text);
    assert_non_null(model);
    return model;
}

static struct bytes saved(const tlu_model *model)
{
    struct bytes file = {0};
    tlu_error error;
    if (tlu_model_save(model, "saved.tlu", &error) != TLU_OK)
        fail_msg("%s", error.text);
    unsigned char *bytes;
    assert_int_equal(file_read("saved.tlu", SIZE_MAX, &bytes, &file.size, &error), TLU_OK);
    file.data = malloc(file.size);
    assert_non_null(file.data);
    memcpy(file.data, bytes, file.size);
    memory_free(bytes);
    return file;
}

static void assert_bytes(const struct bytes *a, const struct bytes *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->data, b->data, a->size);
}

static void reads_the_small_model(void **state)
{
    (void)state;
    struct bytes file = whole(small);
    tlu_model *model = load(&file);
    assert_string_equal(model->version, "0.1.0");
    assert_int_equal(options_choice(model->options, OPTION_DECIDE), DECIDE_LAST);
    assert_false(model->schema.csv);
    assert_int_equal(model->schema.numbered, 2);
    assert_int_equal(model->schema.ids[0], 1);
    assert_int_equal(model->schema.ids[1], 3);
    assert_int_equal(schema_find(&model->schema, "3", 1), 1);
    assert_int_equal(schema_find(&model->schema, "5000000", 7), 2);
    assert_int_equal(schema_find(&model->schema, "2", 1), SCHEMA_NONE);
    assert_int_equal(schema_classes(&model->schema), 2);
    assert_int_equal(schema_class_find(&model->schema, "1.0", 3), 1);
    assert_string_equal(model->schema.spelled[1], "+1");
    assert_int_equal(model->positive, 1);
    assert_int_equal(model->class_examples[1], 300);
    assert_int_equal(model->scaling.kind, SCALE_NONE);
    assert_int_equal(model->weights.columns, 1);
    assert_true(model->weights.bias[0] == -2 && model->weights.steps == 303);
    assert_true(model->weights.w[0] == 0 && model->weights.w[1] == 1.5 &&
                model->weights.w[2] == 0.1);
    assert_null(model->weights.u);
    assert_int_equal(model->random.state[2], 3);
    const tlu_report *report = &model->report;
    assert_int_equal(report->examples, 303);
    assert_int_equal(report->nonzeros, 500);
    assert_int_equal(report->classes, 2);
    assert_int_equal(report->updates, 7);
    assert_int_equal(report->mistakes[0], 7);
    assert_int_equal(report->best_epoch, 2);
    assert_true(report->converged);
    assert_string_equal(report->stopped, "converged");
    assert_string_equal(report->data, "a.svm");
    assert_string_equal(report->format, "libsvm");
    assert_null(report->held_out_accuracy);
    tlu_model_free(model);
    free(file.data);
}

static void reads_the_tall_model(void **state)
{
    (void)state;
    struct bytes file = whole(tall);
    tlu_model *model = load(&file);
    assert_true(model->schema.csv && model->schema.header);
    assert_int_equal(model->schema.delimiter, ';');
    assert_int_equal(model->schema.column_count, 3);
    assert_string_equal(model->schema.columns[1].name, "colour");
    assert_int_equal(model->schema.columns[1].kind, COLUMN_CATEGORICAL);
    assert_int_equal(model->schema.columns[0].feature, 0);
    assert_int_equal(model->schema.columns[2].feature, SCHEMA_NONE);
    assert_false(options_is_set(model->options, OPTION_DECIDE));
    assert_true(options_is_set(model->options, OPTION_SCALE));
    assert_int_equal(model->positive, SCHEMA_NONE);
    assert_int_equal(model->scaling.kind, SCALE_STANDARD);
    assert_true(model->scaling.factor[0] == 0.5 && model->scaling.factor[1] == 1);
    assert_true(model->scaling.shift[0] == 3 && model->scaling.shift[1] == 0);
    assert_int_equal(model->scaling.shifted_count, 1);
    assert_int_equal(model->weights.columns, 3);
    assert_true(model->weights.w[1] == 2 && model->weights.u[5] == 6);
    assert_true(model->weights.bias[0] == 1 && model->weights.bias[1] == -1);
    assert_true(model->report.held_out_accuracy[0] == 0.75);
    // The average: w - u / steps; the weight for unscaled values: times the factor; the bias:
    // without factor times shift times weight.
    assert_true(tlu_model_weight(model, 1, 0) == 2 * 0.5);
    assert_true(tlu_model_weight(model, 2, 1) == -2);
    assert_true(tlu_model_bias(model, 1) == -1 - 2 * 0.5 * 3);
    tlu_model_free(model);
    free(file.data);
}

// A saved file has every option, not only those of the small file.
static struct bytes with_all_options(const struct payload *payloads, const tlu_options *options)
{
    struct bytes list = {0};
    unsigned char count = 0;
    put(&list, &count, 1);
    for (size_t i = 0; i < tlu_option_count(); i++) {
        const tlu_option_info *info = tlu_option_at(i);
        const char *value = tlu_options_get(options, info->name);
        if (strcmp(info->name, "threads") == 0 || (!*value && !options_is_set(options, i)))
            continue;
        unsigned char length = (unsigned char)strlen(info->name), set = options_is_set(options, i);
        put(&list, &length, 1);
        put(&list, info->name, length);
        length = (unsigned char)strlen(value);
        put(&list, &length, 1);
        put(&list, value, length);
        put(&list, &set, 1);
        list.data[0]++;
    }
    struct bytes file =
        assemble(payloads, OPTS, (struct payload){(const char *)list.data, list.size});
    free(list.data);
    return file;
}

static void writes_the_bytes_of_the_description(void **state)
{
    (void)state;
    const struct payload *const both[] = {small, tall};
    for (int i = 0; i < 2; i++) {
        struct bytes file = whole(both[i]);
        tlu_model *model = load(&file);
        assert_int_equal(tlu_options_set(model->options, "threads", "7", NULL), TLU_OK);
        struct bytes expected = with_all_options(both[i], model->options), found = saved(model);
        assert_bytes(&expected, &found);
        tlu_model_free(model);
        free(file.data);
        free(expected.data);
        free(found.data);
    }
}

// ---- Models of every shape ---------------------------------------------------------------------

struct shape {
    uint32_t classes;
    bool average, csv, holdout;
    int scale;
    uint32_t numbered, names;
    uint64_t epochs;
    double zeros; // the share of weights that are 0
};

static double some_number(struct random *random, double zeros)
{
    if (random_unit(random) < zeros)
        return 0;
    switch (random_below(random, 6)) {
    case 0:
        return (double)random_below(random, 65536) - 32768;
    case 1:
        return (double)random_below(random, 1u << 30) - (1 << 29);
    case 2:
        return (float)random_normal(random);
    case 3:
        return -0.0;
    case 4:
        return random_normal(random) * 1e100;
    default:
        return random_normal(random);
    }
}

static double *some_numbers(struct random *random, size_t count, double zeros)
{
    double *numbers = memory_new(count, sizeof *numbers);
    assert_non_null(numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] = some_number(random, zeros);
    return numbers;
}

static void fill_schema(tlu_model *model, struct random *random, const struct shape *shape)
{
    struct schema *schema = &model->schema;
    char text[64];
    schema->frozen = true;
    schema->csv = shape->csv;
    schema->numbered = shape->numbered;
    schema->ids = memory_new(shape->numbered, sizeof *schema->ids);
    assert_non_null(schema->ids);
    for (uint32_t i = 0, id = 0; i < shape->numbered; i++, id++)
        schema->ids[i] = id += (uint32_t)random_below(random, i % 3 ? 1 : 300);
    for (uint32_t i = 0; i < shape->names; i++) { // the first name is empty
        int n = i ? snprintf(text, sizeof text, "n%u=\xC3\xA4\t%u", i, i * i) : 0;
        assert_int_equal(table_add(&schema->names, text, (size_t)n), i);
    }
    for (uint32_t i = 0; i < shape->classes; i++) {
        int n = snprintf(text, sizeof text, i % 2 ? "+%u" : "%u.0", i);
        assert_int_equal(schema_class_add(schema, text, (size_t)n), i);
    }
    if (!shape->csv)
        return;
    schema->header = random_below(random, 2);
    schema->delimiter = '\t';
    schema->column_count = shape->names + 2;
    schema->columns = memory_new(schema->column_count, sizeof *schema->columns);
    assert_non_null(schema->columns);
    for (uint32_t i = 0; i < schema->column_count; i++) {
        struct column *column = &schema->columns[i];
        column->name = memory_copy_text(text, i % 5);
        column->kind = i == 0 ? COLUMN_LABEL : i % 2 ? COLUMN_CATEGORICAL : COLUMN_IGNORED;
        column->feature = SCHEMA_NONE;
        if (i > 1 && i % 3) {
            column->kind = COLUMN_NUMERIC;
            column->feature = i - 2;
        }
    }
}

static void fill_report(tlu_model *model, struct random *random, const struct shape *shape)
{
    tlu_report *report = &model->report;
    report->examples = random_bits(random);
    report->held_out = random_below(random, 100);
    report->nonzeros = UINT64_MAX;
    report->features = random_below(random, 1u << 21);
    report->classes = shape->classes;
    report->epochs = shape->epochs;
    report->best_epoch = random_below(random, shape->epochs + 1);
    report->updates = 128;
    report->converged = (int)random_below(random, 2);
    report->stopped = model_stopped_names[random_below(random, 4)];
    report->skipped = 127;
    report->format = shape->csv ? "csv" : "stream";
    report->data = model->report_data = memory_copy_text("data.csv", random_below(random, 9));
    report->mistakes = model->report_mistakes =
        memory_new((size_t)shape->epochs, sizeof *report->mistakes);
    for (uint64_t i = 0; i < shape->epochs; i++)
        model->report_mistakes[i] = random_bits(random) >> random_below(random, 64);
    if (shape->holdout)
        model->report_accuracy = some_numbers(random, (size_t)shape->epochs, 0.5);
    report->held_out_accuracy = model->report_accuracy;
}

static tlu_model *some_model(struct random *random, const struct shape *shape)
{
    tlu_model *model = model_new();
    assert_non_null(model);
    if (!model->options)
        model->options = tlu_options_new();
    tlu_options_set(model->options, "decide", shape->average ? "average" : "last", NULL);
    tlu_options_set(model->options, "positive", "\xF0\x9F\x8D\x8E apple", NULL);
    tlu_options_set(model->options, "ignore", "", NULL);
    tlu_options_set(model->options, "class-weight", "1=2,3=4", NULL);
    memory_free(model->version);
    model->version = memory_copy_text("0.1.0-test", 10);
    fill_schema(model, random, shape);
    size_t features = schema_features(&model->schema);
    uint32_t columns = shape->classes == 2 ? 1 : shape->classes;
    model->positive = shape->classes == 2 ? (uint32_t)random_below(random, 2) : SCHEMA_NONE;
    model->scaling.kind = shape->scale;
    if (shape->scale != SCALE_NONE) {
        model->scaling.features = features;
        model->scaling.factor = some_numbers(random, features, 0);
        model->scaling.shift = some_numbers(random, features, 0.8);
        assert_true(scaling_index(&model->scaling));
    }
    struct weights *weights = &model->weights;
    assert_true(weights_init(weights, columns, shape->average));
    assert_true(weights_reserve(weights, features));
    weights->features = features;
    weights->steps = (double)(1 + random_below(random, 1000));
    for (size_t i = 0; i < features * columns; i++) {
        weights->w[i] = some_number(random, shape->zeros);
        if (weights->u)
            weights->u[i] = some_number(random, shape->zeros);
    }
    for (uint32_t i = 0; i < columns; i++) {
        weights->bias[i] = some_number(random, 0.2);
        if (weights->u_bias)
            weights->u_bias[i] = some_number(random, 0.2);
    }
    random_seed(&model->random, random_bits(random));
    model->class_examples = memory_new(shape->classes, sizeof *model->class_examples);
    assert_non_null(model->class_examples);
    for (uint32_t i = 0; i < shape->classes; i++)
        model->class_examples[i] = random_below(random, 1000);
    fill_report(model, random, shape);
    return model;
}

static void some_shape(struct random *random, struct shape *shape)
{
    static const uint32_t classes[] = {2, 2, 3, 5, 40};
    shape->classes = classes[random_below(random, 5)];
    shape->average = random_below(random, 2);
    shape->csv = random_below(random, 2);
    shape->holdout = random_below(random, 2);
    shape->scale = (int)random_below(random, 3);
    shape->numbered = shape->csv ? 0 : (uint32_t)random_below(random, 50);
    shape->names = (uint32_t)random_below(random, 30);
    shape->epochs = random_below(random, 20);
    shape->zeros = random_unit(random);
}

static void assert_same_doubles(const double *a, const double *b, size_t count)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a && count)
        assert_memory_equal(a, b, count * sizeof *a);
}

static void assert_same_schema(const struct schema *a, const struct schema *b)
{
    assert_int_equal(b->frozen, true);
    assert_int_equal(a->csv, b->csv);
    assert_int_equal(a->numbered, b->numbered);
    for (uint32_t i = 0; i < a->numbered; i++)
        assert_int_equal(a->ids[i], b->ids[i]);
    assert_int_equal(a->names.count, b->names.count);
    for (uint32_t i = 0; i < a->names.count; i++)
        assert_string_equal(table_text(&a->names, i), table_text(&b->names, i));
    assert_int_equal(a->labels.count, b->labels.count);
    for (uint32_t i = 0; i < a->labels.count; i++) {
        assert_string_equal(table_text(&a->labels, i), table_text(&b->labels, i));
        assert_string_equal(a->spelled[i], b->spelled[i]);
    }
    if (!a->csv)
        return;
    assert_int_equal(a->header, b->header);
    assert_int_equal(a->delimiter, b->delimiter);
    assert_int_equal(a->column_count, b->column_count);
    for (size_t i = 0; i < a->column_count; i++) {
        assert_string_equal(a->columns[i].name, b->columns[i].name);
        assert_int_equal(a->columns[i].kind, b->columns[i].kind);
        assert_int_equal(a->columns[i].feature, b->columns[i].feature);
    }
}

static void assert_same_report(const tlu_report *a, const tlu_report *b)
{
    assert_true(a->examples == b->examples && a->held_out == b->held_out &&
                a->nonzeros == b->nonzeros && a->features == b->features &&
                a->classes == b->classes && a->epochs == b->epochs && a->updates == b->updates &&
                a->best_epoch == b->best_epoch && a->converged == b->converged &&
                a->skipped == b->skipped);
    assert_string_equal(a->stopped, b->stopped);
    assert_string_equal(a->data, b->data);
    assert_string_equal(a->format, b->format);
    for (uint64_t i = 0; i < a->epochs; i++)
        assert_true(a->mistakes[i] == b->mistakes[i]);
    assert_same_doubles(a->held_out_accuracy, b->held_out_accuracy, (size_t)a->epochs);
    assert_int_equal(b->notices, 0);
}

static void assert_same_model(const tlu_model *a, const tlu_model *b)
{
    assert_string_equal(a->version, b->version);
    for (enum option i = 0; i < OPTION_COUNT; i++) {
        assert_string_equal(options_text(a->options, i), options_text(b->options, i));
        assert_int_equal(options_is_set(a->options, i), options_is_set(b->options, i));
    }
    assert_same_schema(&a->schema, &b->schema);
    assert_int_equal(a->positive, b->positive);
    assert_int_equal(a->scaling.kind, b->scaling.kind);
    assert_same_doubles(a->scaling.factor, b->scaling.factor, a->scaling.features);
    assert_same_doubles(a->scaling.shift, b->scaling.shift, a->scaling.features);
    const struct weights *v = &a->weights, *w = &b->weights;
    assert_int_equal(v->columns, w->columns);
    assert_int_equal(v->features, w->features);
    assert_true(v->steps == w->steps);
    if (v->features)
        assert_same_doubles(v->w, w->w, v->features * v->columns);
    assert_same_doubles(v->bias, w->bias, v->columns);
    assert_same_doubles(v->u_bias, w->u_bias, v->columns);
    if (v->features)
        assert_same_doubles(v->u, w->u, v->features * v->columns);
    assert_memory_equal(&a->random, &b->random, sizeof a->random);
    assert_memory_equal(a->class_examples, b->class_examples,
                        schema_classes(&a->schema) * sizeof *a->class_examples);
    assert_same_report(&a->report, &b->report);
}

static void models_of_every_shape_come_back(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 3);
    for (int i = 0; i < 200; i++) {
        struct shape shape;
        some_shape(&random, &shape);
        tlu_model *model = some_model(&random, &shape);
        struct bytes first = saved(model);
        tlu_model *back = load(&first);
        assert_same_model(model, back);
        struct bytes second = saved(back);
        assert_bytes(&first, &second);
        tlu_model_free(model);
        tlu_model_free(back);
        free(first.data);
        free(second.data);
    }
}

// Zeros take two bits each, and no less: memory is bounded by the size of the file.
static void zeros_take_little_room(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 4);
    struct shape shape = {.classes = 100, .numbered = 1000, .zeros = 1};
    tlu_model *model = some_model(&random, &shape);
    struct bytes file = saved(model);
    assert_in_range(file.size, 100 * 1000 / 4, 100 * 1000 / 4 + 5000);
    tlu_model_free(model);
    free(file.data);
}

static void infinite_weights_are_not_saved(void **state)
{
    (void)state;
    struct bytes file = whole(small);
    tlu_model *model = load(&file);
    tlu_error error;
    model->weights.w[1] = 1 / (model->weights.w[0]);
    assert_int_equal(tlu_model_save(model, "infinite.tlu", &error), TLU_ERROR_INPUT);
    assert_int_equal(access("infinite.tlu", F_OK), -1);
    tlu_model_free(model);
    free(file.data);
}

// ---- Newer files -------------------------------------------------------------------------------

static void unknown_sections_are_skipped(void **state)
{
    (void)state;
    struct bytes plain = whole(tall), file = {0};
    put(&file, plain.data, 20);
    put_section(&file, "NEW!", "whatever", 8);
    for (int i = 0; i < SECTIONS; i++) {
        put_section(&file, tags[i], tall[i].bytes, tall[i].size);
        put_section(&file, "MORE", "", 0);
    }
    put(&file, "crc?", 4);
    seal(&file);
    tlu_model *a = load(&plain), *b = load(&file);
    assert_same_model(a, b);
    tlu_model_free(a);
    tlu_model_free(b);
    free(plain.data);
    free(file.data);
}

static void unknown_options_are_passed_over(void **state)
{
    (void)state;
    const struct payload options = PAYLOAD("\4"
                                           "\006decide\004last\1"
                                           "\007novelty\003yes\1"
                                           "\005epochs\5lots!\1" // no number
                                           "\007shuffle\003all\0");
    struct bytes file = assemble(small, OPTS, options);
    tlu_model *model = load(&file);
    assert_false(options_is_set(model->options, OPTION_EPOCHS));
    // Not set by the user, but no longer the default either: kept.
    assert_int_equal(options_choice(model->options, OPTION_SHUFFLE), SHUFFLE_ALL);
    tlu_model_free(model);
    free(file.data);
}

// ---- Damage ------------------------------------------------------------------------------------

static void assert_refused(const struct bytes *file, const char *message)
{
    tlu_model *model = NULL;
    tlu_error error = {0};
    // In memory of just this size, so that a read past the end is seen.
    unsigned char *exact = malloc(file->size ? file->size : 1);
    assert_non_null(exact);
    if (file->size)
        memcpy(exact, file->data, file->size);
    tlu_status status = tlu_model_load_bytes(exact, file->size, &model, &error);
    free(exact);
    if (status != TLU_ERROR_INPUT)
        fail_msg("loaded, but expected: %s", message);
    assert_null(model);
    if (!strstr(error.text, message))
        fail_msg("expected: %s\nfound: %s", message, error.text);
}

// Loads or does not, but cleanly; what was loaded can be saved and loaded again.
static void load_somehow(const struct bytes *file, size_t *loaded)
{
    tlu_model *model = NULL;
    tlu_error error = {0};
    unsigned char *exact = malloc(file->size);
    assert_non_null(exact);
    memcpy(exact, file->data, file->size);
    tlu_status status = tlu_model_load_bytes(exact, file->size, &model, &error);
    free(exact);
    if (status == TLU_OK) {
        struct bytes again = saved(model);
        tlu_model_free(load(&again));
        free(again.data);
        ++*loaded;
    } else {
        assert_int_equal(status, TLU_ERROR_INPUT);
        assert_non_null(strstr(error.text, "the model"));
        assert_null(model);
    }
    tlu_model_free(model);
}

static void says_what_a_file_is_instead(void **state)
{
    (void)state;
    static const struct {
        struct payload start;
        const char *message;
    } cases[] = {
        {PAYLOAD(""), "not a tlu model: there are no bytes at all"},
        {PAYLOAD("+1 1:0.5 2:3\n"), "not a tlu model; it is a text file: data, perhaps"},
        {PAYLOAD("\xC3\xA4,b\r\n1,2\r\n"), "not a tlu model; it is a text file: data, perhaps"},
        {PAYLOAD("\x1F\x8B\x08\0\0"), "not a tlu model; it is a compressed file: data, perhaps"},
        {PAYLOAD("\x28\xB5\x2F\xFD\0"), "not a tlu model; it is a compressed file: data, perhaps"},
        {PAYLOAD("\x7F"
                 "ELF\2\1\1\0\0\0\0\0\0\0\0\0\0\0\0"),
         "not a tlu model"},
        {PAYLOAD("\x89TLU\n\x1A\n\1\0\0\0\0\0\0\0\0"), "line ends were changed"},
        {PAYLOAD("\x89TL"), "cut short: only 3 bytes"},
        {PAYLOAD("\x89TLU\r\n\x1A\n\2\0\0\0"),
         "made by a newer version (format 2); this is tlu " TLU_VERSION ", which reads format 1"},
        {PAYLOAD("\x89TLU\r\n\x1A\n\0\0\0\0"), "damaged: there is no format 0"},
    };
    tlu_error error;
    tlu_model *model = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes file = {0};
        put(&file, cases[i].start.bytes, cases[i].start.size);
        assert_refused(&file, cases[i].message);
        FILE *stream = fopen("other", "wb"); // from a file, with its name
        assert_non_null(stream);
        assert_int_equal(fwrite(file.data, 1, file.size, stream), file.size);
        assert_int_equal(fclose(stream), 0);
        assert_int_equal(tlu_model_load("other", &model, &error), TLU_ERROR_INPUT);
        assert_ptr_equal(strstr(error.text, "other: "), error.text);
        assert_non_null(strstr(error.text, cases[i].message));
        free(file.data);
    }
    assert_int_equal(tlu_model_load("no such file", &model, &error), TLU_ERROR_INPUT);
    assert_int_equal(tlu_model_load(".", &model, &error), TLU_ERROR_INPUT);
}

static void every_cut_is_noticed(void **state)
{
    (void)state;
    struct bytes file = whole(small);
    struct bytes longer = {0};
    put(&longer, file.data, file.size);
    put(&longer, "x", 1);
    assert_refused(&longer, "damaged: 1 bytes follow its end");
    free(longer.data);
    for (size_t size = 1; size < file.size; size++) {
        struct bytes cut = {file.data, size};
        assert_refused(&cut, "the model is cut short");
    }
    size_t loaded = 0;
    for (size_t size = file.size - 1; size >= 24; size--) { // and with size and checksum made right
        file.size = size;
        seal(&file);
        load_somehow(&file, &loaded);
    }
    assert_int_equal(loaded, 0);
    free(file.data);
}

static void every_flip_is_noticed(void **state)
{
    (void)state;
    struct bytes file = whole(tall);
    for (size_t i = 0; i < file.size; i++) {
        for (int bit = 0; bit < 8; bit++) {
            file.data[i] ^= (unsigned char)(1 << bit);
            assert_refused(&file, i < 8 ? "" : "the model ");
            file.data[i] ^= (unsigned char)(1 << bit);
        }
    }
    free(file.data);
}

// With the checksum made right, so that what is behind it has to notice.
static void forged_files_do_no_harm(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 5);
    const struct payload *const both[] = {small, tall};
    size_t loaded = 0, tries = 0;
    for (int k = 0; k < 2; k++) {
        struct bytes original = whole(both[k]), file = {0};
        for (size_t i = 20; i < original.size - 4; i++) {
            for (int value = 0; value < 256; value += value < 8 || value > 246 ? 1 : 17) {
                file.size = 0;
                put(&file, original.data, original.size);
                file.data[i] = (unsigned char)value;
                seal(&file);
                load_somehow(&file, &loaded);
                tries++;
            }
        }
        for (int i = 0; i < 3000; i++) {
            file.size = 0;
            put(&file, original.data, original.size);
            for (uint64_t n = 1 + random_below(&random, 4); n > 0; n--)
                file.data[20 + random_below(&random, file.size - 24)] =
                    (unsigned char)random_bits(&random);
            seal(&file);
            load_somehow(&file, &loaded);
            tries++;
        }
        free(original.data);
        free(file.data);
    }
    assert_in_range(loaded, 100, tries / 2);
}

#define COUNT_HUGE "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F"   // 2^63 - 1
#define COUNT_64 "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01" // 2^64 - 1
#define COUNT_65 "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02"
#define STEPS "\x00\x00\x00\x00\x00\x00\x08\x40" // 3

static const struct forgery {
    const struct payload *payloads;
    int which;
    struct payload other;
    const char *message;
} forgeries[] = {
    {small, VERS, PAYLOAD("\4a\0bc"), "VERS: a text has a NUL inside"},
    {small, VERS, PAYLOAD("\3abcd"), "VERS: bytes are left over"},
    {small, VERS, PAYLOAD("\5abcd"), "VERS: there is no room for 5 bytes of text"},
    {small, VERS, PAYLOAD(COUNT_64), "VERS: there is no room for 18446744073709551615 bytes"},
    {small, VERS, PAYLOAD(COUNT_65), "VERS: a count has more than 64 bits"},
    {small, VERS, PAYLOAD(""), "VERS: it ends too early"},
    {small, VERS, {NULL, 0}, "section VERS is missing"},
    {small, REPT, {NULL, 0}, "section REPT is missing"},
    {small, CLAS, {NULL, 0}, "section CLAS is missing"},
    {tall, COLS, {NULL, 0}, "section COLS is missing"},
    {small, COLS, PAYLOAD(",\1\1\1y\2"), "COLS: the model is not of CSV data"},

    {small, OPTS, PAYLOAD("\1\006decide\004vote\1"), "--decide vote, which tlu " TLU_VERSION},
    {small, OPTS, PAYLOAD("\1\007learner\004arow\1"), "--learner arow, which tlu " TLU_VERSION},
    {small, OPTS, PAYLOAD("\2\006decide\004last\1\006decide\004last\1"), "decide is there twice"},
    {small, OPTS, PAYLOAD("\1\006decide\004last\2"), "OPTS: a flag is 2"},
    {small, OPTS, PAYLOAD(COUNT_HUGE), "OPTS: there is no room for"},
    {small, OPTS, PAYLOAD("\0"), "WGHT: the sums for the average are missing"},
    {tall, OPTS, PAYLOAD("\1\006decide\004last\1"), "WGHT: the sums for the average are there"},

    {small, FEAT, PAYLOAD("\2\0\0"), "FEAT: the kind of data is 2"},
    {small, FEAT, PAYLOAD("\1\3\1\1\1\0"), "FEAT: CSV has no numbered features"},
    {small, FEAT, PAYLOAD("\0" COUNT_HUGE), "FEAT: there is no room for"},
    {small, FEAT, PAYLOAD("\0\1" COUNT_64 "\0"), "FEAT: the index of a feature is past 1048575"},
    {small, FEAT, PAYLOAD("\0\2\xFF\xFF\x3F\0\0"), "FEAT: the index of a feature is past 1048575"},
    {small, FEAT, PAYLOAD("\0\0" COUNT_HUGE), "FEAT: there is no room for"},
    {small, FEAT, PAYLOAD("\0\0\3\1a\1b\1a"), "FEAT: two names of features are the same"},
    {small, FEAT, PAYLOAD("\0\2\1\1\1\0013"), "FEAT: feature 3 is there twice"},

    {tall, COLS, PAYLOAD("\"\1\1\1y\2"), "COLS: byte 34 is no delimiter"},
    {tall, COLS, PAYLOAD("\0\1\1\1y\2"), "COLS: byte 0 is no delimiter"},
    {tall, COLS, PAYLOAD(",\1\1\1y\4"), "COLS: the kind of a column is 4"},
    {tall, COLS, PAYLOAD(",\1\2\1y\2\1z\2"), "COLS: there is not one column with the label but 2"},
    {tall, COLS, PAYLOAD(",\1\1\1z\3"), "COLS: there is not one column with the label but 0"},
    {tall, COLS, PAYLOAD(",\1\2\1y\2\1z\0\2"), "COLS: a column has feature 2"},
    {tall, COLS, PAYLOAD(",\1\2\1y\2\1z\0" COUNT_64), "COLS: a column has feature 18446744073709"},
    {tall, COLS, PAYLOAD(",\1" COUNT_HUGE), "COLS: there is no room for"},

    {small, CLAS, PAYLOAD("\1\0\1a\1a\1"), "CLAS: a model cannot have 1 classes"},
    {small, CLAS, PAYLOAD("\0"), "CLAS: a model cannot have 0 classes"},
    {small, CLAS, PAYLOAD(COUNT_HUGE), "CLAS: there is no room for"},
    {small, CLAS, PAYLOAD("\2\2\1a\1a\1\1b\1b\1"), "CLAS: the positive class is 2"},
    {small, CLAS, PAYLOAD("\2\1\1a\1a\1\1a\1b\1"), "CLAS: two labels are the same"},
    {small, CLAS, PAYLOAD("\3\1a\1a\1\1b\1b\1\1c\1c\1"), "WGHT: "}, // another number of columns

    {tall, SCAL, PAYLOAD("\0\5\1\0\1\0\0"), "SCAL: the kind of scaling is 0"},
    {tall, SCAL, PAYLOAD("\3\5\1\0\1\0\0"), "SCAL: the kind of scaling is 3"},
    {tall, SCAL, PAYLOAD("\2\2\x00\x00\x80\x7F\0"), "SCAL: a number is not finite"},
    {tall, SCAL, PAYLOAD("\2\x15\1\0\1\0\0"), "SCAL: there are codes behind the last number"},

    {small, WGHT, PAYLOAD("\0" STEPS "\0\3\x00\x00\x00\x00\x00\x00\xF8\x7F"),
     "WGHT: a number is not finite"},
    {small, WGHT, PAYLOAD("\0\x00\x00\x00\x00\x00\x00\xF0\xBF\0\0"),
     "WGHT: the number of steps is too small"},
    {tall, WGHT, PAYLOAD("\1\x00\x00\x00\x00\x00\x00\x00\x00\0\0\0\0\0\0"),
     "WGHT: the number of steps is too small"},
    {tall, WGHT, PAYLOAD("\1" STEPS "\0\0\0\0\0"), "WGHT: it ends too early"},
    {tall, WGHT, PAYLOAD("\1" STEPS "\0\0\0\0\0\0\0"), "WGHT: bytes are left over"},
    {small, WGHT, PAYLOAD("\0" STEPS "\0\x40"), "WGHT: there are codes behind the last number"},

    {small, RAND, PAYLOAD("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
     "RAND: a state of nothing but zeros"},
    {small, RAND, PAYLOAD("\1\0\0\0\0\0\0\0"), "RAND: it ends too early"},

    {small, REPT, PAYLOAD("\0\0\0\0\0\0\0\4soon\0\0\0\0\0"), "REPT: a name is not one of those"},
    {small, REPT, PAYLOAD("\0\0\0\0\0\0\0\0\0\2vw\0\0\0"), "REPT: a name is not one of those"},
    {small, REPT, PAYLOAD("\0\0\0\0\0\0\0\0\0\0\2\1\7\0"), "REPT: the best pass is past the last"},
    {small, REPT, PAYLOAD("\0\0\0\0\0\0\0\0\0\0\0" COUNT_HUGE), "REPT: there is no room for"},
};

static void forgeries_are_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof forgeries / sizeof forgeries[0]; i++) {
        const struct forgery *f = &forgeries[i];
        struct bytes file = assemble(f->payloads, f->which, f->other);
        assert_refused(&file, f->message);
        free(file.data);
    }
}

static void sections_have_their_order(void **state)
{
    (void)state;
    for (int twice = 0; twice < 2; twice++) {
        struct bytes file = {0};
        put(&file, "\x89TLU\r\n\x1A\n\1\0\0\0\0\0\0\0\0\0\0\0", 20);
        put_section(&file, tags[VERS], small[VERS].bytes, small[VERS].size);
        put_section(&file, tags[twice ? VERS : FEAT], small[twice ? VERS : FEAT].bytes,
                    small[twice ? VERS : FEAT].size);
        put(&file, "crc?", 4);
        seal(&file);
        assert_refused(&file, twice ? "section VERS is there twice" : "section OPTS is missing");
        free(file.data);
    }
    struct bytes file = {0}; // a section that would go on behind the end
    put(&file, "\x89TLU\r\n\x1A\n\1\0\0\0\0\0\0\0\0\0\0\0VERS\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 32);
    put(&file, "crc?", 4);
    seal(&file);
    assert_refused(&file, "a section is longer than the file");
    free(file.data);
}

// Few bytes that claim many weights: 2^20 features and 3000 classes would take 25 GB.
static void claims_are_not_believed(void **state)
{
    (void)state;
    struct bytes features = {0}, classes = {0}, file = {0};
    put(&features, "\0\xC0\x84\x3D", 4); // 1000000
    for (int i = 0; i < 1000000; i++)
        put(&features, "", 1);
    put(&features, "", 1);
    put(&classes, "\xB8\x17", 2); // 3000
    for (int i = 0; i < 3000; i++) {
        char label[16];
        int n = snprintf(label, sizeof label, "\4%04d\4%04d\1", i, i);
        put(&classes, label, (size_t)n);
    }
    put(&file, "\x89TLU\r\n\x1A\n\1\0\0\0\0\0\0\0\0\0\0\0", 20);
    put_section(&file, "VERS", small[VERS].bytes, small[VERS].size);
    put_section(&file, "OPTS", small[OPTS].bytes, small[OPTS].size);
    put_section(&file, "FEAT", features.data, features.size);
    put_section(&file, "CLAS", classes.data, classes.size);
    put_section(&file, "WGHT", small[WGHT].bytes, small[WGHT].size);
    put(&file, "crc?", 4);
    seal(&file);
    assert_refused(&file, "WGHT: there is no room for 3000000000 numbers");
    free(features.data);
    free(classes.data);
    free(file.data);
}

// ---- A machine that fails ----------------------------------------------------------------------

static tlu_model *large_model(void)
{
    struct random random;
    random_seed(&random, 6);
    struct shape shape = {.classes = 40,
                          .average = true,
                          .holdout = true,
                          .scale = SCALE_STANDARD,
                          .numbered = 300,
                          .names = 100,
                          .epochs = 5,
                          .zeros = 0.1};
    return some_model(&random, &shape);
}

static void a_failed_save_keeps_the_old_model(void **state)
{
    (void)state;
    static const enum fault_kind kinds[] = {FAULT_WRITE, FAULT_FSYNC, FAULT_RENAME, FAULT_MEMORY};
    tlu_model *model = large_model();
    struct bytes new = saved(model), old = whole(small);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        long failures = 0;
        for (long n = 1;; n++) {
            FILE *stream = fopen("kept.tlu", "wb");
            assert_non_null(stream);
            assert_int_equal(fwrite(old.data, 1, old.size, stream), old.size);
            assert_int_equal(fclose(stream), 0);
            tlu_error error;
            fault_at(kinds[k], n);
            tlu_status status = tlu_model_save(model, "kept.tlu", &error);
            bool hit = fault_calls(kinds[k]) >= n;
            fault_at(kinds[k], 0);
            struct bytes found = {0};
            assert_int_equal(file_read("kept.tlu", SIZE_MAX, &found.data, &found.size, NULL),
                             TLU_OK);
            assert_bytes(&found, status == TLU_OK ? &new : &old);
            memory_free(found.data);
            failures += status == TLU_ERROR_SYSTEM;
            if (!hit) {
                assert_int_equal(status, TLU_OK);
                break;
            }
        }
        assert_true(failures >= (kinds[k] == FAULT_WRITE ? 3 : 1));
    }
    tlu_model_free(model);
    free(new.data);
    free(old.data);
}

static void a_failed_load_leaves_nothing(void **state)
{
    (void)state;
    static const enum fault_kind kinds[] = {FAULT_MEMORY, FAULT_READ};
    struct bytes small_file = whole(small);
    tlu_model *original = load(&small_file);
    for (int large = 0; large < 2; large++) {
        tlu_model *model = large ? large_model() : original;
        struct bytes file = saved(model);
        for (size_t k = 0; k < 2; k++) {
            long failures = 0;
            for (long n = 1;; n++) {
                tlu_error error;
                tlu_model *back = NULL;
                fault_at(kinds[k], n);
                tlu_status status = tlu_model_load("saved.tlu", &back, &error);
                bool hit = fault_calls(kinds[k]) >= n;
                fault_at(kinds[k], 0);
                if (!hit) {
                    assert_int_equal(status, TLU_OK);
                    assert_same_model(model, back);
                    tlu_model_free(back);
                    break;
                }
                assert_int_equal(status, TLU_ERROR_SYSTEM);
                assert_null(back);
                failures++;
            }
            assert_true(failures >= 2);
        }
        if (large)
            tlu_model_free(model);
        free(file.data);
    }
    tlu_model_free(original);
    free(small_file.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_small_model),
        cmocka_unit_test(reads_the_tall_model),
        cmocka_unit_test(writes_the_bytes_of_the_description),
        cmocka_unit_test(models_of_every_shape_come_back),
        cmocka_unit_test(zeros_take_little_room),
        cmocka_unit_test(infinite_weights_are_not_saved),
        cmocka_unit_test(unknown_sections_are_skipped),
        cmocka_unit_test(unknown_options_are_passed_over),
        cmocka_unit_test(says_what_a_file_is_instead),
        cmocka_unit_test(every_cut_is_noticed),
        cmocka_unit_test(every_flip_is_noticed),
        cmocka_unit_test(forged_files_do_no_harm),
        cmocka_unit_test(forgeries_are_named),
        cmocka_unit_test(sections_have_their_order),
        cmocka_unit_test(claims_are_not_believed),
        cmocka_unit_test(a_failed_save_keeps_the_old_model),
        cmocka_unit_test(a_failed_load_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
