// Any bytes as a row whose id is asked for: each format adds one text, which ends where it is said
// to.
#include "base/memory.h"
#include "input/csv/csv.h"
#include "input/ids.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct csv_plan plan = {.delimiter = ',', .id = 2};
    struct ids ids = {0};
    char *row = malloc(size ? size : 1); // so that its end is guarded
    if (!row)
        return 0;
    if (size)
        memcpy(row, bytes, size);
    for (int format = 0; format < DATA_FORMATS; format++) {
        struct id_source source = {(enum data_format)format, &plan, "id"};
        size_t before = ids.size;
        if (!ids_add(&ids, &source, row, size))
            break;
        if (ids.size <= before || ids.bytes[ids.size - 1] != '\0' ||
            (!format_has_ids((enum data_format)format) && ids.size != before + 1))
            abort();
    }
    memory_free(ids.bytes);
    free(row);
    return 0;
}
