// CSV by the rules: fields one after the other, and rows. The only code that decides about unusual
// rows and reports what is wrong with them.
#include "input/csv/internal.h"

#include "base/memory.h"
#include "input/csv/scan.h"
#include "input/ids.h"
#include "input/text/words.h"
#include "numeric/number.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct csv_cursor csv_start(const char *bytes, size_t size, char delimiter)
{
    return (struct csv_cursor){
        .at = bytes, .limit = bytes + size, .delimiter = delimiter, .line_start = bytes, .line = 1};
}

void csv_end(struct csv_cursor *cursor)
{
    memory_free(cursor->unquoted);
}

void csv_new_line(struct csv_cursor *cursor)
{
    assert(cursor->at <= cursor->limit);
    cursor->line++;
    cursor->line_start = cursor->at;
}

bool csv_next_row(struct csv_cursor *cursor)
{
    while (cursor->at < cursor->limit) {
        const char *at = cursor->at;
        while (at < cursor->limit && (*at == ' ' || *at == '\r'))
            at++;
        if (at == cursor->limit)
            return false;
        if (*at != '\n') {
            cursor->row_start = cursor->at;
            cursor->row_line = cursor->line;
            return true;
        }
        cursor->at = at + 1;
        csv_new_line(cursor);
    }
    return false;
}

// After a field: the delimiter, the end of the row or the end of the chunk.
static bool end_field(struct csv_cursor *cursor, struct csv_field *field)
{
    const char *at = cursor->at, *limit = cursor->limit;
    while (at < limit && *at == ' ')
        at++;
    const char *end = at < limit && *at == '\r' ? at + 1 : at;
    field->last = end == limit || *end == '\n';
    if (field->last) {
        cursor->at = end;
        if (end < limit) {
            cursor->at++;
            csv_new_line(cursor);
        }
        return true;
    }
    if (cursor->delimiter == ' ') { // several blanks are one, and none ends a row
        bool blank = at > cursor->at;
        cursor->at = at;
        return blank;
    }
    if (*at != cursor->delimiter)
        return false;
    cursor->at = at + 1;
    return true;
}

// Keys of words read TABLE_INLINE bytes from their start on.
static bool reserve_unquoted(struct csv_cursor *cursor, size_t length)
{
    return memory_reserve(&cursor->unquoted, &cursor->unquoted_capacity, length + TABLE_INLINE, 1);
}

static enum parse_result quoted_field(struct csv_cursor *cursor, struct csv_field *field,
                                      struct bad_row *bad)
{
    const char *start = ++cursor->at; // after the quote
    size_t length = 0;
    field->text = start;
    bool doubled = false;
    for (;;) {
        const char *quote = memchr(cursor->at, '"', (size_t)(cursor->limit - cursor->at));
        const char *stop = quote ? quote : cursor->limit;
        size_t piece = (size_t)(stop - cursor->at);
        if (doubled && !cursor->bare) {
            if (!reserve_unquoted(cursor, length + piece))
                return PARSE_MEMORY;
            memcpy(cursor->unquoted + length, cursor->at, piece);
        }
        for (const char *at = cursor->at; at < stop;) {
            const char *newline = memchr(at, '\n', (size_t)(stop - at));
            if (!newline)
                break;
            cursor->line++;
            cursor->line_start = at = newline + 1;
        }
        length += piece;
        if (!quote) {
            cursor->at = cursor->limit;
            bad->line = field->line;
            return bad_row_set(bad, field->column,
                               "this quote is never closed; add the closing one");
        }
        cursor->at = quote + 1;
        if (cursor->at == cursor->limit || *cursor->at != '"')
            break;
        cursor->at++;
        if (cursor->bare)
            continue;
        if (!doubled) { // the first doubled quote: from here on the text is a copy
            doubled = true;
            if (!reserve_unquoted(cursor, length))
                return PARSE_MEMORY;
            memcpy(cursor->unquoted, start, length);
        }
        if (!reserve_unquoted(cursor, length))
            return PARSE_MEMORY;
        cursor->unquoted[length++] = '"';
    }
    if (doubled)
        field->text = cursor->unquoted;
    field->length = length;
    uint64_t line = cursor->line;
    size_t column = (size_t)(cursor->at - cursor->line_start) + 1;
    if (end_field(cursor, field))
        return PARSE_OK;
    bad->line = line;
    return bad_row_set(bad, column,
                       "expected the delimiter or the end of the row after a quoted "
                       "field; a quote inside it is written twice");
}

