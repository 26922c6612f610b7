// The checker of proofs: whether what a proof says about a data set follows (docs/proof-format.md).
//
// It believes neither. claim.c reads the proof; here each row of the data is scored by its weights
// and, if the proof cites it, added up with its coefficient. All numbers are whole (GMP): the
// decimals of the data times 10^digits. The first thing that does not follow ends the check, by a
// jump. Nothing of this is shared with what writes proofs or reads data elsewhere: of the library
// the checker uses the allocator and the messages alone, and it has a reader of data of its own
// (plain.h).
#include "base/memory.h"
#include "base/settings.h"

#ifdef TLU_HAVE_GMP
#include "prove/check/claim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BUCKETS_LEAST = 64, BUCKETS_MOST = 1 << 20 };

// ---- the data

// What a feature of the row, whose value is given, adds to scores and sums.
static void add_entry(struct checker *c, const char *front, const char *text, mpz_t value)
{
    const struct claim *claim = &c->claim;
    char name[80];
    struct name *weight;
    for (unsigned long k = 1; k <= (claim->classes > 2 ? claim->classes : 1); k++) {
        snprintf(name, sizeof name, "W%lu %s", k, front);
        if ((weight = find_name(c, name, text, false)) != NULL)
            mpz_addmul(c->scores[k], weight->n, value);
    }
    for (size_t i = claim->here; i < claim->count && claim->cited[i].line == c->line; i++) {
        const struct citation *row = &claim->cited[i];
        snprintf(name, sizeof name, "S%lu %lu %s", row->set, row->own, front);
        mpz_addmul(find_name(c, name, text, true)->n, row->coefficient, value);
        snprintf(name, sizeof name, "S%lu %lu %s", row->set, row->against, front);
        mpz_submul(find_name(c, name, text, true)->n, row->coefficient, value);
    }
}

static void check_row(struct checker *c, struct name *label)
{
    struct claim *claim = &c->claim;
    unsigned long own = label->class_index;
    bool right = true;
    label->seen = 1;
    for (unsigned long k = 1; k <= claim->classes; k++)
        mpz_set_ui(c->scores[k], 0);
    for (size_t i = 0; i < c->data.count; i++)
        add_entry(c, c->data.entries[i].front, c->data.entries[i].text, c->data.entries[i].value);
    if (claim->bias)
        add_entry(c, "", "", c->n.one);
    for (; claim->here < claim->count && claim->cited[claim->here].line == c->line; claim->here++)
        need(c, claim->cited[claim->here].own == own, "the proof has another class for it", "");
    if (own == 0)
        return;
    need(c, !c->data.too_long, "more digits after the point than the proof says: ",
         c->data.too_long ? c->data.too_long : "");
    for (unsigned long k = 1; k <= claim->classes; k++)
        right &= k == own || mpz_cmp(c->scores[own], c->scores[k]) > 0;
    need(c, right || claim->kind != 's', "the weights do not put this row on its side", "");
    if (c->found.rows++ == 0 || mpz_cmpabs(c->scores[1], c->n.least) < 0)
        mpz_set(c->n.least, c->scores[1]);
    c->found.mistakes += !right;
}

static void check_rows(struct checker *c)
{
    c->in_data = true;
    while (plain_next(&c->data)) {
        struct name *label = find_name(c, "L", c->data.label, false);
        c->line = c->data.line;
        need(c, label || c->data.header, "the proof does not have the label ", c->data.label);
        if (c->data.header)
            need(c, !label || !c->data.example, "the header would be an example", "");
        else
            check_row(c, label);
        c->data.header = false;
    }
    c->line = c->data.line;
    c->no_memory = c->data.no_memory;
    need(c, !c->data.problem, c->data.problem, c->data.problem ? c->data.found : "");
    c->in_data = false;
}

// ---- what follows

// The square of a margin, a / (b 10^digits^2), must be the one that the proof has; its root.
static double must_follow(struct checker *c, unsigned long line, const char *text, mpz_t a, mpz_t b)
{
    mpq_t found, given;
    mpq_inits(found, given, NULL);
    mpz_mul(c->n.read, c->n.one, c->n.one);
    mpz_mul(mpq_denref(found), b, c->n.read);
    mpz_set(mpq_numref(found), a);
    if (mpz_sgn(b))
        mpq_canonicalize(found);
    bool same = mpz_sgn(b) && mpq_set_str(given, text, 10) == 0 && mpq_equal(found, given);
    double root = same ? sqrt(mpq_get_d(found)) : 0;
    mpq_clears(found, given, NULL);
    c->line = line;
    need(c, same, "another margin follows than ", text);
    return root;
}

