// A program that links the shared library, sets MXCSR as its first act and trains: the models must
// be the same bytes as those of the default environment, and MXCSR as it was set.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tlu.h>
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
    return failures != 0;
}
