// The moments of a run that are drawn, and the words about them.
#include "base/memory.h"
#include "base/options.h"
#include "plot/run/run.h"
#include "tlu_plot.h"
#include "tlu_proof.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PATIENCE 1.5   // seconds for the bound, which is otherwise left out
#define CHEAP 2000000  // maximum number of row entries for the bound
#define FIXED_LEGEND 4 // entries besides the classes

// ---- moments

// The update of moment i: 0 for the first, the last update for the last.
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
    struct state last; // before the update of the next moment
    bool failed;
};

static bool take_state(struct state *state, const struct animation *animation, const tlu_step *step)
{
    memory_free(state->boundaries);
    state->boundaries = memory_new(step->columns, sizeof *state->boundaries);
    state->count = state->boundaries ? step->columns : 0;
    for (size_t c = 0; c < state->count; c++)
        state->boundaries[c] = projection_line(&animation->projection, &animation->trace, step, c);
    return state->boundaries != NULL;
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
    animating.next = animation->count > 1 ||
                     animation->trace.updates == 0; // moment 0 is before the first update
    tlu_status status = TLU_OK;
    if (animating.next < animation->count)
        status = training_trace_run(&animation->trace, watch_step, &animating, error);
    memory_free(animating.last.boundaries);
    TRY(status);
    return enough_memory(!animating.failed, error);
}

// ---- rows

static void widen_to(struct animation *animation, struct point at)
{
    animation->low = (struct point){fmin(animation->low.x, at.x), fmin(animation->low.y, at.y)};
    animation->high = (struct point){fmax(animation->high.x, at.x), fmax(animation->high.y, at.y)};
}

// Leaves out rows evenly if there are too many.
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

// ---- the bound: the theorem holds for the perceptron with steps y x

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

// If the search fails, the picture has no bound.
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

// Whether the rows and their surroundings are on one side.
static bool is_away(const struct animation *animation, const struct boundary *boundary)
{
    double wide = MARGIN * (animation->high.x - animation->low.x),
           high = MARGIN * (animation->high.y - animation->low.y);
    size_t above = 0;
    for (int i = 0; i < 4; i++) {
        double x = i & 1 ? animation->high.x + wide : animation->low.x - wide;
        double y = i & 2 ? animation->high.y + high : animation->low.y - high;
        above += boundary->w0 + boundary->w1 * x + boundary->w2 * y >= 0;
    }
    return above == 0 || above == 4;
}

static void measure_lines(struct animation *animation)
{
    for (size_t i = 0; i < animation->count; i++) {
        const struct state *state = &animation->moments[i].after;
        if (state->count != 1)
            continue;
        animation->longest =
            fmax(animation->longest, hypot(state->boundaries[0].w1, state->boundaries[0].w2));
        animation->leaves = animation->leaves || is_away(animation, &state->boundaries[0]);
    }
    animation->decided = animation->classes == 2 &&
                         (strcmp(tlu_model_decision(animation->trace.model), "average") == 0 ||
                          strcmp(tlu_model_decision(animation->trace.model), "best") == 0);
    if (animation->decided)
        animation->decides = projection_model_line(&animation->projection);
}

static void add_entry(struct animation *animation, const char *text, enum legend_kind kind,
                      enum shape shape, struct style style)
{
    animation->legend[animation->legend_count++] = (struct legend_entry){text, kind, style, shape};
}

