#include "draw/run/film.h"
#include "base/memory.h"
#include "base/options.h"

#include <math.h>
#include <string.h>

#define PATIENCE 1.5   // seconds for the bound, which is left out if it takes longer
#define CHEAP 2000000  // entries of rows for which it is asked for
#define FIXED_LEGEND 4 // entries besides the classes

// ---- moments

// The update of moment i of `count`: the first is 0, the last is the last.
static uint64_t chosen(const struct film *film, size_t i)
{
    if (film->count == 1)
        return film->course.updates;
    double share = (double)i / (double)(film->count - 1);
    return (uint64_t)(share * (double)film->course.updates + 0.5);
}

struct filming {
    struct film *film;
    size_t next; // moment
    uint64_t updates, mistakes;
    struct state last; // before the update of the next moment, if that comes next
    bool failed;
};

static bool take_state(struct state *state, const struct film *film, const tlu_step *step)
{
    memory_free(state->cuts);
    state->cuts = memory_new(step->columns, sizeof *state->cuts);
    state->count = state->cuts ? step->columns : 0;
    for (size_t c = 0; c < state->count; c++)
        state->cuts[c] = sight_cut(&film->sight, &film->course, step, c);
    return state->cuts != NULL;
}

static bool take_moment(struct filming *filming, const tlu_step *step)
{
    struct film *film = filming->film;
    struct moment *moment = &film->moments[filming->next++];
    uint32_t class_index = (uint32_t)tlu_model_class_find(film->course.model, step->label);
    *moment =
        (struct moment){.update = filming->updates,
                        .step = step->step,
                        .pass = step->pass,
                        .mistakes = filming->mistakes,
                        .row = step->row,
                        .at = sight_place_step(&film->sight, &film->course, step, class_index),
                        .class_index = class_index,
                        .mistake = step->mistake != 0,
                        .before = filming->last};
    filming->last = (struct state){NULL, 0};
    return take_state(&moment->after, film, step);
}

static int watch_step(void *context, const tlu_step *step)
{
    struct filming *filming = context;
    struct film *film = filming->film;
    filming->mistakes += step->mistake != 0;
    if (!step->updated)
        return 0;
    filming->updates++;
    bool now = chosen(film, filming->next) == filming->updates;
    bool done = !course_number(&film->course, step);
    if (!done && now)
        done = !take_moment(filming, step);
    filming->failed = done;
    if (done || filming->next == film->count)
        return 1;
    if (chosen(film, filming->next) == filming->updates + 1)
        filming->failed = !take_state(&filming->last, film, step);
    return filming->failed;
}

static tlu_status take_moments(struct film *film, uint64_t frames, tlu_error *error)
{
    struct filming filming = {.film = film};
    uint64_t count = frames <= film->course.updates ? frames : film->course.updates + 1;
    film->count = (size_t)count;
    film->moments = memory_new(count, sizeof *film->moments);
    TRY(enough_memory(film->moments != NULL, error));
    filming.next = film->count > 1 || film->course.updates == 0; // nothing happens at the first
    tlu_status status = TLU_OK;
    if (filming.next < film->count)
        status = course_go(&film->course, watch_step, &filming, error);
    memory_free(filming.last.cuts);
    TRY(status);
    return enough_memory(!filming.failed, error);
}

// ---- rows

static void widen_to(struct film *film, struct point at)
{
    film->low = (struct point){fmin(film->low.x, at.x), fmin(film->low.y, at.y)};
    film->high = (struct point){fmax(film->high.x, at.x), fmax(film->high.y, at.y)};
}

// Rows are left out evenly if there are too many.
static bool is_shown(size_t row, size_t rows, size_t most)
{
    return rows <= most || row * most / rows != (row + 1) * most / rows;
}

static tlu_status take_points(struct film *film, size_t most, tlu_error *error)
{
    const struct lessons *lessons = &film->lessons;
    film->classes = tlu_model_class_count(film->course.model);
    film->points = memory_new(lessons->count + 1, sizeof *film->points);
    film->ends = memory_new(film->classes + 1, sizeof *film->ends);
    TRY(enough_memory(film->points && film->ends, error));
    film->low = (struct point){INFINITY, INFINITY};
    film->high = (struct point){-INFINITY, -INFINITY};
    for (size_t class_index = 0; class_index < film->classes; class_index++) {
        for (size_t row = 0; row < lessons->count; row++) {
            if (lessons->classes[row] != class_index)
                continue;
            struct point at = sight_place(&film->sight, lessons, row);
            widen_to(film, at);
            if (is_shown(row, lessons->count, most))
                film->points[film->shown++] = at;
        }
        film->ends[class_index] = film->shown;
    }
    return TLU_OK;
}

// ---- the bound: the theorem is about the perceptron with steps of y x

