// Reads a model: the mirror image of save.c (docs/model-format.md). How bytes that nobody can trust
// are taken apart is in unpack.h; the rows of the training are read in load_rows.c.
#include "base/crc.h"
#include "base/file.h"
#include "base/memory.h"
#include "format/text/words.h"
#include "model/file/unpack.h"
#include "number/number.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- Sections --------------------------------------------------------------------------------

static void get_version(struct unpack *in)
{
    in->model->version = unpack_copy_text(in);
}

// The options that say what the weights are.
static bool is_essential(enum option option)
{
    return option == OPTION_LEARNER || option == OPTION_DECIDE || option == OPTION_CLASSES ||
           option == OPTION_KERNEL || option == OPTION_SCHEDULE;
}

static void refuse_value(struct unpack *in, const char *name, const char *value)
{
    char quoted[80];
    in->at = in->end;
    snprintf(in->wrong, sizeof in->wrong,
             "the model was trained with --%s %s, which tlu %s does not know", name,
             error_quote(quoted, sizeof quoted, value, strlen(value)), TLU_VERSION);
}

// An option of a newer version is not ours to judge: an unknown name is passed over, and so is a
// value that this version does not take, unless it is essential.
static void set_option(struct unpack *in, tlu_options *options, const tlu_option_info *info,
                       const char *value)
{
    enum option option = (enum option)(info - tlu_option_at(0));
    if (options_is_set(options, option)) {
        unpack_damaged(in, "option %s is there twice", info->name);
        return;
    }
    if (option_is_technical(option))
        return;
    tlu_error error;
    tlu_status status = tlu_options_set(options, info->name, value, &error);
    if (status == TLU_ERROR_SYSTEM) {
        unpack_checked(in, NULL);
    } else if (status != TLU_OK && is_essential(option)) {
        refuse_value(in, info->name, value);
    }
}

// What was a default when the model was made, and is none any more, is as good as given: the
// learner first, for the others' defaults may be its own.
static void keep_old_defaults(struct unpack *in, const tlu_options *unset)
{
    tlu_options *options = in->model->options;
    if (!options_is_set(unset, OPTION_LEARNER) && !options_is_set(options, OPTION_LEARNER))
        set_option(in, options, tlu_option_at(OPTION_LEARNER), "perceptron");
    for (size_t i = 0; i <= OPTION_COUNT && !unpack_failed(in); i++) {
        enum option option = i ? (enum option)(i - 1) : OPTION_LEARNER;
        const tlu_option_info *info = tlu_option_at(option);
        char usual[64];
        if (!options_is_set(unset, option) || options_is_set(options, option))
            continue;
        tlu_options_default(options, info->name, usual, sizeof usual);
        // No default at all: it matters whether the option is given, and it is not.
        if (usual[0] && strcmp(usual, options_text(unset, option)) != 0)
            set_option(in, options, info, options_text(unset, option));
    }
}

static void get_options(struct unpack *in)
{
    tlu_model *model = in->model;
    tlu_options *unset = unpack_checked(in, tlu_options_new());
    if (!model->options)
        model->options = unpack_checked(in, tlu_options_new());
    uint64_t count = unpack_length(in, 3, "options");
    for (uint64_t i = 0; i < count && !unpack_failed(in); i++) {
        char name[64];
        size_t length;
        const char *text = unpack_text(in, &length);
        size_t kept = length < sizeof name ? length : 0; // no option's name is that long
        memcpy(name, text, kept);
        name[kept] = '\0';
        char *value = unpack_copy_text(in);
        bool by_user = unpack_choice(in, 1, "a flag") != 0;
        const tlu_option_info *info = tlu_option_named(name);
        if (info && !unpack_failed(in))
            set_option(in, by_user ? model->options : unset, info, value);
        memory_free(value);
    }
    if (!unpack_failed(in))
        keep_old_defaults(in, unset);
    tlu_options_free(unset);
    if (unpack_failed(in))
        return;
    if (options_choice(model->options, OPTION_CLASSES) == CLASSES_AUTO)
        unpack_damaged(in, "the scheme for several classes is left open");
    const char *kernel = options_text(model->options, OPTION_KERNEL);
    model->decide = options_choice(model->options, OPTION_DECIDE);
    if (kernel_parse(&model->kernel, kernel, NULL) != TLU_OK)
        refuse_value(in, "kernel", kernel);
}

