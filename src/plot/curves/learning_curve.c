// Learning curves: the accuracy and mistakes of learners after each pass, as `tlu train --epochs
// 1`, 2, 3, ... gives them.
#include "base/memory.h"
#include "base/options.h"
#include "input/reader.h"
#include "model/make.h"
#include "model/split/split.h"
#include "plot/chart/chart.h"
#include "plot/picture.h"
#include "plot/plot.h"
#include "plot/text.h"
#include "train/train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The data, and the share of rows that are held out.
struct curve_data {
    const char *path;
    struct row_source whole;
    unsigned char *bytes;     // contents of a pipe; else NULL
    uint32_t held_out, parts; // held_out of parts; 0 of 1: none
    tlu_progress_function progress;
    void *progress_context;
    tlu_picture *picture; // receives the notices of trainings; NULL: they are dropped
};

struct curve_run {
    char *name;           // the learner and its options
    char *words;          // the same for the legend
    tlu_options *options; // without the number of passes
    uint64_t passes;      // requested
    bool whole;           // a batch learner: passes have no effect
    // Results:
    uint64_t rows, rows_held_out; // training rows, held-out rows
    size_t count;                 // of evaluated passes
    uint64_t *pass;               // [count] ascending; the last is `passes`
    double *learned, *held_out;   // [count] accuracies after them; NaN: no rows
    uint64_t made;                // passes until the training ended
    double *mistakes;             // [made]
};

struct curve_runs {
    struct curve_run *all; // [count]
    size_t count, capacity;
    uint64_t passes; // maximum
};

#define PARTS_MAX 20
#define EVALUATED_MAX 100 // passes

// ---- rows

// Holds out the fraction with a denominator of up to 20 that is nearest to `share`.
static tlu_status curve_data_open(struct curve_data *data, double share, tlu_error *error)
{
    double best = 1;
    data->held_out = 0;
    data->parts = 1;
    for (uint32_t parts = 2; share > 0 && parts <= PARTS_MAX; parts++) {
        double held_out = fmax(1, floor(share * parts + 0.5)), off = fabs(held_out / parts - share);
        if (held_out < parts && off < best - 1e-9) {
            best = off;
            data->held_out = (uint32_t)held_out;
            data->parts = parts;
        }
    }
    return split_spool(data->path, &data->whole, &data->bytes, error);
}

static void curve_data_close(struct curve_data *data)
{
    memory_free(data->bytes);
    data->bytes = NULL;
}

// The rows of a run: parsed once, split into training and held-out rows.
struct run_rows {
    const struct curve_data *data;
    tlu_split *split;
    tlu_options *options; // of the run, adapted to the parsed rows
    uint32_t *part;       // [rows] 0: held out; NULL: none
    struct row_source learned, held_out;
};

static tlu_status split_rows(struct run_rows *rows, tlu_error *error)
{
    uint64_t count = tlu_split_row_count(rows->split);
    rows->learned = rows->held_out = split_row_source(rows->split, TLU_NONE, false);
    if (rows->data->held_out == 0)
        return TLU_OK;
    rows->part = memory_new(count, sizeof *rows->part);
    TRY(enough_memory(rows->part, error));
    for (uint64_t i = 0; i < count; i++)
        rows->part[i] = tlu_split_row_part(rows->split, i) >= rows->data->held_out;
    rows->learned.subset = (struct subset){rows->part, count, 0, true};
    rows->held_out.subset = (struct subset){rows->part, count, 0, false};
    return TLU_OK;
}

static tlu_status run_rows_open(struct run_rows *rows, const struct curve_run *run,
                                tlu_error *error)
{
    const struct curve_data *data = rows->data;
    rows->options = options_copy(run->options);
    TRY(enough_memory(rows->options, error));
    TRY(split_open_parsed(data->path, &data->whole, rows->options, data->parts, &rows->split,
                          error));
    TRY(split_adapt(rows->split, rows->options, error));
    return split_rows(rows, error);
}

static void run_rows_close(struct run_rows *rows)
{
    memory_free(rows->part);
    tlu_options_free(rows->options);
    tlu_split_free(rows->split);
}

