// Multiclass schemes: turn an example of one class among many into binary problems y (w . x).
//
// two: both classes share one weight vector: y is +1 for the positive class and -1 for the other.
//
// wta: each class has a weight vector and the winner takes all (Honavar notes): x of class k is
// right if W_k . x > W_j . x for every j. If class j alone won instead, the step is +x for W_k and
// -x for W_j; if several classes share the highest score, only W_k steps (perceptron).
//
// ovr: one versus the rest; each class has a weight vector and a binary subproblem.
//
// ovo: one versus one; each pair of classes has a weight vector and a binary subproblem.

#include "learn/learner.h"

#include <math.h>

uint32_t scheme_columns(enum scheme_kind scheme, uint32_t classes)
{
    if (scheme == SCHEME_TWO)
        return 1;
    return scheme == SCHEME_OVO ? classes * (classes - 1) / 2 : classes;
}

enum scheme_kind scheme_first(const char *names)
{
    return names[0] == 'w' ? SCHEME_WTA : SCHEME_OVR;
}

uint32_t scheme_groups(enum scheme_kind scheme, uint32_t classes)
{
    return scheme == SCHEME_WTA ? 1 : scheme_columns(scheme, classes);
}

uint32_t scheme_pair(uint32_t i, uint32_t j)
{
    return i < j ? j * (j - 1) / 2 + i : i * (i - 1) / 2 + j;
}

void scheme_unpair(uint32_t column, uint32_t *i, uint32_t *j)
{
    // j is the largest number with j (j - 1) / 2 <= column; rounding makes the root wrong by at
    // most one.
    uint64_t n = column, k = (uint64_t)((1 + sqrt(1 + 8 * (double)n)) / 2);
    k += k * (k + 1) / 2 <= n;
    k -= k * (k - 1) / 2 > n;
    *j = (uint32_t)k;
    *i = (uint32_t)(n - k * (k - 1) / 2);
}

static void set_column(const struct tlu_learner *learner, uint32_t column, double y,
                       struct binary_example *e)
{
    scheme_set_column(e, column, learner->space.scores[column], y, learner->rule.tie);
}

#define BLOCK 64u // classes

static double larger(double a, double b)
{
    return a > b ? a : b;
}

// Keeps four independent maxima, so that no comparison waits for the previous one.
static double highest(const double *scores, uint32_t count)
{
    double a = -INFINITY, b = a, c = a, d = a;
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        a = larger(a, scores[i]);
        b = larger(b, scores[i + 1]);
        c = larger(c, scores[i + 2]);
        d = larger(d, scores[i + 3]);
    }
    for (; i < count; i++)
        a = larger(a, scores[i]);
    return larger(larger(a, b), larger(c, d));
}

// Finds the class other than k with the highest score, the first of equals: first its block, then
// the class in the block. *alone: no other class has that score. Not inlined, so that models with
// few classes do not pay for its stack frame.
__attribute__((noinline)) static uint32_t find_rival(const double *scores, uint32_t classes,
                                                     uint32_t k, bool *alone)
{
    double best = -INFINITY;
    uint32_t block = 0, rival = classes;
    for (uint32_t first = 0; first < classes; first += BLOCK) {
        uint32_t count = classes - first < BLOCK ? classes - first : BLOCK, before = k - first;
        double top = before < count ? larger(highest(scores + first, before),
                                             highest(scores + k + 1, count - before - 1))
                                    : highest(scores + first, count);
        if (top > best) {
            best = top;
            block = first;
            *alone = true;
        } else if (top == best) {
            *alone = false;
        }
    }
    for (uint32_t j = block; j < classes && j < block + BLOCK; j++)
        if (j != k && scores[j] == best) {
            *alone &= rival == classes;
            rival = rival == classes ? j : rival;
        }
    return rival < classes ? rival : k == 0; // none: all other scores are NaN
}

