// tlu threshold: where a model is to cut between two classes, or which scores give a label.
#include "cli.h"
#include "command_line.h"
#include "reading.h"

#include <sys/stat.h>

static const tlu_option_info options[] = {
    FLAG_OPTION("f1", "the threshold with the highest F1: the default"),
    NUMBER_OPTION("precision", "P", "", 0, 1,
                  "the one with the highest recall that has at least this precision"),
    NUMBER_OPTION("recall", "R", "", 0, 1,
                  "the one with the highest precision that has at least this recall"),
    TEXT_OPTION("cost", "FP:FN",
                "the one with the lowest cost: FP for a false positive, FN for a false negative"),
    TEXT_OPTION("for", "AIM",
                "the same in one option: f1, precision=P, recall=R, or cost with --costs"),
    TEXT_OPTION("costs", "FP:FN", "the same as --cost; --for cost alone means 1:1"),
    FLAG_OPTION("remove", "without DATA: remove the threshold from the model"),
    TEXT_OPTION("output", "FILE",
                "where the model with the threshold goes; without it, MODEL is replaced"),
    FLAG_OPTION("json", "print one JSON object"),
    FLAG_OPTION("quiet", "print no notes"),
};

static bool is_number(const char *text, const char *end, double *value)
{
    char *rest;
    *value = strtod(text, &rest);
    return rest != text && rest == end;
}

// The options that say what the threshold is for; one of them.
static const char *const aims[] = {"f1", "precision", "recall", "cost", "for"};

// What the threshold is for, as --for has it: "precision=0.95".
static tlu_status find_aim(const struct arguments *arguments, const char **aim, tlu_error *error)
{
    const char *given = NULL;
    *aim = arguments_given(arguments, "costs") ? "cost" : "f1";
    for (size_t i = 0; i < COUNT_OF(aims); i++) {
        const char *value = arguments_text(arguments, aims[i]);
        bool level = i == 1 || i == 2;
        if (!arguments_given(arguments, aims[i]) || (i == 0 && !arguments_flag(arguments, "f1")))
            continue;
        if (given)
            return fail_input(
                error, "--%s and --%s cannot be combined: a threshold has one aim; choose one",
                given, aims[i]);
        given = aims[i];
        *aim = i == 4 ? value : level ? format_text("%s=%s", aims[i], value) : aims[i];
    }
    return TLU_OK;
}

// "precision=0.95"; the aim is kept in aim[size].
static tlu_status read_aim(const struct arguments *arguments, char *aim, size_t size,
                           tlu_threshold_settings *settings, tlu_error *error)
{
    const char *text;
    TRY(find_aim(arguments, &text, error));
    size_t length = strcspn(text, "=");
    bool level =
        strncmp(text, "precision=", length + 1) == 0 || strncmp(text, "recall=", length + 1) == 0;
    bool plain = strcmp(text, "f1") == 0 || strcmp(text, "cost") == 0;
    if (length >= size || level == plain ||
        (level && !is_number(text + length + 1, text + strlen(text), &settings->value)))
        return fail_input(error,
                          "--for is f1, precision=P, recall=R or cost, P and R being numbers such "
                          "as 0.95, not '%.80s'",
                          text);
    memcpy(aim, text, length);
    aim[length] = '\0';
    settings->objective = aim;
    return TLU_OK;
}

static tlu_status read_costs(const struct arguments *arguments, tlu_threshold_settings *settings,
                             tlu_error *error)
{
    const char *name = arguments_given(arguments, "costs") ? "costs" : "cost";
    const char *text = arguments_given(arguments, name) ? arguments_text(arguments, name) : "1:1";
    const char *colon = text ? strchr(text, ':') : NULL;
    if (arguments_given(arguments, "costs") && strcmp(settings->objective, "cost") != 0)
        return fail_input(error, "--costs cannot be combined with a threshold for %s; leave it out",
                          settings->objective);
    if (arguments_given(arguments, "costs") && arguments_given(arguments, "cost"))
        return fail_input(error, "--cost and --costs are the same; give one of them");
    if (!colon || !is_number(text, colon, &settings->false_positive_cost) ||
        !is_number(colon + 1, text + strlen(text), &settings->false_negative_cost))
        return fail_input(error, "--%s is FP:FN, two numbers such as 1:5, not '%.80s'", name,
                          text ? text : "");
    return TLU_OK;
}

// ---- several labels per row: a threshold for each

