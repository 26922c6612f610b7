// tlu inspect: what a model knows, and who taught it.
#include "cli.h"
#include "reading.h"
#include "report.h"

static const tlu_option_info options[] = {
    FLAG_OPTION("json", "print one JSON object"),
    COUNT_OPTION("top", "N", "10", 0, COUNT_MAX,
                 "how many of the strongest features of a class to show"),
    COUNT_OPTION(
        "examples", "N", "", 0, COUNT_MAX,
        "show the N training rows with the highest alpha, and their lines in the data; models "
        "with a kernel, a vote or the largest margin keep them"),
    FLAG_OPTION("weights",
                "print only the weights that are not zero: class, feature (or (bias)) and weight, "
                "separated by tabs; of two classes, only the positive one"),
    FLAG_OPTION(
        "log-odds",
        "naive Bayes: print p_i and q_i, the log odds of a feature that is 1 and of one that is "
        "0, w_i = p_i - q_i, and w_0, the sum of all q_i and the prior"),
    NUMBER_OPTION("base", "B", "", 1.0001, 1e9,
                  "base of the logarithms of --log-odds; without it, e"),
};

struct strength {
    size_t feature;
    double value;
};

// ---- --weights

static void print_weight(const tlu_model *model, size_t class_index, size_t feature, double weight)
{
    if (weight == 0)
        return;
    text_write_field(stdout, tlu_model_class_label(model, class_index));
    fputc('\t', stdout);
    text_write_field(stdout, name_of(model, feature));
    printf("\t%.17g\n", weight);
}

static void print_weights(const tlu_model *model)
{
    size_t first, end;
    shown_classes(model, &first, &end);
    for (size_t i = first; i < end; i++) {
        print_weight(model, i, TLU_NONE, tlu_model_bias(model, i));
        for (size_t j = 0; j < tlu_model_feature_count(model); j++)
            print_weight(model, i, j, tlu_model_weight(model, i, j));
    }
}

// The same for a linear kernel: w = sum of alpha l x.
static tlu_status print_kernel_weights(const tlu_model *model, tlu_error *error)
{
    size_t first, end, features = tlu_model_feature_count(model);
    OWNED(double) w = need(calloc(features + 1, sizeof *w));
    shown_classes(model, &first, &end);
    for (size_t i = first; i < end; i++) {
        double bias;
        TRY(tlu_model_kernel_weights(model, i, w, &bias, error));
        print_weight(model, i, TLU_NONE, bias);
        for (size_t j = 0; j < features; j++)
            print_weight(model, i, j, w[j]);
    }
    return TLU_OK;
}

static bool has_linear_kernel(const tlu_model *model)
{
    const char *decision = tlu_model_decision(model);
    return strcmp(tlu_options_get(tlu_model_options(model), "kernel"), "linear") == 0 &&
           strcmp(decision, "vote") != 0 && strcmp(decision, "random") != 0;
}

// ---- --log-odds

static void print_log_odds_of(const tlu_model *model, size_t class_index, const double *p,
                              const double *q, double prior, double unit)
{
    size_t features = tlu_model_feature_count(model);
    double sum = 0;
    bool alone = strcmp(tlu_model_scheme(model), "wta") == 0;
    printf("log odds of %s%s\n%-20s %12s %12s %12s\n",
           text_clip(tlu_model_class_label(model, class_index), 40),
           alone ? ": log P(x|class), without other classes" : " against the rest", "feature",
           "p_i", "q_i", "w_i");
    for (size_t i = 0; i < features; i++) {
        printf("%-20s %12.6g %12.6g %12.6g\n", text_clip(name_of(model, i), 60), p[i] / unit,
               q[i] / unit, (p[i] - q[i]) / unit);
        sum += q[i] / unit;
    }
    printf("%46.6g  sum of q_i\n%46.6g  prior%s\n%46.6g  w_0 = sum of q_i + prior\n", sum,
           prior / unit, alone ? ", log of the rows of the class" : "", sum + prior / unit);
}

