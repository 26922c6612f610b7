// Texts that are nearly the same: what the user may have meant.
#ifndef TLU_BASE_NEAR_H
#define TLU_BASE_NEAR_H

#include <stdbool.h>
#include <stddef.h>

// Whether texts at this distance (tlu_text_distance) are near, for one of this length.
bool near_enough(size_t distance, size_t length);
// The most similar of the names that name_at(0), name_at(1)... return until NULL; NULL: none is
// near.
const char *near_name(const char *name, const char *(*name_at)(size_t index));

#endif
