// The confusion matrix: a row for each class that rows have, a column for each that they are taken
// for. The stronger the colour, the larger the share of the row.
#include "base/memory.h"
#include "plot/answers/answers.h"

#include <math.h>
#include <stdio.h>

#define CELLS_MAX 60     // with more classes a cell is a pixel
#define CLASSES_MAX 2000 // more than pixels

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

// What is there at all can be seen: by the root of the share.
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

// Of ink and panel the one that differs more.
static colour text_colour(const struct theme *theme, colour ground)
{
    double ink = fabs(brightness(theme->ink) - brightness(ground));
    return ink > fabs(brightness(theme->panel) - brightness(ground)) ? theme->ink : theme->panel;
}

// ---- how much is written into cells: nothing, counts, or shares below them as well

static size_t lines_of_text(const struct matrix *matrix, const struct letters *letters)
{
    const struct chart *chart = &matrix->chart;
    double width = box_width(&chart->area) / (double)matrix->classes;
    double height = box_height(&chart->area) / (double)matrix->classes;
    double line = page_text_height(chart->page, letters), widest = 0;
    char text[COUNTED_SIZE];
    for (size_t i = 0; i < matrix->classes * matrix->classes; i++) {
        grouped(text, matrix->evaluation->confusion[i]);
        widest = fmax(widest, page_text_width(chart->page, text, letters));
    }
    double room = picture_is_text(chart->page->picture) ? CELL_WIDTH : 4;
    if (widest + room > width || line > height)
        return 0;
    return page_text_width(chart->page, "100.0%", letters) + room > width || 2 * line + 2 > height
               ? 1
               : 2;
}

static void write_cell(struct matrix *matrix, size_t label, size_t guess, size_t lines,
                       struct letters letters)
{
    struct chart *chart = &matrix->chart;
    struct point at = {(double)guess, (double)(matrix->classes - 1 - label)};
    char text[COUNTED_SIZE], share[AMOUNT_SIZE];
    if (count_at(matrix, label, guess) == 0 && matrix->classes > 3)
        return;
    letters.colour = text_colour(chart->page->picture->theme, cell_colour(matrix, label, guess));
    letters.along = lines == 2 ? ALIGN_END : ALIGN_MIDDLE;
    grouped(text, count_at(matrix, label, guess));
    chart_note(chart, at, text, &letters);
    if (lines < 2)
        return;
    letters.along = ALIGN_START;
    snprintf(text, sizeof text, "%.30s%%",
             to_places(share, 1, 100 * share_at(matrix, label, guess)));
    chart_note(chart, at, text, &letters);
}

// ---- drawing

