#include "plot/plane/points.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static bool is_support(const struct points *points, uint64_t line)
{
    size_t low = 0, high = points->support_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (points->support_lines[middle] < line)
            low = middle + 1;
        else
            high = middle;
    }
    return low < points->support_count && points->support_lines[low] == line;
}

// `shown` is where the point is drawn.
static void note_distance(struct points *points, struct point at, struct point shown)
{
    const double *f = points->line;
    double away = fabs(f[0] + f[1] * at.x + f[2] * at.y);
    size_t place = points->nearest_count;
    if (place == NEAREST_MAX && !(away < points->nearest[NEAREST_MAX - 1].away))
        return;
    place -= place == NEAREST_MAX;
    for (; place > 0 && away < points->nearest[place - 1].away; place--)
        points->nearest[place] = points->nearest[place - 1];
    points->nearest[place] = (struct near){away, shown};
    points->nearest_count += points->nearest_count < NEAREST_MAX;
}

// What a point is drawn as: by its label, or without one by what the model says.
static uint32_t kind_of(const struct points *points, uint32_t label, uint32_t guess, uint64_t line)
{
    uint32_t classes = (uint32_t)points->classes;
    uint32_t shown = label < classes ? label : classes;
    if (label == TLU_NO_LABEL && guess < classes)
        shown = guess;
    bool wrong = guess < classes && label != TLU_NO_LABEL && label != guess;
    return shown * POINT_CLASS + (wrong ? POINT_WRONG : 0) +
           (is_support(points, line) ? POINT_SUPPORT : 0);
}

static void count(struct points *points, uint32_t label, uint32_t kind, bool guessed)
{
    points->rows++;
    points->of_class[kind / POINT_CLASS]++;
    points->supports += (kind & POINT_SUPPORT) != 0;
    if (label == TLU_NO_LABEL)
        return;
    points->labelled++;
    points->right += guessed && !(kind & POINT_WRONG);
}

static bool add_rows(struct points *points, const struct intake *intake, const struct view *view,
                     const tlu_batch *batch)
{
    const tlu_predictions *guesses = intake_guesses(intake);
    for (size_t i = 0; i < batch->rows; i++) {
        tlu_row row = tlu_batch_row(batch, i);
        uint32_t guess = guesses ? guesses->classes[i] : UINT32_MAX;
        uint64_t line = points->support_count ? intake_line(intake, i) : 0;
        struct thin_point point = {.guess = guess, .number = batch->first_row + i};
        point.kind = kind_of(points, batch->labels[i], guess, line);
        struct point at = view_place(view, &row, point.number);
        struct point by = view_loosen(view, point.number);
        point.at = (struct point){at.x + by.x, at.y + by.y};
        count(points, batch->labels[i], point.kind, guesses);
        if (points->line)
            note_distance(points, at, point.at);
        if (!thin_add(&points->thin, &point))
            return false;
    }
    return true;
}

static tlu_status read_rows(struct points *points, struct intake *intake, const struct view *view,
                            tlu_error *error)
{
    const tlu_batch *batch;
    TRY(intake_begin(intake, true, error));
    for (;;) {
        TRY(intake_next(intake, &batch, error));
        if (!batch)
            return TLU_OK;
        TRY(enough_memory(add_rows(points, intake, view, batch), error));
    }
}

tlu_status points_read(struct points *points, struct intake *intake, const struct view *view,
                       tlu_error *error)
{
    points->classes = intake_classes(intake);
    points->of_class = memory_new(points->classes + 1, sizeof *points->of_class);
    TRY(enough_memory(points->of_class, error));
    tlu_status status = read_rows(points, intake, view, error);
    intake_end(intake);
    if (status == TLU_OK && points->rows == 0)
        status = error_at(error, intake->path, 0, 0, "has no rows to draw");
    return status;
}

void points_free(struct points *points)
{
    thin_free(&points->thin);
    memory_free(points->of_class);
}
