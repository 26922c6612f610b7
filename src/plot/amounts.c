#include "plot/amounts.h"
#include "numeric/number.h"

#include <stdio.h>
#include <string.h>

const char *grouped(char out[COUNTED_SIZE], uint64_t count)
{
    char digits[32];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out[used++] = ',';
        out[used++] = digits[i];
    }
    out[used] = '\0';
    return out;
}

const char *counted(char out[COUNTED_SIZE], uint64_t count, const char *one, const char *several)
{
    size_t used = strlen(grouped(out, count));
    snprintf(out + used, COUNTED_SIZE - used, " %s", count == 1 ? one : several);
    return out;
}

const char *to_digits(char out[AMOUNT_SIZE], int digits, double value)
{
    number_print_as(out, AMOUNT_SIZE, 'g', digits, value);
    return out;
}

const char *to_places(char out[AMOUNT_SIZE], int places, double value)
{
    number_print_as(out, AMOUNT_SIZE, 'f', places, value);
    return out;
}
