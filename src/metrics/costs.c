#include "metrics/costs.h"

#include "base/file.h"
#include "base/memory.h"
#include "numeric/number.h"

#include <math.h>
#include <string.h>

#define FILE_MAX ((size_t)1 << 30)
#define WANTED                                                                                     \
    "one line per class with one number per class, lines and numbers in the order in "             \
    "which tlu eval prints the classes"

static bool is_cost(double value)
{
    return value >= 0 && isfinite(value);
}

bool costs_are_two(const char *text, double *false_positive, double *false_negative)
{
    const char *colon = strchr(text, ':');
    return colon && number_whole(text, (size_t)(colon - text), false_positive) &&
           number_whole(colon + 1, strlen(colon + 1), false_negative);
}

static tlu_status set_two(const char *text, double false_positive, double false_negative,
                          size_t classes, size_t positive, double *costs, tlu_error *error)
{
    if (!is_cost(false_positive) || !is_cost(false_negative))
        return error_input(error, "--costs: a cost is 0 or more, not as in '%.80s'", text);
    if (classes != 2)
        return error_input(
            error, "--costs FP:FN is for two classes, and there are %zu; give a file with " WANTED,
            classes);
    costs[(1 - positive) * 2 + positive] = false_positive;
    costs[positive * 2 + 1 - positive] = false_negative;
    return TLU_OK;
}

// ---- a matrix ----

struct matrix_text {
    const char *path, *start, *end; // start: of the rest
    const char *begin;              // of the line
    uint64_t line;
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == ',' || c == ';';
}

// The next line that has something on it; false: there is none.
static bool next_line(struct matrix_text *text, const char **line, const char **end)
{
    while (text->start < text->end) {
        const char *newline = memchr(text->start, '\n', (size_t)(text->end - text->start));
        *line = text->begin = text->start;
        *end = newline ? newline : text->end;
        text->start = newline ? newline + 1 : text->end;
        text->line++;
        while (*line < *end && is_space(**line))
            ++*line;
        if (*line < *end && **line != '#')
            return true;
    }
    return false;
}

static tlu_status read_line(const struct matrix_text *text, const char *line, const char *end,
                            size_t classes, double *costs, tlu_error *error)
{
    char quoted[80];
    size_t count = 0;
    while (line < end) {
        const char *word = line;
        double value;
        while (line < end && !is_space(*line))
            line++;
        if (!number_whole(word, (size_t)(line - word), &value) || !is_cost(value))
            return error_at(error, text->path, text->line, (uint64_t)(word - text->begin) + 1,
                            "a cost is a number, 0 or more, not '%s'",
                            error_quote(quoted, sizeof quoted, word, (size_t)(line - word)));
        if (count < classes)
            costs[count] = value;
        count++;
        while (line < end && is_space(*line))
            line++;
    }
    if (count != classes)
        return error_at(error, text->path, text->line, 0,
                        "has %zu costs, and there are %zu classes: a cost matrix is " WANTED, count,
                        classes);
    return TLU_OK;
}

tlu_status costs_parse(const char *path, const char *bytes, size_t size, size_t classes,
                       double *costs, tlu_error *error)
{
    struct matrix_text text = {path, bytes, bytes + size, bytes, 0};
    size_t rows = 0;
    const char *line, *end;
    for (; next_line(&text, &line, &end); rows++)
        if (rows < classes)
            TRY(read_line(&text, line, end, classes, costs + rows * classes, error));
    if (rows != classes)
        return error_at(error, path, 0, 0,
                        "has %zu lines of costs, and there are %zu classes: a cost matrix "
                        "is " WANTED,
                        rows, classes);
    return TLU_OK;
}

static tlu_status read_costs(const char *text, size_t classes, size_t positive, double *costs,
                             tlu_error *error)
{
    double two[2];
    unsigned char *bytes;
    size_t size;
    if (costs_are_two(text, &two[0], &two[1]))
        return set_two(text, two[0], two[1], classes, positive, costs, error);
    if (file_read(text, FILE_MAX, file_check_text, &bytes, &size, error) != TLU_OK) {
        char why[300] = "";
        if (error)
            memcpy(why, error->text, sizeof why - 1);
        return error_input(error, "--costs is FP:FN or a file with a cost matrix, such as 1:5: %s",
                           why);
    }
    tlu_status status = costs_parse(text, (const char *)bytes, size, classes, costs, error);
    memory_free(bytes);
    return status;
}

tlu_status costs_read(const char *text, size_t classes, size_t positive, double **out,
                      tlu_error *error)
{
    *out = NULL;
    double *costs = memory_new(classes * classes, sizeof *costs);
    TRY(enough_memory(costs, error));
    tlu_status status = read_costs(text, classes, positive, costs, error);
    if (status == TLU_OK)
        *out = costs;
    else
        memory_free(costs);
    return status;
}
