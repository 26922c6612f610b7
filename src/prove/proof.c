// The proof as text, line by line as docs/proof-format.md has it.
#ifdef TLU_HAVE_GMP
#include "prove/proof.h"

#include "base/crc.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- text ----

static bool make_room(struct text *text, size_t more)
{
    text->failed =
        text->failed || !memory_reserve(&text->bytes, &text->capacity, text->size + more + 1, 1);
    return !text->failed;
}

void text_put(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !make_room(text, (size_t)length))
        return;
    va_start(arguments, format);
    vsnprintf(text->bytes + text->size, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->size += (size_t)length;
}

void text_put_whole(struct text *text, const mpz_t value)
{
    if (!make_room(text, mpz_sizeinbase(value, 10) + 2))
        return;
    mpz_get_str(text->bytes + text->size, 10, value);
    text->size += strlen(text->bytes + text->size);
}

void text_put_label(struct text *text, const char *label)
{
    for (; *label; label++) {
        if (*label == '\n' || *label == '\r' || *label == '\\')
            text_put(text, "\\%c", *label == '\n' ? 'n' : *label == '\r' ? 'r' : '\\');
        else if (make_room(text, 1))
            text->bytes[text->size++] = *label;
    }
    text_put(text, "\n");
}

void text_end_string(struct text *text)
{
    if (make_room(text, 1))
        text->bytes[text->size] = '\0';
}

// ---- names ----

static void put_name(struct text *text, const struct schema *schema, uint32_t feature)
{
    size_t length = schema_name(schema, feature, NULL, 0);
    if (!make_room(text, length))
        return;
    schema_name(schema, feature, text->bytes + text->size, length + 1);
    text->size += length;
}

void feature_name(struct text *text, const struct examples *examples, size_t column)
{
    put_name(text, &examples->schema, examples->feature[column]);
}

// CSV: the number of the column from 1, and of a category "=" and the value.
static void put_csv_feature(struct text *text, const struct schema *schema, uint32_t feature)
{
    for (size_t c = 0; c < schema->column_count; c++)
        if (schema->columns[c].kind == COLUMN_NUMERIC && schema->columns[c].feature == feature) {
            text_put(text, "%zu\n", c + 1);
            return;
        }
    struct text name = {0};
    put_name(&name, schema, feature);
    text_end_string(&name);
    for (size_t c = 0; !name.failed && c < schema->column_count; c++) {
        size_t length = strlen(schema->columns[c].name);
        if (schema->columns[c].kind > COLUMN_CATEGORICAL || name.size <= length ||
            name.bytes[length] != '=' || memcmp(name.bytes, schema->columns[c].name, length) != 0)
            continue;
        text_put(text, "%zu", c + 1);
        text_put_label(text, name.bytes + length);
        break;
    }
    text->failed |= name.failed;
    memory_free(name.bytes);
}

static void put_feature(struct text *text, const struct examples *examples, size_t column)
{
    if (schema_is_csv(&examples->schema)) {
        put_csv_feature(text, &examples->schema, examples->feature[column]);
        return;
    }
    feature_name(text, examples, column);
    text_put(text, "\n");
}

// ---- the head ----

static void put_delimiter(struct text *text, char delimiter)
{
    static const struct {
        char byte;
        const char *name;
    } names[] = {{',', "comma"}, {';', "semicolon"}, {'\t', "tab"}, {' ', "space"}, {'|', "pipe"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].byte == delimiter) {
            text_put(text, "%s", names[i].name);
            return;
        }
    text_put(text, "%c", delimiter);
}

static void put_columns(struct text *text, const struct schema *schema, int missing)
{
    static const char *const kinds[] = {[COLUMN_NUMERIC] = "number",
                                        [COLUMN_CATEGORICAL] = "category",
                                        [COLUMN_LABEL] = "label",
                                        [COLUMN_IGNORED] = "ignored"};
    static const char *const treatment[] = {
        [MISSING_REFUSE] = "refuse", [MISSING_ZERO] = "zero", [MISSING_INDICATOR] = "indicator"};
    text_put(text, "format csv ");
    put_delimiter(text, schema->delimiter);
    text_put(text, " %s\n", schema->header ? "header" : "plain");
    for (size_t c = 0; c < schema->column_count; c++) {
        text_put(text, "column %s ", kinds[schema->columns[c].kind]);
        text_put_label(text, schema->columns[c].name);
    }
    text_put(text, "missing %s\n", treatment[missing]);
}

