// tlu explain: why each row got its label.
#include "cli.h"
#include "reading.h"

static const tlu_option_info options[] = {
    FLAG_OPTION("json", "print one JSON object per line"),
    COUNT_OPTION("top", "N", "5", 1, 1e6, "how many of the strongest features of a row to show"),
    COUNT_OPTION("rows", "N", "", 0, COUNT_MAX, "explain the first N rows alone; without it, all"),
    FLAG_OPTION("quiet", "print no notes"),
};

struct explanation {
    uint64_t row; // from 1
    size_t guess;
    uint32_t label;           // a class, TLU_NO_LABEL or TLU_UNKNOWN_LABEL
    double score;             // of the guess
    double probability;       // likewise, if the model has probabilities
    size_t count;             // of pushes
    tlu_contribution *pushes; // [count], the strongest first
};

static void print_json(const tlu_model *model, struct feature_name *name,
                       const struct explanation *explanation)
{
    struct json json = {.file = stdout};
    bool known = explanation->label < tlu_model_class_count(model);
    json_object(&json, NULL);
    json_count(&json, "row", explanation->row);
    json_text(&json, "predicted", tlu_model_class_label(model, explanation->guess));
    json_text(&json, "label", known ? tlu_model_class_label(model, explanation->label) : NULL);
    json_number(&json, "score", explanation->score);
    if (tlu_model_has_probabilities(model))
        json_number(&json, "probability", explanation->probability);
    json_array(&json, "pushes");
    for (size_t i = 0; i < explanation->count; i++) {
        const tlu_contribution *push = &explanation->pushes[i];
        json_object(&json, NULL);
        json_text(&json, "feature", name_of(name, model, push->feature));
        json_float(&json, "value", push->value);
        json_number(&json, "push", push->amount);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
}

static void print_text(const tlu_model *model, struct feature_name *name,
                       const struct explanation *explanation)
{
    printf("row %llu: %s", ULL(explanation->row),
           text_clip(tlu_model_class_label(model, explanation->guess), 40));
    if (explanation->label == TLU_UNKNOWN_LABEL)
        printf(" (truth: a label that the model does not know)");
    else if (explanation->label == explanation->guess)
        printf(" (right)");
    else if (explanation->label != TLU_NO_LABEL)
        printf(" (wrong, the label is %s)",
               text_clip(tlu_model_class_label(model, explanation->label), 40));
    printf(", score %.6g", explanation->score);
    if (tlu_model_has_probabilities(model))
        printf(", probability %.6g", explanation->probability);
    fputc('\n', stdout);
    for (size_t i = 0; i < explanation->count; i++) {
        const tlu_contribution *push = &explanation->pushes[i];
        printf("  %+12.6g  %s", push->amount, text_clip(name_of(name, model, push->feature), 60));
        if (push->feature != TLU_NONE)
            printf(" = %.6g", push->value);
        fputc('\n', stdout);
    }
}

// With two classes there is one score, that of the positive class; the other class has its
// negative.
static double score_of(const tlu_model *model, size_t class_index, const double *scores)
{
    size_t positive = tlu_model_positive_class(model);
    if (positive == TLU_NONE)
        return scores[class_index];
    return class_index == positive ? scores[0] : -scores[0];
}

static tlu_status explain_all(const struct arguments *arguments, const struct session *session,
                              tlu_error *error)
{
    const tlu_model *model = session->model;
    bool json = arguments_flag(arguments, "json"), limited = arguments_text(arguments, "rows");
    uint64_t left = arguments_count(arguments, "rows");
    size_t top = (size_t)arguments_count(arguments, "top");
    size_t wide = tlu_model_score_count(model);
    double *probabilities = need(calloc(tlu_model_class_count(model), sizeof *probabilities));
    struct explanation explanation = {.pushes = need(calloc(top, sizeof *explanation.pushes))};
    struct output output = {.file = stdout};
    struct feature_name name = {0};
    const tlu_batch *batch;
    // The reader refuses rows whose scores are not numbers.
    tlu_status status = tlu_reader_predict(session->reader, 1, NULL, NULL, error);
    while (status == TLU_OK && (!limited || left > 0) &&
           (status = tlu_reader_next(session->reader, &batch, error)) == TLU_OK && batch) {
        const tlu_predictions *guesses = tlu_reader_predictions(session->reader);
        for (size_t i = 0; i < batch->rows && (!limited || left > 0); i++, left--) {
            tlu_row row = tlu_batch_row(batch, i);
            const double *scores = guesses->scores + i * wide;
            explanation.row = batch->first_row + i + 1;
            explanation.guess = guesses->classes[i];
            explanation.label = batch->labels[i];
            explanation.score = score_of(model, explanation.guess, scores);
            if (tlu_model_probabilities(model, scores, probabilities, NULL) == TLU_OK)
                explanation.probability = probabilities[explanation.guess];
            status = tlu_model_explain(model, &row, explanation.guess, explanation.pushes, top,
                                       &explanation.count, error);
            if (status != TLU_OK)
                break;
            (json ? print_json : print_text)(model, &name, &explanation);
        }
        if (status == TLU_OK)
            status = output_flush(&output, error);
    }
    free(probabilities);
    free(explanation.pushes);
    name_free(&name);
    return status;
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    struct session session;
    tlu_status status = session_open(&session, arguments, NULL, NULL, error);
    if (status != TLU_OK)
        return status;
    if (!tlu_model_layers(session.model, NULL, 0))
        status = need_weights(session.model, error);
    if (status == TLU_OK)
        status = explain_all(arguments, &session, error);
    if (status == TLU_OK && !arguments_flag(arguments, "json") &&
        !arguments_flag(arguments, "quiet")) {
        fflush(stdout); // before the notes, if both go to one terminal
        print_reading_notes(stderr, arguments, session.model, tlu_reader_get_stats(session.reader),
                            true);
    }
    session_close(&session);
    return status;
}

const struct verb explain_verb = {
    .name = "explain",
    .summary = "show which features decided about each row",
    .description = "For each row of DATA prints the label that MODEL gives, whether it is right, "
                   "its score (and its probability, if the model has probabilities), and the "
                   "features that contributed most to this score: the weight times the value, "
                   "positive for the label and negative against it. All contributions and the bias "
                   "add up to the score. With one versus one (inspect: scheme ovo), the score is "
                   "the number of pairs of classes that the label won, and a contribution is the "
                   "sum over its pairs. For a model with layers, a contribution is the gradient of "
                   "the score at this row times the value, and (bias) is the rest of the score.",
    .arguments = {{"MODEL", NULL, .help = "a model that tlu train or tlu stream made"},
                  {"DATA", NULL,
                   .help = "rows like those of the training data; - is standard input"},
                  {0}},
    .groups = "reading",
    OPTIONS(options),
    .examples = {"tlu train data/weather.csv -o weather.tlu",
                 "tlu explain weather.tlu data/weather.csv --rows 3",
                 "tlu explain weather.tlu data/weather.csv --top 2 --json"},
    .run = run,
};