// ---- training and evaluating

static struct training training_on(const struct run_rows *rows)
{
    return (struct training){
        .rows = {.path = rows->data->path, .row_source = rows->learned},
        .reporter = {.progress = rows->data->progress, .context = rows->data->progress_context}};
}

// Resumes from the model of fewer passes, which gives the same model as training from scratch.
static tlu_status resume(const struct run_rows *rows, const tlu_model *before, tlu_model **model,
                         tlu_error *error)
{
    struct resumption resumption;
    struct training training = training_on(rows);
    tlu_status status = resume_begin(&resumption, before, rows->options, error);
    if (status == TLU_OK)
        status = model_train(&training, resumption.options, resumption.checkpoint, model, error);
    resume_end(&resumption);
    return status;
}

// Replaces *model, the model of fewer passes or NULL.
static tlu_status train(struct run_rows *rows, uint64_t passes, tlu_model **model, tlu_error *error)
{
    char text[24];
    tlu_model *after = NULL;
    snprintf(text, sizeof text, "%llu", (unsigned long long)passes);
    TRY(tlu_options_set(rows->options, "epochs", text, error));
    // Some models cannot be resumed: that is an input error.
    tlu_status status = *model ? resume(rows, *model, &after, error) : TLU_ERROR_INPUT;
    if (status == TLU_ERROR_INPUT) {
        struct training training = training_on(rows);
        status = model_train(&training, rows->options, NULL, &after, error);
    }
    TRY(status);
    tlu_model_free(*model);
    *model = after;
    if (strcmp(tlu_model_report(after)->stopped, "interrupted") == 0)
        return error_interrupted(error, "the learning was stopped");
    return TLU_OK;
}

static tlu_status measure(const struct run_rows *rows, const struct row_source *row_source,
                          const tlu_model *model, double *accuracy, tlu_error *error)
{
    tlu_evaluation *evaluation;
    TRY(model_evaluate(model, rows->data->path, row_source, rows->options, &evaluation, error));
    *accuracy = evaluation->accuracy;
    tlu_evaluation_free(evaluation);
    return TLU_OK;
}

// ---- all passes

static tlu_status reserve_results(struct curve_run *run, tlu_error *error)
{
    uint64_t apart = (run->passes + EVALUATED_MAX - 1) / EVALUATED_MAX;
    if (run->whole)
        apart = run->passes;
    run->count = (size_t)((run->passes + apart - 1) / apart);
    run->pass = memory_new(run->count, sizeof *run->pass);
    run->learned = memory_new(run->count, sizeof *run->learned);
    run->held_out = memory_new(run->count, sizeof *run->held_out);
    TRY(enough_memory(run->pass && run->learned && run->held_out, error));
    for (size_t i = 0; i < run->count; i++)
        run->pass[i] = i + 1 < run->count ? (i + 1) * apart : run->passes;
    return TLU_OK;
}

static tlu_status keep_report(struct curve_run *run, const tlu_report *report, uint64_t held_out,
                              tlu_error *error)
{
    run->rows = report->examples;
    run->rows_held_out = held_out;
    run->made = run->whole ? 0 : report->epochs;
    run->mistakes = memory_new((size_t)run->made + 1, sizeof *run->mistakes);
    TRY(enough_memory(run->mistakes, error));
    for (uint64_t i = 0; i < run->made; i++)
        run->mistakes[i] = (double)report->mistakes[i];
    return TLU_OK;
}

// After a training has converged, further passes give the same model.
static tlu_status evaluate_passes(struct curve_run *run, struct run_rows *rows, tlu_model **model,
                                  tlu_error *error)
{
    bool ended = false;
    for (size_t i = 0; i < run->count; i++) {
        run->learned[i] = i ? run->learned[i - 1] : NAN;
        run->held_out[i] = i ? run->held_out[i - 1] : NAN;
        if (ended)
            continue;
        TRY(train(rows, run->pass[i], model, error));
        TRY(measure(rows, &rows->learned, *model, &run->learned[i], error));
        if (rows->part)
            TRY(measure(rows, &rows->held_out, *model, &run->held_out[i], error));
        ended = strcmp(tlu_model_report(*model)->stopped, "epochs") != 0;
    }
    if (rows->data->picture)
        TRY(picture_note(rows->data->picture, tlu_model_report(*model), error));
    uint64_t held_out = 0;
    for (uint64_t i = 0; rows->part && i < tlu_split_row_count(rows->split); i++)
        held_out += rows->part[i] == 0;
    return keep_report(run, tlu_model_report(*model), held_out, error);
}

