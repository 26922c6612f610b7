// JSON: a row is an object, on one line or on several (objects.h).
//
//     {"label": "spam", "text": "win a prize", "features": {"length": 11, "from": "x"}, "weight":
//     2}
//
// Each key may be missing (in training not the label); other keys are passed over. "text" becomes
// words (input/text/words.h). Records (members.h) are objects of another kind: all members are
// features but those that the plan names as label, texts and so on. In records and in "features"
//
//     "a": 2.5             feature a with value 2.5
//     "a": true, "a": "x"  feature a, feature a=x, with value 1; false and null are nothing
//     "a": {"b": 1}        feature a^b
//     "a": [3, "x"]        features a^0 with value 3, and a=x
//
// and likewise if "features" is an array: [3, "x"] are the features 0 and x. In records, "a": null
// is the feature a=(missing), unless --missing zero makes it nothing.

#include "base/memory.h"
#include "input/csv/csv.h"
#include "input/ids.h"
#include "input/json/json.h"
#include "input/json/members.h"
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
    char *seen;  // in records: bits, which members of the plan the row had
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

static enum parse_result add_one(struct named_row *row, const struct json_scratch *scratch,
                                 size_t name)
{
    if (row->parser->exact)
        return named_add_exact(row, scratch->name, name, (struct decimal){1, 0, 0});
    return named_add_copy(row, scratch->name, name, 1);
}

// ---- missing values, in records ----

static bool is_record(const struct parser *parser)
{
    return parser->members && parser->members->label;
}

static bool marks_missing(const struct parser *parser)
{
    return parser->missing != MISSING_ZERO && parser->missing != MISSING_REFUSE;
}

// null at the cursor. As in CSV, training keeps a marker, and a model has the value to replace it
// by. Inside of a member there is no such value.
static enum parse_result add_missing(struct named_row *row, const struct json_scratch *scratch,
                                     size_t name, const struct json_member *member)
{
    const int missing = row->parser->missing;
    const struct fill *fill = member && row->parser->schema->frozen ? member->fill : NULL;
    const char *start = row->cursor;
    char quoted[80];
    TRY_PARSE(json_literal(row));
    if (missing == MISSING_REFUSE)
        return bad_row_set(row->bad, named_column(row, start),
                           "the value of '%s' is missing: found null; --missing auto would "
                           "replace it, --ignore leave the member out",
                           error_quote(quoted, sizeof quoted, scratch->name, name));
    if (!marks_missing(row->parser) || name == 0)
        return PARSE_OK;
    if (fill && fill->known && fill->text && missing == MISSING_MODE)
        return add_one(row, scratch, extend(scratch, name, '=', fill->text, strlen(fill->text)));
    if (fill && fill->known && missing != MISSING_INDICATOR && member->kind == COLUMN_NUMERIC) {
        if ((float)fill->value != 0)
            TRY_PARSE(named_add_copy(row, scratch->name, name, (float)fill->value));
        if (missing != MISSING_AUTO)
            return PARSE_OK;
    }
    return add_one(row, scratch, extend(scratch, name, '=', MISSING_VALUE, strlen(MISSING_VALUE)));
}

// A string that would be taken for a missing value.
static enum parse_result check_marker(struct named_row *row, const struct json_scratch *scratch,
                                      const char *start, size_t name, size_t length)
{
    char quoted[80];
    if (!is_record(row->parser) || length != strlen(MISSING_VALUE) || !marks_missing(row->parser) ||
        memcmp(scratch->text, MISSING_VALUE, length) != 0)
        return PARSE_OK;
    return bad_row_set(row->bad, named_column(row, start),
                       "the value '" MISSING_VALUE
                       "' of '%s' means a missing value; write null, or "
                       "spell it differently",
                       error_quote(quoted, sizeof quoted, scratch->name, name));
}

// ---- values ----

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
        const char *start = row->cursor;
        TRY_PARSE(json_string(row, scratch->text, &length));
        TRY_PARSE(check_marker(row, scratch, start, name, length));
        value = 1;
        exact.digits = 1;
        name = extend(scratch, name, '=', scratch->text, length);
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        TRY_PARSE(json_read_number(row, &value, &text, &length));
        if (row->parser->exact)
            TRY_PARSE(named_decimal(row, text, text + length, &(struct decimal){1, 0, 0}, &exact));
    } else if (c == 'n' && is_record(row->parser)) {
        return add_missing(row, scratch, name, NULL);
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
            return bad_row_set(row->bad, named_column(row, start),
                               "the label is empty; write it, or null");
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
    else if (!each && row->parser->labelled)
        return bad_row_set(row->bad, named_column(row, row->cursor),
                           "the list of labels is empty; --multilabel learns from such rows");
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
    const struct json_plan *plan = row->parser->members;
    struct words_text text = {.text = scratch->words,
                              .prefix = plan ? plan->members->prefix : NULL,
                              .prefix_length = plan ? plan->members->prefix_length : 0};
    if (json_peek(row) == 'n')
        return json_literal(row);
    TRY_PARSE(json_string(row, scratch->words, &text.length)); // names are pieces of it
    return words_add(row, &text, scratch->words + text.length);
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
    size_t next; // in records: the member that most likely comes next
    bool worded; // in records: words of a text may wait in scratch->words
};

