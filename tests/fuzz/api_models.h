// Public calls about options, models, learners and metrics, with any arguments.
#ifndef TLU_TESTS_FUZZ_API_MODELS_H
#define TLU_TESTS_FUZZ_API_MODELS_H

#include "arguments.h"
#include "tlu_proof.h"

#define MODELS 3

struct models {
    tlu_options *options;
    tlu_model *of[MODELS];
    tlu_learner *learner;
};

// An error has a sentence; nothing else has.
static inline bool is_fine(tlu_status status, const tlu_error *error)
{
    expect(status == TLU_OK || status == TLU_ERROR_INPUT || status == TLU_ERROR_SYSTEM ||
           status == TLU_INTERRUPTED);
    expect(status == TLU_OK || (error->status == status && error->text[0]));
    return status == TLU_OK;
}

static inline const char *a_data_text(struct input *in)
{
    if (peek_one_in(in, 16))
        return "a,b 1:1 2:1\n 2:2 3:1\nb 1:2\na,c 2:1\n";
    if (one_in(in, 50)) // slow, as names are
        return A_TEXT(in, "a | w:2 q\nb | r\n", "__label__a hello you\n__label__b bye\n");
    return A_TEXT(in, "a 1:1 2:1\nb 2:2 3:1\na 1:2\nb 2:1\n", "a 0:1\nb 1:2 5:1\nc 2:1\na\nb 1:1\n",
                  "x,y,label\n1,2,a\n3,red,b\n2,4,a\n0,1,b\n", "0 1:1 1:2\n1 2:nan\n");
}

// ---- options ----

static inline tlu_options *quick_options(void)
{
    tlu_options *options;
    tlu_options_new(&options, NULL);
    expect(options != NULL);
    expect(tlu_options_set(options, "threads", "1", NULL) == TLU_OK);
    expect(tlu_options_set(options, "epochs", "2", NULL) == TLU_OK);
    return options;
}

static inline void call_options(struct input *in, struct models *models)
{
    static const char *const settings[][2] = {
        {"learner", "perceptron"},
        {"learner", "arow"},
        {"learner", "pa2"},
        {"learner", "alma"},
        {"learner", "mlp"},
        {"learner", "logistic"},
        {"learner", "rocchio"},
        {"learner", "scw1"},
        {"learner", "max-margin"},
        {"learner", "hinge"},
        {"decide", "vote"},
        {"decide", "random"},
        {"decide", "last"},
        {"decide", "best"},
        {"multiclass", "ovr"},
        {"multiclass", "ovo"},
        {"multiclass", "wta"},
        {"kernel", "poly:2"},
        {"kernel", "rbf:0.5"},
        {"kernel", "linear"},
        {"kernel", ""},
        {"scale", "standard"},
        {"scale", "maxabs"},
        {"scale", "online"},
        {"scale", "auto"},
        {"calibrate", "sigmoid"},
        {"calibrate", "isotonic"},
        {"calibrate", "none"},
        {"hidden", "3"},
        {"hidden", "2,2"},
        {"hash", "10"},
        {"binarize", "yes"},
        {"skip-bad", "yes"},
        {"epochs", "1"},
        {"holdout", "0.3"},
        {"positive", "a"},
        {"positive", "1"},
        {"max-features", "2"},
        {"no-bias", "yes"},
        {"rate", "0.5"},
        {"margin", "1"},
        {"class-weight", "balanced"},
        {"metric", "all"},
        {"weighted", "yes"},
        {"id", "line"},
        {"format", "csv"},
        {"missing", "indicator"},
        {"shuffle", "all"},
    };
    tlu_error error = {0};
    char text[16];
    size_t choice = below(in, sizeof settings / sizeof settings[0]);
    switch (below(in, 12)) {
    case 0:
        is_fine(tlu_options_set(models->options, a_name(in), a_name(in), &error), &error);
        break;
    case 1:
        if (strcmp(settings[choice][0], "epochs") != 0)
            is_fine(tlu_options_clear(models->options, settings[choice][0], &error), &error);
        break;
    case 2:
        is_fine(tlu_options_set_learner(
                    models->options,
                    A_TEXT(in, "arow:r=0.1:epochs=2", "mlp:hidden=2", "perceptron", "pa1:C=2"),
                    &error),
                &error);
        break;
    case 3:
        tlu_options_default(models->options, settings[choice][0], text, below(in, 17));
        tlu_options_no_effect(models->options, settings[choice][0], text, below(in, 17));
        tlu_conflict_at(an_index(in), text, below(in, 17));
        tlu_option_at(an_index(in));
        tlu_learner_at(an_index(in));
        tlu_metric_at(an_index(in));
        tlu_options_get(models->options, a_name(in));
        break;
    case 4:
        tlu_options_free(models->options);
        models->options = quick_options();
        if (peek_one_in(in, 2))
            tlu_options_set(models->options, "multilabel", "yes", NULL);
        break;
    default:
        if (strcmp(settings[choice][1], "mlp") == 0) // whose layer has many units of itself
            tlu_options_set(models->options, "hidden", "3", NULL);
        is_fine(tlu_options_set(models->options, settings[choice][0], settings[choice][1], &error),
                &error);
    }
}

