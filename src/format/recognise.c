#include "format/recognise.h"

#include "format/csv/csv.h"
#include "number/number.h"

#include <string.h>

#define SAMPLE_LINES 200

enum entry_look { NO_ENTRY, NEARLY_ENTRY, ENTRY };

// index:number, or at least a number, a colon and something behind it.
static enum entry_look look_at_word(const char *word, size_t length)
{
    const char *end = word + length, *colon = word;
    bool sign = colon < end && (*colon == '-' || *colon == '+');
    colon += sign;
    const char *digits = colon;
    while (colon < end && *colon >= '0' && *colon <= '9')
        colon++;
    if (colon == digits || colon == end || *colon != ':')
        return NO_ENTRY;
    double value;
    return !sign && number_whole(colon + 1, (size_t)(end - colon) - 1, &value) ? ENTRY
                                                                               : NEARLY_ENTRY;
}

// The best look of the words of a line; *words counts them.
static enum entry_look look_at_line(const char *line, const char *end, size_t *words)
{
    enum entry_look best = NO_ENTRY;
    *words = 0;
    while (line < end) {
        while (line < end && (*line == ' ' || *line == '\t' || *line == '\r'))
            line++;
        if (line == end || *line == '#')
            break;
        const char *word = line;
        while (line < end && *line != ' ' && *line != '\t' && *line != '\r')
            line++;
        enum entry_look look = look_at_word(word, (size_t)(line - word));
        if (look > best)
            best = look;
        ++*words;
    }
    return best;
}

// A time of day in the last column of CSV looks like an entry behind a label. So where commas,
// semicolons or pipes are there in the same number in every line, two or more, or one of them with
// a first line that has no entries, it is CSV.
static bool splits_evenly(const char *bytes, size_t size, bool has_header)
{
    const char *limit = bytes + size;
    for (const char *delimiter = ",;|"; *delimiter; delimiter++) {
        size_t expected = 0, sampled = 0;
        bool even = true;
        for (const char *line = bytes; even && line < limit && sampled < SAMPLE_LINES; sampled++) {
            const char *newline = memchr(line, '\n', (size_t)(limit - line));
            const char *end = newline ? newline : limit;
            size_t count = 0;
            for (const char *at = line; at < end; at++)
                count += *at == *delimiter;
            if (sampled == 0)
                expected = count;
            even = count == expected || end - line <= 1;
            line = newline ? newline + 1 : limit;
        }
        if (even && sampled > 1 && expected >= (has_header ? 1 : 2))
            return true;
    }
    return false;
}

static bool rows_of_entries(const char *bytes, size_t size, enum data_format *format)
{
    const char *limit = bytes + size;
    size_t entries = 0, nearly = 0, others = 0, sampled = 0;
    for (const char *line = bytes; line < limit && sampled < SAMPLE_LINES; sampled++) {
        const char *newline = memchr(line, '\n', (size_t)(limit - line));
        const char *end = newline ? newline : limit;
        size_t words;
        enum entry_look look = look_at_line(line, end, &words);
        entries += look == ENTRY;
        nearly += look == NEARLY_ENTRY;
        others += look == NO_ENTRY && words > 1;
        line = newline ? newline + 1 : limit;
    }
    if (entries > 0 && entries >= others && !splits_evenly(bytes, size, others > 0)) {
        *format = DATA_LIBSVM;
        return true;
    }
    char delimiter = csv_delimiter(bytes, size);
    if (nearly > 0 && (delimiter == '\0' || delimiter == ' ')) {
        *format = DATA_LIBSVM;
        return true;
    }
    *format = DATA_CSV;
    return delimiter != '\0';
}

// ---- formats of named features ----

// Rows have to look like one format for it to be taken: a few that do not may be malformed.
struct tally {
    size_t lines, json, fasttext, vw, text;
    const char *labels[32]; // of labelled text, as they come
    size_t lengths[32];
    size_t label_count;
    bool many_labels;
};

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
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    *word = at;
    while (at < end && *at != ' ' && *at != '\t')
        at++;
    return at;
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

