// The checker of proofs. It decides whether the claim of a proof about a data set follows, and
// trusts neither text. The lines of the proof come in the fixed order of docs/proof-format.md; then
// each row of the data is scored by the weights and, if the proof cites it, added with its
// coefficient.
//
// The checker shares no code with the files that write proofs or read data elsewhere: it uses only
// the allocator and the messages of the library. All numbers are integers (GMP): the decimals of
// the data times 10^digits. The first violation ends the check by longjmp.
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "base/settings.h"
#include "tlu_proof.h"

#ifdef TLU_HAVE_GMP
#include "base/error.h"
#include "proof/exact.h"

#include <gmp.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"
enum {
    DIGITS_MAX = 1000,     // after the point
    NUMBER_MAX = 3000,     // digits of a value times 10^digits
    EXPONENT_MAX = 1 << 30 // larger ones have the same effect
};

struct claimed_margin { // the square of a margin as the proof has it; NULL: none
    const char *text;
    unsigned long long line;
};

struct item;

struct checker {
    jmp_buf stop;
    tlu_proof_report *verdict;
    bool in_data;
    unsigned long long line; // the current line of the proof or of the data
    struct {
        char *start, *at, *end, *rest; // rest: what is left of the line that was taken
        unsigned long long next_line;
        mpz_t integer;
    } proof;
    struct { // what the proof says
        int claim;
        unsigned long long bias, rows, classes, sets, mistakes, question_line, claim_line;
        struct claimed_margin low, high;
    } said;
    struct {                // the data, and how to read it
        char *start, *name; // name: room for that of a feature
        unsigned long long delimiter, header, digits;
        char missing;
        const char *kinds;  // of columns; NULL: LIBSVM
        bool too_long;      // a value of the row has more digits after the point
        struct item *label; // of the row
        mpz_t value;        // of an entry
    } data;
    struct item **table, *all, *scores, *cited; // cited: rows in the proof that were not met yet
    size_t buckets;                             // of the table
    unsigned long long rows, mistakes;          // met in the data
    mpz_t one, least, total, hull, weights; // 10^digits; score, coefficients, squares of lengths
};

enum { COUNT_MAX = 18, LINE_LIMIT = 100000, NAME_MORE = 64 };
#define CLAIMS(X)                                                                                  \
    X(SEPARABLE, "separable")                                                                      \
    X(NOT_SEPARABLE, "not-separable")                                                              \
    X(BELOW, "below")                                                                              \
    X(MISTAKES, "mistakes")
enum claim {
#define CLAIM_VALUE(name, text) name,
    CLAIMS(CLAIM_VALUE)
#undef CLAIM_VALUE
};
static const char *const claim_texts[] = {
#define CLAIM_TEXT(name, text) text,
    CLAIMS(CLAIM_TEXT)
#undef CLAIM_TEXT
};
#define HASH_START 0xcbf29ce484222325U

// A number with its meaning. ROW: the coefficient of a cited row. SUM: the sum over the cited rows
// of a set, for a class and a feature; class 0 marks that the set exists. All items except rows are
// in the hash table.
enum item_kind { LABEL, SCORE, FEATURE, WEIGHT, ROW, SUM };
struct item {
    struct item *all, *next; // those that came before it, of all and in the bucket
    struct item *more;       // the other scores, the weights of a feature, the rows after a row
    struct item *score;      // of the class of a label or weight; NULL: no examples
    enum item_kind kind;
    unsigned long long set, class, against; // class, and the other class, of a row
    unsigned long long line; // of the data: of a row, or the last one with this label or feature
    unsigned long long proof_line; // where it was met first
    mpz_t n;
    char text[]; // label or feature; "": the bias
};

// If the condition does not hold, the check ends by longjmp: rejected, at the current line.
static void need(struct checker *c, bool holds, const char *format, ...) PRINTF_LIKE(3, 4);

