// The line on the terminal that shows how training goes.
#ifndef TLU_CLI_PROGRESS_H
#define TLU_CLI_PROGRESS_H

#include "tlu.h"

#include <stdbool.h>

struct progress {
    bool visible;
    bool drawn;             // there is something to wipe
    double drawn_at;        // seconds since the start
    uint64_t pass;          // the last one seen
    uint64_t pass_examples; // seen of it
    uint64_t examples;      // in the passes before it
};

void progress_begin(struct progress *progress, bool visible);
void progress_show(struct progress *progress,
                   const tlu_progress *now); // ten times a second at most
void progress_end(struct progress *progress);

#endif