// ---- making models ----

static inline tlu_model **a_slot(struct input *in, struct models *models)
{
    return &models->of[below(in, MODELS)];
}

static inline void keep_model(tlu_model **slot, tlu_model *model)
{
    tlu_model_free(*slot);
    *slot = model;
}

static inline int stop_sometimes(void *context, const tlu_progress *progress)
{
    (void)progress;
    return --*(int *)context < 0;
}

static inline void call_train(struct input *in, struct models *models)
{
    int left = (int)below(in, 200), file = -1;
    tlu_rows rows = some_rows(in);
    tlu_train_settings settings = {.size = sizeof settings, .rows = &rows};
    tlu_model **slot = a_slot(in, models), *model;
    tlu_error error = {0};
    if (one_in(in, 4)) {
        settings.progress = stop_sometimes;
        settings.progress_context = &left;
    }
    if (one_in(in, 6)) {
        settings.rows = NULL;
        settings.path = a_file(in, a_data_text(in), &file);
    }
    if (one_in(in, 8))
        settings.resume = *slot;
    bool fine = is_fine(tlu_train_with(&settings, models->options, &model, &error), &error);
    expect(fine == (model != NULL));
    if (fine)
        keep_model(slot, model);
    if (file >= 0)
        close(file);
}

static inline int look_at_step(void *context, const tlu_step *step)
{
    struct input *in = context;
    const char *against;
    char name[8];
    tlu_step_feature_name(step, an_index(in), name, below(in, 9));
    tlu_step_column_label(step, an_index(in), one_in(in, 2) ? &against : NULL);
    tlu_step_weight(step, an_index(in), an_index(in));
    tlu_step_bias(step, an_index(in));
    tlu_step_alpha(step, an_index(in), an_index(in));
    tlu_step_rival(step);
    return one_in(in, 100);
}

static inline void call_trace(struct input *in, struct models *models)
{
    tlu_rows rows = some_rows(in);
    tlu_train_settings settings = {.size = sizeof settings, .rows = &rows};
    tlu_model **slot = a_slot(in, models), *model;
    tlu_error error = {0};
    if (is_fine(tlu_trace_with(&settings, models->options, look_at_step, in, &model, &error),
                &error))
        keep_model(slot, model);
}

