// Training in several processes: iterative parameter mixing (McDonald, Hall and Mann 2010).
//
//     every process reads its share of the rows
//     all agree on the numbers of names and classes, on scaling and on what the data decides
//     repeat
//         every process learns from its rows, a pass or --mix-every of them
//         the weights of all become their weighted mean (learn/mix.h); by_cells: each that of the
//         processes that have changed it
//
// Between two mixtures, a process changes few of many weights, so only the changed cells are sent.
// The features are dealt out to the processes in blocks. A process sends each changed cell to the
// owner of its feature. The owner computes the mean and sends it to all, if any process has changed
// the cell. A process without a change has the value of the last mixture, which all know. So a
// process sends its changes once and receives the changes of all once, however many there are, and
// the mean of a cell sees the values of all at the same time: its bits do not depend on an order.
//
// All exchanges are collective: every process makes the same ones in the same order. An error of
// one process takes part in the next exchange, so all end with the same error.
#ifndef TLU_TRAIN_TEAM_H
#define TLU_TRAIN_TEAM_H

#include "base/options.h"
#include "base/packet.h"
#include "space/weights.h"
#include "train/fingerprint.h"

struct training;

// What all processes have together.
struct team_counts {
    uint64_t rows, examples, held_out, nonzeros, skipped; // rows: read; examples: to learn from
    uint64_t most_examples;                               // of one process
};

struct team {
    const tlu_team *out;
    size_t rank, ranks;
    struct packet *send;              // [ranks]
    tlu_message *outgoing, *incoming; // [ranks]
    bool over;                        // an error ended the exchanges
    uint64_t mix_every;               // rows; 0: once per pass
    bool by_cells;                    // a mean is that of the processes that have changed the cell
    struct weights base;              // of the last mixture
    uint64_t mixed;                   // examples of this pass before the last mixture
    uint64_t updates;                 // of all processes before this pass
    struct team_counts counts;
    struct fingerprint print; // of the rows of all processes
    bool checkpoint_due;      // process 0 says so
    struct {
        uint64_t mixtures;
        uint64_t bytes; // sent by this process to others in mixtures
        uint64_t dense; // the same if all cells were sent
        double seconds; // in mixtures, with the time waited for other processes
    } cost;
};

// A copy of what the caller has given; an error if it is not a team.
tlu_status team_take(tlu_team *own, const tlu_team *given, tlu_error *error);
// NULL: out of memory, or there is one process.
struct team *team_new(const tlu_team *out, uint64_t mix_every);
void team_free(struct team *team);
// A team that mixes as tlu_train_settings describes. An error without a team is not told to the
// others: all have it, or see that this process is gone.
tlu_status team_for_training(struct team **team, const tlu_team *out, uint64_t mix_every,
                             const char *mix_weights, tlu_error *error);
// Sets the option "part" to the part of this process, unless it is set.
tlu_status team_part(const struct team *team, tlu_options *options, tlu_error *error);

// Each process sends send[i] to process i, and receives received[i] from it; these are valid until
// the next exchange. Each packet has to begin with team_begin_packet.
tlu_status team_exchange(struct team *team, struct packet_reader *received, tlu_error *error);
// Sends the same packet, send[0], to all.
tlu_status team_gather(struct team *team, struct packet_reader *received, tlu_error *error);
void team_begin_packets(struct team *team); // empties all packets
// After an error that is not one of an exchange: tells the others.
void team_fail(struct team *team, const tlu_error *error);
// A last step: returns the first error of all processes, *own being that of this one.
tlu_status team_join(struct team *team, const tlu_error *own, tlu_error *error);
// Replaces numbers[count] by their sums over all processes, in the order of the processes.
tlu_status team_sum(struct team *team, double *numbers, size_t count, tlu_error *error);
// The same with the largest; no number is below 0.
tlu_status team_largest(struct team *team, double *numbers, size_t count, tlu_error *error);

// ---- steps of a training; each does nothing without a team ----

// After the rows are read: one numbering of names and classes, and the counts of rows of each
// class.
tlu_status team_unite(struct training *training, tlu_error *error);
// Replaces the flag by that of the first process that has rows.
tlu_status team_agree(struct training *training, bool *flag, tlu_error *error);
// After rows are held out: fills `counts`.
tlu_status team_count(struct training *training, tlu_error *error);
// The means that replace missing values, over the rows of all.
tlu_status team_fill(struct training *training, tlu_error *error);
// Rows of all processes, those to learn from, and those held out; without a team its own.
uint64_t team_rows(const struct training *training);
uint64_t team_examples(const struct training *training);
uint64_t team_held_out(const struct training *training);
// The functions of struct scale_reduction; the context is the team.
tlu_status team_reduce_sum(void *team, double *numbers, size_t count, tlu_error *error);
tlu_status team_reduce_largest(void *team, double *numbers, size_t count, tlu_error *error);
// Before the first example, when all rows are prepared.
tlu_status team_ready(struct training *training, tlu_error *error);
// Mixes the weights; `end`: at the end of a pass, whose counts become those of all processes.
tlu_status team_mix(struct training *training, bool end, tlu_error *error);
// At the start of a pass: random numbers that depend on the seed, the process and the pass alone.
void team_seed(struct training *training, uint64_t number);
// The number of rows that a mixture ends, from the start of the pass.
uint64_t team_chunks(const struct training *training);

#endif
