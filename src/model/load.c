// Reads a model: the mirror image of save.c (docs/model-format.md).
//
// The bytes are not trusted, whatever the checksum says. Every count is compared with the bytes
// that are left before memory is asked for, every number with its range before it is stored. A
// reader remembers the first thing that is wrong and then finds no more bytes, so that the code for
// a section reads like its description; loops stop at `failed`.
#include "base/crc.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "model/format.h"
#include "model/model.h"

#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct reader {
    const unsigned char *at, *end; // of the section
    tlu_model *model;
    const char *section;
    bool no_memory;
    char wrong[200]; // "": nothing yet
};

static bool failed(const struct reader *reader)
{
    return reader->no_memory || reader->wrong[0] != '\0';
}

static void damaged(struct reader *reader, const char *format, ...) PRINTF_LIKE(2, 3);

static void damaged(struct reader *reader, const char *format, ...)
{
    reader->at = reader->end;
    if (failed(reader))
        return;
    char what[120];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(reader->wrong, sizeof reader->wrong, "the model is damaged: %s: %s", reader->section,
             what);
}

// Passes a pointer on; NULL counts as out of memory.
static void *checked(struct reader *reader, void *pointer)
{
    if (!pointer) {
        reader->at = reader->end;
        reader->no_memory = true;
    }
    return pointer;
}

// ---- Parts -----------------------------------------------------------------------------------

static uint64_t left(const struct reader *reader)
{
    return (uint64_t)(reader->end - reader->at);
}

static const unsigned char *take(struct reader *reader, uint64_t size)
{
    if (size > left(reader)) {
        damaged(reader, "it ends too early");
        return NULL;
    }
    const unsigned char *bytes = reader->at;
    reader->at += size;
    return bytes;
}

static uint64_t fixed_of(const unsigned char *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

static uint64_t get_fixed(struct reader *reader, size_t size)
{
    const unsigned char *bytes = take(reader, size);
    return bytes ? fixed_of(bytes, size) : 0;
}

// A byte that is one of 0 to most.
static unsigned get_choice(struct reader *reader, unsigned most, const char *what)
{
    unsigned value = (unsigned)get_fixed(reader, 1);
    if (value > most) {
        damaged(reader, "%s is %u, which is past %u", what, value, most);
        return 0;
    }
    return value;
}

static uint64_t get_count(struct reader *reader)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint64_t byte = get_fixed(reader, 1);
        if (shift == 63 && byte > 1)
            break;
        value |= (byte & 127) << shift;
        if (byte < 128)
            return value;
    }
    damaged(reader, "a count has more than 64 bits");
    return 0;
}

// How many things follow, each of which takes at least `least` bytes.
static uint64_t get_length(struct reader *reader, uint64_t least, const char *what)
{
    uint64_t count = get_count(reader);
    if (count > left(reader) / least) {
        damaged(reader, "there is no room for %llu %s", (unsigned long long)count, what);
        return 0;
    }
    return count;
}

// Not terminated; never NULL.
static const char *get_text(struct reader *reader, size_t *length)
{
    *length = (size_t)get_length(reader, 1, "bytes of text");
    const unsigned char *bytes = take(reader, *length);
    if (bytes && memchr(bytes, 0, *length))
        damaged(reader, "a text has a NUL inside");
    if (failed(reader))
        *length = 0;
    return bytes ? (const char *)bytes : "";
}

