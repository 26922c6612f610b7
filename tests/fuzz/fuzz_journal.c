// Any bytes as a journal: as they are, or as records with the checksums that they need, one byte of
// which may be flipped. What is taken up is taken up again; damage before the last record is told.
#include "base/crc.h"
#include "reading.h"

#define NO_MODEL "/nowhere/fuzz.tlu" // never saved

static void put_number(unsigned char *out, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = (unsigned char)(number >> 8 * i);
}

enum { MAGIC = 8, HEAD = 24 };

// Each record from a byte that is its number (from 128 on, with a plan, 128 less; 255: that of an
// opening of version 2), one that is its size, and that many bytes. In version 4, 64 of the number
// stands for a model. *last: where the last one begins.
static size_t make_journal(unsigned char *out, char version, const uint8_t *bytes, size_t size,
                           size_t *last)
{
    static const char *const kinds[] = {"\xFFREC", "\xFFPLN", "\xFFSAV", "\xFFMDL"};
    unsigned char *at = out, place[8];
    memcpy(at, "TLUJRNL", MAGIC - 1);
    at[MAGIC - 1] = (unsigned char)version;
    at += MAGIC;
    *last = 0;
    while (size >= 2) {
        size_t length = bytes[1] < size - 2 ? bytes[1] : size - 2;
        *last = (size_t)(at - out);
        bool opening = bytes[0] == 255, plan = bytes[0] >= 128 && !opening;
        bool model = version == '4' && bytes[0] & 64 && !opening;
        memcpy(at, kinds[2 * model + plan], 4);
        put_number(at + 4, length, 4);
        put_number(at + 8, opening ? UINT64_MAX : bytes[0] % (version == '4' ? 64 : 128), 8);
        put_number(at + 16, crc32_add(0, bytes + 2, length), 4);
        put_number(place, *last, 8);
        put_number(at + 20, crc32_add(crc32_add(0, place, 8), at, 20), 4);
        memcpy(at + HEAD, bytes + 2, length);
        at += HEAD + length;
        bytes += 2 + length;
        size -= 2 + length;
    }
    return (size_t)(at - out);
}

static void expect_told(const char *journal, const unsigned char *made, size_t size)
{
    tlu_stream_settings settings = {.size = sizeof settings, .journal = journal};
    tlu_stream *stream;
    tlu_error error;
    expect(tlu_stream_open(NO_MODEL, NULL, &settings, &stream, &error) == TLU_ERROR_INPUT);
    unsigned char *after = malloc(size + 1);
    FILE *file = fopen(journal, "rb");
    expect(after && file && fread(after, 1, size + 1, file) == size &&
           memcmp(after, made, size) == 0);
    fclose(file);
    free(after);
}

static void open_twice(const char *journal)
{
    tlu_stream_settings settings = {.size = sizeof settings, .journal = journal};
    tlu_stream *stream;
    tlu_error error;
    tlu_status status = tlu_stream_open(NO_MODEL, NULL, &settings, &stream, &error);
    expect(status == TLU_OK || (status == TLU_ERROR_INPUT && !stream && error.text[0]));
    if (status != TLU_OK)
        return;
    uint64_t learned = tlu_stream_get_stats(stream)->learned;
    const char *text;
    size_t used, length;
    status = tlu_stream_feed(stream, "a 1:1\nb 2:1\n", 12, 1, &used, &text, &length, &error);
    expect(status == TLU_OK || status == TLU_ERROR_INPUT);
    uint64_t more = tlu_stream_get_stats(stream)->learned;
    expect(more >= learned);
    tlu_stream_close(stream);
    expect(tlu_stream_open(NO_MODEL, NULL, &settings, &stream, &error) == TLU_OK);
    expect(tlu_stream_get_stats(stream)->learned == more);
    tlu_stream_close(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

// The first byte says which of them; with a flip, the next three where it is and what.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 4)
        return 0;
    unsigned char *made = malloc(MAGIC + HEAD * size);
    expect(made != NULL);
    bool raw = bytes[0] & 1, flip = !raw && bytes[0] & 2 && bytes[3];
    char version = bytes[0] & 4 ? '2' : bytes[0] & 8 ? '4' : '3';
    size_t skip = flip ? 4 : 1, last = 0, made_size = size - skip, place = 0;
    if (raw)
        memcpy(made, bytes + skip, made_size);
    else
        made_size = make_journal(made, version, bytes + skip, made_size, &last);
    if (flip) {
        place = (bytes[1] + 256u * bytes[2]) % made_size;
        made[place] ^= bytes[3];
    }
    int file;
    char journal[64];
    strcpy(journal, file_of(made, made_size, &file));
    // Without plans and models it is the same.
    bool other_version = place == MAGIC - 1 && made[place] >= '2' && made[place] <= '4';
    if (flip && place < last && !other_version)
        expect_told(journal, made, made_size);
    else
        open_twice(journal);
    close(file);
    free(made);
    return 0;
}
