// Whole numbers of 128 bits, if the compiler has them, and the powers of five that fit 64.
#ifndef TLU_NUMERIC_WIDE_H
#define TLU_NUMERIC_WIDE_H

#include <stdint.h>

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

#define POWER_MAX 27 // 5^27 < 2^63

static const uint64_t powers_of_five[POWER_MAX + 1] = {
    1u,
    5u,
    25u,
    125u,
    625u,
    3125u,
    15625u,
    78125u,
    390625u,
    1953125u,
    9765625u,
    48828125u,
    244140625u,
    1220703125u,
    6103515625u,
    30517578125u,
    152587890625u,
    762939453125u,
    3814697265625u,
    19073486328125u,
    95367431640625u,
    476837158203125u,
    2384185791015625u,
    11920928955078125u,
    59604644775390625u,
    298023223876953125u,
    1490116119384765625u,
    7450580596923828125u,
};
#endif

#endif
