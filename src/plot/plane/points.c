// The rows of a picture as points of its plane, thinned out.
#include "base/memory.h"
#include "plot/plane/view.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- thinning

#define SHARE_FIRST 0.005
#define COARSER 1.25

static double cell_of(double at, double size)
{
    return size > 0 ? floor(at / size) : 0;
}

static bool are_alike(const struct thin *thin, const struct thin_point *a,
                      const struct thin_point *b)
{
    return a->kind % THIN_KINDS == b->kind % THIN_KINDS &&
           cell_of(a->at.x, thin->cell.x) == cell_of(b->at.x, thin->cell.x) &&
           cell_of(a->at.y, thin->cell.y) == cell_of(b->at.y, thin->cell.y);
}

static size_t slot_of(const struct thin *thin, const struct thin_point *point)
{
    const double cell[2] = {cell_of(point->at.x, thin->cell.x) + 0.0,
                            cell_of(point->at.y, thin->cell.y) + 0.0};
    uint64_t bits[2];
    memcpy(bits, cell, sizeof bits);
    uint64_t hash = (bits[0] ^ bits[1] * 0x9e3779b97f4a7c15u) + point->kind % THIN_KINDS;
    hash = (hash ^ hash >> 32) * 0xbf58476d1ce4e5b9u;
    return (size_t)(hash >> 40) % THIN_SLOTS;
}

// The slot of a similar point, or a free one.
static uint32_t *find(struct thin *thin, const struct thin_point *point)
{
    assert(thin->count < THIN_SLOTS); // there is a free slot
    size_t slot = slot_of(thin, point);
    while (thin->slots[slot] && !are_alike(thin, &thin->points[thin->slots[slot] - 1], point))
        slot = (slot + 1) % THIN_SLOTS;
    return &thin->slots[slot];
}

static struct point range_of(const struct thin *thin)
{
    return (struct point){thin->high.x - thin->low.x, thin->high.y - thin->low.y};
}

// Keeps one point of each kind per cell.
static void sort_in(struct thin *thin)
{
    size_t kept = 0;
    thin->range = range_of(thin);
    thin->cell = (struct point){thin->share * thin->range.x, thin->share * thin->range.y};
    memset(thin->slots, 0, THIN_SLOTS * sizeof *thin->slots);
    for (size_t i = 0; i < thin->count; i++) {
        struct thin_point point = thin->points[i];
        uint32_t *slot = find(thin, &point);
        if (*slot)
            continue;
        thin->points[kept++] = point;
        *slot = (uint32_t)kept;
    }
    thin->count = kept;
}

static bool make_coarser(struct thin *thin)
{
    if (!thin->slots) {
        thin->slots = memory_new(THIN_SLOTS, sizeof *thin->slots);
        thin->share = SHARE_FIRST;
        if (!thin->slots)
            return false;
        sort_in(thin);
    }
    // Terminates: at most THIN_KINDS points in each of four cells remain.
    while (thin->count > THIN_MAX * 3 / 4) {
        thin->share *= COARSER;
        sort_in(thin);
    }
    return true;
}

static bool has_grown(const struct thin *thin)
{
    struct point now = range_of(thin);
    return now.x > 2 * thin->range.x || now.y > 2 * thin->range.y;
}

static void widen(struct thin *thin, struct point at)
{
    if (thin->seen++ == 0)
        thin->low = thin->high = at;
    thin->low = (struct point){fmin(thin->low.x, at.x), fmin(thin->low.y, at.y)};
    thin->high = (struct point){fmax(thin->high.x, at.x), fmax(thin->high.y, at.y)};
}

bool thin_add(struct thin *thin, const struct thin_point *point)
{
    widen(thin, point->at);
    if (thin->slots && has_grown(thin)) {
        thin->share = SHARE_FIRST; // of the larger range
        sort_in(thin);
    }
    uint32_t *slot = thin->slots ? find(thin, point) : NULL;
    if (slot && *slot)
        return true;
    if (!memory_reserve(&thin->points, &thin->capacity, thin->count + 1, sizeof *thin->points))
        return false;
    thin->points[thin->count++] = *point;
    if (slot)
        *slot = (uint32_t)thin->count;
    return thin->count <= THIN_MAX || make_coarser(thin);
}

