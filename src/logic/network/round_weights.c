// Searches for the scale of the weights: for a number of bits, tries the largest scale that fits,
// and some around it, on the rows. A larger scale clips the largest weights, which may cost less
// than coarse steps for all others.
#include "logic/network/from_model.h"

#include "base/error.h"
#include "base/memory.h"
#include "logic/integers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_DOWN 8 // scales below the largest that fits, by factors of 2^(1/8)
#define STEPS_UP 16  // and above, with clipped weights
#define SCALE_STEP 8.0
#define TOTAL_MAX ((double)((int64_t)1 << 60)) // limit of the sum of |weights| and of the threshold

void rounded_free(struct rounded *rounded)
{
    memory_free(rounded->w);
    memory_free(rounded->threshold);
}

static bool rounded_new(struct rounded *rounded, const struct model_planes *planes)
{
    *rounded = (struct rounded){.differences = UINT64_MAX};
    if (planes->columns && planes->features >= SIZE_MAX / planes->columns)
        return false;
    rounded->w = memory_new(planes->features * planes->columns + 1, sizeof *rounded->w);
    rounded->threshold = memory_new(planes->columns + 1, sizeof *rounded->threshold);
    return rounded->w && rounded->threshold;
}

int64_t bias_threshold(double scale, double bias_j, double bias_k)
{
    return (int64_t)ceil(scale * bias_k - scale * bias_j);
}

static bool has_own_thresholds(const struct model_planes *planes)
{
    return planes->scheme == SCHEME_TWO || planes->scheme == SCHEME_OVO;
}

// If classes are compared, adding a constant to a feature's weights of all classes changes nothing:
// the least becomes 0, so that no difference exceeds the limit.
static double shift_of(const struct model_planes *planes, size_t feature)
{
    const double *w = &planes->w[feature * planes->columns];
    double least = w[0];
    if (has_own_thresholds(planes))
        return 0;
    for (size_t c = 1; c < planes->columns; c++)
        least = fmin(least, w[c]);
    return least;
}

static void round_at(const struct model_planes *planes, double scale, double limit,
                     struct rounded *rounded)
{
    size_t columns = planes->columns;
    rounded->scale = scale;
    rounded->exact = true;
    for (size_t f = 0; f < planes->features; f++) {
        double shift = shift_of(planes, f);
        for (size_t c = 0; c < columns; c++) {
            double wanted = scale * (planes->w[f * columns + c] - shift), near = rint(wanted);
            near = near > limit ? limit : near < -limit ? -limit : near;
            rounded->exact = rounded->exact && near == wanted;
            rounded->w[f * columns + c] = (int64_t)near;
        }
    }
    for (size_t c = 0; c < columns && has_own_thresholds(planes); c++)
        rounded->threshold[c] = bias_threshold(scale, planes->bias[c], 0);
}

// ---- predictions of the rounded weights ----

static void row_sums(const struct model_planes *planes, const struct rounded *rounded,
                     const struct binary_rows *rows, size_t row, int64_t *sums)
{
    size_t columns = planes->columns;
    memset(sums, 0, columns * sizeof *sums);
    for (size_t j = row ? rows->end[row - 1] : 0; j < rows->end[row]; j++) {
        const int64_t *w = &rounded->w[rows->features[j] * columns];
        for (size_t c = 0; c < columns; c++)
            sums[c] += w[c];
    }
}

static uint32_t elect_highest(const struct model_planes *planes, const struct rounded *rounded,
                              const int64_t *sums)
{
    uint32_t winner = 0;
    for (uint32_t j = 1; j < planes->classes; j++)
        if (sums[winner] - sums[j] <
            bias_threshold(rounded->scale, planes->bias[winner], planes->bias[j]))
            winner = j;
    return winner;
}

