#include "base/call/callback.h"

// Calls the callback in the caller's environment.
#define CALL(kind, ...)                                                                            \
    const struct callback *callback = context;                                                     \
    struct fp_env left;                                                                            \
    fp_env_end(&callback->env);                                                                    \
    int result = callback->function.kind(callback->context, __VA_ARGS__);                          \
    fp_env_begin(&left);                                                                           \
    return result

int callback_rows(void *context, const tlu_rows **rows, tlu_error *error)
{
    CALL(rows, rows, error);
}

int callback_progress(void *context, const tlu_progress *progress)
{
    CALL(progress, progress);
}

int callback_prediction(void *context, const tlu_predictions *guesses, tlu_output *text)
{
    CALL(prediction, guesses, text);
}

int callback_proof_progress(void *context, const char *stage, double seconds)
{
    CALL(proof_progress, stage, seconds);
}

int callback_fold(void *context, const tlu_fold *fold)
{
    CALL(fold, fold);
}

int callback_tune(void *context, const tlu_tune_progress *progress)
{
    CALL(tune, progress);
}

int callback_step(void *context, const tlu_step *step)
{
    CALL(step, step);
}

int callback_write(void *context, const char *bytes, size_t size)
{
    CALL(write, bytes, size);
}

int callback_enumeration(void *context, uint64_t classes, double done, double seconds)
{
    CALL(enumeration, classes, done, seconds);
}

int callback_stream(void *context, const tlu_stream_stats *counts)
{
    CALL(stream, counts);
}

int callback_read(void *context, char *bytes, size_t size, size_t *got, int *end, tlu_error *error)
{
    CALL(read, bytes, size, got, end, error);
}
