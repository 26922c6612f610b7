// The frames of an animation and the small pictures of a strip: the plane as the weights divide it,
// the rows, and the row of the update.
#include "base/memory.h"
#include "learn/scheme.h"
#include "plot/plane/plane.h"
#include "plot/run/run.h"

#include <math.h>
#include <stdio.h>

#define ALIKE 4      // ranges that differ by at most this factor share a scale
#define WIDER 2.5    // unless one would be enlarged by more than this
#define ACROSS 72    // cells of the grid for regions of several classes
#define UP 48        // likewise
#define ARROW 60.0   // points: length for the longest w
#define ARROW_MIN 16 // points
#define EDGE 3       // points between the arrow and the border

// Where a moment is drawn.
struct frame {
    struct page *page;
    struct box place;
    bool small;      // without numbers and legend
    uint32_t called; // found: the class that all in the picture is called, or NO_CLASS
};

// A line of text at the top of a box, shortened if necessary.
static void frame_line(struct page *page, const struct box *box, const char *text,
                       const struct text_style *font)
{
    char *fitted = page_text_fitted(page, text, font, box_width(box));
    double middle = (box->left + box->right) / 2;
    if (fitted)
        page_text(page, font->across == ALIGN_MIDDLE ? middle : box->left, box->top, fitted, font);
    page->failed = page->failed || !fitted;
    memory_free(fitted);
}

// The longest text about a moment that fits, from `terse` on.
static void frame_text(const struct frame *frame, const struct animation *run,
                       const struct moment *moment, const struct box *box, int terse,
                       const struct text_style *font)
{
    char words[TEXT_SIZE];
    moment_text(run, moment, frame->called, terse, words);
    while (terse < TERSEST && page_text_width(frame->page, words, font) > box_width(box))
        moment_text(run, moment, frame->called, ++terse, words);
    frame_line(frame->page, box, words, font);
}

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
    chart->square = is_square(chart, wide, high);
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
    plane_half(chart, boundary->w0, boundary->w1, boundary->w2, &own);
    plane_half(chart, -boundary->w0, -boundary->w1, -boundary->w2, &other);
}

// The distances from a place along a line at which it enters and leaves the box; false: it is
// outside.
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
static void draw_normal(struct chart *chart, const struct animation *run,
                        const struct boundary *boundary, const struct style *style)
{
    double across = (chart->x.high - chart->x.low) / box_width(&chart->area); // units per point
    double up = (chart->y.high - chart->y.low) / box_height(&chart->area);
    struct point slope = {boundary->w1 * across, boundary->w2 * up};
    double steep = hypot(slope.x, slope.y), least = ARROW_MIN * (chart->small ? 0.5 : 1);
    double length =
        ARROW * hypot(boundary->w1, boundary->w2) / run->longest * (chart->small ? 0.5 : 1);
    struct point middle = {chart->x.low / 2 + chart->x.high / 2,
                           chart->y.low / 2 + chart->y.high / 2};
    if (!(steep > 0) || !isfinite(steep) || !isfinite(length))
        return;
    slope = (struct point){slope.x / steep, slope.y / steep};
    double away = (boundary->w0 + boundary->w1 * middle.x + boundary->w2 * middle.y) / steep;
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

// The class that is predicted at all corners of the picture, or NO_CLASS.
static uint32_t find_called(const struct chart *chart, const struct boundary *boundary)
{
    size_t above = 0;
    if (boundary->w0 == 0 && boundary->w1 == 0 && boundary->w2 == 0)
        return NO_CLASS;
    for (int i = 0; i < 4; i++)
        above += boundary->w0 + boundary->w1 * (i & 1 ? chart->x.high : chart->x.low) +
                     boundary->w2 * (i & 2 ? chart->y.high : chart->y.low) >=
                 0;
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
    (void)error;
    for (size_t i = 0; i < count; i++) {
        bool unclear;
        for (size_t c = 0; c < field->state->count; c++) {
            const struct boundary *boundary = &field->state->boundaries[c];
            field->scores[c] = boundary->w0 + boundary->w1 * at[i].x + boundary->w2 * at[i].y;
        }
        uint32_t winner = scheme_elect(field->scheme, field->scores, field->classes, 0, &unclear);
        if (field->scheme != SCHEME_OVO)
            winner = field->state->boundaries[winner].of;
        labels[i] = unclear ? winner | REGION_AMBIGUOUS : winner;
    }
    return TLU_OK;
}

static bool is_known(const struct state *state)
{
    for (size_t c = 0; c < state->count; c++)
        if (state->boundaries[c].w0 != 0 || state->boundaries[c].w1 != 0 ||
            state->boundaries[c].w2 != 0)
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
        plane_line(chart, before->w0, before->w1, before->w2, &old);
    if (run->decided && moment == run->moments + run->count - 1)
        plane_line(chart, run->decides.w0, run->decides.w1, run->decides.w2, &other);
    if (moment->after.count != 1)
        return;
    plane_line(chart, after->w0, after->w1, after->w2, &line);
}

static tlu_status frame_draw_moment(struct frame *frame, const struct animation *run,
                                    const struct moment *moment, tlu_error *error)
{
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
                 &(struct style){theme->panel, COLOUR_NONE, 0, 0, false, true});
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
        draw_normal(&chart, run, moment->after.boundaries, &arrow);
    draw_learned(&chart, moment);
    chart_end(&chart);
    return TLU_OK;
}

