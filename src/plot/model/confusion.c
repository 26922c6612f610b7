// The confusion matrix: one row per true class, one column per predicted class. The colour shows
// the share of the row.
#include "base/memory.h"
#include "plot/model/model_plot.h"

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

static uint64_t count_at(const struct matrix *matrix, size_t label, size_t guess)
{
    return matrix->evaluation->confusion[label * matrix->classes + guess];
}

static double share_at(const struct matrix *matrix, size_t label, size_t guess)
{
    uint64_t rows = matrix->evaluation->per_class[label].support;
    return rows ? (double)count_at(matrix, label, guess) / (double)rows : 0;
}

static colour right_colour(const struct theme *theme)
{
    return theme->series[0];
}

// The square root of the share makes small shares visible.
static colour cell_colour(const struct matrix *matrix, size_t label, size_t guess)
{
    const struct theme *theme = matrix->chart.page->picture->theme;
    double share = share_at(matrix, label, guess);
    if (share == 0)
        return theme->panel;
    return colour_mix(theme->panel, label == guess ? right_colour(theme) : theme->wrong,
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

static void write_cell(struct matrix *matrix, size_t label, size_t guess, size_t lines,
                       struct text_style font)
{
    struct chart *chart = &matrix->chart;
    struct point at = {(double)guess, (double)(matrix->classes - 1 - label)};
    char text[COUNTED_SIZE], share[AMOUNT_SIZE];
    if (count_at(matrix, label, guess) == 0 && matrix->classes > 3)
        return;
    font.colour = text_colour(chart->page->picture->theme, cell_colour(matrix, label, guess));
    font.along = lines == 2 ? ALIGN_END : ALIGN_MIDDLE;
    grouped(text, count_at(matrix, label, guess));
    chart_note(chart, at, text, &font);
    if (lines < 2)
        return;
    font.along = ALIGN_START;
    snprintf(text, sizeof text, "%.30s%%",
             to_places(share, 1, 100 * share_at(matrix, label, guess)));
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
        for (size_t guess = 0; guess < matrix->classes; guess++) {
            struct point at = {(double)guess, (double)(matrix->classes - 1 - label)};
            struct style style = edged_style(cell_colour(matrix, label, guess), theme->grid, 0.5);
            if (picture_is_text(chart->page->picture) || narrow)
                style.line = COLOUR_NONE;
            chart_box(chart, (struct point){at.x - 0.5, at.y - 0.5},
                      (struct point){at.x + 0.5, at.y + 0.5}, &style);
            if (lines)
                write_cell(matrix, label, guess, lines, font);
        }
    }
}

static void draw_pixels(struct matrix *matrix)
{
    size_t classes = matrix->classes;
    colour *pixels = memory_new(classes * classes, sizeof *pixels);
    if (!pixels) {
        matrix->chart.page->failed = true;
        return;
    }
    for (size_t i = 0; i < classes * classes; i++)
        pixels[i] = cell_colour(matrix, i / classes, i % classes);
    page_image(matrix->chart.page, &matrix->chart.area, pixels, classes, classes);
    memory_free(pixels);
}

static tlu_status draw(struct plot *plot, struct matrix *matrix,
                       const struct description *description, tlu_error *error)
{
    const struct theme *theme = plot->picture->theme;
    const struct legend_entry legend[] = {
        {"right", LEGEND_AREA, fill_style(right_colour(theme)), SHAPE_CIRCLE},
        {"wrong", LEGEND_AREA, fill_style(theme->wrong), SHAPE_CIRCLE}};
    struct page *page;
    TRY(picture_add_page(plot->picture, &page, error));
    double end = (double)matrix->classes - 0.5;
    matrix->chart = (struct chart){
        .page = page,
        .place = page_whole(page),
        .title = description->title,
        .caption = description->caption,
        .x = {-0.5, end, "predicted class", .names = matrix->across, .name_count = matrix->classes},
        .y = {-0.5, end, "true class", .names = matrix->up, .name_count = matrix->classes},
        .legend = legend,
        .legend_count = 2};
    chart_begin(&matrix->chart);
    if (matrix->classes > CELLS_MAX)
        draw_pixels(matrix);
    else
        draw_cells(matrix);
    chart_end(&matrix->chart);
    return page_end(page, error);
}

// ---- caption

// The most frequent mistake; false: there is none.
static bool find_worst(const struct matrix *matrix, size_t *label, size_t *guess)
{
    uint64_t most = 0;
    for (size_t i = 0; i < matrix->classes * matrix->classes; i++) {
        size_t row = i / matrix->classes, column = i % matrix->classes;
        if (row == column || count_at(matrix, row, column) <= most)
            continue;
        most = count_at(matrix, row, column);
        *label = row;
        *guess = column;
    }
    return most > 0;
}

static void tell_worst(struct description *description, const tlu_model *model,
                       const struct matrix *matrix)
{
    char name[NAME_SIZE], other[NAME_SIZE], times[COUNTED_SIZE];
    size_t label, guess;
    if (!find_worst(matrix, &label, &guess))
        return;
    description_add(description, " The most frequent mistake: '%s' is predicted as '%s', ",
                    class_name(model, label, name), class_name(model, guess, other));
    uint64_t count = count_at(matrix, label, guess);
    description_add(description, "%s.", count == 1 ? "once" : counted(times, count, "", "times"));
}

static void tell(struct description *description, const struct plot *plot,
                 const struct matrix *matrix)
{
    const tlu_evaluation *evaluation = matrix->evaluation;
    uint64_t unknown = evaluation->reader_stats->unknown_labels;
    char name[NAME_SIZE], right[COUNTED_SIZE], rows[COUNTED_SIZE], share[AMOUNT_SIZE];
    description_title(description, plot, "Confusion matrix: %s", file_name(plot, name));
    description_add(description, "%s of %s right: %s%%.", grouped(right, evaluation->correct),
                    counted(rows, evaluation->examples, "row is", "rows are"),
                    to_places(share, 2, 100 * evaluation->accuracy));
    tell_worst(description, plot->model, matrix);
    description_add(description, " The colour shows the share of the rows of the true class.");
    if (unknown)
        description_add(description, " %s a label that the model does not know.",
                        counted(rows, unknown, "row has", "rows have"));
}

static tlu_status add_figures(struct plot *plot, const struct matrix *matrix, tlu_error *error)
{
    const tlu_evaluation *evaluation = matrix->evaluation;
    double accuracy;
    TRY(plot_metric(plot, evaluation, "accuracy", &accuracy, error));
    TRY(picture_figure(plot->picture, "rows", (double)evaluation->examples, error));
    return picture_figure(plot->picture, "right", (double)evaluation->correct, error);
}

static tlu_status make_and_draw(struct plot *plot, struct matrix *matrix, tlu_error *error)
{
    struct description description = {0};
    const tlu_model *model = plot->model;
    matrix->across = memory_new(matrix->classes, sizeof *matrix->across);
    matrix->up = memory_new(matrix->classes, sizeof *matrix->up);
    TRY(enough_memory(matrix->across && matrix->up, error));
    for (size_t c = 0; c < matrix->classes; c++)
        matrix->across[c] = matrix->up[matrix->classes - 1 - c] = tlu_model_class_label(model, c);
    TRY(add_figures(plot, matrix, error));
    tell(&description, plot, matrix);
    TRY(description_set(&description, plot, error));
    return draw(plot, matrix, &description, error);
}

tlu_status plot_confusion(struct plot *plot, const void *settings, tlu_error *error)
{
    (void)settings;
    size_t classes = tlu_model_class_count(plot->model);
    tlu_evaluation *evaluation;
    if (classes > CLASSES_MAX)
        return error_input(error,
                           "the model has %zu classes, more than the %d that fit; tlu eval "
                           "--json prints all counts",
                           classes, CLASSES_MAX);
    TRY(plot_evaluate(plot, "accuracy", false, &evaluation, error));
    struct matrix matrix = {.evaluation = evaluation, .classes = classes};
    tlu_status status = make_and_draw(plot, &matrix, error);
    memory_free(matrix.across);
    memory_free(matrix.up);
    tlu_evaluation_free(evaluation);
    return status;
}