static void get_table(struct unpack *in, struct table *table, const char *what)
{
    uint64_t count = unpack_length(in, 1, what);
    for (uint64_t i = 0; i < count && !unpack_failed(in); i++) {
        size_t length;
        const char *text = unpack_text(in, &length);
        if (unpack_failed(in))
            return;
        uint32_t number = table_add(table, text, length);
        if (number == TABLE_NONE)
            unpack_checked(in, NULL);
        else if (number != i)
            unpack_damaged(in, "two %s are the same", what);
    }
}

static void get_ids(struct unpack *in, struct schema *schema)
{
    uint64_t count = unpack_length(in, 1, "numbered features");
    schema->ids = unpack_checked(in, memory_new((size_t)count, sizeof *schema->ids));
    uint64_t next = 0; // the lowest index that can come
    uint32_t limit = schema->slots.bits ? 1u << schema->slots.bits : SCHEMA_DIRECT;
    for (uint64_t i = 0; i < count && !unpack_failed(in); i++) {
        uint64_t gap = unpack_count(in);
        if (gap >= limit || next + gap >= limit) {
            unpack_damaged(in, "the index of a feature is past %u", limit - 1);
            return;
        }
        schema->ids[i] = (uint32_t)(next + gap);
        next = next + gap + 1;
    }
    schema->numbered = unpack_failed(in) ? 0 : (uint32_t)count;
}

static void get_features(struct unpack *in)
{
    struct schema *schema = &in->model->schema;
    schema->frozen = true;
    uint32_t kind = (uint32_t)unpack_fixed(in, 1), hashed = kind & FORMAT_HASHED;
    if ((kind & ~FORMAT_HASHED) >= DATA_FORMATS)
        unpack_damaged(in, "the kind of data is %u", kind);
    if (unpack_failed(in))
        return;
    schema->format = (enum data_format)(kind & ~FORMAT_HASHED);
    schema->slots.bits = (uint32_t)options_count(in->model->options, OPTION_HASH);
    if (!hashed != !schema->slots.bits)
        unpack_damaged(in, "whether features are hashed is not what the options say");
    schema->words = word_rule_of(in->model->options);
    get_ids(in, schema);
    get_table(in, &schema->names, "names of features");
    if (hashed && schema->names.count)
        unpack_damaged(in, "hashed features have no names");
    if (!schema_is_indexed(schema) && schema->numbered && !hashed)
        unpack_damaged(in, "only LIBSVM has numbered features");
    if (schema_features(schema) >= BATCH_LOCAL)
        unpack_damaged(in, "there are too many features");
}

static void get_column(struct unpack *in, struct column *column)
{
    column->name = unpack_copy_text(in);
    column->kind = (enum column_kind)unpack_choice(in, COLUMN_IGNORED, "the kind of a column");
    column->feature = SCHEMA_NONE;
    if (column->kind != COLUMN_NUMERIC || unpack_failed(in))
        return;
    uint64_t feature = unpack_count(in);
    if (feature >= schema_features(&in->model->schema))
        unpack_damaged(in, "a column has feature %llu, which is not there",
                       (unsigned long long)feature);
    else
        column->feature = (uint32_t)feature;
}

static void get_columns(struct unpack *in)
{
    struct schema *schema = &in->model->schema;
    if (!schema_is_csv(schema))
        unpack_damaged(in, "the model is not of CSV data");
    unsigned char delimiter = (unsigned char)unpack_fixed(in, 1);
    if (delimiter == '\0' || delimiter == '"' || delimiter == '\n' || delimiter == '\r')
        unpack_damaged(in, "byte %u is no delimiter", delimiter);
    schema->delimiter = (char)delimiter;
    schema->header = unpack_choice(in, 1, "the header") != 0;
    size_t count = (size_t)unpack_length(in, 2, "columns");
    schema->columns = unpack_checked(in, memory_new(count, sizeof *schema->columns));
    if (unpack_failed(in))
        return;
    schema->column_count = count;
    size_t labels = 0;
    for (size_t i = 0; i < count && !unpack_failed(in); i++) {
        get_column(in, &schema->columns[i]);
        labels += schema->columns[i].kind == COLUMN_LABEL;
    }
    if (labels != 1)
        unpack_damaged(in, "there is not one column with the label but %zu", labels);
}

static void get_class(struct unpack *in, uint32_t class_index)
{
    struct schema *schema = &in->model->schema;
    size_t length;
    const char *label = unpack_text(in, &length);
    if (unpack_failed(in))
        return;
    uint32_t number = table_add(&schema->labels, label, length);
    if (number == TABLE_NONE) {
        unpack_checked(in, NULL);
    } else if (number != class_index) {
        unpack_damaged(in, "two labels are the same");
    } else {
        schema->spelled[number] = unpack_copy_text(in);
        in->model->class_examples[number] = unpack_count(in);
    }
}

