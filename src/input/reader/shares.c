// From file to file, and the rows of a part of the data.
//
// Several files are one data set: the first that has a row decides about format and columns, the
// others must match. A part of the data is a share of whole files, or a range of bytes. A row
// belongs to the range in which it starts, so that every row is in one part, whatever the cuts.
#include "base/error.h"
#include "base/memory.h"
#include "data/formats.h"
#include "input/json/objects.h"
#include "input/reader/internal.h"
#include "numeric/number.h"

#include <assert.h>
#include <string.h>
#include <sys/stat.h>

#define SEEK_MIN ((size_t)4 << 20) // a shorter start of a file is read and left out

void files_free(struct file_set *files)
{
    file_list_free(&files->list);
    memory_free(files->starts);
    memory_free(files->header);
}

bool chunks_more(const struct chunks *chunks)
{
    return !chunks->ended || chunks->files.open + 1 < chunks->files.stop;
}

uint64_t chunks_size(const struct chunks *chunks)
{
    const struct file_set *files = &chunks->files;
    if (!files->starts || (files->list.count == 1 && !files->ranged))
        return chunks->source ? source_size(chunks->source) : 0;
    uint64_t size = files->starts[files->stop] - files->starts[files->first];
    return files->ranged ? files->end - files->start : size;
}

// ---- the first file with a row ----

// Sizes count only for regular files: `waits` if there are others.
static tlu_status find_sizes(struct file_set *files, tlu_error *error)
{
    files->starts = memory_new(files->list.count + 1, sizeof *files->starts);
    TRY(enough_memory(files->starts != NULL, error));
    for (size_t i = 0; i < files->list.count; i++) {
        struct stat about;
        bool regular = strcmp(files->list.paths[i], "-") != 0 &&
                       stat(files->list.paths[i], &about) == 0 && S_ISREG(about.st_mode);
        files->waits |= !regular;
        files->starts[i + 1] = files->starts[i] + (regular ? (uint64_t)about.st_size : 0);
    }
    return TLU_OK;
}

static tlu_status open_file(struct chunks *chunks, size_t file, tlu_error *error)
{
    source_close(chunks->source);
    chunks->source = NULL;
    chunks->files.open = file;
    TRY(source_open(&chunks->source, chunks->files.list.paths[file], error));
    source_watch(chunks->source, chunks->is_over, chunks->context);
    chunks->prompt &= source_waits(chunks->source);
    chunks->ended = chunks->overlong = false;
    chunks->carry.size = 0;
    return TLU_OK;
}

// The first line that is not empty; NULL: there is none.
static const char *first_line(const char *bytes, size_t size, size_t *length)
{
    size_t mark = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    const char *at = bytes + mark, *limit = bytes + size;
    while (at < limit && (*at == ' ' || *at == '\r' || *at == '\n'))
        at++;
    const char *newline = memchr(at, '\n', (size_t)(limit - at));
    const char *end = newline ? newline : limit;
    while (end > at && (end[-1] == '\r' || end[-1] == ' '))
        end--;
    *length = (size_t)(end - at);
    return *length ? at : NULL;
}

// Whether no field of the line is a number, as in a header; the delimiter is not known yet.
static bool has_only_names(const char *line, size_t length)
{
    double value;
    for (const char *at = line, *limit = line + length; at <= limit;) {
        const char *end = at;
        while (end < limit && !strchr(",;|\t", *end))
            end++;
        if (number_whole(at, (size_t)(end - at), &value))
            return false;
        at = end + 1;
    }
    return true;
}

// Whether the file begins with this line.
static tlu_status begins_with(const char *path, const char *line, size_t length, bool *begins,
                              tlu_error *error)
{
    struct source *source;
    struct stat about;
    size_t got = 0, own, size = length + 4096;
    *begins = false;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return TLU_OK;
    TRY(source_open(&source, path, error));
    char *bytes = memory_resize(NULL, size, 1);
    tlu_status status = enough_memory(bytes != NULL, error);
    if (status == TLU_OK)
        status = source_read(source, bytes, size, &got, error);
    const char *found = status == TLU_OK ? first_line(bytes, got, &own) : NULL;
    *begins = found && own == length && memcmp(found, line, length) == 0;
    memory_free(bytes);
    source_close(source);
    return status;
}

