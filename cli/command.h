// A verb of the command: all that the parser, --help, the man pages and the shell completions know
// about it. One file per verb; VERBS lists them.
#ifndef TLU_CLI_COMMAND_H
#define TLU_CLI_COMMAND_H

#include "streams.h"
#include "tlu.h"

#include <stdbool.h>
#include <stdio.h>

#define ARGUMENTS_MAX 2
#define EXAMPLES_MAX 6
#define SECTIONS_MAX 4
#define OWN_OPTIONS_MAX 64
#define OPTIONS_MAX 160
#define COUNT_MAX 9007199254740992.0 // 2^53: every whole number up to here is a double

struct arguments;

// A positional argument.
struct argument {
    const char *name;    // "DATA"; NULL ends the list
    const char *choices; // "line|xor"; NULL for the name of a file
    const char *help;
    bool optional; // and so are those after it
    bool repeated; // any number of them may come; the last of the list
    bool several;  // the same, for files that are read as one data set
};

// Arguments that several verbs take.
#define LABELLED_ARGUMENT                                                                          \
    {                                                                                              \
        .name = "DATA", .help = "labelled rows; - is standard input"                               \
    }
#define SEVERAL_LABELLED_ARGUMENT                                                                  \
    {                                                                                              \
        .name = "DATA", .help = "labelled rows, in one file or several; - is standard input",      \
        .several = true                                                                            \
    }
#define MODEL_ARGUMENT                                                                             \
    {                                                                                              \
        .name = "MODEL", .help = "a model that tlu train or tlu stream made"                       \
    }
#define ROWS_ARGUMENT                                                                              \
    {                                                                                              \
        .name = "DATA", .help = "rows like those of the training data; - is standard input"        \
    }
#define SEVERAL_ROWS_ARGUMENT                                                                      \
    {                                                                                              \
        .name = "DATA",                                                                            \
        .help = "rows like those of the training data, in one file or several; - is standard "     \
                "input",                                                                           \
        .several = true                                                                            \
    }

// Rows for the options of a verb.
#define OWN_OPTION(name, type, argument, value, choices, least, most, help)                        \
    {                                                                                              \
        name, "command", TLU_OPTION_##type, argument, value, choices, least, most, help            \
    }
#define FLAG_OPTION(name, help) OWN_OPTION(name, FLAG, NULL, "no", NULL, 0, 0, help)
#define TEXT_OPTION(name, argument, help) OWN_OPTION(name, TEXT, argument, "", NULL, 0, 0, help)
#define COUNT_OPTION(name, argument, value, least, most, help)                                     \
    OWN_OPTION(name, COUNT, argument, value, NULL, least, most, help)
#define NUMBER_OPTION(name, argument, value, least, most, help)                                    \
    OWN_OPTION(name, NUMBER, argument, value, NULL, least, most, help)
#define CHOICE_OPTION(name, argument, value, choices, help)                                        \
    OWN_OPTION(name, CHOICE, argument, value, choices, 0, 0, help)
// For verbs whose DATA may be several files.
#define SHARDS_OPTION                                                                              \
    TEXT_OPTION(                                                                                   \
        "shards", "PATTERN",                                                                       \
        "also read the files whose names match, such as 'part-*.svm.zst', in the order of their "  \
        "names")
// For verbs that train in several processes.
#define MIX_OPTIONS                                                                                \
    COUNT_OPTION("mix-every", "ROWS", "0", 0, COUNT_MAX,                                           \
                 "under mpirun: mix the weights of the processes whenever each has learned from "  \
                 "this many rows; 0: after each pass alone"),                                      \
        CHOICE_OPTION("mix-weights", "WHICH", "rows", "rows|cells",                                \
                      "under mpirun: mix a weight of all processes, by their rows, or of those "   \
                      "alone that have changed it since the last mixture")
#define OPTIONS(table) .options = (table), .option_count = sizeof(table) / sizeof(table)[0]

