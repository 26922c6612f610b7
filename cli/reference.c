// Every option and learner in Markdown, made from the tables: tlu --reference, which is a part of
// docs/command.md.
#include "cli.h"

// Text in a cell: a | would end it.
static void write_cell(FILE *file, const char *text)
{
    for (; *text; text++)
        fprintf(file, *text == '|' ? "\\|" : "%c", *text);
}

// The range of a numeric option; nothing for other options.
static void write_range(FILE *file, const tlu_option_info *info)
{
    if (info->type != TLU_OPTION_COUNT && info->type != TLU_OPTION_NUMBER &&
        info->type != TLU_OPTION_RANGE)
        return;
    if (info->max >= COUNT_MAX && info->min < 1e-20)
        fprintf(file, info->min > 0 ? "above 0" : "0 or more");
    else if (info->max >= COUNT_MAX)
        fprintf(file, "%.15g or more", info->min);
    else
        fprintf(file, "%.15g to %.15g", info->min, info->max);
}

static void write_option(FILE *file, const tlu_option_info *info)
{
    char letter = option_letter(info->name);
    fprintf(file, "| ");
    if (letter)
        fprintf(file, "`-%c`, ", letter);
    fprintf(file, "`--%s%s", info->name, info->argument ? " " : "");
    write_cell(file, info->argument ? info->argument : "");
    fprintf(file, "` | ");
    write_range(file, info);
    fprintf(file, " | ");
    write_cell(file, option_description(info, NULL, NULL));
    fprintf(file, " |\n");
}

// The options of a group, as `verb` has them. Every verb has --help.
static void write_group(FILE *file, const struct verb *verb, const char *group, const char *heading)
{
    const tlu_option_info *rows[OPTIONS_MAX];
    size_t count = verb_options(verb, rows);
    fprintf(file, "\n### %s\n\n| option | numbers | |\n| --- | --- | --- |\n", heading);
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i]->group, group) == 0 && strcmp(rows[i]->name, "help") != 0)
            write_option(file, rows[i]);
}

static void write_verbs(FILE *file)
{
    fprintf(file, "| verb | takes options for | but |\n| --- | --- | --- |\n");
    for (size_t i = 0; verb_at(i); i++) {
        const struct verb *verb = verb_at(i);
        fprintf(file, "| `%s", verb_words(verb));
        for (const struct argument *argument = verb->arguments; argument->name; argument++)
            fprintf(file, argument->optional ? " [%s]" : " %s", argument->name);
        fprintf(file, "` | ");
        for (const char *at = verb->groups ? verb->groups : ""; *at; at++)
            fprintf(file, *at == ' ' ? ", " : "%c", *at);
        for (const char *at = verb->only ? verb->only : ""; *at; at += strspn(at, " ")) {
            size_t length = strcspn(at, " ");
            fprintf(file, "%s`--%.*s`", at == verb->only ? "" : ", ", (int)length, at);
            at += length;
        }
        fprintf(file, " | ");
        if (verb->without)
            fprintf(file, "not `--%s`", verb->without);
        fprintf(file, " |\n");
    }
}

static void write_learners(FILE *file)
{
    const tlu_learner_info *learner;
    fprintf(file, "\n### Learners\n\n"
                  "| learner | its options | defaults of its own | decisions | spaces | schemes |\n"
                  "| --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; (learner = tlu_learner_at(i)) != NULL; i++)
        fprintf(file, "| `%s` | %s | %s | %s | %s | %s |\n", learner->name, learner->options,
                learner->defaults, learner->decisions, learner->spaces, learner->schemes);
}

static void write_conflicts(FILE *file)
{
    char text[400];
    fprintf(file, "\n### Options that exclude each other\n\n");
    for (size_t i = 0; tlu_conflict_at(i, text, sizeof text) > 0; i++)
        fprintf(file, "- %s\n", text);
}

void reference_write(FILE *file)
{
    static const char *const groups[] = {"reading", "data", "learning", "measuring"};
    write_verbs(file);
    for (size_t i = 0; i < COUNT_OF(groups); i++)
        write_group(file, &train_verb, groups[i], group_heading(groups[i]));
    write_group(file, &predict_verb, "output", group_heading("output"));
    for (size_t i = 0; verb_at(i); i++)
        write_group(file, verb_at(i), "command",
                    format_text("Options of %s alone", verb_words(verb_at(i))));
    write_learners(file);
    write_conflicts(file);
}
