// Registers of four floats, which every x86-64 and 64-bit ARM has; elsewhere the compiler makes
// four operations of one.
#define LANES 4
#define WIDE 2
#define NAME "plain"
#define ROUTINES layer_plain
#include "mlp/simd_internal.h"
