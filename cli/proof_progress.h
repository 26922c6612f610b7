// Long computations of one answer: a line on the terminal that shows what is being done, and
// Ctrl-C, which ends them with what is known by then.
#ifndef TLU_CLI_PROOF_PROGRESS_H
#define TLU_CLI_PROOF_PROGRESS_H

#include "tlu_proof.h"

#include <stdbool.h>

struct watch {
    bool visible;
    double drawn_at; // seconds since the start; 0: there is nothing to wipe
};

// From now on the first Ctrl-C or SIGTERM is heard, so that what runs ends with what it has; the
// second ends the program.
void watch_interrupts(void);
bool watch_interrupted(void);

void watch_begin(struct watch *watch, bool visible);
// A tlu_proof_progress_function; its context is the watch.
int watch_progress(void *context, const char *stage, double seconds);
void watch_end(const struct watch *watch);

#endif
