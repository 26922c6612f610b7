// Which columns of a training file hold numbers. Every row has a say, so the whole file is looked
// at before the first row is parsed, by as many threads as there are; what they find does not
// depend on how many.
#include "base/memory.h"
#include "base/thread.h"
#include "format/csv/row.h"
#include "number/number.h"

#include <pthread.h>
#include <string.h>

#define THREADS_MOST 64

enum field_kind { FIELD_MISSING, FIELD_NUMBER, FIELD_WORD, FIELD_COMMA };

// One thread's look at a chunk.
struct look {
    const struct schema *schema;
    struct column_look *looks;
    struct csv_cursor cursor;
    const char *floor;    // the chunk's start
    const char *expected; // the next row's start, if the scan goes on there
    uint64_t lines_before;
    uint8_t *kinds;   // [column_count] of the current row
    uint8_t *last;    // [column_count] of the row before
    uint8_t *open;    // [column_count] whether the kind is to be found
    uint64_t repeats; // rows with the kinds of the last that are not counted yet
    bool memory_out;
    struct csv_scan scan;
};

// "3,5" or "1,000,000": a number to a person, but not here.
static bool has_decimal_comma(const char *text, size_t length)
{
    size_t commas = 0, digits = 0;
    for (size_t i = length && (text[0] == '-' || text[0] == '+'); i < length; i++) {
        commas += text[i] == ',';
        digits += text[i] >= '0' && text[i] <= '9';
        if (text[i] != ',' && text[i] != '.' && !(text[i] >= '0' && text[i] <= '9'))
            return false;
    }
    return commas > 0 && digits > commas && text[length - 1] != ',';
}

// What a field of an open column is.
static enum field_kind kind_of_text(const char *text, size_t length)
{
    // Most words need no closer look: numbers and missing values do not begin with their letter.
    unsigned letter = length ? ((unsigned)(unsigned char)text[0] | 0x20) - 'a' : 26;
    if (letter < 26 && letter != 'i' - 'a' && letter != 'n' - 'a')
        return FIELD_WORD;
    if (csv_is_missing(text, length))
        return FIELD_MISSING;
    double value;
    const char *end, *limit = text + length;
    if (number_parse(text, limit, &value, &end) != NUMBER_NONE && end == limit)
        return FIELD_NUMBER;
    return has_decimal_comma(text, length) ? FIELD_COMMA : FIELD_WORD;
}

static void look_at_text(struct look *look, size_t i, const struct csv_field *field)
{
    look->kinds[i] = FIELD_MISSING;
    if (!look->open[i])
        return;
    look->kinds[i] = (uint8_t)kind_of_text(field->text, field->length);
    struct column_look *column = &look->looks[i];
    if (look->kinds[i] >= FIELD_WORD && column->others == 0) { // the first, if the row is fine
        column->other_line = look->lines_before + field->line;
        column->other_column = field->column;
        error_quote(column->other, sizeof column->other, field->text, field->length);
    }
}

// The next field by the rules; false if it is malformed.
static bool look_strictly(struct look *look, size_t i, struct csv_field *field)
{
    struct bad_row bad;
    enum parse_result result = csv_next_field(&look->cursor, field, &bad);
    look->memory_out = result == PARSE_MEMORY;
    if (result == PARSE_OK)
        look_at_text(look, i, field);
    return result == PARSE_OK;
}

// Fills kinds[]; false if the row is malformed, and the kinds then mean nothing.
static bool look_at_row(struct look *look)
{
    struct csv_field field = {.last = false};
    size_t i = 0;
    for (; !field.last && i < look->schema->column_count; i++)
        if (!look_strictly(look, i, &field))
            return false;
    return field.last && i == look->schema->column_count;
}

// ---- rows as they usually are: see quick.c ----

// A field that is not a plain number; false if the row is one for the rules.
static bool look_quickly(struct look *look, size_t i, const char *start, const char *end)
{
    struct csv_cursor *cursor = &look->cursor;
    struct csv_field field = {.line = cursor->line};
    const char *text = start, *stop = end;
    enum scan_field found = scan_field(&look->scan, &text, &stop);
    if (found == SCAN_ODD)
        return false;
    if (found == SCAN_STRICT) {
        cursor->at = start;
        return look_strictly(look, i, &field) && cursor->at == end + 1;
    }
    field.text = text;
    field.length = (size_t)(stop - text);
    field.column = (size_t)(text - cursor->line_start) + (found == SCAN_PLAIN);
    look_at_text(look, i, &field);
    return true;
}

