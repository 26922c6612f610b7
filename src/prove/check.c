// The checker of proofs: whether what a proof says about a data set follows (docs/proof-format.md).
//
// It believes neither. Each row of the data is scored by the proof's weights and, if the proof
// cites it, added up with its coefficient. All numbers are whole (GMP): the decimals of the data
// times 10^digits. The first thing that does not follow ends the check, by a jump. It shares no
// code with what writes proofs; of the library it uses the allocator and the messages, and it has a
// reader of data of its own (plain.h).
#include "base/memory.h"
#include "base/settings.h"

#ifdef TLU_HAVE_GMP
#include <stdarg.h> // before gmp.h, for gmp_vsscanf

#include "prove/plain.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

enum { LINE_MOST = 100000, BUCKETS_LEAST = 64, BUCKETS_MOST = 1 << 20 };
#define HASH_START 0xcbf29ce484222325U

// "Lred": a label. "W2 7": the weight of feature 7 for class 2, "W2 " of the bias. "S3 2 7": the
// sum for class 2 over the rows of set 3. "T3": a set.
struct name {
    struct name *next;
    unsigned long class_index, line, seen; // of a label: 0 does not take part; line of the proof
    mpz_t n;
    char text[];
};

struct citation { // a row in the proof, with its coefficient
    unsigned long line, own, against, set, proof_line;
    mpz_t coefficient;
};

struct claim {
    char kind;                         // s(eparable), n(ot separable), b(elow), m(istakes)
    unsigned long rows, classes, bias; // the question
    unsigned long sets, mistakes;      // at least, at most
    const char *low, *high;            // squares of margins; NULL: none
    unsigned long rows_line, low_line, high_line, line; // in the proof
    struct citation *cited;                             // [count]
    size_t count, capacity, here;                       // here: the first one that was not met
};

struct checker {
    jmp_buf stop;
    tlu_checked *verdict;
    bool no_memory, in_data;
    char *at, *end, *rest;     // in the proof; the text at the end of a line
    unsigned long line, lines; // in question; passed
    int used;
    char missing[2];
    struct name **names; // [buckets], a power of two
    size_t buckets;
    struct claim claim;
    struct plain_reader data;
    unsigned long rows, mistakes, sets; // found
    mpz_t *scores;                      // [score_count]: of classes, from 1
    size_t score_count, score_capacity;
    // What was read; 10^digits; the least score; all coefficients; squares of the difference of the
    // hulls and of the weights.
    mpz_t read, one, least, total, hull, weights;
};

static void need(struct checker *c, bool holds, const char *what, const char *which)
{
    if (holds)
        return;
    snprintf(c->verdict->text, sizeof c->verdict->text, "%s%.80s", what, which);
    c->verdict->in_data = c->in_data;
    c->verdict->line = c->line;
    longjmp(c->stop, 1);
}

static void room(struct checker *c, void *array, size_t *capacity, size_t needed, size_t size)
{
    c->no_memory = !memory_reserve(array, capacity, needed, size);
    need(c, !c->no_memory, "out of memory", "");
}

static uint64_t mix(uint64_t hash, const char *bytes, size_t size) // FNV-1a
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3U;
    return hash;
}

// The name that is `front` and `text`; NULL if it is new and not to be added.
static struct name *find(struct checker *c, const char *front, const char *text, bool add)
{
    size_t length = strlen(front), more = strlen(text), capacity = 0;
    uint64_t hash = mix(mix(HASH_START, front, length), text, more);
    struct name **bucket = &c->names[hash & (c->buckets - 1)], *name = *bucket;
    while (name && (strncmp(name->text, front, length) || strcmp(name->text + length, text)))
        name = name->next;
    if (name || !add)
        return name;
    room(c, &name, &capacity, sizeof *name + length + more + 1, 1);
    *name = (struct name){.next = *bucket, .line = c->line};
    snprintf(name->text, length + more + 1, "%s%s", front, text);
    mpz_init(name->n);
    return *bucket = name;
}

// ---- the proof

// Takes the next line if it is as the format says, whose last %n is c->used, and ends there, or
// goes on with a blank and a text.
static bool take(struct checker *c, bool text, const char *format, ...)
{
    va_list list;
    c->line = c->lines + 1;
    c->used = -1;
    need(c, c->at < c->end, "the proof ends before its line 'end'", "");
    need(c, strlen(c->at) <= LINE_MOST, "the line is too long", "");
    va_start(list, format);
    gmp_vsscanf(c->at, format, list);
    va_end(list);
    if (c->used < 0)
        return false;
    c->rest = c->at + c->used + text;
    need(c, text ? c->rest[-1] == ' ' && *c->rest : !*c->rest, "expected something else: ", c->at);
    do
        c->at += strlen(c->at) + 1;
    while (++c->lines && c->at < c->end && *c->at == '#');
    return true;
}