// What is loaded says the same.
static inline void call_save(struct input *in, struct models *models)
{
    tlu_model **slot = a_slot(in, models), *loaded;
    tlu_error error = {0};
    void *bytes;
    size_t size;
    if (!*slot || !is_fine(tlu_model_save_bytes(*slot, &bytes, &size, &error), &error))
        return;
    if (one_in(in, 4))
        ((unsigned char *)bytes)[below(in, size < 256 ? size : 256)] ^= 1u << below(in, 8);
    if (is_fine(
            tlu_model_load_bytes(bytes, one_in(in, 20) ? below(in, size) : size, &loaded, &error),
            &error))
        keep_model(slot, loaded);
    tlu_bytes_free(bytes);
}

// ---- predicting ----

static inline void call_predict(struct input *in, const tlu_model *model)
{
    size_t wide = tlu_model_score_count(model), classes = tlu_model_class_count(model);
    double *scores = an_array(in, wide, sizeof *scores);
    double *chances = an_array(in, classes, sizeof *chances);
    tlu_row row = a_row(in);
    tlu_error error = {0};
    size_t winner;
    bool predicted = is_fine(
        tlu_model_predict(model, one_in(in, 60) ? NULL : &row, &winner, scores, &error), &error);
    expect(predicted ? winner < classes : winner == TLU_NONE);
    if (!predicted || one_in(in, 3))
        for (size_t c = 0; c < wide; c++)
            scores[c] = a_number(in);
    is_fine(tlu_model_probabilities(model, scores, chances, &error), &error);
    uint32_t *labels = an_array(in, classes / 2, sizeof *labels);
    size_t given = tlu_model_labels(model, scores, labels, classes / 2);
    expect(given <= (tlu_model_is_multilabel(model) ? classes : 0));
    for (size_t i = 0; i < given && i < classes / 2; i++)
        expect(labels[i] < classes);

    size_t capacity = below(in, 12);
    tlu_contribution *pushes = an_array(in, capacity, sizeof *pushes);
    size_t count;
    bool explained = is_fine(
        tlu_model_explain(model, &row, an_index(in), pushes, capacity, &count, &error), &error);
    expect(explained ? count <= capacity : count == 0);
    for (size_t i = 0; i < count; i++)
        expect(pushes[i].feature == TLU_NONE || pushes[i].feature < tlu_model_feature_count(model));
}

// A batch is predicted as its rows are.
static inline void call_batch(struct input *in, const tlu_model *model)
{
    size_t wide = tlu_model_score_count(model), rows = below(in, 40), entries = 3 * rows;
    uint32_t *classes = an_array(in, rows, sizeof *classes);
    double *scores = an_array(in, rows * wide, sizeof *scores);
    double *alone = an_array(in, wide, sizeof *alone);
    tlu_batch batch = {.rows = rows, .offsets = some_offsets(in, rows, entries)};
    if (!one_in(in, 30))
        batch.features = some_features(in, entries, true);
    if (!one_in(in, 3))
        batch.values = some_values(in, entries);
    tlu_error error = {0};
    char *ambiguous = one_in(in, 2) ? an_array(in, rows, 1) : NULL;
    if (!is_fine(tlu_model_predict_batch(model, &batch, classes, scores, ambiguous, &error),
                 &error))
        return;
    for (size_t i = 0; i < rows; i++) {
        tlu_row row = tlu_batch_row(&batch, i);
        size_t class_index;
        expect(tlu_model_predict(model, &row, &class_index, alone, NULL) == TLU_OK);
        expect(class_index == classes[i]);
        expect(memcmp(alone, scores + i * wide, wide * sizeof *alone) == 0);
    }
}

// Mostly numbers as names: others are numbered from 2^20 on, which is slow.
static inline tlu_feature *some_named(struct input *in, size_t count)
{
    static const char *const numbers[] = {"0", "1", "2", "3", "4", "5", "6", "7"};
    tlu_feature *features = an_array(in, count, sizeof *features);
    bool any = one_in(in, 16);
    for (size_t i = 0; i < count; i++)
        features[i] = (tlu_feature){any ? a_name(in) : numbers[below(in, 8)], (double)a_value(in)};
    return features;
}

