#include "output.h"

#include "text.h"

#include <string.h>

void output_print(FILE *file, const tlu_model *model)
{
    char number[NUMBER_SIZE];
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
    if (tlu_model_has_threshold(model, &threshold, &on_probability))
        fprintf(file, "threshold %s on the %s\n", brief_text(number, threshold),
                on_probability ? "probability" : "score");
}

static void json_curve(struct json *json, const tlu_model *model, size_t class_index)
{
    tlu_calibration_curve curve = {0};
    tlu_model_calibration_curve(model, class_index, &curve, NULL);
    json_object(json, NULL);
    if (tlu_model_positive_class(model) == TLU_NONE)
        json_text(json, "class", tlu_model_class_label(model, class_index));
    if (curve.knots) {
        json_array(json, "scores");
        for (size_t i = 0; i < curve.knots; i++)
            json_number(json, NULL, curve.scores[i]);
        json_end(json);
        json_array(json, "probabilities");
        for (size_t i = 0; i < curve.knots; i++)
            json_number(json, NULL, curve.probabilities[i]);
        json_end(json);
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
        json_number(json, "threshold", threshold);
        json_text(json, "threshold_on", on_probability ? "probability" : "score");
    }
}
