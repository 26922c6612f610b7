// Data from one format to another.

#include "base/call/callback.h"
#include "base/memory.h"
#include "base/settings.h"
#include "data/cache.h"
#include "input/binary/binary.h"
#include "input/reader.h"
#include "input/write.h"
#include "numeric/number.h"

#include <stdio.h>
#include <string.h>

#define TARGET_ROWS(ROW)                                                                           \
    ROW(TO_LIBSVM, "libsvm") ROW(TO_CSV, "csv") ROW(TO_TSV, "tsv") ROW(TO_BINARY, "binary")
#define TARGET_ID(id, name) id,
enum target { TARGET_ROWS(TARGET_ID) TARGETS };
#define TARGET_NAME(id, name) name,
static const char *const targets[] = {TARGET_ROWS(TARGET_NAME)};

struct conversion {
    const tlu_convert_settings *settings;
    tlu_conversion *result;
    const char *path;
    enum target target;
    tlu_options *options;
    struct schema schema;
    struct reader *reader;
    struct text_out out;
    struct writer text;
    struct binary_writer binary;
    // Dense columns from LIBSVM: all rows must be known before the first can be written.
    struct cache cache;
    struct batch **batches;
    size_t batch_count, batch_capacity;
    bool no_bias; // Kesler's construction: no column for the bias
};

static tlu_status refused(tlu_error *error)
{
    return error_interrupted(error, "writing was stopped: the data was not taken");
}

static tlu_status written(const struct conversion *c, bool fine, tlu_error *error)
{
    return fine ? TLU_OK : c->binary.failed ? refused(error) : error_memory(error);
}

// Dense columns of data that is not CSV, and Kesler's construction, which needs all classes:
// batches are kept until all are known.
static bool keeps(const struct conversion *c)
{
    if (c->settings->kesler)
        return true;
    return (c->target == TO_CSV || c->target == TO_TSV) && !schema_is_csv(&c->schema);
}

static tlu_status begin(struct conversion *c, tlu_error *error)
{
    if (c->target == TO_BINARY)
        return written(c, binary_write_header(&c->binary, &c->schema, c->options), error);
    return c->target == TO_LIBSVM || keeps(c) ? TLU_OK : write_csv_begin(&c->text, error);
}

static tlu_status write_batch(struct conversion *c, const struct batch *batch, tlu_error *error)
{
    if (c->target == TO_BINARY)
        return written(c, binary_write_batch(&c->binary, &c->schema, batch), error);
    for (size_t i = 0; i < batch->rows; i++)
        if (batch_weight(batch, i) != 1)
            return error_at(error, c->path, batch_line(batch, i), 0,
                            "the weight of a row cannot be written as %s; --to binary keeps it",
                            targets[c->target]);
    if (c->target == TO_LIBSVM)
        TRY(write_libsvm(&c->text, batch, error));
    else
        TRY(write_csv(&c->text, batch, error));
    return c->out.failed ? refused(error) : TLU_OK;
}

// Takes a batch, which is the conversion's from now on.
static tlu_status take(struct conversion *c, struct batch *batch, tlu_error *error)
{
    c->result->rows += batch->rows;
    c->result->nonzeros += batch_nonzeros(batch);
    c->result->skipped += batch->counts.skipped_rows;
    if (!keeps(c)) {
        tlu_status status = write_batch(c, batch, error);
        reader_recycle(c->reader, batch);
        return status;
    }
    if (!memory_reserve(&c->batches, &c->batch_capacity, c->batch_count + 1, sizeof *c->batches)) {
        batch_free(batch);
        return error_memory(error);
    }
    c->batches[c->batch_count++] = batch;
    return cache_keep(&c->cache, batch, error);
}

// ---- Kesler's construction ----
//
// A row x of class k becomes, for each other class j, a row with x in the block of k, -x in the
// block of j and 0 elsewhere; x ends with 1 for the bias. All have the label 1. Blocks and rivals
// are in the order of their labels, rows in that of the file.

