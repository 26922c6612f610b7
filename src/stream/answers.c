// The answers of a stream, a line of text for each row, and its statistics.
#include "base/memory.h"
#include "numeric/number.h"
#include "stream/internal.h"

#include <math.h>
#include <stdlib.h>
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

// ---- several labels ----

// A label that is predicted.
struct given_label {
    const char *text;
    uint32_t class_index;
};

static int by_label(const void *a, const void *b)
{
    return schema_label_compare(((const struct given_label *)a)->text,
                                ((const struct given_label *)b)->text);
}

// Finds the labels of a row in their order. False: out of memory.
static bool find_labels(struct answers *answers, const struct tlu_learner *learner, size_t *count)
{
    const struct schema *schema = &learner->state.schema;
    *count = 0;
    for (uint32_t c = 0; c < learner->state.scheme.classes; c++) {
        if (!learner_gives_label(learner, c, learner->space.scores[c]))
            continue;
        if (!memory_reserve(&answers->labels, &answers->labels_capacity, *count + 1,
                            sizeof *answers->labels))
            return false;
        answers->labels[(*count)++] = (struct given_label){schema->spelled[c], c};
    }
    if (*count)
        qsort(answers->labels, *count, sizeof *answers->labels, by_label);
    return true;
}

#define NUMBER_BYTES 32

static bool add_lists(struct answers *answers, const struct tlu_learner *learner)
{
    const char *separator = learner->state.schema.separator;
    size_t count, size = 4, between = strlen(separator);
    if (!find_labels(answers, learner, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        size += 2 * strlen(answers->labels[i].text) + 3 * between + 2 * NUMBER_BYTES;
    if (!memory_reserve(&answers->text, &answers->capacity, answers->size + size, 1))
        return false;
    char *at = answers->text + answers->size;
    const bool wanted[] = {true, answers->scores, answers->probabilities};
    for (int what = 0; what < 3; what++) {
        if (what > 0 && wanted[what])
            *at++ = '\t';
        for (size_t i = 0; wanted[what] && i < count; i++) {
            uint32_t c = answers->labels[i].class_index;
            double score = learner->space.scores[c], number = score;
            if (i > 0) {
                memcpy(at, separator, between);
                at += between;
            }
            if (what == 2 && !probability_of(answers, learner, c, &number))
                return false;
            at = what ? at + number_print(at, number) : put_label(at, answers->labels[i].text);
        }
    }
    *at++ = '\n';
    answers->size = (size_t)(at - answers->text);
    return true;
}

bool answers_add(struct answers *answers, const struct tlu_learner *learner, uint32_t winner)
{
    if (learner->state.scheme.kind == SCHEME_MULTILABEL && learner->state.scheme.classes)
        return add_lists(answers, learner);
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
    memory_free(answers->labels);
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
