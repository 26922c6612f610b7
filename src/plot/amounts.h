// Numbers in sentences, the same in every locale.
#ifndef TLU_PLOT_AMOUNTS_H
#define TLU_PLOT_AMOUNTS_H

#include <stdint.h>

// "1 pass", "12 passes", "1,000 passes"
#define COUNTED_SIZE 64
const char *grouped(char out[COUNTED_SIZE], uint64_t count); // the number alone
const char *counted(char out[COUNTED_SIZE], uint64_t count, const char *one, const char *several);

#define AMOUNT_SIZE 64
// With so many digits at most, as "%.*g": "0.1235", "1.235e+07".
const char *to_digits(char out[AMOUNT_SIZE], int digits, double value);
// With so many places after the point, as "%.*f": "0.50".
const char *to_places(char out[AMOUNT_SIZE], int places, double value);

#endif
