// A network as written in a file: parts in any order, by name, each with its position.
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

struct located_name { // bytes of the file or of the scanner's scratch
    const char *text;
    size_t length;
    struct file_position position;
};

enum definition_kind { DEFINED_NOT, DEFINED_INPUT, DEFINED_DELAY, DEFINED_UNIT };

// What a name stands for. A name that was used but not defined is DEFINED_NOT.
struct definition {
    enum definition_kind kind;
    size_t number;                 // among the inputs, delays or units, in file order
    struct file_position position; // of the definition
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
// A unit: begin, add its links, end with its name and threshold.
tlu_status draft_begin_unit(struct draft *draft, tlu_error *error);
tlu_status draft_link(struct draft *draft, struct located_name from, int64_t weight,
                      tlu_error *error);
tlu_status draft_end_unit(struct draft *draft, struct located_name name, int64_t threshold,
                          tlu_error *error);
tlu_status draft_output(struct draft *draft, struct located_name name, struct located_name from,
                        tlu_error *error);

// Checks that every name is defined and every cycle has a delay, and builds the network. Units keep
// their order if it is topological.
tlu_status draft_finish(const struct draft *draft, struct tlu_network **network, tlu_error *error);
void draft_free(struct draft *draft);

#endif