// Whether a byte order mark is in a field without quotes; in quotes it is a character like others.
static bool has_mark(const struct csv_cursor *cursor, const char *start, const char *end,
                     struct bad_row *bad)
{
    const char *mark =
        cursor->marked && !cursor->bare ? byte_order_mark(start, (size_t)(end - start)) : NULL;
    if (!mark)
        return false;
    bad->line = cursor->line;
    bad_row_marked(bad, (size_t)(mark - cursor->line_start) + 1);
    return true;
}

enum parse_result csv_next_field(struct csv_cursor *cursor, struct csv_field *field,
                                 struct bad_row *bad)
{
    while (cursor->at < cursor->limit && *cursor->at == ' ')
        cursor->at++;
    field->line = cursor->line;
    field->column = (size_t)(cursor->at - cursor->line_start) + 1;
    if (cursor->at < cursor->limit && *cursor->at == '"')
        return quoted_field(cursor, field, bad);

    const char *start = cursor->at,
               *at = first_of(start, cursor->limit, cursor->delimiter, '\n', '"');
    if (has_mark(cursor, start, at, bad))
        return PARSE_BAD;
    if (at < cursor->limit && *at == '"') {
        bad->line = cursor->line;
        return bad_row_set(bad, (size_t)(at - cursor->line_start) + 1,
                           "a quote in the middle of a field; put the whole field in quotes and "
                           "write each quote inside it twice");
    }
    cursor->at = at;
    const char *stop = at;
    if (stop > start && stop[-1] == '\r' && (at == cursor->limit || *at == '\n'))
        stop--;
    while (stop > start && stop[-1] == ' ')
        stop--;
    field->text = start;
    field->length = (size_t)(stop - start);
    end_field(cursor, field); // cannot fail: it stands at the delimiter or at an end
    return PARSE_OK;
}

void csv_to_row_start(struct csv_cursor *cursor)
{
    cursor->at = cursor->line_start = cursor->row_start;
    cursor->line = cursor->row_line;
}

bool csv_skip_row(struct csv_cursor *cursor)
{
    struct csv_field field = {.last = false};
    struct bad_row ignored;
    bool bare = cursor->bare, open = false;
    cursor->bare = true;
    csv_to_row_start(cursor);
    while (!field.last)
        if (csv_next_field(cursor, &field, &ignored) != PARSE_OK) {
            open = cursor->at == cursor->limit;
            csv_to_row_start(cursor);
            const char *newline = memchr(cursor->at, '\n', (size_t)(cursor->limit - cursor->at));
            cursor->at = newline ? newline + 1 : cursor->limit;
            if (newline)
                csv_new_line(cursor);
            break;
        }
    cursor->bare = bare;
    return !open;
}

// Steps over the row at `row` and the ones after it until it is past `odd`; the place after the
// last of them. *open if that one has no end.
static const char *step_strictly(const char *row, const char *odd, const char *limit,
                                 char delimiter, bool *open)
{
    struct csv_cursor cursor = csv_start(row, (size_t)(limit - row), delimiter);
    while (row <= odd && !*open) {
        *open = !csv_next_row(&cursor);
        if (*open)
            break;
        row = cursor.at; // empty lines before the row
        *open = !csv_skip_row(&cursor) || cursor.at != cursor.line_start;
        if (!*open)
            row = cursor.at;
    }
    return row; // the cursor has no memory of its own: it was bare
}

// What csv_complete knows of the bytes before a block.
struct quote_check {
    uint64_t inside;  // all ones inside quotes
    uint64_t opens;   // 1: a quote may open here
    uint64_t closing; // 1: the last byte closed a quote
};

// The first byte of a block that makes its row one for the strict rules: a quote that opens neither
// at the start of a field nor right after another, or closes elsewhere than at its end. 64: none.
static int odd_quote(const struct block_masks *masks, uint64_t inside, struct quote_check *check,
                     const char *block, const char *limit)
{
    uint64_t ends = masks->ends & ~inside;
    uint64_t opening = masks->quotes & inside, closing = masks->quotes & ~inside;
    uint64_t odd = opening & ~((ends | closing) << 1 | check->opens);
    uint64_t after = (closing << 1 | check->closing) & ~(ends | opening);
    check->opens = (ends | closing) >> 63;
    check->closing = closing >> 63;
    for (; after; after &= after - 1) {
        const char *at = block + __builtin_ctzll(after);
        if (at < limit && !(*at == '\r' && (at + 1 == limit || at[1] == '\n')))
            odd |= after & -after;
    }
    return odd ? __builtin_ctzll(odd) : BLOCK_BYTES;
}

