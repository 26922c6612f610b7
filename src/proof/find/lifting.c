// A contradiction from Clp's basis, for many features: solves the linear system
//
//     sum_c lambda_c (z_c, 1) = (0, ..., 0, 1)    over the cases c of the basis
//
// by p-adic lifting (Dixon 1982). With C the inverse modulo a prime p of a square submatrix A,
//
//     r := b;  repeat: x_i := C r mod p;  r := (r - A x_i) / p
//
// the sum of x_i p^i is lambda modulo increasing powers of p; rational reconstruction gives the
// fractions. The solution is checked on the whole system. If there is none, or some lambda is
// negative, find_exactly falls back to the simplex method.
#include "proof/built.h"
#ifdef TLU_PROVES
#include "base/memory.h"
#include "proof/exact.h"
#include "proof/task.h"

#include <assert.h>
#include <string.h>

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 wide_sum;

#define PRIME 2147483629u // below 2^31: products fit 64 bits
#define DIGITS_FIRST 16   // before the first reconstruction

struct lift {
    const struct separation_task *task;
    size_t k; // cases
    size_t m; // rows of the system: dims + 1
    const size_t *cases;
    int64_t *matrix;   // [m][k]
    uint32_t *reduced; // [m][k] the matrix modulo the prime, during elimination
    size_t *rows;      // [k] the independent ones
    uint32_t *inverse; // [k][k]
    wide_sum *rest;    // [k]
    uint32_t *digits;  // [digit_count][k]
    size_t digit_count, digit_capacity;
    mpz_t *lambda; // [k] times the denominator
    mpz_t power, denominator;
    unsigned negatives; // reconstructions that found a negative lambda
};

static uint32_t mod_power(uint64_t base, uint32_t exponent)
{
    uint64_t result = 1;
    for (; exponent; exponent /= 2) {
        if (exponent % 2)
            result = result * base % PRIME;
        base = base * base % PRIME;
    }
    return (uint32_t)result;
}

static uint32_t reduce(wide_sum value)
{
    int64_t rest = (int64_t)(value % (int64_t)PRIME);
    return (uint32_t)(rest < 0 ? rest + (int64_t)PRIME : rest);
}

// ---- the system ----

static bool fill(struct lift *l)
{
    const struct examples *examples = l->task->examples;
    for (size_t j = 0; j < l->k; j++) {
        size_t i = case_row(l->task, l->cases[j]);
        struct case_block parts[2];
        int count = case_parts(l->task, l->cases[j], parts);
        if (examples->large[i])
            return false;
        for (int p = 0; p < count; p++)
            for (size_t e = examples->offsets[i]; e < examples->offsets[i + 1]; e++)
                l->matrix[(parts[p].base + examples->columns[e]) * l->k + j] =
                    parts[p].sign * examples->whole[e];
        l->matrix[(l->m - 1) * l->k + j] = 1;
    }
    for (size_t i = 0; i < l->m * l->k; i++)
        l->reduced[i] = reduce(l->matrix[i]);
    return true;
}

static void subtract(uint32_t *from, const uint32_t *row, uint64_t factor, size_t count)
{
    for (size_t j = 0; j < count; j++)
        from[j] = (uint32_t)((from[j] + (PRIME - factor) * row[j]) % PRIME);
}

static void scale_row(uint32_t *row, uint64_t factor, size_t count)
{
    for (size_t j = 0; j < count; j++)
        row[j] = (uint32_t)(row[j] * factor % PRIME);
}

// Finds k independent rows, including the last of the system; false: there are fewer.
static bool choose_rows(struct lift *l)
{
    bool *used = exact_new(l->m, sizeof *used), found = true;
    for (size_t j = 0; j < l->k; j++) {
        size_t r = j == 0 ? l->m - 1 : 0;
        while (r < l->m && (used[r] || l->reduced[r * l->k + j] == 0))
            r++;
        found = r < l->m;
        if (!found)
            break;
        used[r] = true;
        l->rows[j] = r;
        uint32_t *row = l->reduced + r * l->k;
        scale_row(row, mod_power(row[j], PRIME - 2), l->k);
        for (size_t i = 0; i < l->m; i++)
            if (!used[i] && l->reduced[i * l->k + j])
                subtract(l->reduced + i * l->k, row, l->reduced[i * l->k + j], l->k);
    }
    memory_free(used);
    return found;
}