#define PAIRED_MOST 65536 // classes whose pairs a 32-bit number can count

static void get_classes(struct unpack *in)
{
    tlu_model *model = in->model;
    uint64_t count = unpack_length(in, 3, "classes");
    if (count < 2 || count >= BATCH_LOCAL)
        unpack_damaged(in, "a model cannot have %llu classes", (unsigned long long)count);
    model->scheme = SCHEME_TWO;
    if (count > 2)
        model->scheme =
            (enum scheme_kind)(SCHEME_WTA + options_choice(model->options, OPTION_CLASSES));
    if (model->scheme == SCHEME_OVO && count > PAIRED_MOST)
        unpack_damaged(in, "%llu classes have too many pairs", (unsigned long long)count);
    model->positive = count == 2 ? unpack_choice(in, 1, "the positive class") : SCHEMA_NONE;
    if (unpack_failed(in))
        return;
    model->schema.spelled =
        unpack_checked(in, memory_new((size_t)count, sizeof *model->schema.spelled));
    model->class_examples =
        unpack_checked(in, memory_new((size_t)count, sizeof *model->class_examples));
    for (uint32_t i = 0; i < count && !unpack_failed(in); i++) {
        model->schema.spelled_capacity = (size_t)count;
        get_class(in, i);
    }
    for (uint32_t i = 0; i < count && !unpack_failed(in); i++) {
        const char *spelled = model->schema.spelled[i];
        if (schema_class_find(&model->schema, spelled, strlen(spelled)) != i)
            unpack_damaged(in, "label %u is not spelled as it is compared", i);
    }
}

static void get_scaling(struct unpack *in)
{
    struct scaling *scaling = &in->model->scaling;
    scaling->kind = (int)unpack_choice(in, SCALE_STANDARD, "the kind of scaling");
    if (scaling->kind == SCALE_NONE)
        unpack_damaged(in, "the kind of scaling is 0");
    scaling->features = schema_features(&in->model->schema);
    scaling->factor = unpack_new_numbers(in, scaling->features);
    scaling->shift = unpack_new_numbers(in, scaling->features);
    if (!unpack_failed(in) && !scaling_index(scaling))
        unpack_checked(in, NULL);
}

#define STEPS_MOST 9007199254740992.0 // 2^53: every whole number up to here is a double

// A learner that has looked at all rows at once has no run to average.
static bool has_sums(const tlu_model *model)
{
    const struct learner_kind *kind =
        learner_kind_at((size_t)options_choice(model->options, OPTION_LEARNER));
    return (model->decide == DECIDE_AVERAGE || model->decide == DECIDE_ADAPTIVE) &&
           !(kind->traits & LEARNER_WHOLE);
}

static bool has_state(const tlu_model *model)
{
    const struct learner_kind *kind =
        learner_kind_at((size_t)options_choice(model->options, OPTION_LEARNER));
    return kind->traits & LEARNER_STATE ||
           options_choice(model->options, OPTION_SCHEDULE) == SCHEDULE_ADAGRAD;
}

// Whether optional numbers of the weights are there, which the options say too.
static bool get_part(struct unpack *in, bool expected, const char *what)
{
    bool found = unpack_choice(in, 1, "a flag") != 0;
    if (found != expected)
        unpack_damaged(in, "%s %s", what, found ? "are there without need" : "are missing");
    return found;
}

static double get_steps(struct unpack *in, bool average)
{
    bool replayed = in->model->decide == DECIDE_VOTE || in->model->decide == DECIDE_RANDOM;
    double steps = unpack_number(in, CODE_DOUBLE);
    if (steps < (average || replayed ? 1 : 0))
        unpack_damaged(in, "the number of steps is too small");
    else if (!(steps <= STEPS_MOST && steps == (double)(uint64_t)steps))
        unpack_damaged(in, "the number of steps is not whole");
    return steps;
}

// Memory for `rows` rows, once the bytes for them are known to be there.
static void new_weights(struct unpack *in, unsigned parts, double state_start, size_t rows)
{
    tlu_model *model = in->model;
    uint32_t columns = scheme_columns(model->scheme, schema_classes(&model->schema));
    uint64_t count = (uint64_t)rows * columns;
    unsigned arrays = 1u + (parts & WEIGHTS_AVERAGE ? 1u : 0u) + (parts & WEIGHTS_STATE ? 1u : 0u);
    if (!unpack_numbers_fit(in, count) || !unpack_numbers_fit(in, arrays * count) ||
        !unpack_numbers_fit(in, columns))
        return;
    if (!weights_init(&model->weights, columns, parts, state_start) ||
        !weights_reserve(&model->weights, rows))
        unpack_checked(in, NULL);
}

