// Any bytes as a cost matrix: what is taken is 0 or more, cell by cell, and what is not has a
// place.
#include "metrics/costs.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    double costs[9];
    tlu_error error;
    for (size_t classes = 2; classes <= 3; classes++) {
        for (size_t i = 0; i < 9; i++)
            costs[i] = -1;
        if (costs_parse("costs", (const char *)bytes, size, classes, costs, &error) != TLU_OK) {
            if (error.status != TLU_ERROR_INPUT || !error.text[0])
                abort();
            continue;
        }
        for (size_t i = 0; i < 9; i++)
            if (i < classes * classes ? !(costs[i] >= 0) || isinf(costs[i]) : costs[i] != -1)
                abort();
    }
    return 0;
}
