// Reads all rows with their numbers as written, and turns them into integers: classes become
// groups, features that occur become columns.
#include "proof/built.h"
#ifdef TLU_PROVES
#include "proof/examples.h"

#include "base/memory.h"
#include "input/reader.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool add_spelling(struct gathered *all, const char *text, size_t length, uint32_t class)
{
    struct label_names *labels = &all->labels_spelled;
    uint32_t number = table_add(&all->spellings, text, length);
    if (number == TABLE_NONE || number < labels->count)
        return number != TABLE_NONE;
    if (!memory_reserve(&labels->items, &labels->capacity, labels->count + 1,
                        sizeof *labels->items))
        return false;
    char *copy = memory_copy_text(text, length);
    if (!copy)
        return false;
    labels->items[labels->count++] = (struct label_name){copy, class};
    return true;
}

// Keeps the labels of a batch as written there; binary data has none, so the schema's are used.
static bool note_spellings(struct gathered *all, const struct batch *batch)
{
    const struct schema *schema = &all->schema;
    for (uint32_t i = 0; i < batch->classes.count; i++) {
        const char *text = table_text(&batch->classes, i);
        size_t length = table_length(&batch->classes, i);
        if (!add_spelling(all, text, length, schema_class_find(schema, text, length)))
            return false;
    }
    for (uint32_t i = 0; batch->classes.count == 0 && i < schema_classes(schema); i++)
        if (!add_spelling(all, schema->spelled[i], strlen(schema->spelled[i]), i))
            return false;
    return true;
}

static bool reserve_rows(struct gathered *all, size_t rows, size_t entries)
{
    return memory_reserve(&all->offsets, &all->rows_capacity[0], all->rows + rows + 1,
                          sizeof *all->offsets) &&
           memory_reserve(&all->line, &all->rows_capacity[1], all->rows + rows + 1,
                          sizeof *all->line) &&
           memory_reserve(&all->labels, &all->rows_capacity[2], all->rows + rows + 1,
                          sizeof *all->labels) &&
           memory_reserve(&all->features, &all->entries_capacity[0], all->entries + entries + 1,
                          sizeof *all->features) &&
           memory_reserve(&all->values, &all->entries_capacity[1], all->entries + entries + 1,
                          sizeof *all->values);
}

static bool add_batch(struct gathered *all, const struct batch *batch)
{
    const struct batch_exact *exact = &batch->scratch.exact;
    if (!reserve_rows(all, batch->rows, batch_nonzeros(batch)) || !note_spellings(all, batch) ||
        !memory_reserve(&all->texts, &all->texts_capacity, all->size + exact->size + 1, 1))
        return false;
    all->floats |= !exact->values && batch_nonzeros(batch) > 0;
    if (exact->size)
        memcpy(all->texts + all->size, exact->texts, exact->size);
    for (size_t i = 0; i < batch->rows; i++) {
        tlu_row row = batch_row(batch, i);
        for (size_t k = 0; k < row.count; k++) {
            struct decimal value = exact->values ? exact->values[batch->offsets[i] + k]
                                                 : decimal_of_float((float)row_value(&row, k));
            if (value.two == DECIMAL_LONG)
                value.digits += (int64_t)all->size;
            all->features[all->entries] = row_feature(&row, k);
            all->values[all->entries++] = value;
        }
        all->line[all->rows] = batch_line(batch, i);
        all->labels[all->rows++] = batch->labels[i];
        all->offsets[all->rows] = all->entries;
    }
    all->size += exact->size;
    return true;
}

static tlu_status read_all(struct gathered *all, struct reader *reader, tlu_error *error)
{
    struct batch *batch;
    TRY(enough_memory(reserve_rows(all, 0, 0), error));
    all->offsets[0] = 0;
    for (;;) {
        TRY(reader_next(reader, &batch, error));
        if (!batch)
            return TLU_OK;
        bool enough = add_batch(all, batch);
        reader_recycle(reader, batch);
        TRY(enough_memory(enough, error));
    }
}

