// The checker's half that reads proofs: their lines in the fixed order of docs/proof-format.md. The
// first that is not as it should be ends the check.
#include "base/error.h" // no file is empty to the compiler

#ifdef TLU_HAVE_GMP
#include <stdarg.h> // before gmp.h, for gmp_vsscanf

#include "base/memory.h"
#include "prove/check/claim.h"

#include <stdio.h>
#include <string.h>

void need(struct checker *c, bool holds, const char *what, const char *which)
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

struct name *find_name(struct checker *c, const char *front, const char *text, bool add)
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

// ---- lines

// Takes the next line if it is as the format says, whose last %n is c->proof.used, and ends there,
// or goes on with a blank and a text.
static bool take(struct checker *c, bool text, const char *format, ...)
{
    va_list list;
    c->line = c->proof.lines + 1;
    c->proof.used = -1;
    need(c, c->proof.at < c->proof.end, "the proof ends before its line 'end'", "");
    need(c, strlen(c->proof.at) <= LINE_MOST, "the line is too long", "");
    va_start(list, format);
    gmp_vsscanf(c->proof.at, format, list);
    va_end(list);
    if (c->proof.used < 0)
        return false;
    c->proof.rest = c->proof.at + c->proof.used + text;
    need(c, text ? c->proof.rest[-1] == ' ' && *c->proof.rest : !*c->proof.rest,
         "expected something else: ", c->proof.at);
    do
        c->proof.at += strlen(c->proof.at) + 1;
    while (++c->proof.lines && c->proof.at < c->proof.end && *c->proof.at == '#');
    return true;
}

static void take_data_line(struct checker *c)
{
    unsigned long delimiter = 0, header = 0;
    if (take(c, false, "data libsvm%n", &c->proof.used))
        return;
    need(c,
         take(c, true, "data csv %3lu %1lu %1[rzi]%n", &delimiter, &header, c->proof.missing,
              &c->proof.used),
         "expected 'data libsvm' or 'data csv'", "");
    need(c, delimiter && delimiter < 128 && delimiter != '"' && header < 2, "out of range", "");
    const char *label = strchr(c->proof.rest, 'l');
    need(c, !c->proof.rest[strspn(c->proof.rest, "ncli")] && label && !strchr(label + 1, 'l'),
         "expected kinds of columns, one of them the label, found ", c->proof.rest);
    c->data.delimiter = (char)delimiter;
    c->data.header = header;
    c->data.missing = c->proof.missing[0];
    c->data.kinds = c->proof.rest;
}

static void take_question(struct checker *c)
{
    struct claim *claim = &c->claim;
    unsigned long last = 0;
    need(c, take(c, false, "tlu proof 1%n", &c->proof.used), "expected 'tlu proof 1'", "");
    take_data_line(c);
    need(c,
         take(c, false, "question %4lu %1lu %18lu %18lu%n", &c->data.digits, &claim->bias,
              &claim->rows, &claim->classes, &c->proof.used),
         "expected 'question'", "");
    need(c, c->data.digits <= PLAIN_DIGITS_MOST && claim->bias < 2 && claim->classes > 1,
         "out of range", "");
    claim->rows_line = c->line;
    mpz_ui_pow_ui(c->n.one, 10, c->data.digits);
    for (unsigned long k; take(c, true, "label %18lu%n", &k, &c->proof.used); last = k) {
        need(c, k == last || k == last + 1, "classes come one after the other", "");
        need(c, !find_name(c, "L", c->proof.rest, false), "a label twice: ", c->proof.rest);
        find_name(c, "L", c->proof.rest, true)->class_index = k;
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
        bool offset =
            c->claim.bias && take(c, false, "offset %Zd %18lu%n", c->n.read, &k, &c->proof.used);
        if (!offset && !take(c, true, "weight %Zd %18lu%n", c->n.read, &k, &c->proof.used))
            return;
        need(c, k && k <= (c->claim.classes > 2 ? c->claim.classes : 1), "no such class", "");
        snprintf(front, sizeof front, "W%lu ", k);
        struct name *name = find_name(c, front, offset ? "" : c->proof.rest, true);
        need(c, mpz_sgn(c->n.read) && !mpz_sgn(name->n), "a weight that is 0 or there already", "");
        mpz_set(name->n, c->n.read);
    }
}

static void take_rows(struct checker *c)
{
    struct claim *claim = &c->claim;
    struct citation row = {0}, last = {0};
    char set[32];
    for (; take(c, false, "row %Zd %18lu %18lu %18lu %18lu%n", c->n.read, &row.line, &row.own,
                &row.against, &row.set, &c->proof.used);
         last = row) {
        row.proof_line = c->line;
        need(c, mpz_sgn(c->n.read) > 0, "expected a coefficient above 0", "");
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
        c->found.sets += !find_name(c, "T", set, false);
        find_name(c, "T", set, true);
        room(c, &claim->cited, &claim->capacity, claim->count + 1, sizeof *claim->cited);
        mpz_init_set(row.coefficient, c->n.read);
        mpz_add(c->n.total, c->n.total, c->n.read);
        claim->cited[claim->count++] = row;
    }
    need(c, c->found.sets == claim->sets, "expected 'row', for each set", "");
}

static void take_claim(struct checker *c)
{
    struct claim *claim = &c->claim;
    claim->sets = 1;
    claim->kind = take(c, false, "claim separable%n", &c->proof.used)       ? 's'
                  : take(c, false, "claim not-separable%n", &c->proof.used) ? 'n'
                  : take(c, false, "claim below%n", &c->proof.used)         ? 'b'
                                                                            : 'm';
    need(c,
         claim->kind != 'm' || take(c, false, "claim mistakes %18lu %18lu%n", &claim->sets,
                                    &claim->mistakes, &c->proof.used),
         "expected 'claim'", "");
    claim->line = c->line;
    bool below = claim->kind == 'b', margins = claim->classes == 2;
    need(c, margins || !below, "margins are for two classes", "");
    if (claim->kind == 's' || claim->kind == 'm')
        take_weights(c);
    if (claim->kind == 's' && margins && take(c, true, "low%n", &c->proof.used)) {
        claim->low = c->proof.rest;
        claim->low_line = c->line;
    }
    if ((claim->kind == 's' || below) && margins && take(c, true, "high%n", &c->proof.used)) {
        claim->high = c->proof.rest;
        claim->high_line = c->line;
    }
    need(c, claim->high || !below, "expected 'high'", "");
    if (claim->high || claim->kind != 's')
        take_rows(c);
}

void take_proof(struct checker *c, const char *bytes, char *proof, size_t size)
{
    char expected[32];
    c->proof.at = proof;
    c->proof.end = proof + size;
    for (char *at = proof; (at = strchr(at, '\n')) != NULL;)
        *at++ = '\0';
    need(c, size && !proof[size - 1], "expected 'tlu proof 1'", "");
    take_question(c);
    take_claim(c);
    uint64_t hash = mix(HASH_START, bytes, (size_t)(c->proof.at - proof));
    snprintf(expected, sizeof expected, "%016llx", (unsigned long long)hash);
    need(c, take(c, true, "end%n", &c->proof.used), "expected 'end'", "");
    need(c, strcmp(c->proof.rest, expected) == 0,
         "this does not fit the lines above: ", c->proof.rest);
    need(c, c->proof.rest + strlen(c->proof.rest) + 1 == c->proof.end,
         "something comes after the line 'end'", "");
}
#endif
