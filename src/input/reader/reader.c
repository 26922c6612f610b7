// Batches in the order of the data, with the schema's numbers.
#include "input/reader/internal.h"

#include "base/memory.h"
#include "data/hash.h"
#include "input/given_rows.h"
#include "input/ids.h"
#include "input/text/words.h"

#include <assert.h>
#include <string.h>

// ---- text: chunks go through the parser of their format ----

// Puts slots in the place of names, for --hash, unless that has to wait for rows_admit.
static enum parse_result rows_hash(const struct reader *reader, struct batch *batch)
{
    // The names of a part of the rows are still needed, to leave no trace of the others.
    if (!reader->schema->slots.bits || !subset_is_all(&reader->subset))
        return PARSE_OK;
    return hash_batch(reader->schema, batch) ? PARSE_OK : PARSE_MEMORY;
}

// See struct origin.
static tlu_status rows_admit(struct reader *reader, struct reader_slot *slot, tlu_error *error)
{
    struct schema *schema = reader->schema;
    bool enough = batch_select(slot->batch, &reader->subset, reader->passed.file_rows);
    if (enough && !subset_is_all(&reader->subset) && schema->slots.bits)
        enough = hash_batch(schema, slot->batch);
    if (enough && !schema->frozen)
        enough = schema_merge(schema, slot->batch);
    return enough_memory(enough, error);
}

static tlu_status read_chunk(struct reader *reader, struct reader_slot *slot, tlu_error *error)
{
    TRY(chunks_next(&reader->chunks, &slot->chunk, error));
    slot->end = slot->chunk.end;
    return TLU_OK;
}

static tlu_status clear_batch(struct reader_slot *slot, tlu_error *error)
{
    if (!slot->batch)
        slot->batch = batch_new();
    TRY(enough_memory(slot->batch, error));
    batch_clear(slot->batch);
    return TLU_OK;
}

static tlu_status parse_chunk(struct reader *reader, struct reader_slot *slot, tlu_error *error)
{
    const struct chunk *chunk = &slot->chunk;
    TRY(clear_batch(slot, error));
    slot->batch->place.bytes = chunk->position;
    if (reader->texts && chunk->size) {
        struct batch_scratch *scratch = &slot->batch->scratch;
        TRY(enough_memory(
            memory_reserve(&scratch->source, &scratch->source_capacity, chunk->size, 1), error));
        memcpy(scratch->source, chunk->bytes, chunk->size);
        scratch->source_size = chunk->size;
    }
    slot->result = reader_parse_rows(reader, chunk->bytes, chunk->size, slot->batch, &slot->bad);
    if (reader->labels_only)
        batch_drop_entries(slot->batch);
    if (slot->result == PARSE_OK)
        slot->result = rows_hash(reader, slot->batch);
    return TLU_OK;
}

const struct origin origin_text = {read_chunk, parse_chunk, rows_admit};

// ---- rows that a function returns ----

static tlu_status read_rows(struct reader *reader, struct reader_slot *slot, tlu_error *error)
{
    TRY(clear_batch(slot, error));
    struct batch *batch = slot->batch;
    TRY(reader->row_function.next_rows(reader->row_function.context, batch, error));
    slot->end = batch->rows == 0 && batch->place.lines == 0;
    if (batch->place.lines)
        return TLU_OK; // the function has numbered its rows
    for (size_t i = 0; i < batch->rows; i++)
        batch->line[i] = (uint32_t)(i + 1);
    batch->place.lines = batch->rows;
    return TLU_OK;
}

static tlu_status check_rows(struct reader *reader, struct reader_slot *slot, tlu_error *error)
{
    struct batch *batch = slot->batch;
    (void)error;
    for (size_t i = 0; i < batch->rows; i++) {
        if (reader->parser.labelled && batch->labels[i] == TLU_NO_LABEL) {
            slot->bad.line = batch->line[i];
            slot->result = bad_row_set(&slot->bad, 0, "has no label; add one");
            return TLU_OK;
        }
    }
    slot->result = rows_hash(reader, batch);
    return TLU_OK;
}

