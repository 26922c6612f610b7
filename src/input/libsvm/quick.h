// Fast paths for plain LIBSVM rows, one for each instruction set.
//
// libsvm.c alone has the rules and the messages. The fast paths parse plain rows, with the same
// result, and leave every other row to libsvm.c.
#ifndef TLU_INPUT_LIBSVM_QUICK_H
#define TLU_INPUT_LIBSVM_QUICK_H

#include "input/parse.h"

#define KNOWN_LABELS 16 // a power of 2

// The classes of recent labels of up to 8 bytes, by these bytes; 0: free.
struct known_labels {
    uint64_t labels[KNOWN_LABELS];
    uint32_t classes[KNOWN_LABELS];
};

// What is kept between the calls for one batch.
struct quick_memory {
    struct known_labels known;
    struct libsvm_window *window; // made when it is needed; the caller's to free
};

// Reads rows from the start of the line at `from` on. Returns where it stopped: at the start of a
// line that is not plain, or at `size`. *memory: out of memory.
typedef size_t libsvm_quick(const struct parser *parser, const char *bytes, size_t size,
                            size_t from, struct batch *batch, struct quick_memory *kept,
                            bool *memory);

extern libsvm_quick *const libsvm_quick_plain;
extern libsvm_quick *const libsvm_quick_avx2; // NULL: not compiled in
// Those that this CPU has, the best first; NULL past the end.
libsvm_quick *libsvm_quick_at(size_t index);

// As libsvm_parse(), with the plain rows read by `quick`, or by the rules too if that is NULL.
enum parse_result libsvm_parse_by(libsvm_quick *quick, const struct parser *parser,
                                  const char *bytes, size_t size, struct batch *batch,
                                  struct bad_row *bad);

#endif