// ---- an animation: one frame per update, and one before the first

#define FRAMES 200        // default
#define FRAME_POINTS 1000 // drawn in a frame at most
#define FPS 4
#define FEW 20 // frames or fewer are shown more slowly
#define FPS_OF_FEW 2
#define HELD 4  // seconds for the last frame
#define LOW 240 // points: lower pages have no caption

// Only one line of text changes between frames, so that everything else stays in place.
static tlu_status draw_frame(const struct animation *run, const struct plot *plot,
                             double wanted_fps, size_t index, tlu_error *error)
{
    const struct moment *moment = &run->moments[index];
    double own = run->count <= FEW ? FPS_OF_FEW : FPS;
    double fps = wanted_fps > 0 ? wanted_fps : own;
    char title[TEXT_SIZE], words[TEXT_SIZE];
    struct page *page;
    TRY(picture_add_page(plot->picture, &page, error));
    page->seconds = index + 1 == run->count ? fmax(HELD, 1 / fps) : 1 / fps;
    struct frame frame = {.page = page, .place = page_whole(page)};
    bool low = box_height(&frame.place) < LOW; // no space for the caption
    chart_frame(page, animation_title(run, plot, title, sizeof title),
                low ? NULL : animation_caption(run, words), &frame.place);
    const struct text_style font = {.size = 13, .colour = plot->picture->theme->ink};
    const struct box line = frame.place;
    frame.place.top += page_text_height(page, &font);
    TRY(frame_draw_moment(&frame, run, moment, error));
    page_clip(page, NULL);
    frame_text(&frame, run, moment, &line, 0, &font);
    return page_end(page, error);
}

static tlu_status draw_frames(struct animation *run, struct plot *plot,
                              const tlu_plot_run_settings *settings, tlu_error *error)
{
    TRY(animation_make(run, plot, settings, FRAMES, FRAME_POINTS, error));
    for (size_t i = 0; i < run->count; i++)
        TRY(draw_frame(run, plot, settings->fps, i, error));
    return animation_describe(run, plot, error);
}

// ---- a strip: small pictures on one page

#define PICTURES 12      // default
#define STRIP_POINTS 400 // drawn in each at most
#define GAP 8
#define LEGEND_LINES 2
#define NAME_WIDTH 200 // points, of the name of an axis in the caption
#define SHAPE 1.25     // aspect ratio of a small picture

// The number of columns that makes the small pictures largest.
static size_t find_columns(const struct box *box, size_t count, double line)
{
    size_t best = 1;
    double largest = -INFINITY;
    for (size_t columns = 1; columns <= count; columns++) {
        double rows = ceil((double)count / (double)columns);
        double width = box_width(box) / (double)columns, height = box_height(box) / rows - line;
        double size = fmin(width, height * SHAPE);
        if (size > largest) {
            largest = size;
            best = columns;
        }
    }
    return best;
}

static struct text_style small_font(const struct page *page, enum align across)
{
    return (struct text_style){.size = 10, .across = across, .colour = page->picture->theme->ink};
}

static double entry_width(const struct page *page, const struct box *box, const char *text,
                          const struct text_style *font)
{
    return fmin(box_width(box) / 3, page_text_width(page, text, font)) + 4 * GAP;
}

static void draw_entry(struct page *page, const struct legend_entry *entry, struct point at,
                       double wide, const struct text_style *font)
{
    double line = page_text_height(page, font);
    struct point middle = {at.x, at.y + line / 2};
    if (entry->kind == LEGEND_DOT)
        page_dots(page, &middle, 1, entry->shape, 3, &entry->style);
    else
        page_line(page, (struct point){at.x - GAP, middle.y}, (struct point){at.x + GAP, middle.y},
                  &entry->style);
    page_fit_name(page, at.x + 1.5 * GAP, at.y, entry->text, font, wide - 3.5 * GAP);
}

