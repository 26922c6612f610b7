#include "base/call/callback.h"

int callback_rows(void *context, const tlu_rows **rows, tlu_error *error)
{
    CALLBACK_CALL(tlu_rows_function, rows, error);
}

int callback_progress(void *context, const tlu_progress *progress)
{
    CALLBACK_CALL(tlu_progress_function, progress);
}

int callback_prediction(void *context, const tlu_predictions *guesses, tlu_output *text)
{
    CALLBACK_CALL(tlu_prediction_function, guesses, text);
}

int callback_fold(void *context, const tlu_fold *fold)
{
    CALLBACK_CALL(tlu_fold_function, fold);
}

int callback_tune(void *context, const tlu_tune_progress *progress)
{
    CALLBACK_CALL(tlu_tune_function, progress);
}

int callback_step(void *context, const tlu_step *step)
{
    CALLBACK_CALL(tlu_step_function, step);
}

int callback_write(void *context, const char *bytes, size_t size)
{
    CALLBACK_CALL(tlu_write_function, bytes, size);
}

int callback_stream(void *context, const tlu_stream_stats *counts)
{
    CALLBACK_CALL(tlu_stream_function, counts);
}

int callback_read(void *context, char *bytes, size_t size, size_t *got, int *end, tlu_error *error)
{
    CALLBACK_CALL(tlu_read_function, bytes, size, got, end, error);
}
