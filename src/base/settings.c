#include "base/settings.h"

#include <string.h>

tlu_status settings_take(void *own, size_t size, const void *given, const char *name,
                         tlu_error *error)
{
    size_t given_size;
    memset(own, 0, size);
    if (!given)
        return TLU_OK;
    memcpy(&given_size, given, sizeof given_size);
    if (given_size < sizeof given_size || given_size > size)
        return error_input(error, "the size of a %s must be set to sizeof(%s), up to %zu, not %zu",
                           name, name, size, given_size);
    memcpy(own, given, given_size);
    return TLU_OK;
}

void settings_give(void *given, const void *own)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    memcpy((char *)given + sizeof size, (const char *)own + sizeof size, size - sizeof size);
}
