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

#include "input/bytes.h"
#include "input/ids.h"
#include "input/named.h"
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

// ---- marks: the bytes that end a name, as bits, the first byte in the lowest ----

struct marks {
    uint64_t blanks, others; // ":" and "|"
};

typedef struct marks marks_function(const char *block); // BLOCK_BYTES

static struct marks marks_plain(const char *block)
{
    return (struct marks){either_plain(block, ' ', '\t'), either_plain(block, ':', '|')};
}

BYTES_AVX2 static struct marks marks_avx2(const char *block)
{
    return (struct marks){either_avx2(block, ' ', '\t'), either_avx2(block, ':', '|')};
}

// The marks of a block of which the first `size` bytes count, and bytes from `limit` on may not be
// read; the other bits are 0.
static inline struct marks marks_before(marks_function *marks_of, const char *block, size_t size,
                                        const char *limit)
{
    size_t left = (size_t)(limit - block);
    char copy[BLOCK_BYTES] = {0};
    if (left < BLOCK_BYTES)
        block = memcpy(copy, block, left);
    struct marks marks = marks_of(block);
    uint64_t counted = size >= BLOCK_BYTES ? UINT64_MAX : ((uint64_t)1 << size) - 1;
    return (struct marks){marks.blanks & counted, marks.others & counted};
}

// ---- features ----

struct namespace
{
    size_t prefix; // bytes of its name and "^" in the scratch
    float weight;
    struct decimal exact; // the weight as it is written
    uint32_t nameless;    // features without a name so far
    marks_function *marks;
};

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

static enum parse_result parse_feature(struct named_row *row, struct namespace *space)
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

// Up to the next bar, by the rules alone.
static enum parse_result parse_exactly(struct named_row *row, struct namespace *space)
{
    while (row->cursor < row->end && *row->cursor != '|') {
        if (is_blank(*row->cursor))
            row->cursor++;
        else
            TRY_PARSE(parse_feature(row, space));
    }
    return PARSE_OK;
}

// ---- features as they usually are ----

static enum parse_result add_joined(struct named_row *row, const struct namespace *space,
                                    const char *name, size_t length, float value)
{
    if (length <= TABLE_INLINE && row->limit - name >= TABLE_INLINE)
        memcpy(row->batch->scratch.text + space->prefix, name, TABLE_INLINE);
    else
        put_name(row, space, name, length);
    return named_add_copy(row, row->batch->scratch.text, space->prefix + length, value);
}

static inline enum parse_result add_feature(struct named_row *row, const struct namespace *space,
                                            const char *name, size_t length, float value)
{
    if (space->prefix)
        return add_joined(row, space, name, length, value);
    return named_add(row, name, length, value);
}

// Whether there is a number from `text` to `end` that is a value without any doubt.
static bool quick_value(const struct namespace *space, const char *text, const char *end,
                        float *value)
{
    double number;
    const char *stop;
    if (number_parse(text, end, &number, &stop) != NUMBER_OK || stop != end)
        return false;
    *value = (float)number * space->weight;
    return fabsf(*value) < 1e38f;
}

// Names with blanks between, and a block that begins with one or with a blank: those that end in
// it. Afterwards row->cursor is after the last.
static enum parse_result parse_names(struct named_row *row, const char *block, uint64_t blanks)
{
    uint64_t after_blank = blanks << 1 | 1;
    struct named_edges edges = {~blanks & after_blank, blanks & ~after_blank};
    TRY_PARSE(named_reserve(row));
    ptrdiff_t start = edges.starts ? __builtin_ctzll(edges.starts) : 0;
    edges.starts &= edges.starts - 1;
    row->cursor = block + (64 - __builtin_clzll(blanks));
    named_put_all(row, edges, start, block, row->cursor);
    return PARSE_OK;
}

// The features that begin in the block. Goes on from mark to mark; what is not a name or a name
// with a number is left to the rules. row->cursor is where the next feature or blank may begin.
static enum parse_result parse_block(struct named_row *row, struct namespace *space,
                                     const char *block, uint64_t marks)
{
    const char *name = row->cursor;
    while (marks) {
        const char *at = block + __builtin_ctzll(marks), *name_end = at;
        float value = space->weight;
        marks &= marks - 1;
        if (*at == ':') {
            const char *end = marks ? block + __builtin_ctzll(marks) : at;
            if (name == at || end == at || *end == ':' ||
                !quick_value(space, at + 1, end, &value)) {
                row->cursor = name;
                return parse_feature(row, space);
            }
            at = end;
            marks &= marks - 1;
        }
        row->cursor = at;
        if (name_end > name)
            TRY_PARSE(add_feature(row, space, name, (size_t)(name_end - name), value));
        if (*at == '|')
            return PARSE_OK;
        row->cursor = name = at + 1;
    }
    return PARSE_OK;
}

// Up to the next bar.
static enum parse_result parse_features(struct named_row *row, struct namespace *space)
{
    const char *block = row->cursor;
    bool plain = space->prefix == 0 && space->weight == 1;
    while (block < row->end && *row->cursor != '|') {
        const char *before = row->cursor;
        struct marks marks =
            marks_before(space->marks, block, (size_t)(row->end - block), row->limit);
        if (plain && block == before && marks.blanks && !marks.others)
            TRY_PARSE(parse_names(row, block, marks.blanks));
        else
            TRY_PARSE(parse_block(row, space, block, marks.blanks | marks.others));
        block = row->cursor > before ? row->cursor : block + BLOCK_BYTES;
    }
    const char *name = row->cursor;
    if (block < row->end || name == row->end)
        return PARSE_OK;
    row->cursor = row->end;
    return add_feature(row, space, name, (size_t)(row->end - name), space->weight);
}

// "|" and what follows up to the next one.
static enum parse_result parse_namespace(struct named_row *row)
{
    struct namespace space = {.weight = 1,
                              .exact = {1, 0, 0},
                              .marks = cpu_level() >= CPU_AVX2 ? marks_avx2 : marks_plain};
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
    return row->parser->exact ? parse_exactly(row, &space) : parse_features(row, &space);
}

static enum parse_result parse_row(struct named_row *row)
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
        TRY_PARSE(parse_namespace(row));
    return PARSE_OK;
}

enum parse_result vw_parse(const struct parser *parser, const char *bytes, size_t size,
                           struct batch *batch, struct bad_row *bad)
{
    return named_parse(parser, bytes, size, batch, bad, parse_row);
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
