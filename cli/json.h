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

struct json json_open(FILE *file); // begins an object
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

// A note: an element of the array `notices` or, if it is NULL, a line on standard error.
void note(struct json *notices, const char *format, ...) __attribute__((format(printf, 2, 3)));

// A value by its type; an int is a flag, as in the structs of the library.
#define JSON_VALUE(json, key, value)                                                               \
    _Generic((value), double                                                                       \
             : json_number, bool                                                                   \
             : json_bool, int                                                                      \
             : json_bool, char *                                                                   \
             : json_text, const char *                                                             \
             : json_text, default                                                                  \
             : json_count)(json, key, value)

// Up to 8 members of a struct, each under its own name:
//     JSON_MEMBERS(&json, report, epochs, updates, converged);
#define JSON_MEMBERS(json, object, ...)                                                            \
    JSON_PICK(__VA_ARGS__, JSON_8, JSON_7, JSON_6, JSON_5, JSON_4, JSON_3, JSON_2, JSON_1, 0)      \
    (json, object, __VA_ARGS__)
#define JSON_PICK(a, b, c, d, e, f, g, h, picked, ...) picked
#define JSON_1(j, o, m) JSON_VALUE(j, #m, (o)->m)
#define JSON_2(j, o, m, ...) JSON_1(j, o, m), JSON_1(j, o, __VA_ARGS__)
#define JSON_3(j, o, m, ...) JSON_1(j, o, m), JSON_2(j, o, __VA_ARGS__)
#define JSON_4(j, o, m, ...) JSON_1(j, o, m), JSON_3(j, o, __VA_ARGS__)
#define JSON_5(j, o, m, ...) JSON_1(j, o, m), JSON_4(j, o, __VA_ARGS__)
#define JSON_6(j, o, m, ...) JSON_1(j, o, m), JSON_5(j, o, __VA_ARGS__)
#define JSON_7(j, o, m, ...) JSON_1(j, o, m), JSON_6(j, o, __VA_ARGS__)
#define JSON_8(j, o, m, ...) JSON_1(j, o, m), JSON_7(j, o, __VA_ARGS__)

#endif
