// Fault injection. In the library that tests link (TLU_FAULTS), a test can make the n-th call of a
// kind fail; in the library that users link, fault_hit is constant.
#ifndef TLU_BASE_FAULT_H
#define TLU_BASE_FAULT_H

#include <stdbool.h>

enum fault_kind { FAULT_MEMORY, FAULT_WRITE, FAULT_FSYNC, FAULT_RENAME, FAULT_READ, FAULT_KINDS };

#ifdef TLU_FAULTS
void fault_at(enum fault_kind kind, long n); // the n-th call from now fails (1-based); 0: none
long fault_calls(enum fault_kind kind);      // calls since fault_at
bool fault_hit(enum fault_kind kind);        // called by the wrappers: does this call fail?
#else
static inline bool fault_hit(enum fault_kind kind)
{
    (void)kind;
    return false;
}
#endif

#endif
