#include "plot/curves/learners.h"
#include "base/memory.h"
#include "base/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// "perceptron:decide=last" is "perceptron (last)". NULL: out of memory.
static char *words_of(struct plot *plot, const char *name)
{
    static const char *const decisions[] = {"last", "average", "vote"};
    size_t size = strlen(name) + 1;
    char *words = plot_new(plot, size, 1),
         *decision = words ? strstr(strcpy(words, name), ":decide=") : NULL;
    for (size_t i = 0; decision && i < sizeof decisions / sizeof decisions[0]; i++)
        if (strcmp(decision + strlen(":decide="), decisions[i]) == 0)
            snprintf(decision, size - (size_t)(decision - words), " (%s)", decisions[i]);
    return words;
}

static tlu_status add(struct plot *plot, const char *spec, size_t length,
                      struct curve_learner all[CURVES_MAX], size_t *count, tlu_error *error)
{
    if (*count == CURVES_MAX)
        return error_input(error, "a picture has at most %d curves; name fewer learners",
                           CURVES_MAX);
    struct curve_learner *learner = &all[(*count)++];
    learner->name = plot_new(plot, length + 1, 1);
    learner->options = options_copy(plot->options);
    TRY(enough_memory(learner->name && learner->options, error));
    memcpy(learner->name, spec, length);
    learner->words = words_of(plot, learner->name);
    TRY(enough_memory(learner->words, error));
    if (strcmp(learner->name, tlu_option_at(OPTION_LEARNER)->value) == 0)
        return TLU_OK; // auto: the data decides
    return tlu_options_set_learner(learner->options, learner->name, error);
}

tlu_status curve_learners(struct plot *plot, const char *list, const char *usual,
                          struct curve_learner all[CURVES_MAX], size_t *count, tlu_error *error)
{
    const char *item;
    size_t length;
    *count = 0;
    if (!(list && *list) && options_is_set(plot->options, OPTION_LEARNER)) {
        const char *learner = options_text(plot->options, OPTION_LEARNER);
        return add(plot, learner, strlen(learner), all, count, error);
    }
    if (!(list && *list))
        list = usual;
    while ((item = options_next_item(&list, &length)) != NULL)
        TRY(add(plot, item, length, all, count, error));
    return *count ? TLU_OK
                  : error_input(error, "the list of learners is empty; name one, such as arow");
}

void curve_widen(double *low, double *high, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i]))
            continue;
        *low = fmin(*low, values[i]);
        *high = fmax(*high, values[i]);
    }
}

struct axis curve_accuracy_axis(double low, double high)
{
    double margin = fmax(0.05 * (high - low), 0.01);
    low -= margin;
    return (struct axis){.low = low,
                         .high = fmin(high + margin, 1 + 0.04 * (1 - low)),
                         .percent = true,
                         .label = "accuracy"};
}

tlu_status curve_check_trained(const tlu_model *model, tlu_error *error)
{
    return strcmp(tlu_model_report(model)->stopped, "interrupted") == 0
               ? error_interrupted(error, "the training was interrupted")
               : TLU_OK;
}
