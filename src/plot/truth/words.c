// Title and caption of a picture of the truth.
#include "plot/text.h"
#include "plot/truth/internal.h"

#include <stdio.h>
#include <string.h>

static const char *share(char out[TICK_SIZE], double value)
{
    return axis_number(out, &(struct axis){.percent = true}, value, 0.001);
}

static const char *count(char out[TICK_SIZE], size_t value)
{
    return axis_number(out, &(struct axis){.whole = true}, (double)value, 1);
}

void write_title(const struct outcome *outcome, char title[CAPTION_SIZE])
{
    char rows[TICK_SIZE];
    snprintf(title, CAPTION_SIZE, "What %s points teach (%s)",
             count(rows, outcome->trial->sample.learned), outcome->trial->truth.recipe.kind);
}

static void add_learning(const struct outcome *outcome, char caption[CAPTION_SIZE])
{
    const tlu_model *model = outcome->trial->model;
    const tlu_report *report = tlu_model_report(model);
    const char *kernel = tlu_options_get(tlu_model_options(model), "kernel");
    char passes[TICK_SIZE], wrong[TICK_SIZE], rows[TICK_SIZE];
    bool dual = kernel && *kernel && strcmp(kernel, "none") != 0;
    text_add(caption, CAPTION_SIZE, "Learner: %s%s%s", tlu_model_learner(model),
             dual ? " with the kernel " : "", dual ? kernel : "");
    if (report->converged)
        text_add(caption, CAPTION_SIZE, ", without a mistake in pass %s",
                 count(passes, (size_t)report->epochs));
    else
        text_add(caption, CAPTION_SIZE, ", wrong about %s of the %s points",
                 outcome->trial->mistakes ? count(wrong, outcome->trial->mistakes) : "none",
                 count(rows, outcome->trial->sample.learned));
    text_add(caption, CAPTION_SIZE, ". ");
}

static void add_seeds(const struct accuracies *seeds, char caption[CAPTION_SIZE])
{
    char number[TICK_SIZE], mean[TICK_SIZE], deviation[TICK_SIZE], least[TICK_SIZE],
        most[TICK_SIZE];
    if (seeds->count < 2)
        return;
    text_add(caption, CAPTION_SIZE,
             " Over %s seeds the mean accuracy is %s (standard deviation %s), from %s to %s; the "
             "picture "
             "is that of the first.",
             count(number, seeds->count), share(mean, seeds->mean),
             share(deviation, seeds->deviation), share(least, seeds->least),
             share(most, seeds->most));
}

void write_caption(const struct outcome *outcome, char caption[CAPTION_SIZE])
{
    const struct trial *trial = outcome->trial;
    char right[TICK_SIZE], fresh[TICK_SIZE], wrong[TICK_SIZE], best[TICK_SIZE];
    caption[0] = '\0';
    text_add(caption, CAPTION_SIZE, "True: %s. ", trial->truth.kind->words);
    add_learning(outcome, caption);
    text_add(caption, CAPTION_SIZE, "Right about %s of %s fresh points",
             share(right, trial->accuracy), count(fresh, FRESH));
    if (trial->best < 1)
        text_add(caption, CAPTION_SIZE, " (the truth itself about %s)", share(best, trial->best));
    text_add(caption, CAPTION_SIZE, ", wrong in %s of the dotted box.",
             share(wrong, outcome->wrong));
    if (outcome->only)
        text_add(caption, CAPTION_SIZE,
                 " All of the box is called %s: what was learned has its border outside.",
                 outcome->only);
    add_seeds(outcome->seeds, caption);
    if (outcome->drawn < trial->sample.learned)
        text_add(caption, CAPTION_SIZE, " The first %s points are drawn.",
                 count(fresh, outcome->drawn));
}
