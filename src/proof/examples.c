// Reads all rows with their numbers as written, and turns them into integers: classes become
// groups, features that occur become columns.
#include "proof/built.h"
#ifdef TLU_PROVES
#include "proof/examples.h"

#include "base/memory.h"
#include "base/options.h"
#include "data/scale.h"
#include "input/reader.h"
#include "numeric/number.h"
#include "proof/exact.h"

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

static bool add_batch(struct gathered *all, const struct batch *batch)
{
    const struct batch_exact *exact = &batch->scratch.exact;
    size_t entries = batch_nonzeros(batch);
    if (!memory_reserve(&all->rows, &all->row_capacity, all->row_count + batch->rows,
                        sizeof *all->rows) ||
        !memory_reserve(&all->entries, &all->entry_capacity, all->entry_count + entries,
                        sizeof *all->entries) ||
        !memory_reserve(&all->texts, &all->text_capacity, all->text_size + exact->size, 1) ||
        !note_spellings(all, batch))
        return false;
    all->floats |= !exact->values && entries > 0;
    if (exact->size)
        memcpy(all->texts + all->text_size, exact->texts, exact->size);
    for (size_t i = 0; i < batch->rows; i++) {
        tlu_row row = batch_row(batch, i);
        for (size_t k = 0; k < row.count; k++) {
            struct decimal value = exact->values ? exact->values[batch->offsets[i] + k]
                                                 : decimal_of_float((float)row_value(&row, k));
            if (value.two == DECIMAL_LONG)
                value.digits += (int64_t)all->text_size;
            all->entries[all->entry_count++] = (struct gathered_entry){row_feature(&row, k), value};
        }
        all->rows[all->row_count++] =
            (struct gathered_row){all->entry_count, batch_line(batch, i), batch->labels[i]};
    }
    all->text_size += exact->size;
    return true;
}

static tlu_status read_all(struct gathered *all, struct reader *reader, tlu_error *error)
{
    for (struct batch *batch;;) {
        TRY(reader_next(reader, &batch, error));
        if (!batch)
            return TLU_OK;
        bool enough = add_batch(all, batch);
        reader_recycle(reader, batch);
        TRY(enough_memory(enough, error));
    }
}

// Options that change values by what all rows tell.
static tlu_status check_options(const tlu_options *options, tlu_error *error)
{
    static const enum option changing[] = {OPTION_TFIDF, OPTION_NORMALIZE, OPTION_MIN_COUNT};
    int missing = options_choice(options, OPTION_MISSING);
    for (size_t i = 0; i < sizeof changing / sizeof changing[0]; i++) {
        const tlu_option_info *info = tlu_option_at(changing[i]);
        if (strcmp(options_text(options, changing[i]), info->value) != 0)
            return error_input(error,
                               "--%s changes the values, and the answer is about them as they are "
                               "in the data; leave it out",
                               info->name);
    }
    if (missing == MISSING_MEAN || missing == MISSING_MEDIAN || missing == MISSING_MODE)
        return error_input(error,
                           "--missing %s puts values in place of missing ones, and the answer is "
                           "about the data as it is; use indicator, zero or refuse",
                           options_text(options, OPTION_MISSING));
    return TLU_OK;
}

tlu_status gather(struct gathered *all, const char *path, const struct row_source *row_source,
                  const tlu_options *options, tlu_error *error)
{
    struct reader *reader = NULL;
    memset(all, 0, sizeof *all);
    schema_init(&all->schema);
    TRY(check_options(options, error));
    if (options && options_flag(options, OPTION_MULTILABEL))
        return error_input(error, "proofs are about rows with one label each; take the rows of one "
                                  "label against the others, without --multilabel");
    tlu_status status = reader_open_source(&reader, path, row_source, options, &all->schema, error);
    if (status == TLU_OK)
        status = read_all(all, reader, error);
    reader_close(reader);
    if (status == TLU_OK && all->row_count == 0)
        status = error_at(error, path, 0, 0, "has no rows");
    if (status == TLU_OK)
        status = data_facts_make(&all->facts, &all->schema, MISSING_INDICATOR, all->row_count,
                                 schema_classes(&all->schema), error);
    // Comparing so many classes would take very long.
    if (status == TLU_OK && all->schema.label_reason == LABEL_LAST &&
        labels_look_wrong(all->row_count, schema_classes(&all->schema)))
        status = error_at(error, path, 0, 0,
                          "the last column has %u different labels in %zu rows; give the label "
                          "column by --label",
                          schema_classes(&all->schema), all->row_count);
    return status;
}

