// Comparisons with scikit-learn, which need a Python that has it.
#ifndef TLU_TESTS_SKLEARN_H
#define TLU_TESTS_SKLEARN_H

#include <stdio.h>
#include <stdlib.h>

// The interpreter that has scikit-learn, or NULL.
static inline const char *python(void)
{
    const char *names[] = {getenv("TLU_PYTHON"), "python3", "/usr/bin/python3"};
    for (size_t i = 0; i < 3; i++) {
        char command[500];
        snprintf(command, sizeof command,
                 "%s -c 'import importlib.util as u; exit(not u.find_spec(\"sklearn\"))'",
                 names[i] ? names[i] : "false");
        if (system(command) == 0)
            return names[i];
    }
    return NULL;
}

#endif