static void need(struct checker *c, bool holds, const char *format, ...)
{
    va_list list;
    if (holds)
        return;
    va_start(list, format);
    vsnprintf(c->verdict->reason, sizeof c->verdict->reason, format, list);
    va_end(list);
    c->verdict->in_data = c->in_data;
    c->verdict->line = c->line;
    longjmp(c->stop, 1);
}

static uint64_t mix(uint64_t hash, const char *bytes, size_t size) // FNV-1a
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3U;
    return hash;
}

static struct item *new_item(struct checker *c, enum item_kind kind, unsigned long long set,
                             unsigned long long class, const char *text)
{
    struct item *item = exact_new(1, sizeof *item + strlen(text) + 1);
    *item = (struct item){.all = c->all, .kind = kind, .set = set, .class = class};
    item->proof_line = c->line;
    mpz_init(item->n);
    strcpy(item->text, text);
    return c->all = item;
}

// Finds the item with these properties; if there is none, adds it or returns NULL.
static struct item *find(struct checker *c, enum item_kind kind, unsigned long long set,
                         unsigned long long class, const char *text, bool add)
{
    uint64_t start = HASH_START + kind + 0x9e3779b97f4a7c15U * set + 0xbf58476d1ce4e5b9U * class;
    struct item **bucket = &c->table[mix(start, text, strlen(text)) % c->buckets], *item = *bucket;
    while (item && (item->kind != kind || item->set != set || item->class != class ||
                    strcmp(item->text, text) != 0))
        item = item->next;
    if (item || !add)
        return item;
    item = new_item(c, kind, set, class, text);
    item->next = *bucket;
    return *bucket = item;
}

static bool is_label(struct checker *c, const char *text)
{
    return find(c, LABEL, 0, 0, text, false) != NULL;
}

// ---- the proof

// Consumes the next line if it has this format: %z is an integer, %n a count whose address is
// passed, %t the rest of the line.
static bool take(struct checker *c, const char *format, ...)
{
    char *at = c->proof.at;
    va_list list;
    bool same = true;
    c->line = c->proof.next_line;
    need(c, at < c->proof.end, "the proof ends before its line 'end'");
    need(c, strlen(at) <= LINE_LIMIT, "the line is too long");
    va_start(list, format);
    for (; same && *format; format++) {
        if (*format != '%') {
            same = *at++ == *format;
            continue;
        }
        char field = *++format;
        size_t sign = field == 'z' && *at == '-', digits = strspn(at + sign, DIGITS);
        size_t size = field == 't' ? strlen(at) : digits ? sign + digits : 0;
        same = size && (field != 'n' || size <= COUNT_MAX);
        if (same && field == 't')
            c->proof.rest = at;
        else if (same && field == 'n')
            *va_arg(list, unsigned long long *) = strtoull(at, NULL, 10);
        else if (same)
            gmp_sscanf(at, "%Zd", c->proof.integer);
        at += size;
    }
    va_end(list);
    if (!same || *at)
        return false;
    do
        c->proof.at += strlen(c->proof.at) + 1;
    while (++c->proof.next_line && c->proof.at < c->proof.end && *c->proof.at == '#');
    return true;
}

static void take_columns(struct checker *c)
{
    bool found = take(c, "data csv %n %n %t", &c->data.delimiter, &c->data.header);
    need(c, found, "expected 'data libsvm' or 'data csv'");
    need(c, c->data.delimiter && c->data.delimiter < 128 && c->data.delimiter != '"',
         "the delimiter is out of range");
    need(c, c->data.header < 2, "the header is out of range");
    const char *policy = c->proof.rest, *label = strchr(policy, 'l');
    need(c, strchr("rzi", *policy) && policy[1] == ' ', "expected r, z or i for missing values");
    c->data.missing = *policy;
    c->data.kinds = policy + 2;
    need(c, !c->data.kinds[strspn(c->data.kinds, "ncli")] && label && !strchr(label + 1, 'l'),
         "expected kinds of columns, one of them the label, found %.80s", c->data.kinds);
}

