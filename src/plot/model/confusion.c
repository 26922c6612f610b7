// The confusion matrix: one row per true class, one column per predicted class. The colour shows
// the share of the row.
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "plot/model/model_plot.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#define CELLS_MAX 60     // with more classes a cell is a pixel
#define CLASSES_MAX 2000 // more would exceed the pixels

struct matrix {
    const tlu_evaluation *evaluation;
    size_t classes;
    const char **across; // [classes] names
    const char **up;     // the same from below
    struct chart chart;
};

static uint64_t count_at(const struct matrix *matrix, size_t label, size_t predicted)
{
    return matrix->evaluation->confusion[label * matrix->classes + predicted];
}

static double share_at(const struct matrix *matrix, size_t label, size_t predicted)
{
    uint64_t rows = matrix->evaluation->per_class[label].support;
    return rows ? (double)count_at(matrix, label, predicted) / (double)rows : 0;
}

static colour right_colour(const struct theme *theme)
{
    return theme->series[0];
}

// The square root of the share makes small shares visible.
static colour cell_colour(const struct matrix *matrix, size_t label, size_t predicted)
{
    const struct theme *theme = matrix->chart.page->picture->theme;
    double share = share_at(matrix, label, predicted);
    if (share == 0)
        return theme->panel;
    return colour_mix(theme->panel, label == predicted ? right_colour(theme) : theme->wrong,
                      0.06 + 0.84 * sqrt(share));
}

static double brightness(colour of)
{
    return 0.3 * (of >> 16 & 255) + 0.59 * (of >> 8 & 255) + 0.11 * (of & 255);
}

// Ink or panel, whichever has more contrast.
static colour text_colour(const struct theme *theme, colour ground)
{
    double ink = fabs(brightness(theme->ink) - brightness(ground));
    return ink > fabs(brightness(theme->panel) - brightness(ground)) ? theme->ink : theme->panel;
}

// ---- text of cells: nothing, counts, or counts and shares

static size_t lines_of_text(const struct matrix *matrix, const struct text_style *font)
{
    const struct chart *chart = &matrix->chart;
    double width = box_width(&chart->area) / (double)matrix->classes;
    double height = box_height(&chart->area) / (double)matrix->classes;
    double line = page_text_height(chart->page, font), widest = 0;
    char text[COUNTED_SIZE];
    for (size_t i = 0; i < matrix->classes * matrix->classes; i++) {
        grouped(text, matrix->evaluation->confusion[i]);
        widest = fmax(widest, page_text_width(chart->page, text, font));
    }
    double space = picture_is_text(chart->page->picture) ? CELL_WIDTH : 4;
    if (widest + space > width || line > height)
        return 0;
    return page_text_width(chart->page, "100.0%", font) + space > width || 2 * line + 2 > height
               ? 1
               : 2;
}

static void write_cell(struct matrix *matrix, size_t label, size_t predicted, size_t lines,
                       struct text_style font)
{
    struct chart *chart = &matrix->chart;
    struct point at = {(double)predicted, (double)(matrix->classes - 1 - label)};
    char text[COUNTED_SIZE], share[AMOUNT_SIZE];
    if (count_at(matrix, label, predicted) == 0 && matrix->classes > 3)
        return;
    font.colour = text_colour(chart->page->picture->theme, cell_colour(matrix, label, predicted));
    font.along = lines == 2 ? ALIGN_END : ALIGN_MIDDLE;
    grouped(text, count_at(matrix, label, predicted));
    chart_note(chart, at, text, &font);
    if (lines < 2)
        return;
    font.along = ALIGN_START;
    snprintf(text, sizeof text, "%.30s%%",
             to_places(share, 1, 100 * share_at(matrix, label, predicted)));
    chart_note(chart, at, text, &font);
}

// ---- drawing

static void draw_cells(struct matrix *matrix)
{
    struct chart *chart = &matrix->chart;
    const struct theme *theme = chart->page->picture->theme;
    const struct text_style font = {.size = chart->text, .across = ALIGN_MIDDLE};
    size_t lines = lines_of_text(matrix, &font);
    bool narrow = box_height(&chart->area) < 6 * (double)matrix->classes;
    for (size_t label = 0; label < matrix->classes; label++) {
        for (size_t predicted = 0; predicted < matrix->classes; predicted++) {
            struct point at = {(double)predicted, (double)(matrix->classes - 1 - label)};
            struct style style =
                edged_style(cell_colour(matrix, label, predicted), theme->grid, 0.5);
            if (picture_is_text(chart->page->picture) || narrow)
                style.line = COLOUR_NONE;
            chart_box(chart, (struct point){at.x - 0.5, at.y - 0.5},
                      (struct point){at.x + 0.5, at.y + 0.5}, &style);
            if (lines)
                write_cell(matrix, label, predicted, lines, font);
        }
    }
}

