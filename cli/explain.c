// tlu explain: why each row got its label.
#include "cli.h"
#include "reading.h"
#include "report.h"

static const tlu_option_info options[] = {
    FLAG_OPTION("json", "print one JSON object per line"),
    COUNT_OPTION("top", "N", "5", 1, 1e6, "how many of the strongest features of a row to show"),
    COUNT_OPTION("rows", "N", "", 0, COUNT_MAX, "explain the first N rows alone; without it, all"),
    FLAG_OPTION("quiet", "print no notes"),
};

struct explanation {
    uint64_t row; // from 1
    size_t predicted;
    uint32_t label;                  // a class, TLU_NO_LABEL or TLU_UNKNOWN_LABEL
    double score;                    // of the predicted class
    double probability;              // likewise, if the model has probabilities
    size_t count;                    // of contributions
    tlu_contribution *contributions; // [count], the strongest first
};

static void print_json(const tlu_model *model, const struct explanation *explanation)
{
    struct json json = json_open(stdout);
    bool known = explanation->label < tlu_model_class_count(model);
    json_count(&json, "row", explanation->row);
    json_text(&json, "predicted", tlu_model_class_label(model, explanation->predicted));
    json_text(&json, "label", known ? tlu_model_class_label(model, explanation->label) : NULL);
    json_number(&json, "score", explanation->score);
    if (tlu_model_has_probabilities(model))
        json_number(&json, "probability", explanation->probability);
    json_contributions(&json, model, explanation->contributions, explanation->count);
    json_end(&json);
}

static void print_text(const tlu_model *model, const struct explanation *explanation)
{
    printf("row %llu: %s", ULL(explanation->row),
           text_clip(tlu_model_class_label(model, explanation->predicted), 40));
    if (explanation->label == TLU_UNKNOWN_LABEL)
        printf(" (truth: a label that the model does not know)");
    else if (explanation->label == explanation->predicted)
        printf(" (right)");
    else if (explanation->label != TLU_NO_LABEL)
        printf(" (wrong, the label is %s)",
               text_clip(tlu_model_class_label(model, explanation->label), 40));
    printf(", score %.6g", explanation->score);
    if (tlu_model_has_probabilities(model))
        printf(", probability %.6g", explanation->probability);
    fputc('\n', stdout);
    print_contributions(model, explanation->contributions, explanation->count);
}

OWNED_TYPE(tlu_contribution, free)

static tlu_status explain_all(const struct arguments *arguments, const struct session *session,
                              tlu_error *error)
{
    const tlu_model *model = session->model;
    bool limited = arguments_text(arguments, "rows");
    uint64_t left = limited ? arguments_count(arguments, "rows") : UINT64_MAX;
    size_t top = (size_t)arguments_count(arguments, "top");
    OWNED(double) probabilities = need(calloc(tlu_model_class_count(model), sizeof(double)));
    OWNED(tlu_contribution) contributions = need(calloc(top, sizeof *contributions));
    struct explanation explanation = {.contributions = contributions};
    const tlu_batch *batch;
    // The reader refuses rows whose scores are not numbers.
    TRY(tlu_reader_predict(session->reader, 1, NULL, NULL, error));
    while (left > 0) {
        TRY(session_next(session, &batch, error));
        if (!batch)
            break;
        const tlu_predictions *predictions = tlu_reader_predictions(session->reader);
        for (size_t i = 0; i < batch->rows && left > 0; i++, left--) {
            tlu_row row = tlu_batch_row(batch, i);
            const double *scores = predictions->scores + i * tlu_model_score_count(model);
            explanation.row = batch->first_row + i + 1;
            explanation.predicted = predictions->classes[i];
            explanation.label = batch->labels[i];
            explanation.score = class_score(model, explanation.predicted, scores);
            if (tlu_model_probabilities(model, scores, probabilities, NULL) == TLU_OK)
                explanation.probability = probabilities[explanation.predicted];
            TRY(tlu_model_explain(model, &row, explanation.predicted, contributions, top,
                                  &explanation.count, error));
            (arguments->json ? print_json : print_text)(model, &explanation);
        }
    }
    return TLU_OK;
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    CLEANUP(session_close) struct session session = {0};
    TRY(session_open(&session, arguments, NULL, NULL, error));
    if (!tlu_model_layers(session.model, NULL, 0))
        TRY(need_weights(session.model, error));
    TRY(explain_all(arguments, &session, error));
    if (!arguments->json)
        reading_notes(NULL, arguments, session.model, tlu_reader_get_stats(session.reader), true);
    return TLU_OK;
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
    .arguments = {MODEL_ARGUMENT, ROWS_ARGUMENT},
    .groups = "reading",
    OPTIONS(options),
    .examples = {"tlu train data/weather.csv -o weather.tlu",
                 "tlu explain weather.tlu data/weather.csv --rows 3",
                 "tlu explain weather.tlu data/weather.csv --top 2 --json"},
    .run = run,
};
