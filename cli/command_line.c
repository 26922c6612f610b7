// Commands that are printed, to be run afterwards.
#include "command_line.h"
#include "cli.h"

#include <errno.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

// For people, as bash and zsh read it: $'a\x1Bb'.
static void write_escaped_word(FILE *file, const char *word)
{
    fputs("$'", file);
    for (; *word; word++) {
        unsigned char byte = (unsigned char)*word;
        if (byte < 32 || byte >= 127)
            fprintf(file, "\\x%02X", byte);
        else
            fprintf(file, byte == '\'' || byte == '\\' ? "\\%c" : "%c", byte);
    }
    fputc('\'', file);
}

void write_word(FILE *file, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    if (word[0] && word[strspn(word, plain)] == '\0') {
        fputs(word, file);
        return;
    }
    if (streams_escapes(file) && tlu_text_escape(NULL, 0, word, strlen(word)) != strlen(word)) {
        write_escaped_word(file, word);
        return;
    }
    fputc('\'', file);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, file);
    fputc('\'', file);
}

// Takes `extension` off the end of a path's last name, if something is left of the name.
static bool strip(char *path, const char *extension)
{
    size_t length = strlen(path), taken = strlen(extension);
    if (length <= taken || strcasecmp(path + length - taken, extension) != 0 ||
        path[length - taken - 1] == '/')
        return false;
    path[length - taken] = '\0';
    return true;
}

char *model_path(const char *data)
{
    static const char *const known[] = {".svm",  ".libsvm", ".csv", ".tsv",   ".txt",  ".dat",
                                        ".data", ".vw",     ".ft",  ".jsonl", ".json", NULL};
    struct stat about;
    bool exists = access(data, F_OK) == 0;
    if (!exists && strpbrk(data, "\n*?[")) // several files
        return need(strdup("model.tlu"));
    if (strcmp(data, "-") == 0 || (stat(data, &about) == 0 && !S_ISREG(about.st_mode)))
        return need(strdup("model.tlu"));
    const char *slash = strrchr(data, '/');
    const char *name = slash ? slash + 1 : data;
    char *path = need(malloc(strlen(name) + sizeof ".tlu"));
    strcpy(path, name);
    if (!strip(path, ".gz"))
        strip(path, ".zst");
    for (size_t i = 0; known[i]; i++)
        if (strip(path, known[i]))
            break;
    return strcat(path, ".tlu");
}

// ---- train ----

// Leaves out options at their default and options without effect.
static bool needs_saying(const tlu_options *options, size_t classes, const tlu_option_info *info)
{
    char usual[64] = "", why[2];
    if (!option_is_given(options, info->name) ||
        (strcmp(info->name, "multiclass") == 0 && classes == 2) ||
        tlu_options_no_effect(options, info->name, why, sizeof why) > 0)
        return false;
    tlu_options_default(options, info->name, usual, sizeof usual);
    return strcmp(tlu_options_get(options, info->name), usual) != 0;
}

void write_data(FILE *file, const char *data)
{
    for (const char *at = data; *at; at += strspn(at, "\n")) {
        size_t length = strcspn(at, "\n");
        OWNED(char) path = need(strndup(at, length));
        if (at > data)
            fputc(' ', file);
        write_word(file, path);
        at += length;
    }
}

void write_train(FILE *file, const tlu_options *options, size_t classes, const char *data,
                 const char *model)
{
    fputs("tlu train ", file);
    write_data(file, data);
    fputs(" -o ", file);
    write_word(file, model);
    for (size_t i = 0; i < tlu_option_count(); i++) {
        const tlu_option_info *info = tlu_option_at(i);
        if (!needs_saying(options, classes, info))
            continue;
        fprintf(file, " --%s", info->name);
        if (info->type == TLU_OPTION_FLAG)
            continue;
        fputc(' ', file);
        write_word(file, tlu_options_get(options, info->name));
    }
}

char *train_text(const tlu_options *options, size_t classes, const char *data, const char *model)
{
    char *text = NULL;
    size_t length;
    FILE *file = need(open_memstream(&text, &length));
    write_train(file, options, classes, data, model);
    fclose(file);
    return text;
}

tlu_status check_model_path(const char *output, const char *data, bool again, tlu_error *error)
{
    struct stat about;
    if (strcmp(output, "-") == 0)
        return fail_input(error, "a model needs a file: -o cannot be standard output");
    if (strcmp(data, "-") != 0 && access(data, R_OK) != 0 && !strpbrk(data, "\n*?["))
        return TLU_OK; // the library reports what is wrong with the data
    bool there = stat(output, &about) == 0;
    if (there && S_ISDIR(about.st_mode))
        return fail_input(error, "the model cannot go to '%s': it is a folder", output);
    if (there && !S_ISREG(about.st_mode) && again)
        return fail_input(error,
                          "--checkpoint needs a file that one model after the other can be saved "
                          "to, and '%s' is a device or a pipe",
                          output);
    if (there && !S_ISREG(about.st_mode))
        return TLU_OK; // a device, such as /dev/null, is written to and not replaced
    OWNED(char) folder = folder_of(output);
    TRY(refuse_overwriting(output, data, error));
    if (access(folder, W_OK | X_OK) != 0)
        return fail_input(error, "the model cannot go to '%s': %s", output, strerror(errno));
    return TLU_OK;
}

tlu_status model_output(const struct arguments *arguments, bool again, char **path,
                        tlu_error *error)
{
    const char *data = arguments->positional[0], *asked = arguments_text(arguments, "output");
    *path = asked ? need(strdup(asked)) : model_path(data);
    return check_model_path(*path, data, again, error);
}
