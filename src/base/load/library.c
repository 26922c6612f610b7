#include "base/load/library.h"

#if defined(TLU_HAVE_CLP) || defined(TLU_HAVE_OPENBLAS) || defined(TLU_HAVE_CAIRO) ||              \
    defined(TLU_HAVE_GIF)
#include "base/call/fp_env.h"
#include "base/memory.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MB ((uint64_t)1 << 20)
#define BLAS_BUFFER (136 * MB) // 128 MB in version 0.3, and what it takes to map them
#define BLAS_CODE (64 * MB)    // OpenBLAS, LAPACK, Fortran, C++
#define BLAS_THREADS_MAX 128

// The number of threads that OpenBLAS chooses when it is loaded.
static size_t blas_threads(void)
{
    static const char *const variables[] = {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS",
                                            "OMP_NUM_THREADS"};
    long threads = sysconf(_SC_NPROCESSORS_CONF);
    for (size_t i = 0; i < 3; i++) {
        const char *text = getenv(variables[i]);
        long wanted = text ? strtol(text, NULL, 10) : 0;
        if (wanted > 0) {
            threads = wanted < threads ? wanted : threads;
            break;
        }
    }
    return threads < 1 ? 1 : threads > BLAS_THREADS_MAX ? BLAS_THREADS_MAX : (size_t)threads;
}

uint64_t library_blas_buffers(size_t count)
{
    pthread_attr_t attributes;
    size_t stack = 0;
    if (pthread_attr_init(&attributes) == 0) {
        pthread_attr_getstacksize(&attributes, &stack);
        pthread_attr_destroy(&attributes);
    }
    return (uint64_t)count * (BLAS_BUFFER + stack);
}

// For the code and the threads that OpenBLAS starts when loaded.
static bool has_blas_space(void)
{
    return memory_is_free(BLAS_CODE + library_blas_buffers(blas_threads() - 1));
}

static enum library_state missing(char *why)
{
    const char *text = dlerror();
    if (why)
        snprintf(why, LIBRARY_WHY, "%s", text ? text : "unknown reason");
    return LIBRARY_MISSING;
}

enum library_state library_load(const char *file, const char *const *names, void *table,
                                size_t count, bool blas, char why[LIBRARY_WHY])
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (!library && blas && !has_blas_space())
        return LIBRARY_NO_SPACE;
    if (!library) {
        struct fp_env left;
        library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        fp_env_begin(&left); // code compiled with -ffast-math sets flush-to-zero when it is loaded
    }
    if (!library)
        return missing(why);
    for (size_t i = 0; i < count; i++) {
        void *function = dlsym(library, names[i]);
        if (!function)
            return missing(why);
        memcpy((char *)table + i * sizeof function, &function, sizeof function);
    }
    return LIBRARY_LOADED;
}
#endif
