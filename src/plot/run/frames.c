// What a picture of a run shows: the plane as the weights divide it, the rows, and the row of the
// update.
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "base/settings.h"
#include "learn/scheme.h"
#include "plot/plane/plane.h"
#include "plot/run/run.h"

#include <math.h>

#define ALIKE 4      // ranges that differ by at most this factor share a scale
#define WIDER 2.5    // unless one would be enlarged by more than this
#define ACROSS 72    // cells of the grid for regions of several classes
#define UP 48        // likewise
#define ARROW 60.0   // points: length for the longest w
#define ARROW_MIN 16 // points
#define EDGE 3       // points between the arrow and the border

// ---- axes

// Whether equal scales fit the place, minus estimates for numbers and legend.
static bool is_square(const struct chart *chart, double wide, double high)
{
    double across = box_width(&chart->place) * (chart->small ? 1 : 0.75) / wide;
    double up = box_height(&chart->place) * (chart->small ? 1 : 0.85) / high;
    return wide > 0 && high > 0 && wide <= ALIKE * high && high <= ALIKE * wide &&
           across <= WIDER * up && up <= WIDER * across;
}

static void set_ranges(struct chart *chart, const struct animation *run)
{
    double wide = run->high.x - run->low.x, high = run->high.y - run->low.y;
    chart->x.low = run->low.x - MARGIN * wide;
    chart->x.high = run->high.x + MARGIN * wide;
    chart->y.low = run->low.y - MARGIN * high;
    chart->y.high = run->high.y + MARGIN * high;
    chart->x.label = run->projection.x_name;
    chart->y.label = run->projection.y_name;
    chart->square = plot_is_square(run->plot, is_square(chart, wide, high));
    if (run->projection.by_class) {
        chart->y.low = -0.5;
        chart->y.high = (double)run->classes - 0.5;
        chart->y.names = run->names;
        chart->y.name_count = run->classes;
        chart->square = false;
    }
}

// ---- two classes: half-planes

static struct style ground(const struct theme *theme, uint32_t class_index)
{
    return fill_style(theme_region(theme, class_index));
}

static void draw_halves(struct chart *chart, const struct boundary *boundary)
{
    const struct theme *theme = chart->page->picture->theme;
    struct style own = ground(theme, boundary->of), other = ground(theme, 1 - boundary->of);
    const struct linear below = linear_negative(&boundary->f);
    plane_half(chart, &boundary->f, &own);
    plane_half(chart, &below, &other);
}

// The distances from a place along a line at which it enters and leaves the box; false: it is
// outside.
static bool find_ends(const struct box *box, struct point at, struct point along, double ends[2])
{
    ends[0] = -INFINITY;
    ends[1] = INFINITY;
    return range_cut(at.x, along.x, box->left, box->right, &ends[0], &ends[1]) &&
           range_cut(at.y, along.y, box->top, box->bottom, &ends[0], &ends[1]) && ends[0] < ends[1];
}

// Moves the foot along the line, as little as possible, so that the whole arrow is in the box. In
// points from the middle, y up; false: impossible.
static bool place_arrow(const struct box *half, double length, struct point slope,
                        struct point *foot)
{
    const struct point along = {-slope.y, slope.x};
    const struct point head = {foot->x + length * slope.x, foot->y + length * slope.y};
    double at_foot[2], at_head[2];
    if (!find_ends(half, *foot, along, at_foot) || !find_ends(half, head, along, at_head))
        return false;
    double low = fmax(at_foot[0], at_head[0]), high = fmin(at_foot[1], at_head[1]);
    double move = fmin(fmax(0, low), high);
    *foot = (struct point){foot->x + move * along.x, foot->y + move * along.y};
    return low <= high;
}

