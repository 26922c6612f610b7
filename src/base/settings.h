// Structs that a caller fills. Their first field is the size in the caller's header, which may be
// older than the library and lack the last fields.
#ifndef TLU_BASE_SETTINGS_H
#define TLU_BASE_SETTINGS_H

#include "base/error.h"

// Copies the caller's struct (NULL: all zeros) to a struct of `size` bytes; fields that the
// caller's header lacks become 0. `name` is the struct's, for the message.
tlu_status settings_take(void *own, size_t size, const void *given, const char *name,
                         tlu_error *error);
// Copies a filled-in struct back to the caller's, except its size.
void settings_give(void *given, const void *own);

#endif
