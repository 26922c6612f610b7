#include "input/json/objects.h"

#include "input/bytes.h"
#include "vector/cpu.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

const char *json_string_end(const char *at, const char *limit)
{
    while ((at = first_of(at, limit, '"', '\\', '\n')) < limit) {
        if (*at++ != '\\')
            return at;
        if (at < limit && *at != '\n')
            at++;
    }
    return limit;
}

// A place in an object.
struct brace_scan {
    const char *at, *limit;
    uint64_t inside; // all ones inside of a string
    size_t depth;
};

// Goes on to `stop` or past it, byte by byte; true: after the last brace.
static bool scan_bytes(struct brace_scan *scan, const char *stop)
{
    while (scan->at < stop) {
        char c = *scan->at++;
        if (scan->inside) {
            scan->inside = c == '"' || c == '\n' ? 0 : ~(uint64_t)0;
            scan->at += c == '\\' && scan->at < scan->limit && *scan->at != '\n';
        } else if (c == '"') {
            scan->inside = ~(uint64_t)0;
        } else if (c == '{') {
            scan->depth++;
        } else if (c == '}' && --scan->depth == 0) {
            return true;
        }
    }
    return false;
}

// The same for a block. One with escapes, or with a string that ends with its line, is left to
// scan_bytes. `either` is known where this is inlined, and inlined itself.
INLINE bool scan_block(struct brace_scan *scan, either_function *either)
{
    const char *block = scan->at;
    uint64_t inside = scan->inside, strings = scan_inside(either(block, '"', '"'), &inside);
    if (either(block, '\\', '\\') | (either(block, '\n', '\n') & strings))
        return scan_bytes(scan, block + BLOCK_BYTES);
    uint64_t braces = either(block, '{', '}') & ~strings, opening = either(block, '{', '{');
    scan->at = block + BLOCK_BYTES;
    scan->inside = inside;
    for (; braces; braces &= braces - 1) {
        uint64_t brace = braces & -braces;
        scan->depth += opening & brace ? 1 : -(size_t)1;
        if (scan->depth == 0) {
            scan->at = block + __builtin_ctzll(brace) + 1;
            return true;
        }
    }
    return false;
}

INLINE const char *object_end(const char *at, const char *limit, either_function *either)
{
    struct brace_scan scan = {.at = at, .limit = limit};
    while (limit - scan.at >= BLOCK_BYTES)
        if (scan_block(&scan, either))
            return scan.at;
    return scan_bytes(&scan, limit) ? scan.at : NULL;
}

static const char *object_end_plain(const char *at, const char *limit)
{
    return object_end(at, limit, either_plain);
}

BYTES_AVX2 static const char *object_end_avx2(const char *at, const char *limit)
{
    return object_end(at, limit, either_avx2);
}

const char *json_object_end(const char *at, const char *limit)
{
    return cpu_level() >= CPU_AVX2 ? object_end_avx2(at, limit) : object_end_plain(at, limit);
}

const char *json_value_end(const char *at, const char *limit)
{
    size_t depth = 0;
    while (at < limit) {
        char c = *at;
        if (depth == 0 && (c == ',' || c == '}' || c == ']'))
            return at;
        at++;
        if (c == '"')
            at = json_string_end(at, limit);
        depth += c == '{' || c == '[';
        depth -= depth && (c == '}' || c == ']');
    }
    return NULL;
}

// ---- how text is divided ----

enum json_rows json_rows_of(const char *bytes, size_t size, bool *sure)
{
    const char *limit = bytes + size, *at = json_skip_space(bytes, limit);
    *sure = at < limit;
    if (at == limit || *at != '{')
        return at < limit && *at == '[' ? JSON_ARRAY : JSON_LINES;
    const char *newline = memchr(at, '\n', (size_t)(limit - at));
    const char *end = json_object_end(at, newline ? newline : limit);
    if (end)
        return JSON_LINES;
    const char *next = newline ? json_skip_space(newline, limit) : limit;
    *sure = next < limit;
    if (next == limit)
        return JSON_LINES;
    // An object inside of another comes after a colon or in an array. Else the first line is
    // malformed, and the second is the next row.
    while (newline[-1] == ' ' || newline[-1] == '\t' || newline[-1] == '\r')
        newline--;
    bool nested = newline[-1] == ':' || newline[-1] == '[';
    return *next == '{' && !nested ? JSON_LINES : JSON_OBJECTS;
}

static bool is_object(const char *line, const char *end, void *context)
{
    (void)context;
    return *line == '{' && (end[-1] == '}' || (end - line > 1 && line[1] == '"'));
}

bool json_is_lines(const char *bytes, size_t size)
{
    return most_lines(bytes, size, is_object, NULL);
}

enum json_start json_start(const char *bytes, size_t size)
{
    const char *limit = bytes + size, *at = json_skip_space(bytes, limit);
    bool array = at < limit && *at == '[';
    if (array)
        at = json_skip_space(at + 1, limit);
    if (array && at < limit && *at == ']')
        return json_skip_space(at + 1, limit) == limit ? JSON_BEGINS : JSON_NOT;
    if (array && at < limit && *at == '[') {
        at = json_skip_space(at + 1, limit);
        bool value = at < limit && memchr("-0123456789\"[]", *at, 14);
        bool null = limit - at >= 4 && memcmp(at, "null", 4) == 0;
        return at == limit ? JSON_MAYBE : value || null ? JSON_BEGINS : JSON_NOT;
    }
    if (at == limit || *at != '{')
        return at == limit ? JSON_MAYBE : JSON_NOT;
    at = json_skip_space(at + 1, limit);
    if (at == limit || *at != '"')
        return at == limit ? JSON_MAYBE : array && *at == '}' ? JSON_BEGINS : JSON_NOT;
    at = json_skip_space(json_string_end(at + 1, limit), limit);
    return at == limit ? JSON_MAYBE : *at == ':' ? JSON_BEGINS : JSON_NOT;
}

