// Which format is it? Read off the first chunk.
#ifndef TLU_FORMAT_RECOGNISE_H
#define TLU_FORMAT_RECOGNISE_H

#include "data/schema.h"

// Which format the text is in; false: none of them by its looks, or rows of a single word, which
// may be LIBSVM or CSV.
bool recognise_format(const char *bytes, size_t size, enum data_format *format);

#endif
