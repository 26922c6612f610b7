// Learning curves: the accuracy and mistakes of learners after each pass, as `tlu train --epochs
// 1`, 2, 3, ... gives them.
#include "base/call/callback.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/settings.h"
#include "input/reader.h"
#include "model/make.h"
#include "model/split/split.h"
#include "plot/curves/learners.h"
#include "train/train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The data, and the share of rows that are held out.
struct curve_data {
    struct plot *plot;
    struct row_source whole;
    unsigned char *bytes;     // contents of a pipe; else NULL
    uint32_t held_out, parts; // held_out of parts; 0 of 1: none
};

struct curve_run {
    struct curve_learner learner;
    uint64_t passes; // requested
    bool whole;      // a batch learner: passes have no effect
    // Results:
    uint64_t rows, rows_held_out; // training rows, held-out rows
    size_t count;                 // of evaluated passes
    uint64_t *pass;               // [count] ascending; the last is `passes`
    double *learned, *held_out;   // [count] accuracies after them; NaN: no rows
    uint64_t made;                // passes until the training ended
    double *mistakes;             // [made]
};

struct curve_runs {
    struct plot *plot;
    struct curve_run *all; // [CURVES_MAX]
    size_t count;
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
    return split_spool(data->plot->path, &data->whole, &data->bytes, error);
}

// The rows of a run: parsed once, split into training and held-out rows.
struct run_rows {
    const struct curve_data *data;
    tlu_split *split;
    tlu_options *options; // of the run, adapted to the parsed rows
    uint32_t *part;       // [rows] 0: held out; NULL: none
    struct row_source learned, held_out;
};

static tlu_status run_rows_open(struct run_rows *rows, const struct curve_run *run,
                                tlu_error *error)
{
    const struct curve_data *data = rows->data;
    rows->options = options_copy(run->learner.options);
    TRY(enough_memory(rows->options, error));
    TRY(split_open_parsed(data->plot->path, &data->whole, rows->options, data->parts, &rows->split,
                          error));
    TRY(split_adapt(rows->split, rows->options, error));
    rows->learned = rows->held_out = split_row_source(rows->split, TLU_NONE, false);
    if (data->held_out == 0)
        return TLU_OK;
    uint64_t count = tlu_split_row_count(rows->split);
    rows->part = plot_new(data->plot, count, sizeof *rows->part);
    TRY(enough_memory(rows->part, error));
    for (uint64_t i = 0; i < count; i++)
        rows->part[i] = tlu_split_row_part(rows->split, i) >= data->held_out;
    rows->learned.subset = (struct subset){.part = rows->part, .rows = count, .others = true};
    rows->held_out.subset = (struct subset){.part = rows->part, .rows = count};
    return TLU_OK;
}

// ---- training and evaluating

static struct training training_on(const struct run_rows *rows)
{
    const struct plot *plot = rows->data->plot;
    return (struct training){
        .rows = {.path = plot->path, .row_source = rows->learned},
        .reporter = {.progress = plot->progress, .context = plot->progress_context}};
}

// Replaces *model, the model of fewer passes or NULL. Resuming from it gives the same model as
// training from scratch; some models cannot be resumed, which is an input error.
static tlu_status train(struct run_rows *rows, uint64_t passes, tlu_model **model, tlu_error *error)
{
    char text[24];
    tlu_model *after = NULL;
    struct training training = training_on(rows);
    struct resumption resumption;
    tlu_status status = TLU_ERROR_INPUT;
    snprintf(text, sizeof text, "%llu", (unsigned long long)passes);
    TRY(tlu_options_set(rows->options, "epochs", text, error));
    if (*model) {
        status = resume_begin(&resumption, *model, rows->options, error);
        if (status == TLU_OK)
            status =
                model_train(&training, resumption.options, resumption.checkpoint, &after, error);
        resume_end(&resumption);
        training = training_on(rows);
    }
    if (status == TLU_ERROR_INPUT)
        status = model_train(&training, rows->options, NULL, &after, error);
    TRY(status);
    tlu_model_free(*model);
    *model = after;
    return curve_check_trained(after, error);
}

static tlu_status measure(const struct run_rows *rows, const struct row_source *row_source,
                          const tlu_model *model, double *accuracy, tlu_error *error)
{
    tlu_evaluation *evaluation;
    TRY(model_evaluate(model, rows->data->plot->path, row_source, NULL, rows->options, &evaluation,
                       error));
    *accuracy = evaluation->accuracy;
    tlu_evaluation_free(evaluation);
    return TLU_OK;
}

// ---- all passes

