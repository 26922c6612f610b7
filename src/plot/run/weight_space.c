// A run of the perceptron in the space of its two weights. An example z = x, or (x, 1), is the line
// of all w with w . z = 0; w classifies it correctly on the side of y z. A mistake adds y z to w, a
// step at right angles to the line. The weights that are correct for all examples form a cone.
#include "base/call/fp_env.h"
#include "base/settings.h"
#include "plot/chart/labels.h"
#include "plot/plane/plane.h"
#include "plot/run/planar.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846
#define PAD 0.18        // of the range, around the path of w
#define LINES_MAX 100   // drawn
#define FEW_LINES 16    // with more, they are thinner
#define TICK 10         // points: the marks of the correct side
#define NEAR 80         // points: no marks on the shorter end of a line that is closer to 0
#define INSIDE 0.9      // share of the way to the border where the marks are
#define NARROWEST 1e-12 // radians: narrower cones are taken for rounding
#define NUMBERED_MAX 40 // points of w with numbers

struct weight_space {
    struct plot *plot;
    struct planar planar;
    struct arrangement arrangement;
    size_t moments;
    bool separable;
    double from, to; // angles of the cone
    struct point low, high;
    struct legend_entry legend[5];
    size_t legend_count;
    char names[2][COUNTED_SIZE + NAME_SIZE]; // of the axes
    char caption[TEXT_SIZE];
};

// ---- the cone of solutions

// Cuts the cone at the line of an example. The part within a right angle of y z remains.
static void cut_cone(struct weight_space *space, double angle, bool first)
{
    double middle = (space->from + space->to) / 2;
    double turn = remainder(angle - middle, 2 * PI);
    double low = middle + turn - PI / 2, high = middle + turn + PI / 2;
    space->from = first ? low : fmax(space->from, low);
    space->to = first ? high : fmin(space->to, high);
}

static void find_cone(struct weight_space *space)
{
    const struct planar *planar = &space->planar;
    space->separable = true;
    for (size_t i = 0; i < planar->row_count && space->separable; i++) {
        struct point z = scaled(planar->rows[i].at, planar->rows[i].sign);
        if (z.x == 0 && z.y == 0)
            space->separable = false;
        else
            cut_cone(space, atan2(z.y, z.x), i == 0);
        space->separable = space->separable && space->to - space->from > NARROWEST;
    }
}

// ---- ranges, names, legend

static void set_range(struct weight_space *space)
{
    const struct planar *planar = &space->planar;
    struct point low = {0, 0}, high = {0, 0};
    for (size_t k = 1; k <= planar->update_count; k++) {
        struct point w = planar->updates[k].w;
        low = (struct point){fmin(low.x, w.x), fmin(low.y, w.y)};
        high = (struct point){fmax(high.x, w.x), fmax(high.y, w.y)};
    }
    double wide = high.x - low.x, tall = high.y - low.y, range = fmax(wide, tall);
    range = range > 0 ? range : 1;
    double across = fmax(PAD * range, (0.5 * range - wide) / 2);
    double up = fmax(PAD * range, (0.5 * range - tall) / 2);
    space->low = (struct point){low.x - across, low.y - up};
    space->high = (struct point){high.x + across, high.y + up};
}

static colour colour_of_cone(const struct theme *theme)
{
    return theme_series(theme, 2);
}

static void make_legend(struct weight_space *space)
{
    const struct theme *theme = space->plot->theme;
    const colour cone = colour_mix(theme->panel, colour_of_cone(theme), 0.35);
    char name[NAME_SIZE];
    for (size_t i = 0; i < 2; i++) {
        const char *label = short_name(space->planar.labels[i], name);
        char *text = plot_new(space->plot, NAME_SIZE + 10, 1);
        if (text)
            snprintf(text, NAME_SIZE + 10, "row of %s", label);
        space->plot->picture->failed |= !text;
        space->legend[space->legend_count++] = (struct legend_entry){
            text ? text : "", LEGEND_LINE, line_style(theme_series(theme, i), 2, 0), SHAPE_CIRCLE};
    }
    space->legend[space->legend_count++] = (struct legend_entry){
        "w", LEGEND_DOT, edged_style(theme->ink, theme->panel, 0.8), SHAPE_CIRCLE};
    if (space->separable)
        space->legend[space->legend_count++] =
            (struct legend_entry){"solutions", LEGEND_AREA, fill_style(cone), SHAPE_CIRCLE};
}

