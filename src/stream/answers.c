// The answers of a stream, a line of text for each row, and its statistics.
#include "base/memory.h"
#include "numeric/number.h"
#include "stream/internal.h"

#include <math.h>
#include <string.h>

// A label as a field of a line, as tlu predict prints it; returns its end.
static char *put_label(char *to, const char *label)
{
    for (; *label; label++) {
        char c = *label, letter = c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : c;
        if (letter != c || c == '\\')
            *to++ = '\\';
        *to++ = letter;
    }
    return to;
}

// The probability of the winner, in *found; not a number if there is none: before the second class,
// and of a calibrated model if a class came after its calibration. False: out of memory.
static bool probability_of(struct answers *answers, const struct tlu_learner *learner,
                           uint32_t winner, double *found)
{
    const struct score_output *output = &learner->state.output;
    const struct scheme *scheme = &learner->state.scheme;
    uint32_t classes = scheme->classes;
    bool stale = output->calibration.kind && output->calibration.classes != classes;
    enum logits logits = rule_logits(learner->state.options, scheme->kind);
    *found = NAN;
    if (classes < 2 || stale || !output_has_probabilities(output, logits))
        return true;
    if (!memory_reserve(&answers->shares, &answers->shares_capacity, 2 * (size_t)classes,
                        sizeof *answers->shares))
        return false;
    const double *scores = learner->space.scores;
    if (scheme->kind == SCHEME_OVO) {
        const struct election election = learner_election(learner);
        scheme_votes(&election, scores, answers->shares + classes);
        scores = answers->shares + classes;
    }
    output_probabilities(output, logits, scores, classes, scheme->positive, answers->shares);
    *found = answers->shares[winner];
    return true;
}

bool answers_add(struct answers *answers, const struct tlu_learner *learner, uint32_t winner)
{
    const char *label = learner->state.scheme.classes ? learner->state.schema.spelled[winner] : "?";
    double probability = NAN;
    if (!memory_reserve(&answers->text, &answers->capacity, answers->size + 2 * strlen(label) + 96,
                        1) ||
        (answers->probabilities && !probability_of(answers, learner, winner, &probability)))
        return false;
    char *at = put_label(answers->text + answers->size, label);
    if (answers->scores) {
        double score = learner->state.scheme.classes > 2          ? learner->space.scores[winner]
                       : winner == learner->state.scheme.positive ? learner->space.scores[0]
                                                                  : 0 - learner->space.scores[0];
        *at++ = '\t';
        at += number_print(at, learner->state.scheme.classes ? score : 0);
    }
    if (answers->probabilities) {
        *at++ = '\t';
        at += number_print(at, probability);
    }
    *at++ = '\n';
    answers->size = (size_t)(at - answers->text);
    return true;
}

void answers_free(struct answers *answers)
{
    memory_free(answers->text);
    memory_free(answers->shares);
}

// ---- statistics ----

#define WINDOW 1000 // unless another is asked for

bool counts_init(struct stream_counts *counts, const tlu_stream_settings *settings)
{
    counts->window = settings->window ? settings->window : WINDOW;
    counts->report = settings->report;
    counts->context = settings->report_context;
    counts->every = settings->report_every;
    counts->next_report = counts->every ? counts->every : 1;
    counts->right = memory_new(counts->window, sizeof *counts->right);
    return counts->right != NULL;
}

void counts_add(struct stream_counts *counts, bool right)
{
    tlu_stream_stats *stats = &counts->stats;
    uint8_t *oldest = &counts->right[stats->examples % counts->window];
    if (stats->window == counts->window)
        stats->window_correct -= *oldest;
    else
        stats->window++;
    *oldest = right;
    stats->window_correct += right;
    stats->correct += right;
    stats->examples++;
}

const tlu_stream_stats *counts_now(struct stream_counts *counts, const struct tlu_learner *learner)
{
    tlu_stream_stats *stats = &counts->stats;
    const struct slots *slots = &learner->state.schema.slots;
    stats->learned = learner->state.examples;
    stats->features = schema_columns(&learner->state.schema);
    stats->classes = schema_classes(&learner->state.schema);
    stats->slots = slots->bits ? (uint64_t)1 << slots->bits : 0;
    stats->slots_used = slots->used;
    stats->slots_shared = slots->shared;
    stats->decided_by = weights_by_name(learner->state.weights.by);
    return stats;
}

void counts_report(struct stream_counts *counts, const struct tlu_learner *learner)
{
    if (!counts->report || counts->stats.examples < counts->next_report)
        return;
    counts->next_report += counts->every ? counts->every : counts->next_report;
    counts->stopped = counts->report(counts->context, counts_now(counts, learner)) != 0;
}

void counts_free(struct stream_counts *counts)
{
    memory_free(counts->right);
}
