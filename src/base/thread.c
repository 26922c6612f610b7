#include "base/thread.h"

#include "base/call/fp_env.h"

#include <signal.h>
#include <stddef.h>

// Signals that are still delivered to the thread that causes them.
static void fill_mask(sigset_t *mask)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigfillset(mask);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(mask, own[i]);
}

bool thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument)
{
    FP_ENV_DEFAULT(caller); // which the thread inherits
    sigset_t mask, before;
    pthread_attr_t attributes;
    size_t size;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    if (pthread_attr_getstacksize(&attributes, &size) == 0 && size < THREAD_STACK_MIN)
        pthread_attr_setstacksize(&attributes, THREAD_STACK_MIN);
    fill_mask(&mask);
    pthread_sigmask(SIG_SETMASK, &mask, &before); // which the thread starts with
    bool started = pthread_create(thread, &attributes, run, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}
