#include "plot/run/separator.h"
#include "base/memory.h"
#include "base/options.h"
#include "tlu_proof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct extended { // the rows z
    uint64_t *offsets;
    uint32_t *features, *labels;
    float *values;
};

static void extended_free(struct extended *rows)
{
    memory_free(rows->offsets);
    memory_free(rows->features);
    memory_free(rows->labels);
    memory_free(rows->values);
}

static bool extended_new(struct extended *rows, size_t count, size_t entries)
{
    rows->offsets = memory_new(count + 1, sizeof *rows->offsets);
    rows->features = memory_new(entries + 1, sizeof *rows->features);
    rows->labels = memory_new(count, sizeof *rows->labels);
    rows->values = memory_new(entries + 1, sizeof *rows->values);
    return rows->offsets && rows->features && rows->labels && rows->values;
}

// Label 1 is the positive class. Returns max |z|.
static double extend(struct extended *rows, const struct training_trace *trace,
                     const struct trace_rows *examples)
{
    bool bias = !options_flag(trace->options, OPTION_NO_BIAS);
    size_t entry = 0, positive = tlu_model_positive_class(trace->model);
    double longest = 0;
    for (size_t i = 0; i < examples->count; i++) {
        double square = bias ? 1 : 0;
        for (uint64_t k = examples->offsets[i]; k < examples->offsets[i + 1]; k++, entry++) {
            rows->features[entry] = examples->features[k];
            rows->values[entry] = examples->values[k];
            square += (double)examples->values[k] * (double)examples->values[k];
        }
        if (bias) {
            rows->features[entry] = (uint32_t)trace->features;
            rows->values[entry++] = 1;
        }
        rows->offsets[i + 1] = entry;
        rows->labels[i] = examples->classes[i] == positive;
        longest = fmax(longest, square);
    }
    return sqrt(longest);
}

static void take_answer(struct separator *separator, const tlu_separability *answer, size_t size)
{
    double sign = answer->positive && strcmp(answer->positive, "0") == 0 ? -1 : 1;
    separator->margin = answer->margin_low;
    separator->best = answer->margin_high <= answer->margin_low * (1 + 1e-9);
    separator->bound = pow(separator->radius / separator->margin, 2);
    for (size_t i = 0; i < answer->weight_count; i++) {
        const tlu_plane_weight *weight = &answer->weights[i];
        size_t feature = weight->feature ? strtoul(weight->feature, NULL, 10) : size;
        if (feature < size)
            separator->u[feature] = sign * weight->weight;
    }
}

static tlu_status ask(struct separator *separator, const struct extended *extended, size_t count,
                      size_t size, double seconds, tlu_error *error)
{
    const tlu_rows rows = {.size = sizeof rows,
                           .rows = count,
                           .offsets = extended->offsets,
                           .features = extended->features,
                           .values = extended->values,
                           .labels = extended->labels};
    tlu_separability_settings settings = {
        .size = sizeof settings, .rows = &rows, .seconds = seconds};
    tlu_options *options = options_copy(NULL);
    tlu_separability *answer = NULL;
    tlu_status status = enough_memory(options != NULL, error);
    if (status == TLU_OK)
        status = tlu_options_set(options, "no-bias", "yes", error); // it is among the features
    if (status == TLU_OK)
        status = tlu_separability_decide(&settings, options, &answer, error);
    if (status == TLU_OK) {
        separator->verdict = answer->verdict;
        if (answer->verdict == TLU_SEPARABLE && !(answer->margin_low > 0))
            separator->verdict = TLU_NOT_DECIDED; // the time was over before there was a margin
        if (separator->verdict == TLU_SEPARABLE)
            take_answer(separator, answer, size);
    }
    tlu_separability_free(answer);
    tlu_options_free(options);
    return status;
}

tlu_status separator_find(struct separator *separator, const struct training_trace *trace,
                          const struct trace_rows *examples, double seconds, tlu_error *error)
{
    struct extended rows;
    size_t count = examples->count, size = trace->features + 1;
    *separator = (struct separator){.u = memory_new(size, sizeof *separator->u)};
    bool made = extended_new(&rows, count, (size_t)examples->offsets[count] + count);
    tlu_status status = enough_memory(separator->u && made, error);
    if (status == TLU_OK) {
        separator->radius = extend(&rows, trace, examples);
        status = ask(separator, &rows, count, size, seconds, error);
    }
    extended_free(&rows);
    return status;
}

void separator_free(struct separator *separator)
{
    memory_free(separator->u);
}
