// Computations with GMP, which has no way to report that it is out of memory: it ends the program.
// So each runs in exact_run, where GMP's memory is the library's and a failed allocation ends the
// computation by a jump.
#ifndef TLU_PROVE_EXACT_H
#define TLU_PROVE_EXACT_H

#include <stdbool.h>

// Calls compute(context). False: GMP was out of memory, and the computation was left where it was.
// Then everything that its thread allocated in it through base/memory.h is freed: nothing of it may
// be used. No number of GMP may outlive it, and no other thread may free what it allocates.
bool exact_run(void (*compute)(void *context), void *context);

// What else is to be released if a computation is left by a jump.
struct exact_held {
    void (*release)(void *what);
    void *what;
    struct exact_held *next;
};
void exact_hold(struct exact_held *held);
void exact_let_go(struct exact_held *held);

// Around a call of the user's function, which may use GMP itself.
struct exact;
struct exact *exact_pause(void);
void exact_resume(struct exact *paused);

#endif
