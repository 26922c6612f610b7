// The learning curve by number of training rows: for each size, the mean accuracy over the folds of
// a cross-validation, on the rows trained on and on the fold that is left out.
//
//     for each fold:
//         for each size n:
//             train on the first n rows, in a random stratified order, of the other folds
//             measure the accuracy on these n rows and on the fold
//
// As in tlu_cross_validate, nothing of a model depends on the rows of its fold. Larger training
// sets contain the smaller ones, so that curves differ by the added rows alone.
#include "base/call/callback.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/settings.h"
#include "learners/learners.h"
#include "model/make.h"
#include "model/split/split.h"
#include "plot/curves/learners.h"
#include "train/train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define FOLDS 5 // default
#define SIZES_MAX 1000

// The accuracies of one learner, on training rows and on folds.
enum { ON_TRAINING, ON_FOLD, KINDS };

struct size_run {
    struct curve_learner learner;
    double *accuracy[KINDS];  // [size_count][folds]
    double *mean[KINDS];      // [size_count]
    double *deviation[KINDS]; // [size_count] sample standard deviation
};

struct size_runs {
    struct plot *plot;
    struct size_run *all; // [count]
    size_t count;
    size_t folds;
    uint64_t *sizes; // [size_count] ascending
    size_t size_count;
    unsigned char *bytes; // contents of a pipe; else NULL
    struct row_source whole;
};

// ---- sizes

static int by_size(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a, two = *(const uint64_t *)b;
    return one < two ? -1 : one > two;
}

// Turns shares and counts into ascending numbers of rows, at least one row for each class.
static tlu_status take_sizes(struct size_runs *runs, uint64_t rows, size_t classes,
                             tlu_error *error)
{
    static const double usual[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
    const tlu_plot_training_size_settings *settings = runs->plot->settings;
    const double *given = settings->size_count ? settings->sizes : usual;
    size_t count = settings->size_count ? settings->size_count : sizeof usual / sizeof usual[0];
    uint64_t most = rows - (rows + runs->folds - 1) / runs->folds, kept = 0;
    uint64_t least = classes < most ? classes : most;
    if (count > SIZES_MAX)
        return error_input(error, "a learning curve has at most %d sizes; give fewer", SIZES_MAX);
    runs->sizes = plot_new(runs->plot, count, sizeof *runs->sizes);
    TRY(enough_memory(runs->sizes, error));
    for (size_t i = 0; i < count; i++) {
        if (!(given[i] > 0))
            return error_input(error, "a number of training rows is not above 0; give shares up to "
                                      "1 or counts");
        double size = given[i] <= 1 ? given[i] * (double)most : given[i];
        if (size >= (double)most + 1)
            return error_input(error,
                               "there are only %llu training rows in each of %zu folds; give sizes "
                               "up to %llu, or shares up to 1",
                               (unsigned long long)most, runs->folds, (unsigned long long)most);
        runs->sizes[i] = (uint64_t)fmax((double)least, floor(size + 1e-9));
    }
    qsort(runs->sizes, count, sizeof *runs->sizes, by_size);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || runs->sizes[i] != runs->sizes[kept - 1])
            runs->sizes[kept++] = runs->sizes[i];
    runs->size_count = kept;
    return TLU_OK;
}

// ---- one fold

#define IN_SUBSET 0
#define IN_FOLD 1
#define ELSEWHERE 2

struct fold_rows {
    struct size_runs *runs;
    tlu_split *split;
    tlu_options *options; // of the learner, adapted to the split
    uint64_t *order;      // [rows] random and stratified
    uint32_t *part;       // [rows]
};

static tlu_status measure(const struct fold_rows *rows, uint32_t part, const tlu_model *model,
                          double *accuracy, tlu_error *error)
{
    struct row_source source = split_row_source(rows->split, TLU_NONE, false);
    tlu_evaluation *evaluation;
    source.subset = (struct subset){
        .part = rows->part, .rows = tlu_split_row_count(rows->split), .chosen = part};
    TRY(model_evaluate(model, rows->runs->plot->path, &source, NULL, rows->options, &evaluation,
                       error));
    *accuracy = evaluation->accuracy;
    tlu_evaluation_free(evaluation);
    return TLU_OK;
}