static tlu_status reserve_results(struct curve_run *run, struct plot *plot, tlu_error *error)
{
    uint64_t apart = (run->passes + EVALUATED_MAX - 1) / EVALUATED_MAX;
    if (run->whole)
        apart = run->passes;
    run->count = (size_t)((run->passes + apart - 1) / apart);
    run->pass = plot_new(plot, run->count, sizeof *run->pass);
    run->learned = plot_new(plot, run->count, sizeof *run->learned);
    run->held_out = plot_new(plot, run->count, sizeof *run->held_out);
    TRY(enough_memory(run->pass && run->learned && run->held_out, error));
    for (size_t i = 0; i < run->count; i++)
        run->pass[i] = i + 1 < run->count ? (i + 1) * apart : run->passes;
    return TLU_OK;
}

static tlu_status keep_report(struct curve_run *run, const struct run_rows *rows,
                              const tlu_report *report, tlu_error *error)
{
    run->rows = report->examples;
    for (uint64_t i = 0; rows->part && i < tlu_split_row_count(rows->split); i++)
        run->rows_held_out += rows->part[i] == 0;
    run->made = run->whole ? 0 : report->epochs;
    run->mistakes = plot_new(rows->data->plot, run->made + 1, sizeof *run->mistakes);
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
    return keep_report(run, rows, tlu_model_report(*model), error);
}

// Only the notices of the first run are kept; the others repeat them.
static tlu_status curve_run_train(struct curve_run *run, const struct curve_data *data, bool first,
                                  tlu_error *error)
{
    struct run_rows rows = {.data = data};
    tlu_model *model = NULL;
    char why[8];
    run->whole = tlu_options_no_effect(run->learner.options, "epochs", why, sizeof why) > 0;
    tlu_status status = reserve_results(run, data->plot, error);
    if (status == TLU_OK)
        status = run_rows_open(&rows, run, error);
    if (status == TLU_OK)
        status = evaluate_passes(run, &rows, &model, error);
    if (status == TLU_OK && first)
        picture_note(data->plot->picture, model);
    tlu_model_free(model);
    tlu_options_free(rows.options);
    tlu_split_free(rows.split);
    return status;
}

// ---- the learners

#define PASSES 10    // default of --epochs
#define HELD_OUT 0.2 // default of --holdout

// The same run with two decisions, which shows the effect of averaging, and a learner that needs
// few passes.
static const char choice[] = "perceptron:decide=last,perceptron:decide=average,arow";
// For options that arow does not accept, such as a kernel.
static const char safe_choice[] = "perceptron:decide=last,perceptron:decide=average";

// The learners of --learners, of --learner, or a selection.
static tlu_status list(struct curve_runs *runs, struct plot *plot, const char *asked,
                       tlu_error *error)
{
    struct curve_learner learners[CURVES_MAX];
    const char *usual = options_is_set(plot->options, OPTION_KERNEL) ? safe_choice : choice;
    tlu_status status = curve_learners(plot, asked, usual, learners, &runs->count, error);
    for (size_t i = 0; i < runs->count; i++) {
        struct curve_run *run = &runs->all[i];
        run->learner = learners[i];
        run->passes = run->learner.options && options_is_set(run->learner.options, OPTION_EPOCHS)
                          ? options_count(run->learner.options, OPTION_EPOCHS)
                          : PASSES;
        runs->passes = run->passes > runs->passes ? run->passes : runs->passes;
    }
    return status;
}

static tlu_status curve_runs_train(struct curve_runs *runs, struct curve_data *data,
                                   tlu_error *error)
{
    // Options that the picture handles itself.
    static const enum option own[] = {OPTION_HOLDOUT, OPTION_PATIENCE, OPTION_METRIC, OPTION_COSTS,
                                      OPTION_WEIGHTED};
    struct plot *plot = data->plot;
    const tlu_plot_learning_curve_settings *settings = plot->settings;
    double share = options_is_set(plot->options, OPTION_HOLDOUT)
                       ? options_number(plot->options, OPTION_HOLDOUT)
                       : HELD_OUT;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        TRY(tlu_options_clear(plot->options, tlu_option_at(own[i])->name, error));
    TRY(list(runs, plot, settings->learners, error));
    TRY(curve_data_open(data, share, error));
    for (size_t i = 0; i < runs->count; i++)
        TRY(curve_run_train(&runs->all[i], data, i == 0, error));
    return TLU_OK;
}

// ---- drawing

#define NAMED_MAX 6 // in the caption
#define DOTS_MAX 30 // on a curve
#define SHARE 0.55  // of the height, for accuracies
#define ENOUGH 280  // points of height for two charts
#define ENOUGH_CELLS (25 * CELL_HEIGHT)

