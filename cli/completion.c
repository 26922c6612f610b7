// Completion for shells, made from the tables: tlu --completion bash|zsh.
#include "cli.h"

static void write_choices(FILE *file, const char *choices) // "a|b" as "a b"
{
    for (; *choices; choices++)
        fputc(*choices == '|' ? ' ' : *choices, file);
}

// The second word of a verb that has two, if `first` is NULL or its first; else NULL.
static const char *second_word(const struct verb *verb, const struct verb *first)
{
    const char *gap = strchr(verb->name, '-');
    size_t length = gap ? (size_t)(gap - verb->name) : 0;
    if (!gap ||
        (first && (strlen(first->name) != length || memcmp(first->name, verb->name, length) != 0)))
        return NULL;
    return gap + 1;
}

// The words that may follow the verb: the choices of its first argument, or second words of verbs.
// Returns whether there is something, and writes it unless the file is NULL.
static bool write_next(FILE *file, const struct verb *verb)
{
    const char *choices = verb->arguments[0].name ? verb->arguments[0].choices : NULL;
    bool any = choices != NULL;
    if (choices && file)
        write_choices(file, choices);
    for (size_t i = 0; verb_at(i); i++) {
        const char *second = second_word(verb_at(i), verb);
        if (second && file)
            fprintf(file, "%s%s", any ? " " : "", second);
        any = any || second;
    }
    return any;
}

// The first words.
static void write_verbs(FILE *file)
{
    for (size_t i = 0; verb_at(i); i++)
        if (!second_word(verb_at(i), NULL))
            fprintf(file, "%s ", verb_at(i)->name);
}

// ---- bash

static void write_bash_values(FILE *file, const struct verb *verb)
{
    const tlu_option_info *rows[OPTIONS_MAX];
    size_t count = verb_listed_options(verb, rows);
    for (size_t i = 0; i < count; i++) {
        if (rows[i]->type == TLU_OPTION_FLAG)
            continue;
        char letter = option_letter(rows[i]->name);
        fprintf(file, "    '%s --%s'", verb->name, rows[i]->name); // the word before the cursor
        if (letter)
            fprintf(file, " | '%s -%c'", verb->name, letter);
        if (rows[i]->choices) {
            fprintf(file, ") words='");
            write_choices(file, rows[i]->choices);
            fprintf(file, "' ;;\n");
        } else {
            fprintf(file, ") %s ;;\n", option_is_file(rows[i]) ? "return" : "free=1");
        }
    }
}

static void write_bash_options(FILE *file, const struct verb *verb)
{
    const tlu_option_info *rows[OPTIONS_MAX];
    size_t count = verb_listed_options(verb, rows);
    fprintf(file, "        '%s -'*) words='", verb->name);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%s--%s", i ? " " : "", rows[i]->name);
    fprintf(file, "' ;;\n");
    if (write_next(NULL, verb)) {
        fprintf(file, "        '%s '*) words='", verb->name);
        write_next(file, verb);
        fprintf(file, "' ;;\n");
    }
}

void completion_bash(FILE *file)
{
    fprintf(file, "# bash completion for tlu; made by: tlu --completion bash\n"
                  "_tlu()\n{\n"
                  "    local current=${COMP_WORDS[COMP_CWORD]} words='' free=''\n"
                  "    local previous=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]}\n"
                  "    COMPREPLY=()\n"
                  "    # bash takes --name=value for three words\n"
                  "    if [ \"$current\" = '=' ]; then\n"
                  "        current=''\n"
                  "    elif [ \"$previous\" = '=' ] && [ \"$COMP_CWORD\" -gt 2 ]; then\n"
                  "        previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
                  "    fi\n"
                  "    case \"$verb ${COMP_WORDS[2]-}\" in\n");
    // Two words become one, if the second is not the one that is completed.
    for (size_t i = 0; verb_at(i); i++)
        if (second_word(verb_at(i), NULL))
            fprintf(file, "    '%s') [ \"$COMP_CWORD\" -le 2 ] || verb='%s' ;;\n",
                    verb_words(verb_at(i)), verb_at(i)->name);
    fprintf(file, "    esac\n    case \"$verb $previous\" in\n");
    for (size_t i = 0; verb_at(i); i++)
        write_bash_values(file, verb_at(i));
    fprintf(file, "    'help help') words='");
    write_verbs(file);
    for (size_t i = 0; help_topic_at(i); i++)
        fprintf(file, "%s%s", i ? " " : "", help_topic_at(i));
    fprintf(file, "' ;;\n    '--help --help' | '--man --man') words='");
    write_verbs(file);
    fprintf(file, "' ;;\n    '--completion --completion') words='bash zsh' ;;\n"
                  "    *)\n        case \"$verb $current\" in\n");
    for (size_t i = 0; verb_at(i); i++)
        write_bash_options(file, verb_at(i));
    fprintf(file, "        esac ;;\n    esac\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                  "        words='");
    write_verbs(file);
    fprintf(file, "help --help --version --verbs --man --reference --completion'\n    fi\n"
                  "    if [ -n \"$free\" ]; then\n"
                  "        compopt +o default # the value is the user's own, no file\n"
                  "    elif [ -n \"$words\" ]; then\n"
                  "        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
                  "    fi # else bash completes file names\n"
                  "}\ncomplete -o default -F _tlu tlu\n");
}

// ---- zsh

// Text inside '...' and [...] of an _arguments specification.
static void write_zsh_text(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", file);
        else if (strchr("[]:\\", *text))
            fprintf(file, "\\%c", *text);
        else
            fputc(*text, file);
    }
}

