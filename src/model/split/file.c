// Splits a file of rows into files: the training rows, and rows to validate and to test on.
//
// The data is read twice. The first pass parses it as training does and makes an index of the rows.
// Then the division into parts is known, and the second pass copies the rows to their files.

#include "base/file.h"

#include "base/call/callback.h"
#include "base/memory.h"
#include "base/settings.h"
#include "input/packed_file.h"
#include "input/source.h"
#include "model/split/parts.h"
#include "model/split/row_index.h"
#include "train/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_SIZE ((size_t)1 << 20)

static const char *const part_names[PARTS] = {"train", "validation", "test"};

struct file_split {
    const tlu_split_file_settings *settings;
    tlu_options *options;
    const char *path;
    bool by_class;

    int file;                 // the data, or after the first pass a copy of a pipe's
    off_t start;              // where it begins
    bool has_name;            // the data is a file with a name, which has its extension
    struct file_writer *copy; // of a pipe; NULL: the file can be read twice
    struct schema schema;
    struct reader *reader;
    struct row_index index;
    struct division division;

    struct output_part {
        char *path; // NULL: there is no such part
        struct packed_file *file;
        uint64_t rows, groups;
        uint64_t *class_rows; // [classes of the index]
    } parts[PARTS];

    char *piece;        // [PIECE_SIZE] of the data
    double begun, done; // seconds; work done, from 0 to 2: passes over the data
    bool stopped;
};

// ---- progress ----

// Called while the data is read; true: the caller wants to stop.
static bool is_over(void *context)
{
    struct file_split *s = context;
    const tlu_progress progress = {.seconds = clock_seconds() - s->begun,
                                   .work = s->done,
                                   .work_expected = 2,
                                   .seconds_left = -1};
    if (!s->stopped && s->settings->progress)
        s->stopped = s->settings->progress(s->settings->progress_context, &progress) != 0;
    return s->stopped;
}

static tlu_status go_on(struct file_split *s, tlu_error *error)
{
    return is_over(s) ? error_interrupted(error, "interrupted: no file was written") : TLU_OK;
}

// ---- the data ----

static tlu_status open_data(struct file_split *s, tlu_error *error)
{
    struct stat about;
    bool standard = strcmp(s->path, "-") == 0;
    s->file =
        standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(s->path, O_RDONLY | O_CLOEXEC);
    if (s->file < 0 || fstat(s->file, &about) != 0)
        return error_at(error, s->path, 0, 0, "cannot open: %s", strerror(errno));
    if (S_ISDIR(about.st_mode))
        return error_at(error, s->path, 0, 0, "is a folder, not a file");
    s->has_name = !standard && S_ISREG(about.st_mode);
    if (!S_ISREG(about.st_mode))
        return file_begin_unnamed(&s->copy, error);
    s->start = lseek(s->file, 0, SEEK_CUR);
    return TLU_OK;
}

// From now on the copy of a pipe's data is the data.
static tlu_status use_copy(struct file_split *s, tlu_error *error)
{
    struct file_writer *copy = s->copy;
    if (!copy)
        return TLU_OK;
    s->copy = NULL;
    close(s->file);
    s->file = -1;
    return file_end_unnamed(copy, &s->file, error);
}

static tlu_status open_reader(struct file_split *s, tlu_error *error)
{
    const struct row_source row_source = {.descriptor = s->file,
                                          .copy = s->copy,
                                          .unlabelled = true,
                                          .texts = true,
                                          .labels_only = true,
                                          .is_over = is_over,
                                          .context = s};
    tlu_status status =
        reader_open_source(&s->reader, s->path, &row_source, s->options, &s->schema, error);
    TRY(s->stopped ? go_on(s, error) : status);
    return row_index_open(&s->index, s->reader, &s->schema, s->path, s->settings->group,
                          s->by_class, options_flag(s->options, OPTION_SKIP_BAD), error);
}

static tlu_status read_rows(struct file_split *s, tlu_error *error)
{
    struct batch *batch;
    double size = (double)reader_size(s->reader);
    for (;;) {
        TRY(reader_next(s->reader, &batch, error));
        if (!batch)
            return go_on(s, error);
        tlu_status status = row_index_add(&s->index, batch, error);
        s->done = size > 0 ? (double)batch->place.bytes / size : 0;
        reader_recycle(s->reader, batch);
        TRY(status);
        TRY(go_on(s, error));
        if (s->copy && file_has_failed(s->copy))
            return TLU_OK; // use_copy reports it
    }
}

// ---- the files ----

