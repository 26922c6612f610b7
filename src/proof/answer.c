// The answer for the caller: numbers as doubles and as texts, features and classes by name.
#include "proof/built.h"
#ifdef TLU_PROVES
#include "proof/answer.h"

#include "base/memory.h"
#include "tlu_proof.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// Texts are put one after the other into `strings`, which moves while it grows: until it is
// complete a pointer to a text is its place there, counted from 1.
struct answer {
    tlu_separability shown; // first
    tlu_plane_weight *weights;
    tlu_proof_row *rows;
    struct text strings, proof;
};

static const char *place(const struct text *strings)
{
    return (const char *)(uintptr_t)(strings->size + 1); // of what is put next
}

static void end_string(struct text *strings)
{
    text_end_string(strings);
    strings->size++;
}

static const char *put_whole(struct answer *answer, const mpz_t value)
{
    const char *start = place(&answer->strings);
    text_put_whole(&answer->strings, value);
    end_string(&answer->strings);
    return start;
}

static void settle(const struct answer *answer, const char **text)
{
    if (*text)
        *text = answer->strings.bytes + (uintptr_t)*text - 1;
}

static const char *put_label(struct answer *answer, const char *label)
{
    const char *start = place(&answer->strings);
    text_put(&answer->strings, "%s", label);
    end_string(&answer->strings);
    return start;
}

// [groups] places of the labels.
static const char **put_labels(struct answer *answer, const struct examples *examples)
{
    const char **labels = memory_new(examples->groups + 1, sizeof *labels);
    for (uint32_t g = 0; labels && g < examples->groups; g++)
        labels[g] = put_label(answer, examples_label(examples, g));
    return labels;
}

// ---- weights ----

// 1 / |w| over all weights but the biases, and the power of two that was taken out before.
static double one_over_length(const struct task *task, const struct witness *weights, long *most)
{
    double square = 0;
    long exponent;
    *most = 0;
    for (size_t j = 0; j < weights->count; j++) {
        mpz_get_d_2exp(&exponent, weights->w[j]);
        *most = exponent > *most ? exponent : *most;
    }
    for (size_t j = 0; j < weights->count; j++) {
        double w = mpz_get_d_2exp(&exponent, weights->w[j]);
        w = ldexp(w, (int)fmax((double)(exponent - *most), -1000));
        square += j % task->examples->width < task->examples->features ? w * w : 0;
    }
    return square > 0 ? 1 / sqrt(square) : 1;
}

static bool put_weights(struct answer *answer, const struct task *task,
                        const struct witness *weights, const char *const *labels)
{
    const struct examples *examples = task->examples;
    size_t count = 0;
    long most, exponent;
    double length = one_over_length(task, weights, &most);
    for (size_t j = 0; j < weights->count; j++)
        count += mpz_sgn(weights->w[j]) != 0;
    answer->weights = memory_new(count + 1, sizeof *answer->weights);
    if (!answer->weights)
        return false;
    for (size_t j = 0; j < weights->count; j++) {
        size_t column = j % examples->width;
        if (mpz_sgn(weights->w[j]) == 0)
            continue;
        tlu_plane_weight *weight = &answer->weights[answer->shown.weight_count++];
        if (column < examples->features) {
            weight->feature = place(&answer->strings);
            feature_name(&answer->strings, examples, column);
            end_string(&answer->strings);
        }
        weight->label = task->blocks > 1 ? labels[j / examples->width] : NULL;
        weight->exact = put_whole(answer, weights->w[j]);
        double w = mpz_get_d_2exp(&exponent, weights->w[j]);
        weight->weight = ldexp(w, (int)fmax((double)(exponent - most), -1000)) * length;
    }
    return true;
}

// ---- rows ----

// Contradictions that share no row are numbered; a single one is not.
static bool put_contradictions(struct answer *answer, const struct task *task,
                               const struct contradiction *sets, size_t count, bool numbered,
                               const char *const *labels)
{
    size_t rows = 0;
    for (size_t s = 0; s < count; s++)
        rows += sets[s].count;
    answer->rows = memory_new(rows + 1, sizeof *answer->rows);
    if (!answer->rows)
        return false;
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < sets[s].count; i++) {
            size_t c = sets[s].cases[i], row = case_row(task, c);
            answer->rows[answer->shown.row_count++] =
                (tlu_proof_row){.line = task->examples->line[row],
                                .weight = put_whole(answer, sets[s].lambda[i]),
                                .label = labels[task->examples->group[row]],
                                .rival = task->blocks > 1 ? labels[case_rival(task, c)] : NULL,
                                .set = numbered ? s + 1 : 0};
        }
    return true;
}

static bool put_supports(struct answer *answer, const struct task *task,
                         const struct margin *margin, const char *const *labels)
{
    const struct examples *examples = task->examples;
    size_t count = 0;
    for (size_t i = 0; i < examples->count; i++)
        count += mpz_sgn(margin->hull[i]) != 0;
    answer->rows = memory_new(count + 1, sizeof *answer->rows);
    if (!answer->rows)
        return false;
    for (size_t i = 0; i < examples->count; i++) {
        if (mpz_sgn(margin->hull[i]) == 0)
            continue;
        answer->rows[answer->shown.row_count++] =
            (tlu_proof_row){.line = examples->line[i],
                            .weight = put_whole(answer, margin->hull[i]),
                            .label = labels[examples->group[i]]};
    }
    return true;
}

// ---- the proof ----

