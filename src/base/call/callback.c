#include "base/call/callback.h"

CALLBACK_FUNCTION(rows, (void *context, const tlu_rows **rows, tlu_error *error), rows, error)
CALLBACK_FUNCTION(exchange,
                  (void *context, const tlu_message *sent, tlu_message *received, tlu_error *error),
                  sent, received, error)
CALLBACK_FUNCTION(progress, (void *context, const tlu_progress *progress), progress)
CALLBACK_FUNCTION(prediction, (void *context, const tlu_predictions *predictions, tlu_output *text),
                  predictions, text)
CALLBACK_FUNCTION(fold, (void *context, const tlu_fold *fold), fold)
CALLBACK_FUNCTION(tune, (void *context, const tlu_tune_progress *progress), progress)
CALLBACK_FUNCTION(step, (void *context, const tlu_step *step), step)
CALLBACK_FUNCTION(write, (void *context, const char *bytes, size_t size), bytes, size)
CALLBACK_FUNCTION(stream, (void *context, const tlu_stream_stats *counts), counts)
CALLBACK_FUNCTION(read,
                  (void *context, char *bytes, size_t size, size_t *got, int *end,
                   tlu_error *error),
                  bytes, size, got, end, error)
