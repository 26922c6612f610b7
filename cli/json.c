#include "json.h"

#include "text.h"

#include <math.h>
#include <string.h>

// The length of the UTF-8 character at `s`, 0 if there is no valid one: no stray or missing bytes,
// no overlong forms, no surrogates, nothing past U+10FFFF.
static size_t character_length(const unsigned char *s)
{
    size_t length = s[0] < 0x80 ? 1 : s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    if (length == 0 || s[0] > 0xF4)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) ||
        (s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F))
        return 0;
    return length;
}

static void write_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t length = character_length(s);
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
    begin_value(json, key);
    fputc(opening, json->file);
    json->closing[json->depth] = closing;
    json->empty[json->depth] = true;
    json->depth++;
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
    fprintf(json->file, "%llu", (unsigned long long)value);
}

void json_number(struct json *json, const char *key, double value)
{
    char text[NUMBER_SIZE];
    begin_value(json, key);
    fputs(isfinite(value) ? number_text(text, value) : "null", json->file);
}

void json_float(struct json *json, const char *key, double value)
{
    char text[NUMBER_SIZE];
    begin_value(json, key);
    fputs(isfinite(value) ? float_text(text, value) : "null", json->file);
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
