// Networks of threshold units, as the verbs about them read, run and write them.
#ifndef TLU_CLI_NETWORKS_H
#define TLU_CLI_NETWORKS_H

#include "tlu.h"
#include "tlu_logic.h"

#include <stdbool.h>

#define LANGUAGES "text|json|dot|verilog|c"
#define TABLE_INPUTS_MAX 20 // of a truth table

// A tlu_network_write callback whose context is a FILE.
int write_to_file(void *context, const char *bytes, size_t size);
// To a file; NULL and "-" are standard output.
tlu_status network_print(const tlu_network *network, const char *language, const char *path,
                         tlu_error *error);

// A network with its inputs and outputs.
struct network_player {
    tlu_network *network;
    tlu_network_run *run;
    size_t inputs, outputs;
    unsigned char *in;  // [inputs]
    unsigned char *out; // [outputs]
};

// Close it also after an error.
tlu_status player_open(struct network_player *player, const char *path, tlu_error *error);
void player_close(struct network_player *player);
// The inputs of row `row` of the truth table: the first is the highest bit.
void player_set(struct network_player *player, uint64_t row);
void player_step(struct network_player *player);
// A row as text: a 0 or 1 per input ("101", blanks do not count), or names ("a=1 c=1"; those that
// are not named are 0).
tlu_status player_parse(struct network_player *player, const char *text, tlu_error *error);
// Whether it has few enough inputs for a truth table, and no delays; else *error says so.
tlu_status player_needs_table(const struct network_player *player, tlu_error *error);

#endif
