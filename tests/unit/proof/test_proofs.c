// Proofs of random small sets: the checker accepts each of them, and none in which a number has
// been changed.
#include "base/random.h"
#include "tlu.h"
#include "tlu_proof.h"
#include "trials.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SETS 10000
#define PATH "set.svm"

// Whole numbers from -4 to 4, of 2 or 3 classes, as LIBSVM.
static void random_data(struct random *random, char *text, size_t size)
{
    uint64_t rows = 2 + random_below(random, 7), columns = 1 + random_below(random, 3);
    uint64_t classes = 2 + (random_below(random, 4) == 0), most = 1 + random_below(random, 4);
    size_t used = 0;
    for (uint64_t i = 0; i < rows; i++) {
        uint64_t label = i < 2 ? i : random_below(random, classes);
        used += (size_t)snprintf(text + used, size - used, "%d", (int)label);
        for (uint64_t j = 1; j <= columns; j++)
            used += (size_t)snprintf(text + used, size - used, " %d:%d", (int)j,
                                     (int)random_below(random, 2 * most + 1) - (int)most);
        used += (size_t)snprintf(text + used, size - used, "\n");
    }
}

static tlu_separability *prove(const char *text, bool bias, bool approximate)
{
    FILE *file = fopen(PATH, "w");
    assert_true(file && fputs(text, file) >= 0 && fclose(file) == 0);
    tlu_separability_settings settings = {
        .size = sizeof settings, .path = PATH, .approximate = approximate};
    tlu_options *options;
    tlu_options_new(&options, NULL);
    tlu_separability *answer = NULL;
    tlu_error error;
    assert_int_equal(tlu_options_set(options, "no-bias", bias ? "no" : "yes", &error), TLU_OK);
    if (tlu_separability_decide(&settings, options, &answer, &error) != TLU_OK)
        fail_msg("%s\n%s", error.text, text);
    tlu_options_free(options);
    return answer;
}

static bool is_accepted(const char *proof, size_t size, const char *text)
{
    tlu_proof_report *report;
    tlu_error error;
    assert_int_equal(tlu_proof_check(proof, size, text, strlen(text), &report, &error), TLU_OK);
    bool accepted = report->accepted;
    tlu_proof_report_free(report);
    return accepted;
}

// Each digit in turn becomes another one: every number of the proof is changed in every place.
static size_t change_numbers(char *proof, size_t size, const char *text)
{
    size_t changed = 0;
    for (size_t i = 0; i < size; i++) {
        char digit = proof[i];
        if (!isdigit((unsigned char)digit))
            continue;
        proof[i] = digit == '9' ? '0' : (char)(digit + 1);
        if (is_accepted(proof, size, text))
            fail_msg("accepted with byte %zu changed:\n%s\n%s", i, proof, text);
        proof[i] = digit;
        changed++;
    }
    return changed;
}

static void test_random_proofs(void **state)
{
    struct random random;
    char text[1024];
    size_t changed = 0, separable = 0;
    const int sets = often((int)unless_sanitized(SETS, SETS / 10));
    (void)state;
    random_seed(&random, 1);
    for (int t = 0; t < sets; t++) {
        random_data(&random, text, sizeof text);
        bool bias = random_below(&random, 3) > 0, approximate = random_below(&random, 4) == 0;
        tlu_separability *answer = prove(text, bias, approximate);
        if (!answer->proof || !is_accepted(answer->proof, answer->proof_size, text))
            fail_msg("set %d: %s\n%s", t, answer->proof ? answer->proof : "no proof", text);
        separable += answer->verdict == TLU_SEPARABLE;
        char *proof = malloc(answer->proof_size + 1);
        assert_non_null(proof);
        memcpy(proof, answer->proof, answer->proof_size + 1);
        changed += change_numbers(proof, answer->proof_size, text);
        free(proof);
        tlu_separability_free(answer);
    }
    assert_true(separable > (size_t)sets / 5 && separable < (size_t)sets * 4 / 5);
    assert_true(changed > (size_t)sets * 20);
    print_message("%d proofs, %zu of separable sets; %zu changes\n", sets, separable, changed);
}

int main(void)
{
    if (!strstr(tlu_built_with(), "gmp") || !strstr(tlu_built_with(), "clp"))
        return 77;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_proofs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
