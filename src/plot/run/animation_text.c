// What is said about a run, and about a moment of it.
#include "base/options.h"
#include "plot/run/animation.h"
#include "tlu_plot.h"
#include "tlu_proof.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_set(const char *text)
{
    return text && *text;
}

// ", at most 411 by (R/gamma)^2"
static const char *bound_words(const struct animation *animation, char out[COUNTED_SIZE])
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

// All that there is to say.
static void say_all(const struct animation *animation, const struct moment *moment, bool bound,
                    char out[WORDS_SIZE])
{
    char most[COUNTED_SIZE] = "", mistakes[COUNTED_SIZE], ending[200];
    char update[COUNTED_SIZE], step[COUNTED_SIZE], pass[COUNTED_SIZE], row[COUNTED_SIZE];
    counted(mistakes, moment->mistakes, "mistake", "mistakes");
    grouped(update, moment->update);
    if (bound)
        bound_words(animation, most);
    if (is_last(animation, moment))
        snprintf(out, WORDS_SIZE, "update %s, the last: %s%s", update,
                 training_trace_ending(&animation->trace, ending, sizeof ending), most);
    else if (moment->update == 0)
        snprintf(out, WORDS_SIZE, "before the first update: all weights are 0; 0 mistakes%s", most);
    else
        snprintf(out, WORDS_SIZE, "update %s: step %s in pass %s, row %s, %s%s", update,
                 grouped(step, moment->step), grouped(pass, moment->pass),
                 grouped(row, moment->row), mistakes, most);
}

static void say_short(const struct moment *moment, bool mistakes, char out[WORDS_SIZE])
{
    char update[COUNTED_SIZE], count[COUNTED_SIZE];
    counted(count, moment->mistakes, "mistake", "mistakes");
    snprintf(out, WORDS_SIZE, "update %s%s%s", grouped(update, moment->update),
             mistakes ? ", " : "", mistakes ? count : "");
}

const char *moment_words(const struct animation *animation, const struct moment *moment,
                         uint32_t called, int terse, char out[WORDS_SIZE])
{
    if (terse == 2 && is_last(animation, moment))
        return training_trace_ending(&animation->trace, out, WORDS_SIZE);
    if (terse < 2)
        say_all(animation, moment, terse == 0, out);
    else
        say_short(moment, terse <= SMALL_WORDS, out);
    size_t length = strlen(out);
    if (called != NO_CLASS && terse < TERSEST)
        snprintf(out + length, WORDS_SIZE - length, "%s %s",
                 terse < 2    ? "; the line is outside, and all is called"
                 : terse == 2 ? "; all is called"
                              : ": all",
                 animation->names[called]);
    return out;
}

const char *animation_words(const struct animation *animation, char out[WORDS_SIZE])
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
    snprintf(out, WORDS_SIZE, "%s%s%s%s%s", verdict, what,
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
    if (is_set(plot->settings->title))
        snprintf(out, size, "%s", plot->settings->title);
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
    char title[WORDS_SIZE], words[WORDS_SIZE], caption[3 * WORDS_SIZE], ending[200];
    char updates[COUNTED_SIZE], bound[COUNTED_SIZE], drawn[2 * COUNTED_SIZE] = "";
    char pictures[COUNTED_SIZE];
    if (animation->count < trace->updates + 1)
        snprintf(drawn, sizeof drawn, ", in %s",
                 counted(pictures, animation->count, "picture", "pictures"));
    snprintf(caption, sizeof caption, "%s%s: %s%s. %s",
             counted(updates, trace->updates, "update", "updates"), drawn,
             training_trace_ending(trace, ending, sizeof ending), bound_words(animation, bound),
             animation_words(animation, words));
    animation_title(animation, plot, title, sizeof title);
    TRY(picture_describe(picture, title, caption, error));
    TRY(picture_figure(picture, "updates", (double)trace->updates, error));
    TRY(picture_figure(picture, "mistakes", (double)trace->mistakes, error));
    TRY(picture_figure(picture, "passes", (double)tlu_model_report(trace->model)->epochs, error));
    if (animation->separator.bound > 0)
        TRY(picture_figure(picture, "bound", animation->separator.bound, error));
    return TLU_OK;
}
