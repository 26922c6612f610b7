// A reliability diagram: observed frequency against predicted probability. The bins are those of
// the metric ece. With two classes, rows are binned by the probability of the positive class; with
// more, by that of the predicted class.
#include "base/call/fp_env.h"
#include "model/evaluate/internal.h"
#include "plot/model/model_plot.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#define METRICS "ece,log-loss"
#define BARS 0.25 // height of the histogram, as a fraction of the chart

struct reliability_bin {
    uint64_t rows;
    double weight, expected, hits; // sums of row weights: all, times probability, of right rows
};

struct reliability {
    const tlu_model *model;
    struct metrics metrics;
    struct reliability_bin bins[CALIBRATION_BINS];
    uint64_t rows;
};

// ---- the rows

// The class whose probability selects the bin.
static size_t binned_class(const struct reliability *reliability, const double *probabilities)
{
    size_t positive = tlu_model_positive_class(reliability->model), best = 0;
    if (positive != TLU_NONE)
        return positive;
    for (size_t c = 1; c < reliability->metrics.measure.classes; c++)
        if (probabilities[c] > probabilities[best])
            best = c;
    return best;
}

static void add_row(struct reliability *reliability, uint32_t label, const double *probabilities,
                    double weight)
{
    size_t class_index = binned_class(reliability, probabilities);
    double probability = probabilities[class_index];
    size_t bin = probability > 0 ? (size_t)(probability * CALIBRATION_BINS) : 0;
    struct reliability_bin *into =
        &reliability->bins[bin < CALIBRATION_BINS ? bin : CALIBRATION_BINS - 1];
    into->rows++;
    into->weight += weight;
    into->expected += weight * probability;
    into->hits += label == class_index ? weight : 0;
    reliability->rows++;
}

static tlu_status add_rows(struct reliability *reliability, tlu_reader *reader, tlu_error *error)
{
    struct metrics *metrics = &reliability->metrics;
    const tlu_batch *batch;
    TRY(tlu_reader_predict(reader, 1, NULL, NULL, error));
    for (;;) {
        TRY(tlu_reader_next(reader, &batch, error));
        if (!batch)
            return TLU_OK;
        TRY(metrics_take(metrics, reader, batch->rows, error));
        TRY(metrics_add(metrics, reliability->model, batch->labels, tlu_reader_predictions(reader),
                        error));
        for (size_t i = 0; i < batch->rows; i++)
            if (batch->labels[i] != TLU_NO_LABEL && batch->labels[i] != TLU_UNKNOWN_LABEL)
                add_row(reliability, batch->labels[i],
                        metrics->probabilities + i * metrics->measure.classes,
                        metrics->weighted ? metrics->weights[i] : 1);
    }
}

static tlu_status read_rows(struct reliability *reliability, const struct plot *plot,
                            tlu_error *error)
{
    tlu_reader *reader = NULL;
    TRY(tlu_model_probabilities(plot->model, NULL, NULL, error));
    TRY(tlu_options_set(plot->options, "metric", METRICS, error));
    TRY(metrics_begin(&reliability->metrics, plot->model, plot->options, 0, error));
    TRY(model_read(plot->model, plot->path, &(struct row_source){0}, plot->options, &reader,
                   error));
    tlu_status status = add_rows(reliability, reader, error);
    tlu_reader_close(reader);
    TRY(status);
    if (reliability->rows == 0)
        return error_at(error, plot->path, 0, 0, "has no rows with a label that the model knows");
    return metrics_end(&reliability->metrics, error);
}

static void describe(struct plot *plot, const struct reliability *reliability)
{
    char name[NAME_SIZE], rows[COUNTED_SIZE], ece[AMOUNT_SIZE], loss[AMOUNT_SIZE];
    size_t positive = tlu_model_positive_class(reliability->model);
    const tlu_metric_value *measured = reliability->metrics.measured;
    picture_figure(plot->picture, "ece", measured[0].value);
    picture_figure(plot->picture, "log-loss", measured[1].value);
    picture_figure(plot->picture, "rows", (double)reliability->rows);
    plot_title(plot, "Calibration curve: %s", file_name(plot, name));
    if (positive == TLU_NONE)
        say(plot,
            "Predicted probability of the predicted class (x) against the share of rows whose "
            "prediction is correct (y)");
    else
        say(plot,
            "Predicted probability of '%s' (x) against the share of rows that have this label (y)",
            class_name(reliability->model, positive, name));
    say(plot,
        "; the diagonal is perfect calibration. Expected calibration error %s, the mean distance "
        "from the diagonal; log loss %s. Bars: how the %s distributed over the probabilities.",
        to_places(ece, 4, measured[0].value), to_places(loss, 4, measured[1].value),
        counted(rows, reliability->rows, "row is", "rows are"));
}