// The vector w, perpendicular to the line on the page, with a length proportional to |w| if it
// fits. It starts on the line, as near to the middle as possible.
static void draw_normal(struct chart *chart, const struct animation *run, const struct linear *f,
                        const struct style *style)
{
    double across = (chart->x.high - chart->x.low) / box_width(&chart->area); // units per point
    double up = (chart->y.high - chart->y.low) / box_height(&chart->area);
    struct point slope = {f->w1 * across, f->w2 * up};
    double steep = hypot(slope.x, slope.y), least = ARROW_MIN * (chart->small ? 0.5 : 1);
    double length = ARROW * hypot(f->w1, f->w2) / run->longest * (chart->small ? 0.5 : 1);
    struct point middle = {chart->x.low / 2 + chart->x.high / 2,
                           chart->y.low / 2 + chart->y.high / 2};
    if (!(steep > 0) || !isfinite(steep) || !isfinite(length))
        return;
    slope = (struct point){slope.x / steep, slope.y / steep};
    double away = linear_at(f, middle) / steep;
    const struct point nearest = {-away * slope.x, -away * slope.y}; // from the middle, y up
    const double wide = box_width(&chart->area) / 2 - EDGE,
                 high = box_height(&chart->area) / 2 - EDGE;
    const struct box half = {-wide, -high, wide, high};
    struct point foot = nearest;
    length = fmax(length, least);
    while (length > least && !place_arrow(&half, length, slope, &foot)) {
        length = fmax(least, 0.8 * length);
        foot = nearest;
    }
    if (!place_arrow(&half, length, slope, &foot))
        return;
    struct point from = {middle.x + foot.x * across, middle.y + foot.y * up};
    chart_arrow(chart, from,
                (struct point){from.x + length * slope.x * across, from.y + length * slope.y * up},
                style);
}

static bool is_zero(const struct linear *f)
{
    return f->w0 == 0 && f->w1 == 0 && f->w2 == 0;
}

// The class that is predicted at all corners of the picture, or NO_CLASS.
static uint32_t find_called(const struct chart *chart, const struct boundary *boundary)
{
    if (is_zero(&boundary->f))
        return NO_CLASS;
    size_t above = linear_corners(&boundary->f, (struct point){chart->x.low, chart->y.low},
                                  (struct point){chart->x.high, chart->y.high});
    return above == 4 ? boundary->of : above == 0 ? 1 - boundary->of : NO_CLASS;
}

// ---- several classes: regions

struct score_field {
    const struct state *state;
    enum scheme_kind scheme;
    uint32_t classes; // with columns
    double *scores;   // [count]
};

static tlu_status label_places(void *context, const struct point *at, size_t count,
                               uint32_t *labels, tlu_error *error)
{
    const struct score_field *field = context;
    const struct election election = {.kind = field->scheme, .classes = field->classes};
    (void)error;
    for (size_t i = 0; i < count; i++) {
        bool unclear;
        for (size_t c = 0; c < field->state->count; c++)
            field->scores[c] = linear_at(&field->state->boundaries[c].f, at[i]);
        uint32_t winner = scheme_elect(&election, field->scores, &unclear);
        if (field->scheme != SCHEME_OVO)
            winner = field->state->boundaries[winner].of;
        labels[i] = unclear ? winner | REGION_AMBIGUOUS : winner;
    }
    return TLU_OK;
}

static bool is_known(const struct state *state)
{
    for (size_t c = 0; c < state->count; c++)
        if (!is_zero(&state->boundaries[c].f))
            return true;
    return false;
}

// *regions is NULL before the first update.
static tlu_status find_regions(const struct chart *chart, const struct animation *run,
                               const struct state *state, struct regions **regions,
                               tlu_error *error)
{
    const char *scheme = tlu_model_scheme(run->trace.model);
    struct score_field own = {.state = state,
                              .scheme = scheme[0] == 'w'   ? SCHEME_WTA
                                        : scheme[2] == 'r' ? SCHEME_OVR
                                                           : SCHEME_OVO,
                              .classes = (uint32_t)run->classes};
    const struct region_field field = {.label = label_places, .context = &own};
    *regions = NULL;
    if (own.scheme != SCHEME_OVO)
        own.classes = (uint32_t)state->count;
    if (state->count < 2 || !is_known(state) ||
        (own.scheme == SCHEME_OVO && state->count != run->classes * (run->classes - 1) / 2))
        return TLU_OK;
    own.scores = memory_new(state->count, sizeof *own.scores);
    TRY(enough_memory(own.scores != NULL, error));
    tlu_status status = plane_regions(&field, chart->x.low, chart->x.high, chart->y.low,
                                      chart->y.high, ACROSS, UP, regions, error);
    memory_free(own.scores);
    return status;
}