// ---- curves

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
static tlu_status draw_accuracy(struct chart *chart, const struct curve_runs *runs, size_t number,
                                const double *accuracy, double dash, tlu_error *error)
{
    const struct curve_run *run = &runs->all[number];
    const struct style line = line_style(theme_series(runs->plot->theme, number), 2, dash);
    if (run->whole) {
        if (!isnan(accuracy[0]))
            chart_line(chart, (struct point){chart->x.low, accuracy[0]},
                       (struct point){chart->x.high, accuracy[0]}, &line);
        return TLU_OK;
    }
    struct point *points = plot_new(runs->plot, run->count, sizeof *points);
    TRY(enough_memory(points, error));
    for (size_t i = 0; i < run->count; i++)
        points[i] = (struct point){(double)run->pass[i], accuracy[i]};
    draw_curve(chart, points, run->count, number, &line);
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
    const struct style line =
        line_style(theme_series(chart->page->picture->theme, number), width, 0);
    struct point *points = plot_new(runs->plot, run->made + 1, sizeof *points);
    TRY(enough_memory(points, error));
    for (size_t i = 0; i < run->made; i++)
        points[i] = (struct point){(double)(i + 1), run->mistakes[i]};
    draw_curve(chart, points, (size_t)run->made, number, &line);
    return TLU_OK;
}

// ---- axes and legend

static struct axis passes_axis(const struct curve_runs *runs)
{
    double last = (double)runs->passes, margin = 0.015 * (last - 1); // for dots
    return (struct axis){.low = 1 - margin, .high = last + margin, .label = "pass", .whole = true};
}

static struct axis accuracy_axis(const struct curve_runs *runs)
{
    double low = 1, high = 0;
    for (size_t i = 0; i < runs->count; i++) {
        const struct curve_run *run = &runs->all[i];
        curve_widen(&low, &high, run->learned, run->count);
        curve_widen(&low, &high, run->held_out, run->count);
    }
    return curve_accuracy_axis(low, high);
}

static struct axis mistakes_axis(const struct curve_runs *runs)
{
    double low = 0, high = 1;
    for (size_t i = 0; i < runs->count; i++)
        curve_widen(&low, &high, runs->all[i].mistakes, (size_t)runs->all[i].made);
    return (struct axis){
        .low = -0.04 * high, .high = high * 1.06, .whole = true, .label = "mistakes"};
}

static bool holds_out(const struct curve_runs *runs)
{
    return runs->all[0].rows_held_out > 0;
}

// Fills the legend and returns its number of entries.
static size_t make_legend(const struct curve_runs *runs, struct legend_entry legend[CURVES_MAX + 2])
{
    const struct theme *theme = runs->plot->theme;
    size_t count = 0;
    for (; count < runs->count; count++)
        legend[count] = class_entry(theme, count, runs->all[count].learner.words);
    if (holds_out(runs))
        legend[count++] =
            (struct legend_entry){"held-out rows", LEGEND_LINE, line_style(theme->ink, 2, 0), 0};
    legend[count++] =
        (struct legend_entry){"training rows", LEGEND_LINE, line_style(theme->ink, 2, 4), 0};
    return count;
}

// ---- charts

static tlu_status draw_accuracies(struct chart *chart, const struct curve_runs *runs,
                                  tlu_error *error)
{
    struct legend_entry legend[CURVES_MAX + 2];
    chart->legend = legend;
    chart->legend_count = make_legend(runs, legend);
    chart->legend_last = chart->legend_count - runs->count;
    chart_begin(chart);
    for (size_t i = 0; i < runs->count; i++)
        TRY(draw_accuracy(chart, runs, i, runs->all[i].learned, 4, error));
    for (size_t i = 0; i < runs->count; i++)
        TRY(draw_accuracy(chart, runs, i, runs->all[i].held_out, 0, error));
    chart_end(chart);
    return TLU_OK;
}

// The approximate width of the numbers of an axis.
static double number_width(const struct page *page, const struct axis *axis)
{
    const struct text_style font = {.size = 13};
    const struct ticks ticks = axis_ticks(axis, 4);
    double widest = 0;
    char text[TICK_SIZE];
    for (size_t i = 0; i < ticks.count; i++) {
        axis_number(text, axis, ticks.places[i], ticks.step);
        widest = fmax(widest, page_text_width(page, text, &font));
    }
    return widest;
}

