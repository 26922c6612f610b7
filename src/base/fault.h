// Faults on demand. In the library that the tests link (TLU_FAULTS) the n-th call of a kind can be
// made to fail; in the one that users link this is nothing at all.
#ifndef TLU_BASE_FAULT_H
#define TLU_BASE_FAULT_H

#include <stdbool.h>

enum fault_kind { FAULT_MEMORY, FAULT_WRITE, FAULT_FSYNC, FAULT_RENAME, FAULT_READ, FAULT_KINDS };

#ifdef TLU_FAULTS
void fault_at(enum fault_kind kind, long n); // the n-th call from now fails (1-based); 0: none
long fault_calls(enum fault_kind kind);      // calls since fault_at
bool fault_hit(enum fault_kind kind);        // asked by the wrappers: is it this one?
#else
static inline bool fault_hit(enum fault_kind kind)
{
    (void)kind;
    return false;
}
#endif

#endif
