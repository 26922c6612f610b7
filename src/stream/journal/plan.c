#include "stream/journal/plan.h"

#include "base/memory.h"
#include "input/text/words.h"
#include "numeric/number.h"

#include <stdio.h>
#include <string.h>

#define STATE "%08x"
#define STATE_SIZE (8 + 1)
#define NGRAMS_MAX 1000 // more than --ngrams takes

// The numbers of --missing in journals, the first ones of which are older than the others.
static const int missing_numbers[] = {MISSING_REFUSE, MISSING_ZERO, MISSING_INDICATOR,
                                      MISSING_AUTO,   MISSING_MEAN, MISSING_MEDIAN,
                                      MISSING_MODE};
#define MISSING_NUMBERS (sizeof missing_numbers / sizeof missing_numbers[0])

// Of CSV: it has a header, and numbers have a decimal comma.
#define HEADER_MARK 1u
#define COMMA_MARK 2u
// Of reading: malformed rows are left out.
#define SKIP_MARK 1u

static const char *const kinds[] = {
    [COLUMN_NUMERIC] = "numeric",  [COLUMN_CATEGORICAL] = "categorical",
    [COLUMN_LABEL] = "label",      [COLUMN_IGNORED] = "ignored",
    [COLUMN_TEXT] = "text",
    [COLUMN_TEXT + 1] = "numbers", // see column_code
    [COLUMN_TEXT + 2] = "strings"};

// In the place of the delimiter, for JSON.
static const char json_marks[] = {[JSON_LINES] = '\0', [JSON_OBJECTS] = '{', [JSON_ARRAY] = '['};

// ---- packing ----

struct plan_writer {
    char *bytes;
    size_t size, capacity;
    bool failed;
};

static void put_text(struct plan_writer *out, const char *text)
{
    size_t length = strlen(text) + 1;
    out->failed =
        out->failed || !memory_reserve(&out->bytes, &out->capacity, out->size + length, 1);
    if (!out->failed)
        memcpy(out->bytes + out->size, text, length);
    out->size += length;
}

static void put_count(struct plan_writer *out, uint64_t count)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)count);
    put_text(out, text);
}

static void put_options(struct plan_writer *out, const tlu_options *options)
{
    for (size_t i = 0; i < tlu_option_count(); i++)
        if (options_is_set(options, (enum option)i) && !option_is_technical((enum option)i)) {
            put_text(out, option_stored_name((enum option)i));
            put_text(out, options_text(options, (enum option)i));
        }
    put_text(out, "");
}

static void put_decided(struct plan_writer *out, const struct schema *decided)
{
    put_text(out, format_table[decided->format].name);
    put_count(out, decided->words.ngrams);
    put_count(out, decided->words.lowercase);
    put_count(out,
              (decided->header ? HEADER_MARK : 0u) | (decided->decimal_comma ? COMMA_MARK : 0u));
    put_count(out, (unsigned char)decided->delimiter);
    put_count(out, decided->column_count);
    for (size_t i = 0; i < decided->column_count; i++) {
        put_text(out, kinds[column_code(&decided->columns[i])]);
        put_text(out, decided->columns[i].name);
    }
}

static void put_reading(struct plan_writer *out, const struct reading *reading)
{
    put_text(out, format_table[reading->format].name);
    size_t missing = 0;
    while (missing_numbers[missing] != reading->missing)
        missing++;
    put_count(out, missing);
    put_count(out,
              (reading->skip_bad ? SKIP_MARK : 0u) | (reading->decimal_comma ? COMMA_MARK : 0u));
    put_count(out, (unsigned char)(reading->delimiter | json_marks[reading->json]));
    put_count(out, reading->count);
    for (size_t i = 0; i < reading->count; i++)
        put_count(out, reading->columns[i] == SCHEMA_NONE ? 0 : (uint64_t)reading->columns[i] + 1);
}

void plan_set_state(char *packed, uint32_t state)
{
    snprintf(packed, STATE_SIZE, STATE, state);
}

