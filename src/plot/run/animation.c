// Selects the updates of a run that are drawn ("moments"), and writes their captions.
#include "base/options.h"
#include "plot/run/run.h"
#include "tlu_proof.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define BOUND_SECONDS 1.5     // time limit for the bound; after it, the picture shows none
#define BOUND_ENTRIES 2000000 // maximum number of row entries for which the bound is computed
#define FIXED_LEGEND 4        // legend entries besides the classes

// ---- moments

struct recording {
    struct animation *run;
    size_t next;                // moment to be recorded
    uint64_t updates, mistakes; // so far
    struct state last;          // just before the update of the next moment
    bool failed;                // out of memory
};

static bool record_state(struct state *state, const struct animation *run, const tlu_step *step)
{
    state->boundaries = plot_new(run->plot, step->columns, sizeof *state->boundaries);
    state->count = state->boundaries ? step->columns : 0;
    for (size_t c = 0; c < state->count; c++)
        state->boundaries[c] = projection_line(&run->projection, &run->trace, step, c);
    return state->boundaries != NULL;
}

static bool record_moment(struct recording *recording, const tlu_step *step)
{
    struct animation *run = recording->run;
    assert(recording->next < run->count);
    struct moment *moment = &run->moments[recording->next++];
    uint32_t class_index = (uint32_t)tlu_model_class_find(run->trace.model, step->label);
    *moment = (struct moment){
        .update = recording->updates,
        .step = step->step,
        .pass = step->pass,
        .mistakes = recording->mistakes,
        .row = step->row,
        .at = projection_place_step(&run->projection, &run->trace, step, class_index),
        .class_index = class_index,
        .before = recording->last};
    recording->last = (struct state){NULL, 0};
    return record_state(&moment->after, run, step);
}

// A trace callback; 1 ends the trace.
static int record_step(void *context, const tlu_step *step)
{
    struct recording *recording = context;
    struct animation *run = recording->run;
    recording->mistakes += step->mistake != 0;
    if (!step->updated)
        return 0;
    recording->updates++;
    bool is_moment =
        update_of_moment(run->trace.updates, run->count, recording->next) == recording->updates;
    bool done = !trace_number(&run->trace, step);
    if (!done && is_moment)
        done = !record_moment(recording, step);
    recording->failed = done;
    if (done || recording->next == run->count)
        return 1;
    if (update_of_moment(run->trace.updates, run->count, recording->next) == recording->updates + 1)
        recording->failed = !record_state(&recording->last, run, step);
    return recording->failed;
}

static tlu_status record_moments(struct animation *run, uint64_t frames, tlu_error *error)
{
    struct recording recording = {.run = run};
    run->count = count_moments(run->trace.updates, frames);
    run->moments = plot_new(run->plot, run->count, sizeof *run->moments);
    TRY(enough_memory(run->moments != NULL, error));
    recording.next =
        run->count > 1 || run->trace.updates == 0; // moment 0 precedes the first update
    if (recording.next < run->count)
        TRY(trace_run(&run->trace, record_step, &recording, error));
    return enough_memory(!recording.failed, error);
}

// ---- rows

// Whether a row is drawn: if there are more than `most` rows, `most` evenly spaced ones are.
static bool is_shown(size_t row, size_t rows, size_t most)
{
    return rows <= most || row * most / rows != (row + 1) * most / rows;
}

static tlu_status take_points(struct animation *run, size_t most, tlu_error *error)
{
    const struct trace_rows *rows = &run->rows;
    run->classes = tlu_model_class_count(run->trace.model);
    run->points = plot_new(run->plot, rows->count + 1, sizeof *run->points);
    run->ends = plot_new(run->plot, run->classes + 1, sizeof *run->ends);
    TRY(enough_memory(run->points && run->ends, error));
    run->low = (struct point){INFINITY, INFINITY};
    run->high = (struct point){-INFINITY, -INFINITY};
    for (size_t class_index = 0; class_index < run->classes; class_index++) {
        for (size_t row = 0; row < rows->count; row++) {
            if (rows->classes[row] != class_index)
                continue;
            struct point at = projection_place(&run->projection, rows, row);
            run->low = (struct point){fmin(run->low.x, at.x), fmin(run->low.y, at.y)};
            run->high = (struct point){fmax(run->high.x, at.x), fmax(run->high.y, at.y)};
            if (is_shown(row, rows->count, most))
                run->points[run->shown++] = at;
        }
        run->ends[class_index] = run->shown;
    }
    return TLU_OK;
}

// ---- the bound on mistakes