size_t csv_complete(const char *bytes, size_t size, char delimiter)
{
    const char *limit = bytes + size, *row = bytes;
    if (!memchr(bytes, '"', size)) {
        const char *newline = memrchr(bytes, '\n', size);
        return newline ? (size_t)(newline - bytes) + 1 : 0;
    }
    bool open = false;
    if (delimiter == ' ')
        return (size_t)(step_strictly(bytes, limit, limit, delimiter, &open) - bytes);
    masks_function *masks_of = csv_masks();
    struct quote_check check = {.opens = 1};
    for (const char *at = bytes; at < limit && !open;) {
        char last[BLOCK_BYTES] = {0};
        const char *block = at;
        if (limit - at < BLOCK_BYTES)
            block = memcpy(last, at, (size_t)(limit - at));
        struct block_masks masks = masks_of(block, delimiter);
        if (!masks.quotes && !check.closing) { // all of it is inside or outside
            uint64_t outside = masks.newlines & ~check.inside;
            if (outside)
                row = at + (BLOCK_BYTES - __builtin_clzll(outside));
            check.opens = (masks.ends & ~check.inside) >> 63;
            at += BLOCK_BYTES;
            continue;
        }
        uint64_t inside = scan_inside(masks.quotes, &check.inside);
        int odd = odd_quote(&masks, inside, &check, at, limit);
        uint64_t newlines = masks.newlines & ~inside;
        if (odd < BLOCK_BYTES)
            newlines &= ((uint64_t)1 << odd) - 1;
        if (newlines)
            row = at + (BLOCK_BYTES - __builtin_clzll(newlines));
        at += BLOCK_BYTES;
        if (odd == BLOCK_BYTES)
            continue;
        at = row = step_strictly(row, at - BLOCK_BYTES + odd, limit, delimiter, &open);
        check = (struct quote_check){.opens = 1};
    }
    return (size_t)(row - bytes);
}

bool csv_is_missing(const char *text, size_t length)
{
    switch (length) {
    case 0:
        return true;
    case 1:
        return text[0] == '?';
    case 2:
        return memcmp(text, "NA", 2) == 0;
    case 3:
        return memcmp(text, "N/A", 3) == 0 || memcmp(text, "nan", 3) == 0 ||
               memcmp(text, "NaN", 3) == 0;
    case 4:
        return memcmp(text, "null", 4) == 0 || memcmp(text, "NULL", 4) == 0;
    default:
        return false;
    }
}

// ---- rows ----

// Adds an entry whose value is 1.
static enum parse_result store_one(struct csv_rows *row, uint32_t feature)
{
    float value = 1;
    TRY_PARSE(row_exact(row->parser, row->batch, row->count, NULL, NULL, &value));
    csv_store(row, feature, value);
    return PARSE_OK;
}

// The feature COLUMN=VALUE with the value 1.
static enum parse_result store_category(struct csv_rows *row, const char *column, const char *value,
                                        size_t length)
{
    struct batch *batch = row->batch;
    size_t column_length = strlen(column), needed = column_length + length + 1;
    if (!memory_reserve(&batch->scratch.text, &batch->scratch.text_capacity, needed, 1))
        return PARSE_MEMORY;
    char *name = batch->scratch.text;
    memcpy(name, column, column_length);
    name[column_length] = '=';
    memcpy(name + column_length + 1, value, length);
    length += column_length + 1;

    const struct schema *schema = row->parser->schema;
    if (schema_looks_up(schema)) {
        uint32_t feature = schema_find(schema, name, length);
        if (feature == SCHEMA_NONE)
            batch->counts.unknown_values++;
        else
            return store_one(row, feature);
        return PARSE_OK;
    }
    // What another batch has brought has its number already.
    struct table_key key = table_key(&batch->names, name, length);
    uint32_t feature = row->shared ? table_find_key(&schema->names, &key) : TABLE_NONE;
    if (feature == TABLE_NONE) {
        uint32_t number = table_add_key(&batch->names, &key);
        if (number >= BATCH_LOCAL)
            return PARSE_MEMORY;
        feature = number | BATCH_LOCAL;
    }
    return store_one(row, feature);
}

