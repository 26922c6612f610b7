// A model and the data that it reads, for predict, explain and distance; notes about the data.
#ifndef TLU_CLI_READING_H
#define TLU_CLI_READING_H

#include "arguments.h"
#include "json.h"

struct session {
    tlu_model *model;
    tlu_reader *reader;
};

// Loads the model (first argument) and opens the data (second). `output` may be NULL; it must be
// neither of the two files. `threshold`, if not NULL, replaces the threshold of the model. The
// session is all zero before; close it also after an error.
tlu_status session_open(struct session *session, const struct arguments *arguments,
                        const char *output, const double *threshold, tlu_error *error);
void session_close(struct session *session);
// The next batch, NULL at the end, after what was printed so far is written.
tlu_status session_next(const struct session *session, const tlu_batch **batch, tlu_error *error);

// Whether a file starts with the magic number of a model file.
bool is_model(const char *path);

// Loads the model that comes before the data; if they are the wrong way round, that is what it
// says.
tlu_status load_first(const struct arguments *arguments, tlu_model **model, tlu_error *error);
// Whether the model is one plane, or one per class, whose weights can be shown; else *error says
// why not.
tlu_status need_weights(const tlu_model *model, tlu_error *error);

// Notes about the data, as in `note`; about unknown labels only if `labels` is set. Those on
// standard error come after what is on standard output, and not with --quiet.
void reading_notes(struct json *notices, const struct arguments *arguments, const tlu_model *model,
                   const tlu_reader_stats *reading, bool labels);

#endif
