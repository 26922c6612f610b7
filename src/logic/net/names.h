// Names for the signals of a network as a language allows them, no two alike.
#ifndef TLU_LOGIC_NET_NAMES_H
#define TLU_LOGIC_NET_NAMES_H

#include "base/table.h"
#include "logic/network.h"
#include "tlu_logic.h"

// How a language spells names.
struct spelling {
    // Writes a name as the language has it into `out`, which has room for 4 * strlen(name) + 8
    // bytes. NULL: as it is.
    void (*spell)(char *out, const char *name);
    const char *const *reserved; // words that no signal may be called, up to NULL; NULL: none
    bool shared;                 // outputs must not be called as signals are
};

struct names {
    char **signal; // [network_signals]
    char **output; // [outputs]
    // while they are made
    struct table taken;
    uint32_t *next; // [] of the names that are taken: the number that is put after it next
    size_t next_capacity;
    char *room;
    size_t room_capacity;
};

// False: out of memory; names_free either way. Inputs and outputs come first: they keep their
// names, if any do. Others that are alike get _2, _3, ... at their ends.
bool names_make(struct names *names, const struct tlu_network *network,
                const struct spelling *spelling);
void names_free(struct names *names, const struct tlu_network *network);

// An identifier of C and Verilog: other bytes become '_', before a digit comes 'x', and it is cut.
void spell_identifier(char *out, const char *name);
// Bytes that are not UTF-8 become U+FFFD.
void spell_utf8(char *out, const char *name);

#endif