static tlu_status curve_run_train(struct curve_run *run, const struct curve_data *data,
                                  tlu_error *error)
{
    struct run_rows rows = {.data = data};
    tlu_model *model = NULL;
    char why[8];
    run->whole = tlu_options_no_effect(run->options, "epochs", why, sizeof why) > 0;
    tlu_status status = reserve_results(run, error);
    if (status == TLU_OK)
        status = run_rows_open(&rows, run, error);
    if (status == TLU_OK)
        status = evaluate_passes(run, &rows, &model, error);
    tlu_model_free(model);
    run_rows_close(&rows);
    return status;
}

static void curve_run_free(struct curve_run *run)
{
    memory_free(run->name);
    memory_free(run->words);
    tlu_options_free(run->options);
    memory_free(run->pass);
    memory_free(run->learned);
    memory_free(run->held_out);
    memory_free(run->mistakes);
    *run = (struct curve_run){0};
}

// ---- the learners

#define PASSES 10    // default of --epochs
#define HELD_OUT 0.2 // default of --holdout
#define RUNS_MAX 64

// The same run with two decisions, which shows the effect of averaging, and a learner that needs
// few passes.
static const char choice[] = "perceptron:decide=last,perceptron:decide=average,arow";
// For options that arow does not accept, such as a kernel.
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

// Without the options that the picture handles itself.
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
    if (runs->count == RUNS_MAX)
        return error_input(error, "a picture has at most %d curves", RUNS_MAX);
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

// Only the notices of the first run are kept; the others repeat them.
static tlu_status learn_all(struct curve_runs *runs, struct curve_data *data, tlu_error *error)
{
    for (size_t i = 0; i < runs->count; i++) {
        TRY(curve_run_train(&runs->all[i], data, error));
        data->picture = NULL;
    }
    return TLU_OK;
}

// Trains the learners of --learners, of --learner, or a selection. The caller calls
// curve_runs_free, also after an error.
static tlu_status curve_runs_train(struct curve_runs *runs, const struct plot *plot,
                                   const char *learners, tlu_error *error)
{
    struct curve_data data = {.path = plot->path,
                              .progress = plot->progress,
                              .progress_context = plot->progress_context,
                              .picture = plot->picture};
    bool set = options_is_set(plot->options, OPTION_HOLDOUT);
    tlu_options *common = NULL;
    tlu_status status = common_options(plot->options, &common, error);
    if (status == TLU_OK)
        status = list(runs, learners, common, error);
    if (status == TLU_OK)
        status = curve_data_open(
            &data, set ? options_number(plot->options, OPTION_HOLDOUT) : HELD_OUT, error);
    if (status == TLU_OK)
        status = learn_all(runs, &data, error);
    curve_data_close(&data);
    tlu_options_free(common);
    return status;
}

static void curve_runs_free(struct curve_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        curve_run_free(&runs->all[i]);
    memory_free(runs->all);
}

// ---- drawing

#define CAPTION_SIZE 1024
#define NAMED_MAX 6 // in the caption
#define DOTS_MAX 30 // on a curve
#define SHARE 0.6   // of the height, for accuracies
#define ENOUGH 280  // points of height for two charts
#define ENOUGH_CELLS (25 * CELL_HEIGHT)

// ---- curves

static struct style series_style(const struct theme *theme, size_t run, double width, double dash)
{
    return (struct style){
        .fill = COLOUR_NONE, .line = theme_series(theme, run), .width = width, .dash = dash};
}