static void take_data_line(struct checker *c)
{
    unsigned long delimiter = 0, header = 0;
    if (take(c, false, "data libsvm%n", &c->used))
        return;
    need(c,
         take(c, true, "data csv %3lu %1lu %1[rzi]%n", &delimiter, &header, c->missing, &c->used),
         "expected 'data libsvm' or 'data csv'", "");
    need(c, delimiter && delimiter < 128 && delimiter != '"' && header < 2, "out of range", "");
    const char *label = strchr(c->rest, 'l');
    need(c, !c->rest[strspn(c->rest, "ncli")] && label && !strchr(label + 1, 'l'),
         "expected kinds of columns, one of them the label, found ", c->rest);
    c->data.delimiter = (char)delimiter;
    c->data.header = header;
    c->data.missing = c->missing[0];
    c->data.kinds = c->rest;
}

static void take_question(struct checker *c)
{
    struct claim *claim = &c->claim;
    unsigned long last = 0;
    need(c, take(c, false, "tlu proof 1%n", &c->used), "expected 'tlu proof 1'", "");
    take_data_line(c);
    need(c,
         take(c, false, "question %4lu %1lu %18lu %18lu%n", &c->data.digits, &claim->bias,
              &claim->rows, &claim->classes, &c->used),
         "expected 'question'", "");
    need(c, c->data.digits <= PLAIN_DIGITS_MOST && claim->bias < 2 && claim->classes > 1,
         "out of range", "");
    claim->rows_line = c->line;
    mpz_ui_pow_ui(c->one, 10, c->data.digits);
    for (unsigned long k; take(c, true, "label %18lu%n", &k, &c->used); last = k) {
        need(c, k == last || k == last + 1, "classes come one after the other", "");
        need(c, !find(c, "L", c->rest, false), "a label twice: ", c->rest);
        find(c, "L", c->rest, true)->class_index = k;
        for (; c->score_count <= k; c->score_count++) {
            room(c, &c->scores, &c->score_capacity, k + 1, sizeof *c->scores);
            mpz_init(c->scores[c->score_count]);
        }
    }
    need(c, last == claim->classes, "expected 'label', for each class", "");
}

static void take_weights(struct checker *c)
{
    char front[32];
    for (unsigned long k;;) {
        bool offset = c->claim.bias && take(c, false, "offset %Zd %18lu%n", c->read, &k, &c->used);
        if (!offset && !take(c, true, "weight %Zd %18lu%n", c->read, &k, &c->used))
            return;
        need(c, k && k <= (c->claim.classes > 2 ? c->claim.classes : 1), "no such class", "");
        snprintf(front, sizeof front, "W%lu ", k);
        struct name *name = find(c, front, offset ? "" : c->rest, true);
        need(c, mpz_sgn(c->read) && !mpz_sgn(name->n), "a weight that is 0 or there already", "");
        mpz_set(name->n, c->read);
    }
}

static void take_rows(struct checker *c)
{
    struct claim *claim = &c->claim;
    struct citation row = {0}, last = {0};
    char set[32];
    for (; take(c, false, "row %Zd %18lu %18lu %18lu %18lu%n", c->read, &row.line, &row.own,
                &row.against, &row.set, &c->used);
         last = row) {
        row.proof_line = c->line;
        need(c, mpz_sgn(c->read) > 0, "expected a coefficient above 0", "");
        need(c,
             row.own != row.against && row.own && row.own <= claim->classes && row.against &&
                 row.against <= claim->classes,
             "no such class", "");
        need(c,
             row.line > last.line ||
                 (row.line == last.line && row.against > last.against && row.set == last.set),
             "rows come in ascending order, none of them twice", "");
        need(c, row.set && row.set <= claim->sets, "no such set", "");
        snprintf(set, sizeof set, "%lu", row.set);
        c->sets += !find(c, "T", set, false);
        find(c, "T", set, true);
        room(c, &claim->cited, &claim->capacity, claim->count + 1, sizeof *claim->cited);
        mpz_init_set(row.coefficient, c->read);
        mpz_add(c->total, c->total, c->read);
        claim->cited[claim->count++] = row;
    }
    need(c, c->sets == claim->sets, "expected 'row', for each set", "");
}

static void take_claim(struct checker *c)
{
    struct claim *claim = &c->claim;
    claim->sets = 1;
    claim->kind = take(c, false, "claim separable%n", &c->used)       ? 's'
                  : take(c, false, "claim not-separable%n", &c->used) ? 'n'
                  : take(c, false, "claim below%n", &c->used)         ? 'b'
                                                                      : 'm';
    need(c,
         claim->kind != 'm' || take(c, false, "claim mistakes %18lu %18lu%n", &claim->sets,
                                    &claim->mistakes, &c->used),
         "expected 'claim'", "");
    claim->line = c->line;
    bool below = claim->kind == 'b', margins = claim->classes == 2;
    need(c, margins || !below, "margins are for two classes", "");
    if (claim->kind == 's' || claim->kind == 'm')
        take_weights(c);
    if (claim->kind == 's' && margins && take(c, true, "low%n", &c->used)) {
        claim->low = c->rest;
        claim->low_line = c->line;
    }
    if ((claim->kind == 's' || below) && margins && take(c, true, "high%n", &c->used)) {
        claim->high = c->rest;
        claim->high_line = c->line;
    }
    need(c, claim->high || !below, "expected 'high'", "");
    if (claim->high || claim->kind != 's')
        take_rows(c);
}