void thin_free(struct thin *thin)
{
    memory_free(thin->points);
    memory_free(thin->slots);
}

// ---- rows

static bool is_support(const struct row_points *points, uint64_t line)
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

// `shown` is the place where the point is drawn.
static void note_distance(struct row_points *points, struct point at, struct point shown)
{
    double away = fabs(linear_at(points->line, at));
    size_t place = points->nearest_count;
    if (place == NEAREST_MAX && !(away < points->nearest[NEAREST_MAX - 1].away))
        return;
    place -= place == NEAREST_MAX;
    for (; place > 0 && away < points->nearest[place - 1].away; place--)
        points->nearest[place] = points->nearest[place - 1];
    points->nearest[place] = (struct near){away, shown};
    points->nearest_count += points->nearest_count < NEAREST_MAX;
}

// The kind of a row: by its label, or by its prediction if it has none.
static uint32_t kind_of(const struct row_points *points, uint32_t label, uint32_t predicted,
                        uint64_t line)
{
    uint32_t classes = (uint32_t)points->classes;
    uint32_t shown = label < classes ? label : classes;
    if (label == TLU_NO_LABEL && predicted < classes)
        shown = predicted;
    bool wrong = predicted < classes && label != TLU_NO_LABEL && label != predicted;
    return shown * POINT_CLASS + (wrong ? POINT_WRONG : 0) +
           (is_support(points, line) ? POINT_SUPPORT : 0);
}

static void count(struct row_points *points, uint32_t label, uint32_t kind, bool guessed)
{
    points->rows++;
    points->of_class[kind / POINT_CLASS]++;
    points->supports += (kind & POINT_SUPPORT) != 0;
    if (label == TLU_NO_LABEL)
        return;
    points->labelled++;
    points->right += guessed && !(kind & POINT_WRONG);
}

struct point_reader {
    struct row_points *points;
    const struct row_reader *rows;
    const struct plane_view *view;
};

static bool add_rows(void *context, const tlu_batch *batch)
{
    const struct point_reader *reader = context;
    struct row_points *points = reader->points;
    const struct row_reader *rows = reader->rows;
    const struct plane_view *view = reader->view;
    const tlu_predictions *predictions = row_reader_predictions(rows);
    for (size_t i = 0; i < batch->rows; i++) {
        tlu_row row = tlu_batch_row(batch, i);
        uint32_t predicted = predictions ? predictions->classes[i] : UINT32_MAX;
        uint64_t line = points->support_count ? row_reader_line(rows, i) : 0;
        struct thin_point point = {.predicted = predicted, .number = batch->first_row + i};
        point.kind = kind_of(points, batch->labels[i], predicted, line);
        struct point at = view_place(view, &row, point.number);
        struct point by = view_jitter(view, point.number);
        point.at = (struct point){at.x + by.x, at.y + by.y};
        count(points, batch->labels[i], point.kind, predictions);
        if (points->line)
            note_distance(points, at, point.at);
        if (!thin_add(&points->thin, &point))
            return false;
    }
    return true;
}

tlu_status points_read(struct row_points *points, struct row_reader *rows,
                       const struct plane_view *view, tlu_error *error)
{
    struct point_reader reader = {points, rows, view};
    points->classes = row_reader_classes(rows);
    points->of_class = arena_new(rows->memory, points->classes + 1, sizeof *points->of_class);
    TRY(enough_memory(points->of_class, error));
    for (size_t i = 1; i < points->support_count; i++)
        assert(points->support_lines[i - 1] <= points->support_lines[i]);
    TRY(row_reader_each(rows, true, add_rows, &reader, error));
    return points->rows ? TLU_OK : error_at(error, rows->path, 0, 0, "has no rows to draw");
}
