// A network as a file says it: parts in any order, by name, each with its position in the file.
#ifndef TLU_LOGIC_NETWORK_DRAFT_H
#define TLU_LOGIC_NETWORK_DRAFT_H

#include "base/error.h"
#include "base/table.h"
#include "logic/network/network.h"
#include "tlu_logic.h"

#define NUMBER_MAX ((int64_t)1 << 62) // of a threshold, and of the sum of |weights| of a unit

struct file_position {
    uint64_t line, column;
};

struct located_name { // a piece of the file or of the scanner's room, and where it is
    const char *text;
    size_t length;
    struct file_position position;
};

enum definition_kind { DEFINED_NOT, DEFINED_INPUT, DEFINED_DELAY, DEFINED_UNIT };

// What a name stands for; a name that was met and not explained yet is unknown.
struct definition {
    enum definition_kind kind;
    size_t number;                 // among the inputs, delays or units, as they come
    struct file_position position; // where it is explained
};

struct draft_link {
    uint32_t from; // a symbol, as below
    int64_t weight;
    struct file_position position;
};

struct draft_unit {
    uint32_t symbol;
    size_t first, count; // links
    int64_t threshold;
    int64_t total; // of |weights|
};

struct draft_delay {
    uint32_t symbol, from;
    struct file_position position; // of `from`
    bool start;
};

struct draft_output {
    uint32_t from;
    struct file_position position;
};

struct draft {
    const char *path; // for messages
    struct table names;
    struct definition *definitions; // [names.count]
    uint32_t *inputs;               // [input_count] definitions
    struct draft_delay *delays;     // [delay_count]
    struct draft_unit *units;       // [unit_count]
    struct draft_link *links;       // [link_count]
    struct draft_output *outputs;   // [output_names.count]
    struct table output_names;
    size_t input_count, delay_count, unit_count, link_count;
    size_t definition_capacity, input_capacity, delay_capacity, unit_capacity, link_capacity,
        output_capacity;
};

tlu_status draft_input(struct draft *draft, struct located_name name, tlu_error *error);
tlu_status draft_delay(struct draft *draft, struct located_name name, struct located_name from,
                       bool start, tlu_error *error);
// A unit is begun, its links are added, and then its name and threshold.
tlu_status draft_begin_unit(struct draft *draft, tlu_error *error);
tlu_status draft_link(struct draft *draft, struct located_name from, int64_t weight,
                      tlu_error *error);
tlu_status draft_end_unit(struct draft *draft, struct located_name name, int64_t threshold,
                          tlu_error *error);
tlu_status draft_output(struct draft *draft, struct located_name name, struct located_name from,
                        tlu_error *error);

// Looks at it as a whole: every name is explained, no unit depends on itself but by a delay. Units
// that are in an order that fits keep it.
tlu_status draft_finish(const struct draft *draft, struct tlu_network **network, tlu_error *error);
void draft_free(struct draft *draft);

#endif