static void take_question(struct checker *c)
{
    unsigned long long last = 0;
    need(c, take(c, "tlu proof 1"), "expected 'tlu proof 1'");
    if (!take(c, "data libsvm"))
        take_columns(c);
    need(c,
         take(c, "question %n %n %n %n", &c->data.digits, &c->said.bias, &c->said.rows,
              &c->said.classes),
         "expected 'question'");
    need(c, c->data.digits <= DIGITS_MAX && c->said.bias < 2 && c->said.classes > 1,
         "out of range");
    c->said.question_line = c->line;
    mpz_ui_pow_ui(c->one, 10, (unsigned long)c->data.digits);
    for (unsigned long long k; take(c, "label %n %t", &k); last = k) {
        bool skips = last == 0 && k == 2 && c->said.classes == 2; // no row is of class 1
        need(c, k == last || k == last + 1 || skips, "classes come one after the other");
        need(c, !is_label(c, c->proof.rest), "a label twice: %.80s", c->proof.rest);
        struct item *label = find(c, LABEL, 0, 0, c->proof.rest, true);
        label->score = find(c, SCORE, 0, k, "", k > 0);
        if (k > last) {
            label->score->more = c->scores;
            c->scores = label->score;
        }
    }
    need(c, last == c->said.classes || (last == 1 && c->said.classes == 2),
         "expected 'label', for each class");
    for (unsigned long long k = 1; k <= 2; k++) // one of two classes may have no rows
        if (!find(c, SCORE, 0, k, "", false)) {
            struct item *score = find(c, SCORE, 0, k, "", true);
            score->more = c->scores;
            c->scores = score;
        }
}

static void take_weights(struct checker *c)
{
    for (unsigned long long k;;) {
        bool offset = c->said.bias && take(c, "offset %z %n", &k);
        if (!offset && !take(c, "weight %z %n %t", &k))
            return;
        const char *name = offset ? "" : c->proof.rest;
        need(c, k && k <= (c->said.classes > 2 ? c->said.classes : 1), "no such class");
        struct item *feature = find(c, FEATURE, 0, 0, name, true);
        struct item *weight = find(c, WEIGHT, 0, k, name, true);
        need(c, mpz_sgn(c->proof.integer) && !weight->score, "a weight that is 0 or there already");
        mpz_set(weight->n, c->proof.integer);
        if (!offset)
            mpz_addmul(c->weights, weight->n, weight->n);
        weight->score = find(c, SCORE, 0, k, "", false);
        weight->more = feature->more;
        feature->more = weight;
    }
}

static void take_rows(struct checker *c)
{
    struct item *last = NULL, **end = &c->cited;
    unsigned long long line, own, other, set, sets = 0, classes = c->said.classes;
    while (take(c, "row %z %n %n %n %n", &line, &own, &other, &set)) {
        need(c, mpz_sgn(c->proof.integer) > 0, "expected a coefficient above 0");
        need(c, own && own <= classes && other && other <= classes && own != other,
             "no such class");
        need(c, set && set <= c->said.sets, "no such set");
        bool next = last && line == last->line && other > last->against && set == last->set;
        need(c, !last || line > last->line || next,
             "rows come in ascending order, none of them twice");
        sets += !find(c, SUM, set, 0, "", false);
        find(c, SUM, set, 0, "", true);
        *end = last = new_item(c, ROW, set, own, "");
        end = &last->more;
        last->line = line;
        last->against = other;
        mpz_set(last->n, c->proof.integer);
        mpz_add(c->total, c->total, last->n);
    }
    need(c, sets == c->said.sets, "expected 'row', for each set");
}

