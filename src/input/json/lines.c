// JSON lines: one object per line.
//
//     {"label": "spam", "text": "win a prize", "features": {"length": 11, "from": "x"}, "weight":
//     2}
//
// Each key may be missing (in training not the label); other keys are passed over. "text" becomes
// words (input/text/words.h). In "features"
//
//     "a": 2.5             feature a with value 2.5
//     "a": true, "a": "x"  feature a, feature a=x, with value 1; false and null are nothing
//     "a": {"b": 1}        feature a^b
//     "a": [3, "x"]        features a^0 with value 3, and a=x
//
// and likewise if "features" is an array: [3, "x"] are the features 0 and x.

#include "base/memory.h"
#include "input/ids.h"
#include "input/json/json.h"
#include "input/text/words.h"

#include <stdio.h>
#include <string.h>

#define KEYS(ROW)                                                                                  \
    ROW(KEY_LABEL, 1, "label")                                                                     \
    ROW(KEY_TEXT, 2, "text") ROW(KEY_FEATURES, 4, "features") ROW(KEY_WEIGHT, 8, "weight")
#define KEY_BIT(id, bit, name) id = (bit),
enum { KEYS(KEY_BIT) };

// The row's places in the scratch.
struct json_scratch {
    char *name;  // of the current feature, with those of the objects around it
    char *text;  // a string, decoded
    char *words; // "text", decoded, and scratch for words_add
};

// A number for the end of a path, "^" before it.
#define NUMBER_SCRATCH 24

// ---- features ----

static enum parse_result add_value(struct named_row *row, const struct json_scratch *scratch,
                                   size_t name, int depth);

// The name after what is there, with `joint` between. The text may be scratch->text.
static size_t extend(const struct json_scratch *scratch, size_t name, char joint, const char *text,
                     size_t length)
{
    if (name)
        scratch->name[name++] = joint;
    if (length)
        memcpy(scratch->name + name, text, length);
    return name + length;
}

static enum parse_result open_value(struct named_row *row, size_t name, char close, int depth,
                                    bool *more)
{
    if (name > NAMED_PATH_MAX)
        return bad_row_set(row->bad, named_column(row, row->cursor),
                           "the keys around this value are longer than %d bytes together",
                           NAMED_PATH_MAX);
    return json_open(row, close, depth, more);
}

static enum parse_result add_object(struct named_row *row, const struct json_scratch *scratch,
                                    size_t name, int depth)
{
    bool more;
    TRY_PARSE(open_value(row, name, '}', depth, &more));
    while (more) {
        size_t length, key = extend(scratch, name, '^', NULL, 0);
        TRY_PARSE(json_key(row, scratch->name + key, &length));
        TRY_PARSE(add_value(row, scratch, key + length, depth + 1));
        TRY_PARSE(json_next(row, '}', &more));
    }
    return PARSE_OK;
}

static enum parse_result add_array(struct named_row *row, const struct json_scratch *scratch,
                                   size_t name, int depth)
{
    bool more;
    TRY_PARSE(open_value(row, name, ']', depth, &more));
    for (unsigned i = 0; more; i++) {
        size_t inner = name;
        if (json_peek(row) != '"') {
            char number[NUMBER_SCRATCH];
            size_t length = (size_t)snprintf(number, sizeof number, "%u", i);
            inner = extend(scratch, name, '^', number, length);
        }
        TRY_PARSE(add_value(row, scratch, inner, depth + 1));
        TRY_PARSE(json_next(row, ']', &more));
    }
    return PARSE_OK;
}

static enum parse_result add_value(struct named_row *row, const struct json_scratch *scratch,
                                   size_t name, int depth)
{
    char c = json_peek(row);
    size_t length;
    double value = c == 't';
    struct decimal exact = {c == 't', 0, 0};
    const char *text;
    if (c == '{')
        return add_object(row, scratch, name, depth);
    if (c == '[')
        return add_array(row, scratch, name, depth);
    if (c == '"') {
        TRY_PARSE(json_string(row, scratch->text, &length));
        value = 1;
        exact.digits = 1;
        name = extend(scratch, name, '=', scratch->text, length);
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        TRY_PARSE(json_read_number(row, &value, &text, &length));
        if (row->parser->exact)
            TRY_PARSE(named_decimal(row, text, text + length, &(struct decimal){1, 0, 0}, &exact));
    } else {
        TRY_PARSE(json_literal(row));
    }
    if (row->parser->exact)
        return named_add_exact(row, scratch->name, name, exact);
    return named_add_copy(row, scratch->name, name, (float)value);
}

