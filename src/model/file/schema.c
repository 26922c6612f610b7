// FEAT, COLS, CLAS: features, columns of a table, classes.
#include "base/memory.h"
#include "data/large.h"
#include "input/text/words.h"
#include "model/file/sections.h"
#include "numeric/number.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Added to the kind of data if ids are slots of hashed names, so that older versions refuse them.
#define HASHED 128u

// Writes names that are indices as put_text_of would write their texts.
static void put_indices(struct packer *out, const struct indices *large)
{
    char texts[2048];
    size_t used = 0;
    for (uint32_t i = 0; i < large->count; i++) {
        size_t length = large_digits(large->items[i]);
        if (sizeof texts - used < 1 + length) {
            put_bytes(out, texts, used);
            used = 0;
        }
        texts[used] = (char)length;
        used += 1 + length;
        if (!put_counts_only(out))
            large_spell(large->items[i], texts + used);
    }
    put_bytes(out, texts, used);
}

static void put_names(struct packer *out, const struct schema *schema)
{
    put_count(out, schema_names(schema));
    put_indices(out, &schema->large);
    for (uint32_t i = 0; i < schema->names.count; i++)
        put_text_of(out, table_text(&schema->names, i), table_length(&schema->names, i));
}

void put_features(struct packer *out, const tlu_model *model)
{
    const struct schema *schema = &model->state.schema;
    put_fixed(out, schema->format | (schema->slots.bits ? HASHED : 0u), 1);
    put_count(out, schema->numbered);
    uint32_t next = 0; // the lowest index that can come: most often it does
    for (uint32_t i = 0; i < schema->numbered; i++) {
        put_count(out, schema->ids[i] - next);
        next = schema->ids[i] + 1;
    }
    put_names(out, schema);
}

// Names are read in groups, so that hash table slots of indices can be prefetched.
struct names_read {
    const char *text[INDICES_AHEAD];
    size_t length[INDICES_AHEAD];
    uint64_t index[INDICES_AHEAD];
    uint32_t count;
    bool large; // all of them, and those before, are indices
};

static void read_names(struct unpack *in, const struct schema *schema, uint64_t most,
                       struct names_read *read)
{
    read->large = schema->names.count == 0;
    for (read->count = 0; read->count < INDICES_AHEAD && read->count < most; read->count++) {
        uint32_t i = read->count;
        read->text[i] = unpack_text(in, &read->length[i]);
        read->large =
            read->large && large_is(schema, read->text[i], read->length[i], &read->index[i]);
    }
}

// Adds names, which get the numbers from `first` on.
static void add_names(struct unpack *in, struct schema *schema, const struct names_read *read,
                      uint64_t first)
{
    uint32_t numbers[INDICES_AHEAD];
    if (read->large) {
        if (!indices_add_all(&schema->large, read->index, read->count, numbers))
            unpack_checked(in, NULL);
    } else if (!large_to_texts(schema)) {
        unpack_checked(in, NULL);
    }
    for (uint32_t i = 0; i < read->count && !unpack_failed(in); i++) {
        if (!read->large)
            numbers[i] = table_add(&schema->names, read->text[i], read->length[i]);
        if (numbers[i] == TABLE_NONE)
            unpack_checked(in, NULL);
        else if (numbers[i] != first + i)
            unpack_damaged(in, "two names of features are the same");
    }
}

static void get_names(struct unpack *in, struct schema *schema)
{
    struct names_read read;
    uint64_t count = unpack_length(in, 1, "names of features");
    for (uint64_t done = 0; done < count && !unpack_failed(in); done += read.count) {
        read_names(in, schema, count - done, &read);
        if (!unpack_failed(in))
            add_names(in, schema, &read, done);
    }
}

static void get_ids(struct unpack *in, struct schema *schema)
{
    uint64_t count = unpack_length(in, 1, "numbered features");
    schema->ids = unpack_checked(in, memory_new((size_t)count, sizeof *schema->ids));
    uint64_t next = 0; // the lowest index that can come
    uint32_t limit = schema->slots.bits ? 1u << schema->slots.bits : SCHEMA_DIRECT;
    for (uint64_t i = 0; i < count && !unpack_failed(in); i++) {
        uint64_t gap = unpack_count(in);
        if (gap >= limit || next + gap >= limit) {
            unpack_damaged(in, "the index of a feature is past %u", limit - 1);
            return;
        }
        schema->ids[i] = (uint32_t)(next + gap);
        next = next + gap + 1;
    }
    schema->numbered = unpack_failed(in) ? 0 : (uint32_t)count;
}