// The inverse of the chosen rows, by elimination beside a unit matrix: pairs[k][2 k]. They were
// chosen in an order in which the pivots are not 0. False: it is late.
static bool invert(struct lift *l)
{
    size_t k = l->k, wide = 2 * k;
    uint32_t *pairs = exact_new(k * wide, sizeof *pairs);
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j < k; j++)
            pairs[i * wide + j] = reduce(l->matrix[l->rows[i] * k + j]);
        pairs[i * wide + k + i] = 1;
    }
    for (size_t c = 0; c < k && !is_late(l->task->deadline); c++) {
        uint32_t *row = pairs + c * wide;
        assert(row[c] != 0);
        scale_row(row, mod_power(row[c], PRIME - 2), wide);
        for (size_t i = 0; i < k; i++)
            if (i != c && pairs[i * wide + c])
                subtract(pairs + i * wide, row, pairs[i * wide + c], wide);
    }
    for (size_t i = 0; i < k; i++)
        memcpy(l->inverse + i * k, pairs + i * wide + k, k * sizeof *pairs);
    memory_free(pairs);
    return !l->task->deadline->over;
}

// ---- lifting ----

static void add_digit(struct lift *l)
{
    size_t k = l->k;
    exact_reserve(&l->digits, &l->digit_capacity, (l->digit_count + 2) * k, sizeof *l->digits);
    uint32_t *digit = l->digits + l->digit_count * k, *rest = digit + k; // the next one's place
    for (size_t i = 0; i < k; i++)
        rest[i] = reduce(l->rest[i]);
    for (size_t i = 0; i < k; i++) {
        wide_sum sum = 0;
        for (size_t j = 0; j < k; j++)
            sum += (uint64_t)l->inverse[i * k + j] * rest[j];
        digit[i] = reduce(sum);
    }
    for (size_t i = 0; i < k; i++) {
        const int64_t *row = l->matrix + l->rows[i] * k;
        for (size_t j = 0; j < k; j++)
            l->rest[i] -= (wide_sum)row[j] * digit[j];
        l->rest[i] /= PRIME;
    }
    l->digit_count++;
}

// lambda_j modulo the power of the prime.
static void sum_digits(struct lift *l, size_t j, mpz_t out)
{
    mpz_set_ui(out, 0);
    for (size_t d = l->digit_count; d-- > 0;) {
        mpz_mul_ui(out, out, PRIME);
        mpz_add_ui(out, out, l->digits[d * l->k + j]);
    }
}

// Finds a / b = value modulo the power, with a and b of half its bits; *below := b. (Wang 1981)
static bool find_fraction(struct lift *l, const mpz_t value, mpz_t below)
{
    mpz_t a, b, x, y, quotient, limit;
    mpz_inits(a, b, x, y, quotient, limit, NULL);
    mpz_sqrt(limit, l->power);
    mpz_tdiv_q_2exp(limit, limit, 2);
    mpz_set(a, l->power);
    mpz_set(b, value);
    mpz_set_ui(y, 1); // b = value y and a = value x modulo the power
    while (mpz_cmp(b, limit) > 0) {
        mpz_tdiv_qr(quotient, a, a, b);
        mpz_submul(x, quotient, y);
        mpz_swap(a, b);
        mpz_swap(x, y);
    }
    mpz_abs(below, y);
    bool found = mpz_sgn(below) > 0 && mpz_cmp(below, limit) <= 0;
    mpz_clears(a, b, x, y, quotient, limit, NULL);
    return found;
}