// ---- drawing

static double most_rows(const struct reliability *reliability)
{
    uint64_t most = 1;
    for (size_t b = 0; b < CALIBRATION_BINS; b++)
        most = reliability->bins[b].rows > most ? reliability->bins[b].rows : most;
    return (double)most;
}

static void draw_bins(struct chart *chart, const struct reliability *reliability,
                      const struct style *bar, const struct style *ideal, const struct style *line)
{
    struct point at[CALIBRATION_BINS];
    struct style dot = edged_style(line->line, chart->page->picture->theme->panel, 0.8);
    size_t count = 0;
    double most = most_rows(reliability);
    for (size_t b = 0; b < CALIBRATION_BINS; b++) {
        const struct reliability_bin *bin = &reliability->bins[b];
        double from = (double)b / CALIBRATION_BINS, to = (double)(b + 1) / CALIBRATION_BINS;
        double height = BARS * (double)bin->rows / most;
        if (height > 0)
            chart_box(chart, (struct point){from, 0}, (struct point){to, height}, bar);
        if (bin->weight > 0)
            at[count++] = (struct point){bin->expected / bin->weight, bin->hits / bin->weight};
    }
    chart_line(chart, (struct point){0, 0}, (struct point){1, 1}, ideal);
    chart_curve(chart, at, count, line);
    count = 0;
    for (size_t b = 0; b < CALIBRATION_BINS; b++) {
        const struct reliability_bin *bin = &reliability->bins[b];
        if (bin->weight > 0)
            chart_dots(chart, &at[count++], 1, SHAPE_CIRCLE, 3 + 4 * sqrt((double)bin->rows / most),
                       &dot);
    }
}

static tlu_status draw(struct plot *plot, const struct reliability *reliability, tlu_error *error)
{
    char across[NAME_SIZE + 40], up[NAME_SIZE + 40], bars[COUNTED_SIZE + 24];
    char number[COUNTED_SIZE], name[NAME_SIZE] = "";
    size_t positive = tlu_model_positive_class(plot->model);
    const struct theme *theme = plot->theme;
    const struct style line = line_style(theme->series[0], 2, 0);
    const struct style ideal = line_style(theme->faint, 1, 4);
    const struct style bar =
        edged_style(colour_mix(theme->panel, theme->faint, 0.25), theme->panel, 1);
    const struct legend_entry legend[] = {
        {"the model", LEGEND_LINE, line, SHAPE_CIRCLE},
        {"perfectly calibrated", LEGEND_LINE, ideal, SHAPE_CIRCLE},
        {bars, LEGEND_AREA, bar, SHAPE_CIRCLE}};
    snprintf(bars, sizeof bars, "rows (highest bar: %s)",
             grouped(number, (uint64_t)most_rows(reliability)));
    if (positive != TLU_NONE)
        class_name(plot->model, positive, name);
    snprintf(across, sizeof across, "%s%s",
             positive == TLU_NONE ? "predicted probability" : "probability of ", name);
    snprintf(up, sizeof up, "%s%s",
             positive == TLU_NONE ? "share of correct predictions" : "share of ", name);
    struct chart chart = {.x = {.low = 0, .high = 1, .label = across, .percent = true},
                          .y = {.low = 0, .high = 1, .label = up, .percent = true},
                          .legend = legend,
                          .legend_count = 3};
    TRY(plot_chart(plot, &chart, error));
    draw_bins(&chart, reliability, &bar, &ideal, &line);
    chart_end(&chart);
    return TLU_OK;
}

static tlu_status plot_calibration(struct plot *plot, tlu_error *error)
{
    struct reliability reliability = {.model = plot->model};
    tlu_status status = read_rows(&reliability, plot, error);
    if (status == TLU_OK) {
        describe(plot, &reliability);
        status = draw(plot, &reliability, error);
    }
    metrics_free(&reliability.metrics);
    return status;
}

tlu_status tlu_plot_calibration(const tlu_model *model, const char *path,
                                const tlu_options *options, const tlu_picture_style *style,
                                tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    assert(model);
    struct plot plot = {.path = path, .model = model};
    return plot_file(plot_calibration, &plot, options, style, picture, error);
}
