// Long computations of one answer: a line on the terminal that shows what is being done, and
// Ctrl-C, which ends them with what is known by then.
#ifndef TLU_CLI_WATCH_H
#define TLU_CLI_WATCH_H

#include <stdbool.h>

struct watch {
    bool visible;
    double drawn_at; // seconds since the start; 0: there is nothing to wipe
};

// The first SIGINT or SIGTERM is heard; another ends the program.
void watch_begin(struct watch *watch, bool visible);
// A tlu_prove_function; its context is the watch.
int watch_progress(void *context, const char *stage, double seconds);
void watch_end(const struct watch *watch);

#endif