// The sums over the cited rows are 0, set by set; those for a margin are the difference of two
// points in the hulls.
static void check_sums(struct checker *c)
{
    for (size_t i = 0; i < c->buckets; i++)
        for (struct name *name = c->names[i]; name; name = name->next) {
            const char *text = name->text;
            bool label = *text == 'L', bias = strcmp(text, "S1 1 ") == 0;
            c->line = label ? name->line : c->claim.line;
            need(c, !label || name->seen, "no row of the data has the label ", text + 1);
            need(c, *text != 'S' || (c->claim.high && !bias) || mpz_sgn(name->n) == 0,
                 "the rows do not add up to 0 in set, class and feature ", text + 1);
            if (strncmp(text, "S1 1 ", 5) == 0)
                mpz_addmul(c->n.hull, name->n, name->n);
            if (strncmp(text, "W1 ", 3) == 0 && text[3])
                mpz_addmul(c->n.weights, name->n, name->n);
        }
}

static void conclude(struct checker *c)
{
    struct claim *claim = &c->claim;
    tlu_checked *verdict = c->verdict;
    c->line = claim->here < claim->count ? claim->cited[claim->here].proof_line : claim->rows_line;
    need(c, claim->here == claim->count, "this line of the data is not an example", "");
    need(c, c->found.rows == claim->rows, "the data has another number of rows", "");
    check_sums(c);
    c->line = claim->line;
    need(c, claim->kind != 'm' || c->found.mistakes == claim->mistakes,
         "the weights make another number of mistakes", "");
    mpz_mul(c->n.least, c->n.least, c->n.least);
    mpz_mul(c->n.total, c->n.total, c->n.total);
    if (claim->low)
        verdict->margin_low = must_follow(c, claim->low_line, claim->low, c->n.least, c->n.weights);
    if (claim->high)
        verdict->margin_high = must_follow(c, claim->high_line, claim->high, c->n.hull, c->n.total);
    verdict->has_low = claim->low != NULL;
    verdict->has_high = claim->high != NULL;
    verdict->claim = claim->kind == 's'   ? "separable"
                     : claim->kind == 'n' ? "not-separable"
                     : claim->kind == 'b' ? "below"
                                          : "mistakes";
    verdict->rows = claim->rows;
    verdict->classes = claim->classes;
    verdict->least_mistakes = claim->kind == 'm' ? claim->sets : 0;
    verdict->most_mistakes = claim->mistakes;
    verdict->accepted = 1;
}

static void checker_free(struct checker *c)
{
    for (size_t i = 0; i < c->buckets; i++)
        for (struct name *name = c->names[i], *next; name; name = next) {
            next = name->next;
            mpz_clear(name->n);
            memory_free(name);
        }
    for (size_t i = 0; i < c->claim.count; i++)
        mpz_clear(c->claim.cited[i].coefficient);
    for (size_t k = 0; k < c->score_count; k++)
        mpz_clear(c->scores[k]);
    mpz_clears(c->n.read, c->n.one, c->n.least, c->n.total, c->n.hull, c->n.weights, NULL);
    plain_free(&c->data);
    memory_free(c->claim.cited);
    memory_free(c->scores);
    memory_free(c);
}

// Texts end where a NUL is, and must not before their size.
static tlu_status check_texts(const char *proof, size_t proof_size, const char *data,
                              size_t data_size, tlu_checked *verdict)
{
    char *own = memory_copy_text(proof, proof_size), *rows = memory_copy_text(data, data_size);
    struct checker *c = memory_new(1, sizeof *c);
    size_t buckets = BUCKETS_LEAST;
    while (buckets < BUCKETS_MOST && buckets < (proof_size + data_size) / 8)
        buckets *= 2;
    struct name **names = memory_new(buckets, sizeof *names);
    bool enough = own && rows && c && names;
    if (enough) {
        c->names = names;
        c->buckets = buckets;
        c->verdict = verdict;
        c->data.at = rows;
        mpz_inits(c->n.read, c->n.one, c->n.least, c->n.total, c->n.hull, c->n.weights, NULL);
        if (setjmp(c->stop) == 0) {
            need(c, strlen(own) == proof_size, "the proof is not text: it has a NUL", "");
            c->in_data = true;
            need(c, strlen(rows) == data_size, "the data is not text: it has a NUL", "");
            c->in_data = false;
            take_proof(c, proof, own, proof_size);
            check_rows(c);
            conclude(c);
        }
        enough = !c->no_memory;
        checker_free(c);
    } else {
        memory_free(c);
    }
    memory_free(names);
    memory_free(own);
    memory_free(rows);
    return enough ? TLU_OK : TLU_ERROR_SYSTEM;
}
#endif

tlu_status tlu_check_proof(const char *proof, size_t proof_size, const char *data, size_t data_size,
                           tlu_checked *verdict, tlu_error *error)
{
    tlu_checked own;
    TRY(settings_take(&own, sizeof own, verdict, "tlu_checked", error));
    own = (tlu_checked){.size = sizeof own};
#ifdef TLU_HAVE_GMP
    if (check_texts(proof, proof_size, data, data_size, &own) != TLU_OK)
        return error_memory(error);
    settings_give(verdict, &own);
    return TLU_OK;
#else
    (void)proof, (void)proof_size, (void)data, (void)data_size;
    return error_system(error, "this tlu was built without GMP (libgmp-dev), which checking "
                               "proofs needs: install it and build again");
#endif
}
