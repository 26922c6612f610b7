#include "input/foreign.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *start;
    size_t length;
    const char *sentence;
} starts[] = {
    {"\xFF\xFE", 2, "the text is UTF-16: save it as UTF-8"},
    {"\xFE\xFF", 2, "the text is UTF-16: save it as UTF-8"},
    {"\xFD"
     "7zXZ",
     5, "is packed by xz: unpack it first (xzcat FILE | tlu ... -)"},
    {"\x89TLU\r\n\x1A\n", 8,
     "is a tlu model, not data: predict, eval, explain, plot, inspect and learn take it as MODEL"},
    {"PK\x03\x04", 4, "is a zip file or a workbook (.xlsx): unpack it, or save the sheet as CSV"},
    {"\xD0\xCF\x11\xE0", 4, "is an old workbook (.xls): save the sheet as CSV"},
    {"PAR1\x15", 5, "is Parquet: save it as CSV"},
    {"\x93NUMPY", 6, "is an array of NumPy: save it as CSV with numpy.savetxt"},
};

// ARFF, Weka's format: comments with %, then @relation.
static bool is_arff(const char *bytes, size_t size)
{
    static const char word[] = "@relation";
    const char *at = bytes, *limit = bytes + size;
    while (at < limit && (*at == '%' || *at == '\n' || *at == '\r')) {
        const char *newline = memchr(at, '\n', (size_t)(limit - at));
        at = newline ? newline + 1 : limit;
    }
    return (size_t)(limit - at) >= strlen(word) && strncasecmp(at, word, strlen(word)) == 0;
}

const char *foreign_format(const char *bytes, size_t size)
{
    if (size >= 10 && memcmp(bytes, "BZh", 3) == 0 && memcmp(bytes + 4, "1AY&SY", 6) == 0)
        return "is packed by bzip2: unpack it first (bzcat FILE | tlu ... -)";
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (size >= starts[i].length && memcmp(bytes, starts[i].start, starts[i].length) == 0)
            return starts[i].sentence;
    if (is_arff(bytes, size))
        return "is ARFF: remove the lines up to @data and it is CSV (the label last); "
               "--header "
               "no says that the columns then have no names";
    const char *end = memchr(bytes, '\r', size);
    if (end && end + 1 < bytes + size && end[1] != '\n' && !memchr(bytes, '\n', size))
        return "its lines end with a carriage return alone, as on old Macs: tr '\\r' '\\n' < FILE "
               "turns them into newlines";
    return NULL;
}
