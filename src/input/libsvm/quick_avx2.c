// Plain rows by AVX2; NULL if the compiler has no AVX2.
//
// The text is scanned in windows that fit into the first-level cache. For each window
//
//     list the places of all colons and line ends, 64 bytes at a time
//     convert the numbers around the colons, eight at a time, whichever rows they belong to
//     for each row: check its entries and copy them into the batch
//
// A row is plain if its numbers are (up to 8 digits of an index, up to 15 of a value), its indices
// ascend, and it has exactly the blanks that a label, entries with single blanks between them and
// at most one blank before the line end take.
#include "base/memory.h"
#include "input/libsvm/quick_row.h"
#include "numeric/number.h"

#if defined(__AVX2__)
#include "input/numbers_avx2.h"

// Appends `base` + the number of each bit; up to 64 are written, those past the last are undefined.
static inline size_t list_bits(uint64_t bits, uint32_t base, uint32_t *out)
{
    size_t count = (size_t)__builtin_popcountll(bits);
    for (size_t i = 0; i < count; i += 8) // eight at a time, needed or not: one branch
        for (size_t k = 0; k < 8; k++) {
            out[i + k] = base + (uint32_t)_tzcnt_u64(bits);
            bits = _blsr_u64(bits);
        }
    return count;
}

#define WINDOW_MIN 512 // bytes: the first window is small, as the first row may not be plain
#define WINDOW_MAX 4096
#define QUERY -2 // in the place of an index

struct line_end {
    uint32_t place;  // of the newline
    uint32_t colons; // listed before it
    uint32_t blanks; // before it in the window, itself included
};

struct libsvm_window {
    const char *text;
    const char *limit; // of what may be read after it
    uint32_t size;
    uint32_t colon_count, blank_count, line_count;
    uint32_t colons[WINDOW_MAX + BLOCK_BYTES]; // places in the text
    uint32_t stops[WINDOW_MAX + BLOCK_BYTES];  // of the first blank after each of them
    struct line_end lines[WINDOW_MAX + 1];
    int32_t indices[1 + WINDOW_MAX + BLOCK_BYTES]; // that of an entry is at its number plus 1
    float values[WINDOW_MAX + BLOCK_BYTES];
};

static void list_separators(struct libsvm_window *w)
{
    uint32_t stop_count = 0;
    uint64_t open = 0; // a value goes on from the block before
    w->colon_count = w->blank_count = w->line_count = 0;
    for (uint32_t at = 0; at < w->size; at += BLOCK_BYTES) {
        const char *block = w->text + at;
        uint64_t colons = either_avx2(block, ':', ':'), newlines = either_avx2(block, '\n', '\n');
        uint64_t blanks = between_avx2(block, '\0', ' '); // ends of lines, too
        for (uint64_t left = newlines; left; left &= left - 1) {
            uint64_t before = left ^ (left - 1); // up to the lowest newline
            w->lines[w->line_count++] =
                (struct line_end){at + (uint32_t)__builtin_ctzll(left),
                                  w->colon_count + (uint32_t)__builtin_popcountll(colons & before),
                                  w->blank_count + (uint32_t)__builtin_popcountll(blanks & before)};
        }
        // A colon added to the bytes that are no blanks carries up to the next blank.
        uint64_t text = ~blanks, sum;
        bool over = __builtin_add_overflow(text, colons, &sum);
        over |= __builtin_add_overflow(sum, open, &sum);
        open = over;
        stop_count += (uint32_t)list_bits(sum & blanks, at, w->stops + stop_count);
        w->colon_count += (uint32_t)list_bits(colons, at, w->colons + w->colon_count);
        w->blank_count += (uint32_t)__builtin_popcountll(blanks);
    }
    // The last value may end after the window.
    for (uint32_t at = w->size; stop_count < w->colon_count && w->text + at < w->limit; at++)
        if ((unsigned char)w->text[at] <= ' ')
            w->stops[stop_count++] = at;
    while (stop_count < w->colon_count) // two colons in a value
        w->stops[stop_count++] = 0;
}

