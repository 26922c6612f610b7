// Every thread of the library is started here, and so that the program around it need not know: no
// signal is handled by one, other than those that a thread causes itself (SIGSEGV and its kin), and
// its stack is large enough wherever the default is small (musl; `ulimit -s`). It computes in the
// default floating-point environment.
#ifndef TLU_BASE_THREAD_H
#define TLU_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

// A thread of the library gets as much stack as is usual on its system, and this at least. It needs
// less than 64 kB of it (no frame is larger than the build allows, see -Wframe-larger-than); the
// rest is for the functions of a caller that run in it, and for its thread-local variables.
#define THREAD_STACK_MIN ((size_t)512 * 1024)

// As pthread_create; false if there can be no more threads, and then the work must be done without.
// Join it by pthread_join.
bool thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument);

#endif
