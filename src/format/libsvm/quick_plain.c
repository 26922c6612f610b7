// Rows by plain C.
#include "format/libsvm/entry_words.h"
#include "format/libsvm/quick_lines.h"

libsvm_quick *const libsvm_quick_plain = quick_lines;
