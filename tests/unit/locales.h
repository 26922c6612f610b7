// A host program may have set a locale that writes 1,5.
#ifndef TLU_TESTS_LOCALES_H
#define TLU_TESTS_LOCALES_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

// Sets one that is installed, or else one made here and now in a folder of this name, of each test
// its own.
static inline bool set_comma_locale(const char *folder)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (setlocale(LC_ALL, names[i]))
            return true;
    char command[400];
    snprintf(command, sizeof command,
             "mkdir -p %s && localedef -i de_DE -f UTF-8 ./%s/de_DE.UTF-8 >%s/log 2>&1", folder,
             folder, folder);
    char *path = system(command) == 0 ? realpath(folder, NULL) : NULL;
    if (!path)
        return false;
    setenv("LOCPATH", path, 1);
    free(path);
    return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

#endif