// Dots of different shapes distinguish learners without colours.
static void draw_curve(struct chart *chart, const struct point *points, size_t count, size_t run,
                       const struct style *line)
{
    const struct theme *theme = chart->page->picture->theme;
    const struct style dot = class_style(theme, run);
    size_t every = (count + DOTS_MAX - 1) / DOTS_MAX;
    chart_curve(chart, points, count, line);
    if (count == 1 && line->dash > 0) {
        const struct style hollow = edged_style(theme->panel, line->line, 1.2);
        chart_dots(chart, points, 1, class_shape(run), 3.5, &hollow);
    }
    for (size_t i = 0; i < count && !(line->dash > 0); i++)
        if ((count - 1 - i) % every == 0 && !isnan(points[i].y))
            chart_dots(chart, points + i, 1, class_shape(run), 3.5, &dot);
}

// The accuracy after each evaluated pass; of a batch learner a horizontal line.
static tlu_status draw_accuracy(struct chart *chart, const struct curve_run *run,
                                const double *accuracy, size_t number, double dash,
                                tlu_error *error)
{
    const struct style line = series_style(chart->page->picture->theme, number, 2, dash);
    if (run->whole) {
        if (!isnan(accuracy[0]))
            chart_line(chart, (struct point){chart->x.low, accuracy[0]},
                       (struct point){chart->x.high, accuracy[0]}, &line);
        return TLU_OK;
    }
    struct point *points = memory_new(run->count, sizeof *points);
    TRY(enough_memory(points, error));
    for (size_t i = 0; i < run->count; i++)
        points[i] = (struct point){(double)run->pass[i], accuracy[i]};
    draw_curve(chart, points, run->count, number, &line);
    memory_free(points);
    return TLU_OK;
}

static bool is_same(const struct curve_run *a, const struct curve_run *b)
{
    if (a->made != b->made)
        return false;
    for (uint64_t i = 0; i < a->made; i++)
        if (a->mistakes[i] != b->mistakes[i])
            return false;
    return true;
}

// Learners that differ only in their decision make the same mistakes: lines of the first are wider,
// so that they are visible below the others.
static tlu_status draw_mistakes(struct chart *chart, const struct curve_runs *runs, size_t number,
                                tlu_error *error)
{
    const struct curve_run *run = &runs->all[number];
    double width = 2;
    for (size_t i = number + 1; i < runs->count && width < 10; i++)
        width += is_same(run, &runs->all[i]) ? 2 : 0;
    const struct style line = series_style(chart->page->picture->theme, number, width, 0);
    struct point *points = memory_new((size_t)run->made + 1, sizeof *points);
    TRY(enough_memory(points, error));
    for (size_t i = 0; i < run->made; i++)
        points[i] = (struct point){(double)(i + 1), run->mistakes[i]};
    draw_curve(chart, points, (size_t)run->made, number, &line);
    memory_free(points);
    return TLU_OK;
}

// ---- axes and legend

static struct axis passes_axis(const struct curve_runs *runs)
{
    double last = (double)runs->passes, margin = 0.015 * (last - 1); // for dots
    return (struct axis){.low = 1 - margin, .high = last + margin, .label = "pass", .whole = true};
}

static void widen(double *low, double *high, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i]))
            continue;
        *low = fmin(*low, values[i]);
        *high = fmax(*high, values[i]);
    }
}

static struct axis accuracy_axis(const struct curve_runs *runs)
{
    double low = 1, high = 0;
    for (size_t i = 0; i < runs->count; i++) {
        const struct curve_run *run = &runs->all[i];
        widen(&low, &high, run->learned, run->count);
        widen(&low, &high, run->held_out, run->count);
    }
    double margin = fmax(0.05 * (high - low), 0.01);
    low -= margin;
    return (struct axis){.low = low,
                         .high = fmin(high + margin, 1 + 0.04 * (1 - low)),
                         .percent = true,
                         .label = "accuracy"};
}

