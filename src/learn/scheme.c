// Multiclass schemes: turn an example of one class among many into binary problems y (w . x).
//
// two: both classes share one weight vector: y is +1 for the positive class and -1 for the other.
//
// wta: each class has a weight vector and the winner takes all (Honavar notes): x of class k is
// right if W_k . x > W_j . x for every j. If class j won instead, or shares the highest score with
// k, the step is +x for W_k and -x for W_j. That is a perceptron step for Kesler's vector, which
// has x in block k and -x in block j, so the convergence theorem holds. On the slide only W_k steps
// if several classes share the highest score (--tie-update label); that step is not Kesler's, and
// separable data may be visited forever.
//
// ovr: one versus the rest; each class has a weight vector and a binary subproblem.
//
// ovo: one versus one; each pair of classes has a weight vector and a binary subproblem.
//
// multilabel: one versus the rest for rows with any number of labels: each label has a weight
// vector and a binary problem of its own, in which y is +1 for the rows that have the label. Each
// label is predicted for itself, by the sign of its score or by a threshold.

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

// Orders classes by their labels.
static bool is_before(const struct election *election, uint32_t a, uint32_t b)
{
    const struct schema *labels = election->labels;
    return labels ? schema_label_compare(labels->spelled[a], labels->spelled[b]) < 0 : a < b;
}

static void set_column(const struct tlu_learner *learner, uint32_t column, bool positive,
                       struct binary_example *e)
{
    scheme_set_column(e, column, learner->space.scores[column], positive ? 1 : -1,
                      tie_is_wrong(learner->rule.tie, positive));
}

