// Commands that are printed for the user to run, and the paths of models.
#ifndef TLU_CLI_COMMAND_LINE_H
#define TLU_CLI_COMMAND_LINE_H

#include "arguments.h"

#include <stdbool.h>
#include <stdio.h>

// A word for the shell, in quotes if it needs them.
void write_word(FILE *file, const char *word);
// Several files of data, separated by blanks.
void write_data(FILE *file, const char *data);

// Where `train` puts the model of this data without -o: "data/iris.csv.gz" -> "iris.tlu". What is
// no file (a pipe, say) has no name of its own. Free the result.
char *model_path(const char *data);

// -o, or where the model of DATA, the first argument, goes without it; checked as below. The caller
// frees *path, also after an error.
tlu_status model_output(const struct arguments *arguments, bool again, char **path,
                        tlu_error *error);

// Finds out before the work, not after it, that the model cannot be saved. `again`: it will be
// several times.
tlu_status check_model_path(const char *output, const char *data, bool again, tlu_error *error);

// "tlu train DATA -o MODEL ..." with the options that give the same model of this many classes.
void write_train(FILE *file, const tlu_options *options, size_t classes, const char *data,
                 const char *model);
// The same as text; free it.
char *train_text(const tlu_options *options, size_t classes, const char *data, const char *model);

#endif
