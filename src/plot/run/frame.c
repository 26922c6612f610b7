// One moment of a run: what the weights make of the plane, the rows, and the row that changed them.
#include "base/memory.h"
#include "learn/scheme.h"
#include "plot/plane/plane.h"
#include "plot/run/animation.h"

#include <math.h>

#define ALIKE 4      // ranges of two features so far apart are drawn to one scale
#define WIDER 2.5    // unless one would become so many times larger
#define ACROSS 72    // cells of the grid for regions of several classes
#define UP 48        // likewise
#define ARROW 60.0   // points, of the longest w
#define ARROW_MIN 16 // so that it is seen
#define EDGE 3       // points between the arrow and the border

void frame_line(struct page *page, const struct box *box, const char *text,
                const struct letters *letters)
{
    char *fitted = page_text_fitted(page, text, letters, box_width(box));
    double middle = (box->left + box->right) / 2;
    if (fitted)
        page_text(page, letters->across == ALIGN_MIDDLE ? middle : box->left, box->top, fitted,
                  letters);
    page->failed = page->failed || !fitted;
    memory_free(fitted);
}

void frame_words(const struct frame *frame, const struct animation *animation,
                 const struct moment *moment, const struct box *box, int terse,
                 const struct letters *letters)
{
    char words[WORDS_SIZE];
    moment_words(animation, moment, frame->called, terse, words);
    while (terse < TERSEST && page_text_width(frame->page, words, letters) > box_width(box))
        moment_words(animation, moment, frame->called, ++terse, words);
    frame_line(frame->page, box, words, letters);
}

// ---- axes

// Whether a unit is as long across as up, about: numbers and legend take some of the place.
static bool is_square(const struct chart *chart, double wide, double high)
{
    double across = box_width(&chart->place) * (chart->small ? 1 : 0.75) / wide;
    double up = box_height(&chart->place) * (chart->small ? 1 : 0.85) / high;
    return wide > 0 && high > 0 && wide <= ALIKE * high && high <= ALIKE * wide &&
           across <= WIDER * up && up <= WIDER * across;
}

static void set_ranges(struct chart *chart, const struct animation *animation)
{
    double wide = animation->high.x - animation->low.x, high = animation->high.y - animation->low.y;
    chart->x.low = animation->low.x - MARGIN * wide;
    chart->x.high = animation->high.x + MARGIN * wide;
    chart->y.low = animation->low.y - MARGIN * high;
    chart->y.high = animation->high.y + MARGIN * high;
    chart->x.label = animation->projection.x_name;
    chart->y.label = animation->projection.y_name;
    chart->square = is_square(chart, wide, high);
    if (animation->projection.by_class) {
        chart->y.low = -0.5;
        chart->y.high = (double)animation->classes - 0.5;
        chart->y.names = animation->names;
        chart->y.name_count = animation->classes;
        chart->square = false;
    }
}

// ---- two classes: half-planes

static struct look ground(const struct theme *theme, uint32_t class_index)
{
    return (struct look){theme_region(theme, class_index), COLOUR_NONE, 0, 0, false, true};
}

static void draw_halves(struct chart *chart, const struct cut *cut)
{
    const struct theme *theme = chart->page->picture->theme;
    struct look own = ground(theme, cut->of), other = ground(theme, 1 - cut->of);
    plane_half(chart, cut->w0, cut->w1, cut->w2, &own);
    plane_half(chart, -cut->w0, -cut->w1, -cut->w2, &other);
}

// How far a line goes from a place to both sides until it leaves the box; false: it is outside.
static bool find_ends(const struct box *box, struct point at, struct point along, double ends[2])
{
    const double places[2] = {at.x, at.y}, steps[2] = {along.x, along.y};
    const double lows[2] = {box->left, box->top}, highs[2] = {box->right, box->bottom};
    ends[0] = -INFINITY;
    ends[1] = INFINITY;
    for (int i = 0; i < 2; i++) {
        double enter = (lows[i] - places[i]) / steps[i], leave = (highs[i] - places[i]) / steps[i];
        if (steps[i] == 0 && (places[i] < lows[i] || places[i] > highs[i]))
            return false;
        if (steps[i] == 0)
            continue;
        ends[0] = fmax(ends[0], fmin(enter, leave));
        ends[1] = fmin(ends[1], fmax(enter, leave));
    }
    return ends[0] < ends[1];
}