// Whether a file has no row: it is empty, an empty JSON array, comments alone, or the header that
// the next file has, too.
static tlu_status is_hollow(const struct chunks *chunks, const struct chunk *chunk,
                            const tlu_options *options, bool *hollow, tlu_error *error)
{
    const struct file_set *files = &chunks->files;
    uint64_t lines = 0;
    bool rows;
    size_t length, skipped = preamble_size(chunk, files->comments, &lines, &rows);
    const char *line = first_line(chunk->bytes, chunk->size, &length);
    *hollow = chunks->ended && (!line || !rows);
    if (*hollow || !chunks->ended)
        return TLU_OK;
    const char *limit = chunk->bytes + chunk->size, *at = json_skip_space(line, limit);
    if (*at == '[') {
        at = json_skip_space(at + 1, limit);
        *hollow = at < limit && *at == ']' && json_skip_space(at + 1, limit) == limit;
        return TLU_OK;
    }
    const char *rest = line + length;
    while (rest < limit && (*rest == '\r' || *rest == '\n' || *rest == ' '))
        rest++;
    const char *header = options_text(options, OPTION_HEADER);
    if (skipped || rest < limit || strcmp(header, "no") == 0 || !has_only_names(line, length))
        return TLU_OK;
    return begins_with(files->list.paths[files->open + 1], line, length, hollow, error);
}

tlu_status files_begin(struct chunks *chunks, struct chunk *chunk, const tlu_options *options,
                       tlu_error *error)
{
    struct file_set *files = &chunks->files;
    enum data_format format;
    files->comments = !(format_chosen(options, &format) && format_is_named(format));
    TRY(find_sizes(files, error));
    for (bool hollow = true; hollow;) {
        chunks->opening = true;
        chunks->rule.json = JSON_LINES;
        TRY(open_file(chunks, files->open, error));
        TRY(chunks_read_file(chunks, chunk, error));
        if (files->open + 1 == files->list.count)
            break;
        TRY(is_hollow(chunks, chunk, options, &hollow, error));
        files->open += hollow;
    }
    files->ruling = files->first = files->open;
    files->stop = files->list.count;
    return TLU_OK;
}

// ---- the next file ----

// Whether two lines of CSV have a name in common.
static tlu_status share_names(const char *a, size_t a_size, const char *b, size_t b_size,
                              char delimiter, bool *shared, tlu_error *error)
{
    struct table names = {0};
    struct bad_row bad;
    struct csv_field field;
    bool fine = true;
    *shared = false;
    for (int second = 0; second < 2; second++) {
        struct csv_cursor cursor = csv_start(second ? b : a, second ? b_size : a_size, delimiter);
        field.last = !csv_next_row(&cursor);
        while (!field.last && fine && csv_next_field(&cursor, &field, &bad) == PARSE_OK &&
               field.length) {
            if (second)
                *shared |= table_find(&names, field.text, field.length) != TABLE_NONE;
            else
                fine = table_add(&names, field.text, field.length) != TABLE_NONE;
        }
        csv_end(&cursor);
    }
    table_free(&names);
    return enough_memory(fine, error);
}

static size_t count_lines(const char *bytes, size_t size)
{
    size_t lines = 0;
    for (const char *at = bytes, *limit = bytes + size;
         (at = memchr(at, '\n', (size_t)(limit - at))) != NULL; at++)
        lines++;
    return lines;
}

// Drops the start of the first chunk of a file, and counts its lines.
static void leave_out(struct chunk *chunk, size_t size)
{
    size_t lines = count_lines(chunk->bytes, size);
    const char *newline = lines ? memrchr(chunk->bytes, '\n', size) : NULL;
    chunk->gap.lines += lines;
    chunk->gap.column =
        newline ? (uint64_t)(chunk->bytes + size - newline - 1) : chunk->gap.column + size;
    chunk_drop(chunk, size);
}