// A value that is not plain. If it is not a number the index of the entry becomes -1.
static void convert_slowly(struct libsvm_window *w, uint32_t i)
{
    struct quick_entry entry;
    bool fine = value_slowly(w->text + w->colons[i] + 1, w->limit, &entry);
    w->values[i] = fine ? entry.value : 0;
    if (!fine)
        w->indices[i + 1] = -1;
}

// What is before the colon is no index. It may be that of a query.
static void convert_query(struct libsvm_window *w, uint32_t i)
{
    const char *colon = w->text + w->colons[i];
    w->indices[i + 1] = colon[-4] == ' ' && query_end(colon - 3) ? QUERY : -1;
}

static void convert_all(struct libsvm_window *w)
{
    uint32_t count = w->colon_count;
    for (uint32_t i = 0; i < ENTRIES_AT_ONCE; i++) { // may be asked for, but are not there
        w->colons[count + i] = 0;
        w->stops[count + i] = 2;
    }
    for (uint32_t i = 0; i < count; i += ENTRIES_AT_ONCE) {
        uint32_t none = convert_indices(w->text, w->colons + i, w->indices + i + 1);
        uint32_t slow = convert_values(w->text, w->colons + i, w->stops + i, w->values + i);
        if (!(none | slow))
            continue;
        if (count - i < ENTRIES_AT_ONCE)
            slow &= (1u << (count - i)) - 1;
        for (slow &= ~none; slow; slow &= slow - 1)
            convert_slowly(w, i + (uint32_t)__builtin_ctz(slow));
        for (; none; none &= none - 1)
            convert_query(w, i + (uint32_t)__builtin_ctz(none));
    }
}

// What is to be known about the entries of a row, eight at a time: any bit that is set says yes.
typedef int32_t eight_bits __attribute__((vector_size(32)));
typedef uint32_t eight_numbers __attribute__((vector_size(32)));
typedef float eight_values __attribute__((vector_size(32)));

static inline bool any_of(const eight_bits *bits)
{
    uint64_t words[4];
    memcpy(words, bits, sizeof words);
    return (words[0] | words[1] | words[2] | words[3]) != 0;
}

// Ascending indices become the model's features. False if it does not know one of them.
static bool to_features(const struct schema *schema, uint32_t *indices, int32_t count)
{
    if (indices[count - 1] >= schema->rank_count)
        return false;
    bool unknown = false;
    for (int32_t i = 0; i < count; i++) {
        indices[i] = schema->rank[indices[i]];
        unknown |= indices[i] == SCHEMA_NONE;
    }
    return !unknown;
}

// What makes ascending indices the model's features if it is taken off each of them: 0 if there is
// no such number.
static inline uint32_t feature_shift(const struct schema *schema, const int32_t *indices,
                                     int32_t count)
{
    if (!schema_looks_up(schema) || !schema_is_run(schema))
        return 0;
    int32_t first = (int32_t)schema->ids[0], last = (int32_t)schema->ids[schema->numbered - 1];
    return indices[0] >= first && indices[count - 1] <= last ? (uint32_t)first : 0;
}

// Entries `from` to `to` of the window, which are of the row. False if they are not plain.
static bool add_entries(struct quick_row *row, const struct schema *schema, struct batch *batch,
                        struct libsvm_window *w, uint32_t from, uint32_t to)
{
    if (from < to && row->entries == 0 && w->indices[from + 1] == QUERY) {
        row->query = true;
        row->entries++;
        from++;
    }
    int32_t count = (int32_t)(to - from);
    if (count == 0)
        return true;
    int32_t *before = w->indices + from, *indices = before + 1;
    const float *values = w->values + from;
    *before = row->highest; // the previous row is done with
    uint32_t *out = batch->indices + row->count;
    float *out_values = batch->values + row->count;
    const uint32_t shift = feature_shift(schema, indices, count);
    const eight_bits lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    eight_bits unsorted = {0}, zero = {0}, other = {0};
    for (int32_t i = 0; i < count; i += 8) { // up to 7 more than there are
        eight_bits left = lanes < count - i, index, previous;
        eight_values value;
        memcpy(&index, indices + i, sizeof index);
        memcpy(&previous, before + i, sizeof previous);
        memcpy(&value, values + i, sizeof value);
        unsorted |= left & (index <= previous);
        zero |= left & (value == 0);
        other |= left & (value != 1);
        eight_numbers feature = (eight_numbers)index - shift; // of what is left over, anything
        memcpy(out + i, &feature, sizeof feature);
        memcpy(out_values + i, &value, sizeof value);
    }
    bool zeros = any_of(&zero);
    if (any_of(&unsorted) || !may_be_plain(row, schema, indices[count - 1], zeros))
        return false;
    if (row->lowest < 0)
        row->lowest = indices[0];
    row->highest = indices[count - 1];
    row->entries += (uint32_t)count;
    bool looks_up = schema_looks_up(schema) && shift == 0;
    if (zeros || (looks_up && !to_features(schema, out, count))) {
        copy_some(row, schema, batch, indices, values, (size_t)count);
    } else {
        row->count += (size_t)count;
        row->other |= any_of(&other);
    }
    return true;
}