tlu_status gather(struct gathered *all, const char *path, const struct row_source *row_source,
                  const tlu_options *options, tlu_error *error)
{
    struct reader *reader = NULL;
    memset(all, 0, sizeof *all);
    schema_init(&all->schema);
    tlu_status status = reader_open_source(&reader, path, row_source, options, &all->schema, error);
    if (status == TLU_OK)
        status = read_all(all, reader, error);
    reader_close(reader);
    if (status == TLU_OK && all->rows == 0)
        status = error_at(error, path, 0, 0, "has no rows");
    return status;
}

static void labels_free(struct label_names *labels)
{
    for (size_t i = 0; i < labels->count; i++)
        memory_free(labels->items[i].text);
    memory_free(labels->items);
}

void gathered_free(struct gathered *all)
{
    memory_free(all->offsets);
    memory_free(all->line);
    memory_free(all->labels);
    memory_free(all->features);
    memory_free(all->values);
    memory_free(all->texts);
    labels_free(&all->labels_spelled);
    table_free(&all->spellings);
    schema_free(&all->schema);
    memset(all, 0, sizeof *all);
    schema_init(&all->schema);
}

void examples_free_taken(struct examples *examples)
{
    labels_free(&examples->labels);
    schema_free(&examples->schema);
}

void examples_free_big(struct examples *examples)
{
    for (size_t i = 0; i < examples->big_count; i++)
        mpz_clear(examples->big[i]);
    memory_free(examples->big);
    examples->big = NULL;
    examples->big_count = 0;
}

void examples_free(struct examples *examples)
{
    examples_free_big(examples);
    memory_free(examples->offsets);
    memory_free(examples->columns);
    memory_free(examples->near);
    memory_free(examples->whole);
    memory_free(examples->large);
    memory_free(examples->scale);
    memory_free(examples->group);
    memory_free(examples->line);
    memory_free(examples->feature);
    examples_free_taken(examples);
}

// ---- from decimals to whole numbers ----

#define CASES_MAX 1e9 // rows times classes: each row is compared with every other class

// ---- groups ----

static bool is_listed(const struct schema *schema, const char *list, uint32_t class)
{
    size_t length;
    const char *item;
    while ((item = options_next_item(&list, &length)) != NULL)
        if (schema_class_find(schema, item, length) == class)
            return true;
    return false;
}

static tlu_status check_label(const struct schema *schema, const char *label, size_t length,
                              const char *option, tlu_error *error)
{
    char quoted[64], list[256];
    if (schema_class_find(schema, label, length) != SCHEMA_NONE)
        return TLU_OK;
    error_quote(quoted, sizeof quoted, label, length);
    return error_input(error, "--%s %s: no row has that label; there are %s", option, quoted,
                       schema_list_labels(schema, quoted, list, sizeof list));
}

// Sorts classes by label, in place: Shell's sort, since there may be as many classes as rows.
static void sort_classes(const struct schema *schema, uint32_t *order, size_t count)
{
    size_t gap = 1;
    while (gap < count / 3)
        gap = 3 * gap + 1;
    for (; gap; gap /= 3)
        for (size_t i = gap; i < count; i++) {
            uint32_t class = order[i];
            const char *label = schema->spelled[class];
            size_t at = i;
            for (; at >= gap && schema_label_compare(schema->spelled[order[at - gap]], label) > 0;
                 at -= gap)
                order[at] = order[at - gap];
            order[at] = class;
        }
}

// The classes that are used, sorted by label.
static size_t order_classes(const struct schema *schema, const char *only, uint32_t *order)
{
    size_t count = 0;
    for (uint32_t c = 0; c < schema_classes(schema); c++)
        if (!only || !*only || is_listed(schema, only, c))
            order[count++] = c;
    sort_classes(schema, order, count);
    return count;
}

