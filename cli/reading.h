// A model and the data that it reads, for predict, explain and distance; notes about the data.
#ifndef TLU_CLI_READING_H
#define TLU_CLI_READING_H

#include "arguments.h"

struct session {
    tlu_model *model;
    tlu_reader *reader;
};

// Loads the model (first argument) and opens the data (second). `output` may be NULL; it must be
// neither of the two files. `threshold`, if not NULL, replaces the threshold of the model. Close
// only if this succeeded.
tlu_status session_open(struct session *session, const struct arguments *arguments,
                        const char *output, const double *threshold, tlu_error *error);
void session_close(struct session *session);

// Loads the model that comes before the data; if they are the wrong way round, that is what it
// says.
tlu_status load_first(const struct arguments *arguments, tlu_model **model, tlu_error *error);
// Whether the model is one plane, or one per class, whose weights can be shown; else *error says
// why not.
tlu_status need_weights(const tlu_model *model, tlu_error *error);

// Notes about the data, a sentence each; about unknown labels only if `labels` is set.
#define NOTES_MAX 8
struct notes {
    size_t count;
    char text[NOTES_MAX][256];
};
void reading_notes(struct notes *notes, const struct arguments *arguments, const tlu_model *model,
                   const tlu_reader_stats *reading, bool labels);
void print_reading_notes(FILE *file, const struct arguments *arguments, const tlu_model *model,
                         const tlu_reader_stats *reading, bool labels);

#endif
