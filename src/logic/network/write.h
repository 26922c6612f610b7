// Writes networks, one file per language.
#ifndef TLU_LOGIC_NETWORK_WRITE_H
#define TLU_LOGIC_NETWORK_WRITE_H

#include "base/error.h"
#include "base/table.h"
#include "input/write.h"
#include "logic/integers.h"
#include "logic/network/network.h"
#include "tlu_logic.h"

// ---- names ----

// The rules of a language for names.
struct naming_rules {
    // Writes a legal name to `out`, of 4 * strlen(name) + 8 bytes. NULL: all names are legal.
    void (*spell)(char *out, const char *name);
    const char *const *reserved; // reserved words, ended by NULL; NULL: none
    bool shared;                 // outputs and signals share one namespace
};

struct signal_names {
    char **signal; // [network_signals]
    char **output; // [outputs]
    // during names_make
    struct table taken;
    uint32_t *next; // [taken] the next suffix of each name
    size_t next_capacity;
    char *scratch;
    size_t scratch_capacity;
};

// An identifier of C and Verilog: other bytes become '_', 'x' is put before a digit, and long names
// are cut.
void spell_identifier(char *out, const char *name);
// Bytes that are not UTF-8 become U+FFFD.
void spell_utf8(char *out, const char *name);

// ---- languages ----

struct emitter {
    const struct tlu_network *network;
    struct signal_names names;
    size_t column; // bytes of the line so far
    struct text_out buffer;
};

struct language {
    const char *name;
    struct naming_rules naming;
    bool (*write)(struct emitter *out); // false: out of memory
};

extern const struct language text_language, json_language, dot_language, verilog_language,
    c_language;

void emit_format(struct emitter *out, const char *format, ...) PRINTF_LIKE(2, 3);
// Text of any length.
void emit(struct emitter *out, const char *text);
// A name in the text form, in double quotes if needed.
void emit_name(struct emitter *out, const char *name);
// A blank, or a line end and `indent` blanks if the next `length` bytes would pass LINE_LIMIT.
void emit_space(struct emitter *out, size_t length, int indent);
#define LINE_LIMIT 100

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