// A file without the header is fine if its first line is a row: such are made by split(1).
static tlu_status skip_header(struct chunks *chunks, struct chunk *chunk, tlu_error *error)
{
    const struct file_set *files = &chunks->files;
    size_t size = files->header_size;
    const char *bytes = chunk->bytes;
    if (!size)
        return TLU_OK;
    if (chunk->size >= size && memcmp(bytes, files->header, size) == 0) {
        size_t end = size + (chunk->size > size && bytes[size] == '\r');
        if (end == chunk->size || bytes[end] == '\n') {
            leave_out(chunk, end < chunk->size ? end + 1 : end);
            return TLU_OK;
        }
    }
    bool header;
    TRY(share_names(files->header, size, bytes, chunk->size, chunks->rule.delimiter, &header,
                    error));
    if (!header)
        return TLU_OK;
    return error_at(error, files->list.paths[files->open], chunk->gap.lines + 1, 0,
                    "the header is not that of %s; give files with the same columns in the same "
                    "order",
                    files->list.paths[files->ruling]);
}

// What follows the bracket is cut into rows again: with it, it may have been cut elsewhere.
static tlu_status skip_bracket(struct chunks *chunks, struct chunk *chunk, tlu_error *error)
{
    const char *limit = chunk->bytes + chunk->size;
    const char *at = json_skip_space(chunk->bytes, limit);
    if (at == limit || *at != '[')
        return error_at(error, chunks->files.list.paths[chunks->files.open], chunk->gap.lines + 1,
                        0, "expected '[': %s, which is read before it, is a JSON array",
                        chunks->files.list.paths[chunks->files.ruling]);
    at = json_skip_space(at + 1, limit);
    bool empty = at < limit && *at == ']' && json_skip_space(at + 1, limit) == limit;
    leave_out(chunk, empty ? chunk->size : (size_t)(at - chunk->bytes));
    chunk->gap.closed = empty;
    if (empty)
        return TLU_OK;
    struct gap gap = chunk->gap;
    TRY(chunk_append(chunk, chunks->carry.bytes, chunks->carry.size, error));
    struct chunk swap = chunks->carry;
    chunks->carry = *chunk;
    *chunk = swap;
    TRY(chunks_read_file(chunks, chunk, error));
    chunk->gap = gap;
    return TLU_OK;
}

// LIBSVM takes many a word for a label, so that a row of another format may be one without
// features.
static tlu_status check_format(const struct chunks *chunks, const struct chunk *chunk,
                               tlu_error *error)
{
    const struct file_set *files = &chunks->files;
    enum data_format format;
    if (!files->libsvm || libsvm_recognise(chunk->bytes, chunk->size) ||
        !format_recognise(chunk->bytes, chunk->size, &format))
        return TLU_OK;
    return error_at(error, files->list.paths[files->open], 0, 0,
                    "is %s, and %s is LIBSVM: files that are read together have one format; give "
                    "--format if that is wrong",
                    format_table[format].title, files->list.paths[files->ruling]);
}

// Drops what comes before the rows of a file.
static tlu_status skip_head(struct chunks *chunks, struct chunk *chunk, tlu_error *error)
{
    const char *path = chunks->files.list.paths[chunks->files.open];
    const char *problem = foreign_format(chunk->bytes, chunk->size);
    if (problem)
        return error_at(error, path, 0, 0, "%s", problem);
    if (binary_is(chunk->bytes, chunk->size))
        return error_at(error, path, 0, 0,
                        "is a binary data file, which is read alone; give the texts that such "
                        "files were made of");
    if (byte_order_mark(chunk->bytes, chunk->size < 3 ? chunk->size : 3))
        leave_out(chunk, 3);
    for (bool rows = false; !rows;) {
        uint64_t lines = 0;
        leave_out(chunk, preamble_size(chunk, chunks->files.comments, &lines, &rows));
        if (rows)
            break;
        leave_out(chunk, chunk->size);
        if (chunks->ended)
            return TLU_OK;
        struct gap gap = chunk->gap;
        TRY(chunks_read_file(chunks, chunk, error));
        chunk->gap = gap;
    }
    TRY(check_format(chunks, chunk, error));
    if (chunks->rule.delimiter)
        return skip_header(chunks, chunk, error);
    return chunks->rule.json == JSON_ARRAY ? skip_bracket(chunks, chunk, error) : TLU_OK;
}