// The features COLUMN:WORD of a text.
static enum parse_result store_words(struct csv_rows *row, const struct plan_column *column,
                                     const struct csv_field *field)
{
    struct named_row *words = row->words;
    struct batch *batch = row->batch;
    const struct words_text text = {field->text, field->length, column->prefix,
                                    column->prefix_length};
    size_t scratch = words_scratch(row->parser->schema, text.length, text.prefix_length);
    if (!named_scratch(words, scratch) || !named_continue(words, row->count))
        return PARSE_MEMORY;
    words->line = words->cursor = field->text;
    words->end = field->text + field->length;
    TRY_PARSE(words_add(words, &text, batch->scratch.text));
    TRY_PARSE(named_settle(words));
    struct batch_exact *exact = &batch->scratch.exact;
    if (row->parser->exact && !memory_reserve(&exact->values, &exact->capacity,
                                              (size_t)words->count + 1, sizeof *exact->values))
        return PARSE_MEMORY;
    for (; row->parser->exact && row->count < words->count; row->count++)
        exact->values[row->count] = decimal_of_float(batch->values[row->count]);
    row->count = words->count;
    // The other fields of the row count on memory for their entries.
    return batch_reserve_entries(batch, row->count + row->parser->plan->count + CSV_SPARE)
               ? PARSE_OK
               : PARSE_MEMORY;
}

// A number with a decimal comma, written with a point. A text with a point is not a number.
static bool with_point(struct csv_rows *row, struct csv_field *field)
{
    struct batch_scratch *scratch = &row->batch->scratch;
    if (!memory_reserve(&scratch->text, &scratch->text_capacity, field->length + 1, 1))
        return false;
    for (size_t i = 0; i < field->length; i++)
        scratch->text[i] = field->text[i] == ','   ? '.'
                           : field->text[i] == '.' ? ','
                                                   : field->text[i];
    field->text = scratch->text;
    return true;
}

// true or false, as JSON and Python write them.
static bool read_truth(const struct csv_field *field, double *number)
{
    static const char *const words[] = {"false", "False", "true", "True"};
    for (size_t i = 0; i < 4; i++)
        if (strlen(words[i]) == field->length && !memcmp(words[i], field->text, field->length)) {
            *number = i >= 2;
            return true;
        }
    return false;
}

static enum parse_result parse_number(struct csv_rows *row, const struct plan_column *column,
                                      const struct csv_field *given)
{
    double number = 0;
    float value;
    const char *end;
    struct csv_field pointed = *given, *field = &pointed;
    if (row->parser->plan->decimal_comma && !with_point(row, field))
        return PARSE_MEMORY;
    const char *limit = field->text + field->length;
    enum number_result result = number_parse(field->text, limit, &number, &end);
    char found[64];
    bool truth = row->parser->plan->truths && result == NUMBER_NONE && read_truth(field, &number);
    if (truth) {
        if (number != 0)
            csv_store(row, column->feature, (float)number);
        return PARSE_OK;
    }
    if (result == NUMBER_NONE || end != limit) {
        const struct schema *schema = row->parser->schema;
        bool grows = row->parser->stream && !schema->frozen;
        bad_row_set(row->bad, field->column,
                    "expected a number in column '%.80s', found '%s'%s%.80s%s", column->name,
                    error_quote(found, sizeof found, given->text, given->length),
                    grows ? "; start a new stream with --categorical " : "",
                    grows ? column->name : "", grows ? " to take it as a category" : "");
        if (schema->frozen && !schema->header)
            bad_row_if_first(row->bad, "; give --header yes if this row names the columns");
        return PARSE_BAD;
    }
    const char *problem = value_problem(result, number, &value);
    if (problem)
        return bad_row_set(row->bad, field->column, "the value %s in column '%.80s' %s",
                           error_quote(found, sizeof found, given->text, given->length),
                           column->name, problem);
    enum parse_result exact =
        row_exact(row->parser, row->batch, row->count, field->text, limit, &value);
    if (exact == PARSE_BAD)
        return bad_row_set(row->bad, field->column, "the value in column '%.80s' " TOO_SMALL,
                           column->name);
    if (exact == PARSE_OK && value != 0)
        csv_store(row, column->feature, value);
    return exact;
}

// For a message. A missing value is empty or a short word.
static const char *what_is_missing(char out[16], const struct csv_field *field)
{
    snprintf(out, 16, "found '%.*s'", (int)field->length, field->text);
    return field->length ? out : "the field is empty";
}