static void name_axes(struct weight_space *space)
{
    char name[NAME_SIZE];
    for (int i = 0; i < 2; i++) {
        const char *feature = space->planar.names[i];
        snprintf(space->names[i], sizeof space->names[i], "%s%s", feature ? "weight of " : "bias",
                 feature ? short_name(feature, name) : "");
    }
}

// ---- the plane

static void draw_cone(struct chart *chart, const struct weight_space *space)
{
    const struct theme *theme = space->plot->theme;
    const struct style fill = fill_style(colour_mix(theme->panel, colour_of_cone(theme), 0.35));
    double far = 4 * hypot(fmax(fabs(chart->x.low), fabs(chart->x.high)),
                           fmax(fabs(chart->y.low), fabs(chart->y.high)));
    struct point corners[6] = {{0, 0}};
    for (int i = 0; i < 5; i++) {
        double angle = space->from + i * (space->to - space->from) / 4;
        corners[i + 1] = scaled((struct point){cos(angle), sin(angle)}, far);
    }
    chart_polygon(chart, corners, 6, &fill);
}

// Three ticks at a place of a line, in the direction of the unit vector `to`.
static void draw_ticks(struct chart *chart, struct point at, struct point to, double length,
                       const struct style *style)
{
    for (int i = -1; i <= 1; i++) {
        double along = i * 0.6 * length;
        struct point foot = {at.x - along * to.y, at.y + along * to.x};
        chart_line(chart, foot, (struct point){foot.x + length * to.x, foot.y + length * to.y},
                   style);
    }
}

// The line of an example, with marks on its correct side.
static void draw_line(struct chart *chart, const struct planar_row *row, struct style style,
                      double tick)
{
    const struct linear f = {0, row->at.x, row->at.y};
    struct point ends[2], z = scaled(row->at, row->sign);
    double length = hypot(z.x, z.y);
    double per_point = (chart->x.high - chart->x.low) / box_width(&chart->area);
    if (!(length > 0) || !plane_ends(chart, &f, ends))
        return;
    plane_line(chart, &f, &style);
    style.dash = 0;
    double apart[2] = {hypot(ends[0].x, ends[0].y), hypot(ends[1].x, ends[1].y)};
    for (int i = 0; i < 2; i++)
        if (apart[i] > NEAR * per_point || apart[i] >= apart[1 - i])
            draw_ticks(chart, point_between((struct point){0, 0}, ends[i], INSIDE),
                       (struct point){z.x / length, z.y / length}, tick * per_point, &style);
}

static void draw_lines(struct chart *chart, const struct weight_space *space)
{
    const struct theme *theme = space->plot->theme;
    size_t count = space->planar.row_count, shown = count < LINES_MAX ? count : LINES_MAX;
    bool few = shown <= FEW_LINES;
    for (size_t i = 0; i < shown; i++) {
        const struct planar_row *row = &space->planar.rows[i * count / shown];
        const colour pale =
            colour_mix(theme->panel, theme_series(theme, row->class_index), few ? 0.75 : 0.5);
        draw_line(chart, row, line_style(pale, few && !chart->small ? 1.3 : 0.8, 0),
                  (few ? TICK : 0.6 * TICK) * (chart->small ? 0.5 : 1));
    }
}

// A unit vector, or 0.
static struct point direction(struct point from, struct point to)
{
    double x = to.x - from.x, y = to.y - from.y, length = hypot(x, y);
    return length > 0 ? (struct point){x / length, y / length} : (struct point){0, 0};
}

// From point i of the way, away from its neighbours.
static struct point away_from_way(const struct point *way, size_t i, size_t last)
{
    struct point before = i > 0 ? direction(way[i - 1], way[i]) : (struct point){0, 0};
    struct point after = i < last ? direction(way[i + 1], way[i]) : (struct point){0, 0};
    return (struct point){before.x + after.x, before.y + after.y};
}

