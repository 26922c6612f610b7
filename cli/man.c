// Manual pages in roff, made from the tables: tlu --man VERB.
#include "cli.h"

#include <ctype.h>

// Text in which roff sees no commands: backslashes, hyphens and quotes as they are, and no line
// that begins with a dot.
static void write_roff(FILE *file, const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", file);
    for (; *text; text++) {
        if (*text == '\\')
            fputs("\\e", file);
        else if (*text == '-')
            fputs("\\-", file);
        else if (*text == '\'')
            fputs("\\(aq", file);
        else
            fputc(*text, file);
    }
}

static void write_line(FILE *file, const char *text)
{
    write_roff(file, text);
    fputc('\n', file);
}

static void write_upper(FILE *file, const char *text)
{
    for (; *text; text++)
        fputc(toupper((unsigned char)*text), file);
}

static void begin_page(FILE *file, const char *verb, const char *summary)
{
    const char *dash = verb ? "\\-" : "";
    fprintf(file, ".\\\" Made by tlu \\-\\-man from the tables of the command.\n.TH TLU%s", dash);
    write_upper(file, verb ? verb : "");
    fprintf(file, " 1 \"\" \"tlu %s\" \"User Commands\"\n.SH NAME\ntlu%s%s \\- ", tlu_version(),
            dash, verb ? verb : "");
    write_line(file, summary);
}

static void write_option(FILE *file, const tlu_option_info *info, const struct verb *verb)
{
    fprintf(file, ".TP\n");
    if (option_letter(info->name))
        fprintf(file, "\\fB\\-%c\\fR, ", option_letter(info->name));
    fprintf(file, "\\fB\\-\\-");
    write_roff(file, info->name);
    fprintf(file, "\\fR");
    if (info->argument) {
        fprintf(file, " \\fI");
        write_roff(file, info->argument);
        fprintf(file, "\\fR");
    }
    fputc('\n', file);
    write_line(file, option_description(info, verb, NULL));
}

static void write_options(FILE *file, const struct verb *verb)
{
    const tlu_option_info *rows[OPTIONS_MAX];
    size_t count = verb_listed_options(verb, rows);
    for (size_t i = 0; i < count; i++) {
        const char *heading = option_heading(verb, rows[i]);
        if (i == 0 || strcmp(heading, option_heading(verb, rows[i - 1])) != 0) {
            fprintf(file, ".SH ");
            write_upper(file, heading);
            fputc('\n', file);
        }
        write_option(file, rows[i], verb);
    }
}

static void write_exit_codes(FILE *file)
{
    fprintf(file, ".SH EXIT STATUS\n");
    for (size_t i = 0; exit_codes[i]; i += 2) {
        fprintf(file, ".TP\n\\fB%s\\fR\n", exit_codes[i]);
        write_line(file, exit_codes[i + 1]);
    }
}

static void write_arguments(FILE *file, const struct verb *verb)
{
    if (verb->arguments[0].name)
        fprintf(file, ".SH ARGUMENTS\n");
    for (const struct argument *argument = verb->arguments; argument->name; argument++) {
        fprintf(file, ".TP\n\\fI%s\\fR\n", argument->name);
        write_line(file, argument_description(argument));
    }
}

void man_verb(FILE *file, const struct verb *verb)
{
    begin_page(file, verb->name, verb->summary);
    fprintf(file, ".SH SYNOPSIS\n\\fBtlu %s\\fR [\\fIOPTIONS\\fR]", verb_words(verb));
    for (const struct argument *argument = verb->arguments; argument->name; argument++)
        fprintf(file, argument->optional ? " [\\fI%s\\fR]" : " \\fI%s\\fR", argument->name);
    fprintf(file, "\n.SH DESCRIPTION\n");
    write_line(file, verb->description);
    write_arguments(file, verb);
    write_options(file, verb);
    fprintf(file, ".SH EXAMPLES\nIn the folder examples/ of the source:\n.PP\n.nf\n");
    for (size_t i = 0; verb->examples[i]; i++)
        write_line(file, verb->examples[i]);
    fprintf(file, ".fi\n");
    write_exit_codes(file);
    fprintf(file, ".SH SEE ALSO\n.BR tlu (1)\n");
}

void man_command(FILE *file)
{
    begin_page(file, NULL, "linear classifiers of the perceptron family");
    fprintf(file, ".SH SYNOPSIS\n\\fBtlu\\fR \\fIVERB\\fR [\\fIOPTIONS\\fR] \\fIARGUMENTS\\fR\n"
                  ".SH DESCRIPTION\n");
    write_line(file,
               "tlu learns linear classifiers from files and streams, plain or compressed, in any "
               "of the formats that --format of tlu-train(1) lists, saves them as models, and uses "
               "the models to label other data. Results go to standard output, progress and "
               "summaries to standard error; - stands for standard input. Options stand before or "
               "after the arguments, as --name value or --name=value; -- ends them.");
    fprintf(file, ".SH VERBS\n");
    for (size_t i = 0; verb_at(i); i++) {
        fprintf(file, ".TP\n\\fB%s\\fR\n", verb_words(verb_at(i)));
        write_line(file, verb_at(i)->summary);
    }
    fprintf(file, ".TP\n\\fBhelp\\fR [\\fIVERB\\fR|\\fITOPIC\\fR]\n");
    write_line(file, "print help, about everything, about a verb, or about a topic: formats, "
                     "learners, metrics or verbs");
    write_exit_codes(file);
    fprintf(file, ".SH SEE ALSO\n");
    for (size_t i = 0; verb_at(i); i++)
        fprintf(file, ".BR tlu\\-%s (1)%s\n", verb_at(i)->name, verb_at(i + 1) ? "," : "");
}
