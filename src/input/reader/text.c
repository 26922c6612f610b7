// The origin of batches that is text: chunks of whole rows go through the parser of their format.
#include "base/memory.h"
#include "data/hash.h"
#include "input/reader/internal.h"

#include <string.h>

static tlu_status read_chunk(struct reader *reader, struct slot *slot, tlu_error *error)
{
    TRY(chunks_next(&reader->chunks, &slot->chunk, error));
    slot->end = slot->chunk.end;
    return TLU_OK;
}

static bool keep_source(struct batch *batch, const struct chunk *chunk)
{
    struct batch_scratch *scratch = &batch->scratch;
    if (!memory_reserve(&scratch->source, &scratch->source_capacity, chunk->size, 1))
        return false;
    if (chunk->size)
        memcpy(scratch->source, chunk->bytes, chunk->size);
    scratch->source_size = chunk->size;
    return true;
}

static tlu_status parse_chunk(struct reader *reader, struct slot *slot, tlu_error *error)
{
    const struct chunk *chunk = &slot->chunk;
    if (!slot->batch)
        slot->batch = batch_new();
    TRY(enough_memory(slot->batch, error));
    batch_clear(slot->batch);
    slot->batch->place.bytes = chunk->position;
    if (reader->texts)
        TRY(enough_memory(keep_source(slot->batch, chunk), error));
    slot->result = reader_parse_rows(reader, chunk->bytes, chunk->size, slot->batch, &slot->bad);
    if (slot->result == PARSE_OK)
        slot->result = rows_hash(reader, slot->batch);
    return TLU_OK;
}

enum parse_result rows_hash(const struct reader *reader, struct batch *batch)
{
    // The names of a part of the rows are still needed, to leave no trace of the others.
    if (!reader->schema->slots.bits || reader->subset.part)
        return PARSE_OK;
    return hash_batch(reader->schema, batch) ? PARSE_OK : PARSE_MEMORY;
}

tlu_status rows_admit(struct reader *reader, struct slot *slot, tlu_error *error)
{
    struct schema *schema = reader->schema;
    bool enough = batch_select(slot->batch, &reader->subset, reader->passed.file_rows);
    if (enough && reader->subset.part && schema->slots.bits)
        enough = hash_batch(schema, slot->batch);
    if (enough && !schema->frozen)
        enough = schema_merge(schema, slot->batch);
    return enough_memory(enough, error);
}

const struct origin origin_text = {read_chunk, parse_chunk, rows_admit};