// The extension of the files: that of the data, or that of its format. It starts with a dot.
static const char *extension(const struct file_split *s)
{
    static const char *const extensions[DATA_FORMATS] = {
        [DATA_LIBSVM] = ".svm",  [DATA_CSV] = ".csv",     [DATA_VW] = ".vw",
        [DATA_FASTTEXT] = ".ft", [DATA_JSONL] = ".jsonl", [DATA_TEXT] = ".txt"};
    if (!s->has_name)
        return schema_is_csv(&s->schema) && s->schema.delimiter == '\t'
                   ? ".tsv"
                   : extensions[s->schema.format];
    const char *slash = strrchr(s->path, '/'), *name = slash ? slash + 1 : s->path;
    const char *dot = strrchr(name, '.');
    if (!dot || dot == name)
        return "";
    if (strcasecmp(dot, ".gz") != 0 && strcasecmp(dot, ".zst") != 0)
        return dot;
    const char *before = dot;
    while (before > name && *--before != '.') // .csv.gz
        continue;
    return before > name ? before : dot;
}

static tlu_status open_part(struct file_split *s, enum part part, tlu_error *error)
{
    const char *prefix = s->settings->prefix, *ending = extension(s);
    size_t length = strlen(prefix), size = length + strlen(ending) + 16;
    char *path = s->parts[part].path = memory_new(size, 1);
    struct stat old, data;
    TRY(enough_memory(path, error));
    snprintf(path, size, "%s%s%s%s", prefix, prefix[length - 1] == '/' ? "" : "-", part_names[part],
             ending);
    if (stat(path, &old) == 0 && fstat(s->file, &data) == 0 && old.st_dev == data.st_dev &&
        old.st_ino == data.st_ino)
        return error_at(error, path, 0, 0, "is the data itself; give another prefix");
    return packed_file_begin(&s->parts[part].file, path, error);
}

static tlu_status open_parts(struct file_split *s, tlu_error *error)
{
    TRY(open_part(s, PART_TRAIN, error));
    if (s->settings->validation > 0)
        TRY(open_part(s, PART_VALIDATION, error));
    return s->settings->test > 0 ? open_part(s, PART_TEST, error) : TLU_OK;
}

// ---- the division ----

static tlu_status find_size(const struct file_split *s, enum part part, double wanted,
                            uint64_t *size, tlu_error *error)
{
    char number[32];
    tlu_number_format(number, sizeof number, wanted);
    *size = (uint64_t)(wanted < 1 ? floor(wanted * (double)s->index.rows + 0.5) : wanted);
    if (wanted > 0 && *size == 0)
        return error_at(error, s->path, 0, 0,
                        "has %llu rows, and --%s %s of them is less than half a row; give more",
                        (unsigned long long)s->index.rows, part_names[part], number);
    return TLU_OK;
}

static tlu_status find_sizes(struct file_split *s, tlu_error *error)
{
    uint64_t *sizes = s->division.sizes, rows = s->index.rows;
    if (rows == 0)
        return error_at(error, s->path, 0, 0, "has no rows to split");
    TRY(find_size(s, PART_TEST, s->settings->test, &sizes[PART_TEST], error));
    TRY(find_size(s, PART_VALIDATION, s->settings->validation, &sizes[PART_VALIDATION], error));
    if (sizes[PART_TEST] >= rows || sizes[PART_VALIDATION] >= rows - sizes[PART_TEST])
        return error_at(error, s->path, 0, 0,
                        "has %llu rows, so that none is left to train on; give smaller parts",
                        (unsigned long long)rows);
    sizes[PART_TRAIN] = rows - sizes[PART_TEST] - sizes[PART_VALIDATION];
    return TLU_OK;
}

static tlu_status divide(struct file_split *s, tlu_error *error)
{
    const struct row_index *index = &s->index;
    struct division *division = &s->division;
    TRY(find_sizes(s, error));
    random_seed(&division->random, options_count(s->options, OPTION_SEED) ^ 0xA0761D6478BD642Fu);
    if (s->settings->in_order)
        return TLU_OK;
    if (s->settings->group)
        return division_by_group(division, index->group_rows, index->groups.count, s->path, error);
    return s->by_class
               ? division_by_class(division, index->class_rows, index->labels.count, s->path, error)
               : division_by_class(division, &index->rows, 1, s->path, error);
}

// ---- the second pass: rows go to their files ----

struct row_copier {
    struct source *source;
    size_t at, end;     // in the piece: bytes that are not copied yet
    char last[2];       // the last bytes that were copied
    uint8_t *group_met; // [groups] 1: a row of the group was copied; NULL without groups
};

