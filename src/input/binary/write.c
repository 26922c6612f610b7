#include "base/crc.h"
#include "base/memory.h"
#include "data/large.h"
#include "input/binary/binary.h"

#include <string.h>

// Bytes on their way to the file.
struct binary_buffer {
    char *bytes;
    size_t size, capacity;
    bool failed; // out of memory
};

static void put(struct binary_buffer *out, const void *bytes, size_t size)
{
    out->failed |= !memory_reserve(&out->bytes, &out->capacity, out->size + size, 1);
    if (out->failed || size == 0)
        return;
    memcpy(out->bytes + out->size, bytes, size);
    out->size += size;
}

static void put_text(struct binary_buffer *out, const char *text, size_t length)
{
    uint32_t size = (uint32_t)length;
    put(out, &size, sizeof size);
    put(out, text, length);
}

static const char zeros[BINARY_ALIGNMENT];

static size_t padding(uint64_t size)
{
    return (size_t)(-size % BINARY_ALIGNMENT);
}

static void hand_on(struct binary_writer *writer, const void *bytes, size_t size)
{
    if (!writer->failed && size)
        writer->failed = writer->write(writer->context, bytes, size) != 0;
}

// ---- the header ----

static const enum option settings[] = {
    OPTION_FORMAT,   OPTION_DELIMITER,  OPTION_HEADER,      OPTION_MISSING,
    OPTION_SKIP_BAD, OPTION_LABEL,      OPTION_CATEGORICAL, OPTION_NUMERIC,
    OPTION_IGNORE,   OPTION_NGRAMS,     OPTION_LOWERCASE,   OPTION_TEXT,
    OPTION_CHARS,    OPTION_STOP_WORDS, OPTION_DECIMAL,     OPTION_LABEL_SEPARATOR};

bool binary_write_header(struct binary_writer *writer, const struct schema *schema,
                         const tlu_options *options)
{
    struct binary_buffer out = {0};
    struct binary_header header = {.version = schema->multilabel ? BINARY_VERSION : 1,
                                   .order = BINARY_ORDER,
                                   .flags = (schema_is_csv(schema) ? BINARY_CSV : 0) |
                                            (schema->header ? BINARY_NAMED : 0) |
                                            (schema->numbered_words ? BINARY_WORDS : 0) |
                                            (schema->multilabel ? BINARY_SETS : 0),
                                   .delimiter = (unsigned char)schema->delimiter,
                                   .columns = (uint32_t)schema->column_count,
                                   .format = schema_is_named(schema) ? schema->format : 0};
    memcpy(header.magic, BINARY_MAGIC, sizeof header.magic);
    put(&out, &header, sizeof header);
    for (size_t i = 0; i < schema->column_count; i++) {
        uint32_t kind = column_code(&schema->columns[i]);
        put(&out, &kind, sizeof kind);
        put_text(&out, schema->columns[i].name, strlen(schema->columns[i].name));
        writer->names += schema->columns[i].kind == COLUMN_NUMERIC; // the header names these
    }
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        if (!options_is_set(options, settings[i]))
            continue;
        const char *name = tlu_option_at(settings[i])->name;
        const char *value = options_text(options, settings[i]);
        put_text(&out, name, strlen(name));
        put_text(&out, value, strlen(value));
        header.settings++;
    }
    put(&out, zeros, padding(out.size));
    if (!out.failed) {
        header.size = out.size;
        memcpy(out.bytes, &header, sizeof header);
        header.crc = crc32_add(0, out.bytes, BINARY_HEADER - sizeof header.crc);
        header.crc = crc32_add(header.crc, out.bytes + BINARY_HEADER, out.size - BINARY_HEADER);
        memcpy(out.bytes, &header, sizeof header);
        hand_on(writer, out.bytes, out.size);
    }
    memory_free(out.bytes);
    return !out.failed && !writer->failed;
}

// ---- blocks ----

struct array {
    const void *items;
    size_t count; // of 4 bytes
};