struct kesler {
    const struct conversion *c;
    uint32_t *order; // [classes] in the order of their labels
    size_t features; // of a row, without the bias
    size_t width;    // of a block
    float *x;        // [width] a row
};

static void put_cell(struct text_out *out, float value)
{
    char text[32];
    out_put(out, text, number_print_float(text, value));
}

// Writes the name CLASS.FEATURE of a column. False: out of memory.
static bool kesler_name(const struct kesler *kesler, uint32_t block, size_t feature)
{
    const struct schema *schema = &kesler->c->schema;
    const char *label = schema->spelled[kesler->order[block]];
    bool bias = feature == kesler->features;
    size_t label_length = strlen(label);
    size_t length = bias ? 6 : schema_name(schema, (uint32_t)feature, NULL, 0);
    char *name = memory_new(label_length + length + 2, 1);
    if (!name)
        return false;
    memcpy(name, label, label_length);
    name[label_length] = '.';
    if (bias)
        memcpy(name + label_length + 1, "(bias)", 6);
    else
        schema_name(schema, (uint32_t)feature, name + label_length + 1, length + 1);
    write_csv_field(&kesler->c->text, name, label_length + 1 + length);
    memory_free(name);
    return true;
}

static bool kesler_header(const struct kesler *kesler)
{
    struct conversion *c = (struct conversion *)kesler->c;
    uint32_t classes = schema_classes(&c->schema);
    for (uint32_t b = 0; c->target != TO_LIBSVM && b < classes; b++)
        for (size_t f = 0; f < kesler->width; f++) {
            if (!kesler_name(kesler, b, f))
                return false;
            out_put(&c->out, &c->text.delimiter, 1);
        }
    if (c->target != TO_LIBSVM)
        out_put(&c->out, "label\n", 6);
    return true;
}

// Writes the row for class `own` against class `rival`, numbers of blocks.
static void kesler_row(const struct kesler *kesler, uint32_t own, uint32_t rival)
{
    struct conversion *c = (struct conversion *)kesler->c;
    uint32_t classes = schema_classes(&c->schema);
    bool sparse = c->target == TO_LIBSVM;
    if (sparse)
        out_put(&c->out, "1", 1);
    for (uint32_t b = 0; b < classes; b++)
        for (size_t f = 0; f < kesler->width; f++) {
            float value = b == own ? kesler->x[f] : b == rival ? 0 - kesler->x[f] : 0;
            char index[32];
            if (!sparse) {
                put_cell(&c->out, value);
                out_put(&c->out, &c->text.delimiter, 1);
            } else if (value != 0) {
                int length = snprintf(index, sizeof index, " %zu:", b * kesler->width + f + 1);
                out_put(&c->out, index, (size_t)length);
                put_cell(&c->out, value);
            }
        }
    out_put(&c->out, sparse ? "\n" : "1\n", sparse ? 1 : 2);
}

static tlu_status kesler_batch(const struct kesler *kesler, const struct batch *batch,
                               tlu_error *error)
{
    struct conversion *c = (struct conversion *)kesler->c;
    uint32_t classes = schema_classes(&c->schema);
    for (size_t i = 0; i < batch->rows; i++) {
        tlu_row row = batch_row(batch, i);
        uint32_t own = 0;
        if (batch->labels[i] == TLU_NO_LABEL || batch_weight(batch, i) != 1)
            return error_at(error, c->path, batch_line(batch, i), 0,
                            "Kesler's construction needs labelled rows of weight 1; leave this "
                            "row out");
        while (kesler->order[own] != batch->labels[i])
            own++;
        memset(kesler->x, 0, kesler->width * sizeof *kesler->x);
        for (size_t k = 0; k < row.count; k++)
            kesler->x[row_feature(&row, k)] = row.values ? row.values[k] : 1;
        if (!c->no_bias)
            kesler->x[kesler->features] = 1;
        for (uint32_t rival = 0; rival < classes; rival++)
            if (rival != own)
                kesler_row(kesler, own, rival);
        c->result->rows += classes - 1;
        if (c->out.failed)
            return refused(error);
    }
    return TLU_OK;
}