static tlu_status set_groups(const struct schema *schema, const struct grouping *grouping,
                             uint32_t *order, uint32_t *groups, size_t *count, tlu_error *error)
{
    const char *list = grouping->only ? grouping->only : "", *item, *positive = grouping->positive;
    size_t length;
    while ((item = options_next_item(&list, &length)) != NULL)
        TRY(check_label(schema, item, length, "only", error));
    *count = order_classes(schema, grouping->only, order);
    for (uint32_t c = 0; c < schema_classes(schema); c++)
        groups[c] = GROUP_NONE;
    for (size_t i = 0; i < *count; i++)
        groups[order[i]] = (uint32_t)i;
    if (*count < 2 && !grouping->single)
        return error_input(error, "every row has the label '%.80s': there is nothing to separate",
                           schema->spelled[order[0]]);
    if (!positive || !*positive)
        return TLU_OK;
    TRY(check_label(schema, positive, strlen(positive), "positive", error));
    uint32_t wanted = schema_class_find(schema, positive, strlen(positive));
    if (groups[wanted] == GROUP_NONE)
        return error_input(error, "--positive %.80s: --only leaves that label out", positive);
    for (size_t i = 0; i < *count; i++)
        groups[order[i]] = order[i] == wanted;
    *count = 2;
    return TLU_OK;
}

// ---- labels by group ----

static int by_group(const void *a, const void *b)
{
    const struct label_name *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return strcmp(x->text, y->text);
}

static void take_labels(struct examples *examples, struct gathered *all, const uint32_t *groups)
{
    examples->labels = all->labels_spelled;
    all->labels_spelled = (struct label_names){NULL, 0, 0};
    struct label_names *labels = &examples->labels;
    for (size_t i = 0; i < labels->count; i++)
        labels->items[i].group = groups[labels->items[i].group];
    qsort(labels->items, labels->count, sizeof *labels->items, by_group);
}

// ---- numbers ----

void scale_factor(struct scale scale, mpz_t out)
{
    assert(scale.ten >= 0 && scale.two >= 0);
    mpz_ui_pow_ui(out, 10, (unsigned long)scale.ten);
    mpz_mul_2exp(out, out, (mp_bitcnt_t)scale.two);
}

static int32_t two_of(const struct decimal *value)
{
    return value->two == DECIMAL_LONG ? 0 : value->two;
}

// *out := value times the scale; false: it does not fit 62 bits.
static bool small_whole(const struct decimal *value, struct scale scale, int64_t *out)
{
    if (value->two == DECIMAL_LONG)
        return false;
    int64_t whole = value->digits;
    const int64_t most = (int64_t)1 << 62;
    for (int32_t n = value->ten + scale.ten; n > 0; n--) {
        if (whole > most / 10 || whole < -most / 10)
            return false;
        whole *= 10;
    }
    for (int32_t n = value->two + scale.two; n > 0; n--) {
        if (whole > most / 2 || whole < -most / 2)
            return false;
        whole *= 2;
    }
    *out = whole;
    return whole <= most && whole >= -most;
}

static void big_whole(const struct decimal *value, const char *texts, struct scale scale, mpz_t out)
{
    mpz_t factor;
    mpz_init(factor);
    scale_factor((struct scale){value->ten + scale.ten, two_of(value) + scale.two}, factor);
    if (value->two == DECIMAL_LONG)
        mpz_set_str(out, texts + value->digits, 10);
    else
        integer_set(out, value->digits);
    mpz_mul(out, out, factor);
    mpz_clear(factor);
}

static double near_of(const struct decimal *value, const char *texts)
{
    double digits = (double)value->digits;
    if (value->two == DECIMAL_LONG) {
        mpz_t whole;
        mpz_init_set_str(whole, texts + value->digits, 10);
        long exponent;
        digits = mpz_get_d_2exp(&exponent, whole);
        mpz_clear(whole);
        return ldexp(digits * pow(10, value->ten), (int)exponent);
    }
    double ten = pow(10, abs(value->ten)); // exact up to 10^22
    return ldexp(value->ten < 0 ? digits / ten : digits * ten, value->two);
}

