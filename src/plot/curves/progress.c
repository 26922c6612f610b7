// The accuracy of a stream over time, from its log.
#include "base/call/fp_env.h"
#include "plot/curves/log.h"
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DOTS 20          // approximately, on a curve
#define RESTARTS_SEEN 30 // more are not drawn

struct stream_progress {
    struct stream_log log;
    double before;                  // rows in the model at the start of the log
    double last, window;            // number of rows; the longest window
    bool logarithmic;               // across
    struct point *recent;           // [log.count]
    struct point *all;              // [log.count]
    const struct stream_report *at; // the last report with examples; NULL: none
    size_t runs;                    // those with examples
    size_t points;                  // reports with examples
};

static size_t run_end(const struct stream_log *log, size_t run)
{
    return run + 1 < log->run_count ? log->runs[run + 1] : log->count;
}

// ---- points

// Whether reports come after 1, 2, 4, 8, ... rows: then more than half are in the first quarter.
static bool is_bunched(const struct stream_progress *progress)
{
    const struct stream_log *log = &progress->log;
    size_t early = 0;
    for (size_t i = 0; i < log->count; i++)
        early += log->reports[i].examples > 0 && progress->all[i].x <= progress->last / 4;
    return progress->points >= 4 && 2 * early >= progress->points;
}

static void find_points(struct stream_progress *progress)
{
    const struct stream_log *log = &progress->log;
    progress->before = INFINITY;
    for (size_t i = 0; i < log->count; i++) {
        const struct stream_report *report = &log->reports[i];
        progress->before = fmin(progress->before, fmax(0, report->learned - report->examples));
    }
    for (size_t i = 0; i < log->count; i++) {
        const struct stream_report *report = &log->reports[i];
        double x = report->learned - progress->before;
        bool shown = report->examples > 0 && report->window > 0 && x > 0;
        progress->recent[i] = (struct point){x, shown ? report->window_accuracy : NAN};
        progress->all[i] = (struct point){x, shown ? report->accuracy : NAN};
        if (!shown)
            continue;
        progress->points++;
        progress->at = report;
        progress->last = fmax(progress->last, x);
        progress->window = fmax(progress->window, report->window);
    }
    for (size_t run = 0; run < log->run_count; run++) {
        size_t i = log->runs[run];
        while (i < run_end(log, run) && isnan(progress->all[i].y))
            i++;
        progress->runs += i < run_end(log, run);
    }
    progress->logarithmic = is_bunched(progress);
}

static tlu_status prepare(struct stream_progress *progress, struct plot *plot, tlu_error *error)
{
    TRY(log_read(&progress->log, plot->path, error));
    size_t count = progress->log.count;
    progress->recent = plot_new(plot, count, sizeof *progress->recent);
    progress->all = plot_new(plot, count, sizeof *progress->all);
    TRY(enough_memory(progress->recent && progress->all, error));
    find_points(progress);
    if (!progress->at)
        return error_at(error, plot->path, 0, 0,
                        "no report has labelled rows yet: there is no accuracy to draw");
    return TLU_OK;
}

// ---- drawing

static void draw_restarts(struct chart *chart, const struct stream_progress *progress)
{
    const struct stream_log *log = &progress->log;
    struct style style = line_style(chart->page->picture->theme->faint, 1, 4);
    if (log->run_count > RESTARTS_SEEN)
        return;
    for (size_t run = 1; run < log->run_count; run++) {
        double x = progress->all[log->runs[run]].x;
        if (x > chart->x.low)
            chart_line(chart, (struct point){x, 0}, (struct point){x, 1}, &style);
    }
}

// Dots of two shapes distinguish the curves without colours; the last report always has one.
static void draw_curve(struct chart *chart, const struct stream_progress *progress,
                       const struct point *points, enum shape shape, const struct style *line)
{
    const struct stream_log *log = &progress->log;
    struct style dot = edged_style(line->line, chart->page->picture->theme->panel, 0.8);
    size_t every = (log->count + DOTS - 1) / DOTS;
    for (size_t run = 0; run < log->run_count; run++)
        chart_curve(chart, points + log->runs[run], run_end(log, run) - log->runs[run], line);
    for (size_t i = 0; i < log->count; i++)
        if ((log->count - 1 - i) % every == 0 && !isnan(points[i].y))
            chart_dots(chart, points + i, 1, shape, 3.5, &dot);
}

