#include "prove/exact.h"

#include "base/error.h" // ISO C forbids an empty translation unit

#ifdef TLU_HAVE_GMP
#include "base/memory.h"

#include <assert.h>
#include <gmp.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>

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
typedef void *new_function(size_t size);
typedef void *resize_function(void *block, size_t before, size_t size);
typedef void free_function(void *block, size_t size);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t computations;
static _Atomic(new_function *) other_new;
static _Atomic(resize_function *) other_resize;
static _Atomic(free_function *) other_free;

static void *enough_or_out(void *block)
{
    if (!block)
        longjmp(running->out_of_memory, 1);
    return block;
}

// The fences are for another thread that finds our functions in GMP: it must find the others here.
static void *gmp_new(size_t size)
{
    if (running)
        return enough_or_out(memory_resize(NULL, size, 1));
    atomic_thread_fence(memory_order_acquire);
    return atomic_load(&other_new)(size);
}

static void *gmp_resize(void *block, size_t before, size_t size)
{
    if (running)
        return enough_or_out(memory_resize(block, size, 1));
    atomic_thread_fence(memory_order_acquire);
    return atomic_load(&other_resize)(block, before, size);
}

static void gmp_free(void *block, size_t size)
{
    if (running) {
        memory_free(block);
        return;
    }
    atomic_thread_fence(memory_order_acquire);
    atomic_load (&other_free)(block, size);
}

static void take_over(void)
{
    new_function *new;
    resize_function *resize;
    free_function *free;
    pthread_mutex_lock(&lock);
    mp_get_memory_functions(&new, &resize, &free);
    if (new != gmp_new) {
        atomic_store(&other_new, new);
        atomic_store(&other_resize, resize);
        atomic_store(&other_free, free);
        atomic_thread_fence(memory_order_release);
        mp_set_memory_functions(gmp_new, gmp_resize, gmp_free);
    }
    computations++;
    pthread_mutex_unlock(&lock);
}

static void give_back(void)
{
    new_function *new;
    pthread_mutex_lock(&lock);
    mp_get_memory_functions(&new, NULL, NULL);
    if (--computations == 0 && new == gmp_new)
        mp_set_memory_functions(other_new, other_resize, other_free);
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

void exact_hold(struct exact_held *held)
{
    held->next = running->held;
    running->held = held;
}

void exact_let_go(struct exact_held *held)
{
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
    take_over();
    exact_resume(&exact);
    bool enough = run(&exact, compute, context);
    exact_pause();
    for (struct exact_held *held = exact.held; !enough && held; held = held->next)
        held->release(held->what);
    if (!enough)
        memory_record_free_blocks(&exact.record);
    memory_record_clear(&exact.record);
    give_back();
    return enough;
}
#endif