// Sets the scale and the values of row i.
static bool set_row(struct examples *examples, size_t i, const struct decimal *values,
                    const char *texts)
{
    size_t start = examples->offsets[i], count = examples->offsets[i + 1] - start;
    struct scale scale = {0, 0};
    for (size_t k = 0; k < count; k++) {
        scale.ten = values[k].ten < -scale.ten ? -values[k].ten : scale.ten;
        scale.two = two_of(&values[k]) < -scale.two ? -two_of(&values[k]) : scale.two;
    }
    examples->scale[i] = scale;
    for (size_t k = 0; k < count; k++) {
        examples->near[start + k] = near_of(&values[k], texts);
        examples->large[i] |= !small_whole(&values[k], scale, &examples->whole[start + k]);
    }
    if (!examples->large[i])
        return true;
    for (size_t k = 0; k < count; k++) {
        size_t at = examples->big_count; // the array doubles at powers of two
        if ((at & (at - 1)) == 0) {
            mpz_t *more = memory_resize(examples->big, at ? 2 * at : 1, sizeof *more);
            if (!more)
                return false;
            examples->big = more;
        }
        mpz_init(examples->big[at]);
        examples->big_count++;
        big_whole(&values[k], texts, scale, examples->big[at]);
        examples->whole[start + k] = (int64_t)at;
    }
    return true;
}

// ---- columns ----

struct placed {
    uint32_t column;
    struct decimal value;
};

static int by_column(const void *a, const void *b)
{
    uint32_t x = ((const struct placed *)a)->column, y = ((const struct placed *)b)->column;
    return x < y ? -1 : x > y;
}

// Numbers the features that occur: columns[feature of the schema] := column.
static tlu_status number_columns(struct examples *examples, const struct gathered *all,
                                 const uint32_t *groups, uint32_t *columns, tlu_error *error)
{
    size_t most = schema_features(&all->schema);
    memset(columns, 0xFF, most * sizeof *columns);
    for (size_t i = 0; i < all->rows; i++)
        for (size_t k = all->offsets[i];
             groups[all->labels[i]] != GROUP_NONE && k < all->offsets[i + 1]; k++)
            columns[all->features[k]] = 0;
    for (size_t f = 0; f < most; f++)
        examples->features += columns[f] == 0;
    examples->feature = memory_new(examples->features + 1, sizeof *examples->feature);
    TRY(enough_memory(examples->feature, error));
    uint32_t column = 0;
    for (size_t f = 0; f < most; f++) {
        if (columns[f] != 0)
            continue;
        examples->feature[column] = (uint32_t)f;
        columns[f] = column++;
    }
    return TLU_OK;
}

static tlu_status allocate_rows(struct examples *examples, size_t rows, size_t entries,
                                tlu_error *error)
{
    examples->offsets = memory_new(rows + 1, sizeof *examples->offsets);
    examples->columns = memory_new(entries + 1, sizeof *examples->columns);
    examples->near = memory_new(entries + 1, sizeof *examples->near);
    examples->whole = memory_new(entries + 1, sizeof *examples->whole);
    examples->large = memory_new(rows + 1, sizeof *examples->large);
    examples->scale = memory_new(rows + 1, sizeof *examples->scale);
    examples->group = memory_new(rows + 1, sizeof *examples->group);
    examples->line = memory_new(rows + 1, sizeof *examples->line);
    return enough_memory(examples->offsets && examples->columns && examples->near &&
                             examples->whole && examples->large && examples->scale &&
                             examples->group && examples->line,
                         error);
}