static void take_claim(struct checker *c)
{
    bool margins = c->said.classes == 2;
    c->said.sets = 1;
    c->said.claim = take(c, "claim separable")       ? SEPARABLE
                    : take(c, "claim not-separable") ? NOT_SEPARABLE
                    : take(c, "claim below")         ? BELOW
                                                     : MISTAKES;
    bool separable = c->said.claim == SEPARABLE, below = c->said.claim == BELOW;
    need(c,
         c->said.claim != MISTAKES ||
             take(c, "claim mistakes %n %n", &c->said.sets, &c->said.mistakes),
         "expected 'claim'");
    c->said.claim_line = c->line;
    need(c, margins || !below, "margins are for two classes");
    if (separable || c->said.claim == MISTAKES)
        take_weights(c);
    if (separable && margins && take(c, "low %t"))
        c->said.low = (struct claimed_margin){c->proof.rest, c->line};
    if ((separable || below) && margins && take(c, "high %t"))
        c->said.high = (struct claimed_margin){c->proof.rest, c->line};
    need(c, c->said.high.text || !below, "expected 'high'");
    if (c->said.high.text || !separable)
        take_rows(c);
}

// `bytes` is the proof before its lines were split.
static void take_proof(struct checker *c, const char *bytes, size_t size)
{
    char expected[32];
    need(c, size && !c->proof.start[size - 1], "expected 'tlu proof 1'");
    take_question(c);
    take_claim(c);
    uint64_t hash = mix(HASH_START, bytes, (size_t)(c->proof.at - c->proof.start));
    snprintf(expected, sizeof expected, "%016llx", (unsigned long long)hash);
    const char *end = c->proof.at + strlen(c->proof.at) + 1;
    need(c, take(c, "end %t"), "expected 'end'");
    need(c, strcmp(c->proof.rest, expected) == 0, "this does not fit the lines above: %.80s",
         c->proof.rest);
    need(c, end == c->proof.end, "something comes after the line 'end'");
}

// ---- the data

static void start_row(struct checker *c)
{
    for (struct item *score = c->scores; score; score = score->more)
        mpz_set_ui(score->n, 0);
}

static void take_label(struct checker *c, const char *text)
{
    c->data.label = find(c, LABEL, 0, 0, text, false);
    need(c, c->data.label, "the proof does not have the label %.80s", text);
    c->data.label->line = c->line;
}

// Adds an entry of the row to scores and sums.
static void take_entry(struct checker *c, const char *name)
{
    struct item *feature = find(c, FEATURE, 0, 0, name, true);
    need(c, feature->line != c->line, "an index twice in the row: %.80s", name);
    feature->line = c->line;
    for (struct item *weight = feature->more; weight; weight = weight->more)
        mpz_addmul(weight->score->n, weight->n, c->data.value);
    for (struct item *row = c->cited; row && row->line == c->line; row = row->more) {
        mpz_addmul(find(c, SUM, row->set, row->class, name, true)->n, row->n, c->data.value);
        mpz_submul(find(c, SUM, row->set, row->against, name, true)->n, row->n, c->data.value);
    }
}

static void end_row(struct checker *c)
{
    struct item *own = c->data.label->score, *first = find(c, SCORE, 0, 1, "", false);
    bool right = true;
    mpz_set(c->data.value, c->one);
    if (c->said.bias)
        take_entry(c, "");
    for (; c->cited && c->cited->line == c->line; c->cited = c->cited->more)
        need(c, own && c->cited->class == own->class, "the proof has another class for it");
    if (!own)
        return;
    need(c, !c->data.too_long, "more digits after the point than the proof says");
    for (struct item *score = c->scores; score; score = score->more)
        right &= score == own || mpz_cmp(own->n, score->n) > 0;
    need(c, right || c->said.claim != SEPARABLE, "the weights do not put this row on its side");
    if (c->rows++ == 0 || mpz_cmpabs(first->n, c->least) < 0)
        mpz_set(c->least, first->n);
    c->mistakes += !right;
}

// ---- the reader of the data ----
//
// Rows of LIBSVM and CSV with their values exactly as written, slow and simple;
// docs/proof-format.md has the rules.

