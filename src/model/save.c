// Writes a model: header, sections, checksum (docs/model-format.md).
//
// A section's length stands before it. So every section is put twice: once into nothing, to count
// its bytes, and once into the file. That needs no memory, however large the model.
#include "base/crc.h"
#include "base/file.h"
#include "model/format.h"
#include "model/model.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct out {
    struct file_writer *file; // NULL: count alone
    uint64_t size;
    uint32_t crc;
    bool infinite; // met a number that is not finite
};

// ---- Parts -----------------------------------------------------------------------------------

static void put_bytes(struct out *out, const void *bytes, size_t size)
{
    out->size += size;
    if (!out->file)
        return;
    out->crc = crc32_add(out->crc, bytes, size);
    file_put(out->file, bytes, size);
}

// The lowest `size` bytes of a number, the lowest first.
static void put_fixed(struct out *out, uint64_t value, size_t size)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(value >> 8 * i & 255);
    put_bytes(out, bytes, size);
}

// Seven bits a byte, the lowest first; the highest bit tells that more follow.
static void put_count(struct out *out, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        put_fixed(out, (value & 127) | 128, 1);
    put_fixed(out, value, 1);
}

static void put_text_of(struct out *out, const char *text, size_t length)
{
    put_count(out, length);
    put_bytes(out, text, length);
}