static tlu_status changed(const struct file_split *s, tlu_error *error)
{
    return error_at(error, s->path, 0, 0, "was changed while it was split; try again");
}

// Gives the files their names, or reports what failed.
static tlu_status commit(struct file_split *s, tlu_error *error)
{
    struct packed_file *files[PARTS];
    size_t count = 0;
    for (size_t p = 0; p < PARTS; p++) {
        if (s->parts[p].file)
            files[count++] = s->parts[p].file;
        s->parts[p].file = NULL;
    }
    return packed_file_commit_all(files, count, error);
}

static tlu_status read_piece(struct file_split *s, struct row_copier *copier, tlu_error *error)
{
    const struct source *source = copier->source;
    copier->at = 0;
    TRY(source_read(copier->source, s->piece, PIECE_SIZE, &copier->end, error));
    s->done = 1 + (double)source_position(source) / (double)(source_size(source) + 1);
    TRY(go_on(s, error));
    for (size_t p = 0; p < PARTS; p++)
        if (s->parts[p].file && packed_file_has_failed(s->parts[p].file))
            return commit(s, error);
    return copier->end ? TLU_OK : changed(s, error);
}

// Copies the next bytes to the files of some parts.
static tlu_status copy_bytes(struct file_split *s, struct row_copier *copier, uint64_t size,
                             enum part first, enum part end, tlu_error *error)
{
    while (size) {
        if (copier->at == copier->end)
            TRY(read_piece(s, copier, error));
        size_t some = copier->end - copier->at;
        some = size < some ? (size_t)size : some;
        for (enum part p = first; p < end; p++)
            if (s->parts[p].file)
                packed_file_put(s->parts[p].file, s->piece + copier->at, some);
        copier->at += some;
        size -= some;
        copier->last[0] = some > 1 ? s->piece[copier->at - 2] : copier->last[1];
        copier->last[1] = s->piece[copier->at - 1];
    }
    return TLU_OK;
}

// A line that begins with '#' and a blank is a comment before the first row, and a row after it. If
// --format names a format of text, there are no comments.
static tlu_status check_first_row(struct file_split *s, struct row_copier *copier, enum part part,
                                  tlu_error *error)
{
    bool text = schema_is_named(&s->schema) && options_is_set(s->options, OPTION_FORMAT);
    if (s->parts[part].rows > 1 || s->schema.header || text)
        return TLU_OK;
    if (copier->at == copier->end)
        TRY(read_piece(s, copier, error));
    const char *row = s->piece + copier->at;
    if (*row != '#' || (copier->end - copier->at > 1 && !strchr(" \t\r\n", row[1])))
        return TLU_OK;
    return error_at(
        error, s->path, 0, 0,
        "a row that begins with '# ' would be the first row of the %s part, where it is "
        "a comment; give another --seed, or change the row",
        part_names[part]);
}

static tlu_status copy_row(struct file_split *s, struct row_copier *copier,
                           const struct indexed_row *row, tlu_error *error)
{
    bool crlf = copier->last[0] == '\r'; // the line above ends with it
    enum part part = division_next(&s->division, s->settings->group ? row->group
                                                 : s->by_class      ? row->class_index
                                                                    : 0);
    struct output_part *output = &s->parts[part];
    output->rows++;
    if (row->class_index != SCHEMA_NONE)
        output->class_rows[row->class_index]++;
    if (copier->group_met && !copier->group_met[row->group])
        output->groups += copier->group_met[row->group] = 1;
    TRY(copy_bytes(s, copier, row->gap, PARTS, PARTS, error));
    TRY(check_first_row(s, copier, part, error));
    if (s->index.rows_of_json == JSON_ARRAY)
        packed_file_put(output->file, output->rows == 1 ? "[\n" : ",\n", 2);
    TRY(copy_bytes(s, copier, row->size, part, part + 1, error));
    if (s->index.rows_of_json == JSON_OBJECTS)
        packed_file_put(output->file, "\n", 1);
    if (copier->last[1] == '\n' || s->index.rows_of_json != JSON_LINES)
        return TLU_OK;
    if (row_index_has_more(&s->index)) // only the last row may lack a newline
        return changed(s, error);
    packed_file_put(output->file, crlf ? "\r\n" : "\n", crlf ? 2 : 1);
    return TLU_OK;
}