static bool quick_look(struct look *look)
{
    struct csv_scan *scan = &look->scan;
    struct csv_cursor *cursor = &look->cursor;
    size_t count = look->schema->column_count;
    const char *start = cursor->at;
    if (start != look->expected)
        csv_scan_after(scan, start);
    look->expected = NULL;
    for (size_t i = 0; i < count; i++) {
        if (scan->next == scan->count && !csv_scan_more(scan))
            return false;
        const char *end = scan->base + scan->ends[scan->next++];
        if ((*end == '\n') != (i + 1 == count))
            return false;
        if (look->open[i] && start < end && scan_is_number(start, end, look->floor))
            look->kinds[i] = FIELD_NUMBER;
        else if (!look_quickly(look, i, start, end))
            return false;
        start = end + 1;
    }
    cursor->at = look->expected = start;
    if (cursor->line_start != start) // else it was a strict field that ended the row
        csv_new_line(cursor);
    return true;
}

// ---- a chunk ----

static void add_kinds(struct look *look, const uint8_t *kinds, uint64_t rows)
{
    for (size_t i = 0; rows && i < look->schema->column_count; i++) {
        look->looks[i].numbers += kinds[i] == FIELD_NUMBER ? rows : 0;
        look->looks[i].others += kinds[i] >= FIELD_WORD ? rows : 0;
        look->looks[i].commas += kinds[i] == FIELD_COMMA ? rows : 0;
    }
}

// Rows tend to be like the one before: those are counted together.
static void count_row(struct look *look)
{
    if (memcmp(look->kinds, look->last, look->schema->column_count) == 0) {
        look->repeats++;
        return;
    }
    add_kinds(look, look->last, look->repeats);
    add_kinds(look, look->kinds, 1);
    look->repeats = 0;
    uint8_t *swap = look->last;
    look->last = look->kinds;
    look->kinds = swap;
}

bool csv_kinds_scan(const struct schema *schema, struct column_look *looks, const char *bytes,
                    size_t size, uint64_t *lines, int way)
{
    size_t count = schema->column_count;
    uint8_t *kinds = memory_new(3 * count, 1);
    if (!kinds)
        return false;
    struct look look;
    look.schema = schema;
    look.looks = looks;
    look.cursor = csv_start(bytes, size, schema->delimiter);
    look.floor = look.expected = bytes;
    look.lines_before = *lines;
    look.kinds = kinds;
    look.last = memset(kinds + count, 0xFF, count); // like no row
    look.open = kinds + 2 * count;
    look.repeats = 0;
    look.memory_out = false;
    for (size_t i = 0; i < count; i++)
        look.open[i] = looks[i].open;
    look.cursor.marked = byte_order_mark(bytes, size) != NULL;
    bool quick = way != CSV_STRICT && schema->delimiter != ' ' && !look.cursor.marked;
    csv_scan_start(&look.scan, bytes, bytes + size, schema->delimiter, (enum csv_way)way);
    while (!look.memory_out && csv_next_row(&look.cursor)) {
        bool fine = quick && quick_look(&look);
        if (!fine && !look.memory_out) {
            csv_to_row_start(&look.cursor);
            fine = look_at_row(&look);
        }
        if (fine)
            count_row(&look);
        else
            csv_skip_row(&look.cursor);
    }
    add_kinds(&look, look.last, look.repeats);
    *lines += look.cursor.line - (look.cursor.at == look.cursor.line_start);
    memory_free(kinds);
    csv_end(&look.cursor);
    return !look.memory_out;
}

// ---- a file ----

struct search {
    const struct schema *schema;
    csv_next_chunk *next;
    void *context;
    pthread_mutex_t reading; // chunks, in order
    size_t chunks;
    bool over;
    pthread_mutex_t adding; // what was found
    struct column_look *looks;
    uint64_t *lines; // [chunks] in each
    size_t lines_capacity;
    tlu_status status;
    tlu_error error;
};

struct searcher {
    struct search *search;
    size_t number;
};

static void end_search(struct search *search, tlu_status status, const tlu_error *error)
{
    pthread_mutex_lock(&search->adding);
    if (search->status == TLU_OK) {
        search->status = status;
        search->error = *error;
    }
    pthread_mutex_unlock(&search->adding);
}