// Goes on reading at this place of the open file.
static tlu_status seek(struct chunks *chunks, uint64_t place, tlu_error *error)
{
    char byte;
    size_t got;
    if (!source_rereads(chunks->source)) // nothing was read so far
        TRY(source_read(chunks->source, &byte, 1, &got, error));
    TRY(source_reread(chunks->source, place, error));
    chunks->ended = chunks->overlong = false;
    chunks->carry.size = 0;
    return TLU_OK;
}

tlu_status files_next(struct chunks *chunks, struct chunk *chunk, bool *found, tlu_error *error)
{
    struct file_set *files = &chunks->files;
    for (*found = false; !*found && files->open + 1 < files->stop;) {
        TRY(open_file(chunks, files->open + 1, error));
        bool sought = files->unread && files->open == files->sought;
        if (sought)
            TRY(seek(chunks, files->unread, error));
        TRY(chunks_read_file(chunks, chunk, error));
        if (chunk->end)
            continue;
        if (!sought)
            TRY(skip_head(chunks, chunk, error));
        *found = chunk->size > 0 || chunk->gap.closed || !chunks->ended;
    }
    return TLU_OK;
}

bool files_reread(const struct chunks *chunks)
{
    const struct file_set *files = &chunks->files;
    bool plain = chunks->source && source_rereads(chunks->source);
    plain &= files->list.count < 2 || !files->waits;
    for (size_t i = files->ruling + 1; plain && i < files->list.count; i++) {
        struct source *source;
        char byte;
        size_t got;
        if (source_open(&source, files->list.paths[i], NULL) != TLU_OK)
            return true; // an error, which is reported when the file is read
        plain = source_read(source, &byte, 1, &got, NULL) != TLU_OK || source_rereads(source);
        source_close(source);
    }
    return plain;
}

tlu_status files_return(struct chunks *chunks, uint64_t place, tlu_error *error)
{
    if (chunks->files.open != chunks->files.ruling)
        TRY(open_file(chunks, chunks->files.ruling, error));
    TRY(source_reread(chunks->source, place, error));
    chunks->ended = chunks->overlong = false;
    chunks->carry.size = 0;
    return TLU_OK;
}

// ---- a part of the data ----

// Reading begins with this file; the first chunk, which decided about the columns, is left out.
static void jump(struct chunks *chunks, size_t file)
{
    assert(chunks->loaded_count == 1);
    chunks->loaded[0].size = chunks->carry.size = 0;
    chunks->ended = true;
    chunks->files.open = file - 1;
}

static void take_files(struct chunks *chunks, const struct data_part *part)
{
    struct file_set *files = &chunks->files;
    files->first = (size_t)data_part_start(part, files->list.count);
    files->stop = (size_t)data_part_end(part, files->list.count);
    if (files->first < files->ruling) // the files before have no rows
        files->first = files->ruling < files->stop ? files->ruling : files->stop;
    if (chunks->loaded_count == 1 && files->first != files->ruling)
        jump(chunks, files->first);
}

// Whether a range that begins at this place of a file is read from there on. If not, the bytes
// before it are read and left out: they are few, or quotes in them tell where rows of CSV end.
static bool is_sought(const struct chunks *chunks, uint64_t place)
{
    return chunks->files.seeks && !chunks->rule.delimiter && !chunks->copy && place > SEEK_MIN;
}

uint64_t files_unread_lines(const struct chunks *chunks, size_t file)
{
    const struct file_set *files = &chunks->files;
    struct source *source;
    uint64_t lines = 0, left = files->sought == file ? files->unread : 0;
    if (left == 0 || source_open(&source, files->list.paths[file], NULL) != TLU_OK)
        return 0;
    char *bytes = memory_resize(NULL, SEEK_MIN, 1);
    for (size_t got = 1; bytes && left && got; left -= got) {
        size_t wanted = left < SEEK_MIN ? (size_t)left : SEEK_MIN;
        if (source_read(source, bytes, wanted, &got, NULL) != TLU_OK)
            break;
        lines += count_lines(bytes, got);
    }
    memory_free(bytes);
    source_close(source);
    return lines;
}

