// LIBSVM and SVMlight:
//
//     row     = [label] { blank ("qid:" n | index ":" value) } [blank] ["#" anything]
//     label   = a word; with --multilabel labels with commas between
//     index   = a whole number from 0 to 2^63 - 1, in any order, none twice
//     value   = a finite decimal number
//
// Lines that are empty or hold only a comment are no rows. With --multilabel a row that begins with
// a blank and has no label is an example of no label. An index below SCHEMA_DIRECT is used as
// it is; others are in a table of the batch's, unless the schema has them already (data/large.h).
#include "base/memory.h"
#include "data/large.h"
#include "input/csv/csv.h"
#include "input/libsvm/quick.h"
#include "input/parse.h"
#include "numeric/number.h"
#include "vector/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct libsvm_row {
    const struct parser *parser;
    struct batch *batch;
    struct bad_row *bad;
    const char *line; // start of the line
    const char *cursor;
    const char *end; // of the line, without its newline
    size_t count;    // entries in the batch, those of this row included
    bool lost;       // an entry was left out because the model does not know it
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void skip_blanks(struct libsvm_row *row)
{
    while (row->cursor < row->end && is_blank(*row->cursor))
        row->cursor++;
}

// At the end of the row: nothing more, or a comment.
static bool at_end(const struct libsvm_row *row)
{
    return row->cursor == row->end || *row->cursor == '#';
}

static size_t column_of(const struct libsvm_row *row, const char *where)
{
    return (size_t)(where - row->line) + 1;
}

// "expected WHAT, found 'the text up to the next blank'"
static enum parse_result expected(struct libsvm_row *row, const char *where, const char *what)
{
    const char *stop = where;
    while (stop < row->end && !is_blank(*stop))
        stop++;
    char found[64];
    if (stop == where)
        return bad_row_set(row->bad, column_of(row, where), "expected %s, found %s", what,
                           where == row->end ? "the end of the line" : "a blank");
    return bad_row_set(row->bad, column_of(row, where), "expected %s, found '%s'", what,
                       error_quote(found, sizeof found, where, (size_t)(stop - where)));
}

// Digits to a number; false if there are none or it is past 2^63 - 1.
static bool parse_index(struct libsvm_row *row, uint64_t *index)
{
    const char *cursor = row->cursor;
    uint64_t n = 0;
    while (cursor < row->end && (unsigned char)(*cursor - '0') <= 9) {
        uint64_t digit = (uint64_t)(*cursor - '0');
        if (n > (INT64_MAX - digit) / 10)
            return false;
        n = n * 10 + digit;
        cursor++;
    }
    bool any = cursor > row->cursor;
    row->cursor = cursor;
    *index = n;
    return any;
}

// The number after the colon, as it is written.
struct written {
    const char *text, *end;
};

// index ":" value
static enum parse_result parse_entry(struct libsvm_row *row, uint64_t *index, float *value,
                                     struct written *written)
{
    const char *start = row->cursor;
    if (!parse_index(row, index)) {
        bool digit = start < row->end && *start >= '0' && *start <= '9';
        return expected(row, start,
                        digit ? "an index of at most 9223372036854775807"
                              : "an index and a value such as 3:0.5");
    }
    if (row->cursor == row->end || *row->cursor != ':') {
        char what[64];
        snprintf(what, sizeof what, "':' and a value after index %llu", (unsigned long long)*index);
        return expected(row, row->cursor, what);
    }
    const char *text = ++row->cursor;
    double number = 0;
    enum number_result result = number_parse(text, row->end, &number, &row->cursor);
    char c = row->cursor < row->end ? *row->cursor : ' ';
    if (result == NUMBER_NONE || !(is_blank(c) || c == '#'))
        return expected(row, text, "a number");
    const char *problem = value_problem(result, number, value);
    if (problem) {
        char found[64];
        error_quote(found, sizeof found, text, (size_t)(row->cursor - text));
        return bad_row_set(row->bad, column_of(row, text), "the value %s %s", found, problem);
    }
    *written = (struct written){text, row->cursor};
    return PARSE_OK;
}

