// The perceptron game of the Cohen notes (section 3.2). A gives an example x with |x|^2 < R; B, who
// has v_0 = 0, predicts sign(v_k . x), with sign(0) = +1; A gives the label y. At a mistake
// v_{k+1} = v_k + y x. All examples of A must have y (u . x) > gamma for one u of length 1. Then
// k gamma <= v_k . u <= |v_k| and |v_k|^2 <= k R, so that k < R / gamma^2.
//
// Whether such a u exists: the largest margin of the examples so far is the distance of the origin
// from the convex hull of all y x. We approximate the nearest point p of the hull by the steps of
// Mitchell, Dem'yanov and Malozemov (1974), which move weight from the point farthest along p to
// the one least far along p. |p| bounds the margin from above, the least p . z / |p| from below.
//
// The adversary keeps v . x at 0, where B predicts +1, and gives the label -1. So |v_k|^2 grows by
// nearly R and v_k . u by little more than gamma, the slowest growth possible. In three dimensions
// such an x exists as long as k + 1 <= R / gamma^2: x = -(g u + a p + b q), with p the direction of
// the component of v orthogonal to u, and q orthogonal to both.
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "base/settings.h"
#include "numeric/number.h"
#include "tlu_proof.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define STEPS_MAX 200000

struct tlu_game {
    double gamma, radius, bound; // bound: on the mistakes
    size_t dimension, count, capacity, alpha_capacity;
    bool declared;   // u was given
    double *points;  // [count][dimension] y x
    double *alpha;   // [count] weights of the point p
    double *vectors; // [5][dimension] v, u, the offered example, and two scratch vectors
    int offered;     // B's prediction of the offered example; 0: there is none
    tlu_game_state state;
};

enum { V, U, X, P, Q, VECTORS };

static double *vector(const tlu_game *game, size_t which)
{
    return game->vectors + which * game->dimension;
}

static double dot(const tlu_game *game, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < game->dimension; i++)
        sum += a[i] * b[i];
    return sum;
}

// a += factor b
static void add(const tlu_game *game, double *a, double factor, const double *b)
{
    for (size_t i = 0; i < game->dimension; i++)
        a[i] += factor * b[i];
}

static void clear(const tlu_game *game, double *a)
{
    for (size_t i = 0; i < game->dimension; i++)
        a[i] = 0;
}

// ---- the rule of the margin

// One step: moves weight from the farthest point to the least far one; *least := p . z of the
// latter.
static void move_weight(tlu_game *game, double *p, double *least)
{
    size_t n = game->dimension, low = 0, high = SIZE_MAX;
    double highest = -INFINITY;
    *least = INFINITY;
    for (size_t i = 0; i < game->count; i++) {
        double along = dot(game, p, game->points + i * n);
        if (along < *least) {
            *least = along;
            low = i;
        }
        if (game->alpha[i] > 0 && along > highest) {
            highest = along;
            high = i;
        }
    }
    const double *to = game->points + low * n, *from = game->points + high * n;
    double square = 0;
    for (size_t i = 0; i < n; i++)
        square += (to[i] - from[i]) * (to[i] - from[i]);
    if (square == 0 || highest <= *least)
        return;
    double step = fmin(game->alpha[high], (highest - *least) / square);
    game->alpha[high] = step == game->alpha[high] ? 0 : game->alpha[high] - step;
    game->alpha[low] += step;
    add(game, p, step, to);
    add(game, p, -step, from);
}

// Whether some u has the margin on all points; vector U is then set to it.
static bool fits(tlu_game *game)
{
    double *p = vector(game, P), least;
    clear(game, p);
    for (size_t i = 0; i < game->count; i++)
        add(game, p, game->alpha[i], game->points + i * game->dimension);
    for (size_t step = 0; step < STEPS_MAX; step++) {
        double length = sqrt(dot(game, p, p));
        if (length <= game->gamma)
            return false;
        for (size_t i = 0; i < game->dimension; i++)
            vector(game, Q)[i] = p[i] / length;
        move_weight(game, p, &least);
        if (least / length > game->gamma) {
            memcpy(vector(game, U), vector(game, Q), game->dimension * sizeof *p);
            game->state.margin = least / length;
            return true;
        }
    }
    return false;
}

// Removes the last point and its weight.
static void drop_point(tlu_game *game)
{
    double lost = game->alpha[--game->count], rest = 1 - lost;
    for (size_t i = 0; i < game->count && rest > 0; i++)
        game->alpha[i] /= rest;
    if (rest <= 0 && game->count)
        game->alpha[0] = 1;
}