// As in the model: by votes, then by the sum of the scores, then by order.
static uint32_t elect_by_pairs(const struct model_planes *planes, const struct rounded *rounded,
                               const int64_t *sums)
{
    uint32_t winner = 0, most = 0;
    double best = 0;
    for (uint32_t c = 0; c < planes->classes; c++) {
        uint32_t votes = 0;
        double total = 0;
        for (uint32_t j = 0; j < planes->classes; j++) {
            if (j == c)
                continue;
            uint32_t pair = scheme_pair(c, j);
            bool later = sums[pair] >= rounded->threshold[pair];
            double score = (double)sums[pair] + rounded->scale * planes->bias[pair];
            votes += c > j ? later : !later;
            total += c > j ? score : -score;
        }
        if (c == 0 || votes > most || (votes == most && total > best)) {
            winner = c;
            most = votes;
            best = total;
        }
    }
    return winner;
}

// Counts the rows with another prediction, up to `most`.
static uint64_t count_wrong(const struct model_planes *planes, const struct rounded *rounded,
                            const struct binary_rows *rows, int64_t *sums, uint64_t most)
{
    uint64_t wrong = 0;
    for (size_t i = 0; i < rows->count && wrong < most; i++) {
        row_sums(planes, rounded, rows, i, sums);
        uint32_t said = planes->scheme == SCHEME_OVO ? elect_by_pairs(planes, rounded, sums)
                                                     : elect_highest(planes, rounded, sums);
        wrong += said != rows->said[i];
    }
    return wrong;
}

// ---- two classes: the best threshold for the weights ----

struct row_sum {
    int64_t sum;
    bool positive;
};

static int compare_row_sums(const void *a, const void *b)
{
    int64_t x = ((const struct row_sum *)a)->sum, y = ((const struct row_sum *)b)->sum;
    return (x > y) - (x < y);
}

// Sets the threshold with the fewest wrong rows that is nearest to the rounded one.
static uint64_t best_threshold(const struct model_planes *planes, struct rounded *rounded,
                               const struct binary_rows *rows, struct row_sum *row_sum)
{
    uint64_t wrong = 0, least = UINT64_MAX;
    int64_t wanted = rounded->threshold[0], best = wanted, sum;
    for (size_t i = 0; i < rows->count; i++) {
        row_sums(planes, rounded, rows, i, &sum);
        row_sum[i] = (struct row_sum){sum, rows->said[i] == planes->positive};
        wrong += !row_sum[i].positive; // if all fire
    }
    qsort(row_sum, rows->count, sizeof *row_sum, compare_row_sums);
    for (size_t i = 0; i <= rows->count; i++) {
        // All thresholds between the sums of two rows are equivalent: take the one nearest to the
        // rounded.
        if (i == 0 || i == rows->count || row_sum[i].sum != row_sum[i - 1].sum) {
            int64_t low = i ? row_sum[i - 1].sum + 1 : INT64_MIN;
            int64_t high = i < rows->count ? row_sum[i].sum : INT64_MAX;
            int64_t here = wanted < low ? low : wanted > high ? high : wanted;
            bool nearer = llabs(here - wanted) < llabs(best - wanted);
            if (wrong < least || (wrong == least && nearer)) {
                least = wrong;
                best = here;
            }
        }
        if (i < rows->count)
            wrong = row_sum[i].positive ? wrong + 1 : wrong - 1;
    }
    rounded->threshold[0] = best;
    return least;
}

// ---- the search ----

struct rounding_search {
    const struct model_planes *planes;
    const struct binary_rows *rows;
    struct rounded *best;
    struct rounded tried;
    int64_t *sums;           // [columns]
    struct row_sum *row_sum; // [rows]
};

// Whether no sum can overflow, whatever the rows.
static bool fits(const struct model_planes *planes, double scale, double limit)
{
    double largest = fmin(scale * planes->largest, limit);
    double bias = 0;
    for (size_t c = 0; c < planes->columns; c++)
        bias = fmax(bias, fabs(scale * planes->bias[c]));
    double classes = planes->scheme == SCHEME_OVO ? 4.0 * planes->classes * planes->classes : 2;
    return classes * ((double)planes->features * largest + bias + 1) < TOTAL_MAX;
}

static void try_scale(struct rounding_search *search, double scale, double limit)
{
    struct rounded *tried = &search->tried, *best = search->best;
    if (!isfinite(scale) || !fits(search->planes, scale, limit))
        return;
    round_at(search->planes, scale, limit, tried);
    if (search->rows->count == 0)
        tried->differences = 0;
    else if (search->planes->scheme == SCHEME_TWO)
        tried->differences = best_threshold(search->planes, tried, search->rows, search->row_sum);
    else
        tried->differences =
            count_wrong(search->planes, tried, search->rows, search->sums, best->differences);
    if (tried->differences >= best->differences)
        return;
    struct rounded former = *best;
    *best = *tried;
    *tried = former;
}

