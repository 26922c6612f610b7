#include "base/near.h"

#include "tlu.h"

#include <stdint.h>
#include <string.h>

#define LENGTH_MAX 63 // longer texts are compared for equality only

size_t tlu_text_distance(const char *a, const char *b)
{
    size_t row[LENGTH_MAX + 1]; // [length of b + 1]: distances of a's first i bytes
    if (!a || !b)
        return SIZE_MAX;
    size_t rows = strlen(a), columns = strlen(b);
    if (rows > LENGTH_MAX || columns > LENGTH_MAX)
        return strcmp(a, b) == 0 ? 0 : SIZE_MAX;
    for (size_t j = 0; j <= columns; j++)
        row[j] = j;
    for (size_t i = 0; i < rows; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < columns; j++) {
            size_t replaced = diagonal + (a[i] != b[j]);
            size_t other = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;
            diagonal = row[j + 1];
            row[j + 1] = replaced < other ? replaced : other;
        }
    }
    return row[columns];
}

bool near_enough(size_t distance, size_t length)
{
    return distance < 2 + length / 4 && distance < length;
}

const char *near_name(const char *name, const char *(*name_at)(size_t index))
{
    const char *nearest = NULL, *other;
    size_t least = SIZE_MAX;
    for (size_t i = 0; (other = name_at(i)) != NULL; i++) {
        size_t distance = tlu_text_distance(name, other);
        if (distance < least) {
            least = distance;
            nearest = other;
        }
    }
    return near_enough(least, strlen(name)) ? nearest : NULL;
}