// The way of w up to update k, with numbers if they fit.
static void draw_way(struct chart *chart, const struct weight_space *space, size_t k,
                     struct labels *labels)
{
    const struct theme *theme = space->plot->theme;
    const struct planar_update *updates = space->planar.updates;
    const struct style line = line_style(theme->ink, chart->small ? 1 : 1.5, 0);
    const struct style dot_style = edged_style(theme->ink, theme->panel, 0.8);
    const struct text_style font = {.size = chart->text, .colour = theme->faint};
    const struct text_style bold = {.size = chart->text, .bold = true, .colour = theme->ink};
    struct point *way = plot_new(space->plot, k + 1, sizeof *way);
    char text[COUNTED_SIZE];
    if (!way) {
        chart->page->picture->failed = true;
        return;
    }
    for (size_t i = 0; i <= k; i++)
        way[i] = updates[i].w;
    chart_curve(chart, way, k + 1, &line);
    if (k <= NUMBERED_MAX)
        chart_dots(chart, way, k, SHAPE_CIRCLE, chart->small ? 1.5 : 2.5, &dot_style);
    chart_dots(chart, way + k, 1, SHAPE_CIRCLE, chart->small ? 3 : 5, &dot_style);
    if (chart->small)
        return;
    snprintf(text, sizeof text, "w_%zu", k);
    labels_put(labels, way[k], away_from_way(way, k, k), text, &bold);
    for (size_t i = k; i-- > 0 && k <= NUMBERED_MAX;) {
        snprintf(text, sizeof text, "%zu", i);
        labels_put(labels, way[i], away_from_way(way, i, k), text, &font);
    }
}

// The example of update k, whose line w has been on the wrong side of, and the step.
static void draw_step(struct chart *chart, const struct weight_space *space, size_t k)
{
    const struct theme *theme = space->plot->theme;
    const struct planar_update *update = &space->planar.updates[k];
    const colour own = theme_series(theme, update->row.class_index);
    draw_line(chart, &update->row, line_style(own, chart->small ? 2 : 3, 0),
              TICK * (chart->small ? 0.5 : 1));
    const struct style arrow = line_style(own, chart->small ? 1.5 : 2.5, 0);
    chart_arrow(chart, update[-1].w, update->w, &arrow);
}

static void draw_space(struct chart *chart, const struct weight_space *space, size_t k, bool step)
{
    const struct theme *theme = space->plot->theme;
    struct labels labels = {.chart = chart};
    if (space->separable)
        draw_cone(chart, space);
    draw_lines(chart, space);
    if (step && k > 0)
        draw_step(chart, space, k);
    draw_way(chart, space, k, &labels);
    if (step && k > 0) {
        const struct style arrow =
            line_style(theme_series(theme, space->planar.updates[k].row.class_index),
                       chart->small ? 1.5 : 2.5, 0);
        chart_arrow(chart, space->planar.updates[k - 1].w, space->planar.updates[k].w, &arrow);
    }
}

static struct chart space_chart(const struct weight_space *space, struct page *page,
                                struct box place, bool small)
{
    struct chart chart = {
        .page = page,
        .place = place,
        .x = {.low = space->low.x, .high = space->high.x, .label = space->names[0]},
        .y = {.low = space->low.y, .high = space->high.y, .label = space->names[1]},
        .square = true,
        .small = small};
    if (small) {
        chart.x.bare = chart.y.bare = true;
        chart.x.label = chart.y.label = NULL;
    } else {
        chart.legend = space->legend;
        chart.legend_count = space->legend_count;
    }
    return chart;
}

static tlu_status draw_moment(const void *context, struct frame *frame, size_t index,
                              tlu_error *error)
{
    const struct weight_space *space = context;
    struct chart chart = space_chart(space, frame->page, frame->place, frame->small);
    (void)error;
    chart_begin(&chart);
    draw_space(&chart, space,
               (size_t)update_of_moment(space->planar.update_count, space->moments, index), true);
    chart_end(&chart);
    return TLU_OK;
}

static tlu_status draw_one(const struct weight_space *space, tlu_error *error)
{
    struct page *page;
    struct box box;
    bool small;
    TRY(planar_page(space->plot, &page, &box, &small, error));
    struct chart chart = space_chart(space, page, box, small);
    chart_begin(&chart);
    draw_space(&chart, space, space->planar.update_count, false);
    chart_end(&chart);
    plot_area(space->plot, &chart);
    return TLU_OK;
}

// ---- words and numbers

