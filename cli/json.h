// A small writer of JSON. Every value takes a key: its name in an object, NULL in an array.
#ifndef TLU_CLI_JSON_H
#define TLU_CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH 16

struct json {
    FILE *file;
    int depth;
    char closing[JSON_DEPTH]; // '}' or ']'
    bool empty[JSON_DEPTH];   // nothing in it so far
};

void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);
void json_end(struct json *json); // of the innermost object or array; the outermost ends the line

void json_text(struct json *json, const char *key, const char *text); // NULL gives null
void json_count(struct json *json, const char *key, uint64_t value);
void json_number(struct json *json, const char *key, double value); // null if not finite
void json_float(struct json *json, const char *key, double value);  // a value of the data
void json_bool(struct json *json, const char *key, bool value);
void json_whole(struct json *json, const char *key, int64_t value);
void json_numbers(struct json *json, const char *key, const double *values, size_t count);
void json_counts(struct json *json, const char *key, const uint64_t *values, size_t count);
// A value that is JSON already: its key, then its bytes without newlines.
void json_name(struct json *json, const char *key);
void json_raw(struct json *json, const char *bytes, size_t size);

#endif