static void json_log_odds_of(struct json *json, const tlu_model *model, size_t class_index,
                             const double *p, const double *q, double prior, double unit)
{
    double sum = 0;
    json_object(json, NULL);
    json_text(json, "class", tlu_model_class_label(model, class_index));
    json_array(json, "features");
    for (size_t i = 0; i < tlu_model_feature_count(model); i++) {
        json_object(json, NULL);
        json_text(json, "feature", name_of(model, i));
        json_number(json, "p", p[i] / unit);
        json_number(json, "q", q[i] / unit);
        json_number(json, "w", (p[i] - q[i]) / unit);
        json_end(json);
        sum += q[i] / unit;
    }
    json_end(json);
    json_number(json, "sum_q", sum);
    json_number(json, "prior", prior / unit);
    json_number(json, "w_0", sum + prior / unit);
    json_end(json);
}

static tlu_status print_log_odds(const struct arguments *arguments, const tlu_model *model,
                                 tlu_error *error)
{
    size_t first, end, features = tlu_model_feature_count(model);
    OWNED(double) p = need(calloc(features + 1, sizeof *p));
    OWNED(double) q = need(calloc(features + 1, sizeof *q));
    bool given = arguments_given(arguments, "base");
    double base = given ? arguments_number(arguments, "base") : exp(1), prior;
    double unit = given ? log(base) : 1;
    shown_classes(model, &first, &end);
    TRY(tlu_model_log_odds(model, first, p, q, &prior, error)); // before anything is printed
    struct json json = {.file = stdout};
    if (arguments->json) {
        json = json_open(stdout);
        json_number(&json, "base", base);
        json_array(&json, "log_odds");
    }
    for (size_t i = first; i < end; i++) {
        TRY(tlu_model_log_odds(model, i, p, q, &prior, error));
        if (arguments->json)
            json_log_odds_of(&json, model, i, p, q, prior, unit);
        else
            print_log_odds_of(model, i, p, q, prior, unit);
    }
    if (arguments->json) {
        json_end(&json);
        json_end(&json);
    }
    return TLU_OK;
}

// ---- the strongest features

static int by_strength(const void *left, const void *right)
{
    const struct strength *a = left, *b = right;
    double x = fabs(a->value), y = fabs(b->value);
    if (x != y)
        return x > y ? -1 : 1;
    return (a->feature > b->feature) - (a->feature < b->feature);
}

// Fills all[features] with what is not zero, the strongest first, and returns how many to show.
static size_t strongest(const tlu_model *model, size_t class_index, uint64_t top,
                        struct strength *all)
{
    size_t count = 0;
    for (size_t i = 0; i < tlu_model_feature_count(model); i++) {
        double value = tlu_model_scaled_weight(model, class_index, i);
        if (value != 0)
            all[count++] = (struct strength){i, value};
    }
    qsort(all, count, sizeof *all, by_strength);
    return top < count ? (size_t)top : count;
}

static void print_strongest(const tlu_model *model, uint64_t top)
{
    struct strength *all = need(calloc(tlu_model_feature_count(model) + 1, sizeof *all));
    size_t first, end;
    shown_classes(model, &first, &end);
    for (size_t i = first; i < end; i++) {
        size_t count = strongest(model, i, top, all);
        printf("\nstrongest features for %s, bias %.6g\n",
               text_clip(tlu_model_class_label(model, i), 40), tlu_model_bias(model, i));
        if (count == 0)
            printf("  none\n");
        for (size_t j = 0; j < count; j++)
            printf("  %+12.6g  %s\n", all[j].value, text_clip(name_of(model, all[j].feature), 60));
    }
    free(all);
}

static void json_strongest(struct json *json, const tlu_model *model, uint64_t top)
{
    struct strength *all = need(calloc(tlu_model_feature_count(model) + 1, sizeof *all));
    size_t first, end;
    shown_classes(model, &first, &end);
    json_array(json, "strongest");
    for (size_t i = first; i < end; i++) {
        size_t count = strongest(model, i, top, all);
        json_object(json, NULL);
        json_text(json, "class", tlu_model_class_label(model, i));
        json_number(json, "bias", tlu_model_bias(model, i));
        json_array(json, "features");
        for (size_t j = 0; j < count; j++) {
            json_object(json, NULL);
            json_text(json, "feature", name_of(model, all[j].feature));
            json_number(json, "strength", all[j].value);
            json_number(json, "weight", tlu_model_weight(model, i, all[j].feature));
            json_end(json);
        }
        json_end(json);
        json_end(json);
    }
    json_end(json);
    free(all);
}