struct verb {
    const char *name;        // "logic-count" is written tlu logic count
    const char *summary;     // one line
    const char *description; // one paragraph
    struct argument arguments[ARGUMENTS_MAX + 1];
    const char *without; // a library option of these groups that it does not take
    // Names of library options that --help, man pages and completions leave out, though the verb
    // takes them if they say nothing new; NULL: none.
    const char *unlisted;
    // Names of the options that most people need, at most five: --help lists them first. NULL: the
    // verb has few options.
    const char *common;
    // Headings for --help of its own options, each with the names below it; the rest are "Other
    // options". {NULL} ends the list.
    struct {
        const char *heading, *names;
    } sections[SECTIONS_MAX + 1];
    const char *groups; // of library options that the verb takes: "reading data"; NULL: none
    const char *only;   // instead: names of the library options that it takes, with blanks between
    const tlu_option_info *options; // [option_count]: the verb's own
    size_t option_count;
    const char *examples[EXAMPLES_MAX + 1]; // each a line for the shell; NULL ends the list
    tlu_status (*run)(const struct arguments *arguments, tlu_error *error);
};

const struct verb *verb_at(size_t index); // NULL past the end
const struct verb *verb_named(const char *name);
// The words of a verb on the command line: "logic count".
const char *verb_words(const struct verb *verb);

// In the order in which --help lists them: each is VERB_verb in cli/VERB.c.
#define VERBS(ROW)                                                                                 \
    ROW(train)                                                                                     \
    ROW(import)                                                                                    \
    ROW(stream)                                                                                    \
    ROW(predict)                                                                                   \
    ROW(eval)                                                                                      \
    ROW(threshold)                                                                                 \
    ROW(cv)                                                                                        \
    ROW(compare)                                                                                   \
    ROW(tune)                                                                                      \
    ROW(mix)                                                                                       \
    ROW(inspect)                                                                                   \
    ROW(explain)                                                                                   \
    ROW(plot)                                                                                      \
    ROW(trace)                                                                                     \
    ROW(separable)                                                                                 \
    ROW(bound)                                                                                     \
    ROW(check)                                                                                     \
    ROW(distance)                                                                                  \
    ROW(game)                                                                                      \
    ROW(approximate)                                                                               \
    ROW(logic)                                                                                     \
    ROW(logic_eval)                                                                                \
    ROW(logic_from)                                                                                \
    ROW(logic_run)                                                                                 \
    ROW(logic_count)                                                                               \
    ROW(split)                                                                                     \
    ROW(convert)                                                                                   \
    ROW(generate)                                                                                  \
    ROW(learners)

#define VERB_ROW(name) extern const struct verb name##_verb;
VERBS(VERB_ROW)
#undef VERB_ROW

// The exit code of a verb that has done its work, if the answer is not yes: ANSWER_NO or
// ANSWER_OPEN.
enum { ANSWER_YES = 0, ANSWER_NO = 1, ANSWER_OPEN = 4 };
extern int verb_answer;
// Another process of the job prints the error.
extern bool verb_is_silent;

// What the exit codes mean, for --help and the man pages: "0", "done", "2", ...; NULL ends the
// list.
extern const char *const exit_codes[];

// What the option does, its choices and its default for the verb, which may be NULL: that of the
// learner of `given`, or if this is NULL of all learners.
const char *option_description(const tlu_option_info *info, const struct verb *verb,
                               const tlu_options *given);
// The same of an argument.
const char *argument_description(const struct argument *argument);

// The heading of a group of options: "Options for learning".
const char *group_heading(const char *group);
// The heading of the section of --help and of a man page that has the option.
const char *option_heading(const struct verb *verb, const tlu_option_info *info);

// help.c, man.c, completion.c, reference.c
void help_command(FILE *file);
void help_verb(FILE *file, const struct verb *verb);
// With the defaults of a learner; NULL: of all.
void help_verb_with(FILE *file, const struct verb *verb, const tlu_options *given);
// A subject other than a verb: "formats", "metrics", "verbs". False: there is none of this name.
bool help_topic(FILE *file, const char *name);
const char *help_topic_at(size_t index); // NULL past the end
void man_command(FILE *file);
void man_verb(FILE *file, const struct verb *verb);
void completion_bash(FILE *file);
void completion_zsh(FILE *file);
void reference_write(FILE *file);

#endif
