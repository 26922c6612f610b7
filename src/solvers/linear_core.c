// The Hessian I + sum_i weight_i x_i x_i^T, restricted to a core of features, and its Cholesky
// factor. If there are few features, all are in the core. Otherwise the core has those with the
// largest sums of squares, because rows of sparse data have little in common but frequent features.
#include "base/memory.h"
#include "solvers/linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOGETHER 4     // rows of the sums that add_square() adds to
#define UNLIKE 0.1     // relative change of a weight above which the sums are updated
#define LOOK 4194304   // products after which the caller is asked whether to stop
#define CORE_PASSES 10 // see core_size()
#define CORE_MIN 64
#define NOT_IN_CORE UINT32_MAX

static const tlu_row *core_row(const struct linear_solver *p, size_t i)
{
    return p->work.core.rows ? &p->work.core.rows[i] : &p->rows[i].x;
}

// ---- the matrix ----

// Sorts the entries by feature, and adds up those of the same. Returns how many remain.
static size_t sort_entries(uint32_t *features, double *values, size_t count)
{
    size_t kept = 0;
    for (size_t e = 0; e < count; e++) {
        uint32_t feature = features[e];
        double value = values[e];
        size_t at = kept;
        while (at > 0 && features[at - 1] > feature)
            at--;
        if (at > 0 && features[at - 1] == feature) {
            values[at - 1] += value;
            continue;
        }
        memmove(features + at + 1, features + at, (kept - at) * sizeof *features);
        memmove(values + at + 1, values + at, (kept - at) * sizeof *values);
        features[at] = feature;
        values[at] = value;
        kept++;
    }
    return kept;
}

// Copies the entries of a row and the bias, in ascending order. Returns how many.
static size_t collect_entries(struct linear_core *core, const tlu_row *x, bool bias)
{
    size_t count = x->count;
    bool ascending = true;
    for (size_t e = 0; e < count; e++) {
        core->entry_features[e] = (uint32_t)linear_feature(x, e);
        core->entry_values[e] = linear_value(x, e);
        ascending &= e == 0 || core->entry_features[e - 1] < core->entry_features[e];
    }
    if (!ascending)
        count = sort_entries(core->entry_features, core->entry_values, count);
    if (bias) {
        core->entry_features[count] = (uint32_t)core->size - 1;
        core->entry_values[count++] = 1;
    }
    return count;
}

// Adds h x x^T to the lower triangle of the sums, TOGETHER of its rows at a time.
static void add_square(struct linear_core *core, const tlu_row *x, bool bias, double h)
{
    size_t count = collect_entries(core, x, bias), n = core->size, a = 0;
    const uint32_t *features = core->entry_features;
    const double *values = core->entry_values;
    for (; a + TOGETHER <= count; a += TOGETHER) {
        double *rows[TOGETHER], scaled[TOGETHER];
        for (size_t r = 0; r < TOGETHER; r++) {
            rows[r] = core->sums + features[a + r] * n;
            scaled[r] = h * values[a + r];
        }
        for (size_t b = 0; b <= a; b++)
            for (size_t r = 0; r < TOGETHER; r++)
                rows[r][features[b]] += scaled[r] * values[b];
        for (size_t r = 1; r < TOGETHER; r++)
            for (size_t b = a + 1; b <= a + r; b++)
                rows[r][features[b]] += scaled[r] * values[b];
    }
    for (; a < count; a++)
        for (size_t b = 0; b <= a; b++)
            core->sums[features[a] * n + features[b]] += h * values[a] * values[b];
}

// Whether the sums can do with the weight that they have for a row. What they neglect in all rows
// together is at most UNLIKE times the matrix, and its I.
static bool is_alike(const struct linear_solver *p, size_t i, double weight)
{
    double change = fabs(weight - p->work.core.entered[i]);
    return change <= UNLIKE * weight || change * p->rows[i].square * (double)p->count <= 1;
}

