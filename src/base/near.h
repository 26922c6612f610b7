// Texts that are nearly the same: what somebody may have meant.
#ifndef TLU_BASE_NEAR_H
#define TLU_BASE_NEAR_H

#include <stdbool.h>
#include <stddef.h>

// Whether texts that are so far apart (tlu_text_distance) are near, for one of this length.
bool near_enough(size_t distance, size_t length);

#endif
