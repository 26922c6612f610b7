// Plain LIBSVM rows at the speed of memory, by the instruction set that the CPU has.
//
// The rules and the messages are those of libsvm.c alone: what is read here is only what is read
// there in the same way, and any row that is not plain is left to it.
#ifndef TLU_FORMAT_LIBSVM_QUICK_H
#define TLU_FORMAT_LIBSVM_QUICK_H

#include "format/parse.h"

// Reads rows from the start of the line at `from` on. Returns where it stopped: at the start of a
// line that is not plain, or at `size`. *memory: memory is out. *window is what it works in: NULL
// at first, made when it is needed, and the caller's to free.
struct quick_window;
typedef size_t quick_function(const struct parser *parser, const char *bytes, size_t size,
                              size_t from, struct batch *batch, struct quick_window **window,
                              bool *memory);

extern quick_function *const quick_avx2, *const quick_avx512; // NULL where not compiled in
// Those that this CPU has, the best first; NULL past the end.
quick_function *quick_at(size_t index);

// As libsvm_parse(), with the plain rows read by `quick`, or by the rules too where that is NULL.
enum parse_result libsvm_parse_by(quick_function *quick, const struct parser *parser,
                                  const char *bytes, size_t size, struct batch *batch,
                                  struct bad_row *bad);

#endif
