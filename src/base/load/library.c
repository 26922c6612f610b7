#include "base/load/library.h"

#if defined(TLU_HAVE_CLP) || defined(TLU_HAVE_OPENBLAS) || defined(TLU_HAVE_CAIRO) ||              \
    defined(TLU_HAVE_GIF)
#include "base/call/fp_env.h"

#include <dlfcn.h>

bool library_load(const char *file, const char *const *names, void **functions, size_t count)
{
    struct fp_env left;
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    fp_env_begin(&left); // a library compiled with -ffast-math sets flush-to-zero as it is loaded
    for (size_t i = 0; library && i < count; i++) {
        functions[i] = dlsym(library, names[i]);
        if (!functions[i])
            return false;
    }
    return library != NULL;
}
#endif