// Training keeps missing values as features COLUMN=(missing), which are replaced when all rows are
// known (data/impute.h). A model has the values to replace them by.
static enum parse_result store_missing(struct csv_rows *row, const struct plan_column *column,
                                       const struct csv_field *field)
{
    int missing = row->parser->missing;
    const struct fill *fill = row->parser->schema->frozen ? column->fill : NULL;
    bool numeric = column->kind == COLUMN_NUMERIC;
    char found[16];
    if (missing == MISSING_REFUSE)
        return bad_row_set(row->bad, field->column,
                           "the value in column '%.80s' is missing: %s; --missing auto would "
                           "replace it, --ignore leave the column out",
                           column->name, what_is_missing(found, field));
    if (missing == MISSING_ZERO || column->kind == COLUMN_TEXT)
        return PARSE_OK;
    assert(!fill || !row->parser->exact);
    if (fill && fill->known && numeric && missing != MISSING_INDICATOR && (float)fill->value != 0)
        csv_store(row, column->feature, (float)fill->value);
    if (fill && fill->known && missing == MISSING_MODE && fill->text)
        return store_category(row, column->name, fill->text, strlen(fill->text));
    if (fill && numeric && missing != MISSING_AUTO && missing != MISSING_INDICATOR)
        return PARSE_OK;
    uint64_t unknown = row->batch->counts.unknown_values;
    TRY_PARSE(store_category(row, column->name, MISSING_VALUE, strlen(MISSING_VALUE)));
    if (numeric) // it is not a value
        row->batch->counts.unknown_values = unknown;
    return PARSE_OK;
}

enum parse_result csv_parse_field(struct csv_rows *row, const struct plan_column *column,
                                  const struct csv_field *field)
{
    row->bad->line = field->line;
    if (column->kind == COLUMN_IGNORED)
        return PARSE_OK;
    if (memchr(field->text, '\0', field->length))
        return bad_row_set(row->bad, field->column,
                           "expected text in column '%.80s', found a NUL byte", column->name);
    char found[16];
    if (column->kind == COLUMN_LABEL) {
        bool several = row->parser->schema->multilabel;
        bool none =
            (field->length == 0 && !several) || (field->length == 1 && field->text[0] == '?');
        if (none && row->parser->labelled)
            return bad_row_set(row->bad, field->column,
                               "the label in column '%.80s' is missing: %s", column->name,
                               what_is_missing(found, field));
        if (several && !none) {
            enum parse_result result =
                row_label_list(row->parser, row->batch, field->text, field->length,
                               row->parser->separator, row->bad, (size_t)field->column);
            if (result == PARSE_BAD) // the place is not that in the file if it is quoted
                row->bad->column = field->column;
            return result;
        }
        return row_label(row->parser, row->batch, none ? NULL : field->text, field->length);
    }
    if (column->kind == COLUMN_TEXT && field->length)
        return store_words(row, column, field);
    if (csv_is_missing(field->text, field->length))
        return store_missing(row, column, field);
    if (column->kind == COLUMN_CATEGORICAL && row->parser->missing != MISSING_ZERO &&
        row->parser->missing != MISSING_REFUSE && field->length == strlen(MISSING_VALUE) &&
        memcmp(field->text, MISSING_VALUE, field->length) == 0)
        return bad_row_set(row->bad, field->column,
                           "the value '" MISSING_VALUE "' in column '%.80s' means a missing value; "
                           "leave the field empty, or spell it differently",
                           column->name);
    if (column->kind == COLUMN_CATEGORICAL)
        return store_category(row, column->name, field->text, field->length);
    return parse_number(row, column, field);
}

// Reports a row that has more or fewer fields than the first.
static void check_count(struct csv_rows *row, struct csv_cursor *cursor)
{
    size_t expected = row->parser->plan->count, count = 0;
    struct csv_field field = {.last = false};
    struct bad_row ignored;
    uint64_t line = 0, column = 0; // of the first field too many, or of the last one
    csv_to_row_start(cursor);
    for (; !field.last; count++) {
        if (csv_next_field(cursor, &field, &ignored) != PARSE_OK)
            return;
        if (count <= expected) {
            line = field.line;
            column = field.column;
        }
    }
    if (count == expected)
        return;
    row->bad->line = line;
    size_t size = (size_t)(cursor->limit - cursor->row_start);
    const char *newline = memchr(cursor->row_start, '\n', size);
    size = newline ? (size_t)(newline - cursor->row_start) : size;
    bad_row_set(row->bad, column, "expected %zu field%s as in the first row, found %s%zu%s",
                expected, expected == 1 ? "" : "s", count < expected ? "only " : "", count,
                libsvm_recognise(cursor->row_start, size)
                    ? "; the row looks like LIBSVM: leave out --format"
                : count > expected ? "; put a field that contains the delimiter in quotes"
                                   : "");
}

