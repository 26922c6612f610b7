// tlu explain: why each row got its label.
#include "cli.h"
#include "reading.h"
#include "report.h"

static const tlu_option_info options[] = {
    FLAG_OPTION("json", "print one JSON object per line"),
    COUNT_OPTION("top", "N", "5", 1, 1e6, "how many of the strongest features of a row to show"),
    COUNT_OPTION("rows", "N", "", 0, COUNT_MAX, "explain the first N rows; without it, all"),
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

// ---- several labels per row: each that is predicted

struct label_explainer {
    const struct arguments *arguments;
    const struct session *session;
    size_t top;
    tlu_contribution *contributions; // [top]
    uint32_t *classes, *labels;      // [class_count] predicted, [label_capacity] true
    size_t label_capacity;
    double *probabilities; // [class_count]
};

static void print_set(const tlu_model *model, const uint32_t *classes, size_t count)
{
    if (count == 0)
        printf("none");
    for (size_t i = 0; i < count; i++)
        printf("%s%s", i ? tlu_model_label_separator(model) : "",
               classes[i] == TLU_UNKNOWN_LABEL
                   ? "?"
                   : text_clip(tlu_model_class_label(model, classes[i]), 40));
}

static void json_set(struct json *json, const char *key, const tlu_model *model,
                     const uint32_t *classes, size_t count)
{
    json_array(json, key);
    for (size_t i = 0; i < count; i++)
        json_text(json, NULL,
                  classes[i] == TLU_UNKNOWN_LABEL ? NULL
                                                  : tlu_model_class_label(model, classes[i]));
    json_end(json);
}

static tlu_status print_label(const struct label_explainer *e, struct json *json,
                              const tlu_row *row, uint32_t label, const double *scores,
                              tlu_error *error)
{
    const tlu_model *model = e->session->model;
    const char *text = tlu_model_class_label(model, label);
    size_t count;
    bool chances = tlu_model_probabilities(model, scores, e->probabilities, NULL) == TLU_OK;
    TRY(tlu_model_explain(model, row, label, e->contributions, e->top, &count, error));
    if (!json) {
        printf(" %s, score %.6g", text_clip(text, 40), scores[label]);
        if (chances)
            printf(", probability %.6g", e->probabilities[label]);
        fputc('\n', stdout);
        print_contributions(model, e->contributions, count);
        return TLU_OK;
    }
    json_object(json, NULL);
    json_text(json, "label", text);
    json_number(json, "score", scores[label]);
    if (chances)
        json_number(json, "probability", e->probabilities[label]);
    json_contributions(json, model, e->contributions, count);
    json_end(json);
    return TLU_OK;
}

// The labels of the row, in e->labels.
static size_t true_labels(struct label_explainer *e, size_t row)
{
    size_t count = tlu_reader_labels(e->session->reader, row, e->labels, e->label_capacity);
    if (count > e->label_capacity) {
        e->labels = need(realloc(e->labels, count * sizeof *e->labels));
        e->label_capacity = count;
        tlu_reader_labels(e->session->reader, row, e->labels, count);
    }
    return count;
}

static tlu_status explain_labels(struct label_explainer *e, size_t i, uint64_t number,
                                 const tlu_row *row, const double *scores, tlu_error *error)
{
    const tlu_model *model = e->session->model;
    size_t count = tlu_model_labels(model, scores, e->classes, tlu_model_class_count(model));
    size_t labels = true_labels(e, i);
    bool labelled = labels != 1 || e->labels[0] != TLU_NO_LABEL;
    bool right = labels == count &&
                 (count == 0 || memcmp(e->labels, e->classes, count * sizeof *e->classes) == 0);
    struct json json = {.file = stdout};
    if (e->arguments->json) {
        json = json_open(stdout);
        json_count(&json, "row", number);
        json_set(&json, "predicted", model, e->classes, count);
        if (labelled)
            json_set(&json, "labels", model, e->labels, labels);
        json_array(&json, "explained");
    } else {
        printf("row %llu: ", ULL(number));
        print_set(model, e->classes, count);
        printf("%s", !labelled ? "" : right ? " (right)" : " (wrong, the labels are ");
        if (labelled && !right) {
            print_set(model, e->labels, labels);
            fputc(')', stdout);
        }
        fputc('\n', stdout);
    }
    for (size_t k = 0; k < count; k++)
        TRY(print_label(e, e->arguments->json ? &json : NULL, row, e->classes[k], scores, error));
    if (e->arguments->json) {
        json_end(&json);
        json_end(&json);
    }
    return TLU_OK;
}

static void close_explainer(struct label_explainer *e)
{
    free(e->classes);
    free(e->labels);
}

// ----

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
    CLEANUP(close_explainer)
    struct label_explainer labels = {
        .arguments = arguments,
        .session = session,
        .top = top,
        .contributions = contributions,
        .classes = need(calloc(tlu_model_class_count(model), sizeof(uint32_t))),
        .probabilities = probabilities};
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
            if (tlu_model_is_multilabel(model)) {
                TRY(explain_labels(&labels, i, explanation.row, &row, scores, error));
                continue;
            }
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
    .summary = "show which features decided the label of each row",
    .description = "For each row of DATA prints the label that MODEL gives, whether it is right, "
                   "its score (and its probability, if the model has probabilities), and the "
                   "features that contributed most to this score: the weight times the value, "
                   "positive for the label and negative against it. All contributions and the bias "
                   "add up to the score. With one versus one (inspect: scheme ovo), the score is "
                   "the number of pairs of classes that the label won, and a contribution is the "
                   "sum over its pairs. For a model with layers, a contribution is the gradient of "
                   "the score at this row times the value, and (bias) is the rest of the score. A "
                   "model of --multilabel explains each label that it gives to the row.",
    .arguments = {MODEL_ARGUMENT, ROWS_ARGUMENT},
    .groups = "reading",
    .common = "top rows json",
    OPTIONS(options),
    .examples = {"tlu train data/weather.csv -o weather.tlu",
                 "tlu explain weather.tlu data/weather.csv --rows 3",
                 "tlu explain weather.tlu data/weather.csv --top 2 --json"},
    .run = run,
};