static enum parse_result occurs_twice(struct named_row *row, const char *start, const char *key,
                                      size_t length)
{
    char quoted[80];
    return bad_row_set(row->bad, named_column(row, start),
                       "the key \"%s\" occurs twice; write it once",
                       error_quote(quoted, sizeof quoted, key, length));
}

static enum parse_result parse_member(struct named_row *row, const struct json_scratch *scratch,
                                      struct json_row *found)
{
    json_peek(row);
    const char *start = row->cursor;
    size_t length;
    TRY_PARSE(json_key(row, scratch->text, &length));
    int key = key_of(scratch->text, length);
    if (found->seen & key)
        return occurs_twice(row, start, scratch->text, length);
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

// ---- the row, as a record ----

// The member of the plan; NULL: it has none of this name. Rows mostly have the same order.
static const struct json_member *find_member(const struct json_plan *plan, const char *name,
                                             size_t length, size_t *next)
{
    const struct json_member *guess = &plan->members[*next < plan->count ? *next : 0];
    if (guess->length != length || memcmp(guess->name, name, length) != 0) {
        uint32_t place = table_find(&plan->names, name, length);
        if (place == TABLE_NONE)
            return NULL;
        guess = &plan->members[place];
    }
    *next = (size_t)(guess - plan->members) + 1;
    return guess;
}

// A number, true or false, as it is written.
static enum parse_result read_plain(struct named_row *row, const char **text, size_t *length)
{
    char c = json_peek(row);
    if (c == '-' || (c >= '0' && c <= '9'))
        return json_read_number(row, NULL, text, length);
    *text = row->cursor;
    *length = c == 'f' ? 5 : 4;
    return json_literal(row);
}

// --categorical: numbers, true and false are values like strings.
static enum parse_result add_category(struct named_row *row, const struct json_scratch *scratch,
                                      size_t name)
{
    const char *text;
    size_t length;
    TRY_PARSE(read_plain(row, &text, &length));
    // A model of CSV knows true and false as they were written there.
    static const char *const spelled[2][2] = {{"False", "FALSE"}, {"True", "TRUE"}};
    const struct schema *schema = row->parser->schema;
    const bool truth = text[0] == 't' || text[0] == 'f';
    size_t whole = extend(scratch, name, '=', text, length);
    for (size_t i = 0; truth && schema->frozen && schema_is_csv(schema) && i < 2 &&
                       schema_find(schema, scratch->name, whole) == SCHEMA_NONE;
         i++)
        extend(scratch, name, '=', spelled[text[0] == 't'][i], length);
    return add_one(row, scratch, whole);
}

// --numeric: a string has to be a number.
static enum parse_result add_number(struct named_row *row, const struct json_scratch *scratch,
                                    size_t name)
{
    const char *start = row->cursor, *text = start + 1, *end;
    char found[64], quoted[80];
    size_t length;
    double value;
    float kept;
    TRY_PARSE(json_string(row, scratch->text, &length));
    // A number has no escapes, so it is the text between the quotes.
    enum number_result result = number_parse(text, text + length, &value, &end);
    if (text[length] != '"' || result == NUMBER_NONE || end != text + length)
        return bad_row_set(row->bad, named_column(row, start),
                           "expected a number in member '%s', found '%s'",
                           error_quote(quoted, sizeof quoted, scratch->name, name),
                           error_quote(found, sizeof found, scratch->text, length));
    const char *problem = value_problem(result, value, &kept);
    if (problem)
        return bad_row_set(row->bad, named_column(row, start), "the value %s %s",
                           error_quote(found, sizeof found, text, length), problem);
    struct decimal exact = {0, 0, 0};
    if (row->parser->exact) {
        TRY_PARSE(named_decimal(row, text, end, &(struct decimal){1, 0, 0}, &exact));
        return named_add_exact(row, scratch->name, name, exact);
    }
    return named_add_copy(row, scratch->name, name, kept);
}

// The words of a string, or of a number, true or false as it is written.
static enum parse_result add_words(struct named_row *row, const struct json_scratch *scratch,
                                   const struct json_member *member, struct json_row *found)
{
    struct words_text text = {
        .text = scratch->words, .prefix = member->prefix, .prefix_length = member->prefix_length};
    char *rest = scratch->words;
    if (found->worded) // names may be pieces of what the scratch has
        TRY_PARSE(named_settle(row));
    found->worded = true;
    if (json_peek(row) == '"') {
        TRY_PARSE(json_string(row, scratch->words, &text.length));
        rest += text.length;
    } else {
        TRY_PARSE(read_plain(row, &text.text, &text.length));
    }
    return words_add(row, &text, rest);
}

// Whether the row had this member already.
static bool mark_seen(const struct json_plan *plan, const struct json_scratch *scratch,
                      const struct json_member *member)
{
    size_t place = (size_t)(member - plan->members);
    char bit = (char)(1 << place % 8);
    bool seen = scratch->seen[place / 8] & bit;
    scratch->seen[place / 8] |= bit;
    return seen;
}

static enum parse_result parse_record_member(struct named_row *row,
                                             const struct json_scratch *scratch,
                                             struct json_row *found)
{
    json_peek(row);
    const char *start = row->cursor;
    size_t name;
    TRY_PARSE(json_key(row, scratch->name, &name));
    const struct json_member *member =
        find_member(row->parser->members, scratch->name, name, &found->next);
    if (member && member->kind != COLUMN_IGNORED &&
        mark_seen(row->parser->members, scratch, member))
        return occurs_twice(row, start, scratch->name, name);
    char c = json_peek(row);
    if (!member || (member->by_type && c != 'n'))
        return add_value(row, scratch, name, 1);
    if (c == 'n' && member->kind == COLUMN_TEXT && row->parser->missing != MISSING_REFUSE)
        return json_literal(row); // no words
    if (c == 'n' && column_has_features(member->kind))
        return add_missing(row, scratch, name, member);
    bool nested = c == '{' || c == '[';
    switch (member->kind) {
    case COLUMN_LABEL:
        return parse_labels(row, scratch, &found->labelled);
    case COLUMN_IGNORED:
        return json_skip(row, scratch->text, 1);
    case COLUMN_TEXT:
        return nested ? add_value(row, scratch, name, 1) : add_words(row, scratch, member, found);
    case COLUMN_CATEGORICAL:
        return nested || c == '"' ? add_value(row, scratch, name, 1)
                                  : add_category(row, scratch, name);
    case COLUMN_NUMERIC:
        return c == '"' ? add_number(row, scratch, name) : add_value(row, scratch, name, 1);
    }
    return PARSE_BAD;
}

// ---- rows ----

static enum parse_result no_label(struct named_row *row, const char *start)
{
    const struct json_plan *plan = row->parser->members;
    char quoted[80];
    if (!plan || !plan->label)
        return bad_row_set(row->bad, named_column(row, start), "the row has no \"label\"");
    return bad_row_set(row->bad, named_column(row, start),
                       "the row has no \"%s\", which is the label",
                       error_quote(quoted, sizeof quoted, plan->label, strlen(plan->label)));
}

enum parse_result json_parse_row(struct named_row *row)
{
    const struct json_plan *plan = row->parser->members;
    size_t length = (size_t)(row->end - row->line);
    size_t text = length + JSON_STRING_SCRATCH;
    size_t name = length + NUMBER_SCRATCH * (JSON_DEPTH + 1);
    size_t words = words_scratch(row->parser->schema, length, plan ? plan->prefix_max : 0);
    size_t seen = plan ? plan->count / 8 + 1 : 0;
    if (!named_scratch(row, 2 * text + name + words + seen))
        return PARSE_MEMORY;
    char *bytes = row->batch->scratch.text;
    struct json_scratch scratch = {.name = bytes,
                                   .text = bytes + name,
                                   .words = bytes + name + text,
                                   .seen = bytes + name + 2 * text + words};
    memset(scratch.seen, 0, seen);
    struct json_row found = {.weight = 1};
    bool more, record = is_record(row->parser);
    if (json_peek(row) != '{')
        return named_expected(row, row->cursor, row->cursor + (row->cursor < row->end),
                              "an object such as {\"label\": \"spam\", \"text\": \"...\"}");
    const char *start = row->cursor;
    TRY_PARSE(json_open(row, '}', 0, &more));
    while (more) {
        TRY_PARSE((record ? parse_record_member : parse_member)(row, &scratch, &found));
        TRY_PARSE(json_next(row, '}', &more));
    }
    if (row->cursor < row->end)
        return named_expected(row, row->cursor, row->cursor + 1, "the end of the line");
    if (!found.labelled && row->parser->labelled)
        return no_label(row, start);
    if (!found.labelled)
        TRY_PARSE(row_label(row->parser, row->batch, NULL, 0));
    return row_weight(row->batch, found.weight) ? PARSE_OK : PARSE_MEMORY;
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
    while (end > start && (is_blank(end[-1]) || end[-1] == '\r' || end[-1] == '\n'))
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
    char *scratch = memory_new(size + JSON_STRING_SCRATCH, 1);
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
