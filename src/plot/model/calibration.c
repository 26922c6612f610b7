// A reliability diagram: observed frequency against predicted probability. The bins are those of
// the metric ece. With two classes, rows are binned by the probability of the positive class; with
// more, by that of the predicted class.
#include "base/memory.h"
#include "base/options.h"
#include "model/evaluate/internal.h"
#include "plot/model/model_plot.h"

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
    double ece, log_loss;
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
        TRY(metrics_add(metrics, reliability->model, reader, batch, tlu_reader_predictions(reader),
                        error));
        for (size_t i = 0; i < batch->rows; i++)
            if (batch->labels[i] != TLU_NO_LABEL && batch->labels[i] != TLU_UNKNOWN_LABEL)
                add_row(reliability, batch->labels[i],
                        metrics->probabilities + i * metrics->measure.classes,
                        metrics->weighted ? metrics->weights[i] : 1);
    }
}

static tlu_status read_rows(struct reliability *reliability, const char *path,
                            const tlu_options *options, tlu_error *error)
{
    tlu_reader *reader = NULL;
    TRY(metrics_begin(&reliability->metrics, reliability->model, options, 0, error));
    TRY(model_read(reliability->model, path, &(struct row_source){0}, options, &reader, error));
    tlu_status status = add_rows(reliability, reader, error);
    tlu_reader_close(reader);
    TRY(status);
    if (reliability->rows == 0)
        return error_at(error, path, 0, 0, "has no rows with a label that the model knows");
    return metrics_end(&reliability->metrics, error);
}

static tlu_status measure_model(struct reliability *reliability, const struct plot *plot,
                                tlu_error *error)
{
    TRY(tlu_model_probabilities(reliability->model, NULL, NULL, error));
    tlu_options *options = options_copy(plot->options);
    tlu_status status = enough_memory(options, error);
    if (status == TLU_OK)
        status = tlu_options_set(options, "metric", METRICS, error);
    if (status == TLU_OK)
        status = read_rows(reliability, plot->path, options, error);
    tlu_options_free(options);
    return status;
}

static tlu_status add_figures(struct plot *plot, struct reliability *reliability, tlu_error *error)
{
    reliability->ece = reliability->metrics.measured[0].value;
    reliability->log_loss = reliability->metrics.measured[1].value;
    TRY(picture_figure(plot->picture, "ece", reliability->ece, error));
    TRY(picture_figure(plot->picture, "log-loss", reliability->log_loss, error));
    return picture_figure(plot->picture, "rows", (double)reliability->rows, error);
}

// ---- caption

static void describe(struct description *description, const struct plot *plot,
                     const struct reliability *reliability)
{
    char name[NAME_SIZE], rows[COUNTED_SIZE], ece[AMOUNT_SIZE], loss[AMOUNT_SIZE];
    size_t positive = tlu_model_positive_class(reliability->model);
    description_title(description, plot, "Calibration: %s", file_name(plot, name));
    if (positive == TLU_NONE)
        description_add(description,
                        "Rows by the probability that the model gives its guess, across, and "
                        "the share of them whose guess is right, up");
    else
        description_add(
            description,
            "Rows by the probability that the model gives '%s', across, and the share of "
            "them that are so, up",
            class_name(reliability->model, positive, name));
    description_add(
        description,
        "; on the diagonal probabilities mean what they say. The expected calibration "
        "error, the mean distance from it, is %s; log loss %s. Bars: how the %s spread over the "
        "probabilities.",
        to_places(ece, 4, reliability->ece), to_places(loss, 4, reliability->log_loss),
        counted(rows, reliability->rows, "row is", "rows are"));
}

// ---- drawing

static uint64_t most_rows(const struct reliability *reliability)
{
    uint64_t most = 1;
    for (size_t b = 0; b < CALIBRATION_BINS; b++)
        most = reliability->bins[b].rows > most ? reliability->bins[b].rows : most;
    return most;
}

static void draw_bars(struct chart *chart, const struct reliability *reliability,
                      const struct style *style)
{
    double most = (double)most_rows(reliability);
    for (size_t b = 0; b < CALIBRATION_BINS; b++) {
        double from = (double)b / CALIBRATION_BINS, to = (double)(b + 1) / CALIBRATION_BINS;
        double height = BARS * (double)reliability->bins[b].rows / most;
        if (height > 0)
            chart_box(chart, (struct point){from, 0}, (struct point){to, height}, style);
    }
}

