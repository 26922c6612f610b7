// What a command that is printed, to be run afterwards, is made of.
#ifndef TLU_CLI_AGAIN_H
#define TLU_CLI_AGAIN_H

#include <stdio.h>

// A word for the shell, in quotes if it needs them.
void write_word(FILE *file, const char *word);

// Where `train` puts the model of this data without -o: "data/iris.csv.gz" -> "iris.tlu". What is
// no file (a pipe, say) has no name of its own. Free the result.
char *model_path(const char *data);

#endif
