#include "base/fault.h"

#ifdef TLU_FAULTS
#include <stdatomic.h>

static atomic_long fails_at[FAULT_KINDS];
static atomic_long calls[FAULT_KINDS];

void fault_at(enum fault_kind kind, long n)
{
    atomic_store(&calls[kind], 0);
    atomic_store(&fails_at[kind], n);
}

long fault_calls(enum fault_kind kind)
{
    return atomic_load(&calls[kind]);
}

bool fault_hit(enum fault_kind kind)
{
    long call = atomic_fetch_add(&calls[kind], 1) + 1;
    return call == atomic_load(&fails_at[kind]);
}
#else
typedef int fault_is_for_tests_only; // ISO C wants a declaration in every file
#endif