// The power of two at which all weights are integers; may be infinite.
static double exact_scale(const struct model_planes *planes)
{
    int least = INT32_MAX;
    for (size_t i = 0; i < planes->features * planes->columns; i++) {
        int exponent;
        double part = frexp(planes->w[i], &exponent);
        if (part == 0)
            continue;
        int64_t digits = (int64_t)ldexp(part, 53);
        least = exponent - 53 + __builtin_ctzll((uint64_t)digits) < least
                    ? exponent - 53 + __builtin_ctzll((uint64_t)digits)
                    : least;
    }
    return least == INT32_MAX ? 1 : ldexp(1, -least);
}

static void try_bits(struct rounding_search *search, unsigned bits)
{
    const struct model_planes *planes = search->planes;
    double limit = ldexp(1, (int)bits - 1) - 1, exact = exact_scale(planes);
    double largest = planes->largest > 0 ? planes->largest : 1;
    if (exact * planes->largest <= limit)
        try_scale(search, exact, limit);
    if (search->best->exact && search->best->differences == 0)
        return;
    // The largest weight may round to `limit` from above.
    double most = (limit + 0.25) / largest;
    try_scale(search, most, limit);
    if (search->rows->count == 0)
        return;
    for (int i = 1; i <= STEPS_DOWN; i++)
        try_scale(search, most * exp2(-i / SCALE_STEP), limit);
    for (int i = 1; i <= STEPS_UP && has_own_thresholds(planes); i++)
        try_scale(search, most * exp2(i / SCALE_STEP), limit);
}

static tlu_status search_all(struct rounding_search *search, unsigned bits, tlu_error *error)
{
    const struct model_planes *planes = search->planes;
    if (bits) {
        try_bits(search, bits);
    } else if (search->rows->count) {
        for (unsigned b = BITS_MIN; b <= BITS_MAX && search->best->differences; b++)
            try_bits(search, b);
    } else {
        try_scale(search, exact_scale(planes), HUGE_VAL);
        if (search->best->differences)
            return error_input(error,
                               "the weights of this model have too many digits to be whole numbers "
                               "exactly; --bits N rounds them, or data tells how many bits are "
                               "enough");
    }
    if (search->best->differences == UINT64_MAX)
        return error_input(error, "the weights of this model do not fit: they or the bias are too "
                                  "far apart");
    return TLU_OK;
}

// Divides weights and thresholds by the common divisor.
static void reduce(const struct model_planes *planes, struct rounded *rounded)
{
    int64_t common = 0;
    size_t count = planes->features * planes->columns;
    for (size_t i = 0; i < count; i++)
        common = greatest_common_divisor(rounded->w[i], common);
    if (common < 2)
        return;
    for (size_t i = 0; i < count; i++)
        rounded->w[i] /= common;
    for (size_t c = 0; c < planes->columns; c++) { // rounded up
        int64_t t = rounded->threshold[c];
        rounded->threshold[c] = t / common + (t % common > 0);
    }
    rounded->scale /= (double)common;
}

tlu_status planes_round(const struct model_planes *planes, const struct binary_rows *rows,
                        unsigned bits, struct rounded *best, tlu_error *error)
{
    struct rounding_search search = {.planes = planes, .rows = rows, .best = best};
    bool enough = rounded_new(best, planes);
    enough = rounded_new(&search.tried, planes) && enough;
    search.sums = memory_new(planes->columns + 1, sizeof *search.sums);
    search.row_sum = memory_new(rows->count + 1, sizeof *search.row_sum);
    tlu_status status = enough_memory(enough && search.sums && search.row_sum, error);
    if (status == TLU_OK)
        status = search_all(&search, bits, error);
    if (status == TLU_OK)
        reduce(planes, best);
    rounded_free(&search.tried);
    memory_free(search.sums);
    memory_free(search.row_sum);
    return status;
}