// Brings the sums up to date, by the rows whose weight has changed, or afresh if that is less work.
// False: stopped.
static bool find_sums(struct linear_solver *p, const double *weight)
{
    struct linear_core *core = &p->work.core;
    double changed = 0, all = 0;
    for (size_t i = 0; i < p->count; i++) {
        double squares = (double)core_row(p, i)->count * (double)core_row(p, i)->count;
        changed += is_alike(p, i, weight[i]) ? 0 : squares;
        all += weight[i] > 0 ? squares : 0;
    }
    bool afresh = changed >= all;
    size_t added = 0; // products since the caller was asked
    if (afresh)
        memset(core->sums, 0, core->size * core->size * sizeof *core->sums);
    for (size_t i = 0; i < p->count; i++) {
        double change = weight[i] - (afresh ? 0 : core->entered[i]);
        if (!afresh && is_alike(p, i, weight[i]))
            continue;
        const tlu_row *x = core_row(p, i);
        if (change != 0) {
            add_square(core, x, p->bias, change);
            added += x->count * x->count / 2 + 1;
        }
        core->entered[i] = weight[i];
        if (added > LOOK) {
            added = 0;
            if (p->stop && p->stop(p->context))
                return false;
        }
    }
    return true;
}

// ---- the factor ----

// a . b in eight partial sums
static double dot_dense(const double *a, const double *b, size_t count)
{
    double sums[8] = {0}, sum = 0;
    size_t k = 0;
    for (; k + 8 <= count; k += 8)
        for (size_t j = 0; j < 8; j++)
            sums[j] += a[k + j] * b[k + j];
    for (; k < count; k++)
        sum += a[k] * b[k];
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
           ((sums[1] + sums[5]) + (sums[3] + sums[7])) + sum;
}

// Cholesky's factorisation: matrix := L with L L^T = matrix. Every earlier row is read once for
// VECTOR_ROWS rows.
static void factorise(const struct vector_routines *routines, double *matrix, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double *row = matrix + i * n, products[VECTOR_ROWS];
        bool blocked = i % VECTOR_ROWS == 0 && i + VECTOR_ROWS <= n;
        for (size_t j = 0; blocked && j < i; j++) {
            const double *earlier = matrix + j * n;
            routines->dot_rows(row, n, earlier, j, products);
            for (size_t r = 0; r < VECTOR_ROWS; r++)
                row[r * n + j] = (row[r * n + j] - products[r]) / earlier[j];
        }
        for (size_t j = i < n - n % VECTOR_ROWS ? i - i % VECTOR_ROWS : 0; j < i; j++)
            row[j] = (row[j] - dot_dense(row, matrix + j * n, j)) / matrix[j * n + j];
        row[i] = sqrt(fmax(row[i] - dot_dense(row, row, i), 1e-9));
    }
}

bool linear_core_factorise(struct linear_solver *p, const double *weight)
{
    struct linear_core *core = &p->work.core;
    size_t n = core->size;
    if (!find_sums(p, weight))
        return false;
    memcpy(core->factor, core->sums, n * n * sizeof *core->factor);
    for (size_t k = 0; k < n; k++)
        core->factor[k * n + k] += k == n - 1 ? linear_share(p, p->features) : 1;
    factorise(p->routines, core->factor, n);
    return true;
}

void linear_core_solve(const struct linear_core *core, double *x)
{
    size_t n = core->size;
    const double *L = core->factor;
    for (size_t k = 0; k < n; k++)
        x[k] = (x[k] - dot_dense(L + k * n, x, k)) / L[k * n + k];
    for (size_t k = n; k-- > 0;) {
        x[k] /= L[k * n + k];
        for (size_t j = 0; j < k; j++)
            x[j] -= L[k * n + j] * x[k];
    }
}

// ---- the choice of features ----

// Features of the core if there are many: so many that a factorisation takes about as long as
// CORE_PASSES passes over the rows.
static size_t core_size(const struct linear_solver *p)
{
    double entries = 0;
    for (size_t i = 0; i < p->count; i++)
        entries += (double)p->rows[i].x.count;
    return (size_t)fmin(fmax(cbrt(3 * CORE_PASSES * entries), CORE_MIN), LINEAR_FEW + 1);
}

