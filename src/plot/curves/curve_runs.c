#include "plot/curves/curve_runs.h"

#include "base/memory.h"
#include "base/options.h"
#include "tlu_plot.h"

#include <string.h>

#define PASSES 10    // unless --epochs says how many
#define HELD_OUT 0.2 // unless --holdout does
#define PUPILS_MAX 64

// The same run with other decisions, which shows what averaging is for, and a learner that needs
// few passes.
static const char choice[] = "perceptron:decide=last,perceptron:decide=average,arow";
// With options that arow may not know, such as a kernel.
static const char safe_choice[] = "perceptron:decide=last,perceptron:decide=average";

// "perceptron:decide=last" is "perceptron (last)". NULL: out of memory.
static char *words_of(const char *name)
{
    static const char *const endings[][2] = {{":decide=last", " (last)"},
                                             {":decide=average", " (average)"},
                                             {":decide=vote", " (vote)"}};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t ending = strlen(endings[i][0]), more = strlen(endings[i][1]);
        if (length < ending || strcmp(name + length - ending, endings[i][0]) != 0)
            continue;
        char *words = memory_new(length - ending + more + 1, 1);
        if (!words)
            return NULL;
        memcpy(words, name, length - ending);
        memcpy(words + length - ending, endings[i][1], more);
        return words;
    }
    return memory_copy_text(name, length);
}

// Without what the picture does itself.
static tlu_status common_options(const tlu_options *given, tlu_options **options, tlu_error *error)
{
    static const enum option own[] = {OPTION_HOLDOUT, OPTION_PATIENCE, OPTION_METRIC, OPTION_COSTS,
                                      OPTION_WEIGHTED};
    *options = options_copy(given);
    TRY(enough_memory(*options, error));
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        TRY(tlu_options_clear(*options, tlu_option_at(own[i])->name, error));
    return TLU_OK;
}

static tlu_status add(struct curve_runs *runs, const tlu_options *common, const char *spec,
                      size_t length, tlu_error *error)
{
    if (runs->count == PUPILS_MAX)
        return error_input(error, "a picture has at most %d curves", PUPILS_MAX);
    TRY(enough_memory(
        memory_reserve(&runs->all, &runs->capacity, runs->count + 1, sizeof *runs->all), error));
    struct curve_run *run = &runs->all[runs->count++];
    *run =
        (struct curve_run){.name = memory_copy_text(spec, length), .options = options_copy(common)};
    run->words = run->name ? words_of(run->name) : NULL;
    TRY(enough_memory(run->words && run->options, error));
    TRY(tlu_options_set_learner(run->options, run->name, error));
    run->passes = options_is_set(run->options, OPTION_EPOCHS)
                      ? options_count(run->options, OPTION_EPOCHS)
                      : PASSES;
    runs->passes = run->passes > runs->passes ? run->passes : runs->passes;
    return TLU_OK;
}

static tlu_status list(struct curve_runs *runs, const char *asked, const tlu_options *common,
                       tlu_error *error)
{
    const char *item;
    size_t length;
    if (!(asked && *asked) && options_is_set(common, OPTION_LEARNER)) {
        const char *learner = options_text(common, OPTION_LEARNER);
        return add(runs, common, learner, strlen(learner), error);
    }
    if (!(asked && *asked))
        asked = options_is_set(common, OPTION_KERNEL) ? safe_choice : choice;
    while ((item = options_next_item(&asked, &length)) != NULL)
        TRY(add(runs, common, item, length, error));
    return runs->count ? TLU_OK : error_input(error, "there is no learner to draw a curve of");
}

// What the first has to say about the data, the others say again.
static tlu_status learn_all(struct curve_runs *runs, struct curve_data *data, tlu_error *error)
{
    for (size_t i = 0; i < runs->count; i++) {
        TRY(curve_run_train(&runs->all[i], data, error));
        data->picture = NULL;
    }
    return TLU_OK;
}

tlu_status curve_runs_train(struct curve_runs *runs, const struct plot *plot, tlu_error *error)
{
    const tlu_plot_settings *settings = plot->settings;
    struct curve_data data = {.path = settings->path,
                              .progress = settings->progress,
                              .progress_context = settings->progress_context,
                              .picture = plot->picture};
    bool set = plot->options && options_is_set(plot->options, OPTION_HOLDOUT);
    tlu_options *common = NULL;
    tlu_status status = common_options(plot->options, &common, error);
    if (status == TLU_OK)
        status = list(runs, settings->learners, common, error);
    if (status == TLU_OK)
        status = curve_data_open(
            &data, set ? options_number(plot->options, OPTION_HOLDOUT) : HELD_OUT, error);
    if (status == TLU_OK)
        status = learn_all(runs, &data, error);
    curve_data_close(&data);
    tlu_options_free(common);
    return status;
}

void curve_runs_free(struct curve_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        curve_run_free(&runs->all[i]);
    memory_free(runs->all);
}
