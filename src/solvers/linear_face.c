// Conjugate gradients for linear.c. Coordinate descent soon knows which alphas are at a bound, but
// is slow to find the others if rows are long or much alike. The rows whose alphas are strictly
// between the bounds are the face. But for the bounds, the dual is largest there at alpha + d,
// where d solves
//
//     (K + R) d = slope        K_ij = y_i y_j x_i . x_j        R_i = the dual's own curvature
//
// Rows of sparse data have little in common but frequent features, the core. So the preconditioner
// M has all products of x'_i, the parts of the rows in the core, but only the diagonal of the rest,
// D_i = R_i + |x_i|^2 - |x'_i|^2. By Woodbury's formula, with X' the matrix of the rows y_i x'_i,
//
//     M = D + X' X'^T
//     M^-1 = D^-1 - D^-1 X' (I + sum_i x'_i x'_i^T / D_i)^-1 X'^T D^-1
//
// The alphas then move towards alpha + d, within their bounds (More and Toraldo 1991), as far as
// the dual grows.
#include "base/memory.h"
#include "solvers/linear.h"

#include <math.h>
#include <string.h>

#define FIRST_TURNS 4 // of conjugate gradients; then more after a full step, else fewer
#define MAX_TURNS 100
#define MIN_TURNS 2
#define MORE 4        // factor after a full step
#define NEAR 1e-2     // relative residual at which conjugate gradients stop
#define DIAGONAL 1e-3 // D_i is at least this times |x_i|^2
#define TRIES 4       // lengths of the step
#define SHORTER 0.25  // factor between them

struct linear_face {
    size_t count;
    int turns;                          // at most, next time
    uint32_t *rows;                     // [count]
    double *weight;                     // [all rows] 1 / D_i, or 0 outside of the face
    double *d;                          // [count]
    double *rest, *direction, *product; // [count] conjugate gradients
    double *sum;                        // [features + 1]
    double *core;                       // [core.size]
};

static struct linear_row *row_of(const struct linear_solver *p, size_t k)
{
    return &p->rows[p->work.face->rows[k]];
}

// D_i
static double diagonal_of(const struct linear_solver *p, size_t i)
{
    const struct linear_row *row = &p->rows[i];
    double rest = p->work.core.rest ? p->work.core.rest[i] : 0;
    return linear_curvature(p, row) + fmax(rest, DIAGONAL * row->square);
}

static void find_face(struct linear_solver *p)
{
    struct linear_face *face = p->work.face;
    face->count = 0;
    for (size_t i = 0; i < p->count; i++) {
        const struct linear_row *row = &p->rows[i];
        bool is_free = row->square > 0 && row->alpha > 0 && row->alpha < linear_upper_bound(p, row);
        face->weight[i] = is_free ? 1 / diagonal_of(p, i) : 0;
        if (is_free)
            face->rows[face->count++] = (uint32_t)i;
    }
}

// sum := sum of amount_k y_k x_k
static void add_rows(const struct linear_solver *p, const double *amount, double *sum)
{
    memset(sum, 0, (p->features + 1) * sizeof *sum);
    for (size_t k = 0; k < p->work.face->count; k++) {
        const struct linear_row *row = row_of(p, k);
        linear_add(p, sum, &row->x, row->y * amount[k]);
    }
}

// product := (K + R) direction
static void multiply(struct linear_solver *p)
{
    struct linear_face *face = p->work.face;
    add_rows(p, face->direction, face->sum);
    for (size_t k = 0; k < face->count; k++) {
        const struct linear_row *row = row_of(p, k);
        face->product[k] = row->y * linear_score(p, face->sum, &row->x) +
                           linear_curvature(p, row) * face->direction[k];
    }
}

static const tlu_row *core_row(const struct linear_solver *p, uint32_t i)
{
    return p->work.core.rows ? &p->work.core.rows[i] : &p->rows[i].x;
}

// product := M^-1 rest
static void precondition(struct linear_solver *p)
{
    struct linear_face *face = p->work.face;
    const struct linear_core *core = &p->work.core;
    double *x = face->core, *bias = x + core->size - 1;
    memset(x, 0, core->size * sizeof *x);
    for (size_t k = 0; k < face->count; k++) {
        uint32_t i = face->rows[k];
        const tlu_row *row = core_row(p, i);
        face->product[k] = face->weight[i] * face->rest[k];
        double amount = p->rows[i].y * face->product[k];
        p->routines->add(x, row->features, row->values, row->count, amount);
        *bias += p->bias ? amount : 0;
    }
    linear_core_solve(core, x);
    for (size_t k = 0; k < face->count; k++) {
        uint32_t i = face->rows[k];
        const tlu_row *row = core_row(p, i);
        double score = p->routines->dot(x, row->features, row->values, row->count);
        score += p->bias ? *bias : 0;
        face->product[k] -= face->weight[i] * p->rows[i].y * score;
    }
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += a[k] * b[k];
    return sum;
}