char *plan_pack(const tlu_options *options, const struct schema *decided,
                const struct reading *reading, size_t *size)
{
    struct plan_writer out = {0};
    put_text(&out, "00000000");
    put_options(&out, options);
    put_decided(&out, decided);
    put_reading(&out, reading);
    if (out.failed) {
        memory_free(out.bytes);
        return NULL;
    }
    *size = out.size;
    return out.bytes;
}

// ---- unpacking ----

// What is wrong is remembered; from there on all texts are empty and all numbers 0.
struct plan_reader {
    const char *at, *limit;
    bool wrong, no_memory;
};

static bool failed(const struct plan_reader *in)
{
    return in->wrong || in->no_memory;
}

static void *checked(struct plan_reader *in, void *pointer)
{
    in->no_memory |= !pointer;
    return pointer;
}

static const char *get_text(struct plan_reader *in)
{
    const char *text = in->at, *end = NULL;
    if (!failed(in))
        end = memchr(text, '\0', (size_t)(in->limit - text));
    in->wrong |= !end;
    in->at = end ? end + 1 : in->limit;
    return end ? text : "";
}

static uint64_t get_count(struct plan_reader *in, uint64_t most)
{
    const char *text = get_text(in);
    uint64_t count;
    if (!number_index(text, strlen(text), &count) || count > most)
        in->wrong = true;
    return failed(in) ? 0 : count;
}

// How many things follow, each of which takes at least a byte and its end.
static size_t get_length(struct plan_reader *in)
{
    return (size_t)get_count(in, (uint64_t)(in->limit - in->at) / 2);
}

static enum data_format get_format(struct plan_reader *in)
{
    enum data_format format = 0;
    in->wrong |= !format_named(get_text(in), &format);
    return format;
}

static char get_delimiter(struct plan_reader *in, bool csv)
{
    char delimiter = (char)(unsigned char)get_count(in, 255);
    in->wrong |= csv != (delimiter != '\0') || (csv && strchr("\"\r\n", delimiter));
    return delimiter;
}

static enum json_rows get_json_rows(struct plan_reader *in)
{
    uint64_t mark = get_count(in, 255);
    for (size_t i = 0; i < sizeof json_marks; i++)
        if (mark == (unsigned char)json_marks[i])
            return (enum json_rows)i;
    in->wrong = true;
    return JSON_LINES;
}

static void get_options(struct plan_reader *in, tlu_options *options)
{
    const char *name;
    while (*(name = get_text(in))) {
        const char *value = get_text(in);
        tlu_error error;
        if (failed(in))
            return;
        tlu_status status = tlu_options_set(options, option_name_of_stored(name), value, &error);
        in->wrong |= status == TLU_ERROR_INPUT;
        in->no_memory |= status == TLU_ERROR_SYSTEM;
    }
}

// Each name once, and one of them the label if there is to be one.
static void check_columns(struct plan_reader *in, const struct schema *decided)
{
    struct table names = {0};
    for (size_t i = 0; !failed(in) && i < decided->column_count; i++) {
        const char *name = decided->columns[i].name;
        uint32_t place = table_add(&names, name, strlen(name));
        in->no_memory |= place == TABLE_NONE;
        in->wrong |= place != i;
    }
    in->wrong |= !schema_columns_fit(decided);
    table_free(&names);
}

// Options tell the rest of what words are. *options may be NULL if reading has failed.
static void get_words(struct plan_reader *in, struct schema *decided, const tlu_options *options)
{
    uint32_t ngrams = (uint32_t)get_count(in, NGRAMS_MAX);
    bool lowercase = get_count(in, 1);
    if (failed(in))
        return;
    tlu_status status = words_set_rule(decided, options, NULL);
    in->no_memory |= status == TLU_ERROR_SYSTEM;
    in->wrong |= status == TLU_ERROR_INPUT || (!ngrams && !decided->words.chars_max);
    decided->words.ngrams = ngrams;
    decided->words.lowercase = lowercase;
}