static tlu_status copy_rows(struct file_split *s, struct row_copier *copier, tlu_error *error)
{
    struct indexed_row row;
    const bool array = s->index.rows_of_json == JSON_ARRAY; // each part is one, on its own lines
    TRY(copy_bytes(s, copier, s->index.head, array ? PARTS : 0, PARTS, error));
    while (row_index_next(&s->index, &row))
        TRY(copy_row(s, copier, &row, error));
    for (size_t p = 0; array && p < PARTS; p++)
        if (s->parts[p].file)
            packed_file_put(s->parts[p].file, "\n]\n", 3);
    return TLU_OK;
}

static tlu_status write_parts(struct file_split *s, tlu_error *error)
{
    struct row_copier copier = {0};
    bool memory = true;
    for (size_t p = 0; p < PARTS; p++) {
        s->parts[p].class_rows = memory_new(s->index.labels.count, sizeof(uint64_t));
        memory &= s->parts[p].class_rows != NULL;
    }
    if (s->settings->group) {
        copier.group_met = memory_new(s->index.groups.count, 1);
        memory &= copier.group_met != NULL;
    }
    tlu_status status = enough_memory(memory, error);
    if (status == TLU_OK && lseek(s->file, s->start, SEEK_SET) < 0)
        status = error_system(error, "%.255s: cannot read a second time: %s",
                              error_file_name(s->path), strerror(errno));
    if (status == TLU_OK)
        status = source_open_descriptor(&copier.source, s->path, s->file, error);
    if (status == TLU_OK)
        status = copy_rows(s, &copier, error);
    source_close(copier.source);
    memory_free(copier.group_met);
    return status;
}

// ---- the result ----

static int by_label(const void *a, const void *b)
{
    return schema_label_compare(*(const char *const *)a, *(const char *const *)b);
}

// Those that are the first label of some row.
static tlu_status fill_labels(const struct row_index *index, tlu_file_split *result,
                              tlu_error *error)
{
    const struct table *labels = &index->labels;
    const char **sorted = memory_new(labels->count, sizeof *sorted);
    TRY(enough_memory(sorted, error));
    result->labels = sorted;
    for (uint32_t c = 0; c < labels->count; c++) {
        if (index->class_rows[c] == 0)
            continue;
        char *label = memory_copy_text(table_text(labels, c), table_length(labels, c));
        TRY(enough_memory(label, error));
        sorted[result->class_count++] = label;
    }
    qsort(sorted, result->class_count, sizeof *sorted, by_label);
    return TLU_OK;
}

static tlu_status fill_part(struct file_split *s, const tlu_file_split *result,
                            tlu_split_part *filled, enum part part, tlu_error *error)
{
    struct output_part *output = &s->parts[part];
    uint64_t *class_rows = memory_new(result->class_count, sizeof *class_rows);
    *filled = (tlu_split_part){.name = part_names[part],
                               .path = output->path,
                               .rows = output->rows,
                               .groups = output->groups,
                               .class_rows = class_rows};
    output->path = NULL;
    TRY(enough_memory(class_rows, error));
    for (size_t c = 0; c < result->class_count; c++) {
        const char *label = result->labels[c];
        class_rows[c] = output->class_rows[table_find(&s->index.labels, label, strlen(label))];
        filled->classes += class_rows[c] > 0;
    }
    return TLU_OK;
}

static tlu_status fill_result(struct file_split *s, tlu_file_split *result, tlu_error *error)
{
    tlu_split_part *parts = memory_new(PARTS, sizeof *parts);
    result->parts = parts;
    TRY(enough_memory(parts, error));
    result->rows = s->index.rows;
    result->unlabelled = s->index.unlabelled;
    result->skipped = s->index.skipped;
    result->format = format_table[s->schema.format].name;
    for (size_t i = 0; i < s->schema.column_count; i++)
        if (s->schema.columns[i].kind == COLUMN_LABEL) {
            const char *name = s->schema.columns[i].name;
            result->label_column = memory_copy_text(name, strlen(name));
            TRY(enough_memory(result->label_column, error));
        }
    TRY(fill_labels(&s->index, result, error));
    for (enum part p = 0; p < PARTS; p++)
        if (s->parts[p].path)
            TRY(fill_part(s, result, &parts[result->part_count++], p, error));
    return TLU_OK;
}

void tlu_file_split_free(tlu_file_split *split)
{
    if (!split)
        return;
    for (size_t c = 0; c < split->class_count; c++)
        memory_free((void *)split->labels[c]);
    for (size_t p = 0; p < split->part_count; p++) {
        memory_free((void *)split->parts[p].path);
        memory_free((void *)split->parts[p].class_rows);
    }
    memory_free((void *)split->labels);
    memory_free((void *)split->parts);
    memory_free((void *)split->label_column);
    memory_free(split);
}

// ---- the function ----

