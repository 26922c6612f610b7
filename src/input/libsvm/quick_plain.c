// Rows by plain C.
#include "input/libsvm/entry_words.h"
#include "input/libsvm/quick_lines.h"

libsvm_quick *const libsvm_quick_plain = quick_lines;
