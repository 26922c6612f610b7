// Networks in the languages that they are written in, one file per language.
#ifndef TLU_LOGIC_NETWORK_WRITE_H
#define TLU_LOGIC_NETWORK_WRITE_H

#include "base/error.h"
#include "base/table.h"
#include "input/write.h"
#include "logic/network/network.h"
#include "tlu_logic.h"

// ---- names ----

// How a language spells names.
struct naming_rules {
    // Writes a name as the language has it into `out`, which has room for 4 * strlen(name) + 8
    // bytes. NULL: as it is.
    void (*spell)(char *out, const char *name);
    const char *const *reserved; // words that no signal may be called, up to NULL; NULL: none
    bool shared;                 // outputs must not be called as signals are
};

struct signal_names {
    char **signal; // [network_signals]
    char **output; // [outputs]
    // while they are made
    struct table taken;
    uint32_t *next; // [] of the names that are taken: the number that is put after it next
    size_t next_capacity;
    char *scratch;
    size_t scratch_capacity;
};

// False: out of memory; names_free either way. Inputs and outputs come first: they keep their
// names, if any do. Others that are alike get _2, _3, ... at their ends.
bool names_make(struct signal_names *names, const struct tlu_network *network,
                const struct naming_rules *naming);
void names_free(struct signal_names *names, const struct tlu_network *network);

// An identifier of C and Verilog: other bytes become '_', before a digit comes 'x', and it is cut.
void spell_identifier(char *out, const char *name);
// Bytes that are not UTF-8 become U+FFFD.
void spell_utf8(char *out, const char *name);

// ---- languages ----

struct emitter {
    const struct tlu_network *network;
    struct signal_names names;
    size_t column; // bytes of the line so far
    struct out buffer;
};

struct language {
    const char *name;
    struct naming_rules naming;
    bool (*write)(struct emitter *out); // false: out of memory
};

extern const struct language text_language, json_language, dot_language, verilog_language,
    c_language;

void emit_format(struct emitter *out, const char *format, ...) PRINTF_LIKE(2, 3);
// A text of any length.
void emit(struct emitter *out, const char *text);
// A name as the text form has it: as it is, or in double quotes.
void emit_name(struct emitter *out, const char *name);
// A blank, or a new line that begins with some if the next `length` bytes would go past LINE_LIMIT.
void emit_space(struct emitter *out, size_t length, int indent);
#define LINE_LIMIT 100

// ---- ranges of sums ----

struct extent {
    int64_t low, high; // the least and the largest sum
    int64_t most;      // the largest of |threshold| and the sum of |weights|: no part is larger
};

static inline int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

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

// Whether the unit's signal is always the same: then *value is.
static inline bool unit_is_constant(const struct unit *unit, bool *value)
{
    struct extent extent = unit_extent(unit);
    *value = unit->threshold <= extent.low;
    return *value || unit->threshold > extent.high;
}

#endif
