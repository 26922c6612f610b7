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

// The last bytes of a word.
static const uint64_t last_bytes[9] = {0,
                                       0xFF00000000000000,
                                       0xFFFF000000000000,
                                       0xFFFFFF0000000000,
                                       0xFFFFFFFF00000000,
                                       0xFFFFFFFFFF000000,
                                       0xFFFFFFFFFFFF0000,
                                       0xFFFFFFFFFFFFFF00,
                                       0xFFFFFFFFFFFFFFFF};

// The last bytes before `stop` as digits, 8 at most.
static inline uint64_t last_digits(const char *stop, size_t count)
{
    return (load_word(stop - 8) ^ EVERY('0')) & last_bytes[count];
}

// Powers of ten, and what is to be divided by to become negative.
static const double scales[2][16] = {
    {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15},
    {-1, -1e1, -1e2, -1e3, -1e4, -1e5, -1e6, -1e7, -1e8, -1e9, -1e10, -1e11, -1e12, -1e13, -1e14,
     -1e15}};

// The digits from the point on stay, those before it move up by a byte.
static inline uint64_t without_point(uint64_t digits, uint64_t earlier, size_t fraction)
{
    uint64_t before = digits << 8 | earlier >> 56;
    return before ^ ((before ^ digits) & last_bytes[fraction]);
}

// As plain_value(), of 9 to 16 bytes.
static bool long_value(const char *stop, size_t length, size_t negative, struct quick_entry *entry)
{
    if (length - 9 > 7)
        return false;
    uint64_t low = last_digits(stop, 8), high = last_digits(stop - 8, length - 8);
    uint64_t point = first_equal(low, '.' ^ '0'), earlier_point = first_equal(high, '.' ^ '0');
    size_t fraction = 0;
    if (point) {
        fraction = 7 - (uint32_t)__builtin_ctzll(point) / 8;
        low = without_point(low, high, fraction);
        high <<= 8;
    } else if (earlier_point) {
        size_t before = 7 - (uint32_t)__builtin_ctzll(earlier_point) / 8;
        high = without_point(high, 0, before);
        fraction = before + 8;
    } else if (length == 16) {
        return false; // the mantissa may be no double
    }
    uint64_t mantissa = (uint64_t)word_number(high) * 100000000 + word_number(low);
    entry->there = mantissa != 0;
    entry->value = (float)((double)mantissa / scales[negative][fraction]);
    return !(not_digits(low) | not_digits(high));
}

// The value from `text` to entry->stop. False if it is anything else than a minus and up to 15
// digits and a point.
static inline bool plain_value(const char *text, struct quick_entry *entry)
{
    if (entry->stop == text + 1)
        return one_digit(*text, entry);
    size_t negative = *text == '-', fraction = 0;
    text += negative;
    size_t length = (size_t)(entry->stop - text);
    uint64_t digits;
    if ((load_word(text) & 0xFFFF) == ('.' << 8 | '0') && length - 3 < 8) { // 0.1 to 0.12345678
        fraction = length - 2;
        digits = last_digits(entry->stop, fraction);
    } else {
        if (length - 1 > 7)
            return long_value(entry->stop, length, negative, entry);
        digits = last_digits(entry->stop, length);
        uint64_t point = first_equal(digits, '.' ^ '0');
        if (point && length > 1) {
            fraction = 7 - (uint32_t)__builtin_ctzll(point) / 8;
            digits = without_point(digits, 0, fraction);
        }
    }
    entry->there = digits != 0;
    entry->value = (float)((double)word_number(digits) / scales[negative][fraction]);
    return !not_digits(digits);
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
    return (*colon == ':') & (colon != at) && plain_value(colon + 1, entry);
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