const struct origin origin_rows = {read_rows, check_rows, rows_admit};

// ---- the next batch ----

static uint64_t unread_lines(const struct reader *reader, size_t file)
{
    return files_unread_lines(&reader->chunks, file);
}

static tlu_status slot_outcome(const struct reader *reader, const struct reader_slot *slot,
                               tlu_error *error)
{
    if (slot->status != TLU_OK) {
        if (error)
            *error = slot->error;
        return slot->status;
    }
    if (slot->result == PARSE_MEMORY)
        return error_memory(error);
    if (slot->result == PARSE_BAD) {
        const struct bad_row *bad = &slot->bad;
        uint64_t line =
            unread_lines(reader, reader->passed.file) + reader->passed.lines + bad->line;
        uint64_t column = bad->column;
        if (bad->line == 1 && bad->column)
            column += reader->passed.column;
        return error_at(error, reader_file(reader, reader->passed.file), line, column, "%s%s",
                        bad->reason, line == 1 && bad->remedy ? bad->remedy : "");
    }
    return TLU_OK;
}

// A JSON array must have ended when the data has.
static tlu_status check_array(const struct reader *reader, tlu_error *error)
{
    if (reader->chunks.rule.json != JSON_ARRAY || reader->passed.closed || reader->stream ||
        caller_is_over(&reader->caller))
        return TLU_OK;
    return error_at(
        error, reader_file(reader, reader->passed.file), reader->passed.lines + 1,
        reader->passed.column + 1,
        "expected an object, found the end of the data: the array is not closed; add ']'");
}

static struct batch *take_batch(struct reader *reader, struct reader_slot *slot)
{
    struct batch *batch = slot->batch;
    slot->batch = NULL;
    batch->first_row = reader->passed.rows;
    batch->place.first_line = reader->passed.lines;
    batch->place.file = reader->passed.file;
    reader->passed.rows += batch->rows;
    reader->passed.lines += batch->place.lines;
    reader->passed.column = batch->place.column + (batch->place.lines ? 0 : reader->passed.column);
    reader->passed.closed |= batch->place.closed;
    workers_release(&reader->workers, slot);
    return batch;
}

// What was left out before a chunk: lines, or the end of a file.
static tlu_status pass_gap(struct reader *reader, const struct chunk *chunk, tlu_error *error)
{
    struct passed *passed = &reader->passed;
    if (chunk->file != passed->file) {
        TRY(check_array(reader, error));
        passed->file = chunk->file;
        passed->lines = passed->column = 0;
        passed->closed = false;
    }
    passed->lines += chunk->gap.lines;
    passed->column = chunk->gap.lines ? chunk->gap.column : passed->column + chunk->gap.column;
    passed->closed |= chunk->gap.closed;
    return TLU_OK;
}

// All rows have been parsed: no thread looks names up any more.
static void stop_sharing(struct reader *reader)
{
    if (reader->parser.lasting)
        table_unshare(&reader->schema->names);
    reader->parser.lasting = false;
}

tlu_status reader_next(struct reader *reader, struct batch **batch, tlu_error *error)
{
    *batch = NULL;
    if (reader->ended)
        return TLU_OK;
    reader->ended = true; // unless there is a batch to return
    struct reader_slot *slot = workers_next(reader);
    if (!slot)
        return TLU_OK;
    if (reader->origin == &origin_text && slot->status == TLU_OK && !slot->end)
        TRY(pass_gap(reader, &slot->chunk, error));
    TRY(slot_outcome(reader, slot, error));
    if (slot->end) {
        stop_sharing(reader);
        return check_array(reader, error);
    }
    size_t rows = slot->batch->rows; // before some are taken out
    TRY(reader->origin->admit(reader, slot, error));
    reader->passed.file_rows += rows;
    *batch = take_batch(reader, slot);
    reader->ended = false;
    return TLU_OK;
}

