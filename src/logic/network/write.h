// Writes networks, one file per language.
#ifndef TLU_LOGIC_NETWORK_WRITE_H
#define TLU_LOGIC_NETWORK_WRITE_H

#include "base/error.h"
#include "input/write.h"
#include "logic/integers.h"
#include "logic/network/network.h"
#include "tlu_logic.h"

#define LINE_LIMIT 100 // bytes, if a line can be broken

struct emitter {
    const struct tlu_network *network;
    char **signal;  // [network_signals] names as the language writes them
    size_t *length; // [network_signals] of the name, without quotes and escapes
    char **output;  // [outputs] names as the language writes them
    size_t column;  // bytes of the line so far
    bool full;      // out of memory
    char *piece;    // scratch of emit
    size_t piece_capacity;
    char *quoted; // scratch of text_form
    size_t quoted_capacity;
    struct text_out buffer;
};

struct language {
    const char *name;
    // Writes a legal name to `out`, of 4 * strlen(name) + 8 bytes. NULL: all names are legal.
    void (*spell)(char *out, const char *name);
    // Adds quotes and escapes to a legal name: at most 6 * strlen(name) + 3 bytes. NULL: none.
    void (*quote)(char *out, const char *name);
    const char *const *reserved; // reserved words, ended by NULL; NULL: none
    bool shared;                 // outputs and signals share one namespace
    size_t named_max;            // more inputs than this are called inputs[0], ...; 0: never
    void (*write)(struct emitter *out);
};

extern const struct language text_language, json_language, dot_language, verilog_language,
    c_language;

// Spellings: an identifier of C and Verilog, in which other bytes become '_', 'x' is put before a
// digit, and long names are cut; and UTF-8, in which other bytes become U+FFFD.
void spell_identifier(char *out, const char *name);
void spell_utf8(char *out, const char *name);
// The text form of a name, in double quotes if needed.
void quote_text(char *out, const char *name);

void emit(struct emitter *out, const char *format, ...) PRINTF_LIKE(2, 3);
// A blank, or a line end and `indent` blanks if the next `length` bytes would pass LINE_LIMIT.
void emit_space(struct emitter *out, size_t length, int indent);
// The result of quote_text, valid until the next call.
const char *text_form(struct emitter *out, const char *name);

// The sign before a term of a sum.
static inline const char *term_sign(int64_t weight, bool first)
{
    return weight < 0 ? (first ? "-" : "- ") : first ? "" : "+ ";
}

// ---- ranges of sums ----

struct extent {
    int64_t low, high; // bounds of the sum
    int64_t most;      // max of |threshold| and the sum of |weights|
};

static inline struct extent unit_extent(const struct unit *unit)
{
    struct extent extent = {0};
    for (size_t i = 0; i < unit->count; i++) {
        int64_t weight = unit->links[i].weight;
        *(weight < 0 ? &extent.low : &extent.high) += weight;
    }
    int64_t total = extent.high - extent.low, threshold = magnitude(unit->threshold);
    extent.most = total > threshold ? total : threshold;
    return extent;
}

// Whether the signal of the unit is constant: *value.
static inline bool unit_is_constant(const struct unit *unit, bool *value)
{
    struct extent extent = unit_extent(unit);
    *value = unit->threshold <= extent.low;
    return *value || unit->threshold > extent.high;
}

#endif