static tlu_status name_everything(struct animation *animation, tlu_error *error)
{
    const struct theme *theme = animation->picture->theme;
    animation->names = memory_new(animation->classes, sizeof *animation->names);
    animation->legend = memory_new(animation->classes + FIXED_LEGEND, sizeof *animation->legend);
    TRY(enough_memory(animation->names && animation->legend, error));
    for (size_t i = 0; i < animation->classes; i++) {
        animation->names[i] = tlu_model_class_label(animation->trace.model, i);
        add_entry(animation, animation->names[i], LEGEND_DOT, class_shape(i),
                  class_style(theme, i));
    }
    struct style ring = {COLOUR_NONE, theme->ink, 2, 0, false, true};
    struct style line = {COLOUR_NONE, theme->ink, 2, 0, false, false};
    bool two = animation->classes == 2;
    struct style old = {COLOUR_NONE, theme->faint, 1.5, 5, false, false};
    struct style other = {COLOUR_NONE, theme->wrong, 2, 2, false, false};
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

tlu_status animation_make(struct animation *animation, const struct plot *plot,
                          const tlu_plot_run_settings *settings, uint64_t frames, size_t points,
                          tlu_error *error)
{
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
        memory_free(animation->moments[i].before.boundaries);
        memory_free(animation->moments[i].after.boundaries);
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

// ---- title and captions

// ", at most 411 by (R/gamma)^2"
static const char *bound_text(const struct animation *animation, char out[COUNTED_SIZE])
{
    char most[AMOUNT_SIZE];
    out[0] = '\0';
    double bound = floor(animation->separator.bound);
    if (bound > 0)
        snprintf(out, COUNTED_SIZE, ", at most %.30s by (R/\u03b3)\u00b2",
                 bound < 1e7 ? grouped(most, (uint64_t)bound) : to_digits(most, 3, bound));
    return out;
}

static bool is_last(const struct animation *animation, const struct moment *moment)
{
    return moment == animation->moments + animation->count - 1;
}

// The complete text.
static void say_all(const struct animation *animation, const struct moment *moment, bool bound,
                    char out[TEXT_SIZE])
{
    char most[COUNTED_SIZE] = "", mistakes[COUNTED_SIZE], ending[200];
    char update[COUNTED_SIZE], step[COUNTED_SIZE], pass[COUNTED_SIZE], row[COUNTED_SIZE];
    counted(mistakes, moment->mistakes, "mistake", "mistakes");
    grouped(update, moment->update);
    if (bound)
        bound_text(animation, most);
    if (is_last(animation, moment))
        snprintf(out, TEXT_SIZE, "update %s, the last: %s%s", update,
                 training_trace_ending(&animation->trace, ending, sizeof ending), most);
    else if (moment->update == 0)
        snprintf(out, TEXT_SIZE, "before the first update: all weights are 0; 0 mistakes%s", most);
    else
        snprintf(out, TEXT_SIZE, "update %s: step %s in pass %s, row %s, %s%s", update,
                 grouped(step, moment->step), grouped(pass, moment->pass),
                 grouped(row, moment->row), mistakes, most);
}

static void say_short(const struct moment *moment, bool mistakes, char out[TEXT_SIZE])
{
    char update[COUNTED_SIZE], count[COUNTED_SIZE];
    counted(count, moment->mistakes, "mistake", "mistakes");
    snprintf(out, TEXT_SIZE, "update %s%s%s", grouped(update, moment->update), mistakes ? ", " : "",
             mistakes ? count : "");
}

const char *moment_text(const struct animation *animation, const struct moment *moment,
                        uint32_t called, int terse, char out[TEXT_SIZE])
{
    if (terse == 2 && is_last(animation, moment))
        return training_trace_ending(&animation->trace, out, TEXT_SIZE);
    if (terse < 2)
        say_all(animation, moment, terse == 0, out);
    else
        say_short(moment, terse <= SMALL_TEXT, out);
    size_t length = strlen(out);
    if (called != NO_CLASS && terse < TERSEST)
        snprintf(out + length, TEXT_SIZE - length, "%s %s",
                 terse < 2    ? "; the line is outside, and all is called"
                 : terse == 2 ? "; all is called"
                              : ": all",
                 animation->names[called]);
    return out;
}

const char *animation_caption(const struct animation *animation, char out[TEXT_SIZE])
{
    char shown[COUNTED_SIZE] = "", rows[COUNTED_SIZE], left_out[2 * COUNTED_SIZE + 20] = "";
    char verdict[200] = "";
    counted(rows, animation->examples.count, "row", "rows");
    if (animation->shown < animation->examples.count) {
        counted(shown, animation->shown, "of", "of");
        snprintf(left_out, sizeof left_out, "%s %s are drawn. ", shown, rows);
    }
    const char *what = animation->classes == 2
                           ? "An update turns w, the arrow, towards the ringed row or "
                             "away from it, and the line goes with it. "
                       : animation->classes <= FEW_CLASSES
                           ? "An update changes the weights by the ringed row; the borders before "
                             "it are dashed. "
                           : "An update changes the weights by the ringed row. ";
    if (animation->separator.verdict == TLU_NOT_SEPARABLE)
        snprintf(verdict, sizeof verdict,
                 "No %s%s separates these rows: tlu separable shows why, and --kernel or --learner "
                 "mlp may do better. ",
                 animation->trace.features > 2 ? "hyperplane" : "line",
                 options_flag(animation->trace.options, OPTION_NO_BIAS) ? " through 0" : "");
    snprintf(out, TEXT_SIZE, "%s%s%s%s%s", verdict, what,
             animation->leaves ? "Where all the ground has one colour, the line is outside of the "
                                 "picture. "
                               : "",
             animation->projection.words, left_out);
    size_t length = strlen(out);
    if (length > 0 && out[length - 1] == ' ')
        out[length - 1] = '\0';
    return out;
}

const char *animation_title(const struct animation *animation, const struct plot *plot, char *out,
                            size_t size)
{
    const tlu_model *model = animation->trace.model;
    if (plot->title)
        snprintf(out, size, "%s", plot->title);
    else
        snprintf(out, size, "A run of %s%s on %s",
                 strcmp(tlu_model_learner(model), "perceptron") == 0 ? "the " : "",
                 tlu_model_learner(model), tlu_model_report(model)->data);
    return out;
}

tlu_status animation_describe(const struct animation *animation, const struct plot *plot,
                              tlu_error *error)
{
    tlu_picture *picture = plot->picture;
    const struct training_trace *trace = &animation->trace;
    char title[TEXT_SIZE], words[TEXT_SIZE], caption[3 * TEXT_SIZE], ending[200];
    char updates[COUNTED_SIZE], bound[COUNTED_SIZE], drawn[2 * COUNTED_SIZE] = "";
    char pictures[COUNTED_SIZE];
    if (animation->count < trace->updates + 1)
        snprintf(drawn, sizeof drawn, ", in %s",
                 counted(pictures, animation->count, "picture", "pictures"));
    snprintf(caption, sizeof caption, "%s%s: %s%s. %s",
             counted(updates, trace->updates, "update", "updates"), drawn,
             training_trace_ending(trace, ending, sizeof ending), bound_text(animation, bound),
             animation_caption(animation, words));
    animation_title(animation, plot, title, sizeof title);
    TRY(picture_describe(picture, title, caption, error));
    TRY(picture_figure(picture, "updates", (double)trace->updates, error));
    TRY(picture_figure(picture, "mistakes", (double)trace->mistakes, error));
    TRY(picture_figure(picture, "passes", (double)tlu_model_report(trace->model)->epochs, error));
    if (animation->separator.bound > 0)
        TRY(picture_figure(picture, "bound", animation->separator.bound, error));
    return TLU_OK;
}
