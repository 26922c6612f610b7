// The online learners a second time: slow, dense, straight from the papers. No scales, no lazy
// averages, no closed form where a search will do. test_online_learners.c compares.
//
// A problem is a two-class one in `size` dimensions, and z = y x an example of it. The bias is a
// dimension in which every x is 1. With winner-takes-all all weight vectors are one vector and z is
// +x in the block of the right class and -x in that of its rival (Kesler's construction).
#ifndef TLU_TESTS_ONLINE_REFERENCE_H
#define TLU_TESTS_ONLINE_REFERENCE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { MAX_SIZE = 80 };

struct parameters {
    const char *learner, *schedule;
    bool precision;
    double rate, margin, C, r, confidence, alpha, l2;
};

struct problem {
    size_t size;
    bool is_bias[MAX_SIZE];
    double w[MAX_SIZE];     // the weights
    double total[MAX_SIZE]; // their sum over all examples so far
    double s[MAX_SIZE];     // variances, or sums of squared gradients
    double examples;        // t
    double updates;         // k
};

static double dot(const double *a, const double *b, size_t size)
{
    double sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += a[i] * b[i];
    return sum;
}

static void problem_start(struct problem *problem, size_t size, double s)
{
    memset(problem, 0, sizeof *problem);
    problem->size = size;
    for (size_t i = 0; i < size; i++)
        problem->s[i] = s;
}

static void move(struct problem *p, const double *z, double c, double d)
{
    for (size_t i = 0; i < p->size; i++)
        p->w[i] = c * p->w[i] + d * z[i];
    p->updates++;
}

static void learn_perceptron(struct problem *p, const struct parameters *with, const double *z,
                             double m, double weight)
{
    if (m <= with->margin)
        move(p, z, 1, with->rate * weight);
}

static void learn_pa(struct problem *p, const struct parameters *with, const double *z, double m,
                     double weight)
{
    double loss = fmax(0, 1 - m), square = dot(z, z, p->size), tau = 0;
    if (loss == 0 || square == 0)
        return;
    if (strcmp(with->learner, "pa") == 0)
        tau = loss / square;
    if (strcmp(with->learner, "pa1") == 0)
        tau = loss / square < with->C ? loss / square : with->C;
    if (strcmp(with->learner, "pa2") == 0)
        tau = loss / (square + 0.5 / with->C);
    move(p, z, 1, tau * weight);
}

// The shortest c w + d z with both constraints tight is the solution of two linear equations.
static void learn_romma(struct problem *p, const struct parameters *with, const double *z, double m,
                        double weight)
{
    double ww = dot(p->w, p->w, p->size), zz = dot(z, z, p->size);
    bool enough = strcmp(with->learner, "romma") == 0 ? m > 0 : m >= weight;
    if (enough || zz == 0)
        return;
    double c = 0, d = weight / zz; // the shortest with the new constraint alone
    double determinant = ww * zz - m * m;
    if (d * m < ww && determinant > 1e-12 * ww * zz) { // the old one does not hold by itself
        c = (ww * zz - m * weight) / determinant;
        d = (ww * weight - m * ww) / determinant;
    }
    move(p, z, c, d);
    bool too_long = dot(p->w, p->w, p->size) > 1e20;
    for (size_t i = 0; too_long && i < p->size; i++)
        p->w[i] *= 1e-5;
}

static void learn_alma(struct problem *p, const struct parameters *with, const double *z, double m,
                       double weight)
{
    double length = sqrt(dot(z, z, p->size)), k = p->updates + 1, unit[MAX_SIZE];
    if (length == 0)
        return;
    for (size_t i = 0; i < p->size; i++)
        unit[i] = z[i] / length;
    double B = sqrt(8) / with->alpha, C = sqrt(2);
    if (m / length > (1 - with->alpha) * B / sqrt(k))
        return;
    move(p, unit, 1, weight * C / sqrt(k));
    double norm = sqrt(dot(p->w, p->w, p->size));
    for (size_t i = 0; i < p->size; i++)
        p->w[i] /= fmax(1, norm);
}

static double variance(const struct problem *p, const double *z)
{
    double v = 0;
    for (size_t i = 0; i < p->size; i++)
        v += z[i] * p->s[i] * z[i];
    return v;
}

// The diagonal of S' = S - beta S z z^T S, or that of its inverse, S^-1 + share z z^T: share is
// what Sherman and Morrison's formula makes of beta (test_online_learners.c checks it with whole
// matrices).
static void move_surely(struct problem *p, const struct parameters *with, const double *z,
                        double alpha, double beta)
{
    double share = beta / (1 - beta * variance(p, z));
    for (size_t i = 0; i < p->size; i++) {
        p->w[i] += alpha * p->s[i] * z[i];
        if (with->precision)
            p->s[i] = 1 / (1 / p->s[i] + share * z[i] * z[i]);
        else
            p->s[i] -= beta * p->s[i] * z[i] * z[i] * p->s[i];
    }
    p->updates++;
}

static void learn_arow(struct problem *p, const struct parameters *with, const double *z, double m,
                       double weight)
{
    double beta = 1 / (variance(p, z) + with->r / weight);
    if (m < 1)
        move_surely(p, with, z, fmax(0, 1 - m) * beta, beta);
}

