// Starts every thread of the library. The host program does not notice them: they block all signals
// except those that a thread causes itself (SIGSEGV and the like), have a large enough stack where
// the default is small (musl; `ulimit -s`), and use the default floating-point environment.
#ifndef TLU_BASE_THREAD_H
#define TLU_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

// Minimum stack; larger where the system's default is. The library needs less than 64 kB of it
// (-Wframe-larger-than limits frames); the rest is for callbacks and thread-local variables.
#define THREAD_STACK_MIN ((size_t)512 * 1024)

// As pthread_create; false if no more threads can be started: the caller does the work itself. Join
// with pthread_join.
bool thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument);

#endif
