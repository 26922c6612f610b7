// Reading for proofs: all rows of the data, their numbers as they are written.
#include "proof/built.h"
#ifdef TLU_PROVES
#include "base/memory.h"
#include "input/reader.h"
#include "proof/examples.h"

#include <string.h>

static bool add_spelling(struct gathered *all, const char *text, size_t length, uint32_t class)
{
    struct labels *labels = &all->labels_spelled;
    uint32_t number = table_add(&all->spellings, text, length);
    if (number == TABLE_NONE || number < labels->count)
        return number != TABLE_NONE;
    if (!memory_reserve(&labels->items, &labels->capacity, labels->count + 1,
                        sizeof *labels->items))
        return false;
    char *copy = memory_copy_text(text, length);
    if (!copy)
        return false;
    labels->items[labels->count++] = (struct spelling){copy, class};
    return true;
}

// The labels of a batch as they are spelled there; if the batch has no table of its own (binary
// data), as the schema spells them.
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

static bool make_room(struct gathered *all, size_t rows, size_t entries)
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
    if (!make_room(all, batch->rows, batch_nonzeros(batch)) || !note_spellings(all, batch) ||
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
    TRY(enough_memory(make_room(all, 0, 0), error));
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

static void labels_free(struct labels *labels)
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
#endif
