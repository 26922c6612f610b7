// The bytes of a binary data file, mapped or read, and the texts among them.
#include "base/memory.h"
#include "input/binary/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FETCH_FIRST ((size_t)1 << 20) // more is believed only when it comes

tlu_status binary_damaged(const struct binary *binary, tlu_error *error, const char *format, ...)
{
    char reason[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return error_at(error, binary->path, 0, 0, "the binary data is damaged: %s", reason);
}

tlu_status binary_cut_short(const struct binary *binary, tlu_error *error)
{
    return error_at(error, binary->path, 0, 0,
                    "the binary data is cut short: its last block is missing");
}

// ---- bytes ----

tlu_status binary_read(struct binary *binary, char *bytes, size_t size, size_t *got,
                       tlu_error *error)
{
    size_t left = binary->input.start_size - binary->input.start_at, more = 0;
    *got = size < left ? size : left;
    if (*got)
        memcpy(bytes, binary->input.start + binary->input.start_at, *got);
    binary->input.start_at += *got;
    tlu_status status = TLU_OK;
    if (*got < size && binary->input.source)
        status = source_read(binary->input.source, bytes + *got, size - *got, &more, error);
    *got += more;
    return status;
}

tlu_status binary_fetch(struct binary *binary, char **bytes, size_t *capacity, size_t have,
                        uint64_t size, tlu_error *error)
{
    while (have < size) {
        size_t step = have < FETCH_FIRST ? FETCH_FIRST : have, got;
        if (step > size - have)
            step = (size_t)(size - have);
        TRY(enough_memory(memory_reserve(bytes, capacity, have + step, 1), error));
        TRY(binary_read(binary, *bytes + have, step, &got, error));
        if (got < step)
            return binary_cut_short(binary, error);
        have += got;
    }
    return TLU_OK;
}

// ---- texts ----

bool binary_next_text(struct texts *texts, const char **text, size_t *length)
{
    uint32_t size;
    if ((size_t)(texts->end - texts->at) < sizeof size)
        return false;
    memcpy(&size, texts->at, sizeof size);
    texts->at += sizeof size;
    if ((size_t)(texts->end - texts->at) < size)
        return false;
    *text = texts->at;
    *length = size;
    texts->at += size;
    return !memchr(*text, '\0', size);
}

bool binary_texts_end(const struct texts *texts)
{
    if (texts->end - texts->at >= BINARY_ALIGNMENT)
        return false;
    for (const char *at = texts->at; at < texts->end; at++)
        if (*at)
            return false;
    return true;
}

struct texts binary_texts(const struct binary_block *block)
{
    return (struct texts){block->bytes + BINARY_BLOCK, block->bytes + block->header.head};
}