// ---- the data

// What a feature of the row, whose value is given, adds to scores and sums.
static void add_entry(struct checker *c, const char *front, const char *text, mpz_t value)
{
    const struct claim *claim = &c->claim;
    char name[80];
    struct name *weight;
    for (unsigned long k = 1; k <= (claim->classes > 2 ? claim->classes : 1); k++) {
        snprintf(name, sizeof name, "W%lu %s", k, front);
        if ((weight = find(c, name, text, false)) != NULL)
            mpz_addmul(c->scores[k], weight->n, value);
    }
    for (size_t i = claim->here; i < claim->count && claim->cited[i].line == c->line; i++) {
        const struct citation *row = &claim->cited[i];
        snprintf(name, sizeof name, "S%lu %lu %s", row->set, row->own, front);
        mpz_addmul(find(c, name, text, true)->n, row->coefficient, value);
        snprintf(name, sizeof name, "S%lu %lu %s", row->set, row->against, front);
        mpz_submul(find(c, name, text, true)->n, row->coefficient, value);
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
        add_entry(c, "", "", c->one);
    for (; claim->here < claim->count && claim->cited[claim->here].line == c->line; claim->here++)
        need(c, claim->cited[claim->here].own == own, "the proof has another class for it", "");
    if (own == 0)
        return;
    need(c, !c->data.too_long, "more digits after the point than the proof says: ",
         c->data.too_long ? c->data.too_long : "");
    for (unsigned long k = 1; k <= claim->classes; k++)
        right &= k == own || mpz_cmp(c->scores[own], c->scores[k]) > 0;
    need(c, right || claim->kind != 's', "the weights do not put this row on its side", "");
    if (c->rows++ == 0 || mpz_cmpabs(c->scores[1], c->least) < 0)
        mpz_set(c->least, c->scores[1]);
    c->mistakes += !right;
}

static void check_rows(struct checker *c)
{
    c->in_data = true;
    while (plain_next(&c->data)) {
        struct name *label = find(c, "L", c->data.label, false);
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
    mpz_mul(c->read, c->one, c->one);
    mpz_mul(mpq_denref(found), b, c->read);
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
                mpz_addmul(c->hull, name->n, name->n);
            if (strncmp(text, "W1 ", 3) == 0 && text[3])
                mpz_addmul(c->weights, name->n, name->n);
        }
}

static void conclude(struct checker *c)
{
    struct claim *claim = &c->claim;
    tlu_checked *verdict = c->verdict;
    c->line = claim->here < claim->count ? claim->cited[claim->here].proof_line : claim->rows_line;
    need(c, claim->here == claim->count, "this line of the data is not an example", "");
    need(c, c->rows == claim->rows, "the data has another number of rows", "");
    check_sums(c);
    c->line = claim->line;
    need(c, claim->kind != 'm' || c->mistakes == claim->mistakes,
         "the weights make another number of mistakes", "");
    mpz_mul(c->least, c->least, c->least);
    mpz_mul(c->total, c->total, c->total);
    if (claim->low)
        verdict->margin_low = must_follow(c, claim->low_line, claim->low, c->least, c->weights);
    if (claim->high)
        verdict->margin_high = must_follow(c, claim->high_line, claim->high, c->hull, c->total);
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

static void check(struct checker *c, const char *bytes, char *proof, size_t size)
{
    char expected[32];
    c->at = proof;
    c->end = proof + size;
    for (char *at = proof; (at = strchr(at, '\n')) != NULL;)
        *at++ = '\0';
    need(c, size && !proof[size - 1], "expected 'tlu proof 1'", "");
    take_question(c);
    take_claim(c);
    uint64_t hash = mix(HASH_START, bytes, (size_t)(c->at - proof));
    snprintf(expected, sizeof expected, "%016llx", (unsigned long long)hash);
    need(c, take(c, true, "end%n", &c->used), "expected 'end'", "");
    need(c, strcmp(c->rest, expected) == 0, "this does not fit the lines above: ", c->rest);
    need(c, c->rest + strlen(c->rest) + 1 == c->end, "something comes after the line 'end'", "");
    check_rows(c);
    conclude(c);
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
    mpz_clears(c->read, c->one, c->least, c->total, c->hull, c->weights, NULL);
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
        mpz_inits(c->read, c->one, c->least, c->total, c->hull, c->weights, NULL);
        if (setjmp(c->stop) == 0) {
            need(c, strlen(own) == proof_size, "the proof is not text: it has a NUL", "");
            c->in_data = true;
            need(c, strlen(rows) == data_size, "the data is not text: it has a NUL", "");
            c->in_data = false;
            check(c, proof, own, proof_size);
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
    return error_system(error, "this tlu was built without GMP, which exact arithmetic takes");
#endif
}
