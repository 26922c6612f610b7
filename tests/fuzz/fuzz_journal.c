// Any bytes as a journal: as they are, or as records with the checksums that they need. What is
// taken up is taken up again.
#include "base/crc.h"
#include "reading.h"

#define NO_MODEL "/nowhere/fuzz.tlu" // never saved

static void put_number(unsigned char *out, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = (unsigned char)(number >> 8 * i);
}

// Each record from a byte that is its number (255: that of an opening), one that is its size, and
// that many bytes.
static size_t make_journal(unsigned char *out, const uint8_t *bytes, size_t size)
{
    unsigned char *at = out;
    memcpy(at, "TLUJRNL1", 8);
    at += 8;
    while (size >= 2) {
        size_t length = bytes[1] < size - 2 ? bytes[1] : size - 2;
        put_number(at, length, 4);
        put_number(at + 8, bytes[0] == 255 ? UINT64_MAX : bytes[0], 8);
        memcpy(at + 16, bytes + 2, length);
        put_number(at + 4, crc32_add(crc32_add(0, at + 8, 8), at + 16, length), 4);
        at += 16 + length;
        bytes += 2 + length;
        size -= 2 + length;
    }
    return (size_t)(at - out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size == 0)
        return 0;
    unsigned char *made = malloc(8 + 16 * size);
    expect(made != NULL);
    bool raw = bytes[0] & 1;
    size_t made_size = raw ? 0 : make_journal(made, bytes + 1, size - 1);
    int file;
    char journal[64];
    strcpy(journal, raw ? file_of(bytes + 1, size - 1, &file) : file_of(made, made_size, &file));
    tlu_live_settings settings = {.journal = journal};
    tlu_live *live;
    tlu_error error;
    tlu_status status = tlu_live_open(NO_MODEL, NULL, &settings, &live, &error);
    expect(status == TLU_OK || (status == TLU_ERROR_INPUT && !live && error.text[0]));
    if (status == TLU_OK) {
        uint64_t learned = tlu_live_count(live).learned;
        const char *text;
        size_t used, length;
        status = tlu_live_take(live, "a 1:1\nb 2:1\n", 12, 1, &used, &text, &length, &error);
        expect(status == TLU_OK || status == TLU_ERROR_INPUT);
        uint64_t more = tlu_live_count(live).learned;
        expect(more >= learned);
        tlu_live_close(live);
        expect(tlu_live_open(NO_MODEL, NULL, &settings, &live, &error) == TLU_OK);
        expect(tlu_live_count(live).learned == more);
        tlu_live_close(live);
    }
    close(file);
    free(made);
    return 0;
}
