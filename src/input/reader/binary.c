// The origin of batches that is a binary data file (input/binary/binary.h), whose parts are
// blocks.
#include "input/reader/internal.h"
#include "input/text/words.h"

static tlu_status read_block(struct reader *reader, struct slot *slot, tlu_error *error)
{
    TRY(binary_next(reader->binary, &slot->block, error));
    slot->end = slot->block.end;
    return TLU_OK;
}

static tlu_status parse_block(struct reader *reader, struct slot *slot, tlu_error *error)
{
    tlu_status status = binary_batch(reader->binary, &slot->block, &slot->batch, error);
    binary_drop(&slot->block);
    return status;
}

static tlu_status admit_block(struct reader *reader, struct slot *slot, tlu_error *error)
{
    reader->passed.lines = slot->block.header.first_line;
    if (reader->schema->frozen)
        return enough_memory(batch_select(slot->batch, &reader->subset, reader->passed.file_rows),
                             error);
    return binary_merge(reader->binary, &slot->block, &slot->batch, &reader->subset,
                        reader->passed.file_rows, error);
}

const struct origin origin_binary = {read_block, parse_block, admit_block};

// What the options ask of data that a growing schema takes features from.
static tlu_status check_options(const struct reader *reader, const tlu_options *options,
                                tlu_error *error)
{
    const struct schema *schema = reader->schema;
    if (options_flag(options, OPTION_HASH))
        TRY(enough_memory(
            binary_hash(reader->binary, (uint32_t)options_count(options, OPTION_HASH)), error));
    if (options_flag(options, OPTION_MAX_FEATURES))
        return error_at(error, reader->path, 0, 0,
                        "--max-features forgets names, and binary data tells each of them once: "
                        "give the text that it was made of, or --hash BITS");
    if (!schema_is_csv(schema))
        TRY(csv_options_refuse(options, schema->format, reader->path, error));
    if (format_table[schema->format].words == WORDS_NONE)
        TRY(words_options_refuse(options, schema->format, reader->path, error));
    return TLU_OK;
}

tlu_status reader_open_binary(struct reader *reader, const tlu_options *options, tlu_error *error)
{
    struct chunks *chunks = &reader->chunks;
    const struct schema *schema = reader->schema;
    // What was read so far may have been cut at what would be a newline in text.
    TRY(chunks_uncut(chunks, error));
    if (chunks->overlong) // there are no rows of text in it
        chunks->ended = chunks->overlong = false;
    TRY(binary_open(&reader->binary, chunks->source, reader->path, chunks->loaded[0].bytes,
                    chunks->loaded[0].size, &reader->parser, reader->schema, error));
    reader->origin = &origin_binary;
    if (!schema->frozen)
        TRY(check_options(reader, options, error));
    reader->format = schema->frozen ? binary_format(reader->binary) : schema->format;
    return TLU_OK;
}
