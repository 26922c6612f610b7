// Vowpal Wabbit's text format (docs/formats.md lists what differs):
//
//     row       = [label [importance [base]]] [tag] { namespace }
//     tag       = a word that touches the first "|" or begins with "'"
//     namespace = "|" [ name [":" weight] ] { blank feature }
//     feature   = name [":" value] | ":" value
//
// Fields are separated by blanks (spaces and tabs); names have no blank, ":" or "|". The feature
// `a` of namespace `n` is called `n^a`, that of no namespace `a`. A value that is not a number
// makes the feature `name=value`.

#include "input/ids.h"
#include "input/vw/quick.h"
#include "numeric/number.h"
#include "vector/cpu.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIELDS_MAX 4 // before the first bar

struct vw_field {
    const char *text, *end;
};

// The end of the word at `text`: a blank or `limit`.
static const char *word_end(const char *text, const char *limit)
{
    while (text < limit && !is_blank(*text))
        text++;
    return text;
}

// The end of a name: a blank, ":" or "|".
static const char *name_end(const char *text, const char *limit)
{
    while (text < limit && !is_blank(*text) && *text != ':' && *text != '|')
        text++;
    return text;
}

// The words before the bar, without the tag.
static enum parse_result split_fields(struct named_row *row, const char *bar,
                                      struct vw_field *fields, size_t *count)
{
    *count = 0;
    for (const char *at = row->line; at < bar;) {
        while (at < bar && is_blank(*at))
            at++;
        const char *end = word_end(at, bar);
        if (end == at)
            break;
        bool last = end == bar || strspn(end, " \t") == (size_t)(bar - end);
        if (end == bar || (last && *at == '\'')) {
            if (*count == 0 && row->parser->labelled && *at != '\'')
                return bad_row_set(row->bad, named_column(row, at),
                                   "the row has no label: a word that touches the '|' is a tag");
            break;
        }
        if (*count == FIELDS_MAX - 1)
            return named_expected(row, at, end,
                                  "label, importance, base and a tag that touches the '|'");
        fields[(*count)++] = (struct vw_field){at, end};
        at = end;
    }
    return PARSE_OK;
}

// A finite number that is all of the field.
static enum parse_result parse_number(struct named_row *row, struct vw_field field,
                                      const char *what, float *value)
{
    double number = 0;
    const char *end;
    enum number_result result = number_parse(field.text, field.end, &number, &end);
    if (result == NUMBER_NONE || end != field.end)
        return named_expected(row, field.text, field.end, what);
    const char *problem = value_problem(result, number, value);
    char found[64];
    if (problem)
        return bad_row_set(
            row->bad, named_column(row, field.text), "the value %s %s",
            error_quote(found, sizeof found, field.text, (size_t)(field.end - field.text)),
            problem);
    return PARSE_OK;
}

// One label, or with --multilabel several, as in "2,5".
static enum parse_result parse_label(struct named_row *row, struct vw_field field)
{
    size_t length = (size_t)(field.end - field.text);
    if (memchr(field.text, ':', length))
        return named_expected(row, field.text, field.end,
                              "a label (labels with costs or actions are not read)");
    size_t column = named_column(row, field.text);
    if (row->parser->schema->multilabel)
        return row_label_list(row->parser, row->batch, field.text, length, ",", row->bad, column);
    if (is_number_list(field.text, length))
        return bad_row_several(row->parser, row->bad, column);
    return row_label(row->parser, row->batch, field.text, length);
}

// What stands before the first bar.
static enum parse_result parse_head(struct named_row *row, const char *bar)
{
    struct vw_field fields[FIELDS_MAX];
    size_t count;
    static const char importance[] = "an importance (a number of 0 or more)";
    TRY_PARSE(split_fields(row, bar, fields, &count));
    if (count == 0 && row->parser->labelled)
        return bad_row_set(row->bad, 1, "expected a label before the '|'");
    float weight = 1, base;
    TRY_PARSE(count ? parse_label(row, fields[0]) : row_label(row->parser, row->batch, NULL, 0));
    if (count > 1)
        TRY_PARSE(parse_number(row, fields[1], importance, &weight));
    if (weight < 0)
        return named_expected(row, fields[1].text, fields[1].end, importance);
    if (count > 2) // for regression on what is left over: of no use here
        TRY_PARSE(
            parse_number(row, fields[2], "a number for the base (a tag touches the '|')", &base));
    return row_weight(row->batch, weight) ? PARSE_OK : PARSE_MEMORY;
}

// ---- features ----

