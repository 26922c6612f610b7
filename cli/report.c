#include "report.h"
#include "text.h"

#include <math.h>
#include <string.h>

// Both are of weights in motion, but only the first pass meets rows that they did not learn from.
static void print_error(FILE *file, const tlu_report *report)
{
    char number[NUMBER_SIZE];
    if (report->progressive_error < 0)
        return;
    percent_text(number, report->progressive_error, 1);
    if (report->sorted_by_class)
        fprintf(file,
                "error     %s in the first pass, no estimate for new rows: the file is sorted by "
                "class\n",
                number);
    else
        fprintf(file, "error     %s progressive: %seach row before it was learned from\n", number,
                report->epochs > 1 ? "the first pass, " : "");
    if (report->training_error >= 0)
        fprintf(file, "          %s training: the last pass, rows learned from before\n",
                percent_text(number, report->training_error, 1));
}

// From 100% on it says nothing.
static void print_bound(FILE *file, const tlu_model *model)
{
    double bound = tlu_model_report(model)->bound;
    char number[NUMBER_SIZE];
    if (bound >= 0 && bound < 1)
        fprintf(file,
                "bound     %s on the expected error, estimated: %s with the k mistakes seen in "
                "place of those expected\n",
                percent_text(number, bound, 1),
                strcmp(tlu_model_decision(model), "vote") == 0 ? "2k/(m+1)" : "k/(m+1)");
}

void report_errors(FILE *file, const tlu_model *model)
{
    const tlu_report *report = tlu_model_report(model);
    char number[NUMBER_SIZE], count[64];
    print_error(file, report);
    print_bound(file, model);
    if (report->margin > 0)
        fprintf(file, "margin    %s, the distance of the nearest row\n",
                number_text(number, report->margin));
    if (report->soft_margin > 0)
        fprintf(file, "margin    1/|w| = %s; --C lets rows be nearer, or on the wrong side\n",
                number_text(number, report->soft_margin));
    if (report->supports)
        fprintf(file, "supports  %s kept\n", count_text(count, report->supports, "example"));
}

// -1 is null.
static void json_error(struct json *json, const char *key, double value)
{
    json_number(json, key, value < 0 ? NAN : value);
}

void report_errors_json(struct json *json, const tlu_report *report)
{
    json_count(json, "cycle", report->cycle);
    json_error(json, "progressive_error", report->progressive_error);
    json_bool(json, "sorted_by_class", report->sorted_by_class);
    json_error(json, "training_error", report->training_error);
    json_error(json, "bound", report->bound);
    json_number(json, "margin", report->margin);
    json_number(json, "soft_margin", report->soft_margin);
    json_count(json, "supports", report->supports);
}

static bool is_other_metric(const tlu_report *report)
{
    return strcmp(report->held_out_metric, "accuracy") != 0;
}

const char *report_held_out(char text[HELD_OUT_SIZE], const tlu_report *report)
{
    double best = report->held_out_accuracy[report->best_epoch - 1];
    char percent[NUMBER_SIZE];
    if (is_other_metric(report))
        snprintf(text, HELD_OUT_SIZE, "%.40s %.6g", report->held_out_metric, best);
    else
        snprintf(text, HELD_OUT_SIZE, "accuracy %s", percent_text(percent, best, 1));
    return text;
}

bool report_held_out_json(struct json *json, const tlu_report *report)
{
    bool other = is_other_metric(report);
    if (other)
        json_text(json, "held_out_metric", report->held_out_metric);
    json_array(json, other ? "held_out_values" : "held_out_accuracy");
    for (uint64_t i = 0; i < report->epochs; i++)
        json_number(json, NULL, report->held_out_accuracy[i]);
    json_end(json);
    return other;
}