void unpack_features(struct unpack *in)
{
    struct schema *schema = &in->model->state.schema;
    schema->frozen = true;
    uint32_t kind = (uint32_t)unpack_fixed(in, 1), hashed = kind & HASHED;
    if ((kind & ~HASHED) >= DATA_FORMATS)
        unpack_damaged(in, "the kind of data is %u", kind);
    if (unpack_failed(in))
        return;
    schema->format = (enum data_format)(kind & ~HASHED);
    schema->slots.bits = (uint32_t)options_count(in->model->state.options, OPTION_HASH);
    if (!hashed != !schema->slots.bits)
        unpack_damaged(in, "whether features are hashed is not what the options say");
    tlu_error error;
    tlu_status status = words_set_rule(schema, in->model->state.options, &error);
    if (status == TLU_ERROR_SYSTEM)
        unpack_checked(in, NULL);
    else if (status != TLU_OK)
        unpack_damaged(in, "the options of words are not valid");
    if (schema_set_labels(schema, in->model->state.options, NULL) != TLU_OK)
        unpack_damaged(in, "the text between labels cannot be one");
    get_ids(in, schema);
    get_names(in, schema);
    if (hashed && schema_names(schema))
        unpack_damaged(in, "hashed features have no names");
    if (!schema_is_indexed(schema) && schema->numbered && !hashed)
        unpack_damaged(in, "only LIBSVM has numbered features");
    if (schema_features(schema) >= BATCH_LOCAL)
        unpack_damaged(in, "there are too many features");
}

// A feature has one name: "17" cannot be both an index and a text.
void unpack_check_names(struct unpack *in)
{
    struct schema *schema = &in->model->state.schema;
    if (unpack_failed(in))
        return;
    if (!schema_rank(schema)) {
        unpack_checked(in, NULL);
        return;
    }
    in->section = "FEAT";
    for (uint32_t i = 0; i < schema->names.count && schema->numbered; i++) {
        uint64_t index;
        if (number_index(table_text(&schema->names, i), table_length(&schema->names, i), &index) &&
            index < schema->rank_count && schema->rank[index] < schema->numbered)
            unpack_damaged(in, "feature %llu is there twice", (unsigned long long)index);
    }
}

// ---- COLS ----

void put_columns(struct packer *out, const tlu_model *model)
{
    const struct schema *schema = &model->state.schema;
    if (!schema->column_count)
        return;
    put_fixed(out, (unsigned char)schema->delimiter, 1);
    put_fixed(out, schema->header, 1);
    put_count(out, schema->column_count);
    for (size_t i = 0; i < schema->column_count; i++) {
        const struct column *column = &schema->columns[i];
        put_text(out, column->name);
        put_fixed(out, column_code(column), 1);
        if (column->kind == COLUMN_NUMERIC)
            put_count(out, column->feature);
    }
}

static void get_column(struct unpack *in, struct column *column)
{
    bool csv = schema_is_csv(&in->model->state.schema);
    column->name = unpack_copy_text(in);
    column_set_code(
        column, unpack_choice(in, csv ? COLUMN_TEXT : COLUMN_CODES - 1, "the kind of a column"));
    column->feature = SCHEMA_NONE;
    if (column->kind != COLUMN_NUMERIC || unpack_failed(in))
        return;
    uint64_t feature = unpack_count(in);
    if (feature >= schema_features(&in->model->state.schema))
        unpack_damaged(in, "a column has feature %llu, which is not there",
                       (unsigned long long)feature);
    else
        column->feature = (uint32_t)feature;
}

// Members of JSON are found by their names.
static void check_members(struct unpack *in, const struct schema *schema)
{
    struct table names = {0};
    for (size_t i = 0; i < schema->column_count && !unpack_failed(in); i++) {
        uint32_t place =
            table_add(&names, schema->columns[i].name, strlen(schema->columns[i].name));
        if (place == TABLE_NONE)
            unpack_checked(in, NULL);
        else if (place != i)
            unpack_damaged(in, "two columns have the same name");
    }
    table_free(&names);
}

void unpack_columns(struct unpack *in)
{
    struct schema *schema = &in->model->state.schema;
    bool csv = schema_is_csv(schema);
    if (!csv && schema->format != DATA_JSONL)
        unpack_damaged(in, "the model is not of a table");
    unsigned char delimiter = (unsigned char)unpack_fixed(in, 1);
    if (csv == (delimiter == '\0') || delimiter == '"' || delimiter == '\n' || delimiter == '\r')
        unpack_damaged(in, "byte %u is no delimiter", delimiter);
    schema->delimiter = (char)delimiter;
    schema->header = unpack_choice(in, 1, "the header") != 0;
    schema->decimal_comma =
        options_choice(in->model->state.options, OPTION_DECIMAL) == DECIMAL_SIGN_COMMA;
    size_t count = (size_t)unpack_length(in, 2, "columns");
    schema->columns = unpack_checked(in, memory_new(count, sizeof *schema->columns));
    if (unpack_failed(in))
        return;
    schema->column_count = count;
    for (size_t i = 0; i < count && !unpack_failed(in); i++)
        get_column(in, &schema->columns[i]);
    if (!unpack_failed(in) && !schema_columns_fit(schema))
        unpack_damaged(in, "not exactly one column is the label");
    if (!csv)
        check_members(in, schema);
}

// ---- FILL ----