// Sets d, approximately. Returns whether it is near the solution.
static bool solve(struct linear_solver *p)
{
    struct linear_face *face = p->work.face;
    double last = 0, first = 0;
    int turn = 0;
    bool near = false;
    memset(face->d, 0, face->count * sizeof *face->d);
    memset(face->direction, 0, face->count * sizeof *face->direction);
    for (size_t k = 0; k < face->count; k++) {
        const struct linear_row *row = row_of(p, k);
        face->rest[k] =
            1 - row->y * linear_score(p, p->w, &row->x) - linear_curvature(p, row) * row->alpha;
    }
    for (; turn < face->turns; turn++) {
        precondition(p);
        double length = dot(face->rest, face->product, face->count);
        if (turn == 0)
            first = length;
        near = !(length > NEAR * NEAR * first);
        if (near || (p->stop && p->stop(p->context)))
            break;
        for (size_t k = 0; k < face->count; k++)
            face->direction[k] =
                face->product[k] + (last > 0 ? length / last * face->direction[k] : 0);
        multiply(p);
        double curvature = dot(face->direction, face->product, face->count);
        if (!(curvature > 0))
            break;
        for (size_t k = 0; k < face->count; k++) {
            face->d[k] += length / curvature * face->direction[k];
            face->rest[k] -= length / curvature * face->product[k];
        }
        last = length;
    }
    p->work.visits += (uint64_t)(2 * turn + 1) * face->count;
    return near;
}

static double moved_alpha(const struct linear_solver *p, size_t k, double t)
{
    const struct linear_row *row = row_of(p, k);
    return fmin(fmax(row->alpha + t * p->work.face->d[k], 0), linear_upper_bound(p, row));
}

// Moves the alphas by t d, within their bounds, if that makes the dual grow.
static bool move(struct linear_solver *p, double t)
{
    struct linear_face *face = p->work.face;
    double growth = 0;
    for (size_t k = 0; k < face->count; k++) {
        const struct linear_row *row = row_of(p, k);
        double alpha = moved_alpha(p, k, t);
        face->rest[k] = alpha - row->alpha;
        growth += linear_dual_term(p, row, alpha) - linear_dual_term(p, row, row->alpha);
    }
    add_rows(p, face->rest, face->sum);
    for (size_t f = 0; f <= p->features; f++)
        growth -= face->sum[f] * (p->w[f] + face->sum[f] / 2);
    p->work.visits += face->count;
    if (!(growth > 0))
        return false;
    for (size_t k = 0; k < face->count; k++)
        row_of(p, k)->alpha = moved_alpha(p, k, t);
    for (size_t f = 0; f <= p->features; f++)
        p->w[f] += face->sum[f];
    return true;
}

static bool allocate(struct linear_solver *p)
{
    struct linear_face *face = p->work.face = memory_new(1, sizeof *face);
    if (face)
        face->turns = FIRST_TURNS;
    return face && linear_core_prepare(p) &&
           (face->rows = memory_new(p->count, sizeof *face->rows)) &&
           (face->weight = memory_new(p->count, sizeof(double))) &&
           (face->rest = memory_new(p->count, sizeof(double))) &&
           (face->direction = memory_new(p->count, sizeof(double))) &&
           (face->product = memory_new(p->count, sizeof(double))) &&
           (face->d = memory_new(p->count, sizeof(double))) &&
           (face->sum = memory_new(p->features + 1, sizeof(double))) &&
           (face->core = memory_new(p->work.core.size, sizeof(double)));
}

void linear_face_free(struct linear_solver *p)
{
    struct linear_face *face = p->work.face;
    if (!face)
        return;
    void *parts[] = {face->rows, face->weight, face->rest, face->direction, face->product, face->d,
                     face->sum,  face->core,   face};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        memory_free(parts[i]);
}

bool linear_face(struct linear_solver *p, bool *grew, bool *settled)
{
    *grew = *settled = false;
    if (!p->work.face && !allocate(p))
        return false;
    struct linear_face *face = p->work.face;
    find_face(p);
    if (face->count == 0 || !linear_core_factorise(p, face->weight))
        return true;
    bool near = solve(p), full = *grew = move(p, 1);
    *settled = near && full;
    double t = SHORTER;
    for (int tries = 1; tries < TRIES && !*grew; tries++, t *= SHORTER)
        *grew = move(p, t);
    int turns = full ? MORE * face->turns : face->turns / 2;
    face->turns = turns > MAX_TURNS ? MAX_TURNS : turns < MIN_TURNS ? MIN_TURNS : turns;
    return true;
}
