// The line on the terminal that shows how training or a proof goes, and Ctrl-C, which ends either
// with what is known by then.
#ifndef TLU_CLI_PROGRESS_H
#define TLU_CLI_PROGRESS_H

#include "tlu.h"

#include <stdbool.h>

struct proof_progress {
    bool visible;
    double drawn_at; // seconds since the start; 0: there is nothing to wipe
};

struct progress {
    struct proof_progress line;
    uint64_t pass;          // the last one seen
    uint64_t pass_examples; // seen of it
    uint64_t examples;      // in the passes before it
};

void progress_begin(struct progress *progress, bool visible);
void progress_show(struct progress *progress,
                   const tlu_progress *now); // ten times a second at most
void progress_end(struct progress *progress);

// Catches the first Ctrl-C or SIGTERM, so that a computation can end with what it has; the second
// ends the program.
void catch_interrupts(void);
// Catches every SIGTERM, because mpirun sends several while it ends a job. It sends SIGKILL to
// processes that go on. The handler of the signal calls `ended`.
void catch_interrupts_in_job(void (*ended)(void));
// Leaves interrupts to the system again; one that has come since ends the program.
void release_interrupts(void);
bool interrupt_requested(void);
// The exit code of a command that an interrupt ended: 128 plus the number of the signal, as of a
// program that the signal ends.
int interrupt_exit_code(void);

// Also catches interrupts. The line is visible on terminals only.
void proof_progress_begin(struct proof_progress *progress, bool visible);
// Whether to draw the line again: ten times a second at most.
bool progress_is_due(struct proof_progress *progress, double seconds);
// A tlu_proof_progress_function; its context is the struct.
int proof_progress_show(void *context, const char *stage, double seconds);
void proof_progress_end(const struct proof_progress *progress);

#endif
