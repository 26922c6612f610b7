// The second implementation of a net: backpropagation as the books have it, one unit after the
// other over dense rows, written to be obviously right and not to be fast. It is included with REAL
// as float, to give the bits of the library, and as double, for the slopes of a loss; NET(name)
// makes the names, and EXP and TANH are the functions of that type.

#ifndef TLU_TESTS_NET_REFERENCE_H
#define TLU_TESTS_NET_REFERENCE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define NET_MAX 4     // layers
#define NET_WIDEST 16 // units, inputs or classes

enum net_activation { NET_RELU, NET_TANH, NET_SIGMOID };

// Rows to learn from.
struct net_rows {
    size_t rows, inputs;
    float (*x)[NET_WIDEST];
    size_t *class;
    float *weight;
};

struct net_settings {
    size_t depth, sizes[NET_MAX + 1]; // with one output for two classes
    enum net_activation activation;
    bool adam, no_bias;
    double rate, momentum, l2;
    double class_weight[NET_WIDEST]; // 0: 1
};

#endif

// w[layer][input][unit], the biases after the last input.
struct NET(net) {
    struct net_settings set;
    REAL w[NET_MAX][NET_WIDEST + 1][NET_WIDEST];
    REAL m[NET_MAX][NET_WIDEST + 1][NET_WIDEST];
    REAL v[NET_MAX][NET_WIDEST + 1][NET_WIDEST];
    REAL gradient[NET_MAX][NET_WIDEST + 1][NET_WIDEST];
    size_t steps;
};

static REAL NET(activate)(enum net_activation activation, REAL z)
{
    if (activation == NET_RELU)
        return z > 0 ? z : 0;
    return activation == NET_TANH ? TANH(z) : 1 / (1 + EXP(-z));
}

static REAL NET(slope)(enum net_activation activation, REAL a)
{
    if (activation == NET_RELU)
        return a > 0 ? 1 : 0;
    return activation == NET_TANH ? 1 - a * a : a * (1 - a);
}

// a[0] is the row; a[depth] the scores.
static void NET(forward)(const struct NET(net) * net, const float *x, REAL a[][NET_WIDEST])
{
    const struct net_settings *set = &net->set;
    for (size_t i = 0; i < set->sizes[0]; i++)
        a[0][i] = (REAL)x[i];
    for (size_t l = 0; l < set->depth; l++)
        for (size_t j = 0; j < set->sizes[l + 1]; j++) {
            REAL z = net->w[l][set->sizes[l]][j];
            for (size_t i = 0; i < set->sizes[l]; i++)
                z = z + a[l][i] * net->w[l][i][j];
            a[l + 1][j] = l + 1 < set->depth ? NET(activate)(set->activation, z) : z;
        }
}

static REAL NET(weight)(const struct NET(net) * net, const struct net_rows *rows, size_t r)
{
    double of_class = net->set.class_weight[rows->class[r]];
    return (REAL)rows->weight[r] * (REAL)(of_class > 0 ? of_class : 1);
}

// d loss / d z of the outputs, for a row that counts so much.
static void NET(outputs)(const struct NET(net) * net, const REAL *z, size_t class, REAL weight,
                         REAL *d)
{
    size_t outputs = net->set.sizes[net->set.depth];
    if (outputs == 1) {
        d[0] = weight * (1 / (1 + EXP(-z[0])) - (class == 1 ? 1 : 0));
        return;
    }
    REAL most = z[0], sum = 0;
    for (size_t k = 1; k < outputs; k++)
        most = z[k] > most ? z[k] : most;
    for (size_t k = 0; k < outputs; k++)
        sum = sum + EXP(z[k] - most);
    for (size_t k = 0; k < outputs; k++)
        d[k] = weight * (EXP(z[k] - most) / sum - (class == k ? 1 : 0));
}

// Adds to the gradient what the row gives it.
static void NET(backward)(struct NET(net) * net, const struct net_rows *rows, size_t r,
                          size_t count)
{
    const struct net_settings *set = &net->set;
    REAL a[NET_MAX + 1][NET_WIDEST], d[NET_MAX + 1][NET_WIDEST];
    NET(forward)(net, rows->x[r], a);
    NET(outputs)
    (net, a[set->depth], rows->class[r], NET(weight)(net, rows, r) / (REAL)count, d[set->depth]);
    for (size_t l = set->depth; l-- > 0;) {
        size_t inputs = set->sizes[l], units = set->sizes[l + 1];
        for (size_t i = 0; i < inputs; i++) {
            REAL sum = 0;
            for (size_t j = 0; j < units; j++) {
                sum = sum + d[l + 1][j] * net->w[l][i][j];
                net->gradient[l][i][j] += a[l][i] * d[l + 1][j];
            }
            if (l > 0)
                d[l][i] = sum * NET(slope)(set->activation, a[l][i]);
        }
        for (size_t j = 0; j < units; j++)
            net->gradient[l][inputs][j] += d[l + 1][j];
    }
}

static void NET(move)(struct NET(net) * net, size_t l, size_t i, size_t j)
{
    const struct net_settings *set = &net->set;
    REAL *w = &net->w[l][i][j], *m = &net->m[l][i][j], *v = &net->v[l][i][j];
    REAL l2 = i < set->sizes[l] ? (REAL)set->l2 : 0;
    REAL g = net->gradient[l][i][j] + l2 * *w;
    if (!set->adam) {
        *m = (REAL)set->momentum * *m - (REAL)set->rate * g;
        *w = *w + *m;
        return;
    }
    double t = (double)net->steps + 1;
    REAL rate = (REAL)(set->rate * sqrt(1 - pow(0.999, t)) / (1 - pow(0.9, t)));
    REAL b1 = (REAL)0.9, b2 = (REAL)0.999;
    *m = b1 * *m + (1 - b1) * g;
    *v = b2 * *v + (1 - b2) * (g * g);
    *w = *w - rate * *m / ((REAL)sqrt((double)*v) + (REAL)1e-8);
}

static void NET(find_gradient)(struct NET(net) * net, const struct net_rows *rows, size_t first,
                               size_t last)
{
    memset(net->gradient, 0, sizeof net->gradient);
    for (size_t r = first; r < last; r++)
        NET(backward)(net, rows, r, last - first);
}

static bool NET(is_met)(const struct net_rows *rows, size_t first, size_t last, size_t input)
{
    for (size_t r = first; r < last; r++)
        if (rows->x[r][input] != 0)
            return true;
    return false;
}

static inline void NET(learn)(struct NET(net) * net, const struct net_rows *rows, size_t first,
                              size_t last)
{
    const struct net_settings *set = &net->set;
    NET(find_gradient)(net, rows, first, last);
    for (size_t l = 0; l < set->depth; l++)
        for (size_t i = 0; i < set->sizes[l] + !set->no_bias; i++)
            for (size_t j = 0; j < set->sizes[l + 1]; j++)
                if (l > 0 || i == set->sizes[0] || NET(is_met)(rows, first, last, i))
                    NET(move)(net, l, i, j);
    net->steps++;
}