// The label of a row that is plain so far, the counts of which are complete; NULL if it is not.
static const char *plain_label(const struct quick_row *row, const char *bytes, const char *newline,
                               size_t *length)
{
    const char *label = bytes + row->from, *end = label;
    while (is_label_byte(*end))
        end++;
    *length = (size_t)(end - label);
    // One blank after the label and each entry: the newline is one of them, and one more may be
    // before it.
    uint32_t extra = row->blanks - 1 - row->entries;
    bool fine = *length && *label != '#' && is_stop(*end) &&
                (extra == 0 || (extra == 1 && is_stop(newline[-1])));
    return fine ? label : NULL;
}

// The rows that end in the window, and the entries of the one that does not. False at a row that is
// not plain, or *memory: out of memory.
static bool add_rows(const struct parser *parser, const char *bytes, struct libsvm_window *w,
                     struct known_labels *known, struct quick_row *row, struct batch *batch,
                     bool *memory)
{
    uint32_t colons = 0, blanks = 0;
    *memory = !batch_reserve(batch, w->line_count,
                             row->count - batch_nonzeros(batch) + w->colon_count + ENTRIES_AT_ONCE);
    if (*memory)
        return false;
    for (uint32_t i = 0; i < w->line_count; i++) {
        struct line_end end = w->lines[i];
        const char *newline = w->text + end.place;
        size_t length;
        row->blanks += end.blanks - blanks;
        if (!add_entries(row, parser->schema, batch, w, colons, end.colons))
            return false;
        const char *label = plain_label(row, bytes, newline, &length);
        if (!label)
            return false;
        enum parse_result result = set_label(parser, batch, known, label, length);
        *memory = result == PARSE_MEMORY;
        if (result != PARSE_OK)
            return false;
        close_row(batch, row);
        start_row(row, batch, (size_t)(newline - bytes) + 1);
        colons = end.colons;
        blanks = end.blanks;
    }
    row->blanks += w->blank_count - blanks;
    return add_entries(row, parser->schema, batch, w, colons, w->colon_count);
}

static size_t quick_rows(const struct parser *parser, const char *bytes, size_t size, size_t from,
                         struct batch *batch, struct quick_memory *kept, bool *memory)
{
    struct quick_row row;
    uint32_t width = WINDOW_MIN;
    *memory = false;
    if (from < REACH || size < REACH)
        return from;
    if (!kept->window) // not set: most of it need not be
        kept->window = memory_resize(NULL, 1, sizeof *kept->window);
    struct libsvm_window *w = kept->window;
    *memory = !w;
    if (!w)
        return from;
    start_row(&row, batch, from);
    w->limit = bytes + size;
    for (size_t at = from, limit = size - REACH; at + BLOCK_BYTES <= limit; at += w->size) {
        w->text = bytes + at;
        w->size = limit - at < width ? (uint32_t)(limit - at) & ~(BLOCK_BYTES - 1u) : width;
        list_separators(w);
        convert_all(w);
        if (!add_rows(parser, bytes, w, &kept->known, &row, batch, memory))
            break;
        width = width < WINDOW_MAX ? 2 * width : width;
    }
    return row.from;
}

libsvm_quick *const libsvm_quick_avx2 = quick_rows;
#else
libsvm_quick *const libsvm_quick_avx2 = NULL;
#endif