static void draw_borders(struct chart *chart, const struct regions *regions, bool old)
{
    const struct theme *theme = chart->page->picture->theme;
    const struct style line = {.fill = COLOUR_NONE,
                               .line = old ? theme->faint : theme->ink,
                               .width = chart->small ? 1 : 1.5,
                               .dash = old ? 5 : 0};
    if (regions)
        plane_draw_borders(chart, regions, &line);
}

static tlu_status draw_regions(struct chart *chart, const struct animation *run,
                               const struct moment *moment, tlu_error *error)
{
    struct regions *now = NULL, *before = NULL;
    tlu_status status = find_regions(chart, run, &moment->after, &now, error);
    if (status == TLU_OK && run->classes <= FEW_CLASSES)
        status = find_regions(chart, run, &moment->before, &before, error);
    if (status == TLU_OK && now) {
        plane_draw_regions(chart, now, NULL);
        draw_borders(chart, before, true);
        draw_borders(chart, now, false);
    }
    plane_regions_free(now);
    plane_regions_free(before);
    return status;
}

// ---- all of it

static void draw_rows(struct chart *chart, const struct animation *run)
{
    const struct theme *theme = chart->page->picture->theme;
    size_t begin = 0;
    for (size_t i = 0; i < run->classes; begin = run->ends[i++]) {
        struct style style = class_style(theme, i);
        chart_dots(chart, run->points + begin, run->ends[i] - begin, class_shape(i),
                   chart->small ? 2.5 : 4, &style);
    }
}

// The row of the update, which may be missing among the drawn points.
static void draw_learned(struct chart *chart, const struct moment *moment)
{
    const struct theme *theme = chart->page->picture->theme;
    struct style dot = class_style(theme, moment->class_index);
    struct style ring = edged_style(COLOUR_NONE, theme->ink, chart->small ? 1.5 : 2);
    if (moment->update == 0)
        return;
    chart_dots(chart, &moment->at, 1, class_shape(moment->class_index), chart->small ? 2.5 : 4,
               &dot);
    chart_dots(chart, &moment->at, 1, SHAPE_CIRCLE, chart->small ? 5.5 : 9, &ring);
}

static void draw_lines(struct chart *chart, const struct animation *run,
                       const struct moment *moment)
{
    const struct theme *theme = chart->page->picture->theme;
    double thick = chart->small ? 1.2 : 2;
    struct style line = line_style(theme->ink, thick, 0);
    struct style old = line_style(theme->faint, 0.75 * thick, 5);
    struct style other = line_style(theme->wrong, thick, 2);
    const struct boundary *after = moment->after.boundaries, *before = moment->before.boundaries;
    if (moment->before.count == 1)
        plane_line(chart, &before->f, &old);
    if (run->decided && moment == run->moments + run->count - 1)
        plane_line(chart, &run->decides.f, &other);
    if (moment->after.count != 1)
        return;
    plane_line(chart, &after->f, &line);
}

