// The checker through the library: verdicts, sizes of structs, failing memory. What it accepts and
// rejects is tests/check_proofs.py's.
#include "base/fault.h"
#include "tlu.h"
#include "tlu_proof.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// Points at 1 and -1 on a line: w = 1, b = 0 has the margin 1, which is half their distance.
static const char data[] = "+1 1:1\n-1 1:-1\n";
static const char body[] = "tlu proof 1\ndata libsvm\nquestion 0 1 2 2\nlabel 1 +1\nlabel 2 -1\n"
                           "claim separable\nweight 1 1 1\nlow 1\nhigh 1\nrow 1 1 1 2 1\n"
                           "row 1 2 2 1 1\n";

static const char *sealed(char *out, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325U;
    for (const char *at = body; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001b3U;
    snprintf(out, size, "%send %016llx\n", body, (unsigned long long)hash);
    return out;
}

static tlu_status check(const char *proof, const char *rows, tlu_proof_report *checked,
                        tlu_error *error)
{
    tlu_proof_report *report;
    tlu_status status = tlu_proof_check(proof, strlen(proof), rows, strlen(rows), &report, error);
    assert_int_equal(report != NULL, status == TLU_OK);
    if (report)
        *checked = *report;
    tlu_proof_report_free(report);
    return status;
}

static bool has_gmp(void)
{
    return strstr(tlu_built_with(), "gmp") != NULL;
}

static void test_verdicts(void **state)
{
    char proof[1024];
    tlu_proof_report checked;
    tlu_error error;
    (void)state;
    if (!has_gmp()) {
        assert_int_equal(check(sealed(proof, sizeof proof), data, &checked, &error),
                         TLU_ERROR_SYSTEM);
        return;
    }
    assert_int_equal(check(sealed(proof, sizeof proof), data, &checked, &error), TLU_OK);
    assert_true(checked.accepted && checked.has_low && checked.has_high);
    assert_string_equal(checked.claim, "separable");
    assert_true(checked.rows == 2 && checked.classes == 2);
    assert_true(checked.margin_low == 1 && checked.margin_high == 1);
    assert_int_equal(check(proof, "+1 1:1\n-1 1:1\n", &checked, &error), TLU_OK);
    assert_true(!checked.accepted && checked.in_data && checked.line == 2 && !checked.claim);
    assert_int_equal(check(body, data, &checked, &error), TLU_OK);
    assert_true(!checked.accepted && !checked.in_data && checked.line == 12);
}

static void test_no_memory(void **state)
{
    char proof[1024];
    tlu_proof_report checked;
    tlu_error error;
    (void)state;
    if (!has_gmp())
        skip();
    sealed(proof, sizeof proof);
    for (long n = 1;; n++) {
        fault_at(FAULT_MEMORY, n);
        tlu_status status = check(proof, data, &checked, &error);
        bool reached = fault_calls(FAULT_MEMORY) >= n;
        fault_at(FAULT_MEMORY, 0);
        if (!reached) {
            assert_int_equal(status, TLU_OK);
            assert_true(checked.accepted && n > 50); // with the calls by GMP
            return;
        }
        assert_int_equal(status, TLU_ERROR_SYSTEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