static void draw_pixels(struct matrix *matrix)
{
    size_t classes = matrix->classes;
    colour *pixels = memory_new(classes * classes, sizeof *pixels);
    if (!pixels) {
        matrix->chart.page->picture->failed = true;
        return;
    }
    for (size_t i = 0; i < classes * classes; i++)
        pixels[i] = cell_colour(matrix, i / classes, i % classes);
    page_image(matrix->chart.page, &matrix->chart.area, pixels, classes, classes);
    memory_free(pixels);
}

static tlu_status draw(struct plot *plot, struct matrix *matrix, tlu_error *error)
{
    const struct legend_entry legend[] = {
        {"correct", LEGEND_AREA, fill_style(right_colour(plot->theme)), SHAPE_CIRCLE},
        {"wrong", LEGEND_AREA, fill_style(plot->theme->wrong), SHAPE_CIRCLE}};
    double end = (double)matrix->classes - 0.5;
    matrix->chart = (struct chart){
        .x = {-0.5, end, "predicted class", .names = matrix->across, .name_count = matrix->classes},
        .y = {-0.5, end, "true class", .names = matrix->up, .name_count = matrix->classes},
        .legend = legend,
        .legend_count = 2};
    TRY(plot_chart(plot, &matrix->chart, error));
    if (matrix->classes > CELLS_MAX)
        draw_pixels(matrix);
    else
        draw_cells(matrix);
    chart_end(&matrix->chart);
    return TLU_OK;
}

// ---- caption

// The most frequent mistake; false: there is none.
static bool find_worst(const struct matrix *matrix, size_t *label, size_t *predicted)
{
    uint64_t most = 0;
    for (size_t i = 0; i < matrix->classes * matrix->classes; i++) {
        size_t row = i / matrix->classes, column = i % matrix->classes;
        if (row == column || count_at(matrix, row, column) <= most)
            continue;
        most = count_at(matrix, row, column);
        *label = row;
        *predicted = column;
    }
    return most > 0;
}

static void tell(struct plot *plot, const struct matrix *matrix)
{
    const tlu_evaluation *evaluation = matrix->evaluation;
    uint64_t unknown = evaluation->reader_stats->unknown_labels;
    char name[NAME_SIZE], other[NAME_SIZE], right[COUNTED_SIZE], rows[COUNTED_SIZE];
    char share[AMOUNT_SIZE];
    size_t label, predicted;
    plot_title(plot, "Confusion matrix: %s", file_name(plot, name));
    say(plot, "%s of %s correct (%s%%).", grouped(right, evaluation->correct),
        counted(rows, evaluation->examples, "row", "rows"),
        to_places(share, 2, 100 * evaluation->accuracy));
    if (find_worst(matrix, &label, &predicted)) {
        uint64_t count = count_at(matrix, label, predicted);
        say(plot, " Most frequent error: '%s' predicted as '%s', %s.",
            class_name(plot->model, label, name), class_name(plot->model, predicted, other),
            count == 1 ? "once" : counted(rows, count, "", "times"));
    }
    say(plot, " Colours show shares of the true class.");
    if (unknown)
        say(plot, " %s a label that the model does not know.",
            counted(rows, unknown, "row has", "rows have"));
}

static tlu_status plot_confusion(struct plot *plot, tlu_error *error)
{
    size_t classes = tlu_model_class_count(plot->model);
    if (classes > CLASSES_MAX)
        return error_input(error,
                           "the model has %zu classes, more than the %d that fit; tlu eval "
                           "--json prints all counts",
                           classes, CLASSES_MAX);
    TRY(plot_evaluate(plot, "accuracy", false, error));
    struct matrix matrix = {.evaluation = plot->evaluation,
                            .classes = classes,
                            .across = plot_new(plot, classes, sizeof *matrix.across),
                            .up = plot_new(plot, classes, sizeof *matrix.up)};
    TRY(enough_memory(matrix.across && matrix.up, error));
    for (size_t c = 0; c < classes; c++)
        matrix.across[c] = matrix.up[classes - 1 - c] = tlu_model_class_label(plot->model, c);
    plot_metric(plot, "accuracy");
    picture_figure(plot->picture, "rows", (double)plot->evaluation->examples);
    picture_figure(plot->picture, "right", (double)plot->evaluation->correct);
    tell(plot, &matrix);
    return draw(plot, &matrix, error);
}

tlu_status tlu_plot_confusion(const tlu_model *model, const char *path, const tlu_options *options,
                              const tlu_picture_style *style, tlu_picture **picture,
                              tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    assert(model);
    struct plot plot = {.path = path, .model = model};
    return plot_file(plot_confusion, &plot, options, style, picture, error);
}
