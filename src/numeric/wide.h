// Whole numbers of 128 bits, if the compiler has them, and the powers of five that fit 64.
#ifndef TLU_NUMERIC_WIDE_H
#define TLU_NUMERIC_WIDE_H

#include <stdint.h>

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

#define POWER_MAX 27 // 5^27 < 2^63

#define FOUR_POWERS(n) (n), 5 * (n), 25 * (n), 125 * (n)
static const uint64_t powers_of_five[POWER_MAX + 1] = {FOUR_POWERS((uint64_t)1),
                                                       FOUR_POWERS((uint64_t)625),
                                                       FOUR_POWERS((uint64_t)390625),
                                                       FOUR_POWERS((uint64_t)244140625),
                                                       FOUR_POWERS((uint64_t)152587890625),
                                                       FOUR_POWERS((uint64_t)95367431640625),
                                                       FOUR_POWERS((uint64_t)59604644775390625)};
#endif

#endif