// A bar that opens a namespace, "|f", is Vowpal Wabbit's, and so is one behind two numbers. One
// with blanks around it may be CSV's: it counts where it is the only one, with a number or nothing
// before it and words behind it.
static bool is_vw(const char *line, const char *end)
{
    const char *bar = memchr(line, '|', (size_t)(end - line)), *word;
    size_t numbers;
    if (!bar || !is_vw_head(line, bar, &numbers))
        return false;
    if (numbers >= 2)
        return true;
    bool alone = !memchr(bar + 1, '|', (size_t)(end - bar) - 1);
    for (const char *at = bar; at; at = memchr(at + 1, '|', (size_t)(end - at) - 1)) {
        bool blank_before = at == line || at[-1] == ' ' || at[-1] == '\t';
        bool blank_behind = at + 1 == end || at[1] == ' ' || at[1] == '\t' || at[1] == '|';
        if (blank_before && !blank_behind)
            return true;
    }
    const char *first_end = next_word(line, bar, &word);
    bool plain = first_end == word || (first_end < bar && is_label_list(word, first_end));
    if (!alone || !plain || bar + 1 == end || (bar[1] != ' ' && bar[1] != '\t'))
        return false;
    const char *behind = next_word(bar + 1, end, &word);
    return behind > word && !is_number(word, behind);
}

// One tab, a word before it and at least two behind it.
static bool is_text(const char *line, const char *end, struct tally *tally)
{
    const char *tab = memchr(line, '\t', (size_t)(end - line));
    if (!tab || tab == line || memchr(tab + 1, '\t', (size_t)(end - tab) - 1) ||
        memchr(line, ' ', (size_t)(tab - line)) || !memchr(tab + 1, ' ', (size_t)(end - tab) - 1))
        return false;
    size_t length = (size_t)(tab - line), i = 0;
    while (i < tally->label_count &&
           (tally->lengths[i] != length || memcmp(tally->labels[i], line, length) != 0))
        i++;
    if (i == sizeof tally->labels / sizeof tally->labels[0]) {
        tally->many_labels = true;
    } else if (i == tally->label_count) {
        tally->labels[i] = line;
        tally->lengths[i] = length;
        tally->label_count++;
    }
    return true;
}

static void tally_line(struct tally *tally, const char *line, const char *end)
{
    while (end > line && (end[-1] == '\r' || end[-1] == ' '))
        end--;
    while (line < end && *line == ' ')
        line++;
    if (line == end)
        return;
    tally->lines++;
    tally->json += *line == '{' && (end[-1] == '}' || (end - line > 1 && line[1] == '"'));
    tally->fasttext += end - line > 9 && memcmp(line, "__label__", 9) == 0;
    tally->vw += is_vw(line, end);
    tally->text += is_text(line, end, tally);
}

bool recognise_format(const char *bytes, size_t size, enum data_format *format)
{
    struct tally tally = {0};
    const char *limit = bytes + size;
    for (const char *line = bytes; line < limit && tally.lines < SAMPLE_LINES;) {
        const char *newline = memchr(line, '\n', (size_t)(limit - line));
        tally_line(&tally, line, newline ? newline : limit);
        line = newline ? newline + 1 : limit;
    }
    size_t most = tally.lines - tally.lines / 8; // what it takes to be recognised
    bool labels_repeat = !tally.many_labels && 2 * tally.label_count <= tally.text;
    if (tally.lines && tally.json >= most)
        *format = DATA_JSONL;
    else if (tally.lines && tally.fasttext >= most)
        *format = DATA_FASTTEXT;
    else if (tally.lines && tally.vw >= most)
        *format = DATA_VW;
    else if (tally.text && tally.text >= most && labels_repeat)
        *format = DATA_TEXT;
    else
        return rows_of_entries(bytes, size, format);
    return true;
}
