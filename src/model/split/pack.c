// The rows of a data set, parsed, in memory, as a binary data file (docs/data-format.md), which is
// read like other data without parsing.
#include "base/memory.h"
#include "data/cache.h"
#include "data/scale.h"
#include "input/binary/binary.h"
#include "model/split/split.h"
#include "train/train.h"

#include <string.h>

// ---- columns with few values ----

// Numeric columns with few distinct values: an age in years, hours, a grade. As categories, each
// value has a weight of its own, so that a relation that is not linear can be learned.
#define FEW_VALUES 256 // at most
#define FEW_ROWS 10    // and as many rows per value, on average, at least

#define VALUE_SLOTS 512
struct column_values {
    uint32_t count;              // more than FEW_VALUES: many
    uint32_t slots[VALUE_SLOTS]; // bits of values; 0: free
};

struct value_counts {
    struct column_values *of; // [count] by feature: in CSV columns of numbers come first
    size_t count;
};

#define SLOT_SHIFT 23 // leaves VALUE_SLOTS of 32 bits
_Static_assert(VALUE_SLOTS == 1u << (32 - SLOT_SHIFT) && VALUE_SLOTS > FEW_VALUES + 1,
               "a free slot");

// A row has no entries of value 0, which marks a slot that is free.
static void add_value(struct column_values *column, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (column->count > FEW_VALUES)
        return;
    size_t slot = bits * 0x9E3779B1u >> SLOT_SHIFT;
    while (column->slots[slot] && column->slots[slot] != bits)
        slot = (slot + 1) % VALUE_SLOTS;
    column->count += column->slots[slot] == 0;
    column->slots[slot] = bits;
}

// Adds the rows of a CSV batch. The struct is all zero at the start. False: out of memory.
static bool columns_add(struct value_counts *columns, const struct schema *schema,
                        const struct batch *batch)
{
    if (!columns->of) {
        columns->count = 0;
        for (size_t i = 0; i < schema->column_count; i++)
            columns->count += schema->columns[i].kind == COLUMN_NUMERIC;
        columns->of = memory_new(columns->count + 1, sizeof *columns->of);
    }
    if (!columns->of)
        return false;
    for (size_t i = 0; i < batch->rows; i++) {
        tlu_row row = batch_row(batch, i);
        for (size_t k = 0; k < row.count; k++) {
            uint32_t feature = row_feature(&row, k);
            if (feature < columns->count)
                add_value(&columns->of[feature], row.values ? row.values[k] : 1);
        }
    }
    return true;
}

static bool has_few(const struct column_values *column, uint64_t rows)
{
    return column->count > 1 && column->count <= FEW_VALUES &&
           (uint64_t)column->count * FEW_ROWS <= rows;
}

// Lists such columns in the form of --categorical. Columns of two values are left out: they are the
// same either way. NULL: there are none, or out of memory.
static char *columns_few(const struct value_counts *columns, const struct schema *schema,
                         uint64_t rows)
{
    char *list = NULL;
    size_t size = 0, capacity = 0;
    for (size_t i = 0; columns->of && i < schema->column_count; i++) {
        const struct column *column = &schema->columns[i];
        size_t length = strlen(column->name);
        if (column->kind != COLUMN_NUMERIC || column->feature >= columns->count ||
            !has_few(&columns->of[column->feature], rows) || strchr(column->name, ',') ||
            column->name[0] == ' ' || column->name[length - 1] == ' ')
            continue;
        if (!memory_reserve(&list, &capacity, size + length + 2, 1)) {
            memory_free(list);
            return NULL;
        }
        if (size)
            list[size++] = ',';
        memcpy(list + size, column->name, length + 1);
        size += length;
    }
    return list;
}

// ---- packing ----

struct row_packing {
    struct packed_rows *packed;
    size_t capacity;
    uint64_t most; // bytes
    bool full;     // the limit is reached
    struct schema schema;
    struct reader *reader;
    struct binary_writer writer;
    struct value_counts columns;
};

static int keep(void *context, const char *bytes, size_t size)
{
    struct row_packing *packing = context;
    struct packed_rows *packed = packing->packed;
    packing->full = packing->full || size > packing->most - packed->size;
    if (packing->full ||
        !memory_reserve(&packed->bytes, &packing->capacity, packed->size + size, 1))
        return 1;
    memcpy(packed->bytes + packed->size, bytes, size);
    packed->size += size;
    return 0;
}

// ---- numbers in the place of names ----

