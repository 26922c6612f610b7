// tlu mix: the weighted mean of models.
#include "cli.h"
#include "command_line.h"
#include "report.h"

static const tlu_option_info options[] = {
    TEXT_OPTION("output", "FILE", "where the mixture goes"),
    CHOICE_OPTION("weights", "WHICH", "rows", "rows|updates|equal",
                  "what the weight of a model is proportional to: the rows or the updates of its "
                  "training, or equal weights"),
    FLAG_OPTION("json", "print one JSON object"),
    FLAG_OPTION("quiet", "print no summary"),
};

struct models {
    tlu_model **items; // [count]
    size_t count;
};

static void models_free(struct models *models)
{
    for (size_t i = 0; i < models->count; i++)
        tlu_model_free(models->items[i]);
    free(models->items);
}

static tlu_status load_models(const struct arguments *arguments, struct models *models,
                              tlu_error *error)
{
    size_t count = arguments->positional_count + arguments->repeated_count;
    models->items = need(calloc(count, sizeof *models->items));
    for (size_t i = 0; i < count; i++) {
        const char *path = i < arguments->positional_count
                               ? arguments->positional[i]
                               : arguments->repeated[i - arguments->positional_count];
        TRY(tlu_model_load(path, &models->items[i], error));
        models->count++;
    }
    return TLU_OK;
}

static void print_json(const tlu_model *model, size_t count, const char *path)
{
    const tlu_report *report = tlu_model_report(model);
    struct json json = json_open(stdout);
    json_count(&json, "models", count);
    json_text(&json, "learner", tlu_model_learner(model));
    json_text(&json, "decision", tlu_model_decision(model));
    JSON_MEMBERS(&json, report, examples, features);
    json_classes(&json, model);
    json_count(&json, "updates", report->updates);
    json_text(&json, "model", path);
    json_end(&json);
}

static void print_summary(FILE *file, const tlu_model *model, size_t count, const char *path)
{
    const tlu_report *report = tlu_model_report(model);
    fprintf(file, "mixed     %s: %s", count_text(count, "model"),
            count_text(report->examples, "row"));
    fprintf(file, ", %s", count_text(report->features, "feature"));
    fprintf(file, ", %s\n", count_text(tlu_model_class_count(model), "class"));
    fprintf(file, "model     %s\n", path_text(file, path));
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    CLEANUP(models_free) struct models models = {0};
    OWNED(tlu_model) mixed = NULL;
    const char *output = arguments_text(arguments, "output");
    if (!output)
        return fail_input(error, "mix needs a file for the mixture; add -o FILE");
    TRY(load_models(arguments, &models, error));
    tlu_mix_settings settings = {.size = sizeof settings,
                                 .weights = arguments_text(arguments, "weights")};
    TRY(tlu_model_mix((const tlu_model *const *)models.items, models.count, &settings, &mixed,
                      error));
    TRY(tlu_model_save(mixed, output, error));
    if (arguments->json)
        print_json(mixed, models.count, output);
    else if (!arguments->quiet)
        print_summary(stderr, mixed, models.count, output);
    return TLU_OK;
}

const struct verb mix_verb = {
    .name = "mix",
    .summary = "make the weighted mean of models that learned from different rows",
    .description =
        "Mixes models that were trained with the same options on different parts of the data. The "
        "mixture has the classes and features of all of them; a weight that a model lacks is 0. "
        "The average of the weights over all examples stays exact, and learners with a variance "
        "for each weight (arow, scw1, scw2) are weighted by precision. The order of the models "
        "does not matter, and a model mixed with itself keeps its weights. To train in several "
        "processes without MPI, train each part with --start MIXTURE, mix, and repeat. Models "
        "with a kernel, layers or votes, of learners that solve for all rows at once, or with "
        "different calibration, thresholds or weights of words (--tfidf) cannot be mixed; factors "
        "of "
        "--scale are converted.",
    .arguments = {{"MODEL", .help = "a model that tlu train, tlu stream or tlu mix made"},
                  {"MODEL...", .help = "more models", .optional = true, .repeated = true}},
    OPTIONS(options),
    .examples = {"tlu train data/digits-train.svm --part 1/2 -o part-1.tlu",
                 "tlu train data/digits-train.svm --part 2/2 -o part-2.tlu",
                 "tlu mix part-1.tlu part-2.tlu -o mixed.tlu",
                 "tlu mix part-1.tlu part-2.tlu -o mixed.tlu --weights updates"},
    .run = run,
};
