// The report of a training, as train and inspect print it.
#ifndef TLU_CLI_REPORT_H
#define TLU_CLI_REPORT_H

#include "json.h"
#include "tlu.h"

// The lines "error", "bound", "margin" and "supports", as far as there is something to say.
void report_errors(FILE *file, const tlu_model *model);
// Why training ended, for people; `stopped` of tlu_report.
const char *stopped_text(const char *stopped);
// "10 passes (the limit of --epochs)", "solved for all rows at once".
const char *training_text(const tlu_report *report);
// Whether a batch learner made the model: passes and mistakes say nothing about it.
bool is_solved(const tlu_report *report);

// The line "learner", if --learner auto chose it: "learner   hinge, for texts"; `width` of the
// label.
void print_learner(FILE *file, int width, const char *learner, const char *reason);

// What was assumed about a table. "; label column Survived (by its name)"; nothing without a
// column.
void print_label_column(FILE *file, const char *column, const char *reason);
// The same without "; ", of a column that is not NULL.
const char *label_column_text(const char *column, const char *reason);
// "label" and "label_reason"; nothing without a column.
void json_label_column(struct json *json, const char *column, const char *reason);
// The notices, each as a note; as "notices".
void print_facts(FILE *file, const tlu_data_facts *facts);
void json_facts(struct json *json, const tlu_data_facts *facts);

// The labels of the classes, as "classes".
void json_classes(struct json *json, const tlu_model *model);
// From "epochs" to "stopped".
void report_passes_json(struct json *json, const tlu_report *report);
// From "cycle" to "supports".
void report_errors_json(struct json *json, const tlu_report *report);

// The line "held out": how good the best pass was on the held-out rows, and that this is
// optimistic.
void report_held_out(FILE *file, const tlu_report *report);
// The values of all passes, and if it is not accuracy, which is then true, the name of the metric.
bool report_held_out_json(struct json *json, const tlu_report *report);

// The classes whose weights and curves are shown, *first to *end - 1: of two the positive one
// alone.
void shown_classes(const tlu_model *model, size_t *first, size_t *end);
// The score of a class. Two classes have one score, that of the positive class; the other class has
// its negative.
double class_score(const tlu_model *model, size_t class_index, const double *scores);
// Features that contributed to a score, as "pushes" in JSON.
void print_contributions(const tlu_model *model, const tlu_contribution *list, size_t count);
void json_contributions(struct json *json, const tlu_model *model, const tlu_contribution *list,
                        size_t count);

// The lines "scores" and "threshold": calibration and a threshold other than the usual one.
void output_print(FILE *file, const tlu_model *model);
void output_json(struct json *json, const tlu_model *model);

#endif
