// The words after a verb: options by the tables, and positional arguments.
#ifndef TLU_CLI_ARGUMENTS_H
#define TLU_CLI_ARGUMENTS_H

#include "command.h"

struct arguments {
    const struct verb *verb;
    bool help; // --help was asked for; nothing else was checked, errors are passed over
    size_t positional_count;
    const char *positional[ARGUMENTS_MAX];
    const char **repeated; // [repeated_count] the words of an argument that may be repeated
    size_t repeated_count;
    const char *values[OWN_OPTIONS_MAX]; // of the verb's own options; NULL if not given
    const char *files[OWN_OPTIONS_MAX];  // the second value of those that take two words
    const char **lists[OWN_OPTIONS_MAX]; // [list_counts] all values of a TLU_OPTION_LIST
    size_t list_counts[OWN_OPTIONS_MAX];
    char *data;           // the paths of several files, with newlines between them; or NULL
    bool json, quiet;     // --json, --quiet
    tlu_options *library; // the options for the library
};

// Fills rows[OPTIONS_MAX] with every option that the verb takes, its own ones first, and returns
// their number. The parser goes by this list.
size_t verb_options(const struct verb *verb, const tlu_option_info **rows);
// The same without the unlisted ones, and with the common ones first: for --help, man pages and
// completions.
size_t verb_listed_options(const struct verb *verb, const tlu_option_info **rows);

// The letter of a short option, 'o' for "output"; 0 if it has no letter.
char option_letter(const char *name);

// Our name for a word of other tools; NULL if it is unknown. (synonyms.c)
const char *verb_synonym(const char *word);
const char *option_synonym(const char *word);
// The one of the choices "a|b|c" that is meant by a word; NULL: none.
const char *choice_synonym(const char *choices, const char *word);
// A metric as --metric takes it: f1_macro is f1-macro. The word itself if there is none.
const char *metric_synonym(const char *word);
// What there is instead of a verb or an option that other tools have, as a sentence; NULL if the
// word is unknown. (synonyms.c)
const char *verb_answer_to(const char *word);
const char *option_answer_to(const char *word);

// Whether `name` is one of the words in `list`, which are separated by `separator`.
bool list_has(const char *list, char separator, const char *name);

// Whether the option of the library was set.
bool option_is_given(const tlu_options *options, const char *name);

// Whether the option's value is the name of a file.
bool option_is_file(const tlu_option_info *info);

// `words` are those after the verb. Free afterwards, also after an error.
tlu_status arguments_parse(struct arguments *arguments, const struct verb *verb, int count,
                           char **words, tlu_error *error);
void arguments_free(struct arguments *arguments);

// Values of the verb's own options, by name. Text is NULL if neither given nor defaulted.
const char *arguments_text(const struct arguments *arguments, const char *name);
// Whether an option of the verb's own is given.
bool arguments_given(const struct arguments *arguments, const char *name);
// The file of an option that takes "WHAT FILE"; NULL if it is not given.
const char *arguments_file(const struct arguments *arguments, const char *name);
bool arguments_flag(const struct arguments *arguments, const char *name);
// All values of an option that may be repeated, in their order.
const char *const *arguments_list(const struct arguments *arguments, const char *name,
                                  size_t *count);
uint64_t arguments_count(const struct arguments *arguments, const char *name);
double arguments_number(const struct arguments *arguments, const char *name);
// Whether a line on standard error shows how the work goes: on a terminal, without --json and
// --quiet.
bool arguments_progress(const struct arguments *arguments);

// For separable and bound: gives --no-bias and --positive, which are the verb's own there, to the
// library.
tlu_status arguments_set_question(const struct arguments *arguments, tlu_error *error);

// The name among `count` that is nearest to a misspelt one; NULL if none is near.
const char *nearest_name(const char *name, const char *const *names, size_t count);

#endif