// ---- the other keys ----

// One label; *found is left alone if it is null. With --multilabel, and `set`, it is one of the
// set.
static enum parse_result parse_label(struct named_row *row, const struct json_scratch *scratch,
                                     bool set, bool *found)
{
    char c = json_peek(row);
    const char *label = row->cursor, *place = label;
    size_t length;
    if (c == '"') {
        const char *start = row->cursor;
        TRY_PARSE(json_string(row, scratch->text, &length));
        label = scratch->text;
        if (length == 0)
            return bad_row_set(row->bad, named_column(row, start), "the label is empty");
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        TRY_PARSE(json_read_number(row, NULL, &label, &length));
    } else {
        TRY_PARSE(json_literal(row));
        length = c == 'f' ? 5 : 4;
        if (c == 'n')
            return PARSE_OK;
    }
    *found = true;
    if (!set)
        return row_label(row->parser, row->batch, label, length);
    enum parse_result result = row_set_add(row->parser, row->batch, label, length);
    if (result == PARSE_BAD)
        bad_row_repeats(row->bad, named_column(row, place), label, length);
    return result;
}

// A label, or an array of them.
static enum parse_result parse_labels(struct named_row *row, const struct json_scratch *scratch,
                                      bool *found)
{
    if (json_peek(row) != '[')
        return parse_label(row, scratch, false, found);
    bool more, set = row->parser->schema->multilabel, each = false;
    TRY_PARSE(json_open(row, ']', 1, &more));
    if (set)
        TRY_PARSE(row_set_begin(row->batch));
    for (size_t count = 0; more; count++) {
        char c = json_peek(row);
        const char *place = row->cursor;
        if (count > 0 && !set)
            return bad_row_several(row->parser, row->bad, named_column(row, place));
        TRY_PARSE(parse_label(row, scratch, set, &each));
        if (set && c == 'n')
            return named_expected(row, place, row->cursor, "a label");
        TRY_PARSE(json_next(row, ']', &more));
    }
    if (set)
        row_set_end(row->parser, row->batch);
    *found |= set || each;
    return PARSE_OK;
}

static enum parse_result parse_weight(struct named_row *row, float *weight)
{
    json_peek(row);
    const char *start = row->cursor, *text;
    size_t length;
    double value;
    TRY_PARSE(json_read_number(row, &value, &text, &length));
    if (value < 0)
        return named_expected(row, start, start + length, "a weight of 0 or more");
    *weight = (float)value;
    return PARSE_OK;
}

static enum parse_result parse_text(struct named_row *row, const struct json_scratch *scratch)
{
    size_t length;
    if (json_peek(row) == 'n')
        return json_literal(row);
    TRY_PARSE(json_string(row, scratch->words, &length)); // names are pieces of it
    return words_add(row, scratch->words, length, scratch->words + length);
}

static int key_of(const char *key, size_t length)
{
#define KEY_TEST(id, bit, name)                                                                    \
    if (strlen(name) == length && memcmp(name, key, length) == 0)                                  \
        return id;
    KEYS(KEY_TEST)
    return 0;
}

// ---- the row ----

struct json_row {
    int seen; // KEY_...
    bool labelled;
    float weight;
};

static enum parse_result parse_member(struct named_row *row, const struct json_scratch *scratch,
                                      struct json_row *found)
{
    json_peek(row);
    const char *start = row->cursor;
    size_t length;
    TRY_PARSE(json_key(row, scratch->text, &length));
    int key = key_of(scratch->text, length);
    if (found->seen & key)
        return bad_row_set(row->bad, named_column(row, start), "the key \"%.*s\" occurs twice",
                           (int)length, scratch->text);
    found->seen |= key;
    char c = json_peek(row);
    switch (key) {
    case KEY_LABEL:
        return parse_labels(row, scratch, &found->labelled);
    case KEY_TEXT:
        return parse_text(row, scratch);
    case KEY_WEIGHT:
        return parse_weight(row, &found->weight);
    case KEY_FEATURES:
        if (c == '{' || c == '[' || c == 'n')
            return add_value(row, scratch, 0, 1);
        return named_expected(row, row->cursor, row->cursor + (c != '\0'), "an object or an array");
    default:
        return json_skip(row, scratch->text, 1);
    }
}