static void put_new_texts(struct binary_buffer *out, struct binary_writer *writer,
                          const struct schema *schema)
{
    for (; writer->labels < schema_classes(schema); writer->labels++)
        put_text(out, schema->spelled[writer->labels], strlen(schema->spelled[writer->labels]));
    for (; writer->names < schema_names(schema); writer->names++) {
        char scratch[LARGE_SCRATCH];
        size_t length;
        const char *name = schema_name_at(schema, writer->names, scratch, &length);
        put_text(out, name, length);
    }
}

// Fills in what only the bytes can tell, and writes the head and the arrays.
static void write_block(struct binary_writer *writer, struct binary_block_header *header,
                        struct binary_buffer *head, const struct array *arrays, size_t count)
{
    header->head = header->size = head->size;
    for (size_t i = 0; i < count; i++) {
        size_t size = arrays[i].count * 4;
        header->arrays_crc = crc32_add(header->arrays_crc, arrays[i].items, size);
        header->arrays_crc = crc32_add(header->arrays_crc, zeros, padding(size));
        header->size += size + padding(size);
    }
    memcpy(head->bytes, header, sizeof *header);
    header->crc = crc32_add(0, head->bytes + 8, head->size - 8);
    memcpy(head->bytes, header, sizeof *header);
    hand_on(writer, head->bytes, head->size);
    for (size_t i = 0; i < count; i++) {
        hand_on(writer, arrays[i].items, arrays[i].count * 4);
        hand_on(writer, zeros, padding(arrays[i].count * 4));
    }
}

bool binary_write_batch(struct binary_writer *writer, const struct schema *schema,
                        const struct batch *batch)
{
    size_t nonzeros = batch_nonzeros(batch);
    bool direct = schema_is_indexed(schema) && batch->direct.lowest <= batch->direct.highest;
    struct binary_block_header header = {.kind = BINARY_IS_BLOCK,
                                         .flags = (batch->ones ? BINARY_ONES : 0) |
                                                  (batch->weighted ? BINARY_WEIGHTED : 0),
                                         .rows = batch->rows,
                                         .nonzeros = nonzeros,
                                         .labels = schema_classes(schema) - writer->labels,
                                         .names = schema_names(schema) - writer->names,
                                         .first_line = batch->place.first_line,
                                         .lines = batch->place.lines,
                                         .skipped = batch->counts.skipped_rows,
                                         .queries = batch->counts.qid_fields,
                                         .lowest = direct ? batch->direct.lowest : UINT32_MAX,
                                         .highest = direct ? batch->direct.highest : 0,
                                         .more_labels = batch->counts.multi_label_rows,
                                         .set_cells = batch->set_cells};
    const struct array arrays[] = {{batch->offsets, batch->rows + 1},
                                   {batch->indices, nonzeros},
                                   {batch->values, batch->ones ? 0 : nonzeros},
                                   {batch->labels, batch->rows},
                                   {batch->line, batch->rows},
                                   {batch->weights, batch->weighted ? batch->rows : 0},
                                   {batch->sets, batch->set_cells}};
    struct binary_buffer head = {0};
    put(&head, &header, sizeof header);
    put_new_texts(&head, writer, schema);
    put(&head, zeros, padding(head.size));
    if (!head.failed)
        write_block(writer, &header, &head, arrays, sizeof arrays / sizeof arrays[0]);
    writer->blocks++;
    writer->rows += batch->rows;
    writer->nonzeros += nonzeros;
    memory_free(head.bytes);
    return !head.failed && !writer->failed;
}

bool binary_write_end(struct binary_writer *writer)
{
    struct binary_block_header header = {.kind = BINARY_IS_END,
                                         .rows = writer->rows,
                                         .nonzeros = writer->nonzeros,
                                         .labels = writer->labels,
                                         .names = writer->names,
                                         .lines = writer->blocks};
    char bytes[BINARY_BLOCK];
    struct binary_buffer head = {.bytes = bytes, .size = sizeof bytes, .capacity = sizeof bytes};
    write_block(writer, &header, &head, NULL, 0);
    return !writer->failed;
}
