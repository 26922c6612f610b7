// tlu logic --learn: the perceptron on a truth table.
#include "logic.h"
#include "text.h"
#include "tlu_logic.h"
#include "trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The rows of the truth table that matter, as examples.
struct examples {
    tlu_rows rows;
    float *values;      // [rows][inputs]
    uint32_t *labels;   // [rows]
    const char **names; // [inputs]
};

static const char *const labels[] = {"0", "1"};

static void examples_make(struct examples *examples, const tlu_function *function)
{
    size_t inputs = tlu_function_input_count(function), all = (size_t)1 << inputs, count = 0;
    examples->values = need(calloc(all * inputs + 1, sizeof(float)));
    examples->labels = need(calloc(all, sizeof(uint32_t)));
    examples->names = need(calloc(inputs + 1, sizeof(char *)));
    for (size_t i = 0; i < inputs; i++)
        examples->names[i] = tlu_function_input_name(function, i);
    for (size_t row = 0; row < all; row++) {
        int value = tlu_function_value(function, 0, row);
        if (value < 0)
            continue;
        for (size_t i = 0; i < inputs; i++)
            examples->values[count * inputs + i] = (float)(row >> (inputs - 1 - i) & 1);
        examples->labels[count++] = (uint32_t)value;
    }
    examples->rows = (tlu_rows){.size = sizeof examples->rows,
                                .rows = count,
                                .columns = inputs,
                                .values = examples->values,
                                .labels = examples->labels,
                                .label_names = labels,
                                .label_count = 2,
                                .feature_names = examples->names,
                                .feature_count = inputs};
}

static void examples_free(struct examples *examples)
{
    free(examples->values);
    free(examples->labels);
    free(examples->names);
}

static bool has_both(const struct examples *examples)
{
    for (size_t i = 1; i < examples->rows.rows; i++)
        if (examples->labels[i] != examples->labels[0])
            return true;
    return false;
}

static tlu_status set_options(const struct arguments *arguments, tlu_error *error)
{
    static const char *const fixed[][2] = {
        {"learner", "perceptron"}, {"decide", "last"}, {"shuffle", "none"}, {"scale", "none"}};
    tlu_status status = TLU_OK;
    for (size_t i = 0; status == TLU_OK && i < sizeof fixed / sizeof fixed[0]; i++)
        status = tlu_options_set(arguments->library, fixed[i][0], fixed[i][1], error);
    if (status == TLU_OK)
        status = tlu_options_set(arguments->library, "epochs", arguments_text(arguments, "epochs"),
                                 error);
    if (status == TLU_OK)
        status =
            tlu_options_set(arguments->library, "rate", arguments_text(arguments, "rate"), error);
    return status;
}

static void print_mistakes(const tlu_report *report)
{
    uint64_t sum = 0;
    char text[64];
    for (uint64_t i = 0; i < report->epochs; i++)
        sum += report->mistakes[i];
    printf("mistakes  %s in ", count_text(text, sum, "mistake"));
    printf("%s: ", count_text(text, report->epochs, "pass"));
    for (uint64_t i = 0; i < report->epochs && i < 20; i++)
        printf("%s%llu", i ? " " : "", (unsigned long long)report->mistakes[i]);
    printf("%s\n", report->epochs > 20 ? " ..." : "");
}

// The plane that was learned; no row of the table is on it.
static void print_learned(const tlu_function *function, const tlu_model *model)
{
    char number[NUMBER_SIZE], name[128];
    size_t positive = tlu_model_class_find(model, "1");
    bool first = true;
    printf("learned   ");
    for (size_t i = 0; i <= tlu_function_input_count(function); i++) {
        bool bias = i == tlu_function_input_count(function);
        const char *input = bias ? NULL : tlu_function_input_name(function, i);
        size_t feature = bias ? TLU_NONE : tlu_model_feature_find(model, input);
        double weight = 0;
        if (bias)
            weight = tlu_model_bias(model, positive);
        else if (feature != TLU_NONE)
            weight = tlu_model_weight(model, positive, feature);
        if (weight == 0)
            continue;
        printf("%s%s",
               weight < 0 ? (first ? "-" : " - ")
               : first    ? ""
                          : " + ",
               number_text(number, fabs(weight)));
        if (!bias)
            printf(" %s", text_show(name, sizeof name, input, 30));
        first = false;
    }
    printf("%s > 0 is %s\n", first ? "0" : "",
           text_show(name, sizeof name, tlu_function_output_name(function, 0), 30));
}

static void print_ending(const tlu_function *function, const tlu_threshold_unit *unit,
                         const tlu_model *model)
{
    const tlu_report *report = tlu_model_report(model);
    char text[64];
    print_mistakes(report);
    if (report->converged) {
        print_learned(function, model);
        return;
    }
    if (report->cycle)
        printf("cycling   the weights came back after %s: it would go on like this for ever\n",
               count_text(text, report->cycle, "pass"));
    if (unit->is_threshold) {
        printf("open      it has not come to an end after %s; as it is a threshold function, it "
               "will: --epochs N\n",
               count_text(text, report->epochs, "pass"));
        return;
    }
    printf("It never stops, as no weights are right:\n"
           "not a threshold function: these rows of %s contradict each other\n",
           tlu_function_output_name(function, 0));
    logic_print_contradiction(function, 0, unit);
}

tlu_status logic_learn(const struct arguments *arguments, const tlu_function *function,
                       const tlu_realisation *realisation, tlu_error *error)
{
    bool json = arguments_flag(arguments, "json"), cut;
    struct trace_wish wish = {.form = json ? "json" : "text",
                              .steps = arguments_count(arguments, "steps"),
                              .to_the_end = true};
    struct examples examples;
    tlu_model *model = NULL;
    char text[64];
    if (tlu_function_output_count(function) > 1)
        return fail(error, TLU_ERROR_INPUT, "--learn is for a function with one output, not %zu",
                    tlu_function_output_count(function));
    tlu_status status = set_options(arguments, error);
    if (status != TLU_OK)
        return status;
    examples_make(&examples, function);
    tlu_train_settings data = {.size = sizeof data, .rows = &examples.rows, .name = "truth table"};
    if (has_both(&examples))
        status = trace_print(&data, arguments->library, &wish, &model, &cut, error);
    else
        status = fail(error, TLU_ERROR_INPUT,
                      "--learn needs rows with 0 and rows with 1: the function is constant");
    if (status == TLU_OK && !json && cut)
        printf("(These are the first %s; --steps N shows more.)\n",
               count_text(text, wish.steps, "step"));
    if (status == TLU_OK && !json)
        print_ending(function, realisation->units[0], model);
    tlu_model_free(model);
    examples_free(&examples);
    return status;
}
