#include "tlu.h"

const char *tlu_version(void)
{
    return TLU_VERSION;
}

const char *tlu_features(void)
{
    return "threads"
#ifdef TLU_HAVE_ZLIB
           " gzip"
#endif
#ifdef TLU_HAVE_ZSTD
           " zstd"
#endif
        ;
}