// The legend in lines; if it does not fit, its last entry counts those left out. With many classes,
// these come last.
static void draw_legend(struct page *page, const struct animation *run, struct box *box)
{
    const struct text_style font = small_font(page, ALIGN_START);
    double line = page_text_height(page, &font);
    struct point at = {box->left + GAP, box->top};
    char rest[COUNTED_SIZE] = "and 100 more";
    double more = page_text_width(page, rest, &font) + GAP;
    size_t first = run->classes > FEW_CLASSES ? run->classes : 0;
    int lines = 1;
    for (size_t i = 0; i < run->legend_count; i++) {
        const struct legend_entry *entry = &run->legend[(first + i) % run->legend_count];
        double wide = entry_width(page, box, entry->text, &font);
        bool last = i + 1 == run->legend_count;
        if (at.x + wide - 2 * GAP > box->right && lines < LEGEND_LINES) {
            at = (struct point){box->left + GAP, at.y + line};
            lines++;
        }
        if (at.x + wide - 2 * GAP + (lines == LEGEND_LINES && !last ? more : 0) > box->right) {
            snprintf(rest, sizeof rest, "and %zu more", run->legend_count - i);
            frame_line(page, &(struct box){at.x - GAP / 2, at.y, box->right, at.y + line}, rest,
                       &font);
            break;
        }
        draw_entry(page, entry, at, wide, &font);
        at.x += wide;
    }
    box->top = at.y + line;
}

static tlu_status draw_pictures(struct page *page, const struct animation *run,
                                const struct box *box, tlu_error *error)
{
    const struct text_style font = small_font(page, ALIGN_MIDDLE);
    double line = page_text_height(page, &font);
    size_t columns = find_columns(box, run->count, line);
    size_t rows = (run->count + columns - 1) / columns;
    double width = box_width(box) / (double)columns, height = box_height(box) / (double)rows;
    if (picture_is_text(page->picture)) {
        width = floor(width / CELL_WIDTH) * CELL_WIDTH;
        height = floor(height / CELL_HEIGHT) * CELL_HEIGHT;
    }
    if (width < 5 * line || height < 4 * line)
        return error_input(error,
                           "%zu small pictures do not fit on this page: use --frames N for "
                           "fewer or --size WxH for a larger page",
                           run->count);
    for (size_t i = 0; i < run->count; i++) {
        double left = box->left + (double)(i % columns) * width;
        double top = box->top + (double)(i / columns) * height;
        struct frame frame = {page, {left, top, left + width, top + height - line}, true, NO_CLASS};
        TRY(frame_draw_moment(&frame, run, &run->moments[i], error));
        page_clip(page, NULL);
        frame_text(&frame, run, &run->moments[i],
                   &(struct box){left, top + height - line, left + width, top + height}, SMALL_TEXT,
                   &font);
    }
    return TLU_OK;
}

// Small pictures have no axis labels: the caption names them.
static tlu_status add_axes(struct page *page, const struct animation *run, tlu_error *error)
{
    const struct projection *projection = &run->projection;
    const struct text_style font = small_font(page, ALIGN_START);
    char caption[4 * TEXT_SIZE];
    char *across = page_text_fitted(page, projection->x_name, &font, NAME_WIDTH);
    char *up = page_text_fitted(page, projection->by_class ? "the class" : projection->y_name,
                                &font, NAME_WIDTH);
    tlu_status status = enough_memory(across && up, error);
    if (status == TLU_OK) {
        snprintf(caption, sizeof caption, "%s Across: %s; up: %s.",
                 tlu_picture_caption(page->picture), across, up);
        status = picture_describe(page->picture, NULL, caption, error);
    }
    memory_free(across);
    memory_free(up);
    return status;
}

static tlu_status draw_strip(struct animation *run, struct plot *plot,
                             const tlu_plot_run_settings *settings, tlu_error *error)
{
    char title[TEXT_SIZE];
    struct page *page;
    TRY(animation_make(run, plot, settings, PICTURES, STRIP_POINTS, error));
    TRY(animation_describe(run, plot, error));
    TRY(picture_add_page(plot->picture, &page, error));
    TRY(add_axes(page, run, error));
    struct box box = page_whole(page);
    chart_frame(page, animation_title(run, plot, title, sizeof title),
                tlu_picture_caption(plot->picture), &box);
    draw_legend(page, run, &box);
    TRY(draw_pictures(page, run, &box, error));
    return page_end(page, error);
}

tlu_status plot_run(struct plot *plot, const void *given, tlu_error *error)
{
    const tlu_plot_run_settings *settings = given;
    struct animation run;
    tlu_status status = settings->strip ? draw_strip(&run, plot, settings, error)
                                        : draw_frames(&run, plot, settings, error);
    animation_free(&run);
    return status;
}