// ---- the hardest examples

static size_t examples_to_show(const tlu_model *model, uint64_t most)
{
    size_t count = tlu_model_support_count(model);
    return most < count ? (size_t)most : count;
}

static void print_examples(const tlu_model *model, uint64_t most)
{
    size_t count = examples_to_show(model, most);
    printf("\nexamples of the highest alpha, of %zu\n%12s %10s  label\n",
           tlu_model_support_count(model), "alpha", "line");
    for (size_t i = 0; i < count; i++) {
        tlu_support support;
        if (tlu_model_support(model, i, &support, NULL) != TLU_OK)
            break;
        const char *label = tlu_model_class_label(model, support.class_index);
        printf("%12.6g %10llu  %s\n", support.alpha, ULL(support.line),
               label ? text_clip(label, 40) : "-");
    }
}

static void json_examples(struct json *json, const tlu_model *model, uint64_t most)
{
    json_array(json, "examples_by_alpha");
    for (size_t i = 0; i < examples_to_show(model, most); i++) {
        tlu_support support;
        if (tlu_model_support(model, i, &support, NULL) != TLU_OK)
            break;
        json_object(json, NULL);
        json_count(json, "line", support.line);
        json_text(json, "label", tlu_model_class_label(model, support.class_index));
        json_number(json, "alpha", support.alpha);
        json_end(json);
    }
    json_end(json);
}

// ---- who trained it, on what, how

// "0.10" is 0.1.
static bool same_value(const char *a, const char *b)
{
    char *a_end, *b_end;
    double x = strtod(a, &a_end), y = strtod(b, &b_end);
    bool numbers = a_end != a && b_end != b && *a_end == '\0' && *b_end == '\0';
    return strcmp(a, b) == 0 || (numbers && x == y);
}

// The value of an option if it is given and is not the learner's default; else NULL.
static const char *changed_option(const tlu_model *model, const tlu_option_info *info)
{
    char usual[64];
    const tlu_options *of_model = tlu_model_options(model);
    const char *value = tlu_options_get(of_model, info->name);
    tlu_options_default(of_model, info->name, usual, sizeof usual);
    if (strcmp(info->name, "multiclass") == 0 && strcmp(usual, "auto") == 0)
        return NULL; // the data decided; the learner's line has it
    return option_is_given(of_model, info->name) && !same_value(value, usual) ? value : NULL;
}

static void print_options(const tlu_model *model)
{
    bool any = false;
    printf("options   ");
    for (size_t i = 0; i < tlu_option_count(); i++) {
        const tlu_option_info *info = tlu_option_at(i);
        const char *value = changed_option(model, info);
        if (value)
            printf("%s%s %s", any ? ", " : "", info->name, text_clip(value, 60));
        any = any || value;
    }
    printf("%s\n", any ? "" : "all at their defaults");
}

static void print_classes(const tlu_model *model)
{
    size_t classes = tlu_model_class_count(model), positive = tlu_model_positive_class(model);
    printf("classes   %zu:", classes);
    for (size_t i = 0; i < classes; i++)
        printf("%s %s (%llu%s)", i ? "," : "", text_clip(tlu_model_class_label(model, i), 40),
               ULL(tlu_model_class_examples(model, i)), i == positive ? ", positive" : "");
    fputc('\n', stdout);
}

static void print_mistakes(const tlu_report *report)
{
    printf("mistakes ");
    for (uint64_t i = 0; i < report->epochs; i++) {
        if (i == 12 && report->epochs > 20) { // the first 12 and the last 4
            printf(" ...");
            i = report->epochs - 4;
        }
        printf(" %llu", ULL(report->mistakes[i]));
    }
    printf("; %llu updates\n", ULL(report->updates));
}