static tlu_status run(struct file_split *s, tlu_file_split *result, tlu_error *error)
{
    s->piece = memory_resize(NULL, PIECE_SIZE, 1);
    TRY(enough_memory(s->piece, error));
    TRY(open_data(s, error));
    TRY(open_reader(s, error));
    TRY(open_parts(s, error));
    TRY(read_rows(s, error));
    reader_close(s->reader); // it has memory that the second pass does not need
    s->reader = NULL;
    TRY(use_copy(s, error));
    TRY(divide(s, error));
    TRY(write_parts(s, error));
    TRY(fill_result(s, result, error));
    return commit(s, error);
}

static void file_split_free(struct file_split *s)
{
    for (size_t p = 0; p < PARTS; p++) {
        packed_file_abort(s->parts[p].file);
        memory_free(s->parts[p].path);
        memory_free(s->parts[p].class_rows);
    }
    reader_close(s->reader);
    file_abort(s->copy);
    schema_free(&s->schema);
    tlu_options_free(s->options);
    if (s->file >= 0)
        close(s->file);
    row_index_free(&s->index);
    division_free(&s->division);
    memory_free(s->piece);
}

// A fraction below 1, or a number of rows.
static tlu_status check_size(enum part part, double size, tlu_error *error)
{
    char number[32];
    if ((size >= 0 && size < 1) || (size >= 2 && size < 0x1p53 && size == floor(size)))
        return TLU_OK;
    tlu_number_format(number, sizeof number, size);
    return error_input(error,
                       "--%s is a fraction of the rows, above 0 and below 1, or a number of rows "
                       "from 2 on, not %s",
                       part_names[part], number);
}

static tlu_status check_settings(const tlu_split_file_settings *settings, tlu_error *error)
{
    TRY(check_given(settings->path != NULL, "path", error));
    TRY(check_given(settings->prefix != NULL, "prefix", error));
    if (settings->prefix[0] == '\0')
        return error_input(error, "the prefix of the files to write is empty");
    TRY(check_size(PART_TEST, settings->test, error));
    TRY(check_size(PART_VALIDATION, settings->validation, error));
    if (settings->test == 0 && settings->validation == 0)
        return error_input(error, "all rows would stay in one part; give --test or --validation");
    if ((settings->group != NULL) + (settings->in_order != 0) + (settings->no_stratify != 0) > 1)
        return error_input(error,
                           "--group, --in-order and --no-stratify cannot be combined; choose one");
    return TLU_OK;
}

// The options that have an effect.
static tlu_status take_options(struct file_split *s, const tlu_options *options, tlu_error *error)
{
    static const enum option used[] = {OPTION_FORMAT,         OPTION_DELIMITER, OPTION_HEADER,
                                       OPTION_LABEL,          OPTION_SKIP_BAD,  OPTION_MAX_ROW,
                                       OPTION_SEED,           OPTION_THREADS,   OPTION_MULTILABEL,
                                       OPTION_LABEL_SEPARATOR};
    TRY(tlu_options_new(&s->options, error));
    for (size_t i = 0; options && i < sizeof used / sizeof used[0]; i++)
        if (options_is_set(options, used[i])) {
            const char *name = tlu_option_at(used[i])->name;
            TRY(tlu_options_set(s->options, name, tlu_options_get(options, name), error));
        }
    return TLU_OK;
}

static tlu_status split_file(const tlu_split_file_settings *settings, const tlu_options *options,
                             tlu_file_split *result, tlu_error *error)
{
    struct file_split s = {.settings = settings,
                           .path = settings->path,
                           .file = -1,
                           .begun = clock_seconds(),
                           .by_class =
                               !settings->group && !settings->in_order && !settings->no_stratify};
    schema_init(&s.schema);
    tlu_status status = take_options(&s, options, error);
    if (status == TLU_OK)
        status = run(&s, result, error);
    file_split_free(&s);
    return status;
}

tlu_status tlu_split_file(const tlu_split_file_settings *settings, const tlu_options *options,
                          tlu_file_split **split, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_split_file_settings own;
    struct callback progress;
    if (split)
        *split = NULL;
    TRY(settings_take(&own, sizeof own, settings, "tlu_split_file_settings", error));
    CALLBACK(progress, progress, own.progress, own.progress_context, caller);
    TRY(check_settings(&own, error));
    tlu_file_split *result = memory_new(1, sizeof *result);
    TRY(enough_memory(result, error));
    tlu_status status = split_file(&own, options, result, error);
    if (status == TLU_OK && split)
        *split = result;
    else
        tlu_file_split_free(result);
    return status;
}
