// What the library says about itself, and numbers as text.
#include "base/call/fp_env.h"
#include "numeric/number.h"
#include "tlu.h"

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

size_t tlu_number_format(char *out, double value)
{
    FP_ENV_DEFAULT(caller);
    return number_print(out, value);
}
