// REPT, ORIG, CALB, THRS: the report of the training, and how scores become answers.
#include "base/memory.h"
#include "model/file/sections.h"

#include <string.h>

// How rows were held out: none, each row by itself (earlier versions), or a share of each class
// (train/holdout.c).
enum { HELD_NONE, HELD_BY_ROW, HELD_BY_CLASS };

void put_report(struct packer *out, const tlu_model *model)
{
    const tlu_report *report = &model->report;
    put_count(out, report->examples);
    put_count(out, report->held_out);
    put_count(out, report->nonzeros);
    put_count(out, report->features);
    put_count(out, report->updates);
    put_count(out, report->skipped);
    put_fixed(out, report->converged != 0, 1);
    put_text(out, report->stopped);
    put_text(out, report->data);
    put_text(out, report->format);
    put_count(out, report->best_epoch);
    put_count(out, report->epochs);
    for (uint64_t i = 0; i < report->epochs; i++)
        put_count(out, report->mistakes[i]);
    put_fixed(out,
              !report->held_out_accuracy      ? HELD_NONE
              : model->recorded.held_by_class ? HELD_BY_CLASS
                                              : HELD_BY_ROW,
              1);
    if (report->held_out_accuracy)
        put_numbers(out, report->held_out_accuracy, (size_t)report->epochs);
    put_count(out, report->cycle);
    put_numbers(out, model->recorded.figures, 3);
}

static const char *stopped_name(size_t i)
{
    return model_stopped_name((enum stopped)i);
}

static const char *format_name(size_t i)
{
    static const char *const others[] = {"tsv", "stream", NULL};
    return i < DATA_FORMATS ? format_table[i].name : others[i - DATA_FORMATS];
}

// "", or one of the names: name(0), name(1), ... up to the first NULL.
static const char *get_name(struct unpack *in, const char *(*name)(size_t i))
{
    size_t length;
    const char *text = unpack_text(in, &length);
    if (length == 0)
        return "";
    for (size_t i = 0; name(i); i++)
        if (strlen(name(i)) == length && memcmp(name(i), text, length) == 0)
            return name(i);
    unpack_damaged(in, "a name is not one of those known");
    return "";
}

static void get_passes(struct unpack *in)
{
    tlu_model *model = in->model;
    tlu_report *report = &model->report;
    report->best_epoch = unpack_count(in);
    size_t epochs = (size_t)unpack_length(in, 1, "passes");
    if (report->best_epoch > epochs)
        unpack_damaged(in, "the best pass is past the last one");
    model->recorded.mistakes = unpack_checked(in, memory_new(epochs, sizeof *report->mistakes));
    for (size_t i = 0; i < epochs && !unpack_failed(in); i++)
        model->recorded.mistakes[i] = unpack_count(in);
    unsigned held_out = unpack_choice(in, HELD_BY_CLASS, "how rows were held out");
    model->recorded.held_by_class = held_out == HELD_BY_CLASS;
    if (held_out != HELD_NONE)
        model->recorded.accuracy = unpack_new_numbers(in, epochs);
    report->epochs = epochs;
    report->mistakes = model->recorded.mistakes;
    report->held_out_accuracy = model->recorded.accuracy;
}

void unpack_report(struct unpack *in)
{
    tlu_model *model = in->model;
    tlu_report *report = &model->report;
    report->examples = unpack_count(in);
    report->held_out = unpack_count(in);
    report->nonzeros = unpack_count(in);
    report->features = unpack_count(in);
    report->updates = unpack_count(in);
    report->skipped = unpack_count(in);
    report->converged = (int)unpack_choice(in, 1, "a flag");
    report->stopped = get_name(in, stopped_name);
    report->data = model->recorded.data = unpack_copy_text(in);
    report->format = get_name(in, format_name);
    report->classes = schema_classes(&model->state.schema);
    report->supports = model->supports.count;
    get_passes(in);
    report->cycle = unpack_count(in);
    unpack_numbers(in, model->recorded.figures, 3);
}

// ---- ORIG ----

void put_origin(struct packer *out, const tlu_model *model)
{
    if (model->recorded.origin != ORIGIN_RUN)
        put_fixed(out, model->recorded.origin, 1);
}

void unpack_origin(struct unpack *in)
{
    in->model->recorded.origin = unpack_choice(in, ORIGIN_COUNT - 1, "how the model was made");
    if (in->model->recorded.origin == ORIGIN_RUN)
        unpack_damaged(in, "it should not be there");
}

// ---- CALB ----