static void get_weights(struct unpack *in)
{
    tlu_model *model = in->model;
    struct weights *weights = &model->weights;
    size_t rows = model->kernel.kind ? model->supports.count : schema_features(&model->schema);
    bool average = get_part(in, has_sums(model), "the sums for the average");
    bool stateful = get_part(in, has_state(model), "the states");
    double steps = get_steps(in, average);
    double state_start = stateful ? unpack_number(in, CODE_DOUBLE) : 0;
    unsigned parts = (average ? WEIGHTS_AVERAGE : 0u) | (stateful ? WEIGHTS_STATE : 0u);
    if (!unpack_failed(in))
        new_weights(in, parts, state_start, rows);
    if (unpack_failed(in))
        return;
    weights->steps = steps;
    size_t count = rows * weights->columns;
    unpack_numbers(in, weights->bias, weights->columns);
    unpack_cells(in, weights->w, count);
    if (average) {
        unpack_numbers(in, weights->u_bias, weights->columns);
        unpack_cells(in, weights->u, count);
    }
    if (stateful) {
        unpack_numbers(in, weights->state_bias, weights->columns);
        unpack_cells(in, weights->state, count);
    }
}

static void get_random(struct unpack *in)
{
    uint64_t *state = in->model->random.state;
    for (int i = 0; i < 4; i++)
        state[i] = unpack_fixed(in, 8);
    if ((state[0] | state[1] | state[2] | state[3]) == 0) // it would stay 0 for ever
        unpack_damaged(in, "a state of nothing but zeros");
}

// One of the names, which ends with NULL, or "".
static const char *get_name(struct unpack *in, const char *const *names)
{
    size_t length;
    const char *text = unpack_text(in, &length);
    if (length == 0)
        return "";
    for (; *names; names++)
        if (strlen(*names) == length && memcmp(*names, text, length) == 0)
            return *names;
    unpack_damaged(in, "a name is not one of those known");
    return "";
}

static void get_passes(struct unpack *in)
{
    tlu_model *model = in->model;
    tlu_report *report = &model->report;
    report->best_epoch = unpack_count(in);
    size_t epochs = (size_t)unpack_length(in, 1, "passes");
    if (report->best_epoch > epochs)
        unpack_damaged(in, "the best pass is past the last one");
    model->recorded.mistakes = unpack_checked(in, memory_new(epochs, sizeof *report->mistakes));
    for (size_t i = 0; i < epochs && !unpack_failed(in); i++)
        model->recorded.mistakes[i] = unpack_count(in);
    unsigned held_out = unpack_choice(in, HELD_BY_CLASS, "how rows were held out");
    model->recorded.held_by_class = held_out == HELD_BY_CLASS;
    if (held_out != HELD_NONE)
        model->recorded.accuracy = unpack_new_numbers(in, epochs);
    report->epochs = epochs;
    report->mistakes = model->recorded.mistakes;
    report->held_out_accuracy = model->recorded.accuracy;
}

static void get_report(struct unpack *in)
{
#define NAME(number, id, name, ...) name,
    static const char *const names[] = {FORMATS(NAME) "tsv", "stream", NULL};
#undef NAME
    tlu_model *model = in->model;
    tlu_report *report = &model->report;
    report->examples = unpack_count(in);
    report->held_out = unpack_count(in);
    report->nonzeros = unpack_count(in);
    report->features = unpack_count(in);
    report->updates = unpack_count(in);
    report->skipped = unpack_count(in);
    report->converged = (int)unpack_choice(in, 1, "a flag");
    report->stopped = get_name(in, model_stopped_names);
    report->data = model->recorded.data = unpack_copy_text(in);
    report->format = get_name(in, names);
    report->classes = schema_classes(&model->schema);
    report->supports = model->supports.count;
    get_passes(in);
    report->cycle = unpack_count(in);
    unpack_numbers(in, model->recorded.figures, 3);
}

// ---- The file --------------------------------------------------------------------------------

static const char tags[SECTION_COUNT][FORMAT_TAG_SIZE + 1] = {FORMAT_TAGS};

static void (*const get_section[SECTION_COUNT])(struct unpack *) = {
    [SECTION_VERSION] = get_version,      [SECTION_OPTIONS] = get_options,
    [SECTION_FEATURES] = get_features,    [SECTION_COLUMNS] = get_columns,
    [SECTION_CLASSES] = get_classes,      [SECTION_SCALING] = get_scaling,
    [SECTION_SUPPORTS] = unpack_supports, [SECTION_WEIGHTS] = get_weights,
    [SECTION_REPLAY] = unpack_replay,     [SECTION_RANDOM] = get_random,
    [SECTION_REPORT] = get_report,        [SECTION_LIVE] = unpack_live,
    [SECTION_ADAPTIVE] = unpack_adaptive, [SECTION_UNITS] = unpack_units,
    [SECTION_RUN] = unpack_run,
};