bool jsonl_recognise(const char *bytes, size_t size)
{
    return json_is_lines(bytes, size) || json_start(bytes, size) == JSON_BEGINS;
}

// ---- rows ----

// After the object that ends at `at`: after the comma in an array. NULL: the row is not complete.
// *stray: something else follows.
static const char *row_end(enum json_rows rows, const char *at, const char *limit, bool *stray)
{
    at = json_skip_space(at, limit);
    *stray = false;
    if (rows != JSON_ARRAY)
        return at;
    if (at < limit && *at == ',')
        return json_skip_space(at + 1, limit);
    *stray = at < limit && (*at != ']' || json_skip_space(at + 1, limit) < limit);
    return NULL;
}

size_t json_complete(enum json_rows rows, const char *bytes, size_t size)
{
    const char *at = bytes, *limit = bytes + size;
    at = json_skip_space(at, limit);
    if (rows == JSON_ARRAY && at < limit && *at == '[')
        at = json_skip_space(at + 1, limit);
    for (const char *row = bytes; row; row = at) {
        size_t complete = (size_t)(row - bytes);
        bool stray = at < limit && *at != '{';
        at = stray || at == limit ? NULL : json_object_end(at, limit);
        if (at)
            at = row_end(rows, at, limit, &stray);
        if (!at)
            return stray ? size : complete;
    }
    return size;
}

const char *json_next_row(enum json_rows rows, const char **at, const char *limit, const char **row)
{
    *row = json_skip_space(*at, limit);
    while (*row < limit && **row != '{') { // a comma, or what the parser reports
        *at = rows == JSON_LINES ? memchr(*row, '\n', (size_t)(limit - *row)) : *row + 1;
        *row = *at ? json_skip_space(*at, limit) : limit;
    }
    const char *newline =
        rows == JSON_LINES && *row < limit ? memchr(*row, '\n', (size_t)(limit - *row)) : NULL;
    const char *end = newline ? newline : limit;
    *at = rows == JSON_LINES ? end : *row < limit ? json_object_end(*row, limit) : NULL;
    return *row < limit ? *at : NULL;
}

size_t json_overlong(enum json_rows rows, const char *bytes, size_t size, size_t longest)
{
    const char *at = bytes, *limit = bytes + size, *row, *end;
    while ((end = json_next_row(rows, &at, limit, &row)))
        if ((size_t)(end - row) > longest)
            return (size_t)(row - bytes);
    return (size_t)(limit - row) > longest ? (size_t)(row - bytes) : size;
}

// ---- other shapes ----

// The members of an object, by what they are.
struct object_shape {
    size_t members, objects, arrays;
    size_t alike;      // objects whose first key is that of the first
    size_t of_objects; // arrays whose first item is an object
    bool numbered;     // that key begins with a digit
};

static void note_value(struct object_shape *shape, const char *at, const char *limit,
                       const char **first)
{
    const char *inner = json_skip_space(at + 1, limit);
    shape->members++;
    shape->arrays += *at == '[';
    shape->of_objects += *at == '[' && inner < limit && *inner == '{';
    shape->objects += *at == '{';
    if (*at != '{' || inner == limit || *inner != '"')
        return;
    size_t length = (size_t)(json_string_end(inner + 1, limit) - inner);
    if (!*first)
        *first = inner;
    shape->alike += (size_t)(limit - *first) >= length && memcmp(*first, inner, length) == 0;
    shape->numbered = inner + 1 < limit && inner[1] >= '0' && inner[1] <= '9';
}

// The object may be incomplete.
static struct object_shape shape_of(const char *at, const char *limit)
{
    struct object_shape shape = {0};
    const char *first = NULL;
    at = json_skip_space(at + 1, limit);
    while (at && at < limit && *at == '"') {
        at = json_skip_space(json_string_end(at + 1, limit), limit);
        if (at == limit || *at != ':')
            break;
        at = json_skip_space(at + 1, limit);
        if (at == limit)
            break;
        note_value(&shape, at, limit, &first);
        at = json_value_end(at, limit);
        if (at && at < limit && *at == ',')
            at = json_skip_space(at + 1, limit);
    }
    return shape;
}

const char *json_other_shape(enum json_rows rows, const char *bytes, size_t size, bool ended,
                             bool settled)
{
    const char *limit = bytes + size, *at = json_skip_space(bytes, limit);
    if (rows == JSON_ARRAY && at < limit && *at != '{' && *at != ']')
        return "is a JSON array whose items are not objects: each row has to be an object such as "
               "{\"label\": \"spam\", \"length\": 7}; in pandas, DataFrame.to_json(FILE, "
               "orient=\"records\") writes that";
    if (rows == JSON_ARRAY || at == limit || *at != '{')
        return NULL;
    const char *end = json_object_end(at, limit);
    if (!ended || (end && json_skip_space(end, limit) < limit))
        return NULL; // there are more rows
    struct object_shape shape = shape_of(at, limit);
    bool tables = shape.objects > 1 && shape.objects == shape.members &&
                  shape.alike == shape.members && (shape.numbered || !settled);
    bool lists = shape.arrays > 1 && shape.arrays == shape.members && !settled;
    if (tables || (lists && !shape.of_objects))
        return "is one JSON object whose members are columns: each row has to be an object of its "
               "own; in pandas, DataFrame.to_json(FILE, orient=\"records\") writes an array of "
               "rows";
    if (shape.of_objects && !settled)
        return "is one JSON object that has an array of rows in one of its members; take the array "
               "out, for instance with jq '.NAME' FILE";
    return NULL;
}
