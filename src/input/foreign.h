// Common formats that are not read: recognised by name, with advice on what to do.
#ifndef TLU_INPUT_FOREIGN_H
#define TLU_INPUT_FOREIGN_H

#include <stddef.h>

// What is wrong with text that begins with these bytes, or NULL if nothing is known to be. All
// of a small file, or at least one line, should be there.
const char *foreign_format(const char *bytes, size_t size);

#endif
