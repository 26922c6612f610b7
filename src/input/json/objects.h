// Where the rows of JSON text begin and end. A row is an object: one per line, or objects of any
// number of lines one after the other, or the objects of an array. An object ends where its braces
// close; braces in strings do not count. A string ends with its line: JSON has no newline in it.
//
// In an array the comma after an object belongs to its row, and the last row ends where the data
// ends. So a piece of the array that begins after a comma tells all that is wrong with it, however
// the array is cut into pieces.
#ifndef TLU_INPUT_JSON_OBJECTS_H
#define TLU_INPUT_JSON_OBJECTS_H

#include "input/parse.h"

// Steps over blanks and newlines.
static inline const char *json_skip_space(const char *at, const char *limit)
{
    while (at < limit && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    return at;
}

// After the string whose first quote is before `at`; the limit if it has no end.
const char *json_string_end(const char *at, const char *limit);
// After the value at `at`, which is not checked; NULL: it does not end.
const char *json_value_end(const char *at, const char *limit);
// After the object at `at`; NULL: it does not end.
const char *json_object_end(const char *at, const char *limit);

// How the text, which begins with its first row, is divided into rows. *sure: more text would not
// change that.
enum json_rows json_rows_of(const char *bytes, size_t size, bool *sure);
// Whether nearly all of the first lines look like objects.
bool json_is_lines(const char *bytes, size_t size);
// Whether text begins like a JSON object, or an array of objects or of arrays.
enum json_start { JSON_NOT, JSON_MAYBE /* it is too short to tell */, JSON_BEGINS };
enum json_start json_start(const char *bytes, size_t size);

// The size of the complete rows. All of it, if there is something between rows that the parser
// reports. The text may begin with the bracket of the array.
size_t json_complete(enum json_rows rows, const char *bytes, size_t size);
// The place of the first object that is longer than `longest`; `size`: none is.
size_t json_overlong(enum json_rows rows, const char *bytes, size_t size, size_t longest);

// Steps to the next row, which is from *row to the value returned; NULL: there is none. *at is
// where to look for it. Incomplete rows and what else is malformed are left out.
const char *json_next_row(enum json_rows rows, const char **at, const char *limit,
                          const char **row);

// What is wrong with JSON that is not a sequence of objects: NULL, or a sentence that says how to
// convert it. `ended`: there is no more text. `settled`: for a model, which may have read a single
// object before.
const char *json_other_shape(enum json_rows rows, const char *bytes, size_t size, bool ended,
                             bool settled);

#endif
