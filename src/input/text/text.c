// Lines of text with a label: fastText's format, and a label, a tab and the text.
//
//     fastText:  { "__label__" label blank } text
//     text:      [ label tab ] text
//
// The text becomes words (words.h).

#include "input/csv/csv.h"
#include "input/text/words.h"

#include <string.h>

#define MARK "__label__"
#define MARK_SIZE (sizeof MARK - 1)

// The rest of the line. For a model of a table, it is the column of texts.
static enum parse_result parse_text(struct named_row *row)
{
    const struct csv_plan *plan = row->parser->plan;
    struct words_text text = {row->cursor, (size_t)(row->end - row->cursor), NULL, 0};
    for (size_t i = 0; plan && i < plan->count; i++)
        if (plan->columns[i].kind == COLUMN_TEXT) {
            text.prefix = plan->columns[i].prefix;
            text.prefix_length = plan->columns[i].prefix_length;
        }
    if (!row_weight(row->batch, 1) ||
        !named_scratch(row, words_scratch(row->parser->schema, text.length, text.prefix_length)))
        return PARSE_MEMORY;
    return words_add(row, &text, row->batch->scratch.text);
}

static enum parse_result check_label(struct named_row *row, const char *label, size_t length)
{
    if (!memchr(label, '\0', length))
        return PARSE_OK;
    return bad_row_set(row->bad, named_column(row, label), "expected a label, found a NUL byte");
}

// One of the labels of fastText.
static enum parse_result parse_label(struct named_row *row, const char *label, const char *end)
{
    size_t length = (size_t)(end - label);
    TRY_PARSE(check_label(row, label, length));
    if (!row->parser->schema->multilabel)
        return row_label(row->parser, row->batch, label, length);
    enum parse_result result = row_set_add(row->parser, row->batch, label, length);
    if (result == PARSE_BAD)
        bad_row_repeats(row->bad, named_column(row, label), label, length);
    return result;
}

static enum parse_result parse_fasttext_row(struct named_row *row)
{
    const struct parser *parser = row->parser;
    bool multilabel = parser->schema->multilabel;
    size_t labels = 0;
    for (;; labels++) {
        while (row->cursor < row->end && is_blank(*row->cursor))
            row->cursor++;
        const char *mark = row->cursor;
        if ((size_t)(row->end - mark) < MARK_SIZE || memcmp(mark, MARK, MARK_SIZE) != 0)
            break;
        const char *label = mark + MARK_SIZE;
        for (row->cursor = label; row->cursor < row->end && !is_blank(*row->cursor);)
            row->cursor++;
        if (row->cursor == label)
            return named_expected(row, label, label, "a label after " MARK);
        if (labels > 0 && !multilabel)
            return bad_row_several(parser, row->bad, named_column(row, mark));
        if (multilabel && labels == 0)
            TRY_PARSE(row_set_begin(row->batch));
        TRY_PARSE(parse_label(row, label, row->cursor));
    }
    if (multilabel && labels > 0)
        row_set_end(parser, row->batch);
    if (labels == 0 && parser->labelled)
        return bad_row_set(row->bad, named_column(row, row->cursor),
                           "expected a label such as " MARK "spam at the start of the row");
    if (labels == 0)
        TRY_PARSE(row_label(parser, row->batch, NULL, 0));
    return parse_text(row);
}

static enum parse_result parse_text_row(struct named_row *row)
{
    const char *tab = memchr(row->line, '\t', (size_t)(row->end - row->line));
    const char *label = row->line, *end = tab ? tab : label;
    while (label < end && *label == ' ')
        label++;
    while (end > label && end[-1] == ' ')
        end--;
    if (label == end && row->parser->labelled)
        return bad_row_set(row->bad, 1, "expected a label and a tab before the text");
    TRY_PARSE(check_label(row, label, (size_t)(end - label)));
    const struct parser *parser = row->parser;
    if (label < end && parser->schema->multilabel)
        TRY_PARSE(row_label_list(parser, row->batch, label, (size_t)(end - label),
                                 parser->separator, row->bad, named_column(row, label)));
    else
        TRY_PARSE(row_label(parser, row->batch, label < end ? label : NULL, (size_t)(end - label)));
    row->cursor = tab ? tab + 1 : row->line;
    return parse_text(row);
}

enum parse_result fasttext_parse(const struct parser *parser, const char *bytes, size_t size,
                                 struct batch *batch, struct bad_row *bad)
{
    return named_parse(parser, bytes, size, batch, bad, parse_fasttext_row);
}

enum parse_result text_parse(const struct parser *parser, const char *bytes, size_t size,
                             struct batch *batch, struct bad_row *bad)
{
    return named_parse(parser, bytes, size, batch, bad, parse_text_row);
}

// ---- recognition ----

static bool is_fasttext(const char *line, const char *end, void *context)
{
    (void)context;
    return (size_t)(end - line) > MARK_SIZE && memcmp(line, MARK, MARK_SIZE) == 0;
}

bool fasttext_recognise(const char *bytes, size_t size)
{
    return most_lines(bytes, size, is_fasttext, NULL);
}

// The labels of labelled text, as they come.
#define LABELS_MAX 32
struct label_sample {
    const char *texts[LABELS_MAX];
    size_t lengths[LABELS_MAX];
    size_t count;
    bool more;
    size_t rows;
};

static void count_label(struct label_sample *labels, const char *text, size_t length)
{
    size_t i = 0;
    while (i < labels->count &&
           (labels->lengths[i] != length || memcmp(labels->texts[i], text, length) != 0))
        i++;
    if (i == LABELS_MAX) {
        labels->more = true;
    } else if (i == labels->count) {
        labels->texts[i] = text;
        labels->lengths[i] = length;
        labels->count++;
    }
}

// One tab, a word before it and at least two after it.
static bool is_text(const char *line, const char *end, void *context)
{
    struct label_sample *labels = context;
    const char *tab = memchr(line, '\t', (size_t)(end - line));
    if (!tab || tab == line || memchr(tab + 1, '\t', (size_t)(end - tab) - 1) ||
        memchr(line, ' ', (size_t)(tab - line)) || !memchr(tab + 1, ' ', (size_t)(end - tab) - 1))
        return false;
    count_label(labels, line, (size_t)(tab - line));
    labels->rows++;
    return true;
}

// Labels come again: in a table of two columns what is before the tab may be anything.
bool text_recognise(const char *bytes, size_t size)
{
    struct label_sample labels = {0};
    return most_lines(bytes, size, is_text, &labels) && !labels.more &&
           2 * labels.count <= labels.rows;
}