// Stores an entry whose value is not 0.
static enum parse_result store(struct libsvm_row *row, uint64_t index, float value,
                               struct written written)
{
    struct batch *batch = row->batch;
    const struct schema *schema = row->parser->schema;
    uint32_t feature;
    if (index < SCHEMA_DIRECT) {
        feature = (uint32_t)index;
        if (feature < batch->direct.lowest)
            batch->direct.lowest = feature;
        if (feature > batch->direct.highest)
            batch->direct.highest = feature;
        if (schema_looks_up(schema))
            feature = feature < schema->rank_count ? schema->rank[feature] : SCHEMA_NONE;
    } else {
        bool finds = schema_looks_up(schema);
        feature = finds ? large_find(schema, index) : large_put(batch, index);
        if (feature == SCHEMA_NONE && !finds)
            return PARSE_MEMORY;
    }
    enum parse_result exact =
        row_exact(row->parser, batch, row->count, written.text, written.end, &value);
    if (exact == PARSE_BAD)
        return bad_row_set(row->bad, column_of(row, written.text), "the value " TOO_SMALL);
    if (exact != PARSE_OK)
        return exact;
    if (value == 0 || feature == SCHEMA_NONE) {
        row->lost |= value != 0;
        return PARSE_OK;
    }
    const struct batch_memory *memory = &batch->memory;
    bool full = row->count == memory->indices_capacity || row->count == memory->values_capacity;
    if (full && !batch_reserve_entries(batch, row->count + 1))
        return PARSE_MEMORY;
    batch->indices[row->count] = feature;
    batch->values[row->count] = value;
    batch->ones &= value == 1;
    row->count++;
    return PARSE_OK;
}

struct libsvm_entry {
    uint64_t index;
    float value;
    const char *where;
    struct written written;
};

static int by_index(const void *a, const void *b)
{
    const struct libsvm_entry *x = a, *y = b;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    return x->where < y->where ? -1 : 1;
}

static enum parse_result store_sorted(struct libsvm_row *row, struct libsvm_entry *entries,
                                      size_t count)
{
    qsort(entries, count, sizeof *entries, by_index);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && entries[i].index == entries[i - 1].index)
            return bad_row_set(row->bad, column_of(row, entries[i].where),
                               "index %llu occurs twice in this row; write it once",
                               (unsigned long long)entries[i].index);
        TRY_PARSE(store(row, entries[i].index, entries[i].value, entries[i].written));
    }
    return PARSE_OK;
}

static bool at_query(const struct libsvm_row *row)
{
    return row->end - row->cursor >= 4 && memcmp(row->cursor, "qid:", 4) == 0;
}

// "qid:" n, the query of a ranking: ignored.
static enum parse_result parse_query(struct libsvm_row *row)
{
    row->cursor += 4;
    const char *text = row->cursor;
    uint64_t query;
    if (!parse_index(row, &query) || (row->cursor < row->end && !is_blank(*row->cursor)))
        return expected(row, text, "a whole number after qid:");
    row->batch->counts.qid_fields++;
    return PARSE_OK;
}

// A row whose indices are not ascending: collect, sort, look for twins, store.
static enum parse_result parse_unsorted(struct libsvm_row *row)
{
    struct libsvm_entry *entries = NULL;
    size_t count = 0, capacity = 0;
    enum parse_result result = PARSE_OK;
    for (skip_blanks(row); result == PARSE_OK && !at_end(row); skip_blanks(row)) {
        if (at_query(row)) {
            result = parse_query(row);
            continue;
        }
        if (!memory_reserve(&entries, &capacity, count + 1, sizeof *entries)) {
            result = PARSE_MEMORY;
            break;
        }
        entries[count].where = row->cursor;
        struct libsvm_entry *entry = &entries[count];
        result = parse_entry(row, &entry->index, &entry->value, &entry->written);
        count++;
    }
    if (result == PARSE_OK && count)
        result = store_sorted(row, entries, count);
    memory_free(entries);
    return result;
}

static enum parse_result parse_entries(struct libsvm_row *row)
{
    struct batch *batch = row->batch;
    const char *start = row->cursor;
    size_t count = row->count;
    uint32_t large = batch->large.count;
    uint64_t queries = batch->counts.qid_fields;
    uint64_t least = 0; // that the next index may be
    for (skip_blanks(row); !at_end(row); skip_blanks(row)) {
        uint64_t index;
        float value;
        struct written written;
        if (*row->cursor == 'q' && at_query(row)) {
            TRY_PARSE(parse_query(row));
            continue;
        }
        TRY_PARSE(parse_entry(row, &index, &value, &written));
        if (index < least) { // again, as if the row had not begun
            row->cursor = start;
            row->count = count;
            batch->large.count = large;
            batch->counts.qid_fields = queries;
            return parse_unsorted(row);
        }
        TRY_PARSE(store(row, index, value, written));
        least = index + 1;
    }
    return PARSE_OK;
}