// Where an arrow of this length can begin on the line so that all of it is in the box, as near to
// the foot as it can be. All in points from the middle, y up; false: nowhere.
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

// w, from the line on, perpendicular to it on the page; its length is that of w, or less if there
// is no room for that. It begins where the line is nearest to the middle, or is next to that.
static void draw_normal(struct chart *chart, const struct animation *animation,
                        const struct cut *cut, const struct look *look)
{
    double across = (chart->x.high - chart->x.low) / box_width(&chart->area); // units per point
    double up = (chart->y.high - chart->y.low) / box_height(&chart->area);
    struct point slope = {cut->w1 * across, cut->w2 * up};
    double steep = hypot(slope.x, slope.y), least = ARROW_MIN * (chart->small ? 0.5 : 1);
    double length = ARROW * hypot(cut->w1, cut->w2) / animation->longest * (chart->small ? 0.5 : 1);
    struct point middle = {chart->x.low / 2 + chart->x.high / 2,
                           chart->y.low / 2 + chart->y.high / 2};
    if (!(steep > 0) || !isfinite(steep) || !isfinite(length))
        return;
    slope = (struct point){slope.x / steep, slope.y / steep};
    double away = (cut->w0 + cut->w1 * middle.x + cut->w2 * middle.y) / steep;
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
                look);
}

// The class that all corners of the picture are of, if it is one.
static uint32_t find_called(const struct chart *chart, const struct cut *cut)
{
    size_t above = 0;
    if (cut->w0 == 0 && cut->w1 == 0 && cut->w2 == 0)
        return NO_CLASS;
    for (int i = 0; i < 4; i++)
        above += cut->w0 + cut->w1 * (i & 1 ? chart->x.high : chart->x.low) +
                     cut->w2 * (i & 2 ? chart->y.high : chart->y.low) >=
                 0;
    return above == 4 ? cut->of : above == 0 ? 1 - cut->of : NO_CLASS;
}

// ---- several classes: regions

struct field {
    const struct state *state;
    enum scheme_kind scheme;
    uint32_t classes; // that there are columns for
    double *scores;   // [count]
};

static tlu_status label_places(void *context, const struct point *at, size_t count,
                               uint32_t *labels, tlu_error *error)
{
    const struct field *field = context;
    (void)error;
    for (size_t i = 0; i < count; i++) {
        bool unclear;
        for (size_t c = 0; c < field->state->count; c++) {
            const struct cut *cut = &field->state->cuts[c];
            field->scores[c] = cut->w0 + cut->w1 * at[i].x + cut->w2 * at[i].y;
        }
        uint32_t winner = scheme_elect(field->scheme, field->scores, field->classes, 0, &unclear);
        if (field->scheme != SCHEME_OVO)
            winner = field->state->cuts[winner].of;
        labels[i] = unclear ? winner | REGION_AMBIGUOUS : winner;
    }
    return TLU_OK;
}

static bool is_known(const struct state *state)
{
    for (size_t c = 0; c < state->count; c++)
        if (state->cuts[c].w0 != 0 || state->cuts[c].w1 != 0 || state->cuts[c].w2 != 0)
            return true;
    return false;
}

// *regions is NULL if there are none yet.
static tlu_status find_regions(const struct chart *chart, const struct animation *animation,
                               const struct state *state, struct regions **regions,
                               tlu_error *error)
{
    const char *scheme = tlu_model_scheme(animation->trace.model);
    struct field own = {.state = state,
                        .scheme = scheme[0] == 'w'   ? SCHEME_WTA
                                  : scheme[2] == 'r' ? SCHEME_OVR
                                                     : SCHEME_OVO,
                        .classes = (uint32_t)animation->classes};
    const struct region_field field = {.label = label_places, .context = &own};
    *regions = NULL;
    if (own.scheme != SCHEME_OVO)
        own.classes = (uint32_t)state->count;
    if (state->count < 2 || !is_known(state) ||
        (own.scheme == SCHEME_OVO &&
         state->count != animation->classes * (animation->classes - 1) / 2))
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
    const struct look line = {.fill = COLOUR_NONE,
                              .line = old ? theme->faint : theme->ink,
                              .width = chart->small ? 1 : 1.5,
                              .dash = old ? 5 : 0};
    if (regions)
        plane_draw_borders(chart, regions, &line);
}