static tlu_status draw_chart(struct plot *plot, const struct stream_progress *progress,
                             tlu_error *error)
{
    const struct theme *theme = plot->theme;
    struct style recent = line_style(theme_series(theme, 0), 2, 0);
    struct style all = line_style(theme_series(theme, 1), 2, 0);
    char last[COUNTED_SIZE], window[COUNTED_SIZE + 8];
    snprintf(window, sizeof window, "last %s", counted(last, (uint64_t)progress->window, "", ""));
    const struct legend_entry legend[] = {{window, LEGEND_DOT, class_style(theme, 0), SHAPE_CIRCLE},
                                          {progress->runs > 1 ? "all of a run" : "all so far",
                                           LEGEND_DOT, class_style(theme, 1), SHAPE_SQUARE}};
    struct chart chart = {
        .x = {.low = progress->logarithmic ? 1 : 0,
              .high = progress->last,
              .label = "labelled rows",
              .whole = true,
              .logarithmic = progress->logarithmic},
        .y = {.low = 0, .high = 1, .label = "accuracy", .percent = true},
        .legend = legend,
        .legend_count = 2,
    };
    TRY(plot_chart(plot, &chart, error));
    draw_restarts(&chart, progress);
    draw_curve(&chart, progress, progress->all, SHAPE_SQUARE, &all);
    draw_curve(&chart, progress, progress->recent, SHAPE_CIRCLE, &recent);
    chart_end(&chart);
    return TLU_OK;
}

// ---- caption and figures

static void describe(struct plot *plot, const struct stream_progress *progress)
{
    const struct stream_report *at = progress->at;
    char of_last[AMOUNT_SIZE], of_all[AMOUNT_SIZE], rows[COUNTED_SIZE], last[COUNTED_SIZE];
    tlu_picture *picture = plot->picture;
    picture_figure(picture, "reports", (double)progress->points);
    picture_figure(picture, "runs", (double)progress->runs);
    picture_figure(picture, "examples", at->examples);
    picture_figure(picture, "learned", at->learned);
    picture_figure(picture, "accuracy", at->accuracy);
    picture_figure(picture, "window", at->window);
    picture_figure(picture, "window_accuracy", at->window_accuracy);
    picture_figure(picture, "logarithmic", progress->logarithmic);
    plot_title(plot, "Accuracy of a stream");
    say(plot,
        "After %s: accuracy %s%% on the last %sand %s%% on all %s. Each row was predicted before "
        "training on it.",
        counted(rows, (uint64_t)at->examples, "labelled row", "labelled rows"),
        to_places(of_last, 2, 100 * at->window_accuracy),
        counted(last, (uint64_t)at->window, "", ""), to_places(of_all, 2, 100 * at->accuracy),
        progress->runs > 1 ? "of the last run" : "so far");
    if (progress->runs > 1)
        say(plot, " %zu runs%s.", progress->runs,
            progress->log.run_count > RESTARTS_SEEN ? ""
                                                    : "; a dashed line marks the start of each");
    if (progress->before > 0)
        say(plot, " The model had already been trained on %s.",
            counted(rows, (uint64_t)progress->before, "row", "rows"));
    if (progress->log.unfinished)
        say(plot, " The last line of the log is incomplete and is left out.");
}

static tlu_status plot_progress(struct plot *plot, tlu_error *error)
{
    struct stream_progress progress = {.at = NULL};
    tlu_status status = prepare(&progress, plot, error);
    if (status == TLU_OK) {
        describe(plot, &progress);
        status = draw_chart(plot, &progress, error);
    }
    log_free(&progress.log);
    return status;
}

tlu_status tlu_plot_progress(const char *path, const tlu_picture_style *style,
                             tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct plot plot = {.path = path};
    return plot_file(plot_progress, &plot, NULL, style, picture, error);
}
