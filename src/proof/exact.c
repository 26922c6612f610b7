#include "proof/exact.h"

#include "base/error.h" // ISO C forbids an empty translation unit

#ifdef TLU_HAVE_GMP
#include "base/memory.h"

#include <assert.h>
#include <gmp.h>
#include <pthread.h>
#include <setjmp.h>

struct exact {
    jmp_buf out_of_memory;
    struct memory_record record;
    struct exact_held *held;
};

static _Thread_local struct exact *running; // NULL: none

// ---- GMP's functions for memory ----

// They are global to the process: other threads, and the program that loads the library, may use
// GMP as well. So ours forward every call from outside a computation to the previous ones, which
// are restored after the last computation.
struct functions {
    void *(*new)(size_t size);
    void *(*resize)(void *block, size_t before, size_t size);
    void (*free)(void *block, size_t size);
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t computations;     // with the lock
static struct functions others; // with the lock

static struct functions other_functions(void)
{
    pthread_mutex_lock(&lock);
    struct functions found = others;
    pthread_mutex_unlock(&lock);
    return found;
}

void exact_out_of_memory(void)
{
    assert(running);
    longjmp(running->out_of_memory, 1);
}

static void *check_allocated(void *block)
{
    if (!block)
        exact_out_of_memory();
    return block;
}

static void *gmp_new(size_t size)
{
    return running ? check_allocated(memory_resize(NULL, size, 1)) : other_functions().new(size);
}

static void *gmp_resize(void *block, size_t before, size_t size)
{
    return running ? check_allocated(memory_resize(block, size, 1))
                   : other_functions().resize(block, before, size);
}

static void gmp_free(void *block, size_t size)
{
    if (running)
        memory_free(block);
    else
        other_functions().free(block, size);
}

static void install_functions(void)
{
    struct functions found;
    pthread_mutex_lock(&lock);
    mp_get_memory_functions(&found.new, &found.resize, &found.free);
    if (found.new != gmp_new) {
        others = found;
        mp_set_memory_functions(gmp_new, gmp_resize, gmp_free);
    }
    computations++;
    pthread_mutex_unlock(&lock);
}

static void restore_functions(void)
{
    struct functions found;
    pthread_mutex_lock(&lock);
    mp_get_memory_functions(&found.new, NULL, NULL);
    if (--computations == 0 && found.new == gmp_new)
        mp_set_memory_functions(others.new, others.resize, others.free);
    pthread_mutex_unlock(&lock);
}

// ---- computations ----

struct exact *exact_pause(void)
{
    struct exact *paused = running;
    running = NULL;
    if (paused)
        memory_record(NULL);
    return paused;
}

void exact_resume(struct exact *paused)
{
    running = paused;
    if (paused)
        memory_record(&paused->record);
}

void *exact_new(uint64_t count, size_t size)
{
    assert(running);
    return check_allocated(memory_new(count, size));
}

char *exact_copy_text(const char *bytes, size_t length)
{
    assert(running);
    return check_allocated(memory_copy_text(bytes, length));
}

void exact_reserve(void *array_pointer, size_t *capacity, uint64_t needed, size_t size)
{
    assert(running);
    if (!memory_reserve(array_pointer, capacity, needed, size))
        exact_out_of_memory();
}

void exact_keep(const void *block)
{
    assert(running);
    memory_unrecord(block);
}

void exact_hold(struct exact_held *held)
{
    assert(running);
    held->next = running->held;
    running->held = held;
}

void exact_drop(struct exact_held *held)
{
    assert(running);
    struct exact_held **at = &running->held;
    while (*at && *at != held)
        at = &(*at)->next;
    if (*at)
        *at = held->next;
}

static bool run(struct exact *exact, void (*compute)(void *context), void *context)
{
    if (setjmp(exact->out_of_memory) != 0)
        return false;
    compute(context);
    return true;
}

bool exact_run(void (*compute)(void *context), void *context)
{
    struct exact exact = {.held = NULL};
    assert(!running);
    install_functions();
    exact_resume(&exact);
    bool enough = run(&exact, compute, context);
    exact_pause();
    for (struct exact_held *held = exact.held; held; held = held->next)
        held->release(held->what);
    memory_record_free_blocks(&exact.record);
    restore_functions();
    return enough;
}
#endif
