#include "model/split/pack.h"

#include "base/memory.h"
#include "data/cache.h"
#include "data/scale.h"
#include "input/binary/binary.h"
#include "model/columns.h"
#include "train/train.h"

#include <string.h>

struct packing {
    struct packed *packed;
    size_t capacity;
    uint64_t most; // bytes
    bool full;     // there is no room for more
    struct schema schema;
    struct reader *reader;
    struct binary_writer writer;
    struct columns columns;
};

static int keep(void *context, const char *bytes, size_t size)
{
    struct packing *packing = context;
    struct packed *packed = packing->packed;
    packing->full = packing->full || size > packing->most - packed->size;
    if (packing->full ||
        !memory_reserve(&packed->bytes, &packing->capacity, packed->size + size, 1))
        return 1;
    memcpy(packed->bytes + packed->size, bytes, size);
    packed->size += size;
    return 0;
}

// ---- numbers in the place of names ----

// As a LIBSVM file would have it: the same labels, no names.
static struct schema numbered_schema(const struct schema *schema)
{
    struct schema numbered = *schema;
    numbered.format = DATA_LIBSVM;
    numbered.names = (struct table){0};
    return numbered;
}

// Numbers from SCHEMA_DIRECT on would be names again.
static void number_features(struct packing *packing, struct batch *batch)
{
    batch->direct = NO_INDICES;
    for (size_t i = 0; i < batch_nonzeros(batch); i++)
        index_range_add(&batch->direct, batch->indices[i]);
    if (batch->direct.highest >= SCHEMA_DIRECT && batch->direct.highest >= batch->direct.lowest)
        packing->full = true;
}

static bool may_number(const struct schema *schema, const tlu_options *options)
{
    return schema_is_named(schema) && !options_flag(options, OPTION_HASH) &&
           !options_flag(options, OPTION_MAX_FEATURES);
}

// ---- batch by batch ----

static tlu_status look_at(struct packing *packing, struct batch *batch, tlu_error *error)
{
    struct pack_look *look = &packing->packed->look;
    bool first = look->rows == 0;
    look->rows += batch->rows;
    look->nonzeros += batch_nonzeros(batch);
    look->features = schema_columns(&packing->schema);
    look->words = format_table[packing->schema.format].words != WORDS_NONE;
    if (schema_is_csv(&packing->schema))
        TRY(enough_memory(columns_add(&packing->columns, &packing->schema, batch), error));
    if (!first)
        return TLU_OK;
    return scaling_wanted(&packing->schema, &batch, 1, TRAIN_LOOKAHEAD, &look->table, error);
}

static tlu_status write_batch(struct packing *packing, struct batch *batch, tlu_error *error)
{
    struct schema schema = packing->schema;
    if (packing->full)
        return TLU_OK; // the rest is only looked at
    if (packing->packed->numbered) {
        number_features(packing, batch);
        schema = numbered_schema(&schema);
    }
    if (packing->full || binary_write_batch(&packing->writer, &schema, batch) || packing->full)
        return TLU_OK;
    return error_memory(error);
}

static tlu_status write_header(struct packing *packing, const tlu_options *options,
                               tlu_error *error)
{
    struct schema schema = packing->schema;
    tlu_options *none = packing->packed->numbered ? options_copy(NULL) : NULL;
    if (packing->packed->numbered)
        schema = numbered_schema(&schema);
    bool fine = packing->packed->numbered == (none != NULL) &&
                binary_write_header(&packing->writer, &schema, none ? none : options);
    tlu_options_free(none);
    return fine || packing->full ? TLU_OK : error_memory(error);
}

static tlu_status read_all(struct packing *packing, const char *path,
                           const struct row_source *row_source, tlu_options *options,
                           tlu_error *error)
{
    struct batch *batch;
    TRY(reader_open_source(&packing->reader, path, row_source, options, &packing->schema, error));
    TRY(reader_adopt(packing->reader, options, error));
    packing->packed->numbered = may_number(&packing->schema, options);
    TRY(write_header(packing, options, error));
    for (;;) {
        TRY(reader_next(packing->reader, &batch, error));
        if (!batch)
            break;
        tlu_status status = look_at(packing, batch, error);
        if (status == TLU_OK)
            status = write_batch(packing, batch, error);
        reader_recycle(packing->reader, batch);
        TRY(status);
    }
    if (!packing->full && !binary_write_end(&packing->writer) && !packing->full)
        return error_memory(error);
    return TLU_OK;
}

tlu_status pack_rows(struct packed *packed, const char *path, const struct row_source *row_source,
                     const tlu_options *given, tlu_error *error)
{
    struct packing packing = {.packed = packed};
    struct cache cache;
    *packed = (struct packed){0};
    tlu_options *options = options_copy(given);
    TRY(enough_memory(options != NULL, error));
    cache_init(&cache, options);
    packing.most = cache.limit;
    cache_free(&cache);
    packing.full = options_flag(options, OPTION_MAX_FEATURES); // which goes with text alone
    packing.writer = (struct binary_writer){.write = keep, .context = &packing};
    schema_init(&packing.schema);
    tlu_status status = tlu_options_clear(options, "hash", error); // that is done in learning
    if (status == TLU_OK)
        status = read_all(&packing, path, row_source, options, error);
    if (status == TLU_OK)
        packed->look.few = columns_few(&packing.columns, &packing.schema, packed->look.rows);
    columns_free(&packing.columns);
    reader_close(packing.reader);
    schema_free(&packing.schema);
    tlu_options_free(options);
    if (status == TLU_OK && !packing.full)
        return TLU_OK;
    memory_free(packed->bytes);
    packed->bytes = NULL;
    packed->size = 0;
    packed->numbered = false;
    return status;
}