static void put_proof(struct answer *answer, const struct task *task,
                      const struct conclusion *conclusion, int missing)
{
    struct text *proof = &answer->proof;
    bool margin = task->blocks == 1 && conclusion->margin.known;
    if (!proof_head(proof, task, missing) || (conclusion->verdict == TLU_NOT_DECIDED && !margin)) {
        proof->size = 0;
        return;
    }
    if (conclusion->mistakes.known) {
        proof_mistakes(proof, task, &conclusion->mistakes);
    } else if (conclusion->verdict == TLU_NOT_SEPARABLE) {
        text_put(proof, "claim not-separable\n");
        proof_rows(proof, task, &conclusion->found.contradiction);
    } else if (conclusion->verdict == TLU_SEPARABLE) {
        text_put(proof, "claim separable\n");
        proof_weights(proof, task, &conclusion->found.weights);
        if (margin)
            proof_margin(proof, task, &conclusion->margin, true);
    } else {
        text_put(proof, "claim below\n");
        proof_margin(proof, task, &conclusion->margin, false);
    }
    proof_end(proof);
    text_end_string(proof);
    if (proof->unfit)
        proof->size = 0;
}

// ---- all of it ----

static void show_margin(tlu_separability *shown, const struct conclusion *conclusion)
{
    const struct margin *margin = &conclusion->margin;
    bool separable = conclusion->verdict == TLU_SEPARABLE;
    if (margin->known)
        shown->margin_high = sqrt(mpq_get_d(margin->high));
    if (!separable || mpq_sgn(margin->low) == 0)
        return;
    shown->margin_low = sqrt(mpq_get_d(margin->low));
    shown->radius = margin->radius;
    shown->bound = margin->radius * margin->radius / mpq_get_d(margin->low);
    shown->bound_with_bias = margin->bound_with_bias;
}

static void settle_texts(struct answer *answer)
{
    for (size_t i = 0; i < answer->shown.weight_count; i++) {
        settle(answer, &answer->weights[i].feature);
        settle(answer, &answer->weights[i].label);
        settle(answer, &answer->weights[i].exact);
    }
    for (size_t i = 0; i < answer->shown.row_count; i++) {
        settle(answer, &answer->rows[i].weight);
        settle(answer, &answer->rows[i].label);
        settle(answer, &answer->rows[i].rival);
    }
    settle(answer, &answer->shown.positive);
    settle(answer, &answer->shown.negative);
    settle(answer, &answer->shown.label_column);
    answer->shown.weights = answer->weights;
    answer->shown.rows = answer->rows;
    answer->shown.proof = answer->proof.size ? answer->proof.bytes : NULL;
    answer->shown.proof_size = answer->proof.size;
}

// The two classes, and the column that has them.
static void put_names(struct answer *answer, const struct examples *examples,
                      const char *const *labels)
{
    size_t others = 0;
    for (size_t i = 0; i < examples->labels.count; i++)
        others += examples->labels.items[i].group == 0;
    answer->shown.positive = labels[1];
    answer->shown.negative = others == 1 ? labels[0] : NULL;
}

static bool fill(struct answer *answer, const struct task *task,
                 const struct conclusion *conclusion, int missing)
{
    const char **labels = put_labels(answer, task->examples);
    const char *column = examples_label_column(task->examples);
    bool enough = labels != NULL;
    answer->shown.label_column = column ? put_label(answer, column) : NULL;
    if (enough && task->blocks == 1 && task->examples->groups == 2)
        put_names(answer, task->examples, labels);
    const struct mistakes *mistakes = &conclusion->mistakes;
    if (enough && mistakes->known)
        enough = put_contradictions(answer, task, mistakes->apart.items, mistakes->apart.count,
                                    true, labels) &&
                 put_weights(answer, task, &mistakes->weights, labels);
    else if (enough && conclusion->verdict == TLU_NOT_SEPARABLE)
        enough =
            put_contradictions(answer, task, &conclusion->found.contradiction, 1, false, labels);
    else if (enough && conclusion->margin.hull)
        enough = put_supports(answer, task, &conclusion->margin, labels);
    if (enough && conclusion->verdict == TLU_SEPARABLE)
        enough = put_weights(answer, task, &conclusion->found.weights, labels);
    if (enough)
        put_proof(answer, task, conclusion, missing);
    memory_free(labels);
    return enough && !answer->strings.failed && !answer->proof.failed;
}

tlu_separability *answer_new(const struct task *task, const struct conclusion *conclusion,
                             int missing, double seconds)
{
    struct answer *answer = memory_new(1, sizeof *answer);
    if (!answer)
        return NULL;
    tlu_separability *shown = &answer->shown;
    *shown = (tlu_separability){.verdict = conclusion->verdict,
                                .examples = task->examples->count,
                                .features = task->examples->features,
                                .classes = task->examples->groups,
                                .found_by = conclusion->found_by,
                                .margin_low = NAN,
                                .margin_high = NAN,
                                .radius = NAN,
                                .bound = NAN,
                                .bound_with_bias = NAN,
                                .seconds = seconds};
    if (conclusion->margin.hull)
        show_margin(shown, conclusion);
    if (conclusion->mistakes.known) {
        shown->mistakes = conclusion->mistakes.at_most;
        shown->mistakes_min = conclusion->mistakes.apart.count;
        shown->fewest = conclusion->mistakes.exact;
    }
    if (!fill(answer, task, conclusion, missing)) {
        tlu_separability_free(shown);
        return NULL;
    }
    settle_texts(answer);
    return shown;
}

void tlu_separability_free(tlu_separability *shown)
{
    struct answer *answer = (struct answer *)(void *)shown;
    if (!answer)
        return;
    memory_free(answer->weights);
    memory_free(answer->rows);
    memory_free(answer->strings.bytes);
    memory_free(answer->proof.bytes);
    memory_free(answer);
}
#endif