// "784 inputs, 300 relu, 10 outputs: 238510 weights"
static void print_layers(const tlu_model *model)
{
    size_t sizes[16], count = tlu_model_layers(model, sizes, 16);
    const tlu_options *of_model = tlu_model_options(model);
    bool bias = strcmp(tlu_options_get(of_model, "no-bias"), "yes") != 0;
    uint64_t weights = 0;
    if (count == 0)
        return;
    printf("layers    %zu inputs, ", sizes[0]);
    for (size_t i = 1; i < count; i++) {
        weights += (uint64_t)(sizes[i - 1] + bias) * sizes[i];
        if (i + 1 < count)
            printf("%zu %s, ", sizes[i], tlu_options_get(of_model, "activation"));
    }
    printf("%zu %s: %llu weights\n", sizes[count - 1], sizes[count - 1] == 1 ? "output" : "outputs",
           ULL(weights));
}

static void print_about(const tlu_model *model, const char *path)
{
    const tlu_report *report = tlu_model_report(model);
    printf("model     %s, made by tlu %s\n", text_clip(path, 100), tlu_model_version(model));
    const char *kernel = tlu_options_get(tlu_model_options(model), "kernel");
    bool adaptive = strcmp(tlu_model_decision(model), tlu_model_decided_by(model)) != 0;
    printf("learner   %s, decision %s%s%s, scheme %s%s%s\n", tlu_model_learner(model),
           tlu_model_decision(model), adaptive ? ": now " : "",
           adaptive ? tlu_model_decided_by(model) : "", tlu_model_scheme(model),
           kernel[0] ? ", kernel " : "", text_clip(kernel, 60));
    print_layers(model);
    print_options(model);
    if (report->epochs == 0 && report->examples == 0) { // tlu import
        printf("data      none: the weights were given; for %s, %s\n", report->format,
               count_text(report->features, "feature"));
        print_classes(model);
        output_print(stdout, model);
        return;
    }
    bool stream = !report->data || !report->data[0];
    printf("data      %s", stream ? "a stream" : text_clip(report->data, 60));
    if (!stream)
        printf(" (%s)", report->format);
    printf(": %s, ", count_text(report->examples, "row"));
    if (report->held_out)
        printf("%s held out, ", count_text(report->held_out, "row"));
    printf("%s%s\n", count_text(report->features, "feature"),
           tlu_model_is_scaled(model) ? ", scaled" : "");
    print_classes(model);
    printf("training  %s",
           stream ? format_text("%s over the stream", count_text(report->epochs, "pass"))
                  : training_text(report));
    if (report->cycle)
        printf("; the weights repeat after %s", count_text(report->cycle, "pass"));
    if (report->best_epoch != report->epochs)
        printf("; the model is from pass %llu", ULL(report->best_epoch));
    fputc('\n', stdout);
    report_held_out(stdout, report);
    if (report->held_out_accuracy && report->best_epoch && report->epochs > 1)
        printf("          optimistic, because these rows also chose the pass; tlu split sets test "
               "rows aside\n");
    if (!is_solved(report))
        print_mistakes(report);
    report_errors(stdout, model);
    output_print(stdout, model);
}

// ---- JSON

static void json_options(struct json *json, const tlu_model *model)
{
    json_object(json, "options");
    for (size_t i = 0; i < tlu_option_count(); i++) {
        const tlu_option_info *info = tlu_option_at(i);
        const char *value = changed_option(model, info);
        if (value)
            json_text(json, info->name, value);
    }
    json_end(json);
}

static void json_layers(struct json *json, const tlu_model *model)
{
    size_t sizes[16], count = tlu_model_layers(model, sizes, 16);
    if (count)
        json_array(json, "layers");
    for (size_t i = 0; i < count; i++)
        json_count(json, NULL, sizes[i]);
    if (count)
        json_end(json);
}

static void json_class_examples(struct json *json, const tlu_model *model)
{
    size_t positive = tlu_model_positive_class(model);
    json_classes(json, model);
    json_array(json, "class_examples");
    for (size_t i = 0; i < tlu_model_class_count(model); i++)
        json_count(json, NULL, tlu_model_class_examples(model, i));
    json_end(json);
    json_text(json, "positive",
              positive == TLU_NONE ? NULL : tlu_model_class_label(model, positive));
}

