// Networks that tests make, and what is written of them.
#ifndef TLU_TESTS_NETWORKS_H
#define TLU_TESTS_NETWORKS_H

#include "logic/network/network.h"
#include "tlu_logic.h"

#include <stdlib.h>
#include <string.h>

struct written {
    char *bytes;
    size_t size;
};

static inline int write_to_memory(void *context, const char *bytes, size_t size)
{
    struct written *written = context;
    char *grown = realloc(written->bytes, written->size + size + 1);
    if (!grown)
        return 1;
    memcpy(grown + written->size, bytes, size);
    written->bytes = grown;
    written->size += size;
    grown[written->size] = '\0';
    return 0;
}

// The text, which the caller frees; NULL with *error filled in.
static inline char *written_as(const struct tlu_network *network, const char *language,
                               tlu_error *error)
{
    struct written written = {0};
    if (tlu_network_write(network, language, write_to_memory, &written, error) == TLU_OK)
        return written.bytes;
    free(written.bytes);
    return NULL;
}

#endif
