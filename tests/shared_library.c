// A program that links the shared libraries. It sets MXCSR and trains: the models must be the same
// bytes as those of the default environment, and MXCSR must be as it was set. Then it calls a
// function of each of the other libraries, which use internal functions of libtlu.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tlu.h>
#include <tlu_logic.h>
#include <tlu_plot.h>
#include <tlu_proof.h>
#ifdef __SSE__
#include <xmmintrin.h>
#else
#define _mm_setcsr(word) ((void)(word))
#define _mm_getcsr() 0u
#endif

enum { FLAGS = 0x3f };

// With small values, some of them subnormal floats.
static const char rows[] = "1 1:0.1 2:3e-41 3:0.77\n0 1:0.3 2:1e-39 3:-0.123456789012345678\n"
                           "1 1:0.7 2:-2e-40 3:0.31\n0 1:0.9 2:5e-45 3:0.2\n";

static int train(unsigned mxcsr, const char *learner, void **bytes, size_t *size)
{
    tlu_error error;
    tlu_model *model = NULL;
    FILE *file = fopen("rows.svm", "w");
    if (!file || fputs(rows, file) < 0 || fclose(file) != 0)
        return 1;
    _mm_setcsr(mxcsr);
    tlu_options *options;
    tlu_options_new(&options, NULL);
    int failed = tlu_options_set(options, "learner", learner, &error) != TLU_OK ||
                 tlu_train("rows.svm", options, &model, &error) != TLU_OK ||
                 tlu_model_save_bytes(model, bytes, size, &error) != TLU_OK;
    unsigned after = _mm_getcsr();
    _mm_setcsr(0x1f80);
    if (failed)
        fprintf(stderr, "%s\n", error.text);
    if ((after ^ mxcsr) & ~(unsigned)FLAGS & 0xffff) {
        fprintf(stderr, "MXCSR was %#x and is %#x\n", mxcsr, after);
        failed = 1;
    }
    tlu_model_free(model);
    tlu_options_free(options);
    return failed;
}

static int fail(const char *what, const tlu_error *error)
{
    fprintf(stderr, "%s: %s\n", what, error->text);
    return 1;
}

static int use_all(void)
{
    tlu_error error = {.text = "wrong result"};
    tlu_function *function = NULL;
    if (tlu_function_from_expression("a & b", NULL, &function, &error) != TLU_OK ||
        tlu_function_input_count(function) != 2)
        return fail("logic", &error);
    tlu_function_free(function);

    tlu_separability_settings question = {.size = sizeof question, .path = "rows.svm"};
    tlu_separability *answer = NULL;
    if (tlu_separability_decide(&question, NULL, &answer, &error) != TLU_OK &&
        !strstr(error.text, "built without"))
        return fail("proof", &error);
    tlu_separability_free(answer);

    tlu_plot_data_settings settings = {.size = sizeof settings, .path = "rows.svm"};
    tlu_picture_style style = {.size = sizeof style, .columns = 40};
    tlu_picture *picture = NULL;
    if (tlu_plot_data(&settings, NULL, &style, &picture, &error) != TLU_OK)
        return fail("plot", &error);
    tlu_picture_free(picture);
    return 0;
}

int main(void)
{
    // The rounding modes, flushing to zero, subnormal numbers as zero, all exceptions unmasked.
    static const unsigned words[] = {0x1f80, 0x3f80, 0x5f80, 0x7f80,
                                     0x9f80, 0x1fc0, 0x0000, 0xe040};
    static const char *const learners[] = {"perceptron", "pa", "logistic", "arow", "mlp"};
    int failures = 0;
    for (size_t l = 0; l < sizeof learners / sizeof learners[0]; l++) {
        void *expected = NULL;
        size_t expected_size = 0;
        for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
            void *bytes = NULL;
            size_t size = 0;
            failures += train(words[w], learners[l], &bytes, &size);
            if (w == 0) {
                expected = bytes;
                expected_size = size;
                continue;
            }
            if (size != expected_size || memcmp(bytes, expected, size) != 0) {
                fprintf(stderr, "%s: another model with MXCSR %#x\n", learners[l], words[w]);
                failures++;
            }
            tlu_bytes_free(bytes);
        }
        tlu_bytes_free(expected);
    }
    failures += use_all();
    return failures != 0;
}