// Computes lambda[] and the denominator from the digits; false: more digits are needed.
static bool reconstruct(struct lift *l)
{
    mpz_t half, bound, below;
    mpz_inits(half, bound, below, NULL);
    mpz_ui_pow_ui(l->power, PRIME, l->digit_count);
    mpz_tdiv_q_2exp(half, l->power, 1);
    mpz_set_ui(l->denominator, 1);
    bool found = true;
    for (size_t j = 0; found && j < l->k && !is_late(l->task->deadline); j++) {
        sum_digits(l, j, l->lambda[j]);
        mpz_mul(l->lambda[j], l->lambda[j], l->denominator);
        mpz_mod(l->lambda[j], l->lambda[j], l->power);
        mpz_tdiv_q_2exp(bound, half, mpz_sizeinbase(l->power, 2) / 4);
        if (mpz_cmp(l->lambda[j], bound) < 0) // an integer already
            continue;
        mpz_sub(below, l->power, l->lambda[j]);
        if (mpz_cmp(below, bound) < 0) { // negative: not a contradiction
            found = false;
            l->negatives++;
            break;
        }
        found = find_fraction(l, l->lambda[j], below);
        if (!found)
            break;
        mpz_mul(l->lambda[j], l->lambda[j], below);
        mpz_mod(l->lambda[j], l->lambda[j], l->power);
        for (size_t i = 0; i < j; i++)
            mpz_mul(l->lambda[i], l->lambda[i], below);
        mpz_mul(l->denominator, l->denominator, below);
    }
    mpz_clears(half, bound, below, NULL);
    return found && !is_late(l->task->deadline);
}

// Whether lambda solves the whole system.
static bool is_solution(const struct lift *l)
{
    bool solves = true;
    mpz_t sum;
    mpz_init(sum);
    for (size_t i = 0; solves && i < l->m; i++) {
        mpz_set_ui(sum, 0);
        for (size_t j = 0; j < l->k; j++)
            integer_add_product(sum, l->lambda[j], l->matrix[i * l->k + j]);
        solves = i + 1 < l->m ? mpz_sgn(sum) == 0 : mpz_cmp(sum, l->denominator) == 0;
    }
    mpz_clear(sum);
    return solves;
}

static void contradict(const struct lift *l, struct contradiction *c)
{
    contradiction_init(c, l->k);
    for (size_t j = 0; j < l->k; j++) {
        c->cases[j] = l->cases[j];
        mpz_set(c->lambda[j], l->lambda[j]);
    }
    contradiction_settle(l->task, c);
}

static enum finding lift(struct lift *l, struct certificate *found)
{
    size_t next = DIGITS_FIRST, most = 16 + 6 * l->k; // digits of 31 bits: entries have at most 62
    l->rest[0] = 1; // the first row that was chosen is the last of the system
    while (l->digit_count < most && l->negatives < 2 && !is_late(l->task->deadline)) {
        add_digit(l);
        if (l->digit_count < next)
            continue;
        next = next * 3 / 2;
        if (reconstruct(l) && is_solution(l)) {
            contradict(l, &found->contradiction);
            return FOUND_CONTRADICTION;
        }
    }
    return FOUND_NOTHING;
}

enum finding find_by_lifting(const struct separation_task *task, const size_t *basis, size_t count,
                             struct certificate *found)
{
    assert(basis || count == 0);
    struct lift l = {.task = task, .m = task->dims + 1, .cases = basis};
    while (l.k < count && basis[l.k] < task->cases)
        l.k++;
    if (l.k == 0)
        return FOUND_NOTHING;
    l.matrix = exact_new(l.m * l.k, sizeof *l.matrix);
    l.reduced = exact_new(l.m * l.k, sizeof *l.reduced);
    l.rows = exact_new(l.k, sizeof *l.rows);
    l.inverse = exact_new(l.k * l.k, sizeof *l.inverse);
    l.rest = exact_new(l.k, sizeof *l.rest);
    l.lambda = integers_new(l.k);
    mpz_inits(l.power, l.denominator, NULL);
    enum finding finding =
        fill(&l) && choose_rows(&l) && invert(&l) ? lift(&l, found) : FOUND_NOTHING;
    mpz_clears(l.power, l.denominator, NULL);
    integers_free(l.lambda, l.k);
    memory_free(l.matrix);
    memory_free(l.reduced);
    memory_free(l.rows);
    memory_free(l.inverse);
    memory_free(l.rest);
    memory_free(l.digits);
    return finding;
}
#else
enum finding find_by_lifting(const struct separation_task *task, const size_t *basis, size_t count,
                             struct certificate *found)
{
    (void)task, (void)basis, (void)count, (void)found;
    return FOUND_NOTHING;
}
#endif
#endif
