// A model as threshold units through the library: every row of small models, classes that tie,
// sizes of structs, failing memory. What the command says about it is tests/cli/logic-from.sh's.
#include "base/fault.h"
#include "networks.h"
#include "predicting.h"
#include "tlu_logic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define INPUTS 5

// All rows of 5 inputs; the class is how many of the first three are 1, at most classes - 1.
static void make_data(uint32_t classes, float *values, uint32_t *labels)
{
    for (uint32_t row = 0; row < 1 << INPUTS; row++) {
        uint32_t ones = (row & 1) + (row >> 1 & 1) + (row >> 2 & 1);
        labels[row] = ones < classes ? ones : classes - 1;
        for (uint32_t i = 0; i < INPUTS; i++)
            values[row * INPUTS + i] = (float)(row >> i & 1);
    }
}

static tlu_model *train(uint32_t classes, const char *scheme, const char *learner)
{
    static float values[(1 << INPUTS) * INPUTS];
    static uint32_t labels[1 << INPUTS];
    make_data(classes, values, labels);
    tlu_rows rows = {.size = sizeof rows,
                     .rows = 1 << INPUTS,
                     .columns = INPUTS,
                     .values = values,
                     .labels = labels};
    tlu_train_settings settings = {.size = sizeof settings, .rows = &rows};
    tlu_options *options;
    tlu_options_new(&options, NULL);
    tlu_model *model = NULL;
    tlu_error error;
    assert_non_null(options);
    assert_int_equal(tlu_options_set(options, "learner", learner, &error), TLU_OK);
    assert_int_equal(tlu_options_set(options, "scale", "none", &error), TLU_OK);
    if (classes > 2)
        assert_int_equal(tlu_options_set(options, "multiclass", scheme, &error), TLU_OK);
    assert_int_equal(tlu_train_with(&settings, options, &model, &error), TLU_OK);
    tlu_options_free(options);
    return model;
}

// The same rows as a file, for the units to be checked with.
static void write_data(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (unsigned row = 0; row < 1 << INPUTS; row++) {
        fputs("0", file);
        for (unsigned i = 0; i < INPUTS; i++)
            fprintf(file, " %u:%u", i, row >> i & 1);
        fputc('\n', file);
    }
    assert_int_equal(fclose(file), 0);
}

// The class that the network's outputs name; of two classes the output is the positive one.
static size_t class_of(const tlu_model *model, const unsigned char *outputs, size_t count)
{
    size_t positive = tlu_model_positive_class(model), found = TLU_NONE;
    if (count == 1)
        return outputs[0] ? positive : 1 - positive;
    for (size_t i = 0; i < count; i++)
        if (outputs[i]) {
            assert_int_equal(found, TLU_NONE);
            found = i;
        }
    return found;
}

static void assert_agrees(const tlu_model *model, const tlu_network *network)
{
    tlu_network_run *run;
    tlu_error error;
    size_t inputs = tlu_network_input_count(network), outputs = tlu_network_output_count(network);
    assert_int_equal(tlu_network_run_new(network, &run, &error), TLU_OK);
    assert_int_equal(inputs, tlu_model_feature_count(model));
    for (unsigned row = 0; row < 1 << INPUTS; row++) {
        unsigned char in[INPUTS], out[8];
        float values[INPUTS];
        double scores[8];
        for (size_t i = 0; i < inputs; i++)
            values[i] = in[i] = row >> i & 1;
        tlu_row features = {.count = inputs, .values = values};
        tlu_network_run_step(run, in, out);
        assert_int_equal(class_of(model, out, outputs), class_of_row(model, &features, scores));
    }
    tlu_network_run_free(run);
}

static const struct {
    uint32_t classes;
    const char *scheme, *learner;
} models[] = {{2, "", "perceptron"},    {2, "", "max-margin"},        {3, "wta", "perceptron"},
              {4, "ovr", "perceptron"}, {4, "ovo", "perceptron"},     {4, "wta", "alma"},
              {3, "ovo", "logistic"},   {4, "ovo", "bernoulli-bayes"}};

static void test_every_row(void **state)
{
    (void)state;
    write_data("every.svm");
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        tlu_model *model = train(models[i].classes, models[i].scheme, models[i].learner);
        tlu_quantize_settings settings = {.size = sizeof settings, .path = "every.svm"};
        tlu_quantization *quantization;
        tlu_error error;
        assert_int_equal(tlu_quantize(model, &settings, NULL, &quantization, &error), TLU_OK);
        assert_true(quantization->rows == 1 << INPUTS && quantization->differences == 0);
        assert_agrees(model, quantization->network);
        tlu_quantization_free(quantization);
        tlu_model_free(model);
    }
}

static void test_refusals(void **state)
{
    tlu_model *model = train(2, "", "perceptron");
    tlu_quantization *quantization = (tlu_quantization *)&model;
    tlu_error error;
    (void)state;
    tlu_quantize_settings settings = {.size = 0};
    assert_int_equal(tlu_quantize(model, &settings, NULL, &quantization, &error), TLU_ERROR_INPUT);
    assert_null(quantization);
    settings = (tlu_quantize_settings){.size = sizeof settings, .bits = 41};
    assert_int_equal(tlu_quantize(model, &settings, NULL, &quantization, &error), TLU_ERROR_INPUT);
    assert_string_equal(error.text, "weights have 2 to 40 bits, not 41");
    settings = (tlu_quantize_settings){.size = sizeof settings, .path = "not-there.svm"};
    assert_int_equal(tlu_quantize(model, &settings, NULL, &quantization, &error), TLU_ERROR_INPUT);
    FILE *file = fopen("two.svm", "w");
    assert_non_null(file);
    fputs("# a comment\n0 0:1\n0 0:1 1:2\n", file);
    fclose(file);
    settings.path = "two.svm";
    assert_int_equal(tlu_quantize(model, &settings, NULL, &quantization, &error), TLU_ERROR_INPUT);
    assert_true(error.line == 3);
    assert_string_equal(error.text,
                        "two.svm:3: the feature '1' is 2, and the inputs of a threshold "
                        "unit are 0 or 1; train on 0, 1 and categories");
    tlu_model_free(model);
}

static void test_failing_memory(void **state)
{
    (void)state;
    write_data("every.svm");
    tlu_options *options;
    tlu_options_new(&options, NULL);
    tlu_error error;
    assert_int_equal(tlu_options_set(options, "threads", "1", &error), TLU_OK);
    for (size_t i = 0; i < 5; i += 4) { // two classes, and one versus one
        tlu_model *model = train(models[i].classes, models[i].scheme, models[i].learner);
        tlu_status status = TLU_ERROR_SYSTEM;
        for (long n = 1; status != TLU_OK; n++) {
            tlu_quantize_settings settings = {
                .size = sizeof settings, .path = "every.svm", .bits = 4};
            tlu_quantization *quantization;
            fault_at(FAULT_MEMORY, n);
            status = tlu_quantize(model, &settings, options, &quantization, &error);
            fault_at(FAULT_MEMORY, 0);
            assert_true((status == TLU_OK) == (quantization != NULL));
            tlu_quantization_free(quantization);
        }
        tlu_model_free(model);
    }
    tlu_options_free(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
