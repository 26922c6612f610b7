// One slope for all scores (Guo et al. 2017): the log loss of softmax(slope * scores) is convex in
// the slope, with the derivative
//
//     sum of w_i (sum of p_k s_k  -  sum of t_k s_k),
//
// where p is the softmax and t the targets. These are smoothed like Platt's: (N_y + 1) / (N_y + K)
// for the class y of the row, which has N_y rows, and 1 / (N_y + K) for each of the others. With
// two classes the scores are the score and 0, and p is the sigmoid. The minimum is found by
// Newton's method within a shrinking interval.
#include "calibration/fit.h"
#include "calibration/softmax.h"
#include "numeric/exp_log.h"

#include <float.h>
#include <math.h>

#define STEPS_MAX 200

struct temperature_problem {
    const struct scored_rows *rows;
    const double *class_weights;
    double *shares; // of a row
    double unit;    // scores are multiplied by it: a power of two that makes them at most 1
};

// Returns a row's part of the first derivative and adds its part of the second.
static double add_two(const struct temperature_problem *p, size_t i, double slope, double *second)
{
    const struct scored_rows *rows = p->rows;
    double own = p->class_weights[rows->class_of[i]];
    double target = (rows->class_of[i] == rows->positive ? own + 1 : 1) / (own + 2);
    double score = rows->scores[i] * p->unit, share = sigmoid(slope * score);
    *second += rows->weights[i] * share * (1 - share) * score * score;
    return rows->weights[i] * (share - target) * score;
}

static double add_several(const struct temperature_problem *p, size_t i, double slope,
                          double *second)
{
    const struct scored_rows *rows = p->rows;
    uint32_t classes = rows->classes;
    const double *scores = rows->scores + i * classes;
    double own = p->class_weights[rows->class_of[i]], all = 0, mean = 0, square = 0;
    softmax(scores, classes, slope * p->unit, p->shares);
    for (uint32_t k = 0; k < classes; k++) {
        double score = scores[k] * p->unit;
        all += score;
        mean += p->shares[k] * score;
    }
    for (uint32_t k = 0; k < classes; k++) {
        double off = scores[k] * p->unit - mean;
        square += p->shares[k] * off * off;
    }
    *second += rows->weights[i] * square;
    double wanted = (own * (scores[rows->class_of[i]] * p->unit) + all) / (own + classes);
    return rows->weights[i] * (mean - wanted);
}

static double derivative(const struct temperature_problem *p, double slope, double *second)
{
    double first = 0;
    *second = 0;
    for (size_t i = 0; i < p->rows->count; i++)
        first += (p->rows->classes == 2 ? add_two : add_several)(p, i, slope, second);
    return first;
}

static double minimise(const struct temperature_problem *p)
{
    double low = 0, high = 1, second;
    if (derivative(p, 0, &second) >= 0)
        return 0; // the scores are uninformative or reversed
    while (derivative(p, high, &second) < 0 && high < 0x1p1000) {
        low = high;
        high *= 2;
    }
    double slope = low;
    for (int i = 0; i < STEPS_MAX && high - low > 1e-15 * high; i++) {
        double first = derivative(p, slope, &second), next = slope - first / second;
        if (first == 0)
            break;
        *(first < 0 ? &low : &high) = slope;
        if (!(next > low && next < high))
            next = low + (high - low) / 2;
        if (fabs(next - slope) <= 1e-15 * slope)
            break;
        slope = next;
    }
    return slope;
}

double temperature_fit(const struct scored_rows *rows, const double *class_weights, double *scratch)
{
    size_t count = rows->classes == 2 ? rows->count : rows->count * rows->classes;
    double largest = 0;
    int exponent;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(rows->scores[i]));
    frexp(largest, &exponent);
    int down = exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent;
    struct temperature_problem problem = {rows, class_weights, scratch, ldexp(1, -down)};
    return largest > 0 ? fmin(DBL_MAX, minimise(&problem) * problem.unit) : 0;
}