// "auto" becomes "auto (alma)", by the model of all training rows of the first fold.
static tlu_status name_choice(struct plot *plot, struct size_run *run, const tlu_model *model,
                              tlu_error *error)
{
    char words[64];
    if (strcmp(run->learner.name, tlu_option_at(OPTION_LEARNER)->value) != 0)
        return TLU_OK;
    int length = snprintf(words, sizeof words, "%s (%s)", run->learner.name,
                          learner_kind_of(model->state.options)->info.name);
    run->learner.words = plot_new(plot, (size_t)length + 1, 1);
    TRY(enough_memory(run->learner.words, error));
    strcpy(run->learner.words, words);
    return TLU_OK;
}

static tlu_status train_size(const struct fold_rows *rows, struct size_run *run, size_t at,
                             bool shown, tlu_error *error)
{
    struct plot *plot = rows->runs->plot;
    struct training training = {
        .rows = {.path = plot->path, .row_source = split_row_source(rows->split, TLU_NONE, false)},
        .reporter = {.progress = plot->progress, .context = plot->progress_context}};
    tlu_model *model = NULL;
    training.rows.row_source.subset = (struct subset){
        .part = rows->part, .rows = tlu_split_row_count(rows->split), .chosen = IN_SUBSET};
    TRY(model_train(&training, rows->options, NULL, &model, error));
    tlu_status status = curve_check_trained(model, error);
    if (status == TLU_OK)
        status = measure(rows, IN_SUBSET, model, &run->accuracy[ON_TRAINING][at], error);
    if (status == TLU_OK)
        status = measure(rows, IN_FOLD, model, &run->accuracy[ON_FOLD][at], error);
    if (status == TLU_OK && shown && run == rows->runs->all)
        picture_note(plot->picture, model);
    if (status == TLU_OK && shown)
        status = name_choice(plot, run, model, error);
    tlu_model_free(model);
    return status;
}

static tlu_status train_fold(struct fold_rows *rows, struct size_run *run, size_t fold,
                             tlu_error *error)
{
    const struct size_runs *runs = rows->runs;
    uint64_t count = tlu_split_row_count(rows->split), next = 0, taken = 0;
    for (uint64_t i = 0; i < count; i++)
        rows->part[i] = tlu_split_row_part(rows->split, i) == fold ? IN_FOLD : ELSEWHERE;
    for (size_t size = 0; size < runs->size_count; size++) {
        for (; taken < runs->sizes[size] && next < count; next++) {
            uint32_t *part = &rows->part[rows->order[next]];
            taken += *part == ELSEWHERE;
            *part = *part == ELSEWHERE ? IN_SUBSET : *part;
        }
        TRY(train_size(rows, run, size * runs->folds + fold,
                       fold == 0 && size + 1 == runs->size_count, error));
    }
    return TLU_OK;
}

// ---- one learner

static void summarize(const struct size_runs *runs, struct size_run *run)
{
    for (size_t kind = 0; kind < KINDS; kind++)
        for (size_t size = 0; size < runs->size_count; size++) {
            const double *values = run->accuracy[kind] + size * runs->folds;
            double sum = 0, squares = 0;
            for (size_t i = 0; i < runs->folds; i++)
                sum += values[i];
            double mean = sum / (double)runs->folds;
            for (size_t i = 0; i < runs->folds; i++)
                squares += (values[i] - mean) * (values[i] - mean);
            run->mean[kind][size] = mean;
            run->deviation[kind][size] = sqrt(squares / (double)(runs->folds - 1));
        }
}

static tlu_status train_folds(struct fold_rows *rows, struct size_run *run, bool first,
                              tlu_error *error)
{
    struct size_runs *runs = rows->runs;
    struct plot *plot = runs->plot;
    rows->options = options_copy(run->learner.options);
    TRY(enough_memory(rows->options, error));
    TRY(split_open_parsed(plot->path, &runs->whole, rows->options, runs->folds, &rows->split,
                          error));
    TRY(split_adapt(rows->split, rows->options, error));
    uint64_t count = tlu_split_row_count(rows->split);
    if (first)
        TRY(take_sizes(runs, count, split_classes(rows->split), error));
    rows->order = plot_new(plot, count, sizeof *rows->order);
    rows->part = plot_new(plot, count, sizeof *rows->part);
    TRY(enough_memory(rows->order && rows->part, error));
    TRY(split_sample_order(rows->split, rows->order, error));
    for (size_t kind = 0; kind < KINDS; kind++) {
        run->accuracy[kind] =
            plot_new(plot, runs->size_count * runs->folds, sizeof *run->accuracy[kind]);
        run->mean[kind] = plot_new(plot, runs->size_count, sizeof *run->mean[kind]);
        run->deviation[kind] = plot_new(plot, runs->size_count, sizeof *run->deviation[kind]);
        TRY(enough_memory(run->accuracy[kind] && run->mean[kind] && run->deviation[kind], error));
    }
    for (size_t fold = 0; fold < runs->folds; fold++)
        TRY(train_fold(rows, run, fold, error));
    summarize(runs, run);
    return TLU_OK;
}