static void set_winner(const struct tlu_learner *learner, uint32_t k, struct binary_example *e)
{
    const double *scores = learner->space.scores;
    uint32_t rival = k == 0 ? 1 : 0; // the class other than k with the highest score
    bool alone = true;               // no third class has the rival's score
    if (learner->scheme.classes >= 2 * BLOCK)
        rival = find_rival(scores, learner->scheme.classes, k, &alone);
    else
        for (uint32_t j = rival + 1; j < learner->scheme.classes; j++) {
            if (j == k || scores[j] < scores[rival])
                continue;
            alone = scores[j] > scores[rival];
            if (alone)
                rival = j;
        }
    e->margin = scores[k] - scores[rival];
    e->wrong = e->margin < 0 || (e->margin == 0 && learner->rule.tie != TIE_POSITIVE);
    e->group = 0;
    // A correct prediction with too small a margin is not a tie. Only learners with LEARNER_TIES
    // step with one class at a tie: the margin is y (w . x) only if both classes step, and other
    // learners rely on that.
    bool tie = e->margin == 0 || (e->margin < 0 && !alone);
    e->parts = tie && learner->rule.kind->traits & LEARNER_TIES ? 1 : 2;
    e->part[0].column = k;
    e->part[0].sign = 1;
    e->part[1].column = rival;
    e->part[1].sign = -1;
}

uint32_t scheme_subproblems(const struct scheme *scheme)
{
    switch (scheme->kind) {
    case SCHEME_OVR:
        return scheme->classes;
    case SCHEME_OVO:
        return scheme->classes - 1;
    default:
        return 1;
    }
}

void scheme_subproblem(const struct tlu_learner *learner, uint32_t class_index, uint32_t number,
                       struct binary_example *problem)
{
    switch (learner->scheme.kind) {
    case SCHEME_TWO:
        set_column(learner, 0, class_index == learner->scheme.positive ? 1 : -1, problem);
        break;
    case SCHEME_WTA:
        set_winner(learner, class_index, problem);
        break;
    case SCHEME_OVR:
        set_column(learner, number, class_index == number ? 1 : -1, problem);
        break;
    case SCHEME_OVO: {
        uint32_t rival = number < class_index ? number : number + 1;
        set_column(learner, scheme_pair(rival, class_index), class_index > rival ? 1 : -1, problem);
        break;
    }
    }
}

void scheme_votes(const double *scores, uint32_t classes, double *votes)
{
    for (uint32_t c = 0; c < classes; c++) {
        votes[c] = 0;
        for (uint32_t other = 0; other < classes; other++)
            if (other != c) {
                double score = scores[scheme_pair(c, other)];
                votes[c] += c > other ? score >= 0 : score < 0;
            }
    }
}

// One versus one: each pair votes for one of its classes, and most votes win. Among classes with
// equal votes, the highest sum of scores wins, then the first class.
static uint32_t elect_by_pairs(const double *scores, uint32_t classes, bool *ambiguous)
{
    uint32_t winner = 0, most = 0;
    double best = 0;
    *ambiguous = false;
    for (uint32_t c = 0; c < classes; c++) {
        uint32_t votes = 0;
        double sum = 0;
        for (uint32_t j = 0; j < classes; j++) {
            if (j == c)
                continue;
            double score = scores[scheme_pair(c, j)]; // >= 0 is a vote for the later class
            votes += c > j ? score >= 0 : score < 0;
            sum += c > j ? score : -score;
        }
        if (c > 0 && votes == most)
            *ambiguous = true;
        if (c == 0 || votes > most || (votes == most && sum > best)) {
            if (votes > most || c == 0)
                *ambiguous = false;
            winner = c;
            most = votes;
            best = sum;
        }
    }
    return winner;
}

uint32_t scheme_elect(enum scheme_kind scheme, const double *scores, uint32_t classes,
                      uint32_t positive, bool *ambiguous)
{
    bool ignored;
    if (!ambiguous)
        ambiguous = &ignored;
    *ambiguous = false;
    if (scheme == SCHEME_TWO)
        return scores[0] >= 0 ? positive : 1 - positive;
    if (scheme == SCHEME_OVO)
        return elect_by_pairs(scores, classes, ambiguous);
    uint32_t winner = 0, above = scores[0] > 0;
    for (uint32_t j = 1; j < classes; j++) {
        above += scores[j] > 0;
        if (scores[j] > scores[winner])
            winner = j;
    }
    *ambiguous = scheme == SCHEME_OVR && above != 1;
    return winner;
}
