// Callbacks. The library calls them in the caller's floating-point environment and then restores
// its own, whatever the callback has set.
#ifndef TLU_BASE_CALL_CALLBACK_H
#define TLU_BASE_CALL_CALLBACK_H

#include "base/call/fp_env.h"
#include "tlu.h"
#include "tlu_logic.h"
#include "tlu_proof.h"

struct callback {
    struct fp_env env; // the caller's
    void *context;
    union {
        tlu_rows_function rows;
        tlu_progress_function progress;
        tlu_prediction_function prediction;
        tlu_proof_progress_function proof_progress;
        tlu_fold_function fold;
        tlu_tune_function tune;
        tlu_step_function step;
        tlu_write_function write;
        tlu_enumeration_function enumeration;
        tlu_stream_function stream;
        tlu_read_function read;
    } function;
};

// Each calls the function of the struct callback that `context` points to.
int callback_rows(void *context, const tlu_rows **rows, tlu_error *error);
int callback_progress(void *context, const tlu_progress *progress);
int callback_prediction(void *context, const tlu_predictions *guesses, tlu_output *text);
int callback_proof_progress(void *context, const char *stage, double seconds);
int callback_fold(void *context, const tlu_fold *fold);
int callback_tune(void *context, const tlu_tune_progress *progress);
int callback_step(void *context, const tlu_step *step);
int callback_write(void *context, const char *bytes, size_t size);
int callback_enumeration(void *context, uint64_t classes, double done, double seconds);
int callback_stream(void *context, const tlu_stream_stats *counts);
int callback_read(void *context, char *bytes, size_t size, size_t *got, int *end, tlu_error *error);

// Replaces a callback and its context with one of the functions above, unless it is NULL. `place`
// is a struct callback that lives as long as they are used; `caller` is that of FP_ENV_DEFAULT.
#define CALLBACK(place, kind, function_given, context_given, caller)                               \
    do {                                                                                           \
        (place) = (struct callback){caller, context_given, {.kind = (function_given)}};            \
        if (function_given) {                                                                      \
            (function_given) = callback_##kind;                                                    \
            (context_given) = &(place);                                                            \
        }                                                                                          \
    } while (0)

#endif
