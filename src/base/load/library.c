#include "base/load/library.h"

#if defined(TLU_HAVE_CLP) || defined(TLU_HAVE_OPENBLAS) || defined(TLU_HAVE_CAIRO) ||              \
    defined(TLU_HAVE_GIF)
#include "base/call/fp_env.h"

#include <dlfcn.h>

bool library_load(const char *file, const char *const *names, void **functions, size_t count)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    fp_env_begin(); // a library compiled with -ffast-math flushes subnormal numbers once it is
                    // loaded
    for (size_t i = 0; library && i < count; i++) {
        functions[i] = dlsym(library, names[i]);
        if (!functions[i])
            return false;
    }
    return library != NULL;
}
#endif