void reader_recycle(struct reader *reader, struct batch *batch)
{
    bool lent = batch && (batch->memory.lent_entries || batch->memory.lent_rows);
    if (lent && reader->binary)
        binary_forget(reader->binary, batch);
    // Of a batch that is lent nothing can be used again.
    if (lent || !workers_take_back(&reader->workers, batch))
        batch_free(batch);
}

void reader_close(struct reader *reader)
{
    if (!reader)
        return;
    workers_free(&reader->workers);
    stop_sharing(reader);
    csv_plan_free(&reader->plan);
    json_plan_free(&reader->members);
    binary_close(reader->binary);
    chunks_free(&reader->chunks);
    if (reader->given)
        given_rows_free(reader->given);
    memory_free(reader->given);
    memory_free(reader->path);
    memory_free(reader);
}

// ---- a stream that comes in pieces ----

enum parse_result reader_parse(struct reader *reader, const char *bytes, size_t size,
                               struct batch *batch, struct bad_row *bad)
{
    batch_clear(batch);
    return reader_parse_rows(reader, bytes, size, batch, bad);
}

size_t reader_complete(const struct reader *reader, const char *bytes, size_t size)
{
    static const struct row_rule lines = {0};
    return rows_complete(reader ? &reader->chunks.rule : &lines, bytes, size);
}

enum json_rows reader_json_rows(const struct reader *reader)
{
    return reader->chunks.rule.json;
}

void reader_limit_rows(struct reader *reader, size_t most)
{
    reader->chunks.rule.longest = most;
}

size_t reader_row_most(const struct reader *reader)
{
    return reader->chunks.rule.longest;
}

// ---- what is known of the data ----

void reader_work(struct reader *reader, batch_work *work, void *context)
{
    reader->work = (struct reader_work){work, context};
}

uint64_t reader_size(const struct reader *reader)
{
    return chunks_size(&reader->chunks);
}

uint64_t reader_head(const struct reader *reader)
{
    const struct chunks *chunks = &reader->chunks;
    assert(reader->labels_only && chunks->loaded_count == 1 && chunks->loaded_next == 0);
    return chunks->read - chunks->loaded[0].size - chunks->carry.size;
}

tlu_status reader_adopt(const struct reader *reader, tlu_options *options, tlu_error *error)
{
    if (reader->schema->decimal_comma && !options_is_set(options, OPTION_DECIMAL))
        TRY(tlu_options_set(options, "decimal", "comma", error));
    if (!reader->binary)
        return TLU_OK;
    TRY(binary_adopt(reader->binary, options, error));
    if (reader->schema->frozen)
        return TLU_OK;
    TRY(separator_of(options, reader->schema->separator, error));
    return words_set_rule(reader->schema, options, error);
}

tlu_status reader_refuse(const struct reader *reader, const struct batch *batch, size_t row,
                         const char *reason, tlu_error *error)
{
    uint64_t line = batch_line(batch, row);
    const char *file = reader_file(reader, batch->place.file);
    if (reader->binary)
        return error_at(error, file, 0, 0, "the row of line %llu of the text: %s",
                        (unsigned long long)line, reason);
    return error_at(error, file, line + unread_lines(reader, batch->place.file), 0, "%s", reason);
}

bool reader_takes_all(const struct reader *reader)
{
    return subset_is_all(&reader->subset);
}

tlu_status reader_id_source(const struct reader *reader, const char *id, struct id_source *source,
                            tlu_error *error)
{
    *source = (struct id_source){reader->format, &reader->plan, id};
    if (reader->binary || !format_has_ids(reader->format))
        return error_at(
            error, reader->path, 0, 0,
            "is %s, in which rows have no --id: CSV has it in a column, JSON lines in a "
            "member, VW's format in the tag",
            reader->binary ? "binary data" : format_table[reader->format].title);
    return TLU_OK;
}

bool reader_is_parsed(const struct reader *reader)
{
    return reader->binary != NULL;
}

const char *reader_format(const struct reader *reader)
{
    return format_table[reader->format].name;
}
