#include "plot/paint/cairo.h"
#include "base/load/library.h"

#include <string.h>

#ifdef TLU_HAVE_CAIRO

#define CAIRO_FILE "libcairo.so.2"

bool cairo_load(struct cairo *cairo)
{
#define CAIRO_NAME(name) "cairo_" #name,
    static const char *const names[] = {CAIRO_FUNCTIONS(CAIRO_NAME)};
#undef CAIRO_NAME
    void *functions[sizeof names / sizeof names[0]];
    _Static_assert(sizeof functions == sizeof *cairo, "a pointer each");
    if (library_load(CAIRO_FILE, names, functions, sizeof names / sizeof names[0], false, NULL) !=
        LIBRARY_LOADED)
        return false;
    memcpy(cairo, functions, sizeof *cairo);
    return true;
}
#endif
