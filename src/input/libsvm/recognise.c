// Whether text is LIBSVM by its looks.

#include "input/csv/csv.h"
#include "input/sample.h"
#include "numeric/number.h"

#include <string.h>

enum entry_look { NO_ENTRY, NEARLY_ENTRY, ENTRY };

// index:number, or at least a number, a colon and something after it.
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

// A time of day in the last column of CSV looks like an entry after a label. So it is CSV if every
// line has the same number of commas, semicolons or pipes: two or more, or one if there are lines
// without entries.
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

bool libsvm_recognise(const char *bytes, size_t size)
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
    if (entries > 0 && entries >= others && !splits_evenly(bytes, size, others > 0))
        return true;
    char delimiter = nearly > 0 ? csv_delimiter(bytes, size) : ',';
    return delimiter == '\0' || delimiter == ' ';
}
