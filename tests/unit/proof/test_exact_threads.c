// The program's own GMP beside that of proofs: its functions for memory are called for its numbers
// alone, and are there again afterwards, also if a proof runs out of memory.
#include "base/fault.h"
#include "tlu.h"
#include "tlu_proof.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifdef __has_include
#if __has_include(<gmp.h>)
#define HAS_GMP
#endif
#endif

#ifdef HAS_GMP
#include <gmp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// Blocks of the program begin with a mark, so that a block of the library's is seen.
#define MARK 16
static atomic_int blocks;

static void *own_new(size_t size)
{
    char *block = malloc(size + MARK);
    if (!block)
        abort();
    memset(block, 'm', MARK);
    atomic_fetch_add(&blocks, 1);
    return block + MARK;
}

static char *marked(void *block)
{
    char *start = (char *)block - MARK;
    for (int i = 0; i < MARK; i++)
        if (start[i] != 'm')
            abort();
    return start;
}

static void *own_resize(void *block, size_t before, size_t size)
{
    (void)before;
    char *start = realloc(marked(block), size + MARK);
    if (!start)
        abort();
    return start + MARK;
}

static void own_free(void *block, size_t size)
{
    (void)size;
    char *start = marked(block);
    memset(start, 'x', MARK);
    free(start);
    atomic_fetch_sub(&blocks, 1);
}

static void check_functions(void)
{
    void *(*new)(size_t);
    void *(*resize)(void *, size_t, size_t);
    void (*release)(void *, size_t);
    mp_get_memory_functions(&new, &resize, &release);
    assert_true(new == own_new &&resize == own_resize &&release == own_free);
}

// A number that is made inside a proof and lives on.
static int progress(void *context, const char *stage, double seconds)
{
    mpz_t *number = context;
    (void)stage, (void)seconds;
    mpz_mul_ui(*number, *number, 3);
    return 0;
}

// Exclusive or, which the linear program has to settle.
static tlu_status prove(mpz_t *number)
{
    static const float x[] = {0, 0, 0, 1, 1, 0, 1, 1};
    static const uint32_t y[] = {0, 1, 1, 0};
    tlu_rows rows = {.size = sizeof rows, .rows = 4, .columns = 2, .values = x, .labels = y};
    tlu_separability_settings settings = {.size = sizeof settings,
                                          .rows = &rows,
                                          .approximate = 1,
                                          .progress = progress,
                                          .progress_context = number};
    tlu_options *options;
    tlu_options_new(&options, NULL);
    tlu_separability *answer = NULL;
    tlu_status status =
        options ? tlu_separability_decide(&settings, options, &answer, NULL) : TLU_ERROR_SYSTEM;
    if (status == TLU_OK && answer->verdict != TLU_NOT_SEPARABLE)
        abort();
    tlu_separability_free(answer);
    tlu_options_free(options);
    return status;
}

static void test_own_functions(void **state)
{
    mpz_t number;
    (void)state;
    mpz_init_set_ui(number, 1);
    assert_int_equal(prove(&number), TLU_OK);
    check_functions();
    assert_true(mpz_cmp_ui(number, 1) > 0 && blocks == 1);
    tlu_status status = TLU_ERROR_SYSTEM;
    for (long n = 1; status != TLU_OK; n += 7) {
        fault_at(FAULT_MEMORY, n);
        status = prove(&number);
        fault_at(FAULT_MEMORY, 0);
        check_functions();
        assert_int_equal(blocks, 1);
    }
    mpz_clear(number);
    assert_int_equal(blocks, 0);
}

static atomic_bool ended;

// 3^n, again and again, while proofs run.
static void *compute(void *context)
{
    (void)context;
    while (!atomic_load(&ended)) {
        mpz_t power;
        mpz_init_set_ui(power, 1);
        for (int n = 0; n < 1000; n++)
            mpz_mul_ui(power, power, 3);
        if (mpz_sizeinbase(power, 3) != 1001)
            abort();
        mpz_clear(power);
    }
    return NULL;
}

static void *prove_often(void *context)
{
    mpz_t number;
    (void)context;
    mpz_init_set_ui(number, 1);
    for (int n = 0; n < 20; n++)
        if (prove(&number) != TLU_OK)
            abort();
    mpz_clear(number);
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t computing, proving[2];
    (void)state;
    assert_int_equal(pthread_create(&computing, NULL, compute, NULL), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&proving[i], NULL, prove_often, NULL), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(proving[i], NULL);
    atomic_store(&ended, true);
    pthread_join(computing, NULL);
    check_functions();
    assert_int_equal(blocks, 0);
}

int main(void)
{
    mp_set_memory_functions(own_new, own_resize, own_free);
    if (!strstr(tlu_built_with(), "gmp clp"))
        return 77;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_own_functions),
                                       cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
    return 77;
}
#endif