void put_calibration(struct packer *out, const tlu_model *model)
{
    const struct calibration *calibration = &model->state.output.calibration;
    uint32_t curves = calibration->curves;
    if (!model_is_calibrated(model))
        return;
    put_fixed(out, (uint64_t)calibration->kind, 1);
    if (calibration->kind != CALIBRATE_ISOTONIC)
        put_numbers(out, calibration->slope, curves);
    if (calibration->kind == CALIBRATE_SIGMOID)
        put_numbers(out, calibration->offset, curves);
    if (calibration->kind != CALIBRATE_ISOTONIC)
        return;
    for (uint32_t k = 0; k < curves; k++)
        put_count(out, calibration->ends[k] - (k ? calibration->ends[k - 1] : 0));
    put_numbers(out, calibration->x, calibration->ends[curves - 1]);
    put_numbers(out, calibration->y, calibration->ends[curves - 1]);
}

// Scores of a curve rise, probabilities do not fall.
static bool is_curve(const double *x, const double *y, size_t count)
{
    if (!(y[0] >= 0 && y[count - 1] <= 1))
        return false;
    for (size_t i = 1; i < count; i++)
        if (!(x[i - 1] < x[i] && y[i - 1] <= y[i]))
            return false;
    return true;
}

static void unpack_curves(struct unpack *in, struct calibration *calibration)
{
    uint64_t knots = 0;
    for (uint32_t k = 0; k < calibration->curves && !unpack_failed(in); k++) {
        uint64_t count = unpack_count(in);
        if (count == 0 || count > unpack_left(in) * 4 || knots + count > unpack_left(in) * 4)
            unpack_damaged(in, "a curve has %llu knots", (unsigned long long)count);
        knots += count;
        calibration->ends[k] = (size_t)knots;
    }
    if (unpack_failed(in) || !unpack_numbers_fit(in, knots))
        return;
    memory_free(calibration->x);
    memory_free(calibration->y);
    calibration->x = unpack_new_numbers(in, (size_t)knots);
    calibration->y = unpack_new_numbers(in, (size_t)knots);
    for (uint32_t k = 0; k < calibration->curves && !unpack_failed(in); k++) {
        size_t start = k ? calibration->ends[k - 1] : 0;
        if (!is_curve(calibration->x + start, calibration->y + start, calibration->ends[k] - start))
            unpack_damaged(in, "the curve of a class falls");
    }
}

void unpack_calibration(struct unpack *in)
{
    struct calibration *calibration = &in->model->state.output.calibration;
    uint32_t classes = schema_classes(&in->model->state.schema);
    bool labels = in->model->state.schema.multilabel;
    int kind = (int)unpack_choice(in, CALIBRATE_TEMPERATURE, "the kind of calibration");
    if (kind == CALIBRATE_NONE || (kind == CALIBRATE_TEMPERATURE && labels))
        unpack_damaged(in, "the kind of calibration is %d", kind);
    if (unpack_failed(in) || !unpack_numbers_fit(in, calibration_curves(kind, classes, labels)))
        return;
    if (!calibration_new(calibration, kind, classes, labels, 0)) {
        unpack_checked(in, NULL);
        return;
    }
    if (kind == CALIBRATE_ISOTONIC)
        unpack_curves(in, calibration);
    else
        unpack_numbers(in, calibration->slope, calibration->curves);
    if (kind == CALIBRATE_SIGMOID && unpack_numbers_fit(in, calibration->curves))
        unpack_numbers(in, calibration->offset, calibration->curves);
    if (kind == CALIBRATE_TEMPERATURE && !(calibration->slope[0] >= 0))
        unpack_damaged(in, "a temperature is below 0");
}

// ---- THRS ----

void put_threshold(struct packer *out, const tlu_model *model)
{
    const struct threshold *threshold = &model->state.output.threshold;
    const struct label_thresholds *labels = &model->state.output.labels;
    if (labels->at) {
        put_fixed(out, labels->on, 1);
        put_numbers(out, labels->at, labels->count);
        return;
    }
    if (threshold->on == THRESHOLD_NONE)
        return;
    put_fixed(out, threshold->on, 1);
    put_double(out, threshold->at);
}

void unpack_threshold(struct unpack *in)
{
    struct threshold *threshold = &in->model->state.output.threshold;
    struct label_thresholds *labels = &in->model->state.output.labels;
    enum scheme_kind scheme = in->model->state.scheme.kind;
    enum threshold_on on = unpack_choice(in, THRESHOLD_PROBABILITY, "the kind of threshold");
    if (scheme == SCHEME_MULTILABEL) {
        labels->at = unpack_new_numbers(in, in->model->state.scheme.classes);
        labels->count = labels->at ? in->model->state.scheme.classes : 0;
        labels->on = on;
    } else {
        threshold->at = unpack_number(in, CODE_DOUBLE);
        threshold->on = on;
    }
    if (unpack_failed(in))
        return;
    if (on == THRESHOLD_NONE || (scheme != SCHEME_TWO && scheme != SCHEME_MULTILABEL))
        unpack_damaged(in, "it should not be there");
    else if (on == THRESHOLD_PROBABILITY && !model_has_probabilities(in->model))
        unpack_damaged(in, "it is one of probabilities, which the model does not have");
}
