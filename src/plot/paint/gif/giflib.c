#include "plot/paint/gif/giflib.h"
#include "base/load/library.h"

#include <string.h>

#ifdef TLU_HAVE_GIF

#define GIFLIB_FILE "libgif.so.7"

bool giflib_load(struct giflib *giflib)
{
#define GIFLIB_NAME(name) #name,
    static const char *const names[] = {GIFLIB_FUNCTIONS(GIFLIB_NAME)};
#undef GIFLIB_NAME
    void *functions[sizeof names / sizeof names[0]];
    _Static_assert(sizeof functions == sizeof *giflib, "a pointer each");
    if (library_load(GIFLIB_FILE, names, functions, sizeof names / sizeof names[0], false, NULL) !=
        LIBRARY_LOADED)
        return false;
    memcpy(giflib, functions, sizeof *giflib);
    return true;
}
#endif