static inline void call_named(struct input *in, const tlu_model *model)
{
    size_t wide = tlu_model_score_count(model), count = below(in, 8);
    double *scores = an_array(in, wide, sizeof *scores);
    const char *label = NULL;
    tlu_error error = {0};
    size_t winner;
    bool named = is_fine(
        tlu_model_predict_named(model, some_named(in, count), count, &winner, scores, &error),
        &error);
    expect(named ? winner < tlu_model_class_count(model) : winner == TLU_NONE);
    bool fine =
        is_fine(tlu_model_predict_line(model, a_data_text(in), &label, scores, &error), &error);
    expect(!fine || label);
}

static inline void call_knowledge(struct input *in, tlu_model *model)
{
    size_t classes = tlu_model_class_count(model), features = tlu_model_feature_count(model);
    size_t class = an_index(in), feature = an_index(in), size = below(in, 9), count = below(in, 9);
    double *weights = an_array(in, count, sizeof *weights), threshold;
    size_t *sizes = an_array(in, count, sizeof *sizes);
    char *name = one_in(in, 20) ? NULL : an_array(in, size, 1);
    uint64_t pass;
    tlu_error error = {0};
    expect((tlu_model_class_label(model, class) != NULL) == (class < classes));
    tlu_model_class_examples(model, class);
    tlu_model_class_find(model, a_name(in));
    expect(tlu_model_feature_name(model, feature, name, size) > 0 || feature >= features);
    tlu_model_feature_find(model, a_name(in));
    double weight = tlu_model_weight(model, class, feature);
    expect(weight == 0 || (class < classes && feature < features));
    expect(tlu_model_bias(model, class) == 0 || class < classes);
    tlu_model_scaled_weight(model, class, feature);
    tlu_model_weights(model, class, weights, count);
    tlu_model_layers(model, sizes, count);
    size_t supports = tlu_model_support_count(model);
    tlu_support support;
    expect(is_fine(tlu_model_support(model, feature, &support, &error), &error) ==
           (feature < supports));
    tlu_calibration_curve curve;
    if (is_fine(tlu_model_calibration_curve(model, class, &curve, &error), &error))
        for (size_t i = 0; i < curve.knots; i++)
            expect(isfinite(curve.scores[i]) && isfinite(curve.probabilities[i]));
    tlu_model_can_resume(model, &pass, NULL);
    expect(tlu_model_decided_by(model) && tlu_model_scheme(model) && tlu_model_version(model));
    tlu_model *copy;
    tlu_model_label_threshold(model, class);
    if (tlu_model_is_multilabel(model)) {
        double *thresholds = an_array(in, classes, sizeof *thresholds);
        for (size_t c = 0; c < classes; c++)
            thresholds[c] = a_number(in);
        if (is_fine(tlu_model_with_label_thresholds(model, thresholds, &copy, &error), &error))
            tlu_model_free(copy);
    }
    if (one_in(in, 3) &&
        is_fine(tlu_model_with_threshold(model, a_number(in), &copy, &error), &error)) {
        tlu_model_has_threshold(copy, &threshold, NULL);
        tlu_model_free(copy);
    }
}

static inline void call_planes(struct input *in, const tlu_model *model)
{
    tlu_planes *planes;
    tlu_distance distance;
    tlu_error error = {0};
    size_t classes = tlu_model_class_count(model);
    if (!is_fine(tlu_planes_new(model, &planes, &error), &error))
        return;
    for (size_t i = 0; i < 2; i++) {
        tlu_row row = a_row(in);
        if (is_fine(tlu_planes_distance(planes, &row, (uint32_t)an_index(in), &distance, &error),
                    &error))
            expect(distance.predicted < classes && distance.against < classes);
        tlu_planes_distance_between(planes, an_index(in), an_index(in));
    }
    tlu_planes_are_scaled(planes);
    tlu_planes_free(planes);
}

// ---- learners ----

