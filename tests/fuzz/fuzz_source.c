// Any bytes as a file, packed or not: read in large steps or in small ones they are the same.
#include "reading.h"

#include "input/source.h"

enum { MOST = 1 << 22 }; // a few bytes can unpack to gigabytes

static tlu_status read_in_steps(const char *path, size_t step, char *bytes, size_t *size)
{
    struct source *source;
    tlu_error error = {.status = TLU_OK};
    tlu_status status = source_open(&source, path, &error);
    size_t got = step;
    *size = 0;
    while (status == TLU_OK && got == step && *size < MOST) {
        size_t room = MOST - *size < step ? MOST - *size : step;
        status = source_read(source, bytes + *size, room, &got, &error);
        expect(got <= room);
        if (status == TLU_OK)
            *size += got;
    }
    expect(status == TLU_OK || (status == TLU_ERROR_INPUT && error.text[0]));
    source_close(source);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static char large[MOST], small[MOST];
    int file;
    const char *path = file_of(bytes, size, &file);
    size_t large_size, small_size;
    tlu_status status = read_in_steps(path, MOST, large, &large_size);
    tlu_status again = read_in_steps(path, 777, small, &small_size);
    if (large_size < MOST && small_size < MOST)
        expect(status == again);
    if (status == TLU_OK && again == TLU_OK) {
        expect(large_size == small_size && memcmp(large, small, large_size) == 0);
        bool gzip = size >= 2 && memcmp(bytes, "\x1F\x8B", 2) == 0;
        bool zstd = size >= 4 && (memcmp(bytes, "\x28\xB5\x2F\xFD", 4) == 0 ||
                                  memcmp(bytes + 1, "\x2A\x4D\x18", 3) == 0);
        if (!gzip && !zstd)
            expect(large_size == size && memcmp(large, bytes, size) == 0);
    }
    close(file);
    return 0;
}
