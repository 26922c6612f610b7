// Writes the lines of docs/proof-format.md.
#include "proof/built.h"
#ifdef TLU_PROVES
#include "proof/proof.h"

#include "base/memory.h"
#include "proof/exact.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_LIMIT 100000 // bytes

// ---- text ----

// Space for `more` bytes and a NUL, at the returned place.
static char *reserve_text(struct proof_text *text, size_t more)
{
    exact_reserve(&text->bytes, &text->capacity, text->size + more + 1, 1);
    return text->bytes + text->size;
}

void text_put(struct proof_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    va_start(arguments, format);
    vsnprintf(reserve_text(text, (size_t)length), (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->size += (size_t)length;
}

void text_put_whole(struct proof_text *text, const mpz_t value)
{
    char *at = reserve_text(text, mpz_sizeinbase(value, 10) + 1);
    text->size += strlen(mpz_get_str(at, 10, value));
}

// Writes text that ends its line; the format cannot represent line ends in it.
static void put_line(struct proof_text *text, const char *line)
{
    text->unfit |= strpbrk(line, "\r\n") != NULL;
    text_put(text, "%s\n", line);
}

// ---- names ----

void feature_name(struct proof_text *text, const struct examples *examples, size_t column)
{
    uint32_t feature = examples->feature[column];
    size_t length = schema_name(examples->schema, feature, NULL, 0);
    schema_name(examples->schema, feature, reserve_text(text, length), length + 1);
    text->size += length;
}

// CSV: the number of the column, from 1; for a category followed by "=" and the value.
static void put_csv_feature(struct proof_text *text, const struct examples *examples, size_t column)
{
    const struct schema *schema = examples->schema;
    for (size_t c = 0; c < schema->column_count; c++)
        if (schema->columns[c].kind == COLUMN_NUMERIC &&
            schema->columns[c].feature == examples->feature[column]) {
            text_put(text, "%zu\n", c + 1);
            return;
        }
    struct proof_text name = {0};
    feature_name(&name, examples, column);
    for (size_t c = 0; c < schema->column_count; c++) {
        size_t length = strlen(schema->columns[c].name);
        if (schema->columns[c].kind > COLUMN_CATEGORICAL || name.size <= length ||
            name.bytes[length] != '=' || memcmp(name.bytes, schema->columns[c].name, length) != 0)
            continue;
        text_put(text, "%zu", c + 1);
        put_line(text, name.bytes + length);
        break;
    }
    memory_free(name.bytes);
}

static void put_feature(struct proof_text *text, const struct examples *examples, size_t column)
{
    if (schema_is_csv(examples->schema)) {
        put_csv_feature(text, examples, column);
        return;
    }
    feature_name(text, examples, column);
    text_put(text, "\n");
}

// ---- the head ----

static void put_columns(struct proof_text *text, const struct schema *schema, int missing)
{
    static const char kinds[] = {[COLUMN_NUMERIC] = 'n',
                                 [COLUMN_CATEGORICAL] = 'c',
                                 [COLUMN_LABEL] = 'l',
                                 [COLUMN_IGNORED] = 'i'};
    // auto, too, marks missing numbers; what it would replace them by is not a part of the data.
    char treatment = missing == MISSING_REFUSE ? 'r' : missing == MISSING_ZERO ? 'z' : 'i';
    text_put(text, "data csv %d %d %c ", schema->delimiter, schema->header, treatment);
    for (size_t c = 0; c < schema->column_count; c++)
        text_put(text, "%c", kinds[schema->columns[c].kind]);
    text_put(text, "\n");
    for (size_t c = 0; c < schema->column_count; c++) {
        text_put(text, "# column %zu: ", c + 1);
        put_line(text, schema->columns[c].name);
    }
}

// Classes in a proof are numbered from 1; with two classes 1 is the positive one. 0: left out.
static uint32_t class_in_proof(const struct examples *examples, uint32_t group)
{
    if (group == GROUP_NONE)
        return 0;
    return examples->groups <= 2 ? 2 - group : group + 1;
}

static void put_labels(struct proof_text *text, const struct examples *examples)
{
    const struct label_names *labels = examples->labels;
    for (uint32_t k = 0; k <= examples->groups; k++)
        for (size_t i = 0; i < labels->count; i++)
            if (class_in_proof(examples, labels->items[i].group) == k) {
                text_put(text, "label %u ", k);
                put_line(text, labels->items[i].text);
            }
}

// The most decimal places of a value: 1/2 has as many as 1/10.
static int32_t digits_of(const struct examples *examples)
{
    int32_t digits = 0;
    for (size_t i = 0; i < examples->count; i++) {
        int32_t own = examples->scale[i].ten + examples->scale[i].two;
        digits = own > digits ? own : digits;
    }
    return digits;
}

// The data and the question. False: the format does not support such data.
static bool put_head(struct proof_text *text, const struct separation_task *task, int missing)
{
    const struct examples *examples = task->examples;
    const struct schema *schema = examples->schema;
    text_put(text, "tlu proof 1\n");
    if (schema->decimal_comma || (schema_is_csv(schema) && schema_has_texts(schema)))
        return false;
    if (schema_is_csv(schema))
        put_columns(text, schema, missing);
    else if (schema_is_indexed(schema))
        text_put(text, "data libsvm\n");
    else
        return false;
    text_put(text, "question %d %d %zu %zu\n", (int)digits_of(examples), examples->bias,
             examples->count, examples->groups);
    put_labels(text, examples);
    return !text->unfit && !examples->binary;
}

// ---- claims ----

static void put_weights(struct proof_text *text, const struct separation_task *task,
                        const struct witness *weights)
{
    const struct examples *examples = task->examples;
    for (size_t j = 0; j < weights->count; j++) {
        size_t column = j % examples->width;
        if (column == examples->features || mpz_sgn(weights->w[j]) == 0)
            continue;
        text_put(text, "weight ");
        text_put_whole(text, weights->w[j]);
        text_put(text, " %zu ", j / examples->width + 1);
        put_feature(text, examples, column);
    }
    for (size_t block = 0; examples->bias && block < task->blocks; block++) {
        mpz_srcptr offset = weights->w[block * examples->width + examples->features];
        if (mpz_sgn(offset) == 0)
            continue;
        text_put(text, "offset ");
        text_put_whole(text, offset);
        text_put(text, " %zu\n", block + 1);
    }
}

static void put_ratio(struct proof_text *text, const char *what, const mpq_t ratio)
{
    text_put(text, "%s ", what);
    text_put_whole(text, mpq_numref(ratio));
    if (mpz_cmp_ui(mpq_denref(ratio), 1) != 0) {
        text_put(text, "/");
        text_put_whole(text, mpq_denref(ratio));
    }
    text_put(text, "\n");
}

// A case, its coefficient, and the number of its set. The caller passes cases in ascending order
// over all sets.
static void put_row(struct proof_text *text, const struct separation_task *task, size_t c,
                    const mpz_t coefficient, size_t set)
{
    const struct examples *examples = task->examples;
    size_t row = case_row(task, c);
    uint32_t own = examples->group[row];
    uint32_t rival = task->blocks > 1 ? case_rival(task, c) : 1 - own;
    text_put(text, "row ");
    text_put_whole(text, coefficient);
    text_put(text, " %llu %u %u %zu\n", (unsigned long long)examples->line[row],
             class_in_proof(examples, own), class_in_proof(examples, rival), set);
}

static void put_margin(struct proof_text *text, const struct separation_task *task,
                       const struct margin *margin, bool low)
{
    if (low)
        put_ratio(text, "low", margin->low);
    if (!margin->known)
        return;
    put_ratio(text, "high", margin->high);
    for (size_t i = 0; i < task->examples->count; i++)
        if (mpz_sgn(margin->hull[i]) != 0)
            put_row(text, task, i, margin->hull[i], 1);
}

static void put_rows(struct proof_text *text, const struct separation_task *task,
                     const struct contradiction *contradiction)
{
    for (size_t i = 0; i < contradiction->count; i++)
        put_row(text, task, contradiction->cases[i], contradiction->lambda[i], 1);
}

// A case of one of several contradictions.
struct cited_case {
    size_t c, set, index;
};

static int by_case(const void *a, const void *b)
{
    const struct cited_case *x = a, *y = b;
    return (x->c > y->c) - (x->c < y->c);
}

static void put_mistakes(struct proof_text *text, const struct separation_task *task,
                         const struct mistakes *mistakes)
{
    const struct contradictions *sets = &mistakes->apart;
    size_t count = 0, place = 0;
    text_put(text, "claim mistakes %zu %zu\n", sets->count, mistakes->at_most);
    put_weights(text, task, &mistakes->weights);
    for (size_t i = 0; i < sets->count; i++)
        count += sets->items[i].count;
    struct cited_case *cited = exact_new(count, sizeof *cited);
    for (size_t i = 0; i < sets->count; i++)
        for (size_t k = 0; k < sets->items[i].count; k++)
            cited[place++] = (struct cited_case){sets->items[i].cases[k], i, k};
    qsort(cited, count, sizeof *cited, by_case);
    for (size_t i = 0; i < count; i++)
        put_row(text, task, cited[i].c, sets->items[cited[i].set].lambda[cited[i].index],
                cited[i].set + 1);
    memory_free(cited);
}

// Appends the checksum, 64-bit FNV-1a of all lines, and checks the lengths of the lines.
static void put_end(struct proof_text *text)
{
    uint64_t hash = 0xcbf29ce484222325U;
    size_t line = 0; // its bytes so far
    for (size_t i = 0; i < text->size; i++) {
        hash = (hash ^ (unsigned char)text->bytes[i]) * 0x100000001b3U;
        line = text->bytes[i] == '\n' ? 0 : line + 1;
        text->unfit |= line > LINE_LIMIT;
    }
    text_put(text, "end %016llx\n", (unsigned long long)hash);
}

void proof_write(struct proof_text *text, const struct separation_task *task,
                 const struct conclusion *conclusion, int missing)
{
    bool margin = task->blocks == 1 && conclusion->margin.known;
    if (!put_head(text, task, missing) || (conclusion->verdict == TLU_NOT_DECIDED && !margin)) {
        text->size = 0;
        return;
    }
    if (conclusion->mistakes.known) {
        put_mistakes(text, task, &conclusion->mistakes);
    } else if (conclusion->verdict == TLU_NOT_SEPARABLE) {
        text_put(text, "claim not-separable\n");
        put_rows(text, task, &conclusion->found.contradiction);
    } else if (conclusion->verdict == TLU_SEPARABLE) {
        text_put(text, "claim separable\n");
        put_weights(text, task, &conclusion->found.weights);
        if (margin)
            put_margin(text, task, &conclusion->margin, true);
    } else {
        text_put(text, "claim below\n");
        put_margin(text, task, &conclusion->margin, false);
    }
    put_end(text);
    if (text->unfit)
        text->size = 0;
}
#endif
