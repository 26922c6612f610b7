// The count of threshold functions does not depend on the number of threads.
#include "tlu.h"
#include "tlu_logic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_threads(void **state)
{
    (void)state;
    for (size_t threads = 1; threads <= 5; threads++) {
        tlu_enumeration_settings settings = {
            .size = sizeof settings, .inputs = 7, .threads = threads};
        tlu_enumeration *count;
        assert_int_equal(tlu_enumeration_run(&settings, &count, NULL), TLU_OK);
        assert_int_equal(count->threshold_functions, 8378070864u); // OEIS A000609
        assert_int_equal(count->dual_classes, 2470);
        tlu_enumeration_free(count);
    }
}

// A stop that comes while all of them work.
static int stop(void *context, uint64_t classes, double done, double seconds)
{
    (void)context, (void)classes, (void)done;
    return seconds > 0.3;
}

static void test_stop(void **state)
{
    tlu_enumeration_settings settings = {
        .size = sizeof settings, .inputs = 9, .threads = 4, .progress = stop};
    tlu_enumeration *count;
    (void)state;
    assert_int_equal(tlu_enumeration_run(&settings, &count, NULL), TLU_INTERRUPTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