// ":what:how" to complete a value.
static void write_zsh_value(FILE *file, const char *name, const char *choices, bool is_file)
{
    fputc(':', file);
    write_zsh_text(file, name);
    fputc(':', file);
    if (choices) {
        fputc('(', file);
        write_choices(file, choices);
        fputc(')', file);
    } else if (is_file) {
        fputs("_files", file);
    }
}

static void write_zsh_option(FILE *file, const tlu_option_info *info)
{
    char letter = option_letter(info->name);
    const char *repeat = info->type == TLU_OPTION_LIST ? "*" : "";
    fprintf(file, " \\\n            ");
    if (letter)
        fprintf(file, "'(-%c --%s)'{-%c,--%s%s}'", letter, info->name, letter, info->name,
                info->argument ? "=" : "");
    else
        fprintf(file, "'%s--%s%s", repeat, info->name, info->argument ? "=" : "");
    fputc('[', file);
    write_zsh_text(file, info->help);
    fputc(']', file);
    if (info->argument)
        write_zsh_value(file, info->argument, info->choices, option_is_file(info));
    fputc('\'', file);
}

static void write_zsh_verb(FILE *file, const struct verb *verb)
{
    const tlu_option_info *rows[OPTIONS_MAX];
    size_t count = verb_listed_options(verb, rows);
    fprintf(file, "    %s)\n        _arguments", verb->name);
    for (size_t i = 0; i < count; i++)
        write_zsh_option(file, rows[i]);
    for (size_t i = 0; verb->arguments[i].name; i++) {
        const struct argument *argument = &verb->arguments[i];
        fprintf(file, " \\\n            '%zu", i + 1);
        if (i == 0 && write_next(NULL, verb)) {
            fprintf(file, ":%s:(", argument->name);
            write_next(file, verb);
            fputc(')', file);
        } else {
            write_zsh_value(file, argument->name, argument->choices, true);
        }
        fputc('\'', file);
    }
    fprintf(file, " ;;\n");
}

void completion_zsh(FILE *file)
{
    fprintf(file, "#compdef tlu\n# zsh completion for tlu; made by: tlu --completion zsh\n"
                  "_tlu()\n{\n    local -a verbs=(\n");
    for (size_t i = 0; verb_at(i); i++) {
        if (second_word(verb_at(i), NULL))
            continue;
        fprintf(file, "        '%s:", verb_at(i)->name);
        write_zsh_text(file, verb_at(i)->summary);
        fprintf(file, "'\n");
    }
    fprintf(file, "        'help:print help'\n    )\n"
                  "    if ((CURRENT == 2)); then\n"
                  "        _describe verb verbs\n"
                  "        compadd -- --help --version --verbs --man --reference --completion\n"
                  "        return\n    fi\n"
                  "    shift words\n    ((CURRENT--))\n");
    for (size_t i = 0; verb_at(i); i++)
        if (second_word(verb_at(i), NULL))
            fprintf(file,
                    "    if ((CURRENT > 2)) && [ \"$words[1] $words[2]\" = '%s' ]; then\n"
                    "        words[1,2]=('%s')\n        ((CURRENT--))\n    fi\n",
                    verb_words(verb_at(i)), verb_at(i)->name);
    fprintf(file, "    case $words[1] in\n");
    for (size_t i = 0; verb_at(i); i++)
        write_zsh_verb(file, verb_at(i));
    fprintf(file, "    help) compadd --");
    for (size_t i = 0; help_topic_at(i); i++)
        fprintf(file, " %s", help_topic_at(i));
    fprintf(file, "; _describe verb verbs ;;\n"
                  "    --help | --man) _describe verb verbs ;;\n"
                  "    --completion) compadd bash zsh ;;\n"
                  "    esac\n}\n"
                  "if [ \"$funcstack[1]\" = _tlu ]; then\n    _tlu \"$@\"\nelse\n"
                  "    compdef _tlu tlu\nfi\n");
}