// The number of the chunk, or SIZE_MAX at the end.
static size_t take_chunk(struct search *search, size_t worker, const char **bytes, size_t *size)
{
    size_t number = SIZE_MAX;
    tlu_error error;
    pthread_mutex_lock(&search->reading);
    if (!search->over) {
        tlu_status status = search->next(search->context, worker, bytes, size, &error);
        search->over = status != TLU_OK || *size == 0;
        if (status != TLU_OK)
            end_search(search, status, &error);
        else if (*size)
            number = search->chunks++;
    }
    pthread_mutex_unlock(&search->reading);
    return number;
}

// Adds what a chunk has shown; false if out of memory.
static bool add_looks(struct search *search, struct column_look *found, size_t chunk,
                      uint64_t lines)
{
    pthread_mutex_lock(&search->adding);
    bool fine =
        memory_reserve(&search->lines, &search->lines_capacity, chunk + 1, sizeof *search->lines);
    if (fine)
        search->lines[chunk] = lines;
    for (size_t i = 0; fine && i < search->schema->column_count; i++) {
        struct column_look *look = &search->looks[i];
        if (found[i].others && (look->others == 0 || chunk < look->other_chunk)) {
            look->other_chunk = chunk;
            look->other_line = found[i].other_line;
            look->other_column = found[i].other_column;
            memcpy(look->other, found[i].other, sizeof look->other);
        }
        look->numbers += found[i].numbers;
        look->others += found[i].others;
        look->commas += found[i].commas;
        found[i].numbers = found[i].others = found[i].commas = 0;
    }
    pthread_mutex_unlock(&search->adding);
    return fine;
}

static void *search_chunks(void *argument)
{
    const struct searcher *searcher = argument;
    struct search *search = searcher->search;
    size_t columns = search->schema->column_count, chunk;
    struct column_look *found = memory_new(columns, sizeof *found);
    const char *bytes;
    size_t size;
    bool fine = found != NULL;
    for (size_t i = 0; fine && i < columns; i++)
        found[i].open = search->looks[i].open;
    while (fine && (chunk = take_chunk(search, searcher->number, &bytes, &size)) != SIZE_MAX) {
        uint64_t lines = 0;
        fine = csv_kinds_scan(search->schema, found, bytes, size, &lines, CSV_BEST) &&
               add_looks(search, found, chunk, lines);
    }
    if (!fine) {
        tlu_error error;
        end_search(search, error_memory(&error), &error);
        pthread_mutex_lock(&search->reading);
        search->over = true;
        pthread_mutex_unlock(&search->reading);
    }
    memory_free(found);
    return NULL;
}

// Lines of chunks become lines of the file.
static void number_lines(struct search *search, uint64_t lines_before)
{
    for (size_t i = 0; i < search->schema->column_count; i++) {
        struct column_look *look = &search->looks[i];
        if (look->others == 0)
            continue;
        look->other_line += lines_before;
        for (size_t chunk = 0; chunk < look->other_chunk; chunk++)
            look->other_line += search->lines[chunk];
    }
}

tlu_status csv_kinds_search(const struct schema *schema, struct column_look *looks,
                            uint64_t lines_before, size_t threads, csv_next_chunk *next,
                            void *context, tlu_error *error)
{
    struct search search = {.schema = schema, .looks = looks, .next = next, .context = context};
    struct searcher searchers[THREADS_MOST];
    pthread_t running[THREADS_MOST];
    size_t started = 1; // the caller
    pthread_mutex_init(&search.reading, NULL);
    pthread_mutex_init(&search.adding, NULL);
    for (size_t i = 0; i < THREADS_MOST; i++)
        searchers[i] = (struct searcher){&search, i};
    while (started < threads && started < THREADS_MOST &&
           thread_start(&running[started], search_chunks, &searchers[started]))
        started++; // fewer will do
    search_chunks(&searchers[0]);
    for (size_t i = 1; i < started; i++)
        pthread_join(running[i], NULL);
    if (search.status == TLU_OK)
        number_lines(&search, lines_before);
    else if (error)
        *error = search.error;
    pthread_mutex_destroy(&search.reading);
    pthread_mutex_destroy(&search.adding);
    memory_free(search.lines);
    return search.status;
}