static char *copy_text(struct reader *reader)
{
    size_t length;
    const char *text = get_text(reader, &length);
    return failed(reader) ? NULL : checked(reader, memory_copy_text(text, length));
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double single_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double get_number(struct reader *reader, enum number_code code)
{
    double value = 0;
    if (code == CODE_SHORT) {
        unsigned bits = (unsigned)get_fixed(reader, 2);
        value = bits < 0x8000u ? bits : (double)bits - 0x10000;
    } else if (code == CODE_SINGLE) {
        value = single_of((uint32_t)get_fixed(reader, 4));
    } else if (code == CODE_DOUBLE) {
        value = double_of(get_fixed(reader, 8));
    }
    if (!isfinite(value))
        damaged(reader, "a number is not finite");
    return value;
}

// Numbers take at least two bits each: memory for them is at most 32 times the bytes that are left.
static bool numbers_fit(struct reader *reader, uint64_t count)
{
    if (count / 4 > left(reader))
        damaged(reader, "there is no room for %llu numbers", (unsigned long long)count);
    return !failed(reader);
}

// Fills numbers[count], for which numbers_fit was asked.
static void get_numbers(struct reader *reader, double *numbers, size_t count)
{
    const unsigned char *codes = take(reader, count / 4 + (count % 4 != 0));
    if (codes && count % 4 != 0 && codes[count / 4] >> 2 * (count % 4) != 0)
        damaged(reader, "there are codes behind the last number");
    for (size_t i = 0; i < count && !failed(reader); i++)
        numbers[i] = get_number(reader, (enum number_code)(codes[i / 4] >> 2 * (i % 4) & 3));
}

// As above, in memory of its own.
static double *new_numbers(struct reader *reader, size_t count)
{
    if (!numbers_fit(reader, count))
        return NULL;
    double *numbers = checked(reader, memory_new(count, sizeof *numbers));
    if (numbers)
        get_numbers(reader, numbers, count);
    return numbers;
}

// ---- Sections --------------------------------------------------------------------------------

static void get_version(struct reader *reader)
{
    reader->model->version = copy_text(reader);
}

// An option of a newer version is not ours to judge: an unknown name is passed over, and so is a
// value that this version does not take, but for the two that say what the weights are.
static void set_option(struct reader *reader, const tlu_option_info *info, const char *value,
                       bool by_user)
{
    tlu_options *options = reader->model->options;
    enum option option = (enum option)(info - tlu_option_at(0));
    if (options_is_set(options, option)) {
        damaged(reader, "option %s is there twice", info->name);
        return;
    }
    if (option == OPTION_THREADS || (!by_user && strcmp(value, info->value) == 0))
        return;
    tlu_error error;
    tlu_status status = tlu_options_set(options, info->name, value, &error);
    if (status == TLU_ERROR_SYSTEM) {
        checked(reader, NULL);
    } else if (status != TLU_OK && (option == OPTION_LEARNER || option == OPTION_DECIDE)) {
        char quoted[80];
        reader->at = reader->end;
        snprintf(reader->wrong, sizeof reader->wrong,
                 "the model was trained with --%s %s, which tlu %s does not know", info->name,
                 error_quote(quoted, sizeof quoted, value, strlen(value)), TLU_VERSION);
    }
}

static void get_options(struct reader *reader)
{
    // The reader's model may come with options or without.
    if (!reader->model->options)
        reader->model->options = checked(reader, tlu_options_new());
    uint64_t count = get_length(reader, 3, "options");
    for (uint64_t i = 0; i < count && !failed(reader); i++) {
        char name[64];
        size_t length;
        const char *text = get_text(reader, &length);
        size_t kept = length < sizeof name ? length : 0; // no option's name is that long
        memcpy(name, text, kept);
        name[kept] = '\0';
        char *value = copy_text(reader);
        bool by_user = get_choice(reader, 1, "a flag") != 0;
        const tlu_option_info *info = tlu_option_named(name);
        if (info && !failed(reader))
            set_option(reader, info, value, by_user);
        memory_free(value);
    }
}

static void get_table(struct reader *reader, struct table *table, const char *what)
{
    uint64_t count = get_length(reader, 1, what);
    for (uint64_t i = 0; i < count && !failed(reader); i++) {
        size_t length;
        const char *text = get_text(reader, &length);
        if (failed(reader))
            return;
        uint32_t number = table_add(table, text, length);
        if (number == TABLE_NONE)
            checked(reader, NULL);
        else if (number != i)
            damaged(reader, "two %s are the same", what);
    }
}

static void get_ids(struct reader *reader, struct schema *schema)
{
    uint64_t count = get_length(reader, 1, "numbered features");
    schema->ids = checked(reader, memory_new((size_t)count, sizeof *schema->ids));
    uint64_t next = 0; // the lowest index that can come
    for (uint64_t i = 0; i < count && !failed(reader); i++) {
        uint64_t gap = get_count(reader);
        if (gap >= SCHEMA_DIRECT || next + gap >= SCHEMA_DIRECT) {
            damaged(reader, "the index of a feature is past %u", SCHEMA_DIRECT - 1);
            return;
        }
        schema->ids[i] = (uint32_t)(next + gap);
        next = next + gap + 1;
    }
    schema->numbered = failed(reader) ? 0 : (uint32_t)count;
}

static void get_features(struct reader *reader)
{
    struct schema *schema = &reader->model->schema;
    schema->frozen = true;
    schema->csv = get_choice(reader, 1, "the kind of data") != 0;
    get_ids(reader, schema);
    get_table(reader, &schema->names, "names of features");
    if (schema->csv && schema->numbered)
        damaged(reader, "CSV has no numbered features");
    if (schema_features(schema) >= BATCH_LOCAL)
        damaged(reader, "there are too many features");
}

static void get_column(struct reader *reader, struct column *column)
{
    column->name = copy_text(reader);
    column->kind = (enum column_kind)get_choice(reader, COLUMN_IGNORED, "the kind of a column");
    column->feature = SCHEMA_NONE;
    if (column->kind != COLUMN_NUMERIC || failed(reader))
        return;
    uint64_t feature = get_count(reader);
    if (feature >= schema_features(&reader->model->schema))
        damaged(reader, "a column has feature %llu, which is not there",
                (unsigned long long)feature);
    else
        column->feature = (uint32_t)feature;
}

static void get_columns(struct reader *reader)
{
    struct schema *schema = &reader->model->schema;
    if (!schema->csv)
        damaged(reader, "the model is not of CSV data");
    unsigned char delimiter = (unsigned char)get_fixed(reader, 1);
    if (delimiter == '\0' || delimiter == '"' || delimiter == '\n' || delimiter == '\r')
        damaged(reader, "byte %u is no delimiter", delimiter);
    schema->delimiter = (char)delimiter;
    schema->header = get_choice(reader, 1, "the header") != 0;
    size_t count = (size_t)get_length(reader, 2, "columns");
    schema->columns = checked(reader, memory_new(count, sizeof *schema->columns));
    if (failed(reader))
        return;
    schema->column_count = count;
    size_t labels = 0;
    for (size_t i = 0; i < count && !failed(reader); i++) {
        get_column(reader, &schema->columns[i]);
        labels += schema->columns[i].kind == COLUMN_LABEL;
    }
    if (labels != 1)
        damaged(reader, "there is not one column with the label but %zu", labels);
}

static void get_class(struct reader *reader, uint32_t class_index)
{
    struct schema *schema = &reader->model->schema;
    size_t length;
    const char *label = get_text(reader, &length);
    if (failed(reader))
        return;
    uint32_t number = table_add(&schema->labels, label, length);
    if (number == TABLE_NONE) {
        checked(reader, NULL);
    } else if (number != class_index) {
        damaged(reader, "two labels are the same");
    } else {
        schema->spelled[number] = copy_text(reader);
        reader->model->class_examples[number] = get_count(reader);
    }
}

static void get_classes(struct reader *reader)
{
    tlu_model *model = reader->model;
    uint64_t count = get_length(reader, 3, "classes");
    if (count < 2 || count >= BATCH_LOCAL)
        damaged(reader, "a model cannot have %llu classes", (unsigned long long)count);
    model->positive = count == 2 ? get_choice(reader, 1, "the positive class") : SCHEMA_NONE;
    if (failed(reader))
        return;
    model->schema.spelled =
        checked(reader, memory_new((size_t)count, sizeof *model->schema.spelled));
    model->class_examples =
        checked(reader, memory_new((size_t)count, sizeof *model->class_examples));
    for (uint32_t i = 0; i < count && !failed(reader); i++) {
        model->schema.spelled_capacity = (size_t)count;
        get_class(reader, i);
    }
    for (uint32_t i = 0; i < count && !failed(reader); i++) {
        const char *spelled = model->schema.spelled[i];
        if (schema_class_find(&model->schema, spelled, strlen(spelled)) != i)
            damaged(reader, "label %u is not spelled as it is compared", i);
    }
}

static void get_scaling(struct reader *reader)
{
    struct scaling *scaling = &reader->model->scaling;
    scaling->kind = (int)get_choice(reader, SCALE_STANDARD, "the kind of scaling");
    if (scaling->kind == SCALE_NONE)
        damaged(reader, "the kind of scaling is 0");
    scaling->features = schema_features(&reader->model->schema);
    scaling->factor = new_numbers(reader, scaling->features);
    scaling->shift = new_numbers(reader, scaling->features);
    if (!failed(reader) && !scaling_index(scaling))
        checked(reader, NULL);
}

static void get_weights(struct reader *reader)
{
    tlu_model *model = reader->model;
    struct weights *weights = &model->weights;
    uint32_t classes = schema_classes(&model->schema), columns = classes == 2 ? 1 : classes;
    size_t features = schema_features(&model->schema);
    uint64_t count = (uint64_t)features * columns;
    bool average = get_choice(reader, 1, "a flag") != 0;
    if (average != (options_choice(model->options, OPTION_DECIDE) == DECIDE_AVERAGE))
        damaged(reader, "the sums for the average %s",
                average ? "are there without need" : "are missing");
    double steps = get_number(reader, CODE_DOUBLE);
    if (steps < (average ? 1 : 0))
        damaged(reader, "the number of steps is too small");
    if (!numbers_fit(reader, average ? 2 * count : count))
        return;
    if (!weights_init(weights, columns, average) || !weights_reserve(weights, features)) {
        checked(reader, NULL);
        return;
    }
    weights->features = features;
    weights->steps = steps;
    get_numbers(reader, weights->bias, columns);
    get_numbers(reader, weights->w, (size_t)count);
    if (average) {
        get_numbers(reader, weights->u_bias, columns);
        get_numbers(reader, weights->u, (size_t)count);
    }
}

static void get_random(struct reader *reader)
{
    uint64_t *state = reader->model->random.state;
    for (int i = 0; i < 4; i++)
        state[i] = get_fixed(reader, 8);
    if ((state[0] | state[1] | state[2] | state[3]) == 0) // it would stay 0 for ever
        damaged(reader, "a state of nothing but zeros");
}

// One of the names, which ends with NULL, or "".
static const char *get_name(struct reader *reader, const char *const *names)
{
    size_t length;
    const char *text = get_text(reader, &length);
    if (length == 0)
        return "";
    for (; *names; names++)
        if (strlen(*names) == length && memcmp(*names, text, length) == 0)
            return *names;
    damaged(reader, "a name is not one of those known");
    return "";
}

static void get_passes(struct reader *reader)
{
    tlu_model *model = reader->model;
    tlu_report *report = &model->report;
    report->best_epoch = get_count(reader);
    size_t epochs = (size_t)get_length(reader, 1, "passes");
    if (report->best_epoch > epochs)
        damaged(reader, "the best pass is past the last one");
    model->report_mistakes = checked(reader, memory_new(epochs, sizeof *report->mistakes));
    for (size_t i = 0; i < epochs && !failed(reader); i++)
        model->report_mistakes[i] = get_count(reader);
    if (get_choice(reader, 1, "a flag") != 0)
        model->report_accuracy = new_numbers(reader, epochs);
    report->epochs = epochs;
    report->mistakes = model->report_mistakes;
    report->held_out_accuracy = model->report_accuracy;
}

static void get_report(struct reader *reader)
{
    static const char *const formats[] = {"libsvm", "csv", "tsv", "stream", NULL};
    tlu_model *model = reader->model;
    tlu_report *report = &model->report;
    report->examples = get_count(reader);
    report->held_out = get_count(reader);
    report->nonzeros = get_count(reader);
    report->features = get_count(reader);
    report->updates = get_count(reader);
    report->skipped = get_count(reader);
    report->converged = (int)get_choice(reader, 1, "a flag");
    report->stopped = get_name(reader, model_stopped_names);
    report->data = model->report_data = copy_text(reader);
    report->format = get_name(reader, formats);
    report->classes = schema_classes(&model->schema);
    get_passes(reader);
}

// ---- The file --------------------------------------------------------------------------------

static const char tags[SECTION_COUNT][FORMAT_TAG_SIZE + 1] = {FORMAT_TAGS};

static void (*const get_section[SECTION_COUNT])(struct reader *) = {
    [SECTION_VERSION] = get_version,   [SECTION_OPTIONS] = get_options,
    [SECTION_FEATURES] = get_features, [SECTION_COLUMNS] = get_columns,
    [SECTION_CLASSES] = get_classes,   [SECTION_SCALING] = get_scaling,
    [SECTION_WEIGHTS] = get_weights,   [SECTION_RANDOM] = get_random,
    [SECTION_REPORT] = get_report,
};

// Passes the sections from `next` to before `end`, which the file has not: none of them may be
// needed.
static void pass_sections(struct reader *reader, int next, int end)
{
    for (; next < end && !failed(reader); next++)
        if (next != SECTION_SCALING && (next != SECTION_COLUMNS || reader->model->schema.csv))
            damaged(reader, "section %s is missing or not in its place", tags[next]);
}

// Reads the header of a section: its number, or SECTION_COUNT for one that is not known.
static int get_tag(struct reader *reader, uint64_t *length)
{
    const unsigned char *tag = take(reader, FORMAT_TAG_SIZE);
    *length = get_fixed(reader, 8);
    if (*length > left(reader))
        damaged(reader, "a section is longer than the file");
    int i = 0;
    while (!failed(reader) && i < SECTION_COUNT && memcmp(tag, tags[i], FORMAT_TAG_SIZE) != 0)
        i++;
    return i;
}

static void get_sections(struct reader *reader)
{
    const unsigned char *end = reader->end;
    int next = 0; // the first section that may come
    while (reader->at < end && !failed(reader)) {
        uint64_t length;
        reader->section = "the list of sections";
        int i = get_tag(reader, &length);
        if (failed(reader))
            return;
        if (i == SECTION_COUNT) {
            reader->at += length;
            continue;
        }
        if (i < next)
            damaged(reader, "section %s is there twice or not in its place", tags[i]);
        pass_sections(reader, next, i);
        if (failed(reader))
            return;
        reader->section = tags[i];
        reader->end = reader->at + length;
        get_section[i](reader);
        if (reader->at != reader->end)
            damaged(reader, "bytes are left over");
        reader->end = end;
        next = i + 1;
    }
    reader->section = "the list of sections";
    pass_sections(reader, next, SECTION_COUNT);
}

// A feature has one name: "17" cannot be both an index and a text.
static void check_names(struct reader *reader)
{
    const struct schema *schema = &reader->model->schema;
    reader->section = tags[SECTION_FEATURES];
    for (uint32_t i = 0; i < schema->names.count && schema->numbered; i++) {
        uint64_t index;
        if (number_index(table_text(&schema->names, i), table_length(&schema->names, i), &index) &&
            index < schema->rank_count && schema->rank[index] < schema->numbered)
            damaged(reader, "feature %llu is there twice", (unsigned long long)index);
    }
}

// What the first bytes of a file that is no model look like.
static const char *other_kind(const unsigned char *bytes, size_t size)
{
    if (size >= 4 &&
        (memcmp(bytes, "\x1F\x8B", 2) == 0 || memcmp(bytes, "\x28\xB5\x2F\xFD", 4) == 0))
        return "; it is a compressed file: data, perhaps";
    for (size_t i = 0; i < size && i < 64; i++)
        if (bytes[i] == 127 || (bytes[i] < ' ' && !strchr("\t\n\r\f", bytes[i])) || bytes[i] == 0)
            return "";
    return "; it is a text file: data, perhaps";
}

static tlu_status check_magic(const unsigned char *bytes, size_t size, const char *name,
                              tlu_error *error)
{
    size_t n = size < FORMAT_MAGIC_SIZE ? size : FORMAT_MAGIC_SIZE;
    if (size == 0)
        return error_at(error, name, 0, 0, "not a tlu model: there are no bytes at all");
    if (memcmp(bytes, FORMAT_MAGIC, n) == 0)
        return TLU_OK;
    if (size >= 4 && memcmp(bytes, FORMAT_MAGIC, 4) == 0)
        return error_at(error, name, 0, 0,
                        "the model is damaged: its line ends were changed; was it sent as text?");
    return error_at(error, name, 0, 0, "not a tlu model%s", other_kind(bytes, size));
}

static tlu_status check_frame(const unsigned char *bytes, size_t size, const char *name,
                              tlu_error *error)
{
    tlu_status status = check_magic(bytes, size, name, error);
    if (status != TLU_OK)
        return status;
    uint64_t version = size >= 12 ? fixed_of(bytes + 8, 4) : FORMAT_VERSION;
    if (version > FORMAT_VERSION)
        return error_at(error, name, 0, 0,
                        "the model was made by a newer version (format %llu); this is tlu %s, "
                        "which reads format %d",
                        (unsigned long long)version, TLU_VERSION, FORMAT_VERSION);
    if (version == 0)
        return error_at(error, name, 0, 0, "the model is damaged: there is no format 0");
    if (size < FORMAT_HEADER_SIZE + FORMAT_CHECKSUM_SIZE)
        return error_at(error, name, 0, 0, "the model is cut short: only %zu bytes are there",
                        size);
    uint64_t whole = fixed_of(bytes + 12, 8);
    if (size < whole)
        return error_at(error, name, 0, 0, "the model is cut short: %zu of %llu bytes are there",
                        size, (unsigned long long)whole);
    if (size > whole)
        return error_at(error, name, 0, 0, "the model is damaged: %llu bytes follow its end",
                        (unsigned long long)(size - whole));
    uint64_t stored = fixed_of(bytes + size - FORMAT_CHECKSUM_SIZE, FORMAT_CHECKSUM_SIZE);
    uint32_t found = crc32_add(0, bytes, size - FORMAT_CHECKSUM_SIZE);
    if (stored != found)
        return error_at(error, name, 0, 0, "the model is damaged: its checksum is %08X, not %08X",
                        (unsigned)found, (unsigned)stored);
    return TLU_OK;
}

static tlu_status load_named(const unsigned char *bytes, size_t size, const char *name,
                             tlu_model **model, tlu_error *error)
{
    tlu_status status = check_frame(bytes, size, name, error);
    if (status != TLU_OK)
        return status;
    struct reader reader = {.at = bytes + FORMAT_HEADER_SIZE,
                            .end = bytes + size - FORMAT_CHECKSUM_SIZE,
                            .model = model_new()};
    if (!reader.model)
        return error_memory(error);
    get_sections(&reader);
    if (!failed(&reader)) {
        if (schema_rank(&reader.model->schema))
            check_names(&reader);
        else
            checked(&reader, NULL);
    }
    if (reader.no_memory)
        status = error_memory(error);
    else if (reader.wrong[0] != '\0')
        status = error_at(error, name, 0, 0, "%s", reader.wrong);
    else
        status = model_prepare(reader.model, error);
    if (status == TLU_OK)
        *model = reader.model;
    else
        tlu_model_free(reader.model);
    return status;
}

tlu_status tlu_model_load_bytes(const void *bytes, size_t size, tlu_model **model, tlu_error *error)
{
    *model = NULL;
    return load_named(bytes, size, NULL, model, error);
}

// The first bytes of a regular file: whoever gives gigabytes of data in the place of a model should
// not have to wait until all of it is read.
static size_t peek(const char *path, unsigned char *bytes, size_t size)
{
    struct stat about;
    if (strcmp(path, "-") == 0 || stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return 0;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = descriptor < 0 ? 0 : read(descriptor, bytes, size);
    if (descriptor >= 0)
        close(descriptor);
    return n > 0 ? (size_t)n : 0;
}

tlu_status tlu_model_load(const char *path, tlu_model **model, tlu_error *error)
{
    *model = NULL;
    unsigned char head[64], *bytes;
    size_t size = peek(path, head, sizeof head);
    tlu_status status = size ? check_magic(head, size, path, error) : TLU_OK;
    if (status == TLU_OK)
        status = file_read(path, SIZE_MAX, &bytes, &size, error);
    if (status != TLU_OK)
        return status;
    status = load_named(bytes, size, path, model, error);
    memory_free(bytes);
    return status;
}
