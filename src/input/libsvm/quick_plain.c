// Plain rows by C that any CPU runs: line by line, one entry after the other, eight bytes at a
// time. No branch depends on how long the numbers of an entry are.
#include "input/libsvm/quick_row.h"

#define ENTRY_MIN 3  // bytes of an entry
#define ENTRY_MAX 27 // with the blank after it

// Which of eight bytes are blanks, ends of lines or control characters, as bits.
static inline uint32_t blank_bits(uint64_t word)
{
    uint64_t others = ((word & EVERY(0x7F)) + EVERY(0x5F)) | word;
    return (uint32_t)((~others & EVERY(0x80)) * 0x0002040810204081u >> 56);
}

// Bytes before the blank after an entry; ENTRY_MAX: there is none in so many, which are too many
// for a plain value.
static inline uint32_t blank_after(const char *text)
{
    text += ENTRY_MIN;
    uint32_t blanks = blank_bits(load_word(text)) | blank_bits(load_word(text + 8)) << 8;
    if (!blanks)
        blanks = blank_bits(load_word(text + 16)) << 16 | 1u << (ENTRY_MAX - ENTRY_MIN);
    return ENTRY_MIN + (uint32_t)__builtin_ctz(blanks);
}

// An entry that is plain; false if it is not. stop is set in any case.
static inline bool plain_entry(const char *at, struct quick_entry *entry)
{
    entry->stop = at + blank_after(at);
    uint64_t digits = load_word(at) ^ EVERY('0'), others = not_digits(digits);
    const char *colon = at + 8;
    if (others) { // fewer than eight
        uint32_t bits = (uint32_t)__builtin_ctzll(others);
        digits <<= (7 - bits) & 63;
        colon = at + bits / 8;
    }
    entry->index = (int32_t)word_number(digits);
    return (*colon == ':') & (colon != at) &&
           plain_number(colon + 1, entry->stop, &entry->value, &entry->there);
}

#define PART 256 // entries that there is room for before they are read

// The index at *at, of which *at becomes the colon; -1: if it has not 1 to 8 digits.
static int32_t plain_index(const char **at)
{
    uint64_t number = 0;
    const char *colon = append_digits(*at, &number);
    size_t length = (size_t)(colon - *at);
    *at = colon;
    return *colon == ':' && length - 1 < 8 ? (int32_t)number : -1;
}

// Reads up to PART entries into the batch. Returns the byte after them: not a blank, or the start
// of the next entry. NULL: one is not plain.
static const char *add_part(struct quick_row *row, struct batch *batch, const char *at,
                            const char *limit, const char *end)
{
    uint32_t *indices = batch->indices;
    float *values = batch->values;
    size_t count = row->count, read = 0;
    int32_t highest = row->highest;
    const char *first = at;
    while (read < PART && at < limit) {
        struct quick_entry entry;
        if (!plain_entry(at, &entry)) {
            struct quick_entry slow; // another one, so that that may stay in registers
            if (is_stop(*at))        // after a blank at the end of the line
                break;
            const char *colon = at;
            slow.index = plain_index(&colon);
            if (slow.index < 0 || !value_slowly(colon + 1, end, &slow))
                return NULL;
            entry = slow;
        }
        if (entry.index <= highest)
            return NULL;
        highest = entry.index;
        indices[count] = (uint32_t)entry.index;
        values[count] = entry.value;
        count += entry.there;
        read++;
        at = entry.stop;
        if (*at != ' ')
            break;
        at++;
    }
    if (row->highest < 0 && read)
        row->lowest = plain_index(&first); // once more, rather than a look at each of them
    row->zero |= count - row->count < read;
    row->count = count;
    row->highest = highest;
    return at;
}

// The end of the line at `at`, or NULL.
static const char *line_end(const char *at)
{
    at += *at == '\r';
    return *at == '\n' ? at : NULL;
}

static bool has_room(const struct batch *batch, size_t count)
{
    const struct batch_memory *memory = &batch->memory;
    return batch->rows + 1 < memory->offsets_capacity && batch->rows < memory->labels_capacity &&
           batch->rows < memory->line_capacity && count + PART <= memory->indices_capacity &&
           count + PART <= memory->values_capacity;
}

// The entries after the label; returns the end of the line, or NULL if the row is not plain.
static const char *add_entries(struct quick_row *row, const struct schema *schema,
                               struct batch *batch, const char *at, const char *limit,
                               const char *end, bool *memory)
{
    bool more = *at == ' ';
    at += more;
    const char *query = more && *at == 'q' ? query_end(at) : NULL;
    if (query) {
        row->query = true;
        more = *query == ' ';
        at = query + more;
    }
    do {
        *memory = !has_room(batch, row->count) &&
                  !batch_reserve(batch, 1, row->count - batch_nonzeros(batch) + PART);
        if (*memory)
            return NULL;
        if (more)
            at = add_part(row, batch, at, limit, end);
        more = at && at < limit && at[-1] == ' ' && !is_stop(*at);
    } while (more);
    return at && at < limit && may_be_plain(row, schema, row->highest, false) ? line_end(at) : NULL;
}

// Whether all values of the row are 1, and what else copy_some() finds out.
static void finish_entries(struct quick_row *row, const struct schema *schema, struct batch *batch)
{
    size_t first = batch_nonzeros(batch), count = row->count - first;
    const float *values = batch->values + first;
    if (schema_looks_up(schema)) {
        row->count = first;
        copy_some(row, schema, batch, (const int32_t *)batch->indices + first, values, count);
    } else if (batch->ones) {
        int32_t other = 0;
        for (size_t i = 0; i < count; i++)
            other |= values[i] != 1 ? -1 : 0;
        row->other = other != 0;
    }
}

static size_t quick_lines(const struct parser *parser, const char *bytes, size_t size, size_t from,
                          struct batch *batch, struct quick_memory *kept, bool *memory)
{
    struct quick_row row;
    *memory = false;
    if (from < REACH || size < REACH)
        return from;
    const char *limit = bytes + size - REACH;
    for (;;) {
        start_row(&row, batch, from);
        const char *label = bytes + from, *at = label;
        while (at < limit && is_label_byte(*at) && *at != ':')
            at++;
        size_t length = (size_t)(at - label);
        if (at == limit || !length || *label == '#' || !is_stop(*at))
            return from;
        const char *newline =
            add_entries(&row, parser->schema, batch, at, limit, bytes + size, memory);
        if (!newline)
            return from;
        enum parse_result result = set_label(parser, batch, &kept->known, label, length);
        *memory = result == PARSE_MEMORY;
        if (result != PARSE_OK)
            return from;
        finish_entries(&row, parser->schema, batch);
        close_row(batch, &row);
        from = (size_t)(newline - bytes) + 1;
    }
}

libsvm_quick *const libsvm_quick_plain = quick_lines;
