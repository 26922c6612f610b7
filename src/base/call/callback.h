// Callbacks. The library calls them in the caller's floating-point environment and then restores
// its own, whatever the callback has set.
#ifndef TLU_BASE_CALL_CALLBACK_H
#define TLU_BASE_CALL_CALLBACK_H

#include "base/call/fp_env.h"
#include "tlu.h"

struct callback {
    struct fp_env env; // the caller's
    void *context;
    void (*function)(void); // of the type that callback_KIND expects
};

// The body of callback_KIND: calls the function of the struct callback that `context` points to, of
// the type tlu_KIND_function, in the caller's environment.
#define CALLBACK_CALL(type, ...)                                                                   \
    const struct callback *callback = context;                                                     \
    struct fp_env left;                                                                            \
    fp_env_end(&callback->env);                                                                    \
    int result = ((type)callback->function)(callback->context, __VA_ARGS__);                       \
    fp_env_begin(&left);                                                                           \
    return result
// Defines callback_KIND with these parameters, which it passes on, except the context.
#define CALLBACK_FUNCTION(kind, parameters, ...)                                                   \
    int callback_##kind parameters                                                                 \
    {                                                                                              \
        CALLBACK_CALL(tlu_##kind##_function, __VA_ARGS__);                                         \
    }

// The callbacks of tlu.h; other libraries define those of their headers.
int callback_rows(void *context, const tlu_rows **rows, tlu_error *error);
int callback_exchange(void *context, const tlu_message *sent, tlu_message *received,
                      tlu_error *error);
int callback_progress(void *context, const tlu_progress *progress);
int callback_prediction(void *context, const tlu_predictions *predictions, tlu_output *text);
int callback_fold(void *context, const tlu_fold *fold);
int callback_tune(void *context, const tlu_tune_progress *progress);
int callback_step(void *context, const tlu_step *step);
int callback_write(void *context, const char *bytes, size_t size);
int callback_stream(void *context, const tlu_stream_stats *counts);
int callback_read(void *context, char *bytes, size_t size, size_t *got, int *end, tlu_error *error);

// Replaces a callback and its context with callback_KIND and a pointer to `place`, unless it is
// NULL. `place` is a struct callback that lives as long as they are used; `caller` is that of
// FP_ENV_DEFAULT.
#define CALLBACK(place, kind, function_given, context_given, caller)                               \
    do {                                                                                           \
        (place) = (struct callback){caller, context_given, (void (*)(void))(function_given)};      \
        if (function_given) {                                                                      \
            (function_given) = callback_##kind;                                                    \
            (context_given) = &(place);                                                            \
        }                                                                                          \
    } while (0)

#endif
