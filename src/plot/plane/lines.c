// --lines: the separate lines of one versus rest (one per class) and one versus one (one per pair
// of classes) over the regions. At each line stand the names of the classes, each on its own side.
#include "learn/scheme.h"
#include "plot/plane/plane.h"
#include "plot/plane/scene.h"

#include <math.h>
#include <stdio.h>

#define LINES_MAX 66   // one versus one of twelve classes
#define PLACES 15      // along a line, where its names may be
#define AWAY 3         // points between the line and a name
#define TAKEN 1000     // cost of a place that has a name already; a point costs 1
#define OFF_LINE 8     // cost of another line through a name
#define SMALL 130      // height of an area that has no space for the names of the rest
#define NAME_WIDTH 110 // points

// ---- the lines

size_t scene_line_count(const struct scene *scene)
{
    return scene->lines ? scene->model->state.weights.columns : 0;
}

struct linear scene_line(const struct scene *scene, size_t column)
{
    double *const *part = scene->field.part;
    return (struct linear){part[0][column], part[1][column], part[2][column]};
}

// The classes of the sides >= 0 and < 0. TLU_NONE: the rest.
static void sides_of(const struct scene *scene, size_t column, size_t sides[2])
{
    uint32_t first, second;
    sides[0] = column;
    sides[1] = TLU_NONE;
    if (scene->model->state.scheme.kind != SCHEME_OVO)
        return;
    scheme_unpair((uint32_t)column, &first, &second);
    sides[0] = second;
    sides[1] = first;
}

tlu_status scene_check_lines(const struct scene *scene, tlu_error *error)
{
    const tlu_model *model = scene->model;
    if (!model || model->state.scheme.kind == SCHEME_TWO)
        return error_input(error, "two classes have only one line, which the picture shows without "
                                  "--lines: expected data with three classes or more");
    if (model->state.scheme.kind == SCHEME_WTA)
        return error_input(error, "winner takes all compares the scores of all classes, so that no "
                                  "class has a line of its own; train with --multiclass ovr or "
                                  "--multiclass ovo");
    if (!scene->field.linear)
        return error_input(error, "the model is not linear, so that its borders are not lines: "
                                  "train without --kernel, layers and votes");
    if (model->state.weights.columns > LINES_MAX)
        return error_input(error,
                           "%lu lines are too many for a picture: expected at most %d; "
                           "--multiclass ovr has one line per class",
                           (unsigned long)model->state.weights.columns, LINES_MAX);
    return TLU_OK;
}

// ---- names at a line

struct line_label {
    const char *name;
    struct box box;
    colour colour;
};

struct line_labels {
    struct line_label all[2 * LINES_MAX];
    size_t count;
    struct point ends[LINES_MAX][2]; // on the page; both at 0: outside
};