static void json_report(struct json *json, const tlu_report *report)
{
    JSON_MEMBERS(json, report, data, format, examples, held_out, features, nonzeros);
    report_passes_json(json, report);
    report_errors_json(json, report);
    if (report->held_out_accuracy) {
        bool other = report_held_out_json(json, report);
        if (report->best_epoch)
            json_number(json, other ? "best_value" : "best_accuracy",
                        report->held_out_accuracy[report->best_epoch - 1]);
    }
    JSON_MEMBERS(json, report, best_epoch, skipped);
}

static void print_json(const tlu_model *model, const char *path, uint64_t top, uint64_t examples)
{
    const char *kernel = tlu_options_get(tlu_model_options(model), "kernel");
    struct json json = json_open(stdout);
    json_text(&json, "model", path);
    json_text(&json, "version", tlu_model_version(model));
    json_text(&json, "learner", tlu_model_learner(model));
    json_text(&json, "decision", tlu_model_decision(model));
    json_text(&json, "decided_by", tlu_model_decided_by(model));
    json_text(&json, "scheme", tlu_model_scheme(model));
    json_text(&json, "kernel", kernel[0] ? kernel : NULL);
    json_layers(&json, model);
    json_options(&json, model);
    json_report(&json, tlu_model_report(model));
    json_class_examples(&json, model);
    json_bool(&json, "scaled", tlu_model_is_scaled(model));
    output_json(&json, model);
    json_strongest(&json, model, top);
    if (examples)
        json_examples(&json, model, examples);
    json_end(&json);
}

static void note_idle(const struct arguments *arguments)
{
    static const char *const names[] = {"top", "examples"};
    fflush(stdout);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (arguments_given(arguments, names[i]))
            fprintf(stderr, "note: --%s has no effect with --weights, which prints all weights\n",
                    names[i]);
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    const char *path = arguments->positional[0];
    uint64_t top = arguments_count(arguments, "top");
    uint64_t examples = arguments_count(arguments, "examples");
    bool weights = arguments_flag(arguments, "weights");
    tlu_error ignored;
    OWNED(tlu_model) model = NULL;
    if (arguments->json && weights)
        return fail_input(error, "--json and --weights cannot be combined; choose one");
    bool log_odds = arguments_flag(arguments, "log-odds");
    if (log_odds && weights)
        return fail_input(error, "--log-odds and --weights cannot be combined; choose one");
    if (arguments_given(arguments, "base") && !log_odds)
        return fail_input(error, "--base is for --log-odds; add it, or leave out --base");
    TRY(tlu_model_load(path, &model, error));
    if (log_odds)
        return print_log_odds(arguments, model, error);
    if (weights && has_linear_kernel(model)) {
        TRY(print_kernel_weights(model, error));
        note_idle(arguments);
        return TLU_OK;
    }
    if (weights)
        TRY(need_weights(model, error));
    if (examples && tlu_model_support_count(model) == 0)
        return fail_input(error, "--examples: the model keeps none of its training rows; those "
                                 "with a kernel, a vote or the largest margin do");
    if (need_weights(model, &ignored) != TLU_OK)
        top = 0;
    if (weights) {
        print_weights(model);
        note_idle(arguments);
        return TLU_OK;
    }
    if (arguments->json) {
        print_json(model, path, top, examples);
        return TLU_OK;
    }
    print_about(model, path);
    if (top > 0)
        print_strongest(model, top);
    if (examples)
        print_examples(model, examples);
    return TLU_OK;
}

const struct verb inspect_verb = {
    .name = "inspect",
    .summary = "show what a model knows and how it was trained",
    .description =
        "Prints how MODEL was trained, with which options and on which data, its classes, its "
        "mistakes in each pass, and the features with the largest weights. With two classes the "
        "weights are those of the positive class: a negative weight speaks for the other. If the "
        "model scales its data, features are compared after scaling. A model with a kernel or a "
        "vote consists of training examples instead: --examples shows them.",
    .arguments = {MODEL_ARGUMENT},
    .common = "top weights json",
    OPTIONS(options),
    .examples = {"tlu train data/weather.csv -o weather.tlu", "tlu inspect weather.tlu",
                 "tlu inspect weather.tlu --top 3 --json",
                 "tlu inspect weather.tlu --weights | sort -g -k 3",
                 "tlu train data/iris.csv --kernel poly:2 -o iris.tlu",
                 "tlu inspect iris.tlu --examples 5"},
    .run = run,
};