static void put_labels(struct text *text, const struct examples *examples)
{
    const struct labels *labels = &examples->labels;
    bool two = examples->groups <= 2;
    for (uint32_t turn = 0; two && turn < 2; turn++)
        for (size_t i = 0; i < labels->count; i++)
            if (labels->items[i].group == 1 - turn) {
                text_put(text, turn ? "negative " : "positive ");
                text_put_label(text, labels->items[i].text);
            }
    for (size_t i = 0; i < labels->count; i++) {
        if (labels->items[i].group == GROUP_NONE)
            text_put(text, "left-out ");
        else if (!two)
            text_put(text, "class %u ", labels->items[i].group + 1);
        else
            continue;
        text_put_label(text, labels->items[i].text);
    }
}

bool proof_head(struct text *text, const struct task *task, int missing)
{
    const struct examples *examples = task->examples;
    const struct schema *schema = &examples->schema;
    text_put(text, "tlu proof 1\n");
    if (schema_is_csv(schema))
        put_columns(text, schema, missing);
    else if (schema_is_indexed(schema))
        text_put(text, "format libsvm\n");
    else
        return false;
    text_put(text, "bias %s\nrows %zu\n", examples->bias ? "yes" : "no", examples->count);
    put_labels(text, examples);
    return true;
}

// ---- claims ----

void proof_weights(struct text *text, const struct task *task, const struct witness *weights)
{
    const struct examples *examples = task->examples;
    for (size_t j = 0; j < weights->count; j++) {
        size_t column = j % examples->width;
        if (column == examples->features || mpz_sgn(weights->w[j]) == 0)
            continue;
        text_put(text, "weight ");
        text_put_whole(text, weights->w[j]);
        if (task->blocks > 1)
            text_put(text, " %zu", j / examples->width + 1);
        text_put(text, " ");
        put_feature(text, examples, column);
    }
    for (size_t block = 0; examples->bias && block < task->blocks; block++) {
        mpz_srcptr offset = weights->w[block * examples->width + examples->features];
        if (mpz_sgn(offset) == 0)
            continue;
        text_put(text, "offset ");
        text_put_whole(text, offset);
        if (task->blocks > 1)
            text_put(text, " %zu", block + 1);
        text_put(text, "\n");
    }
}

static void put_ratio(struct text *text, const char *what, const mpq_t ratio)
{
    text_put(text, "%s ", what);
    text_put_whole(text, mpq_numref(ratio));
    if (mpz_cmp_ui(mpq_denref(ratio), 1) != 0) {
        text_put(text, "/");
        text_put_whole(text, mpq_denref(ratio));
    }
    text_put(text, "\n");
}

void proof_margin(struct text *text, const struct task *task, const struct margin *margin, bool low)
{
    if (low)
        put_ratio(text, "margin-low", margin->low);
    if (!margin->known)
        return;
    put_ratio(text, "margin-high", margin->high);
    for (size_t i = 0; i < task->examples->count; i++) {
        if (mpz_sgn(margin->hull[i]) == 0)
            continue;
        text_put(text, "hull ");
        text_put_whole(text, margin->hull[i]);
        text_put(text, " %llu\n", (unsigned long long)task->examples->line[i]);
    }
}

void proof_rows(struct text *text, const struct task *task,
                const struct contradiction *contradiction)
{
    for (size_t i = 0; i < contradiction->count; i++) {
        size_t c = contradiction->cases[i];
        text_put(text, "row ");
        text_put_whole(text, contradiction->lambda[i]);
        text_put(text, " %llu", (unsigned long long)task->examples->line[case_row(task, c)]);
        if (task->blocks > 1)
            text_put(text, " %u", case_rival(task, c) + 1);
        text_put(text, "\n");
    }
}

void proof_end(struct text *text)
{
    uint32_t crc = text->failed ? 0 : crc32_add(0, text->bytes, text->size);
    text_put(text, "end %08x\n", crc);
}
#endif
