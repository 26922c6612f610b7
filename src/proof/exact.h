// Computations with GMP, which cannot report that it is out of memory: it aborts the program. So
// each computation runs in exact_run, where GMP allocates through base/memory.h and a failed
// allocation ends the computation by longjmp.
#ifndef TLU_PROOF_EXACT_H
#define TLU_PROOF_EXACT_H

#include <stdbool.h>

// Calls compute(context). False: GMP ran out of memory, and longjmp ended the computation. Then
// everything that its thread allocated in it through base/memory.h is freed and must not be used.
// No GMP number may outlive the computation, and no other thread may free what it allocates.
bool exact_run(void (*compute)(void *context), void *context);

// Another resource to release if longjmp ends a computation.
struct exact_held {
    void (*release)(void *what);
    void *what;
    struct exact_held *next;
};
void exact_hold(struct exact_held *held);
void exact_drop(struct exact_held *held);

// Pause and resume enclose a callback, which may use GMP itself.
struct exact;
struct exact *exact_pause(void);
void exact_resume(struct exact *paused);

#endif
