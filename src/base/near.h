// Texts that are nearly the same: what the user may have meant.
#ifndef TLU_BASE_NEAR_H
#define TLU_BASE_NEAR_H

#include <stdbool.h>
#include <stddef.h>

// Whether texts at this distance (tlu_text_distance) are near, for one of this length.
bool near_enough(size_t distance, size_t length);

#endif