// Whether the perceptron convergence theorem holds: every update must add y x at a constant rate.
static bool has_bound(const struct animation *run)
{
    const struct run_trace *trace = &run->trace;
    const tlu_options *options = run->plot->options;
    return run->classes == 2 && strcmp(tlu_model_learner(trace->model), "perceptron") == 0 &&
           options_number(options, OPTION_MARGIN) == 0 && options_number(options, OPTION_L2) == 0 &&
           options_number(options, OPTION_RATE) == options_high(options, OPTION_RATE) &&
           !options_is_set(options, OPTION_SCHEDULE) && !options_flag(options, OPTION_RATCHET) &&
           !*options_text(options, OPTION_CLASS_WEIGHT) && run->rows.entries <= BOUND_ENTRIES;
}

// If the search fails, the picture has no bound.
static void find_bound(struct animation *run)
{
    struct separator *separator = &run->separator;
    if (!has_bound(run))
        return;
    tlu_status status = separator_find(separator, &run->trace, &run->rows, BOUND_SECONDS, NULL);
    if (status != TLU_OK || separator->verdict != TLU_SEPARABLE)
        separator->bound = 0;
}

// ---- lines and names

// Whether the whole picture is on one side of the boundary.
static bool is_outside(const struct animation *run, const struct boundary *boundary)
{
    double wide = MARGIN * (run->high.x - run->low.x), high = MARGIN * (run->high.y - run->low.y);
    size_t above =
        linear_corners(&boundary->f, (struct point){run->low.x - wide, run->low.y - high},
                       (struct point){run->high.x + wide, run->high.y + high});
    return above == 0 || above == 4;
}

static void measure_lines(struct animation *run)
{
    for (size_t i = 0; i < run->count; i++) {
        const struct state *state = &run->moments[i].after;
        if (state->count != 1)
            continue;
        run->longest =
            fmax(run->longest, hypot(state->boundaries[0].f.w1, state->boundaries[0].f.w2));
        run->leaves = run->leaves || is_outside(run, &state->boundaries[0]);
    }
    run->decided =
        run->classes == 2 && (strcmp(tlu_model_decision(run->trace.model), "average") == 0 ||
                              strcmp(tlu_model_decision(run->trace.model), "best") == 0);
    if (run->decided)
        run->decides = projection_model_line(&run->projection);
}

static void add_entry(struct animation *run, const char *text, enum legend_kind kind,
                      struct style style)
{
    run->legend[run->legend_count++] = (struct legend_entry){text, kind, style, SHAPE_CIRCLE};
}

static tlu_status make_legend(struct animation *run, tlu_error *error)
{
    const struct theme *theme = run->plot->theme;
    bool two = run->classes == 2;
    run->names = plot_new(run->plot, run->classes, sizeof *run->names);
    run->legend = plot_new(run->plot, run->classes + FIXED_LEGEND, sizeof *run->legend);
    TRY(enough_memory(run->names && run->legend, error));
    for (size_t i = 0; i < run->classes; i++) {
        run->names[i] = tlu_model_class_label(run->trace.model, i);
        run->legend[run->legend_count++] = class_entry(theme, i, run->names[i]);
    }
    add_entry(run, "current row", LEGEND_DOT, edged_style(COLOUR_NONE, theme->ink, 2));
    add_entry(run, two ? "line" : "borders", LEGEND_LINE, line_style(theme->ink, 2, 0));
    if (run->classes <= FEW_CLASSES)
        add_entry(run, two ? "line before" : "before", LEGEND_LINE,
                  line_style(theme->faint, 1.5, 5));
    if (run->decided)
        add_entry(run, tlu_model_decision(run->trace.model), LEGEND_LINE,
                  line_style(theme->wrong, 2, 2));
    return TLU_OK;
}

// ---- title and captions

// ", at most 411 by (R/gamma)^2"
static const char *bound_text(const struct animation *run, char out[COUNTED_SIZE])
{
    char most[AMOUNT_SIZE];
    out[0] = '\0';
    double bound = floor(run->separator.bound);
    if (bound > 0)
        snprintf(out, COUNTED_SIZE, ", at most %.30s by (R/\u03b3)\u00b2",
                 bound < 1e7 ? grouped(most, (uint64_t)bound) : to_digits(most, 3, bound));
    return out;
}

static bool is_last(const struct animation *run, const struct moment *moment)
{
    return moment == run->moments + run->count - 1;
}

// The long form: update, step, pass, row and mistakes, and the bound if wanted.
static void write_long(const struct animation *run, const struct moment *moment, bool bound,
                       char out[TEXT_SIZE])
{
    char most[COUNTED_SIZE] = "", mistakes[COUNTED_SIZE], ending[200];
    char update[COUNTED_SIZE], step[COUNTED_SIZE], pass[COUNTED_SIZE], row[COUNTED_SIZE];
    counted(mistakes, moment->mistakes, "mistake", "mistakes");
    grouped(update, moment->update);
    if (bound)
        bound_text(run, most);
    if (is_last(run, moment))
        snprintf(out, TEXT_SIZE, "update %s, the last: %s%s", update,
                 trace_ending(&run->trace, ending, sizeof ending), most);
    else if (moment->update == 0)
        snprintf(out, TEXT_SIZE, "before the first update: all weights are 0; 0 mistakes%s", most);
    else
        snprintf(out, TEXT_SIZE, "update %s: step %s in pass %s, row %s, %s%s", update,
                 grouped(step, moment->step), grouped(pass, moment->pass),
                 grouped(row, moment->row), mistakes, most);
}

