// The model file: the bytes that docs/model-format.md promises, models of every shape there and
// back, files of newer versions, and machines that fail while saving and loading.
#include "model_bytes.h"

#include "base/fault.h"

#include <unistd.h>

// ---- The bytes of the description --------------------------------------------------------------

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
    for (enum option i = 0; i < OPTION_COUNT; i++) {
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
                                           "\006epochs\005lots!\1" // no number
                                           "\007shuffle\003all\0");
    struct bytes file = assemble(small, OPTS, options);
    tlu_model *model = load(&file);
    assert_false(options_is_set(model->options, OPTION_EPOCHS));
    // Not set by the user, but no longer the default either: kept.
    assert_int_equal(options_choice(model->options, OPTION_SHUFFLE), SHUFFLE_ALL);
    tlu_model_free(model);
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
        cmocka_unit_test(a_failed_save_keeps_the_old_model),
        cmocka_unit_test(a_failed_load_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
