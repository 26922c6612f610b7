// Every option and learner in Markdown, made from the tables: tlu --reference, which is a part of
// docs/command.md.
#include "cli.h"

// Text in a cell: a | would end it.
static void write_cell(FILE *file, const char *text)
{
    for (; *text; text++)
        fprintf(file, *text == '|' ? "\\|" : "%c", *text);
}

// The range of a numeric option: "; 1 or more". Nothing for other options.
static void write_range(FILE *file, const tlu_option_info *info)
{
    if (info->type != TLU_OPTION_COUNT && info->type != TLU_OPTION_NUMBER &&
        info->type != TLU_OPTION_RANGE)
        return;
    if (info->max >= COUNT_MAX && info->min < 1e-20)
        fprintf(file, info->min > 0 ? "; above 0" : "; 0 or more");
    else if (info->max >= COUNT_MAX)
        fprintf(file, "; %.15g or more", info->min);
    else
        fprintf(file, "; %.15g to %.15g", info->min, info->max);
}

// `verbs` come before the description; "": none.
static void write_option(FILE *file, const tlu_option_info *info, const char *verbs)
{
    char letter = option_letter(info->name);
    fprintf(file, "| ");
    if (letter)
        fprintf(file, "`-%c`, ", letter);
    fprintf(file, "`--%s%s", info->name, info->argument ? " " : "");
    write_cell(file, info->argument ? info->argument : "");
    fprintf(file, "` | %s", verbs);
    write_cell(file, option_description(info, NULL, NULL));
    write_range(file, info);
    fprintf(file, " |\n");
}

static bool is_own(const tlu_option_info *info)
{
    return strcmp(info->group, "command") == 0 && strcmp(info->name, "help") != 0;
}

static bool has_same(const struct verb *verb, const tlu_option_info *info)
{
    const tlu_option_info *rows[OPTIONS_MAX];
    size_t count = verb_options(verb, rows);
    for (size_t i = 0; i < count; i++)
        if (is_own(rows[i]) && strcmp(rows[i]->name, info->name) == 0 &&
            strcmp(rows[i]->help, info->help) == 0 && strcmp(rows[i]->value, info->value) == 0)
            return true;
    return false;
}

// The verbs that have the same option, if they are three or more: "train, eval, cv: ". Else "".
static const char *sharers(const tlu_option_info *info)
{
    const char *text = "";
    size_t count = 0;
    for (size_t i = 0; verb_at(i); i++)
        if (has_same(verb_at(i), info))
            text = format_text("%s%s%s", text, count++ ? ", " : "", verb_words(verb_at(i)));
    return count >= 3 ? format_text("%s: ", text) : "";
}

static void write_heading(FILE *file, const char *heading)
{
    fprintf(file, "\n### %s\n\n| option | |\n| --- | --- |\n", heading);
}

// The options of a group, as `verb` has them. Every verb has --help.
static void write_group(FILE *file, const struct verb *verb, const char *group, const char *heading)
{
    const tlu_option_info *rows[OPTIONS_MAX];
    size_t count = verb_options(verb, rows);
    bool begun = false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i]->group, group) != 0 || strcmp(rows[i]->name, "help") == 0 ||
            (is_own(rows[i]) && *sharers(rows[i])))
            continue;
        if (!begun)
            write_heading(file, heading);
        begun = true;
        write_option(file, rows[i], "");
    }
}

// Each option that three or more verbs share, once.
static void write_shared(FILE *file)
{
    const tlu_option_info *rows[OPTIONS_MAX];
    write_heading(file, "Options of several verbs");
    for (size_t i = 0; verb_at(i); i++) {
        size_t count = verb_options(verb_at(i), rows);
        for (size_t j = 0; j < count; j++) {
            const char *verbs = is_own(rows[j]) ? sharers(rows[j]) : "";
            size_t first = 0;
            while (first < i && !has_same(verb_at(first), rows[j]))
                first++;
            if (*verbs && first == i)
                write_option(file, rows[j], verbs);
        }
    }
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

// The words, or "all" if there are `all` of them.
static const char *all_or(const char *words, size_t all)
{
    size_t count = 1;
    for (const char *at = words; *at; at++)
        count += *at == ' ';
    return count == all ? "all" : words;
}

static void write_learners(FILE *file)
{
    const tlu_learner_info *learner;
    fprintf(file, "\n### Learners\n\n"
                  "| learner | its options | defaults of its own | decisions | spaces | schemes |\n"
                  "| --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; (learner = tlu_learner_at(i)) != NULL; i++)
        fprintf(file, "| `%s` | %s | %s | %s | %s | %s |\n", learner->name, learner->options,
                learner->defaults, all_or(learner->decisions, 6), all_or(learner->spaces, 2),
                all_or(learner->schemes, 3));
}

static void write_conflicts(FILE *file)
{
    static const char between[] = " cannot be combined with ";
    char text[400];
    fprintf(file, "\n### Options that exclude each other\n\n"
                  "Each line names two, the reason, and what to do instead.\n\n");
    for (size_t i = 0; tlu_conflict_at(i, text, sizeof text) > 0; i++) {
        const char *at = strstr(text, between);
        if (at)
            fprintf(file, "- %.*s, %s\n", (int)(at - text), text, at + strlen(between));
        else
            fprintf(file, "- %s\n", text);
    }
}

void reference_write(FILE *file)
{
    static const char *const groups[] = {"reading", "data", "learning", "measuring"};
    write_verbs(file);
    for (size_t i = 0; i < COUNT_OF(groups); i++)
        write_group(file, &train_verb, groups[i], group_heading(groups[i]));
    write_group(file, &predict_verb, "output", group_heading("output"));
    write_shared(file);
    for (size_t i = 0; verb_at(i); i++)
        write_group(file, verb_at(i), "command",
                    format_text("Options of %s alone", verb_words(verb_at(i))));
    write_learners(file);
    write_conflicts(file);
}
