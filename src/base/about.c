// What the library says about itself, and numbers as text.
#include "base/call/fp_env.h"
#include "numeric/number.h"
#include "tlu.h"

#include <stdio.h>

#define NUMBER_TEXT_MAX 32 // bytes that number_print writes at most

const char *tlu_version(void)
{
    return TLU_VERSION;
}

int tlu_version_number(void)
{
    return TLU_VERSION_NUMBER;
}

const char *tlu_built_with(void)
{
    return "threads"
#ifdef TLU_HAVE_ZLIB
           " gzip"
#endif
#ifdef TLU_HAVE_ZSTD
           " zstd"
#endif
#ifdef TLU_HAVE_GMP
           " gmp"
#endif
#ifdef TLU_HAVE_CLP
           " clp"
#endif
#ifdef TLU_HAVE_OPENBLAS
           " openblas"
#endif
#ifdef TLU_HAVE_CAIRO
           " cairo"
#endif
#ifdef TLU_HAVE_GIF
           " giflib"
#endif
        ;
}

size_t tlu_number_format(char *text, size_t size, double value)
{
    FP_ENV_DEFAULT(caller);
    char own[NUMBER_TEXT_MAX];
    if (text && size >= NUMBER_TEXT_MAX)
        return number_print(text, value);
    size_t length = number_print(own, value);
    if (text && size > 0)
        snprintf(text, size, "%s", own);
    return length;
}
