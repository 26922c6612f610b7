#include "draw/plane/cloud.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static bool is_support(const struct cloud *cloud, uint64_t line)
{
    size_t low = 0, high = cloud->support_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (cloud->support_lines[middle] < line)
            low = middle + 1;
        else
            high = middle;
    }
    return low < cloud->support_count && cloud->support_lines[low] == line;
}

// `shown` is where the point is drawn.
static void note_distance(struct cloud *cloud, struct point at, struct point shown)
{
    const double *f = cloud->line;
    double away = fabs(f[0] + f[1] * at.x + f[2] * at.y);
    size_t place = cloud->nearest_count;
    if (place == NEAREST_MOST && !(away < cloud->nearest[NEAREST_MOST - 1].away))
        return;
    place -= place == NEAREST_MOST;
    for (; place > 0 && away < cloud->nearest[place - 1].away; place--)
        cloud->nearest[place] = cloud->nearest[place - 1];
    cloud->nearest[place] = (struct near){away, shown};
    cloud->nearest_count += cloud->nearest_count < NEAREST_MOST;
}

// What a point is drawn as: by its label, or without one by what the model says.
static uint32_t kind_of(const struct cloud *cloud, uint32_t label, uint32_t guess, uint64_t line)
{
    uint32_t classes = (uint32_t)cloud->classes;
    uint32_t shown = label < classes ? label : classes;
    if (label == TLU_NO_LABEL && guess < classes)
        shown = guess;
    bool wrong = guess < classes && label != TLU_NO_LABEL && label != guess;
    return shown * POINT_CLASS + (wrong ? POINT_WRONG : 0) +
           (is_support(cloud, line) ? POINT_SUPPORT : 0);
}

static void count(struct cloud *cloud, uint32_t label, uint32_t kind, bool guessed)
{
    cloud->rows++;
    cloud->of_class[kind / POINT_CLASS]++;
    cloud->supports += (kind & POINT_SUPPORT) != 0;
    if (label == TLU_NO_LABEL)
        return;
    cloud->labelled++;
    cloud->right += guessed && !(kind & POINT_WRONG);
}

static bool add_rows(struct cloud *cloud, const struct intake *intake, const struct view *view,
                     const tlu_batch *batch)
{
    const tlu_guesses *guesses = intake_guesses(intake);
    for (size_t i = 0; i < batch->rows; i++) {
        tlu_row row = tlu_batch_row(batch, i);
        uint32_t guess = guesses ? guesses->classes[i] : UINT32_MAX;
        uint64_t line = cloud->support_count ? intake_line(intake, i) : 0;
        struct thin_point point = {.guess = guess, .number = batch->first_row + i};
        point.kind = kind_of(cloud, batch->labels[i], guess, line);
        struct point at = view_place(view, &row, point.number);
        struct point by = view_loosen(view, point.number);
        point.at = (struct point){at.x + by.x, at.y + by.y};
        count(cloud, batch->labels[i], point.kind, guesses);
        if (cloud->line)
            note_distance(cloud, at, point.at);
        if (!thin_add(&cloud->thin, &point))
            return false;
    }
    return true;
}

static tlu_status read_rows(struct cloud *cloud, struct intake *intake, const struct view *view,
                            tlu_error *error)
{
    const tlu_batch *batch;
    TRY(intake_begin(intake, true, error));
    for (;;) {
        TRY(intake_next(intake, &batch, error));
        if (!batch)
            return TLU_OK;
        TRY(enough_memory(add_rows(cloud, intake, view, batch), error));
    }
}

tlu_status cloud_read(struct cloud *cloud, struct intake *intake, const struct view *view,
                      tlu_error *error)
{
    cloud->classes = intake_classes(intake);
    cloud->of_class = memory_new(cloud->classes + 1, sizeof *cloud->of_class);
    TRY(enough_memory(cloud->of_class, error));
    tlu_status status = read_rows(cloud, intake, view, error);
    intake_end(intake);
    if (status == TLU_OK && cloud->rows == 0)
        status = error_at(error, intake->path, 0, 0, "has no rows to draw");
    return status;
}

void cloud_free(struct cloud *cloud)
{
    thin_free(&cloud->thin);
    memory_free(cloud->of_class);
}
