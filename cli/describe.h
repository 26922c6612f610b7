// Options in words, for --help and the man pages alike.
#ifndef TLU_CLI_DESCRIBE_H
#define TLU_CLI_DESCRIBE_H

#include "arguments.h"

#define DESCRIPTION_SIZE 1024

// What the option does, its choices and its default for the verb, which may be NULL: that of the
// learner of `given`, or if this is NULL of all learners.
const char *option_description(char out[DESCRIPTION_SIZE], const tlu_option_info *info,
                               const struct verb *verb, const tlu_options *given);

// The heading of a group of options: "Options for learning".
const char *group_heading(const char *group);

#endif
