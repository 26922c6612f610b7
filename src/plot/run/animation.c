#include "plot/run/animation.h"
#include "base/memory.h"
#include "base/options.h"
#include "tlu_plot.h"
#include "tlu_proof.h"

#include <math.h>
#include <string.h>

#define PATIENCE 1.5   // seconds for the bound, which is left out if it takes longer
#define CHEAP 2000000  // entries of rows for which it is asked for
#define FIXED_LEGEND 4 // entries besides the classes

// ---- moments

// The update of moment i of `count`: the first is 0, the last is the last.
static uint64_t chosen(const struct animation *animation, size_t i)
{
    if (animation->count == 1)
        return animation->trace.updates;
    double share = (double)i / (double)(animation->count - 1);
    return (uint64_t)(share * (double)animation->trace.updates + 0.5);
}

struct animating {
    struct animation *animation;
    size_t next; // moment
    uint64_t updates, mistakes;
    struct state last; // before the update of the next moment, if that comes next
    bool failed;
};

static bool take_state(struct state *state, const struct animation *animation, const tlu_step *step)
{
    memory_free(state->cuts);
    state->cuts = memory_new(step->columns, sizeof *state->cuts);
    state->count = state->cuts ? step->columns : 0;
    for (size_t c = 0; c < state->count; c++)
        state->cuts[c] = projection_line(&animation->projection, &animation->trace, step, c);
    return state->cuts != NULL;
}

static bool take_moment(struct animating *animating, const tlu_step *step)
{
    struct animation *animation = animating->animation;
    struct moment *moment = &animation->moments[animating->next++];
    uint32_t class_index = (uint32_t)tlu_model_class_find(animation->trace.model, step->label);
    *moment = (struct moment){
        .update = animating->updates,
        .step = step->step,
        .pass = step->pass,
        .mistakes = animating->mistakes,
        .row = step->row,
        .at = projection_place_step(&animation->projection, &animation->trace, step, class_index),
        .class_index = class_index,
        .mistake = step->mistake != 0,
        .before = animating->last};
    animating->last = (struct state){NULL, 0};
    return take_state(&moment->after, animation, step);
}

static int watch_step(void *context, const tlu_step *step)
{
    struct animating *animating = context;
    struct animation *animation = animating->animation;
    animating->mistakes += step->mistake != 0;
    if (!step->updated)
        return 0;
    animating->updates++;
    bool now = chosen(animation, animating->next) == animating->updates;
    bool done = !training_trace_number(&animation->trace, step);
    if (!done && now)
        done = !take_moment(animating, step);
    animating->failed = done;
    if (done || animating->next == animation->count)
        return 1;
    if (chosen(animation, animating->next) == animating->updates + 1)
        animating->failed = !take_state(&animating->last, animation, step);
    return animating->failed;
}

static tlu_status take_moments(struct animation *animation, uint64_t frames, tlu_error *error)
{
    struct animating animating = {.animation = animation};
    uint64_t count = frames <= animation->trace.updates ? frames : animation->trace.updates + 1;
    animation->count = (size_t)count;
    animation->moments = memory_new(count, sizeof *animation->moments);
    TRY(enough_memory(animation->moments != NULL, error));
    animating.next =
        animation->count > 1 || animation->trace.updates == 0; // nothing happens at the first
    tlu_status status = TLU_OK;
    if (animating.next < animation->count)
        status = training_trace_run(&animation->trace, watch_step, &animating, error);
    memory_free(animating.last.cuts);
    TRY(status);
    return enough_memory(!animating.failed, error);
}

// ---- rows

static void widen_to(struct animation *animation, struct point at)
{
    animation->low = (struct point){fmin(animation->low.x, at.x), fmin(animation->low.y, at.y)};
    animation->high = (struct point){fmax(animation->high.x, at.x), fmax(animation->high.y, at.y)};
}

// Rows are left out evenly if there are too many.
static bool is_shown(size_t row, size_t rows, size_t most)
{
    return rows <= most || row * most / rows != (row + 1) * most / rows;
}

static tlu_status take_points(struct animation *animation, size_t most, tlu_error *error)
{
    const struct trace_rows *examples = &animation->examples;
    animation->classes = tlu_model_class_count(animation->trace.model);
    animation->points = memory_new(examples->count + 1, sizeof *animation->points);
    animation->ends = memory_new(animation->classes + 1, sizeof *animation->ends);
    TRY(enough_memory(animation->points && animation->ends, error));
    animation->low = (struct point){INFINITY, INFINITY};
    animation->high = (struct point){-INFINITY, -INFINITY};
    for (size_t class_index = 0; class_index < animation->classes; class_index++) {
        for (size_t row = 0; row < examples->count; row++) {
            if (examples->classes[row] != class_index)
                continue;
            struct point at = projection_place(&animation->projection, examples, row);
            widen_to(animation, at);
            if (is_shown(row, examples->count, most))
                animation->points[animation->shown++] = at;
        }
        animation->ends[class_index] = animation->shown;
    }
    return TLU_OK;
}

// ---- the bound: the theorem is about the perceptron with steps of y x