static struct axis mistakes_axis(const struct curve_runs *runs)
{
    double low = 0, high = 1;
    for (size_t i = 0; i < runs->count; i++)
        widen(&low, &high, runs->all[i].mistakes, (size_t)runs->all[i].made);
    return (struct axis){
        .low = -0.04 * high, .high = high * 1.06, .whole = true, .label = "mistakes"};
}

static bool holds_out(const struct curve_runs *runs)
{
    return runs->all[0].rows_held_out > 0;
}

static tlu_status make_legend(struct chart *chart, const struct curve_runs *runs, tlu_error *error)
{
    const struct theme *theme = chart->page->picture->theme;
    const struct style line = {.fill = COLOUR_NONE, .line = theme->ink, .width = 2};
    struct style dashed = line;
    struct legend_entry *legend = memory_new(runs->count + 2, sizeof *legend);
    TRY(enough_memory(legend, error));
    dashed.dash = 4;
    size_t count = 0;
    for (; count < runs->count; count++)
        legend[count] = (struct legend_entry){.text = runs->all[count].words,
                                              .kind = LEGEND_DOT,
                                              .style = class_style(theme, count),
                                              .shape = class_shape(count)};
    if (holds_out(runs))
        legend[count++] = (struct legend_entry){"held out", LEGEND_LINE, line, 0};
    legend[count++] = (struct legend_entry){"learned from", LEGEND_LINE, dashed, 0};
    chart->legend = legend;
    chart->legend_count = count;
    chart->legend_last = count - runs->count;
    return TLU_OK;
}

// ---- charts

static tlu_status draw_accuracies(struct chart *chart, const struct curve_runs *runs,
                                  tlu_error *error)
{
    TRY(make_legend(chart, runs, error));
    chart_begin(chart);
    tlu_status status = TLU_OK;
    for (size_t i = 0; status == TLU_OK && i < runs->count; i++)
        status = draw_accuracy(chart, &runs->all[i], runs->all[i].learned, i, 4, error);
    for (size_t i = 0; status == TLU_OK && i < runs->count; i++)
        status = draw_accuracy(chart, &runs->all[i], runs->all[i].held_out, i, 0, error);
    chart_end(chart);
    memory_free((void *)chart->legend);
    return status;
}

static tlu_status draw_all_mistakes(struct chart *chart, const struct curve_runs *runs,
                                    tlu_error *error)
{
    chart_begin(chart);
    tlu_status status = TLU_OK;
    for (size_t i = 0; status == TLU_OK && i < runs->count; i++)
        status = draw_mistakes(chart, runs, i, error);
    chart_end(chart);
    return status;
}

// The approximate width of the numbers of an axis.
static double number_width(const struct page *page, const struct axis *axis)
{
    const struct text_style font = {.size = 13};
    double places[TICKS_MAX], step, widest = 0;
    size_t count = axis_ticks(axis, 4, places, &step);
    char text[TICK_SIZE];
    for (size_t i = 0; i < count; i++)
        widest =
            fmax(widest, page_text_width(page, axis_number(text, axis, places[i], step), &font));
    return widest;
}

// Two charts with aligned x axes, or only the first if there is no space for both.
static tlu_status draw_charts(struct page *page, struct box box, const struct curve_runs *runs,
                              tlu_error *error)
{
    bool text = picture_is_text(page->picture);
    bool both = box_height(&box) >= (text ? ENOUGH_CELLS : ENOUGH);
    const struct axis below = mistakes_axis(runs);
    struct chart accuracies = {
        .page = page, .place = box, .x = passes_axis(runs), .y = accuracy_axis(runs)};
    double wider = both ? number_width(page, &below) - number_width(page, &accuracies.y) : 0;
    accuracies.place.left += fmax(0, wider);
    if (both)
        accuracies.place.bottom = box.top + SHARE * box_height(&box);
    TRY(draw_accuracies(&accuracies, runs, error));
    if (!both)
        return TLU_OK;
    const struct chart_layout *layout = &accuracies.layout;
    struct chart mistakes = {.page = page, .place = box, .x = passes_axis(runs), .y = below};
    mistakes.place.top = accuracies.place.bottom;
    mistakes.place.right = layout->space.right + (layout->space.left - accuracies.place.left);
    mistakes.place.left += fmax(0, -wider);
    return draw_all_mistakes(&mistakes, runs, error);
}