static enum parse_result parse_row(struct named_row *row)
{
    size_t length = (size_t)(row->end - row->line);
    size_t text = length + 12, name = length + NUMBER_SCRATCH * (JSON_DEPTH + 1);
    if (!named_scratch(row, 2 * text + name + WORDS_SCRATCH(length)))
        return PARSE_MEMORY;
    char *bytes = row->batch->scratch.text;
    struct json_scratch scratch = {
        .name = bytes, .text = bytes + name, .words = bytes + name + text};
    struct json_row found = {.weight = 1};
    bool more;
    if (json_peek(row) != '{')
        return named_expected(row, row->cursor, row->cursor + (row->cursor < row->end),
                              "an object such as {\"label\": \"spam\", \"text\": \"...\"}");
    const char *start = row->cursor;
    TRY_PARSE(json_open(row, '}', 0, &more));
    while (more) {
        TRY_PARSE(parse_member(row, &scratch, &found));
        TRY_PARSE(json_next(row, '}', &more));
    }
    if (row->cursor < row->end)
        return named_expected(row, row->cursor, row->cursor + 1, "the end of the line");
    if (!found.labelled && row->parser->labelled)
        return bad_row_set(row->bad, named_column(row, start), "the row has no \"label\"");
    if (!found.labelled)
        TRY_PARSE(row_label(row->parser, row->batch, NULL, 0));
    return row_weight(row->batch, found.weight) ? PARSE_OK : PARSE_MEMORY;
}

enum parse_result jsonl_parse(const struct parser *parser, const char *bytes, size_t size,
                              struct batch *batch, struct bad_row *bad)
{
    return named_parse(parser, bytes, size, batch, bad, parse_row);
}

// ---- recognition ----

static bool is_object(const char *line, const char *end, void *context)
{
    (void)context;
    return *line == '{' && (end[-1] == '}' || (end - line > 1 && line[1] == '"'));
}

bool jsonl_recognise(const char *bytes, size_t size)
{
    return most_lines(bytes, size, is_object, NULL);
}

// ---- --id ----

// The cursor is at the value: a string is decoded, anything else is as it is written; null is "".
static bool put_id(struct ids *ids, struct named_row *row, char *scratch)
{
    size_t length;
    char c = json_peek(row);
    const char *start = row->cursor;
    if (c == '"')
        return json_string(row, scratch, &length) == PARSE_OK ? ids_put(ids, scratch, length)
                                                              : ids_put(ids, "", 0);
    if (c == 'n' || json_skip(row, scratch, 1) != PARSE_OK)
        return ids_put(ids, "", 0);
    const char *end = row->cursor;
    while (end > start && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
        end--;
    return ids_put(ids, start, (size_t)(end - start));
}

static bool put_member(struct ids *ids, struct named_row *row, const char *name, char *scratch)
{
    bool more;
    size_t length, wanted = strlen(name);
    if (json_peek(row) != '{' || json_open(row, '}', 0, &more) != PARSE_OK)
        return ids_put(ids, "", 0);
    while (more && json_key(row, scratch, &length) == PARSE_OK) {
        if (length == wanted && memcmp(scratch, name, length) == 0)
            return put_id(ids, row, scratch);
        if (json_skip(row, scratch, 1) != PARSE_OK || json_next(row, '}', &more) != PARSE_OK)
            break;
    }
    return ids_put(ids, "", 0);
}

bool jsonl_row_id(struct ids *ids, const struct id_source *source, const char *text, size_t size)
{
    struct bad_row ignored;
    struct named_row *row = memory_new(1, sizeof *row); // large for a stack
    char *scratch = memory_new(size + 12, 1);
    bool fine = row && scratch;
    if (fine) {
        row->bad = &ignored;
        row->line = row->cursor = text;
        row->end = row->limit = text + size;
        fine = put_member(ids, row, source->name, scratch);
    }
    memory_free(scratch);
    memory_free(row);
    return fine;
}