static double quantile(double probability)
{
    double low = 0, high = 10;
    for (int i = 0; i < 200; i++) {
        double middle = (low + high) / 2;
        if ((1 + erf(middle / sqrt(2))) / 2 < probability)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// After a step alpha the margin is m + alpha v and the deviation u: alpha is the least with which
// m + alpha v >= phi u (scw1, if C allows), or >= phi u - alpha / 2C (scw2): found by halving.
static void learn_scw(struct problem *p, const struct parameters *with, const double *z, double m,
                      double weight)
{
    double v = variance(p, z), phi = quantile(with->confidence), C = with->C * weight;
    if (phi * sqrt(v) - m <= 0)
        return;
    bool limit = strcmp(with->learner, "scw1") == 0;
    double low = 0, high = 1e6, u = 0;
    for (int i = 0; i < 300; i++) {
        double alpha = (low + high) / 2;
        u = (sqrt(alpha * alpha * v * v * phi * phi + 4 * v) - alpha * v * phi) / 2;
        if (m + alpha * v + (limit ? 0 : alpha / (2 * C)) < phi * u)
            low = alpha;
        else
            high = alpha;
    }
    double alpha = limit ? fmin(C, low) : low;
    u = (sqrt(alpha * alpha * v * v * phi * phi + 4 * v) - alpha * v * phi) / 2;
    move_surely(p, with, z, alpha, (v - u * u) / (v * v)); // so that v becomes u^2
}

static void learn_gradient(struct problem *p, const struct parameters *with, const double *z,
                           double m, double weight)
{
    double square = dot(z, z, p->size), t = p->examples + 1, g = 0;
    if (square == 0)
        return;
    if (strcmp(with->learner, "hinge") == 0)
        g = m < 1 ? 1 : 0;
    if (strcmp(with->learner, "logistic") == 0)
        g = exp(-m) / (1 + exp(-m));
    if (strcmp(with->learner, "squared") == 0)
        g = 1 - m;
    bool adagrad = strcmp(with->schedule, "adagrad") == 0;
    double eta = with->rate / square;
    if (strcmp(with->schedule, "constant") != 0)
        eta /= sqrt(t);
    for (size_t i = 0; i < p->size; i++) {
        double slope = weight * g * z[i];
        if (!p->is_bias[i])
            p->w[i] -= fmin(1, eta * with->l2) * p->w[i];
        if (!adagrad) {
            p->w[i] += eta * slope;
        } else if (slope != 0) {
            p->s[i] += slope * slope;
            p->w[i] += with->rate / sqrt(square) / sqrt(p->s[i]) * slope;
        }
    }
}

// Multinomial logistic regression: a gradient step in the blocks of all classes, which are `width`
// dimensions each. x is one block.
static inline void learn_softmax(struct problem *p, const struct parameters *with, const double *x,
                                 size_t width, size_t k, double weight)
{
    size_t classes = p->size / width;
    double square = 2 * dot(x, x, width), sum = 0, share[MAX_SIZE];
    if (square == 0)
        return;
    for (size_t c = 0; c < classes; c++)
        sum += share[c] = exp(dot(p->w + c * width, x, width));
    bool adagrad = strcmp(with->schedule, "adagrad") == 0;
    double eta = with->rate / square;
    if (strcmp(with->schedule, "constant") != 0)
        eta /= sqrt(p->examples + 1);
    double gradient = 0; // its square
    for (size_t c = 0; c < classes; c++)
        gradient += pow(weight * ((c == k ? 1 : 0) - share[c] / sum), 2);
    for (size_t i = 0; i < p->size; i++) {
        size_t c = i / width;
        double slope = weight * ((c == k ? 1 : 0) - share[c] / sum) * x[i % width];
        if (!p->is_bias[i])
            p->w[i] -= fmin(1, eta * with->l2) * p->w[i];
        p->s[i] += adagrad ? gradient / 2 * pow(x[i % width], 2) : 0;
        if (!adagrad)
            p->w[i] += eta * slope;
        else if (slope != 0)
            p->w[i] += with->rate / sqrt(square) / sqrt(p->s[i]) * slope;
    }
}

// One example, of margin m = w . z (but for the perceptron's ties), that counts `weight` times.
static void problem_learn(struct problem *problem, const struct parameters *with, const double *z,
                          double m, double weight)
{
    static const struct {
        const char *learner;
        void (*learn)(struct problem *, const struct parameters *, const double *, double, double);
    } rules[] = {
        {"perceptron", learn_perceptron},
        {"pa", learn_pa},
        {"pa1", learn_pa},
        {"pa2", learn_pa},
        {"romma", learn_romma},
        {"aromma", learn_romma},
        {"alma", learn_alma},
        {"arow", learn_arow},
        {"scw1", learn_scw},
        {"scw2", learn_scw},
        {"hinge", learn_gradient},
        {"logistic", learn_gradient},
        {"squared", learn_gradient},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (strcmp(rules[i].learner, with->learner) == 0)
            rules[i].learn(problem, with, z, m, weight);
}

// After every example, whether it was about this problem or not.
static inline void problem_count(struct problem *problem)
{
    for (size_t i = 0; i < problem->size; i++)
        problem->total[i] += problem->w[i];
    problem->examples++;
}

#endif