static void free_rows(struct gathered *all)
{
    memory_free(all->rows);
    memory_free(all->entries);
    memory_free(all->texts);
    table_free(&all->spellings);
    *all = (struct gathered){
        .labels_spelled = all->labels_spelled, .schema = all->schema, .facts = all->facts};
}

void gathered_free(struct gathered *all)
{
    free_rows(all);
    for (size_t i = 0; i < all->labels_spelled.count; i++)
        memory_free(all->labels_spelled.items[i].text);
    memory_free(all->labels_spelled.items);
    data_facts_free(&all->facts);
    schema_free(&all->schema);
}

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

static int by_label(const void *a, const void *b)
{
    return schema_label_compare(**(char **const *)a, **(char **const *)b);
}

// The classes that are used, as addresses of their labels in the schema, sorted by label.
static char ***order_classes(const struct schema *schema, const char *only, size_t *count)
{
    char ***order = exact_new(schema_classes(schema), sizeof *order);
    *count = 0;
    for (uint32_t c = 0; c < schema_classes(schema); c++)
        if (!only || !*only || is_listed(schema, only, c))
            order[(*count)++] = &schema->spelled[c];
    qsort(order, *count, sizeof *order, by_label);
    return order;
}

// All rows have one label. If it is 1 or -1, the other class is its opposite, which no row has.
static tlu_status set_one_group(struct examples *examples, const struct grouping *grouping,
                                const char *label, uint32_t *group, tlu_error *error)
{
    double value = 0;
    if (number_whole(label, strlen(label), &value) && fabs(value) == 1) {
        examples->absent = value > 0 ? "-1" : "1";
        examples->groups = 2;
        *group = value > 0;
    } else if (!grouping->single) {
        return error_input(error,
                           "every row has the label '%.80s': there is nothing to separate; a "
                           "hyperplane with all rows on one side is found if their label is 1 or "
                           "-1",
                           label);
    }
    return TLU_OK;
}

// groups[class of the schema] := group
static tlu_status set_groups(struct examples *examples, const struct grouping *grouping,
                             uint32_t *groups, tlu_error *error)
{
    const struct schema *schema = examples->schema;
    size_t *count = &examples->groups;
    const char *list = grouping->only ? grouping->only : "", *item, *positive = grouping->positive;
    size_t length;
    while ((item = options_next_item(&list, &length)) != NULL)
        TRY(check_label(schema, item, length, "only", error));
    char ***order = order_classes(schema, grouping->only, count);
    for (uint32_t c = 0; c < schema_classes(schema); c++)
        groups[c] = GROUP_NONE;
    for (size_t i = 0; i < *count; i++)
        groups[order[i] - schema->spelled] = (uint32_t)i;
    if (*count == 1)
        TRY(set_one_group(examples, grouping, *order[0], &groups[order[0] - schema->spelled],
                          error));
    if (!*positive)
        return TLU_OK;
    TRY(check_label(schema, positive, strlen(positive), "positive", error));
    uint32_t wanted = schema_class_find(schema, positive, strlen(positive));
    if (groups[wanted] == GROUP_NONE)
        return error_input(error, "--positive %.80s: --only leaves that label out", positive);
    for (uint32_t c = 0; c < schema_classes(schema); c++)
        groups[c] = groups[c] == GROUP_NONE ? GROUP_NONE : c == wanted;
    *count = 2;
    return TLU_OK;
}

static int by_group(const void *a, const void *b)
{
    const struct label_name *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return strcmp(x->text, y->text);
}