void put_fills(struct packer *out, const tlu_model *model)
{
    const struct schema *schema = &model->state.schema;
    uint64_t known = 0;
    for (size_t i = 0; i < schema->column_count; i++)
        known += schema->columns[i].fill.known;
    if (known == 0)
        return;
    put_count(out, known);
    for (size_t i = 0; i < schema->column_count; i++) {
        const struct fill *fill = &schema->columns[i].fill;
        if (!fill->known)
            continue;
        put_count(out, i);
        put_double(out, fill->value);
        put_double(out, fill->sum);
        put_count(out, fill->count);
        put_text(out, fill->text ? fill->text : "");
    }
}

void unpack_fills(struct unpack *in)
{
    struct schema *schema = &in->model->state.schema;
    uint64_t known = unpack_length(in, 19, "columns with values for missing ones");
    for (uint64_t k = 0; k < known && !unpack_failed(in); k++) {
        uint64_t column = unpack_count(in);
        struct fill fill = {.known = true};
        fill.value = unpack_number(in, CODE_DOUBLE);
        fill.sum = unpack_number(in, CODE_DOUBLE);
        fill.count = unpack_count(in);
        fill.text = unpack_copy_text(in);
        if (!unpack_failed(in) &&
            (column >= schema->column_count || schema->columns[column].fill.known ||
             !isfinite(fill.value) || !isfinite(fill.sum) || fabs(fill.value) > (double)FLT_MAX))
            unpack_damaged(in, "the value for missing ones of column %llu is not valid",
                           (unsigned long long)column);
        if (unpack_failed(in) || !fill.text[0]) {
            memory_free(fill.text);
            fill.text = NULL;
        }
        if (!unpack_failed(in))
            schema->columns[column].fill = fill;
    }
}

// ---- CLAS ----

void put_classes(struct packer *out, const tlu_model *model)
{
    const struct schema *schema = &model->state.schema;
    put_count(out, schema_classes(schema));
    if (model->state.scheme.kind == SCHEME_TWO)
        put_fixed(out, model->state.scheme.positive, 1);
    for (uint32_t i = 0; i < schema_classes(schema); i++) {
        put_text_of(out, table_text(&schema->labels, i), table_length(&schema->labels, i));
        put_text(out, schema->spelled[i]);
        put_count(out, model->state.scheme.class_examples[i]);
    }
}

static void get_class(struct unpack *in, uint32_t class_index)
{
    struct schema *schema = &in->model->state.schema;
    size_t length;
    const char *label = unpack_text(in, &length);
    if (unpack_failed(in))
        return;
    uint32_t number = table_add(&schema->labels, label, length);
    if (number == TABLE_NONE) {
        unpack_checked(in, NULL);
    } else if (number != class_index) {
        unpack_damaged(in, "two labels are the same");
    } else {
        schema->spelled[number] = unpack_copy_text(in);
        in->model->state.scheme.class_examples[number] = unpack_count(in);
    }
}

_Static_assert(SCHEME_OVR - SCHEME_WTA == MULTICLASS_OVR &&
                   SCHEME_OVO - SCHEME_WTA == MULTICLASS_OVO,
               "schemes are in the order of --multiclass");

#define PAIRED_MAX 65536 // classes whose pairs a 32-bit number can count

void unpack_classes(struct unpack *in)
{
    tlu_model *model = in->model;
    uint64_t count = unpack_length(in, 3, "classes");
    if (count < 2 || count >= BATCH_LOCAL)
        unpack_damaged(in, "a model cannot have %llu classes", (unsigned long long)count);
    model->state.scheme.kind = SCHEME_TWO;
    if (count > 2)
        model->state.scheme.kind = (enum scheme_kind)(
            SCHEME_WTA + options_choice(model->state.options, OPTION_MULTICLASS));
    if (model->state.schema.multilabel)
        model->state.scheme.kind = SCHEME_MULTILABEL;
    if (model->state.scheme.kind == SCHEME_OVO && count > PAIRED_MAX)
        unpack_damaged(in, "%llu classes have too many pairs", (unsigned long long)count);
    bool two = model->state.scheme.kind == SCHEME_TWO;
    model->state.scheme.positive = two ? unpack_choice(in, 1, "the positive class") : SCHEMA_NONE;
    if (unpack_failed(in))
        return;
    model->state.schema.spelled =
        unpack_checked(in, memory_new((size_t)count, sizeof *model->state.schema.spelled));
    model->state.scheme.class_examples =
        unpack_checked(in, memory_new((size_t)count, sizeof *model->state.scheme.class_examples));
    model->state.scheme.classes = (uint32_t)count;
    model->state.scheme.class_examples_count = (size_t)count;
    for (uint32_t i = 0; i < count && !unpack_failed(in); i++) {
        model->state.schema.spelled_capacity = (size_t)count;
        get_class(in, i);
    }
    for (uint32_t i = 0; i < count && !unpack_failed(in); i++) {
        const char *spelled = model->state.schema.spelled[i];
        if (schema_class_find(&model->state.schema, spelled, strlen(spelled)) != i)
            unpack_damaged(in, "label %u is not spelled as it is compared", i);
    }
}