static tlu_status draw_moment(const void *context, struct frame *frame, size_t index,
                              tlu_error *error)
{
    const struct animation *run = context;
    const struct moment *moment = &run->moments[index];
    const struct theme *theme = frame->page->picture->theme;
    struct chart chart = {.page = frame->page, .place = frame->place, .small = frame->small};
    set_ranges(&chart, run);
    if (frame->small) {
        chart.x.bare = chart.y.bare = true;
        chart.x.label = chart.y.label = NULL;
    } else {
        chart.legend = run->legend;
        chart.legend_count = run->legend_count;
        chart.legend_last = run->legend_count - run->classes;
    }
    chart_begin(&chart);
    if (frame->small) // hides the grid
        page_box(frame->page, &chart.area,
                 &(struct style){theme->panel, COLOUR_NONE, 0, 0, false, true, 0});
    frame->called = NO_CLASS;
    if (run->classes == 2 && moment->after.count == 1)
        frame->called = find_called(&chart, moment->after.boundaries);
    if (run->classes > 2)
        TRY(draw_regions(&chart, run, moment, error));
    else if (moment->after.count == 1)
        draw_halves(&chart, moment->after.boundaries);
    if (run->classes == 2)
        draw_lines(&chart, run, moment);
    draw_rows(&chart, run);
    struct style arrow = line_style(theme->ink, chart.small ? 1.2 : 2, 0);
    if (run->classes == 2 && moment->after.count == 1)
        draw_normal(&chart, run, &moment->after.boundaries->f, &arrow);
    draw_learned(&chart, moment);
    chart_end(&chart);
    return TLU_OK;
}

// ---- the sequence

#define FRAME_POINTS 1000 // drawn in a frame at most
#define STRIP_POINTS 400  // drawn in each small picture at most
#define NAME_WIDTH 200    // points, of the name of an axis in the caption

static const char *text_of(const void *context, const struct frame *frame, size_t index, int terse,
                           char out[TEXT_SIZE])
{
    const struct animation *run = context;
    return moment_text(run, &run->moments[index], frame->called, terse, out);
}

static struct sequence sequence_of(const struct animation *run)
{
    return (struct sequence){.plot = run->plot,
                             .context = run,
                             .count = run->count,
                             .draw = draw_moment,
                             .text = text_of,
                             .legend = run->legend,
                             .legend_count = run->legend_count,
                             .legend_first = run->classes > FEW_CLASSES ? run->classes : 0};
}

static tlu_status draw_frames(struct animation *run, struct plot *plot, tlu_error *error)
{
    const tlu_plot_run_settings *settings = plot->settings;
    char words[TEXT_SIZE];
    TRY(animation_make(run, plot, FRAMES_MAX, FRAME_POINTS, error));
    struct sequence sequence = sequence_of(run);
    sequence.caption = animation_caption(run, words);
    return sequence_animate(&sequence, settings->fps, error);
}

// Small pictures have no axis labels: the caption names them.
static void say_axes(const struct animation *run)
{
    const struct projection *projection = &run->projection;
    const char *names[2] = {projection->x_name,
                            projection->by_class ? "the class" : projection->y_name};
    const struct page page = {.picture = run->plot->picture}; // to measure with
    const struct text_style font = {.size = 10};
    for (int axis = 0; axis < 2; axis++) {
        char *fitted = page_text_fitted(&page, names[axis], &font, NAME_WIDTH, CUT_END);
        say(run->plot, axis ? "; up: %s." : " Across: %s", fitted ? fitted : "");
        page.picture->failed |= !fitted;
        memory_free(fitted);
    }
}

static tlu_status draw_strip(struct animation *run, struct plot *plot, tlu_error *error)
{
    TRY(animation_make(run, plot, PICTURES_MAX, STRIP_POINTS, error));
    const struct sequence sequence = sequence_of(run);
    say_axes(run);
    return sequence_strip(&sequence, error);
}

static tlu_status plot_run(struct plot *plot, tlu_error *error)
{
    const tlu_plot_run_settings *settings = plot->settings;
    struct animation run;
    tlu_status status =
        settings->strip ? draw_strip(&run, plot, error) : draw_frames(&run, plot, error);
    trace_free(&run.trace);
    return status;
}

tlu_status tlu_plot_run(const tlu_plot_run_settings *given, const tlu_options *options,
                        const tlu_picture_style *style, tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_plot_run_settings settings;
    *picture = NULL;
    TRY(settings_take(&settings, sizeof settings, given, "tlu_plot_run_settings", error));
    TRY(check_axes(settings.x, settings.y, error));
    TRY(check_fps(settings.fps, error));
    struct plot plot = {.settings = &settings, .path = settings.path};
    return plot_file(plot_run, &plot, options, style, picture, error);
}