// The name in the scratch, after that of the namespace.
static size_t put_name(struct named_row *row, const struct namespace *space, const char *name,
                       size_t length)
{
    memcpy(row->batch->scratch.text + space->prefix, name, length);
    return space->prefix + length;
}

// ":" and a number, or a text that becomes part of the name. The name is in the scratch.
static enum parse_result parse_value(struct named_row *row, const struct namespace *space,
                                     size_t *length, bool *is_text, float *value,
                                     struct decimal *exact)
{
    const char *text = ++row->cursor, *end = text;
    while (end < row->end && !is_blank(*end) && *end != '|')
        end++;
    row->cursor = end;
    *is_text = false;
    double number = 0;
    const char *stop;
    enum number_result result = number_parse(text, end, &number, &stop);
    bool part = stop != end && (result == NUMBER_NONE || result == NUMBER_SPECIAL);
    if (text < end && part) { // "paris", "nantes"
        char *out = row->batch->scratch.text + *length;
        out[0] = '=';
        memcpy(out + 1, text, (size_t)(end - text));
        *length += 1 + (size_t)(end - text);
        *is_text = true;
        *value = 1;
        *exact = (struct decimal){1, 0, 0};
        return PARSE_OK;
    }
    enum parse_result parsed =
        parse_number(row, (struct vw_field){text, end}, "a number or a text after ':'", value);
    *value *= space->weight;
    if (parsed == PARSE_OK && isinf(*value))
        return bad_row_set(row->bad, named_column(row, text),
                           "the value times that of the namespace is too large: values go up to "
                           "3.4e38");
    if (parsed == PARSE_OK && row->parser->exact)
        return named_decimal(row, text, end, &space->exact, exact);
    return parsed;
}

enum parse_result vw_feature(struct named_row *row, struct namespace *space)
{
    const char *name = row->cursor;
    row->cursor = name_end(name, row->end);
    size_t length = put_name(row, space, name, (size_t)(row->cursor - name));
    bool nameless = row->cursor == name, is_text = false;
    float value = space->weight;
    struct decimal exact = space->exact;
    if (row->cursor < row->end && *row->cursor == ':') {
        TRY_PARSE(parse_value(row, space, &length, &is_text, &value, &exact));
    }
    if (nameless && !is_text) // the n-th of them is called n, from 0
        length += (size_t)sprintf(row->batch->scratch.text + length, "%u", space->nameless++);
    if (row->parser->exact)
        return named_add_exact(row, row->batch->scratch.text, length, exact);
    return named_add_copy(row, row->batch->scratch.text, length, value);
}

static enum parse_result features_by_rules(struct named_row *row, struct namespace *space)
{
    while (row->cursor < row->end && *row->cursor != '|') {
        if (is_blank(*row->cursor))
            row->cursor++;
        else
            TRY_PARSE(vw_feature(row, space));
    }
    return PARSE_OK;
}

// "|" and what follows up to the next one.
static enum parse_result parse_namespace(struct named_row *row, vw_features *features)
{
    struct namespace space = {.weight = 1, .exact = {1, 0, 0}};
    const char *name = ++row->cursor;
    if (name < row->end && *name == ':')
        return named_expected(row, name, word_end(name, row->end),
                              "a namespace or a blank after '|'");
    row->cursor = name_end(name, row->end);
    if (row->cursor - name > NAMED_PATH_MAX)
        return bad_row_set(row->bad, named_column(row, name),
                           "the name of the namespace is longer than %d bytes", NAMED_PATH_MAX);
    if (row->cursor > name) {
        space.prefix = put_name(row, &space, name, (size_t)(row->cursor - name));
        row->batch->scratch.text[space.prefix++] = '^';
    }
    if (row->cursor < row->end && *row->cursor == ':') {
        const char *text = ++row->cursor;
        row->cursor = name_end(text, row->end);
        TRY_PARSE(parse_number(row, (struct vw_field){text, row->cursor},
                               "a number after the namespace", &space.weight));
        if (row->parser->exact)
            TRY_PARSE(
                named_decimal(row, text, row->cursor, &(struct decimal){1, 0, 0}, &space.exact));
        if (row->cursor < row->end && *row->cursor == ':')
            return named_expected(row, row->cursor, row->cursor + 1, "a blank");
    }
    return row->parser->exact ? features_by_rules(row, &space) : features(row, &space);
}