static enum parse_result parse_row(struct csv_rows *row, struct csv_cursor *cursor)
{
    const struct csv_plan *plan = row->parser->plan;
    struct batch *batch = row->batch;
    if (!batch_reserve(batch, 1, plan->count))
        return PARSE_MEMORY;
    row->count = batch_nonzeros(batch);
    batch->labels[batch->rows] = TLU_NO_LABEL;
    uint64_t line = cursor->line;
    struct csv_field field = {.last = false};
    for (size_t i = 0; !field.last; i++) {
        TRY_PARSE(csv_next_field(cursor, &field, row->bad));
        row->bad->line = field.line;
        bool fits = i < plan->count && (!field.last || i + 1 == plan->count);
        enum parse_result result =
            fits ? csv_parse_field(row, &plan->columns[i], &field)
                 : bad_row_set(row->bad, field.column,
                               "expected %zu fields as in the first row, found %s", plan->count,
                               i == plan->count ? "more" : "fewer");
        if (result == PARSE_BAD) // if there is a field too many, others are not in their places
            check_count(row, cursor);
        if (result != PARSE_OK)
            return result;
    }
    row_close(batch, row->count, line);
    return PARSE_OK;
}

static enum parse_result parse_rows(struct csv_rows *row, struct csv_cursor *cursor)
{
    enum parse_result result = PARSE_OK;
    while (result == PARSE_OK && csv_next_row(cursor)) {
        struct row_mark mark = row_mark(row->batch);
        if (row->quick) {
            result = csv_quick_row(row, cursor);
            if (result != PARSE_BAD)
                continue;
            csv_quick_undo(row, &mark);
            if (row->words)
                named_forget(row->words);
            csv_to_row_start(cursor);
        }
        result = parse_row(row, cursor);
        if (result == PARSE_BAD && row->parser->skip_bad) {
            row_undo(row->batch, &mark);
            if (row->words)
                named_forget(row->words);
            row->batch->counts.skipped_rows++;
            csv_skip_row(cursor);
            result = PARSE_OK;
        }
    }
    return result;
}

enum parse_result csv_parse(const struct parser *parser, const char *bytes, size_t size,
                            struct batch *batch, struct bad_row *bad)
{
    struct csv_cursor cursor = csv_start(bytes, size, parser->plan->delimiter);
    struct csv_rows row = {.parser = parser, .batch = batch, .bad = bad};
    struct named_row words; // large, and only set if there are texts
    const struct schema *schema = parser->schema;
    if (batch->names.count == 0)
        table_adopt_key(&batch->names, &schema->names);
    table_draw_key(&batch->names);
    row.shared = parser->lasting && !schema->slots.bits && schema->base == 0 &&
                 table_same_key(&batch->names, &schema->names);
    cursor.marked = byte_order_mark(bytes, size) != NULL;
    if (parser->plan->texts) {
        row.words = &words;
        if (!named_begin(&words, parser, batch, bad, bytes + size, size))
            return PARSE_MEMORY;
    }
    TRY_PARSE(csv_quick_start(&row, &cursor));
    enum parse_result result = parse_rows(&row, &cursor);
    batch->place.lines = cursor.line - (cursor.at == cursor.line_start);
    csv_end(&cursor);
    return result;
}

// ---- --id ----

bool csv_row_id(struct ids *ids, const struct id_source *source, const char *row, size_t size)
{
    const struct csv_plan *plan = source->plan;
    struct csv_cursor cursor = csv_start(row, size, plan->delimiter);
    struct csv_field field = {.text = "", .last = false};
    struct bad_row ignored;
    size_t i = 0;
    bool found = csv_next_row(&cursor);
    for (; found && i < plan->id; i++) // from 1
        found = !field.last && csv_next_field(&cursor, &field, &ignored) == PARSE_OK;
    bool fine = found ? ids_put(ids, field.text, field.length) : ids_put(ids, "", 0);
    csv_end(&cursor);
    return fine;
}
