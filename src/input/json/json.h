// JSON (RFC 8259), strictly, piece by piece: the caller knows what it expects next. Nothing
// is allocated.
#ifndef TLU_INPUT_JSON_JSON_H
#define TLU_INPUT_JSON_JSON_H

#include "input/named.h"

#define JSON_DEPTH 64          // of nested objects and arrays
#define JSON_STRING_SCRATCH 12 // bytes that json_string needs besides those that are left

// All read at row->cursor, step over blanks before and after it, and leave the cursor after these.

// The next character, NUL at the end of the row.
char json_peek(struct named_row *row);
enum parse_result json_expect(struct named_row *row, char c);
// A string, decoded into `out`, which has JSON_STRING_SCRATCH bytes more than are left of the row.
// "\u0000" is refused: no text here has a NUL. Lone surrogates are refused.
enum parse_result json_string(struct named_row *row, char *out, size_t *length);
// A number; *text is as it is written. A value that is asked for has to fit a float.
enum parse_result json_read_number(struct named_row *row, double *value, const char **text,
                                   size_t *length);
// true, false or null, by its first character.
enum parse_result json_literal(struct named_row *row);
// Any value, which is checked and passed over; `depth` objects and arrays are around it.
enum parse_result json_skip(struct named_row *row, char *scratch, int depth);

// A row: an object by "label", "text", "features" and "weight", or a record. (lines.c)
named_function json_parse_row;

// After an item of an object or array: steps over "," and sets *more, or over `close`.
enum parse_result json_next(struct named_row *row, char close, bool *more);
// At the start of one: steps over the opening character; *more tells whether it has items.
enum parse_result json_open(struct named_row *row, char close, int depth, bool *more);
// "key": with the colon.
enum parse_result json_key(struct named_row *row, char *out, size_t *length);

#endif
