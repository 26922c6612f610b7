// A sigmoid for scores (Platt 1999), by the safeguarded Newton method of Lin, Lin and Weng (2007).
//
//     minimise   sum of w_i (t_i log(1 + exp(-f_i)) + (1 - t_i) log(1 + exp(f_i))),
//                f_i = slope score_i + offset
//
// The targets t are not 1 and 0 but (N+ + 1) / (N+ + 2) for the N+ rows of the class and
// 1 / (N- + 2) for the N- others, which keeps the slope finite if the scores separate the classes.
//
//     repeat  solve (H + ridge) d = -gradient
//             halve the step until the sum falls by at least 1e-4 of what the gradient predicts
#include "calibration/fit.h"
#include "numeric/exp_log.h"

#include <float.h>
#include <math.h>

#define STEPS_MAX 100
#define STEP_MIN 1e-10
#define CLOSE 1e-9 // share of the sum: smaller gains are below rounding, so every step is accepted
#define ENOUGH 1e-24 // predicted gain per row: smaller means that the minimum is reached

struct sigmoid_line {
    double slope, offset;
};

struct sigmoid_problem {
    const struct curve_row *rows;
    size_t count;
    double unit;      // scores are multiplied by it: a power of two that makes them at most 1
    double centre;    // their mean is subtracted, so that slope and offset are nearly independent
    double target[2]; // [hit]
    double weight;    // of all rows
};

static double score_of(const struct sigmoid_problem *p, const struct curve_row *row)
{
    return row->score * p->unit - p->centre;
}

static double loss(const struct sigmoid_problem *p, struct sigmoid_line line)
{
    double sum = 0;
    for (size_t i = 0; i < p->count; i++) {
        const struct curve_row *row = &p->rows[i];
        double f = line.slope * score_of(p, row) + line.offset, t = p->target[row->hit];
        sum += row->weight * (same_log1p(same_exp(-fabs(f))) + (f >= 0 ? (1 - t) * f : -t * f));
    }
    return sum;
}

// The step of Newton's method; returns its product with the gradient, which is not above 0.
static double newton_step(const struct sigmoid_problem *p, struct sigmoid_line line,
                          struct sigmoid_line *step)
{
    double ridge = 1e-12 * p->weight;
    double g1 = 0, g2 = 0, h11 = ridge, h12 = 0, h22 = ridge;
    for (size_t i = 0; i < p->count; i++) {
        const struct curve_row *row = &p->rows[i];
        double score = score_of(p, row), f = line.slope * score + line.offset;
        double share = sigmoid(f), curve = row->weight * share * sigmoid(-f);
        double slope = row->weight * (share - p->target[row->hit]);
        g1 += slope * score;
        g2 += slope;
        h11 += curve * score * score;
        h12 += curve * score;
        h22 += curve;
    }
    double determinant = h11 * h22 - h12 * h12;
    *step = (struct sigmoid_line){-(h22 * g1 - h12 * g2) / determinant,
                                  -(h11 * g2 - h12 * g1) / determinant};
    return step->slope * g1 + step->offset * g2;
}

static struct sigmoid_line minimise(const struct sigmoid_problem *p, struct sigmoid_line line)
{
    double now = loss(p, line);
    for (int i = 0; i < STEPS_MAX; i++) {
        struct sigmoid_line step, next;
        double promise = newton_step(p, line, &step), size = 1, then;
        if (!(promise < -ENOUGH * p->weight))
            break;
        for (;; size /= 2) {
            next = (struct sigmoid_line){line.slope + size * step.slope,
                                         line.offset + size * step.offset};
            then = loss(p, next);
            if (then < now + 1e-4 * size * promise || size < STEP_MIN || -promise < CLOSE * now)
                break;
        }
        line = next;
        now = then;
    }
    return line;
}

void sigmoid_fit(const struct curve_row *rows, size_t count, double *slope, double *offset)
{
    double weight[2] = {0, 0}, largest = 0; // [hit]
    for (size_t i = 0; i < count; i++) {
        weight[rows[i].hit] += rows[i].weight;
        largest = fmax(largest, fabs(rows[i].score));
    }
    int exponent;
    frexp(largest, &exponent);
    int down = exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent;
    struct sigmoid_problem problem = {
        .rows = rows,
        .count = count,
        .unit = ldexp(1, -down),
        .target = {1 / (weight[0] + 2), (weight[1] + 1) / (weight[1] + 2)},
        .weight = weight[0] + weight[1]};
    for (size_t i = 0; problem.weight > 0 && i < count; i++)
        problem.centre += rows[i].weight / problem.weight * (rows[i].score * problem.unit);
    struct sigmoid_line start = {0, same_log((weight[1] + 1) / (weight[0] + 1))};
    struct sigmoid_line line = problem.weight > 0 ? minimise(&problem, start) : start;
    *slope = fmax(-DBL_MAX, fmin(DBL_MAX, line.slope * problem.unit));
    *offset = line.offset - line.slope * problem.centre;
}