static inline void call_learner(struct input *in, struct models *models)
{
    tlu_error error = {0};
    tlu_model **slot = a_slot(in, models), *model;
    size_t choice = below(in, 10);
    if (choice == 0 || !models->learner) {
        tlu_learner_free(models->learner);
        models->learner = NULL;
        if (choice % 2 && *slot)
            is_fine(tlu_learner_resume(*slot, &models->learner, &error), &error);
        else
            is_fine(tlu_learner_new(models->options, &models->learner, &error), &error);
        return;
    }
    size_t count = below(in, 6);
    tlu_feature *features = one_in(in, 60) ? NULL : some_named(in, count);
    const char *label;
    double score, weight = one_in(in, 20) ? a_number(in) : 1;
    int mistake;
    if (choice < 7) {
        is_fine(tlu_learner_learn(models->learner, features, count, a_name(in), weight, &mistake,
                                  &error),
                &error);
    } else if (choice < 9) {
        is_fine(tlu_learner_predict(models->learner, features, count, &label, &score, &error),
                &error);
    } else if (is_fine(tlu_learner_make_model(models->learner, &model, &error), &error)) {
        keep_model(slot, model);
    }
    expect(tlu_learner_get_stats(models->learner) != NULL);
}

// ---- metrics ----

static inline void call_measure(struct input *in)
{
    size_t rows = below(in, 6), classes = one_in(in, 20) ? an_index(in) : 2 + below(in, 3);
    size_t wide = classes < 8 ? classes : 1; // of too many classes nothing is looked at
    tlu_metric_data answers = {.size = sizeof answers,
                               .rows = rows,
                               .classes = classes,
                               .positive = one_in(in, 20) ? an_index(in) : below(in, 2)};
    uint32_t *labels = an_array(in, rows, sizeof *labels);
    uint32_t *guesses = an_array(in, rows, sizeof *guesses);
    double *numbers = an_array(in, (rows + wide) * wide, sizeof *numbers), value;
    for (size_t i = 0; i < rows; i++) {
        labels[i] = one_in(in, 20) ? (uint32_t)an_index(in) : (uint32_t)below(in, wide);
        guesses[i] = one_in(in, 20) ? (uint32_t)an_index(in) : (uint32_t)below(in, wide);
    }
    for (size_t i = 0; i < (rows + wide) * wide; i++)
        numbers[i] = one_in(in, 9) ? a_number(in) : (double)below(in, 9) / 8;
    if (classes >= 8)
        answers.rows = 0;
    answers.labels = one_in(in, 30) ? NULL : labels;
    answers.predictions = one_in(in, 30) ? NULL : guesses;
    answers.scores = one_in(in, 3) ? NULL : numbers;
    answers.probabilities = one_in(in, 3) ? NULL : numbers;
    answers.weights = one_in(in, 3) ? numbers : NULL;
    answers.costs = one_in(in, 3) ? numbers : NULL;
    size_t count = below(in, 30);
    double *values = an_array(in, count, sizeof *values);
    tlu_error error = {0};
    if (peek_one_in(in, 3)) { // several labels per row: none, one, none, two and so on
        uint64_t *offsets = an_array(in, rows + 1, sizeof *offsets);
        for (size_t i = 0; i <= rows; i++)
            offsets[i] = i < 2 ? 0 : i - (i % 2 == 1);
        answers.label_offsets = offsets;
        answers.prediction_offsets = peek_one_in(in, 64) ? NULL : offsets;
        is_fine(tlu_metric_compute(&answers, "precision-at-2", &value, &error), &error);
    }
    is_fine(
        tlu_metric_compute(&answers,
                           A_TEXT(in, "f1", "roc-auc", "top-3", "log-loss", "cost", "ece", "brier",
                                  "average-precision", "matthews", "top-18446744073709551615"),
                           &value, &error),
        &error);
    is_fine(tlu_metric_compute_all(&answers, values, count, &error), &error);
}

#endif