static enum parse_result parse_row(struct named_row *row, vw_features *features)
{
    size_t length = (size_t)(row->end - row->line);
    const char *nul = memchr(row->line, '\0', length);
    if (nul)
        return bad_row_set(row->bad, named_column(row, nul), "expected text, found a NUL byte");
    const char *bar = memchr(row->line, '|', length);
    if (!bar)
        return named_expected(row, row->end, row->end, "'|' before the features");
    // A name is made of pieces of the line, "^" or "=", and a number.
    if (!named_scratch(row, length + 32))
        return PARSE_MEMORY;
    TRY_PARSE(parse_head(row, bar));
    row->cursor = bar;
    while (row->cursor < row->end)
        TRY_PARSE(parse_namespace(row, features));
    return PARSE_OK;
}

static enum parse_result row_by_rules(struct named_row *row)
{
    return parse_row(row, features_by_rules);
}

static enum parse_result row_plain(struct named_row *row)
{
    return parse_row(row, vw_features_plain);
}

static enum parse_result row_avx2(struct named_row *row)
{
    return parse_row(row, vw_features_avx2);
}

enum parse_result vw_parse_by(enum vw_way way, const struct parser *parser, const char *bytes,
                              size_t size, struct batch *batch, struct bad_row *bad)
{
    bool avx2 = cpu_level() >= CPU_AVX2 && way == VW_BEST;
    return named_parse(parser, bytes, size, batch, bad,
                       way == VW_RULES ? row_by_rules
                       : avx2          ? row_avx2
                                       : row_plain);
}

enum parse_result vw_parse(const struct parser *parser, const char *bytes, size_t size,
                           struct batch *batch, struct bad_row *bad)
{
    return vw_parse_by(VW_BEST, parser, bytes, size, batch, bad);
}

// ---- recognition ----

static bool is_number(const char *text, const char *end)
{
    double value;
    return number_whole(text, (size_t)(end - text), &value);
}

// A number, or several with commas between.
static bool is_label_list(const char *text, const char *end)
{
    if (is_number(text, end))
        return true;
    while (text < end && ((*text >= '0' && *text <= '9') || *text == ','))
        text++;
    return text == end;
}

static const char *next_word(const char *at, const char *end, const char **word)
{
    while (at < end && is_blank(*at))
        at++;
    *word = at;
    return word_end(at, end);
}

// Before the first bar: a label, numbers, and a tag that touches the bar or begins with a quote.
static bool is_vw_head(const char *line, const char *bar, size_t *numbers)
{
    const char *word, *at = line;
    size_t words = 0;
    *numbers = 0;
    while ((at = next_word(at, bar, &word)) > word) {
        bool tag = at == bar || *word == '\'';
        if (words > 0 && !tag && !is_number(word, at))
            return false;
        *numbers += !tag && is_number(word, at);
        words++;
    }
    return words <= 4;
}

// A bar that opens a namespace, "|f", is Vowpal Wabbit's, and so is one after two numbers. One
// with blanks around it may be CSV's: it counts if it is the only one, with a number or nothing
// before it and words after it.
static bool is_row(const char *line, const char *end, void *context)
{
    const char *bar = memchr(line, '|', (size_t)(end - line)), *word;
    size_t numbers;
    (void)context;
    if (!bar || !is_vw_head(line, bar, &numbers))
        return false;
    if (numbers >= 2)
        return true;
    bool alone = !memchr(bar + 1, '|', (size_t)(end - bar) - 1);
    for (const char *at = bar; at; at = memchr(at + 1, '|', (size_t)(end - at) - 1)) {
        bool blank_before = at == line || is_blank(at[-1]);
        bool blank_after = at + 1 == end || is_blank(at[1]) || at[1] == '|';
        if (blank_before && !blank_after)
            return true;
    }
    const char *first_end = next_word(line, bar, &word);
    bool plain = first_end == word || (first_end < bar && is_label_list(word, first_end));
    if (!alone || !plain || bar + 1 == end || !is_blank(bar[1]))
        return false;
    const char *after = next_word(bar + 1, end, &word);
    return after > word && !is_number(word, after);
}

bool vw_recognise(const char *bytes, size_t size)
{
    return most_lines(bytes, size, is_row, NULL);
}

// ---- --id ----

// The word that touches the bar, or the last before it, if that begins with an apostrophe.
bool vw_row_id(struct ids *ids, const struct id_source *source, const char *row, size_t size)
{
    (void)source;
    const char *bar = memchr(row, '|', size), *end = bar ? bar : row, *tag;
    while (end > row && is_blank(end[-1]))
        end--;
    for (tag = end; tag > row && !is_blank(tag[-1]); tag--)
        continue;
    bool quoted = tag < end && *tag == '\'';
    if (!quoted && end != bar)
        return ids_put(ids, "", 0);
    return ids_put(ids, tag + quoted, (size_t)(end - tag) - quoted);
}