// The schema to write: with numbers as a LIBSVM file would have it, the same labels and no names.
static struct schema written_schema(const struct row_packing *packing)
{
    struct schema schema = packing->schema;
    if (packing->packed->numbered) {
        schema.format = DATA_LIBSVM;
        schema.numbered_words = schema_has_texts(&packing->schema);
        schema.names = (struct table){0};
    }
    return schema;
}

// Numbers from SCHEMA_DIRECT on would be names again.
static void number_features(struct row_packing *packing, struct batch *batch)
{
    batch->direct = NO_INDICES;
    for (size_t i = 0; i < batch_nonzeros(batch); i++)
        index_range_add(&batch->direct, batch->indices[i]);
    if (batch->direct.highest >= SCHEMA_DIRECT && batch->direct.highest >= batch->direct.lowest)
        packing->full = true;
}

// Features of columns need their names.
static bool may_number(const struct schema *schema, const tlu_options *options)
{
    return schema_is_named(schema) && schema->column_count == 0 &&
           !options_flag(options, OPTION_HASH) && !options_flag(options, OPTION_MAX_FEATURES);
}

// ---- batch by batch ----

static tlu_status summarize(struct row_packing *packing, struct batch *batch, tlu_error *error)
{
    struct data_summary *summary = &packing->packed->summary;
    bool first = summary->rows == 0;
    summary->rows += batch->rows;
    summary->nonzeros += batch_nonzeros(batch);
    summary->features = schema_columns(&packing->schema);
    summary->words = schema_has_texts(&packing->schema);
    if (schema_is_csv(&packing->schema))
        TRY(enough_memory(columns_add(&packing->columns, &packing->schema, batch), error));
    if (!first)
        return TLU_OK;
    return scaling_wanted(&packing->schema, &batch, 1, TRAIN_LOOKAHEAD, &summary->table, error);
}

static tlu_status write_batch(struct row_packing *packing, struct batch *batch, tlu_error *error)
{
    struct schema schema = written_schema(packing);
    if (!packing->full && packing->packed->numbered)
        number_features(packing, batch);
    // If it is full, the rest is only counted.
    if (packing->full || binary_write_batch(&packing->writer, &schema, batch) || packing->full)
        return TLU_OK;
    return error_memory(error);
}

static tlu_status write_header(struct row_packing *packing, const tlu_options *options,
                               tlu_error *error)
{
    struct schema schema = written_schema(packing);
    tlu_options *none = packing->packed->numbered ? options_copy(NULL) : NULL;
    bool fine = packing->packed->numbered == (none != NULL) &&
                binary_write_header(&packing->writer, &schema, none ? none : options);
    tlu_options_free(none);
    return fine || packing->full ? TLU_OK : error_memory(error);
}

static tlu_status read_all(struct row_packing *packing, const char *path,
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
        tlu_status status = summarize(packing, batch, error);
        if (status == TLU_OK)
            status = write_batch(packing, batch, error);
        reader_recycle(packing->reader, batch);
        TRY(status);
    }
    if (!packing->full && !binary_write_end(&packing->writer) && !packing->full)
        return error_memory(error);
    return TLU_OK;
}

tlu_status pack_rows(struct packed_rows *packed, const char *path,
                     const struct row_source *row_source, const tlu_options *given,
                     tlu_error *error)
{
    struct row_packing packing = {.packed = packed};
    struct cache cache;
    *packed = (struct packed_rows){0};
    tlu_options *options = options_copy(given);
    TRY(enough_memory(options != NULL, error));
    cache_init(&cache, options);
    packing.most = cache.limit;
    cache_free(&cache);
    // --max-features requires text, and rows in memory need no other form.
    packing.full = options_flag(options, OPTION_MAX_FEATURES) ||
                   (options_data(options, path) && options_data(options, path)->rows);
    packing.writer = (struct binary_writer){.write = keep, .context = &packing};
    schema_init(&packing.schema);
    tlu_status status = tlu_options_clear(options, "hash", error); // names are hashed in training
    if (status == TLU_OK)
        status = read_all(&packing, path, row_source, options, error);
    if (status == TLU_OK)
        status = data_facts_make(&packed->facts, &packing.schema,
                                 options_choice(options, OPTION_MISSING), packed->summary.rows,
                                 schema_classes(&packing.schema), error);
    for (size_t i = 0; i < packing.schema.column_count; i++) {
        uint64_t missing = packing.schema.columns[i].missing;
        packed->summary.missing |= missing > 0 && missing < UINT64_MAX;
    }
    if (status == TLU_OK)
        packed->summary.few = columns_few(&packing.columns, &packing.schema, packed->summary.rows);
    memory_free(packing.columns.of);
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