static bool is_optional(const tlu_model *model, int section)
{
    return section == SECTION_SCALING || section == SECTION_SUPPORTS || section == SECTION_REPLAY ||
           section == SECTION_LIVE || section == SECTION_RUN || section == SECTION_UNITS ||
           (section == SECTION_ADAPTIVE && model->decide != DECIDE_ADAPTIVE) ||
           (section == SECTION_COLUMNS && !schema_is_csv(&model->schema));
}

// Passes the sections from `next` to before `end`, which the file has not: none of them may be
// needed.
static void pass_sections(struct unpack *in, int next, int end)
{
    for (; next < end && !unpack_failed(in); next++)
        if (!is_optional(in->model, next))
            unpack_damaged(in, "section %s is missing or not in its place", tags[next]);
}

// Reads the header of a section: its number, or SECTION_COUNT for one that is not known.
static int get_tag(struct unpack *in, uint64_t *length)
{
    const unsigned char *tag = unpack_take(in, FORMAT_TAG_SIZE);
    *length = unpack_fixed(in, 8);
    if (*length > unpack_left(in))
        unpack_damaged(in, "a section is longer than the file");
    int i = 0;
    while (!unpack_failed(in) && i < SECTION_COUNT && memcmp(tag, tags[i], FORMAT_TAG_SIZE) != 0)
        i++;
    return i;
}

static void get_sections(struct unpack *in)
{
    const unsigned char *end = in->end;
    int next = 0; // the first section that may come
    while (in->at < end && !unpack_failed(in)) {
        uint64_t length;
        in->section = "the list of sections";
        int i = get_tag(in, &length);
        if (unpack_failed(in))
            return;
        if (i == SECTION_COUNT) {
            in->at += length;
            continue;
        }
        if (i < next)
            unpack_damaged(in, "section %s is there twice or not in its place", tags[i]);
        pass_sections(in, next, i);
        if (unpack_failed(in))
            return;
        in->section = tags[i];
        in->end = in->at + length;
        get_section[i](in);
        if (in->at != in->end)
            unpack_damaged(in, "bytes are left over");
        in->end = end;
        next = i + 1;
    }
    in->section = "the list of sections";
    pass_sections(in, next, SECTION_COUNT);
}

// A feature has one name: "17" cannot be both an index and a text.
static void check_names(struct unpack *in)
{
    const struct schema *schema = &in->model->schema;
    in->section = tags[SECTION_FEATURES];
    for (uint32_t i = 0; i < schema->names.count && schema->numbered; i++) {
        uint64_t index;
        if (number_index(table_text(&schema->names, i), table_length(&schema->names, i), &index) &&
            index < schema->rank_count && schema->rank[index] < schema->numbered)
            unpack_damaged(in, "feature %llu is there twice", (unsigned long long)index);
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
    uint64_t version = size >= 12 ? unpack_fixed_of(bytes + 8, 4) : FORMAT_VERSION;
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
    uint64_t whole = unpack_fixed_of(bytes + 12, 8);
    if (size < whole)
        return error_at(error, name, 0, 0, "the model is cut short: %zu of %llu bytes are there",
                        size, (unsigned long long)whole);
    if (size > whole)
        return error_at(error, name, 0, 0, "the model is damaged: %llu bytes follow its end",
                        (unsigned long long)(size - whole));
    uint64_t stored = unpack_fixed_of(bytes + size - FORMAT_CHECKSUM_SIZE, FORMAT_CHECKSUM_SIZE);
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
    struct unpack in = {.at = bytes + FORMAT_HEADER_SIZE,
                        .end = bytes + size - FORMAT_CHECKSUM_SIZE,
                        .model = model_new()};
    if (!in.model)
        return error_memory(error);
    get_sections(&in);
    if (!unpack_failed(&in)) {
        if (schema_rank(&in.model->schema))
            check_names(&in);
        else
            unpack_checked(&in, NULL);
    }
    if (in.no_memory)
        status = error_memory(error);
    else if (in.wrong[0] != '\0')
        status = error_at(error, name, 0, 0, "%s", in.wrong);
    else
        status = model_prepare(in.model, error);
    if (status == TLU_OK)
        model_set_errors(in.model);
    if (status == TLU_OK)
        *model = in.model;
    else
        tlu_model_free(in.model);
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
