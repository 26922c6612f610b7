// Structs that a caller fills, whose first field is their size: that of the caller's header, which
// may be older than the library and lack the last fields.
#ifndef TLU_BASE_SETTINGS_H
#define TLU_BASE_SETTINGS_H

#include "base/error.h"

// Copies what the caller has given (NULL: nothing) to a struct of `size` bytes, in which all that
// the caller's header does not have is 0. `name` is the struct's, for the message.
tlu_status settings_take(void *own, size_t size, const void *given, const char *name,
                         tlu_error *error);
// Copies what was filled in back to the caller's struct, all but its size.
void settings_give(void *given, const void *own);

#endif