// From classes of the schema to groups.
static void group_labels(struct label_names *labels, const uint32_t *groups)
{
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

static int by_column(const void *a, const void *b)
{
    const struct gathered_entry *x = a, *y = b;
    return x->feature < y->feature ? -1 : x->feature > y->feature;
}

// Sets the scale and the entries of row i; their features are columns by now.
static void set_row(struct examples *examples, size_t i, const struct gathered_entry *row,
                    size_t count, const char *texts)
{
    size_t start = examples->offsets[i];
    struct scale scale = {0, 0};
    for (size_t k = 0; k < count; k++) {
        const struct decimal *value = &row[k].value;
        scale.ten = value->ten < -scale.ten ? -value->ten : scale.ten;
        scale.two = two_of(value) < -scale.two ? -two_of(value) : scale.two;
    }
    examples->scale[i] = scale;
    examples->offsets[i + 1] = start + count;
    for (size_t k = 0; k < count; k++) {
        examples->columns[start + k] = row[k].feature;
        examples->near[start + k] = near_of(&row[k].value, texts);
        examples->large[i] |= !small_whole(&row[k].value, scale, &examples->whole[start + k]);
    }
    for (size_t k = 0; examples->large[i] && k < count; k++) {
        size_t at = examples->big_count++;
        exact_reserve(&examples->big, &examples->big_capacity, at + 1, sizeof *examples->big);
        mpz_init(examples->big[at]);
        big_whole(&row[k].value, texts, scale, examples->big[at]);
        examples->whole[start + k] = (int64_t)at;
    }
}

// ---- scaling ----

#define BATCH_ROWS 65536

// Adds the row of entries [start, end) to the batch, with the nearest floats.
static bool add_floats(struct batch *batch, const struct gathered *all, const double *near,
                       size_t start, size_t end)
{
    if (!batch_reserve(batch, 1, end - start))
        return false;
    size_t n = batch_nonzeros(batch);
    batch->ones = false;
    for (size_t k = start; k < end; k++, n++) {
        batch->indices[n] = all->entries[k].feature;
        batch->values[n] = (float)near[k];
    }
    batch->offsets[++batch->rows] = (uint32_t)n;
    return true;
}

struct scaled_rows {
    struct batch **batches;
    size_t count, capacity;
    struct scaling scaling;
};

// Moves the rows that take part into batches; the gathered rows keep their lines and labels.
static bool take_rows(struct scaled_rows *scaled, struct gathered *all, const double *near,
                      const char *only)
{
    size_t kept = 0, start = 0;
    for (size_t i = 0; i < all->row_count; i++) {
        struct gathered_row row = all->rows[i];
        if (!only || !*only || is_listed(&all->schema, only, row.label)) {
            if (kept % BATCH_ROWS == 0) {
                if (!memory_reserve(&scaled->batches, &scaled->capacity, scaled->count + 1,
                                    sizeof(struct batch *)) ||
                    !(scaled->batches[scaled->count] = batch_new()))
                    return false;
                scaled->count++;
            }
            if (!add_floats(scaled->batches[scaled->count - 1], all, near, start, row.end))
                return false;
            all->rows[kept++] = row;
        }
        start = row.end;
    }
    all->row_count = kept;
    all->entry_count = 0;
    return true;
}

static bool return_rows(const struct scaled_rows *scaled, struct gathered *all)
{
    size_t row = 0;
    for (size_t b = 0; b < scaled->count; b++)
        for (size_t i = 0; i < scaled->batches[b]->rows; i++) {
            tlu_row x = batch_row(scaled->batches[b], i);
            if (!memory_reserve(&all->entries, &all->entry_capacity, all->entry_count + x.count,
                                sizeof *all->entries))
                return false;
            for (size_t k = 0; k < x.count; k++)
                all->entries[all->entry_count++] = (struct gathered_entry){
                    row_feature(&x, k), decimal_of_float((float)row_value(&x, k))};
            all->rows[row++].end = all->entry_count;
        }
    all->floats = true;
    return true;
}

// The nearest doubles of all entries; GMP computes those of long numbers.
struct nearest_doubles {
    const struct gathered *all;
    double *near; // [entry_count]
};

static void find_nearest(void *context)
{
    const struct nearest_doubles *n = context;
    for (size_t k = 0; k < n->all->entry_count; k++)
        n->near[k] = near_of(&n->all->entries[k].value, n->all->texts);
}

static tlu_status scale_batches(struct scaled_rows *scaled, const struct schema *schema, int kind,
                                tlu_error *error)
{
    bool wanted = true;
    if (kind == SCALE_AUTO)
        TRY(scaling_wanted(schema, scaled->batches, scaled->count, UINT64_MAX, &wanted, error));
    const struct scale_rule rule = {.kind = wanted ? kind : SCALE_NONE};
    struct word_counts words;
    TRY(scaling_fit(&scaled->scaling, &rule, schema, scaled->batches, scaled->count, &words, NULL,
                    error));
    for (size_t b = 0; b < scaled->count; b++)
        TRY(scaling_apply(&scaled->scaling, scaled->batches[b], error));
    return TLU_OK;
}

tlu_status gathered_scale(struct gathered *all, const char *only, int kind, tlu_error *error)
{
    struct scaled_rows scaled = {0};
    struct nearest_doubles nearest = {all, memory_new(all->entry_count, sizeof(double))};
    tlu_status status = enough_memory((nearest.near || all->entry_count == 0) &&
                                          exact_run(find_nearest, &nearest) &&
                                          take_rows(&scaled, all, nearest.near, only),
                                      error);
    memory_free(nearest.near);
    if (status == TLU_OK)
        status = scale_batches(&scaled, &all->schema, kind, error);
    if (status == TLU_OK)
        status = enough_memory(return_rows(&scaled, all), error);
    for (size_t b = 0; b < scaled.count; b++)
        batch_free(scaled.batches[b]);
    memory_free(scaled.batches);
    scaling_free(&scaled.scaling);
    return status;
}

// ---- columns ----

// Numbers the features that occur: columns[feature of the schema] := column.
static void number_columns(struct examples *examples, const struct gathered *all,
                           const uint32_t *groups, uint32_t *columns)
{
    size_t most = schema_features(&all->schema);
    size_t k = 0;
    for (size_t i = 0; i < all->row_count; i++)
        for (; k < all->rows[i].end; k++)
            columns[all->entries[k].feature] |= groups[all->rows[i].label] != GROUP_NONE;
    for (size_t f = 0; f < most; f++)
        examples->features += columns[f];
    examples->feature = exact_new(examples->features, sizeof *examples->feature);
    uint32_t column = 0;
    for (size_t f = 0; f < most; f++)
        if (columns[f]) {
            examples->feature[column] = (uint32_t)f;
            columns[f] = column++;
        }
    examples->width = examples->features + examples->bias;
}

static void set_rows(struct examples *examples, const struct gathered *all, const uint32_t *groups,
                     const uint32_t *columns)
{
    size_t rows = all->row_count, entries = all->entry_count + rows, k = 0;
    struct gathered_entry *row = exact_new(examples->width, sizeof *row);
    examples->offsets = exact_new(rows + 1, sizeof *examples->offsets);
    examples->columns = exact_new(entries, sizeof *examples->columns);
    examples->near = exact_new(entries, sizeof *examples->near);
    examples->whole = exact_new(entries, sizeof *examples->whole);
    examples->large = exact_new(rows, sizeof *examples->large);
    examples->scale = exact_new(rows, sizeof *examples->scale);
    examples->group = exact_new(rows, sizeof *examples->group);
    examples->line = exact_new(rows, sizeof *examples->line);
    for (size_t i = 0; i < rows; i++) {
        size_t count = 0, n = examples->count;
        if (groups[all->rows[i].label] == GROUP_NONE) {
            k = all->rows[i].end;
            continue;
        }
        assert(all->rows[i].end - k <= examples->features); // no feature twice
        for (; k < all->rows[i].end; k++) {
            row[count] = all->entries[k];
            row[count].feature = columns[row[count].feature];
            count++;
        }
        qsort(row, count, sizeof *row, by_column);
        if (examples->bias)
            row[count++] = (struct gathered_entry){(uint32_t)examples->features, {1, 0, 0}};
        examples->group[n] = groups[all->rows[i].label];
        examples->line[n] = all->rows[i].line;
        set_row(examples, n, row, count, all->texts);
        examples->count++;
    }
}

#define CASES_MAX 1e9 // rows times classes: each row is compared with every other class

tlu_status examples_make(struct examples *examples, struct gathered *all,
                         const struct grouping *grouping, bool bias, tlu_error *error)
{
    const struct schema *schema = &all->schema;
    uint32_t *groups = exact_new(schema_classes(schema), sizeof *groups);
    uint32_t *columns = exact_new(schema_features(schema), sizeof *columns);
    *examples = (struct examples){.bias = bias,
                                  .labels = &all->labels_spelled,
                                  .schema = schema,
                                  .binary = all->floats && !grouping->single};
    TRY(set_groups(examples, grouping, groups, error));
    if (examples->groups > 2 && (double)all->row_count * (double)examples->groups > CASES_MAX)
        return error_input(error,
                           "%zu rows of %zu classes are too many to compare; --positive LABEL "
                           "takes one class against the rest, --only A,B some of them",
                           all->row_count, examples->groups);
    number_columns(examples, all, groups, columns);
    set_rows(examples, all, groups, columns);
    group_labels(&all->labels_spelled, groups);
    free_rows(all);
    memory_free(columns);
    return TLU_OK;
}

const char *examples_label(const struct examples *examples, uint32_t group)
{
    const struct label_names *labels = examples->labels;
    for (size_t i = 0; i < labels->count; i++)
        if (labels->items[i].group == group)
            return labels->items[i].text;
    return examples->absent ? examples->absent : "";
}

const char *examples_label_column(const struct examples *examples)
{
    const struct column *label = schema_label_column(examples->schema);
    return label ? label->name : NULL;
}
#endif