static void put_text(struct out *out, const char *text)
{
    put_text_of(out, text ? text : "", text ? strlen(text) : 0);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void put_double(struct out *out, double value)
{
    out->infinite |= !isfinite(value);
    put_fixed(out, bits_of(value), 8);
}

static enum number_code code_of(double value)
{
    if (bits_of(value) == 0)
        return CODE_ZERO;
    if (value >= INT16_MIN && value <= INT16_MAX && value != 0 && value == (int16_t)value)
        return CODE_SHORT;
    if (fabs(value) <= FLT_MAX && value == (double)(float)value) // -0 is one of these
        return CODE_SINGLE;
    return CODE_DOUBLE;
}

static void put_single(struct out *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_fixed(out, bits, 4);
}

// The codes of all numbers, four a byte, then the numbers.
static void put_numbers(struct out *out, const double *numbers, size_t count)
{
    unsigned codes = 0;
    for (size_t i = 0; i < count; i++) {
        codes |= (unsigned)code_of(numbers[i]) << 2 * (i % 4);
        if (i % 4 == 3 || i + 1 == count) {
            put_fixed(out, codes, 1);
            codes = 0;
        }
    }
    for (size_t i = 0; i < count; i++) {
        switch (code_of(numbers[i])) {
        case CODE_ZERO:
            break;
        case CODE_SHORT:
            put_fixed(out, (uint64_t)(int64_t)numbers[i], 2);
            break;
        case CODE_SINGLE:
            put_single(out, (float)numbers[i]);
            break;
        case CODE_DOUBLE:
            put_double(out, numbers[i]);
            break;
        }
    }
}

// ---- Sections: one that puts nothing is left out ---------------------------------------------

static void put_version(struct out *out, const tlu_model *model)
{
    put_text(out, model->version);
}

// The number of threads is no part of a model: it is the same with any.
static bool option_is_kept(const tlu_options *options, enum option option)
{
    return option != OPTION_THREADS &&
           (options_is_set(options, option) || options_text(options, option)[0] != '\0');
}

// Defaults are written too, for they may change from version to version.
static void put_options(struct out *out, const tlu_model *model)
{
    uint64_t count = 0;
    for (enum option i = 0; i < OPTION_COUNT; i++)
        count += option_is_kept(model->options, i);
    put_count(out, count);
    for (enum option i = 0; i < OPTION_COUNT; i++) {
        if (!option_is_kept(model->options, i))
            continue;
        put_text(out, tlu_option_at(i)->name);
        put_text(out, options_text(model->options, i));
        put_fixed(out, options_is_set(model->options, i), 1);
    }
}

static void put_table(struct out *out, const struct table *table)
{
    put_count(out, table->count);
    for (uint32_t i = 0; i < table->count; i++)
        put_text_of(out, table_text(table, i), table_length(table, i));
}

static void put_features(struct out *out, const tlu_model *model)
{
    const struct schema *schema = &model->schema;
    put_fixed(out, schema->csv, 1);
    put_count(out, schema->numbered);
    uint32_t next = 0; // the lowest index that can come: most often it does
    for (uint32_t i = 0; i < schema->numbered; i++) {
        put_count(out, schema->ids[i] - next);
        next = schema->ids[i] + 1;
    }
    put_table(out, &schema->names);
}

static void put_columns(struct out *out, const tlu_model *model)
{
    const struct schema *schema = &model->schema;
    if (!schema->csv)
        return;
    put_fixed(out, (unsigned char)schema->delimiter, 1);
    put_fixed(out, schema->header, 1);
    put_count(out, schema->column_count);
    for (size_t i = 0; i < schema->column_count; i++) {
        const struct column *column = &schema->columns[i];
        put_text(out, column->name);
        put_fixed(out, column->kind, 1);
        if (column->kind == COLUMN_NUMERIC)
            put_count(out, column->feature);
    }
}

static void put_classes(struct out *out, const tlu_model *model)
{
    const struct schema *schema = &model->schema;
    put_count(out, schema_classes(schema));
    if (schema_classes(schema) == 2)
        put_fixed(out, model->positive, 1);
    for (uint32_t i = 0; i < schema_classes(schema); i++) {
        put_text_of(out, table_text(&schema->labels, i), table_length(&schema->labels, i));
        put_text(out, schema->spelled[i]);
        put_count(out, model->class_examples[i]);
    }
}

static void put_scaling(struct out *out, const tlu_model *model)
{
    const struct scaling *scaling = &model->scaling;
    if (scaling->kind == SCALE_NONE)
        return;
    put_fixed(out, (uint64_t)scaling->kind, 1);
    put_numbers(out, scaling->factor, scaling->features);
    put_numbers(out, scaling->shift, scaling->features);
}

static void put_weights(struct out *out, const tlu_model *model)
{
    const struct weights *weights = &model->weights;
    size_t count = weights->features * weights->columns;
    put_fixed(out, weights->u != NULL, 1);
    put_double(out, weights->steps);
    put_numbers(out, weights->bias, weights->columns);
    put_numbers(out, weights->w, count);
    if (weights->u) {
        put_numbers(out, weights->u_bias, weights->columns);
        put_numbers(out, weights->u, count);
    }
}

static void put_random(struct out *out, const tlu_model *model)
{
    for (int i = 0; i < 4; i++)
        put_fixed(out, model->random.state[i], 8);
}

static void put_report(struct out *out, const tlu_model *model)
{
    const tlu_report *report = &model->report;
    put_count(out, report->examples);
    put_count(out, report->held_out);
    put_count(out, report->nonzeros);
    put_count(out, report->features);
    put_count(out, report->updates);
    put_count(out, report->skipped);
    put_fixed(out, report->converged != 0, 1);
    put_text(out, report->stopped);
    put_text(out, report->data);
    put_text(out, report->format);
    put_count(out, report->best_epoch);
    put_count(out, report->epochs);
    for (uint64_t i = 0; i < report->epochs; i++)
        put_count(out, report->mistakes[i]);
    put_fixed(out, report->held_out_accuracy != NULL, 1);
    if (report->held_out_accuracy)
        put_numbers(out, report->held_out_accuracy, (size_t)report->epochs);
}

// ---- The file --------------------------------------------------------------------------------

static const char tags[SECTION_COUNT][FORMAT_TAG_SIZE + 1] = {FORMAT_TAGS};

static void (*const put_section[SECTION_COUNT])(struct out *, const tlu_model *) = {
    [SECTION_VERSION] = put_version,   [SECTION_OPTIONS] = put_options,
    [SECTION_FEATURES] = put_features, [SECTION_COLUMNS] = put_columns,
    [SECTION_CLASSES] = put_classes,   [SECTION_SCALING] = put_scaling,
    [SECTION_WEIGHTS] = put_weights,   [SECTION_RANDOM] = put_random,
    [SECTION_REPORT] = put_report,
};

static void put_all(struct out *out, const tlu_model *model, const uint64_t *sizes, uint64_t size)
{
    put_bytes(out, FORMAT_MAGIC, FORMAT_MAGIC_SIZE);
    put_fixed(out, FORMAT_VERSION, 4);
    put_fixed(out, size, 8);
    for (int i = 0; i < SECTION_COUNT; i++) {
        if (sizes[i] == 0)
            continue;
        put_bytes(out, tags[i], FORMAT_TAG_SIZE);
        put_fixed(out, sizes[i], 8);
        put_section[i](out, model);
    }
    put_fixed(out, out->crc, FORMAT_CHECKSUM_SIZE);
}

tlu_status tlu_model_save(const tlu_model *model, const char *path, tlu_error *error)
{
    if (!model->schema.frozen || model->weights.features != schema_features(&model->schema))
        return error_system(error, "%s: not saved: the model is not complete", path);
    uint64_t sizes[SECTION_COUNT];
    uint64_t size = FORMAT_HEADER_SIZE + FORMAT_CHECKSUM_SIZE;
    for (int i = 0; i < SECTION_COUNT; i++) {
        struct out counted = {0};
        put_section[i](&counted, model);
        if (counted.infinite) // the loader would refuse it
            return error_input(error, "%s: not saved: a weight is not a finite number", path);
        sizes[i] = counted.size;
        size += counted.size ? FORMAT_SECTION_SIZE + counted.size : 0;
    }
    struct out out = {0};
    tlu_status status = file_begin(&out.file, path, error);
    if (status != TLU_OK)
        return status;
    put_all(&out, model, sizes, size);
    return file_commit(out.file, error);
}