static bool has_bound(const struct animation *animation)
{
    const struct training_trace *trace = &animation->trace;
    const tlu_options *options = trace->options;
    return animation->classes == 2 && strcmp(tlu_model_learner(trace->model), "perceptron") == 0 &&
           options_number(options, OPTION_MARGIN) == 0 && options_number(options, OPTION_L2) == 0 &&
           options_number(options, OPTION_RATE) == options_high(options, OPTION_RATE) &&
           !options_is_set(options, OPTION_SCHEDULE) && !options_flag(options, OPTION_RATCHET) &&
           !*options_text(options, OPTION_CLASS_WEIGHT) &&
           animation->examples.offsets[animation->examples.count] <= CHEAP;
}

// Whatever keeps it from being found, the picture does without it.
static void find_bound(struct animation *animation)
{
    struct separator *separator = &animation->separator;
    if (!has_bound(animation))
        return;
    tlu_status status =
        separator_find(separator, &animation->trace, &animation->examples, PATIENCE, NULL);
    if (status != TLU_OK || separator->verdict != TLU_SEPARABLE)
        separator->bound = 0;
}

// ---- lines and names

// Whether all corners around the rows are on one side.
static bool is_away(const struct animation *animation, const struct cut *cut)
{
    double wide = MARGIN * (animation->high.x - animation->low.x),
           high = MARGIN * (animation->high.y - animation->low.y);
    size_t above = 0;
    for (int i = 0; i < 4; i++) {
        double x = i & 1 ? animation->high.x + wide : animation->low.x - wide;
        double y = i & 2 ? animation->high.y + high : animation->low.y - high;
        above += cut->w0 + cut->w1 * x + cut->w2 * y >= 0;
    }
    return above == 0 || above == 4;
}

static void measure_lines(struct animation *animation)
{
    for (size_t i = 0; i < animation->count; i++) {
        const struct state *state = &animation->moments[i].after;
        if (state->count != 1)
            continue;
        animation->longest = fmax(animation->longest, hypot(state->cuts[0].w1, state->cuts[0].w2));
        animation->leaves = animation->leaves || is_away(animation, &state->cuts[0]);
    }
    animation->decided = animation->classes == 2 &&
                         (strcmp(tlu_model_decision(animation->trace.model), "average") == 0 ||
                          strcmp(tlu_model_decision(animation->trace.model), "best") == 0);
    if (animation->decided)
        animation->decides = projection_model_line(&animation->projection);
}

static void add_entry(struct animation *animation, const char *text, enum legend_kind kind,
                      enum shape shape, struct look look)
{
    animation->legend[animation->legend_count++] = (struct legend_entry){text, kind, look, shape};
}

static tlu_status name_everything(struct animation *animation, tlu_error *error)
{
    const struct theme *theme = animation->picture->theme;
    animation->names = memory_new(animation->classes, sizeof *animation->names);
    animation->legend = memory_new(animation->classes + FIXED_LEGEND, sizeof *animation->legend);
    TRY(enough_memory(animation->names && animation->legend, error));
    for (size_t i = 0; i < animation->classes; i++) {
        animation->names[i] = tlu_model_class_label(animation->trace.model, i);
        add_entry(animation, animation->names[i], LEGEND_DOT, class_shape(i), class_look(theme, i));
    }
    struct look ring = {COLOUR_NONE, theme->ink, 2, 0, false, true};
    struct look line = {COLOUR_NONE, theme->ink, 2, 0, false, false};
    bool two = animation->classes == 2;
    struct look old = {COLOUR_NONE, theme->faint, 1.5, 5, false, false};
    struct look other = {COLOUR_NONE, theme->wrong, 2, 2, false, false};
    add_entry(animation, "row learned", LEGEND_DOT, SHAPE_CIRCLE, ring);
    add_entry(animation, two ? "line" : "borders", LEGEND_LINE, SHAPE_CIRCLE, line);
    if (animation->classes <= FEW_CLASSES)
        add_entry(animation, two ? "line before" : "before", LEGEND_LINE, SHAPE_CIRCLE, old);
    if (animation->decided)
        add_entry(animation, tlu_model_decision(animation->trace.model), LEGEND_LINE, SHAPE_CIRCLE,
                  other);
    return TLU_OK;
}

// ---- all of it

tlu_status animation_make(struct animation *animation, const struct plot *plot, uint64_t frames,
                          size_t points, tlu_error *error)
{
    const tlu_plot_settings *settings = plot->settings;
    *animation = (struct animation){.picture = plot->picture};
    TRY(training_trace_open(&animation->trace, plot, false, error));
    TRY(trace_rows_gather(&animation->examples, &animation->trace, error));
    TRY(projection_make(&animation->projection, &animation->trace, settings, error));
    TRY(take_points(animation, points, error));
    find_bound(animation);
    TRY(take_moments(animation, settings->frames ? settings->frames : frames, error));
    measure_lines(animation);
    return name_everything(animation, error);
}

void animation_free(struct animation *animation)
{
    for (size_t i = 0; i < animation->count && animation->moments; i++) {
        memory_free(animation->moments[i].before.cuts);
        memory_free(animation->moments[i].after.cuts);
    }
    memory_free(animation->moments);
    memory_free(animation->points);
    memory_free(animation->ends);
    memory_free(animation->names);
    memory_free(animation->legend);
    separator_free(&animation->separator);
    projection_free(&animation->projection);
    trace_rows_free(&animation->examples);
    training_trace_free(&animation->trace);
}
