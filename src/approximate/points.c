#include "approximate/points.h"
#include "approximate/formula.h"
#include "base/file.h"
#include "base/memory.h"
#include "numeric/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX ((uint64_t)1 << 24)
#define VALUE_MAX 1e150 // so that squares are finite

static bool points_new(struct fit_points *points, size_t count)
{
    points->x = memory_new(count, sizeof *points->x);
    points->y = memory_new(count, sizeof *points->y);
    return points->x && points->y;
}

void points_free(struct fit_points *points)
{
    memory_free(points->x);
    memory_free(points->y);
}

size_t points_distinct(const struct fit_points *points)
{
    size_t count = points->count > 0;
    for (size_t i = 1; i < points->count; i++)
        count += points->x[i] > points->x[i - 1];
    return count;
}

// ---- a formula

static tlu_status not_finite(const struct formula *formula, double x, bool pole, tlu_error *error)
{
    char reason[FORMULA_REASON_SIZE], place[32];
    number_print_as(place, sizeof place, 'g', 6, x);
    return error_input(error,
                       "the function is not finite %s x = %s%s%s; choose an interval without "
                       "this place (--from, --to)",
                       pole ? "near" : "at", place, pole ? "" : ": ",
                       pole ? ", where it divides by 0" : formula_reason(formula, x, reason));
}

static tlu_status sample(struct fit_points *points, const struct formula *formula, double from,
                         double to, size_t count, tlu_error *error)
{
    double pole;
    for (size_t i = 0; i < count; i++) {
        double share = (double)i / (double)(count - 1);
        double x = i + 1 == count ? to : from + share * (to - from);
        points->x[i] = x;
        points->y[i] = formula_value(formula, x);
        if (!isfinite(points->y[i]))
            return not_finite(formula, x, false, error);
        if (fabs(points->y[i]) > VALUE_MAX)
            return error_input(error,
                               "the function is larger than 1e150 at x = %.6g; choose "
                               "another interval (--from, --to)",
                               x);
        points->count++;
    }
    for (size_t i = 1; i < count; i++)
        if (formula_has_pole(formula, points->x[i - 1], points->x[i], &pole))
            return not_finite(formula, pole, true, error);
    return TLU_OK;
}

tlu_status points_of_formula(struct fit_points *points, const char *text, double from, double to,
                             size_t count, tlu_error *error)
{
    struct formula formula = {.count = 0};
    tlu_status status = formula_read(&formula, text, error);
    if (status == TLU_OK)
        status = enough_memory(points_new(points, count), error);
    if (status == TLU_OK)
        status = sample(points, &formula, from, to, count, error);
    formula_free(&formula);
    return status;
}

// ---- a file

struct xy_reader {
    const char *path;
    const char *start, *end; // the line without its line break
    uint64_t line;
    size_t capacity_x, capacity_y;
    tlu_error *error;
};

