// Data from one format to another.

#include "base/call/callback.h"
#include "base/memory.h"
#include "base/settings.h"
#include "data/cache.h"
#include "input/binary/binary.h"
#include "input/reader.h"
#include "input/write.h"

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
};

static tlu_status refused(tlu_error *error)
{
    return error_interrupted(error, "writing was stopped: the data was not taken");
}

static tlu_status begin(struct conversion *c, tlu_error *error)
{
    if (c->target == TO_BINARY) {
        if (!binary_write_header(&c->binary, &c->schema, c->options))
            return c->binary.failed ? refused(error) : error_memory(error);
        return TLU_OK;
    }
    bool dense = c->target != TO_LIBSVM;
    return dense && schema_is_csv(&c->schema) ? write_csv_begin(&c->text, error) : TLU_OK;
}

static tlu_status write_batch(struct conversion *c, const struct batch *batch, tlu_error *error)
{
    if (c->target == TO_BINARY) {
        if (!binary_write_batch(&c->binary, &c->schema, batch))
            return c->binary.failed ? refused(error) : error_memory(error);
        return TLU_OK;
    }
    for (size_t i = 0; i < batch->rows; i++)
        if (batch_weight(batch, i) != 1)
            return error_at(error, c->path, batch_line(batch, i), 0,
                            "the weight of a row cannot be written as %s: --to binary keeps it",
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
    bool keep = (c->target == TO_CSV || c->target == TO_TSV) && !schema_is_csv(&c->schema);
    if (!keep) {
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

static tlu_status end(struct conversion *c, tlu_error *error)
{
    bool kept = (c->target == TO_CSV || c->target == TO_TSV) && !schema_is_csv(&c->schema);
    if (c->target == TO_BINARY)
        return binary_write_end(&c->binary) ? TLU_OK : refused(error);
    if (kept)
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
    if (!c)
        return error_memory(error);
    c->settings = settings;
    c->result = result;
    c->path = settings->path;
    c->target = target;
    c->out.write = c->binary.write = settings->write;
    c->out.context = c->binary.context = settings->write_context;
    c->text = (struct writer){.out = &c->out,
                              .schema = &c->schema,
                              .path = settings->path,
                              .delimiter = target == TO_TSV ? '\t' : ','};
    schema_init(&c->schema);
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