static int compare_descending(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first < second) - (first > second);
}

// Gives positions to the features with the largest sums of C x^2. False: out of memory.
static bool choose_core(struct linear_solver *p)
{
    struct linear_core *core = &p->work.core;
    double *sums = memory_new(p->features, 2 * sizeof *sums);
    core->position = memory_new(p->features, sizeof *core->position);
    if (!sums || !core->position) {
        memory_free(sums);
        return false;
    }
    double *sorted = sums + p->features;
    for (size_t i = 0; i < p->count; i++)
        for (size_t e = 0; e < p->rows[i].x.count; e++) {
            double value = linear_value(&p->rows[i].x, e);
            sums[linear_feature(&p->rows[i].x, e)] += p->rows[i].C * value * value;
        }
    memcpy(sorted, sums, p->features * sizeof *sums);
    qsort(sorted, p->features, sizeof *sorted, compare_descending);
    size_t places = core_size(p) - 1; // without the bias
    double least = sorted[places - 1];
    uint32_t next = 0;
    for (size_t f = 0; f < p->features; f++)
        places -= sums[f] > least; // features whose sum equals `least` take the other places
    for (size_t f = 0; f < p->features; f++) {
        bool equal = sums[f] == least && least > 0 && places > 0;
        places -= equal;
        core->position[f] = sums[f] > least || equal ? next++ : NOT_IN_CORE;
    }
    core->size = next + 1;
    memory_free(sums);
    return true;
}

// Copies the entries of the core. False: out of memory.
static bool copy_core(struct linear_solver *p)
{
    struct linear_core *core = &p->work.core;
    size_t entries = 0, at = 0;
    for (size_t i = 0; i < p->count; i++)
        for (size_t e = 0; e < p->rows[i].x.count; e++)
            entries += core->position[linear_feature(&p->rows[i].x, e)] != NOT_IN_CORE;
    if (!(core->rows = memory_new(p->count, sizeof *core->rows)) ||
        !(core->rest = memory_new(p->count, sizeof *core->rest)) ||
        !(core->positions = memory_new(entries, sizeof *core->positions)) ||
        !(core->values = memory_new(entries, sizeof *core->values)))
        return false;
    for (size_t i = 0; i < p->count; i++) {
        const tlu_row *x = &p->rows[i].x;
        core->rows[i].features = core->positions + at;
        core->rows[i].values = core->values + at;
        size_t first = at;
        for (size_t e = 0; e < x->count; e++) {
            uint32_t position = core->position[linear_feature(x, e)];
            double value = linear_value(x, e);
            if (position == NOT_IN_CORE) {
                core->rest[i] += value * value;
            } else {
                core->positions[at] = position;
                core->values[at++] = (float)value;
            }
        }
        core->rows[i].count = at - first;
    }
    return true;
}

static size_t longest_row(const struct linear_solver *p)
{
    size_t longest = 0;
    for (size_t i = 0; i < p->count; i++)
        longest = core_row(p, i)->count > longest ? core_row(p, i)->count : longest;
    return longest;
}

bool linear_core_prepare(struct linear_solver *p)
{
    struct linear_core *core = &p->work.core;
    core->size = p->features + 1;
    if (p->features > LINEAR_FEW && (!choose_core(p) || !copy_core(p)))
        return false;
    return (core->sums = memory_new(core->size * core->size, sizeof(double))) &&
           (core->factor = memory_new(core->size * core->size, sizeof(double))) &&
           (core->entered = memory_new(p->count, sizeof(double))) &&
           (core->entry_features = memory_new(longest_row(p) + 1, sizeof(uint32_t))) &&
           (core->entry_values = memory_new(longest_row(p) + 1, sizeof(double)));
}

void linear_core_free(struct linear_core *core)
{
    void *parts[] = {core->position,       core->rows,        core->positions, core->values,
                     core->rest,           core->sums,        core->factor,    core->entered,
                     core->entry_features, core->entry_values};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        memory_free(parts[i]);
}
