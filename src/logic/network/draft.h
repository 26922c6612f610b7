// A network as written in a file: parts in any order, by name, each with its position.
#ifndef TLU_LOGIC_NETWORK_DRAFT_H
#define TLU_LOGIC_NETWORK_DRAFT_H

#include "base/error.h"
#include "base/table.h"
#include "logic/network/network.h"

#define NUMBER_MAX ((int64_t)1 << 62) // of a threshold, and of the sum of |weights| of a unit

struct file_position {
    uint64_t line, column;
};

struct located_name { // bytes of the file or of the scanner's scratch
    const char *text;
    size_t length;
    struct file_position position;
};

struct definition;

// A number as written: digits / 10^places. The numbers of a unit are multiplied by the power of ten
// that makes all of them whole, which does not change what it computes.
struct draft_number {
    int64_t digits; // at most NUMBER_MAX without its sign
    uint32_t places;
    struct file_position position;
};

struct draft_link {
    uint32_t from;  // a definition
    int64_t weight; // whole, after draft_end_unit
    struct draft_number written;
    struct file_position position;
};

struct draft_unit {
    uint32_t name;       // a definition
    size_t first, count; // links
    int64_t threshold;
    int64_t total; // of |weights|
    // While units are sorted:
    size_t place; // in topological order, plus 1; 0: not visited
    size_t next;  // link to follow
    bool in_path;
};

struct draft_delay {
    uint32_t name, from;           // definitions
    struct file_position position; // of `from`
    bool start;
};

struct draft_output {
    uint32_t from; // a definition
    struct file_position position;
};

struct draft {
    const char *path; // for messages
    tlu_error *error;
    struct table names;
    struct definition *definitions; // [names.count] what each name stands for
    uint32_t *inputs;               // [input_count] definitions
    struct draft_delay *delays;     // [delay_count]
    struct draft_unit *units;       // [unit_count]
    struct draft_link *links;       // [link_count]
    struct draft_output *outputs;   // [output_count]
    struct table output_names;
    size_t definition_count, input_count, delay_count, unit_count, link_count, output_count;
    size_t definition_capacity, input_capacity, delay_capacity, unit_capacity, link_capacity,
        output_capacity;
    // While the network is built:
    size_t *order;              // [unit_count] in topological order
    size_t *walk;               // [unit_count] the current path of the depth-first search
    struct link *network_links; // [link_count] scratch
    struct tlu_network *network;
};

#define DRAFT_ERROR(draft, position, ...)                                                          \
    error_at((draft)->error, (draft)->path, (position).line, (position).column, __VA_ARGS__)

tlu_status draft_input(struct draft *draft, struct located_name name);
tlu_status draft_delay(struct draft *draft, struct located_name name, struct located_name from,
                       bool start);
// A unit: begin, add its links, end with its name and threshold.
tlu_status draft_begin_unit(struct draft *draft);
tlu_status draft_link(struct draft *draft, struct located_name from, struct draft_number weight);
tlu_status draft_end_unit(struct draft *draft, struct located_name name,
                          struct draft_number threshold);
tlu_status draft_output(struct draft *draft, struct located_name name, struct located_name from);

// Checks that every name is defined and every cycle has a delay, and builds the network. Units keep
// their order if it is topological.
tlu_status draft_finish(struct draft *draft, struct tlu_network **network);
void draft_free(struct draft *draft);

#endif