// ---- caption and figures

static const char *share(char out[TICK_SIZE], double value)
{
    return axis_number(out, &(struct axis){.percent = true}, value, 0.001);
}

static double final_accuracy(const struct curve_runs *runs, size_t number)
{
    const struct curve_run *run = &runs->all[number];
    return (holds_out(runs) ? run->held_out : run->learned)[run->count - 1];
}

static void add_accuracies(char caption[CAPTION_SIZE], const struct curve_runs *runs)
{
    char text[TICK_SIZE];
    size_t best = 0;
    for (size_t i = 1; i < runs->count; i++)
        best = final_accuracy(runs, i) > final_accuracy(runs, best) ? i : best;
    for (size_t i = 0; i < runs->count && runs->count <= NAMED_MAX; i++)
        text_add(caption, CAPTION_SIZE, "%s %s %s", i ? "," : "", runs->all[i].words,
                 share(text, final_accuracy(runs, i)));
    if (runs->count > NAMED_MAX)
        text_add(caption, CAPTION_SIZE, " %s, the best of %zu, %s", runs->all[best].words,
                 runs->count, share(text, final_accuracy(runs, best)));
    text_add(caption, CAPTION_SIZE, ".");
}

static void write_caption(char caption[CAPTION_SIZE], const struct curve_runs *runs)
{
    const struct curve_run *first = &runs->all[0];
    const struct axis whole = {.whole = true};
    char rows[TICK_SIZE], text[TICK_SIZE];
    axis_number(rows, &whole, (double)first->rows, 1);
    axis_number(text, &whole, (double)first->rows_held_out, 1);
    if (holds_out(runs))
        snprintf(caption, CAPTION_SIZE,
                 "Learned from %s rows; right about the %s held out, in the end:", rows, text);
    else
        snprintf(caption, CAPTION_SIZE, "Right about the %s rows learned from, in the end:", rows);
    add_accuracies(caption, runs);
}

static tlu_status add_figure(tlu_picture *picture, const struct curve_run *run, const char *what,
                             uint64_t pass, double value, tlu_error *error)
{
    char name[256];
    if (isnan(value))
        return TLU_OK;
    snprintf(name, sizeof name, "%.180s %s %llu", run->name, what, (unsigned long long)pass);
    return picture_figure(picture, name, value, error);
}

static tlu_status add_figures(tlu_picture *picture, const struct curve_run *run, tlu_error *error)
{
    for (size_t i = 0; i < run->count; i++) {
        TRY(add_figure(picture, run, "training", run->pass[i], run->learned[i], error));
        TRY(add_figure(picture, run, "held-out", run->pass[i], run->held_out[i], error));
    }
    for (uint64_t i = 0; i < run->made; i++)
        TRY(add_figure(picture, run, "mistakes", i + 1, run->mistakes[i], error));
    return TLU_OK;
}

static tlu_status show(struct plot *plot, const struct curve_runs *runs, tlu_error *error)
{
    const char *title = plot->title ? plot->title : "Accuracy and mistakes by passes";
    char caption[CAPTION_SIZE];
    struct page *page;
    write_caption(caption, runs);
    TRY(picture_describe(plot->picture, title, caption, error));
    for (size_t i = 0; i < runs->count; i++)
        TRY(add_figures(plot->picture, &runs->all[i], error));
    TRY(picture_add_page(plot->picture, &page, error));
    struct box box = page_whole(page);
    chart_frame(page, title, caption, &box);
    TRY(draw_charts(page, box, runs, error));
    return page_end(page, error);
}

tlu_status plot_learning_curve(struct plot *plot, const void *given, tlu_error *error)
{
    const tlu_plot_learning_curve_settings *settings = given;
    struct curve_runs runs = {0};
    tlu_status status = curve_runs_train(&runs, plot, settings->learners, error);
    if (status == TLU_OK)
        status = show(plot, &runs, error);
    curve_runs_free(&runs);
    return status;
}