static void order_classes(const struct schema *schema, uint32_t *order)
{
    for (uint32_t c = 0; c < schema_classes(schema); c++) {
        uint32_t i = c;
        for (; i && schema_label_compare(schema->spelled[order[i - 1]], schema->spelled[c]) > 0;
             i--)
            order[i] = order[i - 1];
        order[i] = c;
    }
}

#define KESLER_CLASSES 10000
#define KESLER_COLUMNS ((uint64_t)1 << 24)

static tlu_status write_kesler(struct conversion *c, tlu_error *error)
{
    uint32_t classes = schema_classes(&c->schema);
    struct kesler kesler = {.c = c, .features = schema_features(&c->schema)};
    kesler.width = kesler.features + !c->no_bias;
    if (schema_is_indexed(&c->schema))
        return error_at(error, c->path, 0, 0,
                        "Kesler's construction names its columns by features, which LIBSVM "
                        "numbers; write the data as CSV first, with tlu convert --to csv");
    if (classes < 2 || classes > KESLER_CLASSES || kesler.width * classes > KESLER_COLUMNS)
        return error_at(error, c->path, 0, 0,
                        "Kesler's construction needs 2 to %d classes and at most %llu columns, "
                        "classes times features; the data has %u classes",
                        KESLER_CLASSES, (unsigned long long)KESLER_COLUMNS, classes);
    kesler.order = memory_new(classes, sizeof *kesler.order);
    kesler.x = memory_new(kesler.width, sizeof *kesler.x);
    tlu_status status = enough_memory(kesler.order && kesler.x, error);
    if (status == TLU_OK) {
        order_classes(&c->schema, kesler.order);
        status = enough_memory(kesler_header(&kesler), error);
    }
    c->result->rows = 0;
    for (size_t b = 0; status == TLU_OK && b < c->batch_count; b++)
        status = kesler_batch(&kesler, c->batches[b], error);
    memory_free(kesler.order);
    memory_free(kesler.x);
    out_flush(&c->out);
    TRY(status);
    return c->out.failed ? refused(error) : TLU_OK;
}

static tlu_status end(struct conversion *c, tlu_error *error)
{
    if (c->target == TO_BINARY)
        return binary_write_end(&c->binary) ? TLU_OK : refused(error);
    if (c->settings->kesler)
        return write_kesler(c, error);
    if (keeps(c))
        TRY(write_csv_begin(&c->text, error));
    for (size_t b = 0; b < c->batch_count; b++)
        TRY(write_batch(c, c->batches[b], error));
    out_flush(&c->out);
    if (!c->out.failed && c->settings->write_names) {
        c->out.write = c->settings->write_names;
        c->out.context = c->settings->names_context;
        write_names(&c->out, &c->schema);
        out_flush(&c->out);
    }
    return c->out.failed ? refused(error) : TLU_OK;
}

static tlu_status run(struct conversion *c, tlu_error *error)
{
    const struct row_source row_source = {.unlabelled = true};
    struct batch *batch;
    TRY(enough_memory(c->options, error));
    cache_init(&c->cache, c->options);
    TRY(reader_open_source(&c->reader, c->path, &row_source, c->options, &c->schema, error));
    TRY(reader_adopt(c->reader, c->options, error));
    TRY(begin(c, error));
    for (;;) {
        TRY(reader_next(c->reader, &batch, error));
        if (!batch)
            return end(c, error);
        TRY(take(c, batch, error));
    }
}