static tlu_status add_point(tlu_game *game, int label, tlu_error *error)
{
    size_t n = game->dimension;
    if (!memory_reserve(&game->points, &game->capacity, (game->count + 1) * n, sizeof(double)) ||
        !memory_reserve(&game->alpha, &game->alpha_capacity, game->count + 1, sizeof(double)))
        return error_memory(error);
    for (size_t i = 0; i < n; i++)
        game->points[game->count * n + i] = label * vector(game, X)[i];
    game->alpha[game->count] = game->count == 0;
    game->count++;
    return TLU_OK;
}

// For a message: nine digits, or all of them if nine would look equal to the limit.
static void print_beside(char out[32], double value, double limit)
{
    char shown[32];
    snprintf(out, 32, "%.9g", value == 0 ? 0 : value);
    snprintf(shown, sizeof shown, "%.9g", limit);
    if (strcmp(out, shown) == 0)
        number_print(out, value);
}

static tlu_status check_margin(tlu_game *game, int label, tlu_error *error)
{
    double along = label * dot(game, vector(game, U), vector(game, X));
    char found[32], gamma[32];
    print_beside(found, along, game->gamma);
    number_print(gamma, game->gamma);
    if (game->declared)
        return along > game->gamma
                   ? TLU_OK
                   : error_input(error,
                                 "y (u . x) is %s with this label, and must be above gamma, %s",
                                 found, gamma);
    TRY(add_point(game, label, error));
    if (fits(game))
        return TLU_OK;
    drop_point(game);
    return error_input(error,
                       "no u of length 1 has y (u . x) above gamma, %s, for this example and those "
                       "before it",
                       gamma);
}

// ---- the game

// The largest integer below R / gamma^2, which the mistakes cannot reach. 0.2 is not a double: the
// computed 1 / 0.2^2 is slightly below 25. So a quotient within the rounding error of gamma
// (twice), R and the two operations of an integer is taken to be that integer.
static double most_mistakes(double radius, double gamma)
{
    double bound = radius / (gamma * gamma), whole = round(bound);
    return fabs(bound - whole) <= 4 * DBL_EPSILON * whole ? whole - 1 : ceil(bound) - 1;
}

static tlu_status take_rules(tlu_game *game, const tlu_game_rules *rules, tlu_error *error)
{
    double length = 0;
    if (!(rules->gamma > 0) || !(rules->radius > 0) || !isfinite(rules->radius / rules->gamma))
        return error_input(error, "gamma and R must be above 0");
    game->gamma = rules->gamma;
    game->radius = rules->radius;
    game->bound = most_mistakes(rules->radius, rules->gamma);
    if (!(game->bound >= 1 && game->bound <= 1e9))
        return error_input(error,
                           "R / gamma^2 is %g, and must be above 1 (an example with |x|^2 < R "
                           "cannot have u . x > gamma otherwise) and not above 1e9",
                           rules->radius / (rules->gamma * rules->gamma));
    game->dimension = rules->dimension;
    game->vectors = memory_new(VECTORS * rules->dimension, sizeof(double));
    TRY(enough_memory(game->vectors != NULL, error));
    game->declared = rules->u != NULL;
    for (size_t i = 0; rules->u && i < rules->dimension; i++)
        length += rules->u[i] * rules->u[i];
    if (rules->u && !(length > 0 && isfinite(length)))
        return error_input(error, "u must have a length");
    for (size_t i = 0; rules->u && i < rules->dimension; i++)
        vector(game, U)[i] = rules->u[i] / sqrt(length);
    return TLU_OK;
}

tlu_status tlu_game_new(const tlu_game_rules *given, tlu_game **game, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_game_rules rules;
    *game = NULL;
    TRY(settings_take(&rules, sizeof rules, given, "tlu_game_rules", error));
    if (rules.dimension == 0 || rules.dimension > 1000000)
        return error_input(error, "an example has from 1 to 1000000 numbers");
    struct tlu_game *own = memory_new(1, sizeof *own);
    TRY(enough_memory(own != NULL, error));
    tlu_status status = take_rules(own, &rules, error);
    if (status != TLU_OK) {
        tlu_game_free(own);
        return status;
    }
    *game = own;
    return TLU_OK;
}

void tlu_game_free(tlu_game *game)
{
    if (!game)
        return;
    memory_free(game->points);
    memory_free(game->alpha);
    memory_free(game->vectors);
    memory_free(game);
}

