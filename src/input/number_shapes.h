// Where the digits of a number are, by its length and the place of its point (numbers_avx2.h).
#ifndef TLU_INPUT_NUMBER_SHAPES_H
#define TLU_INPUT_NUMBER_SHAPES_H

#include <stdint.h>

struct number_shape {
    uint8_t places[16]; // in the text; 128: a zero
    double scale;       // that the digits are to be divided by; 0: this is no number
    double unused;      // so that a row is 32 bytes
};

#define NUMBER_SHAPE_LENGTHS 19 // up to 17 with the colon before the number; then: too long
#define NUMBER_SHAPE_ROW_BITS 9 // a length has 2^9 bytes

// [length with the colon][place of the first point, 15: none]
extern const struct number_shape number_shapes[NUMBER_SHAPE_LENGTHS][16];

#endif
