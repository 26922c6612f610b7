// Commands that are printed, to be run afterwards.
#include "again.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

void write_word(FILE *file, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./@%";
    if (word[0] && word[strspn(word, plain)] == '\0') {
        fputs(word, file);
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
