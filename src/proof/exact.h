// Computations with GMP, which cannot report that it is out of memory: it aborts the program. So
// each computation runs in exact_run, where GMP allocates through base/memory.h and a failed
// allocation ends the computation by longjmp. Its end frees all of its memory.
#ifndef TLU_PROOF_EXACT_H
#define TLU_PROOF_EXACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Calls compute(context). False: out of memory; longjmp ended the computation. In either case
// everything that its thread allocated in it through base/memory.h, and did not free or keep, is
// freed. No GMP number may outlive the computation, and no other thread may free what it allocates.
bool exact_run(void (*compute)(void *context), void *context);

// In a computation: as memory_new, memory_copy_text and memory_reserve, but they end the
// computation if they fail.
void *exact_new(uint64_t count, size_t size);
char *exact_copy_text(const char *bytes, size_t length);
void exact_reserve(void *array_pointer, size_t *capacity, uint64_t needed, size_t size);
_Noreturn void exact_out_of_memory(void);
// The block outlives the computation. NULL is fine.
void exact_keep(const void *block);

// Another resource to release when the computation ends, unless it was dropped.
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
