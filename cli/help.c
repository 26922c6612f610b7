// --help, made from the tables.
#include "describe.h"
#include "text.h"

#include <string.h>

#define HELP_COLUMN 26 // where the text behind options starts

const char *group_heading(const char *group)
{
    static const char *const headings[][2] = {{"reading", "Options for reading data"},
                                              {"data", "Options for the training data"},
                                              {"learning", "Options for learning"}};
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++)
        if (strcmp(headings[i][0], group) == 0)
            return headings[i][1];
    return "Options";
}

// Where a model reads data, what is not given is as the model was trained.
static bool model_decides(const tlu_option_info *info, const struct verb *verb)
{
    static const char *const names[] = {"format", "delimiter", "missing"};
    if (!verb || strcmp(verb->groups, "reading") != 0 || strcmp(info->group, "reading") != 0)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(info->name, names[i]) == 0)
            return true;
    return false;
}

const char *option_description(char out[DESCRIPTION_SIZE], const tlu_option_info *info,
                               const struct verb *verb)
{
    int used = snprintf(out, DESCRIPTION_SIZE, "%s", info->help);
    const char *choices = info->choices;
    if (choices && !strchr(choices, '|')) // no choice at all
        choices = NULL;
    for (bool first = true; choices && *choices; first = false) {
        int length = (int)strcspn(choices, "|");
        const char *between = first ? "; one of " : choices[length] ? ", " : " or ";
        used += snprintf(out + used, DESCRIPTION_SIZE - (size_t)used, "%s%.*s", between, length,
                         choices);
        choices += length + (choices[length] == '|');
    }
    if (model_decides(info, verb))
        snprintf(out + used, DESCRIPTION_SIZE - (size_t)used, " (default: that of the model%s)",
                 strcmp(info->name, "delimiter") == 0 ? ", where it fits" : "");
    else if (info->type != TLU_OPTION_FLAG && info->value[0])
        snprintf(out + used, DESCRIPTION_SIZE - (size_t)used, " (default %s)", info->value);
    return out;
}

// "  NAME" and its text in a second column.
static void write_entry(FILE *file, const char *name, const char *text, size_t column)
{
    size_t used = 2 + strlen(name);
    fprintf(file, "  %s", name);
    if (used + 2 > column) {
        fputc('\n', file);
        used = 0;
    }
    fprintf(file, "%*s", (int)(column - used), "");
    text_write_wrapped(file, text, column, column);
}

static void write_option(FILE *file, const tlu_option_info *info, const struct verb *verb)
{
    char name[80], text[DESCRIPTION_SIZE];
    char letter = option_letter(info->name);
    char prefix[8] = "";
    if (letter)
        snprintf(prefix, sizeof prefix, "-%c, ", letter);
    snprintf(name, sizeof name, "%s--%s%s%s", prefix, info->name, info->argument ? " " : "",
             info->argument ? info->argument : "");
    write_entry(file, name, option_description(text, info, verb), HELP_COLUMN);
}

static void write_options(FILE *file, const struct verb *verb)
{
    const tlu_option_info *rows[OPTIONS_MOST];
    size_t count = verb_options(verb, rows);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(rows[i]->group, rows[i - 1]->group) != 0)
            fprintf(file, "\n%s:\n", group_heading(rows[i]->group));
        write_option(file, rows[i], verb);
    }
}

static void write_exit_codes(FILE *file)
{
    fprintf(file, "\nExit status:\n");
    for (size_t i = 0; exit_codes[i]; i += 2)
        write_entry(file, exit_codes[i], exit_codes[i + 1], 5);
}

void help_verb(FILE *file, const struct verb *verb)
{
    fprintf(file, "usage: tlu %s [OPTIONS]", verb->name);
    for (const struct argument *argument = verb->arguments; argument->name; argument++)
        fprintf(file, " %s", argument->name);
    fprintf(file, "\n\n");
    text_write_wrapped(file, verb->description, 0, 0);
    if (verb->arguments[0].name)
        fprintf(file, "\nArguments:\n");
    for (const struct argument *argument = verb->arguments; argument->name; argument++) {
        char text[DESCRIPTION_SIZE];
        const tlu_option_info row = {.help = argument->help,
                                     .choices = argument->choices,
                                     .value = ""}; // described as an option is
        write_entry(file, argument->name, option_description(text, &row, NULL), HELP_COLUMN);
    }
    write_options(file, verb);
    fprintf(file, "\nExamples (in the folder examples/ of the source):\n");
    for (size_t i = 0; verb->examples[i]; i++)
        fprintf(file, "  $ %s\n", verb->examples[i]);
    write_exit_codes(file);
}

void help_command(FILE *file)
{
    fprintf(file,
            "usage: tlu VERB [OPTIONS] ARGUMENTS\n\n"
            "tlu learns linear classifiers of the perceptron family from files and streams.\n\n"
            "Verbs:\n");
    for (size_t i = 0; verb_at(i); i++)
        write_entry(file, verb_at(i)->name, verb_at(i)->summary, 14);
    write_entry(file, "help VERB", "everything about a verb; also tlu VERB --help", 14);
    fprintf(file, "\nOther words:\n");
    write_entry(file, "--version", "version, features and vector kernels; also -v", HELP_COLUMN);
    write_entry(file, "--verbs", "the names of the verbs, one a line", HELP_COLUMN);
    write_entry(file, "--man [VERB]", "the manual page, for man -l -", HELP_COLUMN);
    write_entry(file, "--reference", "all options of all verbs, as Markdown", HELP_COLUMN);
    write_entry(file, "--completion SHELL", "completion for bash or zsh", HELP_COLUMN);
    fprintf(file, "\nExamples (in the folder examples/ of the source):\n"
                  "  $ tlu train data/digits-train.svm -o digits.tlu\n"
                  "  $ tlu eval digits.tlu data/digits-test.svm\n");
    write_exit_codes(file);
}