static const char *text_of(const void *context, const struct frame *frame, size_t index, int terse,
                           char out[TEXT_SIZE])
{
    const struct weight_space *space = context;
    const struct planar *planar = &space->planar;
    size_t k = (size_t)update_of_moment(planar->update_count, space->moments, index);
    const struct planar_update *update = &planar->updates[k];
    char w[PAIR_SIZE], ending[160], row[COUNTED_SIZE];
    (void)frame;
    pair_text(w, update->w);
    if (k == 0)
        snprintf(out, TEXT_SIZE, "%sw_0 = 0",
                 terse < SMALL_TEXT ? "before the first update: " : "");
    else if (terse == 0 && k == planar->update_count)
        snprintf(out, TEXT_SIZE, "update %zu, row %s: w_%zu = %s, %s", k,
                 grouped(row, update->row.number), k, w,
                 trace_ending(&planar->trace, ending, sizeof ending));
    else if (terse < 2)
        snprintf(out, TEXT_SIZE, "update %zu: w was on the wrong side of row %s; w_%zu = %s", k,
                 grouped(row, update->row.number), k, w);
    else if (terse < TERSEST)
        snprintf(out, TEXT_SIZE, "w_%zu = %s", k, w);
    else
        snprintf(out, TEXT_SIZE, "update %zu", k);
    return out;
}

static void describe(struct weight_space *space)
{
    struct plot *plot = space->plot;
    const struct planar *planar = &space->planar;
    char name[NAME_SIZE], ending[160], shown[COUNTED_SIZE];
    plot_title(plot, "Weight space: %s", file_name(plot, name));
    snprintf(space->caption, sizeof space->caption,
             "Each row is a line through 0; its ticks are on the side where w classifies it "
             "correctly. %s A mistake moves w by y %s, at right angles to the line of the row.",
             space->separable ? "Solutions are correct for all rows: the shaded cone."
                              : "No w is on the correct side of all lines.",
             planar->bias ? "(x, 1)" : "x");
    say(plot, "The perceptron: %s. %s", trace_ending(&planar->trace, ending, sizeof ending),
        space->caption);
    if (planar->row_count > LINES_MAX)
        say(plot, " %d of %s are drawn.", LINES_MAX,
            counted(shown, planar->row_count, "row", "rows"));
}

static void add_figures(const struct weight_space *space)
{
    tlu_picture *picture = space->plot->picture;
    const struct planar *planar = &space->planar;
    char name[COUNTED_SIZE];
    picture_figure(picture, "rows", (double)planar->row_count);
    picture_figure(picture, "updates", (double)planar->update_count);
    picture_figure(picture, "separable", space->separable);
    if (space->separable) {
        picture_figure(picture, "cone_from", space->from * 180 / PI);
        picture_figure(picture, "cone_to", space->to * 180 / PI);
    }
    for (size_t i = 0; i < space->moments; i++) {
        size_t k = (size_t)update_of_moment(planar->update_count, space->moments, i);
        snprintf(name, sizeof name, "w_%zu_x", k);
        picture_figure(picture, name, planar->updates[k].w.x);
        snprintf(name, sizeof name, "w_%zu_y", k);
        picture_figure(picture, name, planar->updates[k].w.y);
    }
}

static tlu_status arrange(const struct weight_space *space, tlu_error *error)
{
    const struct sequence sequence = {.plot = space->plot,
                                      .context = space,
                                      .count = space->moments,
                                      .draw = draw_moment,
                                      .text = text_of,
                                      .caption = space->caption,
                                      .legend = space->legend,
                                      .legend_count = space->legend_count};
    if (space->arrangement.animation)
        return sequence_animate(&sequence, space->arrangement.fps, error);
    return space->arrangement.strip ? sequence_strip(&sequence, error) : draw_one(space, error);
}

static tlu_status make(struct weight_space *space, tlu_error *error)
{
    TRY(planar_make(&space->planar, space->plot, "weight-space", true, error));
    space->moments = planar_moments(space->planar.update_count, &space->arrangement);
    find_cone(space);
    set_range(space);
    name_axes(space);
    make_legend(space);
    describe(space);
    add_figures(space);
    return arrange(space, error);
}

static tlu_status plot_weight_space(struct plot *plot, tlu_error *error)
{
    const tlu_plot_weight_space_settings *settings = plot->settings;
    struct weight_space space = {
        .plot = plot,
        .arrangement = {settings->animation, settings->strip, settings->frames, settings->fps}};
    tlu_status status = make(&space, error);
    trace_free(&space.planar.trace);
    return status;
}

tlu_status tlu_plot_weight_space(const tlu_plot_weight_space_settings *given,
                                 const tlu_options *options, const tlu_picture_style *style,
                                 tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_plot_weight_space_settings settings;
    *picture = NULL;
    TRY(settings_take(&settings, sizeof settings, given, "tlu_plot_weight_space_settings", error));
    TRY(check_fps(settings.fps, error));
    struct plot plot = {.settings = &settings, .path = settings.path};
    return plot_file(plot_weight_space, &plot, options, style, picture, error);
}
