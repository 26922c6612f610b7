// What train and inspect print about a model: how training went, and how scores become output.
#include "report.h"
#include "text.h"

#include <math.h>
#include <string.h>

void print_learner(FILE *file, int width, const char *learner, const char *reason)
{
    if (reason)
        fprintf(file, "%-*s %s, %s (--learner auto)\n", width, "learner", learner, reason);
}

const char *label_column_text(const char *column, const char *reason)
{
    const char *why = "";
    if (reason && strcmp(reason, "name") == 0)
        why = " (by its name)";
    if (reason && strcmp(reason, "last") == 0)
        why = ", the last one (--label COLUMN chooses another)";
    return format_text("label column %s%s", text_clip(column, 60), why);
}

void print_label_column(FILE *file, const char *column, const char *reason)
{
    if (column)
        fprintf(file, "; %s", label_column_text(column, reason));
}

void json_label_column(struct json *json, const char *column, const char *reason)
{
    json_text(json, "label", column);
    json_text(json, "label_reason", column ? reason : NULL);
}

void print_facts(FILE *file, const tlu_data_facts *facts)
{
    for (size_t i = 0; i < facts->notices; i++)
        fprintf(file, "note: %s\n", facts->notice[i]);
}

void json_facts(struct json *json, const tlu_data_facts *facts)
{
    json_array(json, "notices");
    for (size_t i = 0; i < facts->notices; i++)
        json_text(json, NULL, facts->notice[i]);
    json_end(json);
}

const char *stopped_text(const char *stopped)
{
    static const char *const reasons[][2] = {
        {"converged", "the last made no mistake"},
        {"epochs", "the limit of --epochs"},
        {"patience", "no improvement on the held-out rows"},
        {"cycle", "the weights repeat: training would never end"},
        {"solved", "solved for all rows at once"},
        {NULL},
    };
    return text_of_pair(reasons, stopped, stopped);
}

bool is_solved(const tlu_report *report)
{
    return strcmp(report->stopped, "solved") == 0;
}

const char *training_text(const tlu_report *report)
{
    const char *counted = "";
    if (is_solved(report))
        return stopped_text(report->stopped);
    if (report->counted_epochs > report->epochs)
        counted = format_text("; %llu passes are counted", ULL(report->counted_epochs));
    return format_text("%s (%s%s)", count_text(report->epochs, "pass"),
                       stopped_text(report->stopped), counted);
}

static void print_error(FILE *file, const tlu_report *report)
{
    if (report->progressive_error < 0)
        return;
    fprintf(file, "error     first pass: %s, %s\n", percent_text(report->progressive_error, 1),
            report->sorted_by_class ? "not an estimate for new rows: the file is sorted by class"
                                    : "each row predicted before training on it");
    if (report->training_error >= 0)
        fprintf(file, "          last pass: %s, wrong while learning, on rows seen before\n",
                percent_text(report->training_error, 1));
}

void report_errors(FILE *file, const tlu_model *model)
{
    const tlu_report *report = tlu_model_report(model);
    bool vote = strcmp(tlu_model_decision(model), "vote") == 0;
    print_error(file, report);
    if (report->bound >= 0 && report->bound < 1) // a bound of 100% tells nothing
        fprintf(file, "bound     %s expected error at most, estimated as %s from k mistakes\n",
                percent_text(report->bound, 1), vote ? "2k/(m+1)" : "k/(m+1)");
    if (report->margin > 0)
        fprintf(file, "margin    %s, the distance of the nearest row\n",
                number_text(report->margin));
    if (report->soft_margin > 0)
        fprintf(file, "margin    1/|w| = %s; --C allows rows inside it or on the wrong side\n",
                number_text(report->soft_margin));
    if (report->objective > 0)
        fprintf(file, "objective %s, relative duality gap %.1e\n", number_text(report->objective),
                report->gap > 0 ? report->gap : 0);
    if (report->supports)
        fprintf(file, "supports  %s kept in the model\n",
                count_text(report->supports, "training row"));
}

// -1 is null.
static void json_error(struct json *json, const char *key, double value)
{
    json_number(json, key, value < 0 ? NAN : value);
}

void json_classes(struct json *json, const tlu_model *model)
{
    json_array(json, "classes");
    for (size_t i = 0; i < tlu_model_class_count(model); i++)
        json_text(json, NULL, tlu_model_class_label(model, i));
    json_end(json);
}

void report_passes_json(struct json *json, const tlu_report *report)
{
    json_count(json, "epochs", report->epochs);
    json_count(json, "counted_epochs", report->counted_epochs);
    json_counts(json, "mistakes", report->mistakes, (size_t)report->epochs);
    JSON_MEMBERS(json, report, updates, converged, stopped);
}

void report_errors_json(struct json *json, const tlu_report *report)
{
    json_count(json, "cycle", report->cycle);
    json_error(json, "progressive_error", report->progressive_error);
    json_bool(json, "sorted_by_class", report->sorted_by_class);
    json_error(json, "training_error", report->training_error);
    json_error(json, "bound", report->bound);
    JSON_MEMBERS(json, report, margin, soft_margin, objective, gap, supports);
}

static bool is_other_metric(const tlu_report *report)
{
    return strcmp(report->held_out_metric, "accuracy") != 0;
}