static tlu_status fail_at(const struct xy_reader *reader, const char *at, const char *reason)
{
    return error_at(reader->error, reader->path, reader->line, (uint64_t)(at - reader->start) + 1,
                    "%s", reason);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

// Reads one number and the separator after it.
static tlu_status read_number(const struct xy_reader *reader, const char **at, bool last,
                              double *value)
{
    char reason[200], quoted[60];
    const char *end, *stop;
    *at = skip_blanks(*at, reader->end);
    for (stop = *at; stop < reader->end && !strchr(",;\t ", *stop); stop++)
        continue;
    enum number_result result = number_parse(*at, reader->end, value, &end);
    error_quote(quoted, sizeof quoted, *at, (size_t)(stop - *at));
    if (*at == reader->end)
        return fail_at(reader, *at, "expected two numbers, x and y; add the missing one");
    if (result != NUMBER_OK || end != stop) {
        snprintf(reason, sizeof reason, "'%s' is not a finite number; write x and y as numbers",
                 quoted);
        return fail_at(reader, *at, reason);
    }
    if (fabs(*value) > VALUE_MAX)
        return fail_at(reader, *at, "the number is larger than 1e150; use a smaller unit");
    *at = skip_blanks(end, reader->end);
    if (!last && *at < reader->end && (**at == ',' || **at == ';'))
        ++*at;
    else if (last && *at < reader->end)
        return fail_at(reader, *at,
                       "expected the end of the row after x and y; remove what "
                       "follows");
    return TLU_OK;
}

// Whether the first field of the line is not a number: a heading.
static bool is_heading(const struct xy_reader *reader)
{
    double value;
    const char *at = skip_blanks(reader->start, reader->end), *end;
    enum number_result result = number_parse(at, reader->end, &value, &end);
    return result == NUMBER_NONE && at < reader->end && !strchr("+-.", *at);
}

static tlu_status read_row(struct xy_reader *reader, struct fit_points *points, double from,
                           double to)
{
    double x = 0, y = 0;
    const char *at = reader->start;
    TRY(read_number(reader, &at, false, &x));
    TRY(read_number(reader, &at, true, &y));
    if (x < from || x > to)
        return TLU_OK;
    if (points->count == POINTS_MAX)
        return fail_at(reader, reader->start, "there are more than 10,000 rows; give fewer");
    size_t needed = points->count + 1;
    if (!memory_reserve(&points->x, &reader->capacity_x, needed, sizeof *points->x) ||
        !memory_reserve(&points->y, &reader->capacity_y, needed, sizeof *points->y))
        return error_memory(reader->error);
    points->x[points->count] = x;
    points->y[points->count++] = y;
    return TLU_OK;
}

static tlu_status read_rows(struct xy_reader *reader, struct fit_points *points, const char *text,
                            const char *limit, double from, double to)
{
    bool first = true;
    if (limit - text >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3;
    while (text < limit) {
        const char *newline = memchr(text, '\n', (size_t)(limit - text));
        reader->start = text;
        reader->end = newline ? newline : limit;
        text = newline ? newline + 1 : limit;
        reader->line++;
        if (reader->end > reader->start && reader->end[-1] == '\r')
            reader->end--;
        if (skip_blanks(reader->start, reader->end) == reader->end)
            continue;
        if (!(first && is_heading(reader)))
            TRY(read_row(reader, points, from, to));
        first = false;
    }
    return TLU_OK;
}

struct pair {
    double x, y;
};

static int by_x(const void *a, const void *b)
{
    const struct pair *one = a, *other = b;
    if (one->x != other->x)
        return one->x < other->x ? -1 : 1;
    return (one->y > other->y) - (one->y < other->y);
}

static bool sort_points(struct fit_points *points)
{
    struct pair *pairs = memory_new(points->count, sizeof *pairs);
    if (!pairs)
        return false;
    for (size_t i = 0; i < points->count; i++)
        pairs[i] = (struct pair){points->x[i], points->y[i]};
    qsort(pairs, points->count, sizeof *pairs, by_x);
    for (size_t i = 0; i < points->count; i++) {
        points->x[i] = pairs[i].x;
        points->y[i] = pairs[i].y;
    }
    memory_free(pairs);
    return true;
}

tlu_status points_of_file(struct fit_points *points, const char *path, double from, double to,
                          tlu_error *error)
{
    struct xy_reader reader = {.path = path, .error = error};
    unsigned char *bytes;
    size_t size;
    TRY(file_read(path, BYTES_MAX, file_check_text, &bytes, &size, error));
    tlu_status status =
        read_rows(&reader, points, (const char *)bytes, (const char *)bytes + size, from, to);
    memory_free(bytes);
    TRY(status);
    if (points->count == 0)
        return error_input(error, "%s: there are no rows of x and y%s; give at least two",
                           error_file_name(path),
                           isfinite(from) || isfinite(to) ? " between --from and --to" : "");
    TRY(enough_memory(sort_points(points), error));
    if (points_distinct(points) < 2)
        return error_input(error, "%s: all rows have the same x; give at least two values of x",
                           error_file_name(path));
    return TLU_OK;
}