static void draw_cells(struct matrix *matrix)
{
    struct chart *chart = &matrix->chart;
    const struct theme *theme = chart->page->picture->theme;
    const struct letters letters = {.size = chart->text, .across = ALIGN_MIDDLE};
    size_t lines = lines_of_text(matrix, &letters);
    bool narrow = box_height(&chart->area) < 6 * (double)matrix->classes;
    for (size_t label = 0; label < matrix->classes; label++) {
        for (size_t guess = 0; guess < matrix->classes; guess++) {
            struct point at = {(double)guess, (double)(matrix->classes - 1 - label)};
            struct look look = {
                cell_colour(matrix, label, guess), theme->grid, 0.5, 0, false, true};
            if (picture_is_text(chart->page->picture) || narrow)
                look.line = COLOUR_NONE;
            chart_box(chart, (struct point){at.x - 0.5, at.y - 0.5},
                      (struct point){at.x + 0.5, at.y + 0.5}, &look);
            if (lines)
                write_cell(matrix, label, guess, lines, letters);
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

static struct look area_look(colour fill)
{
    return (struct look){fill, COLOUR_NONE, 0, 0, false, true};
}

static tlu_status draw(struct plot *plot, struct matrix *matrix, const struct telling *telling,
                       tlu_error *error)
{
    const struct theme *theme = plot->picture->theme;
    const struct legend_entry legend[] = {
        {"right", LEGEND_AREA, area_look(right_colour(theme)), SHAPE_CIRCLE},
        {"wrong", LEGEND_AREA, area_look(theme->wrong), SHAPE_CIRCLE}};
    struct page *page;
    TRY(picture_add_page(plot->picture, &page, error));
    double end = (double)matrix->classes - 0.5;
    matrix->chart = (struct chart){
        .page = page,
        .place = page_whole(page),
        .title = telling->title,
        .caption = telling->caption,
        .x = {-0.5, end, "taken for", .names = matrix->across, .name_count = matrix->classes},
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

// ---- what is said

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

static void tell_worst(struct telling *telling, const tlu_model *model, const struct matrix *matrix)
{
    char name[NAME_SIZE], other[NAME_SIZE], times[COUNTED_SIZE];
    size_t label, guess;
    if (!find_worst(matrix, &label, &guess))
        return;
    telling_add(telling, " The most frequent mistake: '%s' is taken for '%s', ",
                answers_class(model, label, name), answers_class(model, guess, other));
    uint64_t count = count_at(matrix, label, guess);
    telling_add(telling, "%s.", count == 1 ? "once" : counted(times, count, "", "times"));
}

static void tell(struct telling *telling, const struct plot *plot, const struct matrix *matrix)
{
    const tlu_evaluation *evaluation = matrix->evaluation;
    uint64_t unknown = evaluation->reader_stats->unknown_labels;
    char name[NAME_SIZE], right[COUNTED_SIZE], rows[COUNTED_SIZE], share[AMOUNT_SIZE];
    telling_title(telling, plot, "What is taken for what: %s", answers_file(plot, name));
    telling_add(telling, "%s of %s right: %s%%.", grouped(right, evaluation->correct),
                counted(rows, evaluation->examples, "row is", "rows are"),
                to_places(share, 2, 100 * evaluation->accuracy));
    tell_worst(telling, plot->settings->model, matrix);
    telling_add(telling, " The stronger the colour, the larger the share of the rows of the class "
                         "at the left.");
    if (unknown)
        telling_add(telling, " %s a label that the model does not know.",
                    counted(rows, unknown, "row has", "rows have"));
}

static tlu_status give_figures(struct plot *plot, const struct matrix *matrix, tlu_error *error)
{
    const tlu_evaluation *evaluation = matrix->evaluation;
    double accuracy;
    TRY(answers_figure(plot, evaluation, "accuracy", &accuracy, error));
    TRY(picture_figure(plot->picture, "rows", (double)evaluation->examples, error));
    return picture_figure(plot->picture, "right", (double)evaluation->correct, error);
}

static tlu_status make_and_draw(struct plot *plot, struct matrix *matrix, tlu_error *error)
{
    struct telling telling = {0};
    const tlu_model *model = plot->settings->model;
    matrix->across = memory_new(matrix->classes, sizeof *matrix->across);
    matrix->up = memory_new(matrix->classes, sizeof *matrix->up);
    TRY(enough_memory(matrix->across && matrix->up, error));
    for (size_t c = 0; c < matrix->classes; c++)
        matrix->across[c] = matrix->up[matrix->classes - 1 - c] = tlu_model_class_label(model, c);
    TRY(give_figures(plot, matrix, error));
    tell(&telling, plot, matrix);
    TRY(telling_give(&telling, plot, error));
    return draw(plot, matrix, &telling, error);
}

tlu_status plot_confusion(struct plot *plot, tlu_error *error)
{
    size_t classes = tlu_model_class_count(plot->settings->model);
    tlu_evaluation *evaluation;
    if (classes > CLASSES_MAX)
        return error_input(error,
                           "the model has %zu classes, and a picture has room for %d; tlu eval "
                           "--json prints all counts",
                           classes, CLASSES_MAX);
    TRY(answers_evaluate(plot, "accuracy", false, &evaluation, error));
    struct matrix matrix = {.evaluation = evaluation, .classes = classes};
    tlu_status status = make_and_draw(plot, &matrix, error);
    memory_free(matrix.across);
    memory_free(matrix.up);
    tlu_evaluation_free(evaluation);
    return status;
}