static tlu_status set_rows(struct examples *examples, const struct gathered *all,
                           const uint32_t *groups, const uint32_t *columns, struct placed *row,
                           struct decimal *values, tlu_error *error)
{
    size_t n = 0;
    for (size_t i = 0; i < all->rows; i++) {
        size_t count = 0, start = examples->offsets[n];
        if (groups[all->labels[i]] == GROUP_NONE)
            continue;
        for (size_t k = all->offsets[i]; k < all->offsets[i + 1]; k++)
            row[count++] = (struct placed){columns[all->features[k]], all->values[k]};
        qsort(row, count, sizeof *row, by_column);
        if (examples->bias)
            row[count++] = (struct placed){(uint32_t)examples->features, {1, 0, 0}};
        for (size_t k = 0; k < count; k++) {
            examples->columns[start + k] = row[k].column;
            values[k] = row[k].value;
        }
        examples->offsets[n + 1] = start + count;
        examples->group[n] = groups[all->labels[i]];
        examples->line[n] = all->line[i];
        TRY(enough_memory(set_row(examples, n, values, all->texts), error));
        n++;
    }
    examples->count = n;
    return TLU_OK;
}

static size_t longest_row(const struct gathered *all)
{
    size_t most = 0;
    for (size_t i = 0; i < all->rows; i++)
        if (all->offsets[i + 1] - all->offsets[i] > most)
            most = all->offsets[i + 1] - all->offsets[i];
    return most;
}

static tlu_status make(struct examples *examples, struct gathered *all,
                       const struct grouping *grouping, uint32_t *memory[3], tlu_error *error)
{
    uint32_t *order = memory[0], *groups = memory[1], *columns = memory[2];
    TRY(set_groups(&all->schema, grouping, order, groups, &examples->groups, error));
    if (examples->groups > 2 && (double)all->rows * (double)examples->groups > CASES_MAX)
        return error_input(
            error,
            "%zu rows of %zu classes are too many to compare: --positive LABEL takes "
            "one class against the rest, --only A,B some of them",
            all->rows, examples->groups);
    TRY(number_columns(examples, all, groups, columns, error));
    examples->width = examples->features + examples->bias;
    TRY(allocate_rows(examples, all->rows, all->entries + all->rows, error));
    size_t longest = longest_row(all) + 1;
    struct placed *row = memory_new(longest, sizeof *row);
    struct decimal *values = memory_new(longest, sizeof *values);
    tlu_status status = enough_memory(row && values, error);
    if (status == TLU_OK)
        status = set_rows(examples, all, groups, columns, row, values, error);
    memory_free(row);
    memory_free(values);
    if (status == TLU_OK)
        take_labels(examples, all, groups);
    return status;
}

tlu_status examples_make(struct examples *examples, struct gathered *all,
                         const struct grouping *grouping, bool bias, tlu_error *error)
{
    size_t classes = schema_classes(&all->schema) + 1, features = schema_features(&all->schema) + 1;
    uint32_t *memory[3] = {memory_new(classes, sizeof(uint32_t)),
                           memory_new(classes, sizeof(uint32_t)),
                           memory_new(features, sizeof(uint32_t))};
    memset(examples, 0, sizeof *examples);
    examples->bias = bias;
    tlu_status status = enough_memory(memory[0] && memory[1] && memory[2], error);
    if (status == TLU_OK)
        status = make(examples, all, grouping, memory, error);
    for (int i = 0; i < 3; i++)
        memory_free(memory[i]);
    examples->schema = all->schema;
    examples->binary = all->floats && !grouping->single;
    schema_init(&all->schema);
    return status;
}

const char *examples_label(const struct examples *examples, uint32_t group)
{
    const struct label_names *labels = &examples->labels;
    for (size_t i = 0; i < labels->count; i++)
        if (labels->items[i].group == group)
            return labels->items[i].text;
    return "";
}

const char *examples_label_column(const struct examples *examples)
{
    const struct schema *schema = &examples->schema;
    for (size_t i = 0; i < schema->column_count; i++)
        if (schema->columns[i].kind == COLUMN_LABEL)
            return schema->columns[i].name;
    return NULL;
}
#endif