static tlu_status draw_regions(struct chart *chart, const struct animation *animation,
                               const struct moment *moment, tlu_error *error)
{
    struct regions *now = NULL, *before = NULL;
    tlu_status status = find_regions(chart, animation, &moment->after, &now, error);
    if (status == TLU_OK && animation->classes <= FEW_CLASSES)
        status = find_regions(chart, animation, &moment->before, &before, error);
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

static void draw_rows(struct chart *chart, const struct animation *animation)
{
    const struct theme *theme = chart->page->picture->theme;
    size_t begin = 0;
    for (size_t i = 0; i < animation->classes; begin = animation->ends[i++]) {
        struct look look = class_look(theme, i);
        chart_dots(chart, animation->points + begin, animation->ends[i] - begin, class_shape(i),
                   chart->small ? 2.5 : 4, &look);
    }
}

// The row of the update, which may have been left out.
static void draw_learned(struct chart *chart, const struct moment *moment)
{
    const struct theme *theme = chart->page->picture->theme;
    struct look dot = class_look(theme, moment->class_index);
    struct look ring = {COLOUR_NONE, theme->ink, chart->small ? 1.5 : 2, 0, false, true};
    if (moment->update == 0)
        return;
    chart_dots(chart, &moment->at, 1, class_shape(moment->class_index), chart->small ? 2.5 : 4,
               &dot);
    chart_dots(chart, &moment->at, 1, SHAPE_CIRCLE, chart->small ? 5.5 : 9, &ring);
}

static void draw_lines(struct chart *chart, const struct animation *animation,
                       const struct moment *moment)
{
    const struct theme *theme = chart->page->picture->theme;
    double thick = chart->small ? 1.2 : 2;
    struct look line = {COLOUR_NONE, theme->ink, thick, 0, false, false};
    struct look old = {COLOUR_NONE, theme->faint, 0.75 * thick, 5, false, false};
    struct look other = {COLOUR_NONE, theme->wrong, thick, 2, false, false};
    const struct cut *after = moment->after.cuts, *before = moment->before.cuts;
    if (moment->before.count == 1)
        plane_line(chart, before->w0, before->w1, before->w2, &old);
    if (animation->decided && moment == animation->moments + animation->count - 1)
        plane_line(chart, animation->decides.w0, animation->decides.w1, animation->decides.w2,
                   &other);
    if (moment->after.count != 1)
        return;
    plane_line(chart, after->w0, after->w1, after->w2, &line);
}

tlu_status frame_draw_moment(struct frame *frame, const struct animation *animation,
                             const struct moment *moment, tlu_error *error)
{
    const struct theme *theme = frame->page->picture->theme;
    struct chart chart = {.page = frame->page, .place = frame->place, .small = frame->small};
    set_ranges(&chart, animation);
    if (frame->small) {
        chart.x.bare = chart.y.bare = true;
        chart.x.label = chart.y.label = NULL;
    } else {
        chart.legend = animation->legend;
        chart.legend_count = animation->legend_count;
        chart.legend_last = animation->legend_count - animation->classes;
    }
    chart_begin(&chart);
    if (frame->small) // the others have a ground over the grid
        page_box(frame->page, &chart.area,
                 &(struct look){theme->panel, COLOUR_NONE, 0, 0, false, true});
    frame->called = NO_CLASS;
    if (animation->classes == 2 && moment->after.count == 1)
        frame->called = find_called(&chart, moment->after.cuts);
    if (animation->classes > 2)
        TRY(draw_regions(&chart, animation, moment, error));
    else if (moment->after.count == 1)
        draw_halves(&chart, moment->after.cuts);
    if (animation->classes == 2)
        draw_lines(&chart, animation, moment);
    draw_rows(&chart, animation);
    struct look arrow = {COLOUR_NONE, theme->ink, chart.small ? 1.2 : 2, 0, false, false};
    if (animation->classes == 2 && moment->after.count == 1)
        draw_normal(&chart, animation, moment->after.cuts, &arrow);
    draw_learned(&chart, moment);
    chart_end(&chart);
    return TLU_OK;
}