static tlu_status size_run_train(struct size_runs *runs, struct size_run *run, bool first,
                                 tlu_error *error)
{
    struct fold_rows rows = {.runs = runs};
    tlu_status status = train_folds(&rows, run, first, error);
    tlu_options_free(rows.options);
    tlu_split_free(rows.split);
    return status;
}

// ---- drawing

static struct style style_of(const struct size_runs *runs, size_t number, size_t kind)
{
    // One learner: two colours. Several: a colour for each, dashed on training rows.
    bool one = runs->count == 1;
    return line_style(theme_series(runs->plot->theme, one ? KINDS - 1 - kind : number), 2,
                      !one && kind == ON_TRAINING ? 4 : 0);
}

static size_t make_legend(const struct size_runs *runs, struct legend_entry *legend)
{
    const struct theme *theme = runs->plot->theme;
    static const char *const words[] = {"training rows", "validation rows"};
    size_t count = 0;
    for (; count < runs->count && runs->count > 1; count++)
        legend[count] = class_entry(theme, count, runs->all[count].learner.words);
    for (size_t kind = KINDS; kind-- > 0;) {
        struct style style = style_of(runs, 0, kind);
        style.line = runs->count == 1 ? style.line : theme->ink;
        legend[count++] = (struct legend_entry){words[kind], LEGEND_LINE, style, SHAPE_CIRCLE};
    }
    return count;
}

// The mean plus and minus one standard deviation, as a band.
static tlu_status draw_spread(struct chart *chart, const struct size_runs *runs, size_t number,
                              size_t kind, tlu_error *error)
{
    const struct size_run *run = &runs->all[number];
    size_t count = runs->size_count;
    size_t series = runs->count == 1 ? KINDS - 1 - kind : number;
    const struct theme *theme = runs->plot->theme;
    colour own = theme_series(theme, series);
    struct style band = edged_style(own, colour_mix(theme->panel, own, 0.5), 0.8);
    band.transparency = 0.84; // bands overlap
    struct point *at = plot_new(runs->plot, 2 * count, sizeof *at);
    TRY(enough_memory(at, error));
    for (size_t i = 0; i < count; i++) {
        double mean = run->mean[kind][i], away = run->deviation[kind][i];
        at[i] = (struct point){(double)runs->sizes[i], mean - away};
        at[2 * count - 1 - i] = (struct point){(double)runs->sizes[i], mean + away};
    }
    chart_polygon(chart, at, 2 * count, &band);
    return TLU_OK;
}

static tlu_status draw_means(struct chart *chart, const struct size_runs *runs, size_t number,
                             size_t kind, tlu_error *error)
{
    const struct size_run *run = &runs->all[number];
    const struct style line = style_of(runs, number, kind);
    size_t series = runs->count == 1 ? KINDS - 1 - kind : number;
    const struct style dot = class_style(runs->plot->theme, series);
    struct point *at = plot_new(runs->plot, runs->size_count, sizeof *at);
    TRY(enough_memory(at, error));
    for (size_t i = 0; i < runs->size_count; i++)
        at[i] = (struct point){(double)runs->sizes[i], run->mean[kind][i]};
    chart_curve(chart, at, runs->size_count, &line);
    if (!(line.dash > 0))
        chart_dots(chart, at, runs->size_count, class_shape(series), 3.5, &dot);
    return TLU_OK;
}

static struct axis size_accuracy_axis(const struct size_runs *runs)
{
    double low = 1, high = 0;
    for (size_t i = 0; i < runs->count; i++)
        for (size_t kind = 0; kind < KINDS; kind++)
            for (size_t size = 0; size < runs->size_count; size++) {
                double mean = runs->all[i].mean[kind][size];
                double away =
                    kind == ON_FOLD || runs->count == 1 ? runs->all[i].deviation[kind][size] : 0;
                const double ends[] = {mean - away, fmin(1, mean + away)};
                curve_widen(&low, &high, ends, 2);
            }
    return curve_accuracy_axis(low, high);
}