static void write_short(const struct moment *moment, bool mistakes, char out[TEXT_SIZE])
{
    char update[COUNTED_SIZE], count[COUNTED_SIZE];
    counted(count, moment->mistakes, "mistake", "mistakes");
    snprintf(out, TEXT_SIZE, "update %s%s%s", grouped(update, moment->update), mistakes ? ", " : "",
             mistakes ? count : "");
}

const char *moment_text(const struct animation *run, const struct moment *moment, uint32_t called,
                        int terse, char out[TEXT_SIZE])
{
    if (terse == 2 && is_last(run, moment))
        return trace_ending(&run->trace, out, TEXT_SIZE);
    if (terse < 2)
        write_long(run, moment, terse == 0, out);
    else
        write_short(moment, terse <= SMALL_TEXT, out);
    size_t length = strlen(out);
    if (called != NO_CLASS && terse < TERSEST)
        snprintf(out + length, TEXT_SIZE - length, "%s %s",
                 terse < 2    ? "; the line is outside, and all is called"
                 : terse == 2 ? "; all is called"
                              : ": all",
                 run->names[called]);
    return out;
}

const char *animation_caption(const struct animation *run, char out[TEXT_SIZE])
{
    char shown[COUNTED_SIZE] = "", rows[COUNTED_SIZE], left_out[2 * COUNTED_SIZE + 20] = "";
    char verdict[200] = "";
    counted(rows, run->rows.count, "row", "rows");
    if (run->shown < run->rows.count) {
        counted(shown, run->shown, "of", "of");
        snprintf(left_out, sizeof left_out, "%s %s are drawn. ", shown, rows);
    }
    const char *what = run->classes == 2
                           ? "An update turns w, the arrow, towards the ringed row or "
                             "away from it, and the line goes with it. "
                       : run->classes <= FEW_CLASSES
                           ? "An update changes the weights by the ringed row; the borders before "
                             "it are dashed. "
                           : "An update changes the weights by the ringed row. ";
    if (run->separator.verdict == TLU_NOT_SEPARABLE)
        snprintf(verdict, sizeof verdict,
                 "No %s%s separates these rows: tlu separable shows why, and --kernel or --learner "
                 "mlp may do better. ",
                 run->trace.features > 2 ? "hyperplane" : "line",
                 options_flag(run->plot->options, OPTION_NO_BIAS) ? " through 0" : "");
    snprintf(out, TEXT_SIZE, "%s%s%s%s%s", verdict, what,
             run->leaves ? "Where all the ground has one colour, the line is outside of the "
                           "picture. "
                         : "",
             run->projection.words, left_out);
    size_t length = strlen(out);
    if (length > 0 && out[length - 1] == ' ')
        out[length - 1] = '\0';
    return out;
}

static void describe(const struct animation *run)
{
    struct plot *plot = run->plot;
    const struct run_trace *trace = &run->trace;
    const tlu_report *report = tlu_model_report(trace->model);
    const char *learner = tlu_model_learner(trace->model);
    char words[TEXT_SIZE], ending[200], count[COUNTED_SIZE], bound[COUNTED_SIZE];
    plot_title(plot, "Run of %s: %s", learner, report->data);
    say(plot, "%s", counted(count, trace->updates, "update", "updates"));
    if (run->count < trace->updates + 1)
        say(plot, ", in %s", counted(count, run->count, "picture", "pictures"));
    say(plot, ": %s%s. %s", trace_ending(trace, ending, sizeof ending), bound_text(run, bound),
        animation_caption(run, words));
    picture_figure(plot->picture, "updates", (double)trace->updates);
    picture_figure(plot->picture, "mistakes", (double)trace->mistakes);
    picture_figure(plot->picture, "passes", (double)report->epochs);
    if (run->separator.bound > 0)
        picture_figure(plot->picture, "bound", run->separator.bound);
}

// ---- making and freeing

tlu_status animation_make(struct animation *run, struct plot *plot, uint64_t frames, size_t points,
                          tlu_error *error)
{
    const tlu_plot_run_settings *settings = plot->settings;
    *run = (struct animation){.plot = plot};
    TRY(trace_open(&run->trace, plot, false, error));
    TRY(trace_rows_gather(&run->rows, &run->trace, error));
    TRY(projection_make(&run->projection, &run->trace, error));
    TRY(take_points(run, points, error));
    find_bound(run);
    TRY(record_moments(run, settings->frames ? settings->frames : frames, error));
    measure_lines(run);
    TRY(make_legend(run, error));
    describe(run);
    return TLU_OK;
}
