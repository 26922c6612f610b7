#include "space/space.h"

#include "base/memory.h"
#include "mlp/layers.h"
#include "space/dual.h"

#include <string.h>

void space_free(struct space *space)
{
    dual_free(space->dual);
    layers_free(space->layers);
    memory_free(space->scores);
    memory_free(space->scratch);
    memory_free(space->current);
}

bool space_enlarge(void *array_pointer, size_t old, size_t columns, size_t size)
{
    void **array = array_pointer;
    void *new = memory_new(columns, size);
    if (!new)
        return false;
    if (old)
        memcpy(new, *array, old * size);
    memory_free(*array);
    *array = new;
    return true;
}

bool space_widen(struct space *space, size_t old, size_t columns)
{
    return space_enlarge(&space->scores, old, columns, sizeof(double)) &&
           space_enlarge(&space->scratch, old, columns, sizeof(double)) &&
           space_enlarge(&space->current, old, columns, sizeof(double));
}