// c->data.value times 10^zeros, if that is whole.
static void shift_value(struct checker *c, long long zeros)
{
    mpz_t scale;
    mpz_init(scale);
    mpz_ui_pow_ui(scale, 10, (unsigned long)llabs(zeros));
    if (zeros >= 0)
        mpz_mul(c->data.value, c->data.value, scale);
    else if (mpz_divisible_p(c->data.value, scale))
        mpz_divexact(c->data.value, c->data.value, scale);
    else
        c->data.too_long = true; // it matters only if the row takes part
    mpz_clear(scale);
}

// [+-] digits [. digits] [e [+-] digits], times 10^digits; false if it is not such a number. The
// text is used up.
static bool take_number(struct checker *c, char *text)
{
    char *at = text + (*text == '-' || *text == '+');
    size_t whole = strspn(at, DIGITS), point = at[whole] == '.';
    size_t part = point ? strspn(at + whole + 1, DIGITS) : 0;
    const char *end = at + whole + point + part;
    long long exponent = 0, most = EXPONENT_MAX;
    if (*end == 'e' || *end == 'E') {
        const char *power = end + 1 + (end[1] == '-' || end[1] == '+');
        exponent = strtoll(end + 1, NULL, 10);
        exponent = exponent > most ? most : exponent < -most ? -most : exponent;
        end = power + strspn(power, DIGITS);
        if (end == power)
            return false;
    }
    if (*end || whole + part == 0)
        return false;
    memmove(at + whole, at + whole + point, part);
    at[whole + part] = '\0';
    mpz_set_str(c->data.value, *text == '+' ? at : text, 10);
    long long zeros = (long long)c->data.digits + exponent - (long long)part,
              digits = (long long)(whole + part);
    if (mpz_sgn(c->data.value) == 0)
        return true;
    need(c, zeros + (long long)mpz_sizeinbase(c->data.value, 10) <= NUMBER_MAX,
         "a number with too many digits");
    if (zeros >= -digits)
        shift_value(c, zeros);
    else
        c->data.too_long = true;
    return true;
}

// label index:value index:value ... # comment
static void libsvm_row(struct checker *c, char *line)
{
    char *save, *word = strtok_r(line, " \t", &save), *comment = NULL;
    take_label(c, word);
    while (!comment && (word = strtok_r(NULL, " \t", &save)) != NULL && *word != '#') {
        size_t digits = strspn(word, DIGITS), zeros = strspn(word, "0");
        bool query = strncmp(word, "qid:", 4) == 0;
        need(c, query || (digits && word[digits] == ':'), "expected index:value, found %.80s",
             word);
        comment = strchr(word, '#');
        if (comment)
            *comment = '\0';
        if (query)
            continue;
        word[digits] = '\0';
        char *value = word + digits + 1;
        need(c, take_number(c, value), "expected a number, found %.80s", value);
        take_entry(c, word + (zeros < digits ? zeros : digits - 1));
    }
}

// Copies the field that begins at `at` to `text`. The start of the next one; NULL: it was the last.
static char *take_field(struct checker *c, char *at, char *text)
{
    char stops[] = {(char)c->data.delimiter, '"', '\0'};
    bool blanks = stops[0] == ' ';
    at += strspn(at, " ");
    if (*at == '"') {
        for (at++; *at != '"' || *++at == '"'; *text++ = *at++)
            need(c, *at, "a quote that is not closed in its line");
    } else {
        size_t length = strcspn(at, stops), end = length;
        while (end && at[end - 1] == ' ')
            end--;
        memcpy(text, at, end);
        text += end;
        at += length;
    }
    *text = '\0';
    char *after = at + strspn(at, " ");
    need(c, !*after || (blanks ? after > at : *after == stops[0]),
         "expected a delimiter, found %.80s", after);
    return *after ? after + !blanks : NULL;
}