static tlu_status take_range(struct chunks *chunks, const struct data_part *part, tlu_error *error)
{
    struct file_set *files = &chunks->files;
    uint64_t total = files->starts[files->list.count];
    size_t file = files->ruling;
    files->ranged = true;
    files->start = data_part_start(part, total);
    files->end = data_part_end(part, total);
    while (file + 1 < files->list.count && files->starts[file + 1] <= files->start)
        file++;
    uint64_t place = files->start - files->starts[file];
    if (is_sought(chunks, place)) {
        files->sought = file;
        files->unread = place - 1; // with the newline before a row that begins there
    }
    if (file != files->ruling) {
        jump(chunks, file);
    } else if (files->unread) {
        chunks->loaded[0].size = 0;
        return seek(chunks, files->unread, error);
    }
    return TLU_OK;
}

tlu_status files_take_part(struct chunks *chunks, const struct data_part *part, bool text,
                           bool *taken, tlu_error *error)
{
    struct file_set *files = &chunks->files;
    enum json_rows json = chunks->rule.json;
    *taken = true;
    if (part->count == 1)
        return TLU_OK;
    if (files->list.count > 1 && files->list.count >= part->count) {
        take_files(chunks, part);
        return TLU_OK;
    }
    if (!text || !files->starts || files->waits || json == JSON_ARRAY || json == JSON_OBJECTS ||
        !files_reread(chunks)) {
        *taken = false;
        return TLU_OK;
    }
    return take_range(chunks, part, error);
}

// Where the first row begins that does not begin before `place`, or the size.
static size_t row_from(const struct row_rule *rule, const char *bytes, size_t size, size_t place)
{
    if (place == 0)
        return 0;
    if (!rule->delimiter) {
        const char *newline = memchr(bytes + place - 1, '\n', size - place + 1);
        return newline ? (size_t)(newline - bytes) + 1 : size;
    }
    struct csv_cursor cursor = csv_start(bytes, size, rule->delimiter);
    cursor.bare = true; // and so without memory of its own
    while (csv_next_row(&cursor)) {
        if ((size_t)(cursor.row_start - bytes) >= place)
            return (size_t)(cursor.row_start - bytes);
        csv_skip_row(&cursor);
    }
    return size;
}

// Cuts off what is outside the range; *inside: something is left, or nothing follows.
static void cut_range(const struct chunks *chunks, struct chunk *chunk, bool *inside)
{
    const struct file_set *files = &chunks->files;
    uint64_t start = files->starts[chunk->file] + chunk->place, end = start + chunk->size;
    size_t to = chunk->size;
    if (end > files->end)
        to = start >= files->end
                 ? 0
                 : row_from(&chunks->rule, chunk->bytes, chunk->size, (size_t)(files->end - start));
    bool last = to < chunk->size;
    chunk->size = to;
    if (start < files->start) {
        size_t before = files->start - start < to ? (size_t)(files->start - start) : to;
        leave_out(chunk, before < to ? row_from(&chunks->rule, chunk->bytes, to, before) : to);
    }
    chunk->end = last && chunk->size == 0;
    *inside = chunk->size > 0 || last;
}

bool files_cut(const struct chunks *chunks, struct chunk *chunk, struct gap *gap)
{
    const struct file_set *files = &chunks->files;
    bool inside = chunk->file >= files->first && chunk->file < files->stop;
    chunk->gap.lines += gap->lines;
    if (chunk->end || chunks->overlong)
        return true;
    if (chunk->file >= files->stop) {
        chunk->size = 0;
        chunk->end = true;
        return true;
    }
    if (inside && files->ranged)
        cut_range(chunks, chunk, &inside);
    if (!inside)
        leave_out(chunk, chunk->size);
    *gap = inside ? (struct gap){0} : chunk->gap;
    return inside;
}