static void conversion_free(struct conversion *c)
{
    for (size_t b = 0; b < c->batch_count; b++)
        batch_free(c->batches[b]);
    memory_free(c->batches);
    reader_close(c->reader);
    cache_free(&c->cache);
    writer_free(&c->text);
    schema_free(&c->schema);
    tlu_options_free(c->options);
    memory_free(c);
}

static tlu_status check_settings(const tlu_convert_settings *settings, const tlu_options *options,
                                 enum target *found, tlu_error *error)
{
    enum target target = TO_LIBSVM;
    TRY(check_given(settings->path != NULL, "path", error));
    if (!settings->format || !settings->write)
        return error_input(error, "a conversion needs a format and a function that writes");
    while (target < TARGETS && strcmp(targets[target], settings->format) != 0)
        target++;
    if (target == TARGETS)
        return error_input(error, "data is written as libsvm, csv, tsv or binary, not '%.80s'",
                           settings->format);
    if (settings->kesler && options && options_flag(options, OPTION_MULTILABEL))
        return error_input(error, "Kesler's construction is for rows of one class; leave "
                                  "--multilabel out");
    if (settings->kesler && target == TO_BINARY)
        return error_input(error, "Kesler's construction is written as csv, tsv or libsvm, not as "
                                  "binary");
    if (settings->kesler && settings->write_names)
        return error_input(
            error,
            "the features of Kesler's construction have their names in CSV; leave --names out");
    if (settings->kesler && options && options_flag(options, OPTION_HASH))
        return error_input(error, "Kesler's construction needs names; leave --hash out");
    if (settings->write_names && target != TO_LIBSVM)
        return error_input(error, "names of numbered features are for libsvm, not for %s",
                           targets[target]);
    if (options && options_flag(options, OPTION_HASH) && target != TO_LIBSVM)
        return error_input(error,
                           "hashed features have no names and are written as libsvm, not as "
                           "%s",
                           targets[target]);
    if (options && options_flag(options, OPTION_HASH) && settings->write_names)
        return error_input(error, "hashed features have no names to be written");
    *found = target;
    return TLU_OK;
}

static tlu_status convert(const tlu_convert_settings *settings, const tlu_options *options,
                          tlu_conversion *result, tlu_error *error)
{
    enum target target = TO_LIBSVM;
    TRY(check_settings(settings, options, &target, error));
    struct conversion *c = memory_new(1, sizeof *c);
    TRY(enough_memory(c, error));
    c->settings = settings;
    c->result = result;
    c->path = settings->path;
    c->target = target;
    c->no_bias = options && options_flag(options, OPTION_NO_BIAS);
    c->out.write = c->binary.write = settings->write;
    c->out.context = c->binary.context = settings->write_context;
    c->text = (struct writer){.out = &c->out,
                              .schema = &c->schema,
                              .path = settings->path,
                              .delimiter = target == TO_TSV ? '\t' : ','};
    schema_init(&c->schema);
    c->schema.plain = target == TO_CSV || target == TO_TSV;
    c->options = options_copy(options);
    tlu_status status = run(c, error);
    result->features = schema_columns(&c->schema);
    result->classes = schema_classes(&c->schema);
    conversion_free(c);
    return status;
}

tlu_status tlu_convert(const tlu_convert_settings *settings, const tlu_options *options,
                       tlu_conversion **conversion, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_convert_settings own;
    struct callback data, names;
    if (conversion)
        *conversion = NULL;
    TRY(settings_take(&own, sizeof own, settings, "tlu_convert_settings", error));
    CALLBACK(data, write, own.write, own.write_context, caller);
    CALLBACK(names, write, own.write_names, own.names_context, caller);
    tlu_conversion *result = memory_new(1, sizeof *result);
    TRY(enough_memory(result, error));
    tlu_status status = convert(&own, options, result, error);
    if (status == TLU_OK && conversion)
        *conversion = result;
    else
        memory_free(result);
    return status;
}

void tlu_conversion_free(tlu_conversion *conversion)
{
    memory_free(conversion);
}
