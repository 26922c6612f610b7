#include "input/number_shapes.h"

// The number has n bytes, and its point is before byte p of the digits; p >= n: it has none.
#define FROM(n, j) ((j) - (16 - (n)))
#define PLACE(n, p, j)                                                                             \
    (uint8_t)(FROM(n, j) > (p) || (p) >= (n) ? (FROM(n, j) < 0 ? 128 : FROM(n, j))                 \
                                             : (FROM(n, j) < 1 ? 128 : FROM(n, j) - 1))
#define POWER(e)                                                                                   \
    ((e) < 8 ? ((e) < 4 ? ((e) < 2 ? ((e) < 1 ? 1e0 : 1e1) : ((e) < 3 ? 1e2 : 1e3))                \
                        : ((e) < 6 ? ((e) < 5 ? 1e4 : 1e5) : ((e) < 7 ? 1e6 : 1e7)))               \
             : ((e) < 12 ? ((e) < 10 ? ((e) < 9 ? 1e8 : 1e9) : ((e) < 11 ? 1e10 : 1e11))           \
                         : ((e) < 14 ? ((e) < 13 ? 1e12 : 1e13) : ((e) < 15 ? 1e14 : 1e15))))
// 0 for texts without digits, or with more than 15.
#define SCALE(n, p)                                                                                \
    ((n) == 0 || (n) > 16 || ((n) == 1 && (p) == 0) || ((n) == 16 && (p) == 15) ? 0                \
     : (p) >= (n)                                                               ? 1                \
                  : POWER((n) - (p)-1))
#define SHAPE(n, p)                                                                                \
    {                                                                                              \
        {PLACE(n, p, 0),  PLACE(n, p, 1),  PLACE(n, p, 2),  PLACE(n, p, 3),                        \
         PLACE(n, p, 4),  PLACE(n, p, 5),  PLACE(n, p, 6),  PLACE(n, p, 7),                        \
         PLACE(n, p, 8),  PLACE(n, p, 9),  PLACE(n, p, 10), PLACE(n, p, 11),                       \
         PLACE(n, p, 12), PLACE(n, p, 13), PLACE(n, p, 14), PLACE(n, p, 15)},                      \
            SCALE(n, p), 0                                                                         \
    }
#define SHAPES(n)                                                                                  \
    {                                                                                              \
        SHAPE(n, 0), SHAPE(n, 1), SHAPE(n, 2), SHAPE(n, 3), SHAPE(n, 4), SHAPE(n, 5), SHAPE(n, 6), \
            SHAPE(n, 7), SHAPE(n, 8), SHAPE(n, 9), SHAPE(n, 10), SHAPE(n, 11), SHAPE(n, 12),       \
            SHAPE(n, 13), SHAPE(n, 14), SHAPE(n, 15)                                               \
    }

const struct number_shape number_shapes[NUMBER_SHAPE_LENGTHS][16] = {
    SHAPES(0),  SHAPES(0),  SHAPES(1),  SHAPES(2),  SHAPES(3),  SHAPES(4),  SHAPES(5),
    SHAPES(6),  SHAPES(7),  SHAPES(8),  SHAPES(9),  SHAPES(10), SHAPES(11), SHAPES(12),
    SHAPES(13), SHAPES(14), SHAPES(15), SHAPES(16), SHAPES(0)};