static void get_decided(struct plan_reader *in, struct schema *decided, const tlu_options *options)
{
    decided->format = get_format(in);
    get_words(in, decided, options);
    uint64_t marks = get_count(in, 3);
    decided->header = marks & HEADER_MARK;
    decided->decimal_comma = marks & COMMA_MARK;
    bool csv = schema_is_csv(decided);
    decided->delimiter = get_delimiter(in, csv);
    size_t count = get_length(in);
    in->wrong |= csv && !count;
    in->wrong |= !csv && decided->format != DATA_JSONL && count;
    if (failed(in) || !count)
        return;
    decided->columns = checked(in, memory_new(count, sizeof *decided->columns));
    for (size_t i = 0; !failed(in) && i < count; i++) {
        const char *kind = get_text(in), *name = get_text(in);
        size_t k = 0;
        size_t codes = csv ? COLUMN_TEXT + 1 : COLUMN_CODES;
        while (k < codes && strcmp(kind, kinds[k]) != 0)
            k++;
        in->wrong |= k == codes;
        if (failed(in))
            return;
        decided->columns[i] = (struct column){
            .name = checked(in, memory_copy_text(name, strlen(name))), .feature = SCHEMA_NONE};
        column_set_code(&decided->columns[i], (unsigned)k);
        decided->column_count = i + 1;
    }
    check_columns(in, decided);
}

// No column is that of two fields.
static void get_fields(struct plan_reader *in, struct reading *reading, size_t columns)
{
    bool *taken = checked(in, memory_new(columns, sizeof *taken));
    reading->columns = checked(in, memory_new(reading->count, sizeof *reading->columns));
    for (size_t i = 0; !failed(in) && i < reading->count; i++) {
        size_t column = (size_t)get_count(in, columns);
        reading->columns[i] = column ? (uint32_t)(column - 1) : SCHEMA_NONE;
        in->wrong |= column && taken[column - 1];
        if (column)
            taken[column - 1] = true;
    }
    memory_free(taken);
}

static void get_reading(struct plan_reader *in, struct reading *reading,
                        const struct schema *decided)
{
    reading->format = get_format(in);
    in->wrong |=
        reading->format != decided->format &&
        (!format_is_named(reading->format) || !schema_is_named(decided) || decided->column_count);
    reading->missing = missing_numbers[get_count(in, MISSING_NUMBERS - 1)];
    uint64_t marks = get_count(in, 3);
    reading->skip_bad = marks & SKIP_MARK;
    reading->decimal_comma = marks & COMMA_MARK;
    bool csv = format_has_columns(reading->format);
    if (reading->format == DATA_JSONL)
        reading->json = get_json_rows(in);
    else
        reading->delimiter = get_delimiter(in, csv);
    reading->count = get_length(in);
    in->wrong |= csv != (reading->count > 0);
    if (csv && !failed(in))
        get_fields(in, reading, decided->column_count);
}

tlu_status plan_unpack(struct stream_plan *plan, const char *bytes, size_t size, tlu_error *error)
{
    struct plan_reader in = {.at = bytes, .limit = bytes + size};
    memset(plan, 0, sizeof *plan);
    schema_init(&plan->decided);
    plan->options = checked(&in, options_copy(NULL));
    const char *state = get_text(&in);
    in.wrong |= strlen(state) != STATE_SIZE - 1 || sscanf(state, "%8x", &plan->state) != 1;
    if (!failed(&in))
        get_options(&in, plan->options);
    if (!failed(&in))
        get_decided(&in, &plan->decided, plan->options);
    get_reading(&in, &plan->reading, &plan->decided);
    in.wrong |= in.at != in.limit;
    if (in.no_memory)
        return error_memory(error);
    return in.wrong ? error_input(error, "the journal does not say what its rows are") : TLU_OK;
}

void plan_free(struct stream_plan *plan)
{
    tlu_options_free(plan->options);
    schema_free(&plan->decided);
    reading_free(&plan->reading);
    *plan = (struct stream_plan){0};
}