tlu_status tlu_game_offer(tlu_game *game, const double *x, int *prediction, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    game->offered = 0;
    TRY(check_given(x != NULL, "example", error));
    double square = dot(game, x, x);
    char found[32], radius[32];
    print_beside(found, square, game->radius);
    number_print(radius, game->radius);
    if (!(square < game->radius))
        return error_input(error, "|x|^2 is %s, and must be below R, %s", found, radius);
    memcpy(vector(game, X), x, game->dimension * sizeof *x);
    *prediction = game->offered = dot(game, vector(game, V), x) >= 0 ? 1 : -1;
    return TLU_OK;
}

tlu_status tlu_game_label(tlu_game *game, int label, int *mistake, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    if (!game->offered)
        return error_input(error, "no example waits for its label");
    if (label != 1 && label != -1)
        return error_input(error, "a label is +1 or -1");
    TRY(check_margin(game, label, error));
    *mistake = label != game->offered;
    game->offered = 0;
    game->state.rounds++;
    game->state.mistakes += (uint64_t)*mistake;
    if (*mistake)
        add(game, vector(game, V), label, vector(game, X));
    return TLU_OK;
}

const tlu_game_state *tlu_game_get_state(tlu_game *game)
{
    FP_ENV_DEFAULT(caller);
    tlu_game_state *state = &game->state;
    state->dimension = game->dimension;
    state->mistakes_max = (uint64_t)game->bound;
    state->v = vector(game, V);
    state->u = game->declared || state->rounds ? vector(game, U) : NULL;
    state->v_dot_u = state->u ? dot(game, state->v, state->u) : 0;
    state->v_squared = dot(game, state->v, state->v);
    state->v_dot_u_min = (double)state->mistakes * game->gamma;
    state->v_squared_max = (double)state->mistakes * game->radius;
    return state;
}

// ---- the adversary

// A unit vector q orthogonal to u and, if not NULL, to p; false: there is none.
static bool across(const tlu_game *game, const double *u, const double *p, double *q)
{
    size_t axis = 0;
    double least = INFINITY;
    for (size_t i = 0; i < game->dimension; i++) {
        double part = u[i] * u[i] + (p ? p[i] * p[i] : 0);
        if (part < least) {
            least = part;
            axis = i;
        }
    }
    if (game->dimension < (p ? 3 : 2))
        return false;
    clear(game, q);
    q[axis] = 1;
    for (int twice = 0; twice < 2; twice++) { // twice, because of rounding
        add(game, q, -dot(game, q, u), u);
        if (p)
            add(game, q, -dot(game, q, p), p);
        double length = sqrt(dot(game, q, q));
        for (size_t i = 0; i < game->dimension; i++)
            q[i] /= length;
    }
    return true;
}

// z := g u - a p + b q with |z|^2 = r and v . z slightly below 0; false: impossible. p is the
// direction of the component of v orthogonal to u. In two dimensions there is no q: v alternates
// between the sides of u.
static bool find_example(tlu_game *game, double g, double r, double *z)
{
    const double *v = vector(game, V), *u = vector(game, U);
    double *p = vector(game, P), *q = vector(game, Q);
    double along = dot(game, v, u), width = sqrt(r - g * g), a = 0, b = width;
    clear(game, z);
    add(game, z, g, u);
    if (game->dimension == 1)
        return game->state.mistakes == 0;
    clear(game, p);
    add(game, p, 1, v);
    add(game, p, -along, u);
    double length = sqrt(dot(game, p, p));
    if (game->state.mistakes == 0) {
        across(game, u, NULL, q);
        add(game, z, game->dimension == 2 ? width / 2 : width, q);
        return true;
    }
    for (size_t i = 0; i < game->dimension; i++)
        p[i] /= length;
    a = (g * along + 1e-13 * (r + dot(game, v, v))) / length;
    if (!(a <= width))
        return false;
    b = across(game, u, p, q) ? sqrt(width * width - a * a) : 0;
    if (game->dimension == 2)
        a = width;
    add(game, z, -a, p);
    if (b > 0)
        add(game, z, b, q);
    return true;
}

tlu_status tlu_game_attack(tlu_game *game, double *x, int *label, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    double bound = game->radius / (game->gamma * game->gamma);
    *label = 0;
    if (!game->declared && game->state.rounds)
        return error_input(error, "an adversary plays from the start, or with a u that is given");
    if (!game->declared) {
        vector(game, U)[0] = 1;
        game->declared = true;
    }
    // The slack is divided evenly among the two rules and the gap between them.
    double spare = cbrt(bound / game->bound);
    if (!find_example(game, game->gamma * sqrt(spare), game->radius / spare, vector(game, X)))
        return TLU_OK;
    for (size_t i = 0; i < game->dimension; i++)
        x[i] = 0 - vector(game, X)[i];
    *label = -1;
    return TLU_OK;
}