static void json_labels(struct json *json, const tlu_model *model, const tlu_threshold *threshold)
{
    json_array(json, "labels");
    for (size_t i = 0; i < threshold->label_count; i++) {
        const tlu_label_threshold *label = &threshold->labels[i];
        json_object(json, NULL);
        json_text(json, "label", tlu_model_class_label(model, i));
        json_number(json, "threshold", label->threshold);
        json_count(json, "positives", label->positives);
        json_count(json, "called_positive", label->predicted_positive);
        JSON_MEMBERS(json, label, true_positives, precision, recall, f1);
        json_bool(json, "found", label->found > 0);
        json_end(json);
    }
    json_end(json);
}

#define LABEL_COLUMNS 24

static void print_labels(const tlu_model *model, const tlu_threshold *threshold)
{
    size_t width = sizeof "label" - 1;
    for (size_t i = 0; i < threshold->label_count; i++) {
        size_t own = text_width(text_clip(tlu_model_class_label(model, i), LABEL_COLUMNS));
        width = own > width ? own : width;
    }
    printf("%-*s  %15s  precision   recall       f1       rows\n", (int)width, "label",
           "threshold");
    for (size_t i = 0; i < threshold->label_count; i++) {
        const tlu_label_threshold *label = &threshold->labels[i];
        text_write_column(stdout, text_clip(tlu_model_class_label(model, i), LABEL_COLUMNS),
                          (int)width);
        printf("  %15s   %7.2f%% %7.2f%% %7.2f%% %10llu\n", brief_text(label->threshold),
               100 * label->precision, 100 * label->recall, 100 * label->f1, ULL(label->positives));
    }
}

// Labels without a threshold of their own, and those that the aim is out of reach for.
static void note_labels(const tlu_threshold *threshold)
{
    size_t usual = 0, missed = 0;
    for (size_t i = 0; i < threshold->label_count; i++) {
        usual += threshold->labels[i].found == 0;
        missed += threshold->labels[i].found < 0;
    }
    if (usual)
        note(NULL, "%s: all rows have it, or none, so that the usual threshold stays",
             count_text(usual, "label"));
    if (missed)
        note(NULL, "%s: the precision is out of reach, and the threshold is the one nearest to it",
             count_text(missed, "label"));
}

static tlu_status save_labels(const tlu_model *model, const tlu_threshold *threshold,
                              const char *path, tlu_error *error)
{
    OWNED(tlu_model) copy = NULL;
    OWNED(double) thresholds = need(calloc(threshold->label_count + 1, sizeof *thresholds));
    for (size_t i = 0; i < threshold->label_count; i++)
        thresholds[i] = threshold->labels[i].threshold;
    TRY(tlu_model_with_label_thresholds(model, thresholds, &copy, error));
    return tlu_model_save(copy, path, error);
}

// ----

static void print_json(const tlu_model *model, const tlu_threshold *threshold, bool with_cost,
                       const char *path)
{
    struct json json = json_open(stdout);
    if (threshold->labels)
        json_labels(&json, model, threshold);
    else
        json_number(&json, "threshold", threshold->threshold);
    json_text(&json, "on", threshold->on_probability ? "probability" : "score");
    JSON_MEMBERS(&json, threshold, score, examples, positives);
    json_count(&json, "called_positive", threshold->predicted_positive);
    JSON_MEMBERS(&json, threshold, true_positives, precision, recall, f1, accuracy);
    if (with_cost)
        json_number(&json, "cost", threshold->cost);
    json_text(&json, "model", path);
    json_end(&json);
}

static void print_threshold(const tlu_threshold *threshold, const char *label)
{
    printf("threshold %s on the %s of %s", brief_text(threshold->threshold),
           threshold->on_probability ? "probability" : "score", label);
    if (threshold->on_probability && isfinite(threshold->score))
        printf(", scores from %s on", brief_text(threshold->score));
}

static void print_text(const tlu_model *model, const tlu_threshold *threshold, const char *aim,
                       const char *path)
{
    const char *label = "positive";
    if (threshold->labels) {
        print_labels(model, threshold);
        printf("\nthresholds on the %s; all labels together:",
               threshold->on_probability ? "probability" : "score");
    } else {
        label = text_clip(tlu_model_class_label(model, tlu_model_positive_class(model)), 40);
        print_threshold(threshold, label);
    }
    printf("\nprecision %.2f%% (%llu of %llu called %s)\n", 100 * threshold->precision,
           ULL(threshold->true_positives), ULL(threshold->predicted_positive), label);
    printf("recall    %.2f%% (%llu of %llu)\n", 100 * threshold->recall,
           ULL(threshold->true_positives), ULL(threshold->positives));
    printf("f1        %.2f%%%s\n", 100 * threshold->f1,
           strcmp(aim, "f1") == 0 ? ", the highest" : "");
    printf("accuracy  %.2f%%\n", 100 * threshold->accuracy);
    if (strcmp(aim, "cost") == 0)
        printf("cost      %s\n", number_text(threshold->cost));
    printf("model     %s\n", path_text(stdout, path));
}