static void draw_bins(struct chart *chart, const struct reliability *reliability,
                      const struct style *line, const struct style *dot)
{
    struct point at[CALIBRATION_BINS];
    size_t count = 0;
    double most = (double)most_rows(reliability);
    for (size_t b = 0; b < CALIBRATION_BINS; b++) {
        const struct reliability_bin *bin = &reliability->bins[b];
        if (bin->weight > 0)
            at[count++] = (struct point){bin->expected / bin->weight, bin->hits / bin->weight};
    }
    chart_curve(chart, at, count, line);
    count = 0;
    for (size_t b = 0; b < CALIBRATION_BINS; b++) {
        const struct reliability_bin *bin = &reliability->bins[b];
        if (bin->weight > 0)
            chart_dots(chart, &at[count++], 1, SHAPE_CIRCLE, 3 + 4 * sqrt((double)bin->rows / most),
                       dot);
    }
}

struct axis_labels {
    char across[NAME_SIZE + 40], up[NAME_SIZE + 40], bars[COUNTED_SIZE + 24];
};

static void write_labels(struct axis_labels *labels, const struct reliability *reliability)
{
    char number[COUNTED_SIZE], name[NAME_SIZE];
    size_t positive = tlu_model_positive_class(reliability->model);
    snprintf(labels->bars, sizeof labels->bars, "rows (highest bar: %s)",
             grouped(number, most_rows(reliability)));
    if (positive == TLU_NONE) {
        snprintf(labels->across, sizeof labels->across, "predicted probability");
        snprintf(labels->up, sizeof labels->up, "share of correct predictions");
        return;
    }
    class_name(reliability->model, positive, name);
    snprintf(labels->across, sizeof labels->across, "probability of %s", name);
    snprintf(labels->up, sizeof labels->up, "share of %s", name);
}

static tlu_status draw(struct plot *plot, const struct reliability *reliability, tlu_error *error)
{
    struct description description = {0};
    struct axis_labels labels;
    struct page *page;
    const struct theme *theme = plot->picture->theme;
    const struct style line = line_style(theme->series[0], 2, 0);
    const struct style dot = edged_style(theme->series[0], theme->panel, 0.8);
    const struct style ideal = line_style(theme->faint, 1, 4);
    colour pale = colour_mix(theme->panel, theme->faint, 0.25);
    const struct style bar = edged_style(pale, theme->panel, 1);
    const struct legend_entry legend[] = {
        {"the model", LEGEND_LINE, line, SHAPE_CIRCLE},
        {"perfectly calibrated", LEGEND_LINE, ideal, SHAPE_CIRCLE},
        {labels.bars, LEGEND_AREA, bar, SHAPE_CIRCLE}};
    write_labels(&labels, reliability);
    describe(&description, plot, reliability);
    TRY(picture_add_page(plot->picture, &page, error));
    struct chart chart = {.page = page,
                          .place = page_whole(page),
                          .title = description.title,
                          .caption = description.caption,
                          .x = {.low = 0, .high = 1, .label = labels.across, .percent = true},
                          .y = {.low = 0, .high = 1, .label = labels.up, .percent = true},
                          .legend = legend,
                          .legend_count = 3};
    chart_begin(&chart);
    draw_bars(&chart, reliability, &bar);
    chart_line(&chart, (struct point){0, 0}, (struct point){1, 1}, &ideal);
    draw_bins(&chart, reliability, &line, &dot);
    chart_end(&chart);
    TRY(description_set(&description, plot, error));
    return page_end(page, error);
}

tlu_status plot_calibration(struct plot *plot, const void *settings, tlu_error *error)
{
    (void)settings;
    struct reliability reliability = {.model = plot->model};
    tlu_status status = measure_model(&reliability, plot, error);
    if (status == TLU_OK)
        status = add_figures(plot, &reliability, error);
    if (status == TLU_OK)
        status = draw(plot, &reliability, error);
    metrics_free(&reliability.metrics);
    return status;
}
