#include "logic/net/read.h"

#include "base/file.h"
#include "base/memory.h"
#include "tlu_logic.h"

#include <string.h>

#define FILE_MAX ((uint64_t)1 << 32) // bytes

static bool begins_object(const char *bytes, size_t size)
{
    while (size && *bytes && strchr(" \t\r\n", *bytes)) {
        bytes++;
        size--;
    }
    return size && *bytes == '{';
}

tlu_status network_parse(const char *bytes, size_t size, const char *name,
                         struct tlu_network **network, tlu_error *error)
{
    size_t mark = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; // byte order
    struct draft draft = {.path = name};
    char *room = memory_new(size + 1, 1);
    TRY(enough_memory(room, error));
    struct scan scan = {.path = name,
                        .cursor = bytes + mark,
                        .end = bytes + size,
                        .line_start = bytes,
                        .line = 1,
                        .json = begins_object(bytes + mark, size - mark),
                        .room = room,
                        .error = error};
    tlu_status status = scan.json ? read_json(&scan, &draft) : read_text(&scan, &draft);
    if (status == TLU_OK)
        status = draft_finish(&draft, network, error);
    draft_free(&draft);
    memory_free(room);
    return status;
}

tlu_status network_read(const char *path, struct tlu_network **network, tlu_error *error)
{
    unsigned char *bytes;
    size_t size;
    TRY(file_read(path, FILE_MAX, file_check_text, &bytes, &size, error));
    tlu_status status = network_parse((const char *)bytes, size, path, network, error);
    memory_free(bytes);
    return status;
}
