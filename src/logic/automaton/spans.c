// Sets of characters.
#include "base/memory.h"
#include "logic/automaton/syntax.h"

#include <stdlib.h>
#include <string.h>

bool spans_add(struct spans *spans, uint32_t first, uint32_t last)
{
    if (!memory_reserve(&spans->at, &spans->capacity, spans->count + 1, sizeof *spans->at))
        return false;
    spans->at[spans->count++] = (struct span){first, last, 0};
    return true;
}

static int by_first(const void *a, const void *b)
{
    uint32_t x = ((const struct span *)a)->first, y = ((const struct span *)b)->first;
    return (x > y) - (x < y);
}

// What lies between the spans. Bytes that are not UTF-8 count as a character after all others.
static bool negate(struct spans *spans)
{
    struct spans gaps = {0};
    uint32_t from = 0;
    bool enough = true;
    for (size_t i = 0; enough && i < spans->count; i++) {
        if (spans->at[i].first > from)
            enough = spans_add(&gaps, from, spans->at[i].first - 1);
        from = spans->at[i].last + 1;
    }
    enough = enough && spans_add(&gaps, from, POINT_INVALID);
    memory_free(spans->at);
    *spans = gaps;
    return enough;
}

bool spans_tidy(struct spans *spans, bool negated)
{
    size_t kept = 0;
    if (spans->count)
        qsort(spans->at, spans->count, sizeof *spans->at, by_first);
    for (size_t i = 0; i < spans->count; i++) {
        struct span span = spans->at[i];
        if (kept && span.first <= spans->at[kept - 1].last + 1) {
            if (span.last > spans->at[kept - 1].last)
                spans->at[kept - 1].last = span.last;
        } else {
            spans->at[kept++] = span;
        }
    }
    spans->count = kept;
    return !negated || negate(spans);
}

// The classes of POSIX, for ASCII: pairs of first and last character.
static const struct {
    const char *name, *pairs;
} classes[] = {
    {"alnum", "09AZaz"},   {"alpha", "AZaz"},   {"blank", "\t\t  "}, {"cntrl", "\x01\x1F\x7F\x7F"},
    {"digit", "09"},       {"graph", "!~"},     {"lower", "az"},     {"print", " ~"},
    {"punct", "!/:@[`{~"}, {"space", "\t\r  "}, {"upper", "AZ"},     {"xdigit", "09AFaf"},
    {"word", "09AZ__az"},
};

bool spans_add_class(struct spans *spans, const char *name, size_t length, bool *known)
{
    *known = false;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (strlen(classes[i].name) != length || memcmp(classes[i].name, name, length) != 0)
            continue;
        *known = true;
        for (const char *pair = classes[i].pairs; *pair; pair += 2)
            if (!spans_add(spans, (unsigned char)pair[0], (unsigned char)pair[1]))
                return false;
        return strcmp(classes[i].name, "cntrl") != 0 || spans_add(spans, 0, 0);
    }
    return true;
}

bool spans_add_escape(struct spans *spans, char letter, bool *known)
{
    static const char letters[] = "dws";
    static const char *const names[] = {"digit", "word", "space"};
    const char *found = letter ? strchr(letters, letter | 0x20) : NULL;
    *known = found != NULL;
    if (!found)
        return true;
    const char *name = names[found - letters];
    bool negated = !(letter & 0x20);
    return spans_add_class(spans, name, strlen(name), known) &&
           (!negated || spans_tidy(spans, true));
}
