// tlu import: makes a model from weights that the user gives.
#include "cli.h"
#include "command_line.h"
#include "report.h"

static const tlu_option_info options[] = {
    OWN_OPTION(
        "plane", LIST, "EXPRESSION", "", NULL, 0, 0,
        "a hyperplane, such as '2 x + y - 1 > 0', with the second label on its positive side; "
        "or one for each class, such as 'A: x + y - 1', of which the highest value wins. "
        "Numbers are decimals or fractions; names that are not words need double quotes; >, >=, "
        "<, <= and = are allowed"),
    TEXT_OPTION("weights", "FILE",
                "a table of weights, as tlu inspect --weights prints it; - is standard input"),
    TEXT_OPTION(
        "labels", "NEG,POS",
        "labels of the two sides of a plane (default -1,1); of a table, those of its classes, "
        "or all labels: a label without weights has weights 0"),
    CHOICE_OPTION(
        "tie", "WHICH", "", "mistake|positive|negative",
        "a score of 0, as for train; without it, >= and <= mean positive, > and < negative"),
    CHOICE_OPTION("multiclass", "SCHEME", "", "wta|ovr",
                  "several classes: winner takes all, or one versus the rest"),
    TEXT_OPTION("format", "FORMAT",
                "format of the data that the model reads; without it, libsvm if all features are "
                "numbers, else csv"),
    TEXT_OPTION(
        "label", "COLUMN",
        "the CSV column with the label; without it, label, class, target or y, if that is not a "
        "feature"),
    TEXT_OPTION("numeric", "COLUMNS",
                "numeric CSV columns with = in their names, which otherwise mean categories "
                "(COLUMN=VALUE)"),
    TEXT_OPTION("output", "FILE", "where the model goes"),
    FLAG_OPTION("json", "print one JSON object"),
    FLAG_OPTION("quiet", "print no summary"),
};

// Passes the options of the model to the library.
static tlu_status set_options(const struct arguments *arguments, tlu_error *error)
{
    static const char *const names[] = {"tie", "multiclass", "format", "label", "numeric"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (arguments_given(arguments, names[i]))
            TRY(tlu_options_set(arguments->library, names[i], arguments_text(arguments, names[i]),
                                error));
    return TLU_OK;
}

// Splits --labels at its commas; labels[] points into `text`.
static size_t split_labels(char *text, const char **labels)
{
    size_t count = 0;
    for (char *at = text; at; count++) {
        labels[count] = at;
        at = strchr(at, ',');
        if (at)
            *at++ = '\0';
    }
    return count;
}

static void print_summary(const tlu_model *model, const char *output)
{
    const tlu_report *report = tlu_model_report(model);
    size_t classes = tlu_model_class_count(model);
    fprintf(stderr, "imported  %s, %s:", count_text(report->features, "feature"),
            count_text(classes, "class"));
    for (size_t i = 0; i < classes && i < 10; i++)
        fprintf(stderr, " %s%s", text_clip(tlu_model_class_label(model, i), 40),
                i == tlu_model_positive_class(model) ? " (positive)" : "");
    fprintf(stderr, "%s\n", classes > 10 ? " ..." : "");
    fprintf(stderr, "for data  %s", report->format);
    if (tlu_model_label_column(model))
        fprintf(stderr, " with a column for each feature; labels in column %s",
                text_clip(tlu_model_label_column(model), 60));
    fprintf(stderr, "\nmodel     %s\n", path_text(stderr, output));
}

static void print_json(const tlu_model *model, const char *output)
{
    const tlu_report *report = tlu_model_report(model);
    struct json json = json_open(stdout);
    json_text(&json, "scheme", tlu_model_scheme(model));
    json_text(&json, "tie", tlu_options_get(tlu_model_options(model), "tie"));
    JSON_MEMBERS(&json, report, features, format);
    json_classes(&json, model);
    if (tlu_model_label_column(model))
        json_text(&json, "label", tlu_model_label_column(model));
    json_text(&json, "model", output);
    json_end(&json);
}

static tlu_status check_arguments(const struct arguments *arguments, tlu_error *error)
{
    const char *weights = arguments_text(arguments, "weights");
    const char *output = arguments_text(arguments, "output");
    bool planes = arguments_given(arguments, "plane");
    if (planes == (weights != NULL))
        return fail_input(error, planes ? "--plane and --weights cannot be combined; choose one"
                                        : "import needs weights: --plane '2 x + y - 1 > 0', or "
                                          "--weights FILE; see tlu import --help");
    if (!output)
        return fail_input(error, "import needs a file for the model; add -o MODEL");
    return weights ? refuse_overwriting(output, weights, error) : TLU_OK;
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    const char *output = arguments_text(arguments, "output");
    const char *given = arguments_text(arguments, "labels");
    OWNED(tlu_model) model = NULL;
    OWNED(char) text = given ? need(strdup(given)) : NULL;
    TRY(check_arguments(arguments, error));
    TRY(set_options(arguments, error));
    const char **labels = text ? need(calloc(strlen(text) + 1, sizeof *labels)) : NULL;
    tlu_import_settings settings = {.size = sizeof settings,
                                    .path = arguments_text(arguments, "weights"),
                                    .labels = labels,
                                    .label_count = text ? split_labels(text, labels) : 0};
    settings.planes = arguments_list(arguments, "plane", &settings.plane_count);
    tlu_status status = tlu_import(&settings, arguments->library, &model, error);
    free(labels);
    TRY(status);
    TRY(tlu_model_save(model, output, error));
    if (arguments->json)
        print_json(model, output);
    else if (!arguments->quiet)
        print_summary(model, output);
    return TLU_OK;
}

const struct verb import_verb = {
    .name = "import",
    .summary = "make a model from given weights: a hyperplane or a table",
    .description =
        "Makes a model without training, from a hyperplane, from one hyperplane for each class, or "
        "from a table of weights. The model is a perceptron that has seen no example. Every verb "
        "that takes a model accepts it, and tlu stream can continue to train it. It reads CSV with "
        "the features as columns, with or without a label, or LIBSVM if all features are numbers. "
        "Weights printed by tlu inspect --weights are restored to the last bit; thresholds, "
        "calibration and the rule for ties are not in the table.",
    .common = "output plane weights labels tie",
    OPTIONS(options),
    .examples = {"tlu import --plane '2 x + y - 1 > 0' -o line.tlu",
                 "printf 'x,y\\n2,1\\n' | tlu distance line.tlu -",
                 "tlu import --plane 'A: -x' --plane 'B: x' --plane 'C: 0 x + 2' -o wta.tlu",
                 "tlu inspect wta.tlu --weights >wta.tsv",
                 "tlu import --weights wta.tsv -o again.tlu",
                 "tlu import --plane 'x + 1/2 y <= 3' --labels far,near -o near.tlu"},
    .run = run,
};