// The first word is the label, unless it starts as an entry does: digits and a colon, or "qid:".
static const char *parse_label(struct libsvm_row *row, size_t *length)
{
    const char *start = row->cursor, *stop = start;
    while (stop < row->end && *stop >= '0' && *stop <= '9')
        stop++;
    if (at_query(row) || (stop > start && stop < row->end && *stop == ':'))
        return NULL;
    while (stop < row->end && !is_blank(*stop))
        stop++;
    *length = (size_t)(stop - start);
    row->cursor = stop;
    return start;
}

static enum parse_result set_label(struct libsvm_row *row)
{
    const struct parser *parser = row->parser;
    bool blank = row->cursor > row->line, multilabel = parser->schema->multilabel;
    size_t length = 0;
    const char *label = parse_label(row, &length);
    if (!label && multilabel && blank)
        return row_label_list(parser, row->batch, row->cursor, 0, ",", row->bad, 0);
    if (!label && parser->labelled)
        return expected(row, row->cursor,
                        multilabel ? "labels at the start of the row, or a blank if it has none"
                                   : "a label at the start of the row");
    size_t column = label ? column_of(row, label) : 0;
    if (label && memchr(label, '\0', length))
        return bad_row_set(row->bad, column, "expected a label, found a NUL byte");
    if (label && multilabel)
        return row_label_list(parser, row->batch, label, length, ",", row->bad, column);
    if (label && is_number_list(label, length))
        return bad_row_several(parser, row->bad, column);
    return row_label(parser, row->batch, label, length);
}

static enum parse_result parse_row(struct libsvm_row *row)
{
    struct batch *batch = row->batch;
    if (!batch_reserve(batch, 1, 0))
        return PARSE_MEMORY;
    const char *comment = memchr(row->line, '#', (size_t)(row->end - row->line));
    const char *mark =
        byte_order_mark(row->line, (size_t)((comment ? comment : row->end) - row->line));
    if (mark)
        return bad_row_marked(row->bad, column_of(row, mark));
    size_t before = row->count = batch_nonzeros(batch);
    row->lost = false;
    TRY_PARSE(set_label(row));
    TRY_PARSE(parse_entries(row));
    batch->counts.unknown_rows += row->lost && row->count == before;
    row_close(batch, row->count, batch->place.lines);
    return PARSE_OK;
}

// A line by the rules, if it is a row.
static enum parse_result parse_line(const struct parser *parser, const char *line, const char *end,
                                    struct batch *batch, struct bad_row *bad)
{
    struct libsvm_row row = {parser, batch, bad, line, line, end, 0, false};
    if (row.end > line && row.end[-1] == '\r')
        row.end--;
    batch->place.lines++;
    skip_blanks(&row);
    if (at_end(&row))
        return PARSE_OK;
    struct row_mark mark = row_mark(batch);
    enum parse_result result = parse_row(&row);
    if (result == PARSE_BAD && parser->skip_bad) {
        row_undo(batch, &mark);
        batch->counts.skipped_rows++;
        return PARSE_OK;
    }
    bad->line = batch->place.lines;
    return result;
}

enum parse_result libsvm_parse_by(libsvm_quick *quick, const struct parser *parser,
                                  const char *bytes, size_t size, struct batch *batch,
                                  struct bad_row *bad)
{
    const struct schema *schema = parser->schema;
    enum parse_result result = PARSE_OK;
    struct quick_memory kept = {.window = NULL};
    size_t settled = 0; // entries whose indices are such as they are to be
    for (size_t at = 0; result == PARSE_OK && at < size;) {
        bool memory = false;
        if (quick)
            at = quick(parser, bytes, size, at, batch, &kept, &memory);
        // Entries that were read quickly may have indices from SCHEMA_DIRECT on; with --hash these
        // are as good as others.
        bool large = batch->scratch.large && !schema->frozen && !schema->slots.bits;
        batch->scratch.large = false;
        if (memory || (large && !large_settle(batch, schema, settled, parser->lasting))) {
            result = PARSE_MEMORY;
            break;
        }
        const char *newline = memchr(bytes + at, '\n', size - at);
        size_t end = newline ? (size_t)(newline - bytes) : size;
        result = parse_line(parser, bytes + at, bytes + end, batch, bad);
        at = newline ? end + 1 : size;
        settled = batch_nonzeros(batch);
    }
    memory_free(kept.window);
    return result;
}