// Saves the model with a threshold; NaN: without one.
static tlu_status save_with(const tlu_model *model, double threshold, const char *path,
                            tlu_error *error)
{
    OWNED(tlu_model) copy = NULL;
    TRY(tlu_model_with_threshold(model, threshold, &copy, error));
    return tlu_model_save(copy, path, error);
}

OWNED_TYPE(tlu_threshold, tlu_threshold_free)

static tlu_status find_and_save(const struct arguments *arguments, const tlu_model *model,
                                const char *path, tlu_error *error)
{
    char aim[32] = "";
    const char *data = arguments->positional[1];
    tlu_threshold_settings settings = {.size = sizeof settings, .path = data};
    OWNED(tlu_threshold) threshold = NULL;
    TRY(read_aim(arguments, aim, sizeof aim, &settings, error));
    TRY(read_costs(arguments, &settings, error));
    TRY(check_model_path(path, data, false, error));
    TRY(tlu_threshold_find(model, &settings, arguments->library, &threshold, error));
    if (threshold->labels)
        TRY(save_labels(model, threshold, path, error));
    else
        TRY(save_with(model, threshold->threshold, path, error));
    bool with_cost = strcmp(aim, "cost") == 0;
    if (arguments->json)
        print_json(model, threshold, with_cost, path);
    else if (!arguments->quiet)
        print_text(model, threshold, aim, path);
    if (!arguments->json && !arguments->quiet)
        note_labels(threshold);
    return TLU_OK;
}

static tlu_status check_arguments(const struct arguments *arguments, tlu_error *error)
{
    bool removes = arguments_flag(arguments, "remove");
    bool aimed = arguments_given(arguments, "costs");
    const char *model = arguments->positional[0];
    struct stat about;
    for (size_t i = 0; i < COUNT_OF(aims); i++)
        aimed |= arguments_given(arguments, aims[i]);
    if (removes && (arguments->positional[1] || aimed || arguments->json))
        return fail_input(error, "--remove takes the threshold out: it cannot be combined with "
                                 "DATA, an aim and --json");
    if (!removes && !arguments->positional[1])
        return fail_input(error, "threshold needs DATA (labelled rows; - is standard input), or "
                                 "--remove; see tlu threshold --help");
    if (!arguments_text(arguments, "output") &&
        (strcmp(model, "-") == 0 || (stat(model, &about) == 0 && !S_ISREG(about.st_mode))))
        return fail_input(error, "'%s' is not a file that the model can be saved to; give -o FILE",
                          model);
    return TLU_OK;
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    OWNED(tlu_model) model = NULL;
    const char *output = arguments_text(arguments, "output");
    const char *path = output ? output : arguments->positional[0];
    TRY(check_arguments(arguments, error));
    if (!arguments_flag(arguments, "remove")) {
        TRY(load_first(arguments, &model, error));
        return find_and_save(arguments, model, path, error);
    }
    TRY(tlu_model_load(arguments->positional[0], &model, error));
    TRY(check_model_path(path, "/dev/null", false, error)); // there is no data
    TRY(save_with(model, NAN, path, error));
    if (!arguments->quiet)
        printf("no threshold\nmodel     %s\n", path_text(stdout, path));
    return TLU_OK;
}

const struct verb threshold_verb = {
    .name = "threshold",
    .summary = "find the threshold between two classes or of each label, and keep it in the model",
    .description =
        "Finds the best threshold on the labelled rows of DATA, for F1 or another aim, and saves "
        "the "
        "model with it, whole or not at all: predict, eval, explain and stream then predict the "
        "positive class at or above the threshold. It applies to the probability of the positive "
        "class if the model has probabilities, else to the score. A model of --multilabel gets a "
        "threshold for each label, the best for this label alone. Use rows that the model was not "
        "trained on. Weights of rows are ignored.",
    .arguments = {{"MODEL", .help = "a model that tlu train or tlu stream made, of two classes or "
                                    "--multilabel"},
                  {"DATA", .help = "labelled rows; - is standard input", .optional = true}},
    .groups = "reading",
    .common = "f1 precision recall cost output",
    OPTIONS(options),
    .examples = {"tlu train data/weather.csv -o weather.tlu --learner logistic",
                 "tlu threshold weather.tlu data/weather.csv --recall 0.9",
                 "tlu threshold weather.tlu data/weather.csv --cost 1:5 -o 5.tlu",
                 "tlu predict 5.tlu data/weather.csv --probabilities",
                 "tlu predict 5.tlu data/weather.csv --threshold 0.5",
                 "tlu threshold weather.tlu --remove"},
    .run = run,
};