void report_held_out(FILE *file, const tlu_report *report)
{
    if (!report->held_out_accuracy || report->best_epoch == 0)
        return;
    double best = report->held_out_accuracy[report->best_epoch - 1];
    fprintf(file, "held out  %s on %s after pass %llu, the pass of the model\n",
            is_other_metric(report) ? format_text("%.40s %.6g", report->held_out_metric, best)
                                    : format_text("accuracy %s", percent_text(best, 1)),
            count_text(report->held_out, "row"), ULL(report->best_epoch));
}

bool report_held_out_json(struct json *json, const tlu_report *report)
{
    bool other = is_other_metric(report);
    if (other)
        json_text(json, "held_out_metric", report->held_out_metric);
    json_numbers(json, other ? "held_out_values" : "held_out_accuracy", report->held_out_accuracy,
                 (size_t)report->epochs);
    return other;
}

// ---- probabilities and thresholds

void output_print(FILE *file, const tlu_model *model)
{
    double threshold;
    int on_probability;
    const char *kind = tlu_model_calibration(model);
    tlu_calibration_curve curve = {0};
    if (kind)
        tlu_model_calibration_curve(model, 0, &curve, NULL);
    bool several = tlu_model_positive_class(model) == TLU_NONE;
    if (kind && strcmp(kind, "temperature") == 0)
        fprintf(file, "scores    calibrated by a temperature of %.6g\n", 1 / curve.slope);
    else if (kind && several)
        fprintf(file, "scores    calibrated by %s, class by class\n", kind);
    else if (kind && curve.knots)
        fprintf(file, "scores    calibrated by a curve of %zu knots\n", curve.knots);
    else if (kind)
        fprintf(file, "scores    calibrated by a sigmoid: slope %.6g, offset %.6g\n", curve.slope,
                curve.offset);
    if (!tlu_model_has_threshold(model, &threshold, &on_probability))
        return;
    const char *on = on_probability ? "probability" : "score";
    if (!tlu_model_is_multilabel(model)) {
        fprintf(file, "threshold %s on the %s\n", brief_text(threshold), on);
        return;
    }
    size_t labels = tlu_model_class_count(model), most = labels > 12 ? 10 : labels;
    fprintf(file, "threshold of each label, on the %s:", on);
    for (size_t i = 0; i < most; i++)
        fprintf(file, "%s %s %s", i ? "," : "", text_clip(tlu_model_class_label(model, i), 24),
                brief_text(tlu_model_label_threshold(model, i)));
    if (most < labels)
        fprintf(file, " and %zu more", labels - most);
    fputc('\n', file);
}

static void json_curve(struct json *json, const tlu_model *model, size_t class_index)
{
    tlu_calibration_curve curve = {0};
    tlu_model_calibration_curve(model, class_index, &curve, NULL);
    json_object(json, NULL);
    if (tlu_model_positive_class(model) == TLU_NONE)
        json_text(json, "class", tlu_model_class_label(model, class_index));
    if (curve.knots) {
        json_numbers(json, "scores", curve.scores, curve.knots);
        json_numbers(json, "probabilities", curve.probabilities, curve.knots);
    } else {
        json_number(json, "slope", curve.slope);
        json_number(json, "offset", curve.offset);
    }
    json_end(json);
}

void output_json(struct json *json, const tlu_model *model)
{
    double threshold;
    int on_probability;
    bool several = tlu_model_positive_class(model) == TLU_NONE;
    if (tlu_model_calibration(model)) {
        json_text(json, "calibration", tlu_model_calibration(model));
        json_array(json, "curves");
        for (size_t i = 0; i < (several ? tlu_model_class_count(model) : 1); i++)
            json_curve(json, model, i);
        json_end(json);
    }
    if (tlu_model_has_threshold(model, &threshold, &on_probability)) {
        if (!tlu_model_is_multilabel(model)) {
            json_number(json, "threshold", threshold);
        } else {
            json_object(json, "thresholds");
            for (size_t i = 0; i < tlu_model_class_count(model); i++)
                json_number(json, tlu_model_class_label(model, i),
                            tlu_model_label_threshold(model, i));
            json_end(json);
        }
        json_text(json, "threshold_on", on_probability ? "probability" : "score");
    }
}

// ---- classes and features

void shown_classes(const tlu_model *model, size_t *first, size_t *end)
{
    size_t positive = tlu_model_positive_class(model);
    *first = positive == TLU_NONE ? 0 : positive;
    *end = positive == TLU_NONE ? tlu_model_class_count(model) : positive + 1;
}

double class_score(const tlu_model *model, size_t class_index, const double *scores)
{
    size_t positive = tlu_model_positive_class(model);
    if (positive == TLU_NONE)
        return scores[class_index];
    return class_index == positive ? scores[0] : -scores[0];
}

void print_contributions(const tlu_model *model, const tlu_contribution *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        printf("  %+12.6g  %s", list[i].amount, text_clip(name_of(model, list[i].feature), 60));
        if (list[i].feature != TLU_NONE)
            printf(" = %.6g", list[i].value);
        fputc('\n', stdout);
    }
}

void json_contributions(struct json *json, const tlu_model *model, const tlu_contribution *list,
                        size_t count)
{
    json_array(json, "pushes");
    for (size_t i = 0; i < count; i++) {
        json_object(json, NULL);
        json_text(json, "feature", name_of(model, list[i].feature));
        json_float(json, "value", list[i].value);
        json_number(json, "push", list[i].amount);
        json_end(json);
    }
    json_end(json);
}
