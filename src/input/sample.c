#include "input/sample.h"

#include "data/hash.h"
#include "numeric/exp_log.h"
#include "numeric/number.h"

#include <string.h>
#include <strings.h>

#define FEW_VALUES 20 // with fewer, whether values repeat does not tell much
#define LONG_WORDS 5  // words of a value that is a text even if values repeat
#define COUNTED 100   // rows from which on a column that counts them is not a coincidence

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void sample_add(struct column_sample *column, const char *text, size_t length)
{
    double number;
    uint64_t hash = hash_name(text, length) % SAMPLE_BITS, words = 0;
    column->values++;
    column->seen[hash / 64] |= (uint64_t)1 << hash % 64;
    if (number_whole(text, length, &number)) {
        column->steps += column->numbers && number == column->last + 1;
        column->last = number;
        column->numbers++;
        return;
    }
    for (size_t i = 0; i < length; i++)
        words += !is_blank(text[i]) && (i == 0 || is_blank(text[i - 1]));
    column->words += words;
    column->blanks += words > 1;
}

// The number of different values, estimated by linear counting (Whang, Vander-Zanden and Taylor
// 1990): of m bits, m exp(-n / m) are expected to be 0 after n values.
static double distinct_values(const struct column_sample *column)
{
    unsigned zeros = SAMPLE_BITS;
    for (size_t i = 0; i < SAMPLE_BITS / 64; i++)
        zeros -= (unsigned)__builtin_popcountll(column->seen[i]);
    double share = (double)(zeros ? zeros : 1) / SAMPLE_BITS;
    return -SAMPLE_BITS * same_log(share);
}

bool sample_is_text(const struct column_sample *column)
{
    double values = (double)column->values, distinct = distinct_values(column);
    bool is_long = (double)column->words >= LONG_WORDS * values;
    if (column->values == 0 || 2 * column->blanks < column->values)
        return false;
    if (column->values < FEW_VALUES)
        return is_long;
    return 2 * distinct >= values || (distinct > FEW_VALUES && is_long);
}

// ---- identifiers ----

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), n = strlen(end);
    return length > n && strcmp(name + length - n, end) == 0;
}

bool sample_is_identifier(const struct column_sample *column, bool named)
{
    static const char *const names[] = {"id",    "uuid",   "guid",       "index",
                                        "rowid", "row_id", "row_number", "Unnamed: 0"};
    static const char *const ends[] = {"_id", "_ID", " id", " ID", "-id", "Id", "ID"};
    // Each number but the first is one more than the one before.
    bool counts = column->numbers > 1 && column->numbers == column->values &&
                  column->steps == column->numbers - 1;
    if (counts && column->numbers >= COUNTED)
        return true;
    for (size_t i = 0; named && i < sizeof names / sizeof names[0]; i++)
        if (strcasecmp(column->name, names[i]) == 0)
            return true;
    // The estimate of distinct values is off by a few percent.
    bool differ = column->blanks == 0 && column->values >= FEW_VALUES &&
                  distinct_values(column) >= 0.9 * (double)column->values;
    for (size_t i = 0; named && differ && i < sizeof ends / sizeof ends[0]; i++)
        if (ends_with(column->name, ends[i]))
            return true;
    return false;
}

// ---- the label ----

static const char *const usual_labels[] = {
    "label",     "class",     "target", "y",       "labels", "survived",
    "species",   "outcome",   "churn",  "churned", "exited", "default",
    "diagnosis", "sentiment", "spam",   "is_spam", "fraud",  "is_fraud"};

const char *sample_usual_label(size_t index)
{
    return index < sizeof usual_labels / sizeof usual_labels[0] ? usual_labels[index] : NULL;
}

bool sample_is_usual_label(const char *name)
{
    const char *usual;
    for (size_t i = 0; (usual = sample_usual_label(i)); i++)
        if (strcasecmp(name, usual) == 0)
            return true;
    return false;
}

// is_..., has_... with two values: an answer to a question, as a label is.
static bool is_answer(const struct column_sample *column)
{
    bool question =
        strncasecmp(column->name, "is_", 3) == 0 || strncasecmp(column->name, "has_", 4) == 0;
    return question && column->values > 0 && distinct_values(column) < 2.5;
}

size_t sample_find_label(const struct column_sample *columns, size_t count, const bool *open,
                         enum label_reason *reason)
{
    const char *usual;
    size_t answers = 0, last = count - 1, found = count;
    *reason = LABEL_BY_NAME;
    for (size_t k = 0; (usual = sample_usual_label(k)); k++)
        for (size_t i = 0; i < count; i++)
            if (open[i] && strcasecmp(columns[i].name, usual) == 0)
                return i;
    bool text = false;
    for (size_t i = 0; i < count; i++)
        text = text || (open[i] && sample_is_text(&columns[i]));
    for (size_t i = 0; text && i < count; i++) // the export of a well-known spreadsheet of messages
        if (open[i] && strcasecmp(columns[i].name, "v1") == 0 && !sample_is_text(&columns[i]))
            return i;
    for (size_t i = 0; i < count; i++)
        if (open[i] && is_answer(&columns[i])) {
            answers++;
            found = i;
        }
    if (answers == 1)
        return found;
    *reason = LABEL_LAST;
    while (last > 0 && (!open[last] || sample_is_text(&columns[last])))
        last--;
    return open[last] && !sample_is_text(&columns[last]) ? last : count - 1;
}