// Two charts with aligned x axes, or only the first if there is no space for both.
static tlu_status draw_charts(const struct curve_runs *runs, tlu_error *error)
{
    struct page *page;
    struct box box;
    TRY(plot_page(runs->plot, &page, &box, error));
    bool text = picture_is_text(page->picture);
    bool both = box_height(&box) >= (text ? ENOUGH_CELLS : ENOUGH);
    const struct axis below = mistakes_axis(runs);
    struct chart accuracies = {
        .page = page, .place = box, .x = passes_axis(runs), .y = accuracy_axis(runs)};
    double wider = both ? number_width(page, &below) - number_width(page, &accuracies.y) : 0;
    accuracies.place.left += fmax(0, wider);
    if (both) { // the axis below is that of both
        accuracies.place.bottom = box.top + SHARE * box_height(&box);
        accuracies.x.label = NULL;
        accuracies.x.bare = true;
    }
    TRY(draw_accuracies(&accuracies, runs, error));
    if (!both)
        return TLU_OK;
    const struct chart_layout *layout = &accuracies.layout;
    struct chart mistakes = {.page = page, .place = box, .x = passes_axis(runs), .y = below};
    mistakes.place.top = accuracies.place.bottom;
    mistakes.place.right = layout->space.right + (layout->space.left - accuracies.place.left);
    mistakes.place.left += fmax(0, -wider);
    chart_begin(&mistakes);
    for (size_t i = 0; i < runs->count; i++)
        TRY(draw_mistakes(&mistakes, runs, i, error));
    chart_end(&mistakes);
    return TLU_OK;
}

// ---- caption and figures

static double final_accuracy(const struct curve_runs *runs, size_t number)
{
    const struct curve_run *run = &runs->all[number];
    return (holds_out(runs) ? run->held_out : run->learned)[run->count - 1];
}

static void describe(struct plot *plot, const struct curve_runs *runs)
{
    const struct curve_run *first = &runs->all[0];
    char rows[TICK_SIZE], text[TICK_SIZE];
    size_t best = 0;
    plot_title(plot, "Accuracy and mistakes after each pass");
    number_text(rows, (double)first->rows);
    if (holds_out(runs))
        say(plot, "Accuracy on %s held-out rows after training on %s rows:",
            number_text(text, (double)first->rows_held_out), rows);
    else
        say(plot, "Accuracy on the %s training rows:", rows);
    for (size_t i = 1; i < runs->count; i++)
        best = final_accuracy(runs, i) > final_accuracy(runs, best) ? i : best;
    for (size_t i = 0; i < runs->count && runs->count <= NAMED_MAX; i++)
        say(plot, "%s %s %s", i ? "," : "", runs->all[i].learner.words,
            share_text(text, final_accuracy(runs, i)));
    if (runs->count > NAMED_MAX)
        say(plot, " %s, the best of %zu, %s", runs->all[best].learner.words, runs->count,
            share_text(text, final_accuracy(runs, best)));
    say(plot, ".");
}

static void add_figure(tlu_picture *picture, const struct curve_run *run, const char *what,
                       uint64_t pass, double value)
{
    char name[256];
    snprintf(name, sizeof name, "%.180s %s %llu", run->learner.name, what,
             (unsigned long long)pass);
    if (!isnan(value))
        picture_figure(picture, name, value);
}

static void add_figures(tlu_picture *picture, const struct curve_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        add_figure(picture, run, "training", run->pass[i], run->learned[i]);
        add_figure(picture, run, "held-out", run->pass[i], run->held_out[i]);
    }
    for (uint64_t i = 0; i < run->made; i++)
        add_figure(picture, run, "mistakes", i + 1, run->mistakes[i]);
}

static tlu_status plot_learning_curve(struct plot *plot, tlu_error *error)
{
    struct curve_data data = {.plot = plot};
    struct curve_runs runs = {.plot = plot};
    runs.all = plot_new(plot, CURVES_MAX, sizeof *runs.all);
    TRY(enough_memory(runs.all, error));
    tlu_status status = curve_runs_train(&runs, &data, error);
    memory_free(data.bytes);
    for (size_t i = 0; i < runs.count; i++)
        tlu_options_free(runs.all[i].learner.options);
    TRY(status);
    describe(plot, &runs);
    for (size_t i = 0; i < runs.count; i++)
        add_figures(plot->picture, &runs.all[i]);
    return draw_charts(&runs, error);
}

tlu_status tlu_plot_learning_curve(const tlu_plot_learning_curve_settings *given,
                                   const tlu_options *options, const tlu_picture_style *style,
                                   tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_plot_learning_curve_settings settings;
    struct callback progress;
    *picture = NULL;
    TRY(settings_take(&settings, sizeof settings, given, "tlu_plot_learning_curve_settings",
                      error));
    CALLBACK(progress, progress, settings.progress, settings.progress_context, caller);
    struct plot plot = {.settings = &settings,
                        .path = settings.path,
                        .progress = settings.progress,
                        .progress_context = settings.progress_context};
    return plot_file(plot_learning_curve, &plot, options, style, picture, error);
}