static bool has_bound(const struct film *film)
{
    const struct course *course = &film->course;
    const tlu_options *options = course->options;
    return film->classes == 2 && strcmp(tlu_model_learner(course->model), "perceptron") == 0 &&
           options_number(options, OPTION_MARGIN) == 0 && options_number(options, OPTION_L2) == 0 &&
           options_number(options, OPTION_RATE) == options_high(options, OPTION_RATE) &&
           !options_is_set(options, OPTION_SCHEDULE) && !options_flag(options, OPTION_RATCHET) &&
           !*options_text(options, OPTION_CLASS_WEIGHT) &&
           film->lessons.offsets[film->lessons.count] <= CHEAP;
}

// Whatever keeps it from being found, the picture does without it.
static void find_bound(struct film *film)
{
    struct separator *separator = &film->separator;
    if (!has_bound(film))
        return;
    tlu_status status = separator_find(separator, &film->course, &film->lessons, PATIENCE, NULL);
    if (status != TLU_OK || separator->verdict != TLU_SEPARABLE)
        separator->bound = 0;
}

// ---- lines and names

// Whether all corners around the rows are on one side.
static bool is_away(const struct film *film, const struct cut *cut)
{
    double wide = MARGIN * (film->high.x - film->low.x),
           high = MARGIN * (film->high.y - film->low.y);
    size_t above = 0;
    for (int i = 0; i < 4; i++) {
        double x = i & 1 ? film->high.x + wide : film->low.x - wide;
        double y = i & 2 ? film->high.y + high : film->low.y - high;
        above += cut->w0 + cut->w1 * x + cut->w2 * y >= 0;
    }
    return above == 0 || above == 4;
}

static void measure_lines(struct film *film)
{
    for (size_t i = 0; i < film->count; i++) {
        const struct state *state = &film->moments[i].after;
        if (state->count != 1)
            continue;
        film->longest = fmax(film->longest, hypot(state->cuts[0].w1, state->cuts[0].w2));
        film->leaves = film->leaves || is_away(film, &state->cuts[0]);
    }
    film->decided =
        film->classes == 2 && (strcmp(tlu_model_decision(film->course.model), "average") == 0 ||
                               strcmp(tlu_model_decision(film->course.model), "best") == 0);
    if (film->decided)
        film->decides = sight_cut_model(&film->sight);
}

static void add_entry(struct film *film, const char *text, enum legend_kind kind, enum shape shape,
                      struct look look)
{
    film->legend[film->legend_count++] = (struct legend_entry){text, kind, look, shape};
}

static tlu_status name_everything(struct film *film, tlu_error *error)
{
    const struct theme *theme = film->picture->theme;
    film->names = memory_new(film->classes, sizeof *film->names);
    film->legend = memory_new(film->classes + FIXED_LEGEND, sizeof *film->legend);
    TRY(enough_memory(film->names && film->legend, error));
    for (size_t i = 0; i < film->classes; i++) {
        film->names[i] = tlu_model_class_label(film->course.model, i);
        add_entry(film, film->names[i], LEGEND_DOT, class_shape(i), class_look(theme, i));
    }
    struct look ring = {COLOUR_NONE, theme->ink, 2, 0, false, true};
    struct look line = {COLOUR_NONE, theme->ink, 2, 0, false, false};
    bool two = film->classes == 2;
    struct look old = {COLOUR_NONE, theme->faint, 1.5, 5, false, false};
    struct look other = {COLOUR_NONE, theme->wrong, 2, 2, false, false};
    add_entry(film, "row learned", LEGEND_DOT, SHAPE_CIRCLE, ring);
    add_entry(film, two ? "line" : "borders", LEGEND_LINE, SHAPE_CIRCLE, line);
    if (film->classes <= FEW_CLASSES)
        add_entry(film, two ? "line before" : "before", LEGEND_LINE, SHAPE_CIRCLE, old);
    if (film->decided)
        add_entry(film, tlu_model_decision(film->course.model), LEGEND_LINE, SHAPE_CIRCLE, other);
    return TLU_OK;
}

// ---- all of it

tlu_status film_make(struct film *film, const struct plot *plot, uint64_t frames, size_t points,
                     tlu_error *error)
{
    const tlu_plot_settings *settings = plot->settings;
    *film = (struct film){.picture = plot->picture};
    TRY(course_open(&film->course, plot, false, error));
    TRY(lessons_gather(&film->lessons, &film->course, error));
    TRY(sight_make(&film->sight, &film->course, settings, error));
    TRY(take_points(film, points, error));
    find_bound(film);
    TRY(take_moments(film, settings->frames ? settings->frames : frames, error));
    measure_lines(film);
    return name_everything(film, error);
}

void film_free(struct film *film)
{
    for (size_t i = 0; i < film->count && film->moments; i++) {
        memory_free(film->moments[i].before.cuts);
        memory_free(film->moments[i].after.cuts);
    }
    memory_free(film->moments);
    memory_free(film->points);
    memory_free(film->ends);
    memory_free(film->names);
    memory_free(film->legend);
    separator_free(&film->separator);
    sight_free(&film->sight);
    lessons_free(&film->lessons);
    course_free(&film->course);
}
