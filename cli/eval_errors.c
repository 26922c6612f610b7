// tlu eval --errors: what the model is most confidently wrong about, and why.
#include "eval.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PUSHES 5        // of a row
#define TEXT_COLUMNS 96 // of its text, on a terminal

// ---- JSON

static void json_pushes(struct json *json, const tlu_model *model, struct name *name,
                        const tlu_wrong_row *wrong)
{
    tlu_contribution pushes[PUSHES];
    size_t count;
    tlu_model_explain(model, &wrong->example, wrong->predicted, pushes, PUSHES, &count, NULL);
    json_array(json, "pushes");
    for (size_t i = 0; i < count; i++) {
        json_object(json, NULL);
        json_text(json, "feature", name_of(name, model, pushes[i].feature));
        json_float(json, "value", pushes[i].value);
        json_number(json, "push", pushes[i].amount);
        json_end(json);
    }
    json_end(json);
}

static void json_values(struct json *json, const tlu_model *model, struct name *name,
                        const tlu_row *row)
{
    json_object(json, "values");
    for (size_t i = 0; i < row->count; i++)
        json_float(json, name_of(name, model, row->features[i]), (double)row->values[i]);
    json_end(json);
}

void json_wrong_rows(struct json *json, const tlu_model *model, const tlu_evaluation *evaluation)
{
    struct name name = {0};
    json_array(json, "wrong");
    for (size_t i = 0; i < evaluation->wrong_count; i++) {
        const tlu_wrong_row *wrong = &evaluation->wrong[i];
        json_object(json, NULL);
        json_count(json, "row", wrong->row);
        json_count(json, "line", wrong->line);
        json_text(json, "label", tlu_model_class_label(model, wrong->label));
        json_text(json, "predicted", tlu_model_class_label(model, wrong->predicted));
        json_number(json, "score", wrong->score);
        json_number(json, "margin", wrong->margin);
        json_number(json, "probability", wrong->probability);
        json_text(json, "text", wrong->text);
        json_values(json, model, &name, &wrong->example);
        json_pushes(json, model, &name, wrong);
        json_end(json);
    }
    json_end(json);
    name_free(&name);
}

// ---- text

// The row as it is written; of binary data its features and values.
static void print_row(const tlu_model *model, struct name *name, const tlu_wrong_row *wrong)
{
    char shown[4 * TEXT_COLUMNS + 16], value[NUMBER_SIZE], *text = NULL;
    size_t size;
    FILE *file = need(open_memstream(&text, &size));
    if (wrong->text)
        fwrite(wrong->text, 1, wrong->text_size, file);
    for (size_t i = 0; !wrong->text && i < wrong->example.count && i < TEXT_COLUMNS; i++)
        fprintf(file, "%s%s:%s", i ? " " : "", name_of(name, model, wrong->example.features[i]),
                float_text(value, (double)wrong->example.values[i]));
    if (fclose(file) != 0)
        need(NULL);
    for (char *at = text; *at; at++)
        if (*at == '\t' || *at == '\n')
            *at = ' ';
    printf("  %s\n", text_show(shown, sizeof shown, text, TEXT_COLUMNS));
    free(text);
}

static void print_wrong(const tlu_model *model, struct name *name, const tlu_wrong_row *wrong)
{
    char guess[256], label[256], shown[256];
    tlu_contribution pushes[PUSHES];
    size_t count;
    tlu_model_explain(model, &wrong->example, wrong->predicted, pushes, PUSHES, &count, NULL);
    text_show(guess, sizeof guess, tlu_model_class_label(model, wrong->predicted), 40);
    text_show(label, sizeof label, tlu_model_class_label(model, wrong->label), 40);
    printf("\nline %llu: %s (wrong, the label is %s), score %.6g", (unsigned long long)wrong->line,
           guess, label, wrong->score);
    if (wrong->margin != wrong->score)
        printf(", margin %.6g", wrong->margin);
    if (isfinite(wrong->probability))
        printf(", probability %.4f", wrong->probability);
    fputc('\n', stdout);
    print_row(model, name, wrong);
    for (size_t i = 0; i < count; i++) {
        printf("  %+12.6g  %s", pushes[i].amount,
               text_show(shown, sizeof shown, name_of(name, model, pushes[i].feature), 60));
        if (pushes[i].feature != TLU_NONE)
            printf(" = %.6g", pushes[i].value);
        fputc('\n', stdout);
    }
}

void print_wrong_rows(const tlu_model *model, const tlu_evaluation *evaluation)
{
    struct name name = {0};
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < evaluation->examples; i++)
        wrong += !evaluation->is_correct[i];
    if (wrong == 0)
        printf("\nerrors    none\n");
    else
        printf("\nerrors    the %llu of %llu that the model is most sure of\n",
               (unsigned long long)evaluation->wrong_count, (unsigned long long)wrong);
    for (size_t i = 0; i < evaluation->wrong_count; i++)
        print_wrong(model, &name, &evaluation->wrong[i]);
    name_free(&name);
}

// ---- curves

static void write_label(FILE *file, const char *label)
{
    bool quoted = strpbrk(label, ",\"\r\n") || label[0] == ' ';
    if (quoted)
        fputc('"', file);
    for (; *label; label++)
        fprintf(file, *label == '"' ? "\"\"" : "%c", *label);
    if (quoted)
        fputc('"', file);
}

static tlu_status write_curve(FILE *file, const char *kind, const tlu_model *model,
                              const tlu_evaluation *evaluation, size_t class_index,
                              tlu_error *error)
{
    tlu_curve *curve;
    char threshold[NUMBER_SIZE], x[NUMBER_SIZE], y[NUMBER_SIZE];
    tlu_status status = tlu_evaluation_curve(evaluation, kind, class_index, &curve, error);
    for (size_t i = 0; status == TLU_OK && i < curve->count; i++) {
        const tlu_curve_point *point = &curve->points[i];
        if (evaluation->classes > 2) {
            write_label(file, tlu_model_class_label(model, class_index));
            fputc(',', file);
        }
        fprintf(file, "%s,%s,%s\n", number_text(threshold, point->threshold),
                number_text(x, point->x), number_text(y, point->y));
    }
    tlu_curve_free(curve);
    return status;
}

tlu_status write_curves(const char *kind, const char *path, const tlu_model *model,
                        const tlu_evaluation *evaluation, tlu_error *error)
{
    struct output output;
    size_t positive = tlu_model_positive_class(model);
    size_t first = positive == TLU_NONE ? 0 : positive;
    size_t last = positive == TLU_NONE ? evaluation->classes : positive + 1;
    tlu_status status = output_open(&output, path, error);
    if (status != TLU_OK)
        return status;
    fprintf(output.file, "%sthreshold,%s\n", evaluation->classes > 2 ? "class," : "",
            strcmp(kind, "roc") == 0 ? "fpr,tpr" : "precision,recall");
    for (size_t c = first; status == TLU_OK && c < last; c++)
        status = write_curve(output.file, kind, model, evaluation, c, error);
    return output_close(&output, status, error);
}