static bool is_missing(const char *text)
{
    static const char *const words[] = {"", "?", "NA", "N/A", "nan", "NaN", "null", "NULL"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

// A field in a column of numbers or categories. It is at the end of c->data.name, after `J=`.
static void csv_entry(struct checker *c, char kind, char *text)
{
    bool missing = is_missing(text);
    char policy = c->data.missing;
    need(c, !missing || policy != 'r', "a missing value: %.80s", text);
    need(c, policy != 'i' || kind != 'c' || strcmp(text, "(missing)") != 0,
         "a value that means a missing one: %.80s", text);
    if (missing && policy == 'z')
        return;
    if (missing)
        strcpy(text, "(missing)");
    bool number = !missing && kind == 'n';
    mpz_set(c->data.value, c->one);
    need(c, !number || take_number(c, text), "expected a number, found %.80s", text);
    if (number)
        text[-1] = '\0';
    take_entry(c, c->data.name);
}

static void csv_row(struct checker *c, char *at, bool header)
{
    bool example = true; // a header must not hide one
    for (const char *kind = c->data.kinds; *kind; kind++) {
        size_t column = (size_t)(kind - c->data.kinds) + 1;
        char *text = c->data.name + sprintf(c->data.name, "%zu=", column);
        need(c, at, "fewer fields than the proof has columns");
        at = take_field(c, at, text);
        if (*kind == 'l' && header)
            example &= is_label(c, text);
        else if (*kind == 'l')
            take_label(c, text);
        else if (*kind == 'n' && header)
            example &= is_missing(text) || take_number(c, text);
        else if (*kind != 'i' && !header)
            csv_entry(c, *kind, text);
    }
    need(c, !at, "more fields than the proof has columns");
    need(c, !header || !example, "the header would be an example");
}

static void read_rows(struct checker *c)
{
    char *rest = c->data.start + (strncmp(c->data.start, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0);
    bool csv = c->data.kinds, begun = false, header = c->data.header;
    for (c->line = 1; rest; c->line++) {
        char *line = strsep(&rest, "\n"), *row = line + strspn(line, csv ? " " : " \t");
        size_t length = strlen(line);
        if (length && line[length - 1] == '\r')
            line[length - 1] = '\0';
        bool remark = *row == '#' && (!csv || (!begun && row == line && strchr(" \t", row[1])));
        if (!*row || remark)
            continue;
        begun = true;
        c->data.too_long = false;
        start_row(c);
        if (csv)
            csv_row(c, row, header);
        else
            libsvm_row(c, row);
        if (!header)
            end_row(c);
        header = false;
    }
}

// ---- what follows

// Requires that the squared margin, square / (over 10^digits^2), is the claimed one; returns its
// root.
static double must_follow(struct checker *c, struct claimed_margin bound, mpz_t square, mpz_t over)
{
    mpq_t found, given;
    if (!bound.text)
        return 0;
    mpq_inits(found, given, NULL);
    mpz_mul(mpq_denref(found), c->one, c->one);
    mpz_mul(mpq_denref(found), mpq_denref(found), over);
    mpz_set(mpq_numref(found), square);
    if (mpz_sgn(over))
        mpq_canonicalize(found);
    bool plain = !bound.text[strspn(bound.text, DIGITS "/")] && mpz_sgn(over);
    bool same = plain && mpq_set_str(given, bound.text, 10) == 0 && mpq_equal(found, given);
    double root = same ? sqrt(mpq_get_d(found)) : 0;
    mpq_clears(found, given, NULL);
    c->line = bound.line;
    need(c, same, "another margin follows than %.80s", bound.text);
    return root;
}

// The sums over the cited rows of each set must be 0; for a margin they are the difference of two
// points of the hulls.
static void check_sums(struct checker *c)
{
    for (struct item *item = c->all; item; item = item->all) {
        bool hull = c->said.high.text && *item->text;
        c->line = item->kind == LABEL ? item->proof_line : c->said.claim_line;
        need(c, item->kind != LABEL || item->line, "no row of the data has the label %.80s",
             item->text);
        need(c, item->kind != SUM || hull || mpz_sgn(item->n) == 0,
             "the rows do not add up to 0 in set, class and feature %llu %llu %.80s", item->set,
             item->class, item->text);
        if (item->kind == SUM && hull && item->class == 1)
            mpz_addmul(c->hull, item->n, item->n);
    }
}

static void conclude(struct checker *c)
{
    c->line = c->cited ? c->cited->proof_line : c->said.question_line;
    need(c, !c->cited, "this line of the data is not an example");
    need(c, c->rows == c->said.rows, "the data has another number of rows");
    check_sums(c);
    c->line = c->said.claim_line;
    need(c, c->said.claim != MISTAKES || c->mistakes == c->said.mistakes,
         "the weights make another number of mistakes");
    mpz_mul(c->least, c->least, c->least);
    mpz_mul(c->total, c->total, c->total);
    double low = must_follow(c, c->said.low, c->least, c->weights);
    double high = must_follow(c, c->said.high, c->hull, c->total);
    *c->verdict = (tlu_proof_report){
        .margin_low = low,
        .margin_high = high,
        .has_low = c->said.low.text != NULL,
        .has_high = c->said.high.text != NULL,
        .claim = claim_texts[c->said.claim],
        .rows = c->rows,
        .classes = c->said.classes,
        .mistakes_min = c->said.claim == MISTAKES ? c->said.sets : 0,
        .mistakes_max = c->said.mistakes,
        .accepted = 1,
    };
}

struct check_input {
    const char *proof, *data;
    size_t proof_size, data_size;
    tlu_proof_report *verdict; // out
};

// Texts must not contain a NUL.
static void check_texts(void *context)
{
    struct check_input *texts = context;
    size_t proof_size = texts->proof_size, data_size = texts->data_size;
    struct checker *c = exact_new(1, sizeof *c);
    c->verdict = exact_new(1, sizeof *c->verdict);
    c->proof.start = c->proof.at = exact_copy_text(texts->proof, proof_size);
    c->proof.end = c->proof.start + proof_size;
    c->proof.next_line = 1;
    c->data.start = exact_copy_text(texts->data, data_size);
    c->data.name = exact_new(data_size + NAME_MORE, 1);
    c->buckets = (proof_size + data_size) / 16 + 1;
    c->table = exact_new(c->buckets, sizeof *c->table);
    mpz_inits(c->proof.integer, c->data.value, c->one, c->least, c->total, c->hull, c->weights,
              NULL);
    if (setjmp(c->stop) == 0) {
        need(c, strlen(c->proof.start) == proof_size, "the proof is not text: it has a NUL");
        c->in_data = true;
        need(c, strlen(c->data.start) == data_size, "the data is not text: it has a NUL");
        c->in_data = false;
        for (char *at = c->proof.start; (at = strchr(at, '\n')) != NULL;)
            *at++ = '\0';
        take_proof(c, texts->proof, proof_size);
        c->in_data = true;
        read_rows(c);
        c->in_data = false;
        conclude(c);
    }
    exact_keep(c->verdict);
    texts->verdict = c->verdict;
}
#endif

tlu_status tlu_proof_check(const char *proof, size_t proof_size, const char *data, size_t data_size,
                           tlu_proof_report **report, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    *report = NULL;
    TRY(check_given(proof || !proof_size, "proof", error));
    TRY(check_given(data || !data_size, "data", error));
#ifdef TLU_HAVE_GMP
    struct check_input texts = {
        .proof = proof, .data = data, .proof_size = proof_size, .data_size = data_size};
    TRY(enough_memory(exact_run(check_texts, &texts), error));
    *report = texts.verdict;
    return TLU_OK;
#else
    (void)proof, (void)proof_size, (void)data, (void)data_size;
    return error_system(error, "this tlu was built without GMP (libgmp-dev), which checking "
                               "proofs needs: install it and build again");
#endif
}

void tlu_proof_report_free(tlu_proof_report *report)
{
    memory_free(report);
}
