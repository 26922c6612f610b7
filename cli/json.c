#include "json.h"

#include "text.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

static void write_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t length = character_length((const char *)s, 4);
        if (length == 0) {
            fputs("\xEF\xBF\xBD", file); // U+FFFD, the replacement character
            length = 1;
        } else if (*s == '"' || *s == '\\') {
            fprintf(file, "\\%c", *s);
        } else if (*s < 32 || *s == 127) {
            fprintf(file, "\\u%04x", *s);
        } else {
            fwrite(s, 1, length, file);
        }
        s += length;
    }
    fputc('"', file);
}

// The comma and the key before a value.
static void begin_value(struct json *json, const char *key)
{
    if (json->depth > 0) {
        bool *empty = &json->empty[json->depth - 1];
        if (!*empty)
            fputs(", ", json->file);
        *empty = false;
    }
    if (key) {
        write_string(json->file, key);
        fputs(": ", json->file);
    }
}

static void open_level(struct json *json, const char *key, char opening, char closing)
{
    assert(json->depth < JSON_DEPTH);
    begin_value(json, key);
    fputc(opening, json->file);
    json->closing[json->depth] = closing;
    json->empty[json->depth] = true;
    json->depth++;
}

struct json json_open(FILE *file)
{
    struct json json = {.file = file};
    json_object(&json, NULL);
    return json;
}

void json_object(struct json *json, const char *key)
{
    open_level(json, key, '{', '}');
}

void json_array(struct json *json, const char *key)
{
    open_level(json, key, '[', ']');
}

void json_end(struct json *json)
{
    assert(json->depth > 0);
    fputc(json->closing[--json->depth], json->file);
    if (json->depth == 0)
        fputc('\n', json->file);
}

void json_text(struct json *json, const char *key, const char *text)
{
    begin_value(json, key);
    if (text)
        write_string(json->file, text);
    else
        fputs("null", json->file);
}

void json_count(struct json *json, const char *key, uint64_t value)
{
    begin_value(json, key);
    fprintf(json->file, "%llu", ULL(value));
}

void json_number(struct json *json, const char *key, double value)
{
    begin_value(json, key);
    fputs(isfinite(value) ? number_text(value) : "null", json->file);
}

void json_float(struct json *json, const char *key, double value)
{
    begin_value(json, key);
    fputs(isfinite(value) ? float_text(value) : "null", json->file);
}

void json_bool(struct json *json, const char *key, bool value)
{
    begin_value(json, key);
    fputs(value ? "true" : "false", json->file);
}

void json_whole(struct json *json, const char *key, int64_t value)
{
    begin_value(json, key);
    fprintf(json->file, "%lld", (long long)value);
}

void json_numbers(struct json *json, const char *key, const double *values, size_t count)
{
    json_array(json, key);
    for (size_t i = 0; i < count; i++)
        json_number(json, NULL, values[i]);
    json_end(json);
}

void json_counts(struct json *json, const char *key, const uint64_t *values, size_t count)
{
    json_array(json, key);
    for (size_t i = 0; i < count; i++)
        json_count(json, NULL, values[i]);
    json_end(json);
}

void json_name(struct json *json, const char *key)
{
    begin_value(json, key);
}

void json_raw(struct json *json, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != '\n')
            fputc(bytes[i], json->file);
}

void note(struct json *notices, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (notices)
        json_text(notices, NULL, text);
    else
        fprintf(stderr, "note: %s\n", text);
}