// The pair of class k and a rival. The positive side of its column is the class that appeared
// later; for a tie it is the one with the later label, as in a model.
static void set_pair(const struct tlu_learner *learner, uint32_t k, uint32_t rival,
                     struct binary_example *e)
{
    const struct election election = learner_election(learner);
    uint32_t column = scheme_pair(rival, k);
    bool wrong =
        election.tie == TIE_MISTAKE || tie_is_wrong(election.tie, is_before(&election, rival, k));
    scheme_set_column(e, column, learner->space.scores[column], k > rival ? 1 : -1, wrong);
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

// Of the classes other than k with the score of the rival, the one with the first label.
__attribute__((noinline)) static uint32_t first_rival(const struct tlu_learner *learner, uint32_t k,
                                                      uint32_t rival)
{
    const struct election election = learner_election(learner);
    const double *scores = learner->space.scores;
    for (uint32_t j = 0; j < election.classes; j++)
        if (j != k && scores[j] == scores[rival] && is_before(&election, j, rival))
            rival = j;
    return rival;
}

static void set_winner(const struct tlu_learner *learner, uint32_t k, struct binary_example *e)
{
    const double *scores = learner->space.scores;
    uint32_t rival = k == 0 ? 1 : 0; // the class other than k with the highest score
    bool alone = true;               // no third class has the rival's score
    if (learner->state.scheme.classes >= 2 * BLOCK)
        rival = find_rival(scores, learner->state.scheme.classes, k, &alone);
    else
        for (uint32_t j = rival + 1; j < learner->state.scheme.classes; j++) {
            if (j == k || scores[j] < scores[rival])
                continue;
            alone = scores[j] > scores[rival];
            if (alone)
                rival = j;
        }
    e->margin = scores[k] - scores[rival];
    bool tie = e->margin == 0 || (e->margin < 0 && !alone);
    e->wrong = e->margin < 0 || (e->margin == 0 && learner->rule.tie == TIE_MISTAKE);
    if (tie && learner->rule.tie != TIE_MISTAKE) { // one of them is predicted
        uint32_t winner = learner_elect(learner, scores);
        e->wrong = winner != k;
        rival = e->wrong ? winner : rival;
    } else if (!alone && learner->rule.kind->traits & LEARNER_TIES) {
        rival = first_rival(learner, k, rival);
    }
    e->group = 0;
    // At a tie only the true class steps if --tie-update says so. A right prediction
    // with too small a margin is not a tie.
    e->parts = tie && learner->rule.tie_update == TIE_UPDATE_LABEL ? 1 : 2;
    e->part[0].column = k;
    e->part[0].sign = 1;
    e->part[1].column = rival;
    e->part[1].sign = -1;
}

uint32_t scheme_subproblems(const struct scheme *scheme)
{
    switch (scheme->kind) {
    case SCHEME_OVR:
    case SCHEME_MULTILABEL:
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
    switch (learner->state.scheme.kind) {
    case SCHEME_TWO:
        set_column(learner, 0, class_index == learner->state.scheme.positive, problem);
        break;
    case SCHEME_WTA:
        set_winner(learner, class_index, problem);
        break;
    case SCHEME_OVR:
        set_column(learner, number, class_index == number, problem);
        break;
    case SCHEME_OVO:
        set_pair(learner, class_index, number < class_index ? number : number + 1, problem);
        break;
    case SCHEME_MULTILABEL: // learn_labels (example.c)
        break;
    }
}

// ---- elections ----

// Whether class c wins its pair with class j. A score above 0 is for the later number.
static inline bool wins_pair(const struct election *election, const double *scores, uint32_t c,
                             uint32_t j)
{
    double score = scores[scheme_pair(c, j)];
    if (score == 0)
        return is_before(election, j, c) == tie_is_positive(election->tie);
    return c > j ? score > 0 : score < 0;
}

void scheme_votes(const struct election *election, const double *scores, double *votes)
{
    for (uint32_t c = 0; c < election->classes; c++) {
        votes[c] = 0;
        for (uint32_t j = 0; j < election->classes; j++)
            votes[c] += j != c && wins_pair(election, scores, c, j);
    }
}

// Whether class c wins against class j with the same scores.
static bool wins_tie(const struct election *election, uint32_t c, uint32_t j)
{
    return is_before(election, c, j) == (election->tie != TIE_POSITIVE);
}

// One versus one: each pair votes for one of its classes, and most votes win; among classes with
// equal votes, the highest sum of scores.
static uint32_t elect_by_pairs(const struct election *election, const double *scores,
                               bool *ambiguous)
{
    uint32_t winner = 0, most = 0;
    double best = 0;
    for (uint32_t c = 0; c < election->classes; c++) {
        uint32_t votes = 0;
        double sum = 0;
        for (uint32_t j = 0; j < election->classes; j++) {
            if (j == c)
                continue;
            double score = scores[scheme_pair(c, j)];
            votes += wins_pair(election, scores, c, j);
            sum += c > j ? score : -score;
        }
        bool more = c == 0 || votes > most, as_many = c > 0 && votes == most;
        *ambiguous = !more && (*ambiguous || as_many);
        if (more || (as_many && (sum > best || (sum == best && wins_tie(election, c, winner))))) {
            winner = c;
            most = votes;
            best = sum;
        }
    }
    for (uint32_t j = 0; j < election->classes; j++)
        *ambiguous |= j != winner && scores[scheme_pair(winner, j)] == 0;
    return winner;
}

// Of the classes with the score of the winner, the one that --tie prefers.
__attribute__((noinline)) static uint32_t elect_tied(const struct election *election,
                                                     const double *scores, uint32_t winner)
{
    for (uint32_t j = winner + 1; j < election->classes; j++)
        if (scores[j] == scores[winner] && wins_tie(election, j, winner))
            winner = j;
    return winner;
}

uint32_t scheme_elect(const struct election *election, const double *scores, bool *ambiguous)
{
    bool ignored;
    if (!ambiguous)
        ambiguous = &ignored;
    *ambiguous = false;
    if (election->kind == SCHEME_TWO) {
        bool positive = tie_is_positive(election->tie) ? scores[0] >= 0 : scores[0] > 0;
        return positive ? election->positive : 1 - election->positive;
    }
    if (election->kind == SCHEME_OVO)
        return elect_by_pairs(election, scores, ambiguous);
    uint32_t winner = 0, above = scores[0] > 0;
    bool tied = false;
    for (uint32_t j = 1; j < election->classes; j++) {
        above += scores[j] > 0;
        tied = scores[j] == scores[winner] || (tied && scores[j] < scores[winner]);
        if (scores[j] > scores[winner])
            winner = j;
    }
    *ambiguous = tied || (election->kind == SCHEME_OVR && above != 1);
    return tied ? elect_tied(election, scores, winner) : winner;
}