static bool boxes_meet(const struct box *a, const struct box *b)
{
    return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

static bool line_meets(const struct point ends[2], const struct box *box)
{
    double from = 0, to = 1;
    return range_cut(ends[0].x, ends[1].x - ends[0].x, box->left, box->right, &from, &to) &&
           range_cut(ends[0].y, ends[1].y - ends[0].y, box->top, box->bottom, &from, &to) &&
           from < to;
}

// The less, the better.
static double cost_of(const struct chart *chart, const struct scene *scene,
                      const struct line_labels *labels, size_t own, const struct box *box)
{
    const struct thin *thin = &scene->points.thin;
    const struct box *area = &chart->area;
    double cost = 0;
    if (box->left < area->left || box->right > area->right || box->top < area->top ||
        box->bottom > area->bottom)
        cost += TAKEN / 2.0;
    for (size_t i = 0; i < labels->count; i++)
        cost += boxes_meet(&labels->all[i].box, box) ? TAKEN : 0;
    for (size_t i = 0; i < scene_line_count(scene); i++)
        cost += i != own && line_meets(labels->ends[i], box) ? OFF_LINE : 0;
    for (size_t i = 0; i < thin->count; i++)
        cost += box_contains(box, chart_place(chart, thin->points[i].at.x, thin->points[i].at.y));
    return cost;
}

// The box of a name of this size beside a place of the line: `away` is a unit vector on the page.
static struct box box_beside(struct point at, struct point away, double width, double height)
{
    double by = (fabs(away.x) * width + fabs(away.y) * height) / 2 + AWAY;
    struct point middle = {at.x + by * away.x, at.y + by * away.y};
    return (struct box){middle.x - width / 2, middle.y - height / 2, middle.x + width / 2,
                        middle.y + height / 2};
}

static struct text_style label_font(const struct chart *chart, colour ink)
{
    return (struct text_style){.size = chart->text,
                               .across = ALIGN_MIDDLE,
                               .along = ALIGN_MIDDLE,
                               .bold = true,
                               .colour = ink};
}

// From the line towards the side >= 0, on the page.
static struct point side_of_line(const struct chart *chart, const struct linear *f)
{
    double x = f->w1 * (chart->x.high - chart->x.low) / box_width(&chart->area);
    double y = -f->w2 * (chart->y.high - chart->y.low) / box_height(&chart->area);
    double length = hypot(x, y);
    return (struct point){x / length, y / length};
}

// Finds the best place along the line for the names of both sides.
static void place_names(const struct chart *chart, const struct scene *scene, size_t column,
                        struct line_labels *labels)
{
    const struct linear f = scene_line(scene, column);
    const struct point *ends = labels->ends[column], towards = side_of_line(chart, &f);
    struct line_label *both = &labels->all[labels->count];
    double best = INFINITY, width[2], height = 0;
    size_t sides[2];
    sides_of(scene, column, sides);
    for (int side = 0; side < 2; side++) {
        both[side].name =
            sides[side] == TLU_NONE ? "rest" : row_reader_label(&scene->rows, sides[side]);
        both[side].colour = sides[side] == TLU_NONE ? scene->plot->theme->faint
                                                    : theme_series(scene->plot->theme, sides[side]);
        const struct text_style font = label_font(chart, both[side].colour);
        width[side] = fmin(NAME_WIDTH, page_text_width(chart->page, both[side].name, &font)) + 4;
        height = page_text_height(chart->page, &font);
    }
    for (int place = 1; place <= PLACES; place++) {
        struct point at = point_between(ends[0], ends[1], place / (PLACES + 1.0));
        double cost = fabs(place - (PLACES + 1) / 2.0) < PLACES / 5.0; // rather near an end
        struct box boxes[2];
        for (int side = 0; side < 2; side++) {
            const struct point away = {side ? -towards.x : towards.x,
                                       side ? -towards.y : towards.y};
            boxes[side] = box_beside(at, away, width[side], height);
            cost += cost_of(chart, scene, labels, column, &boxes[side]);
        }
        if (!(cost < best))
            continue;
        best = cost;
        both[0].box = boxes[0];
        both[1].box = boxes[1];
    }
    labels->count += 2;
}

// ---- drawing

// A line has the colour of its class; that of a pair has dashes of both.
static void draw_line(struct chart *chart, const struct scene *scene, size_t column)
{
    const struct theme *theme = scene->plot->theme;
    const struct linear f = scene_line(scene, column);
    size_t sides[2];
    sides_of(scene, column, sides);
    struct style line = {theme->panel, theme_series(theme, sides[0]), 2, 0, false, false, 0};
    plane_line_above(chart, &f, &line);
    if (sides[1] == TLU_NONE)
        return;
    line = line_style(theme_series(theme, sides[1]), 2, 7);
    plane_line(chart, &f, &line);
}

static void draw_names(struct chart *chart, const struct scene *scene,
                       const struct line_labels *labels)
{
    const struct style ground = fill_style(scene->plot->theme->panel);
    bool small = box_height(&chart->area) < SMALL;
    page_clip(chart->page, &chart->area);
    for (size_t i = 0; i < labels->count; i++) {
        const struct line_label *label = &labels->all[i];
        if (small && i % 2 && label->colour == scene->plot->theme->faint)
            continue; // "rest"
        const struct text_style font = label_font(chart, label->colour);
        if (!picture_is_text(chart->page->picture))
            page_box(chart->page, &label->box, &ground);
        page_fit_name(chart->page, (label->box.left + label->box.right) / 2,
                      (label->box.top + label->box.bottom) / 2, label->name, &font, NAME_WIDTH);
    }
}

void scene_draw_lines(struct chart *chart, struct scene *scene)
{
    struct line_labels labels = {.count = 0};
    size_t count = scene_line_count(scene);
    scene->lines_outside = 0;
    for (size_t i = 0; i < count; i++) {
        const struct linear f = scene_line(scene, i);
        struct point ends[2];
        if (!plane_ends(chart, &f, ends)) {
            scene->lines_outside++;
            continue;
        }
        labels.ends[i][0] = chart_place(chart, ends[0].x, ends[0].y);
        labels.ends[i][1] = chart_place(chart, ends[1].x, ends[1].y);
        draw_line(chart, scene, i);
    }
    for (size_t i = 0; i < count; i++)
        if (labels.ends[i][0].x != 0 || labels.ends[i][1].x != 0)
            place_names(chart, scene, i, &labels);
    draw_names(chart, scene, &labels);
}

// "line_2_x" for a class, "line_1_2_x" for a pair, counted from 1.
void scene_line_figures(const struct scene *scene)
{
    tlu_picture *picture = scene->plot->picture;
    size_t count = scene_line_count(scene);
    if (count) {
        picture_figure(picture, "lines", (double)count);
        picture_figure(picture, "lines_outside", (double)scene->lines_outside);
    }
    for (size_t i = 0; i < count; i++) {
        const struct linear f = scene_line(scene, i);
        const double values[3] = {f.w0, f.w1, f.w2};
        size_t sides[2];
        char name[64], pair[32] = "";
        sides_of(scene, i, sides);
        if (sides[1] != TLU_NONE)
            snprintf(pair, sizeof pair, "_%zu", sides[1] + 1);
        for (int k = 0; k < 3; k++) {
            snprintf(name, sizeof name, "line%s_%zu_%c", pair, sides[0] + 1, "0xy"[k]);
            picture_figure(picture, name, values[k]);
        }
    }
}