libsvm_quick *libsvm_quick_at(size_t index)
{
    if (libsvm_quick_avx2 && cpu_level() >= CPU_AVX2 && index-- == 0)
        return libsvm_quick_avx2;
    return index == 0 ? libsvm_quick_plain : NULL;
}

enum parse_result libsvm_parse(const struct parser *parser, const char *bytes, size_t size,
                               struct batch *batch, struct bad_row *bad)
{
    libsvm_quick *quick = parser->exact ? NULL : libsvm_quick_at(0);
    return libsvm_parse_by(quick, parser, bytes, size, batch, bad);
}

// ---- recognition ----

enum entry_look { NO_ENTRY, NEARLY_ENTRY, ENTRY };

// index:number, or at least a number, a colon and something after it.
static enum entry_look look_at_word(const char *word, size_t length)
{
    const char *end = word + length, *colon = word;
    bool sign = colon < end && (*colon == '-' || *colon == '+');
    colon += sign;
    const char *digits = colon;
    while (colon < end && *colon >= '0' && *colon <= '9')
        colon++;
    if (colon == digits || colon == end || *colon != ':')
        return NO_ENTRY;
    double value;
    return !sign && number_whole(colon + 1, (size_t)(end - colon) - 1, &value) ? ENTRY
                                                                               : NEARLY_ENTRY;
}

// The best look of the words of a line; *words counts them.
static enum entry_look look_at_line(const char *line, const char *end, size_t *words)
{
    enum entry_look best = NO_ENTRY;
    *words = 0;
    while (line < end) {
        while (line < end && (*line == ' ' || *line == '\t' || *line == '\r'))
            line++;
        if (line == end || *line == '#')
            break;
        const char *word = line;
        while (line < end && *line != ' ' && *line != '\t' && *line != '\r')
            line++;
        enum entry_look look = look_at_word(word, (size_t)(line - word));
        if (look > best)
            best = look;
        ++*words;
    }
    return best;
}

// A time of day in the last column of CSV looks like an entry after a label. So it is CSV if every
// line has the same number of commas, semicolons or pipes: two or more, or one if there are lines
// without entries.
static bool splits_evenly(const char *bytes, size_t size, bool has_header)
{
    const char *limit = bytes + size;
    for (const char *delimiter = ",;|"; *delimiter; delimiter++) {
        size_t expected = 0, sampled = 0;
        bool even = true;
        for (const char *line = bytes; even && line < limit && sampled < SAMPLE_LINES; sampled++) {
            const char *newline = memchr(line, '\n', (size_t)(limit - line));
            const char *end = newline ? newline : limit;
            size_t count = 0;
            for (const char *at = line; at < end; at++)
                count += *at == *delimiter;
            if (sampled == 0)
                expected = count;
            even = count == expected || end - line <= 1;
            line = newline ? newline + 1 : limit;
        }
        if (even && sampled > 1 && expected >= (has_header ? 1 : 2))
            return true;
    }
    return false;
}

bool libsvm_recognise(const char *bytes, size_t size)
{
    const char *limit = bytes + size;
    size_t entries = 0, nearly = 0, others = 0, sampled = 0;
    for (const char *line = bytes; line < limit && sampled < SAMPLE_LINES; sampled++) {
        const char *newline = memchr(line, '\n', (size_t)(limit - line));
        const char *end = newline ? newline : limit;
        size_t words;
        enum entry_look look = look_at_line(line, end, &words);
        entries += look == ENTRY;
        nearly += look == NEARLY_ENTRY;
        others += look == NO_ENTRY && words > 1;
        line = newline ? newline + 1 : limit;
    }
    if (entries > 0 && entries >= others && !splits_evenly(bytes, size, others > 0))
        return true;
    char delimiter = nearly > 0 ? csv_delimiter(bytes, size) : ',';
    return delimiter == '\0' || delimiter == ' ';
}