static tlu_status draw_sizes(const struct size_runs *runs, tlu_error *error)
{
    double last = (double)runs->sizes[runs->size_count - 1];
    struct legend_entry legend[CURVES_MAX + KINDS];
    size_t entries = make_legend(runs, legend);
    struct chart chart = {
        .x = {.low = 0, .high = last * 1.02, .label = "training rows", .whole = true},
        .y = size_accuracy_axis(runs),
        .legend = legend,
        .legend_count = entries,
        .legend_last = KINDS};
    TRY(plot_chart(runs->plot, &chart, error));
    for (size_t i = 0; i < runs->count && runs->count == 1; i++)
        TRY(draw_spread(&chart, runs, i, ON_TRAINING, error));
    for (size_t i = 0; i < runs->count; i++)
        TRY(draw_spread(&chart, runs, i, ON_FOLD, error));
    for (size_t kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < runs->count; i++)
            TRY(draw_means(&chart, runs, i, kind, error));
    chart_end(&chart);
    return TLU_OK;
}

// ---- caption and figures

static void describe(struct plot *plot, const struct size_runs *runs)
{
    char file[NAME_SIZE], rows[TICK_SIZE], mean[TICK_SIZE], away[TICK_SIZE];
    size_t last = runs->size_count - 1;
    plot_title(plot, "Learning curve: %s", file_name(plot, file));
    say(plot, "Mean accuracy over %zu folds of a cross-validation, and its standard deviation. ",
        runs->folds);
    say(plot,
        "Validation accuracy with %s training rows:", number_text(rows, (double)runs->sizes[last]));
    for (size_t i = 0; i < runs->count; i++)
        say(plot, "%s %s %s \u00b1 %s", i ? "," : "", runs->all[i].learner.words,
            share_text(mean, runs->all[i].mean[ON_FOLD][last]),
            share_text(away, runs->all[i].deviation[ON_FOLD][last]));
    say(plot, ".");
}

static void add_figures(tlu_picture *picture, const struct size_runs *runs,
                        const struct size_run *run)
{
    static const char *const words[] = {"training", "validation"};
    char name[256];
    for (size_t kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < runs->size_count; i++) {
            unsigned long long size = runs->sizes[i];
            snprintf(name, sizeof name, "%.180s %s %llu", run->learner.name, words[kind], size);
            picture_figure(picture, name, run->mean[kind][i]);
            snprintf(name, sizeof name, "%.180s %s deviation %llu", run->learner.name, words[kind],
                     size);
            picture_figure(picture, name, run->deviation[kind][i]);
        }
}

// ---- all of it

static tlu_status train_all(struct size_runs *runs, tlu_error *error)
{
    struct plot *plot = runs->plot;
    const tlu_plot_training_size_settings *settings = plot->settings;
    struct curve_learner learners[CURVES_MAX];
    runs->folds = settings->folds ? settings->folds : FOLDS;
    if (runs->folds < 2)
        return error_input(error, "a cross-validation needs at least 2 folds");
    tlu_status status =
        curve_learners(plot, settings->learners, tlu_option_at(OPTION_LEARNER)->value, learners,
                       &runs->count, error);
    for (size_t i = 0; i < runs->count; i++)
        runs->all[i].learner = learners[i];
    TRY(status);
    TRY(split_spool(plot->path, &runs->whole, &runs->bytes, error));
    for (size_t i = 0; i < runs->count; i++)
        TRY(size_run_train(runs, &runs->all[i], i == 0, error));
    return TLU_OK;
}

static tlu_status plot_training_size(struct plot *plot, tlu_error *error)
{
    struct size_runs runs = {.plot = plot};
    runs.all = plot_new(plot, CURVES_MAX, sizeof *runs.all);
    TRY(enough_memory(runs.all, error));
    tlu_status status = train_all(&runs, error);
    memory_free(runs.bytes);
    for (size_t i = 0; i < runs.count; i++)
        tlu_options_free(runs.all[i].learner.options);
    TRY(status);
    describe(plot, &runs);
    for (size_t i = 0; i < runs.count; i++)
        add_figures(plot->picture, &runs, &runs.all[i]);
    return draw_sizes(&runs, error);
}

tlu_status tlu_plot_training_size(const tlu_plot_training_size_settings *given,
                                  const tlu_options *options, const tlu_picture_style *style,
                                  tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_plot_training_size_settings settings;
    struct callback progress;
    *picture = NULL;
    TRY(settings_take(&settings, sizeof settings, given, "tlu_plot_training_size_settings", error));
    CALLBACK(progress, progress, settings.progress, settings.progress_context, caller);
    struct plot plot = {.settings = &settings,
                        .path = settings.path,
                        .progress = settings.progress,
                        .progress_context = settings.progress_context};
    return plot_file(plot_training_size, &plot, options, style, picture, error);
}
