// Bytes from files: plain, gzip and zstd, whole and damaged.
#include "base/fault.h"
#include "input/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef TLU_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef TLU_HAVE_ZSTD
#include <zstd.h>
#endif

enum { MANY = 5 << 18 }; // past every buffer on the way

static char *plain; // [MANY] text that packs well, but not too well

static int make_plain(void **state)
{
    (void)state;
    plain = malloc(MANY);
    assert_non_null(plain);
    uint32_t x = 1;
    for (size_t i = 0; i < MANY; i++) {
        x = x * 1664525 + 1013904223;
        plain[i] = (char)(i % 61 == 60 ? '\n' : '0' + (x >> 24) % 10);
    }
    return 0;
}

static int free_plain(void **state)
{
    (void)state;
    free(plain);
    return 0;
}

static void write_file(const void *bytes, size_t size)
{
    FILE *file = fopen("file", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

// Reads the file in steps of `step` bytes; what was read is in *bytes (free it), the error's text
// in error.
static tlu_status read_file(size_t step, char **bytes, size_t *size, tlu_error *error)
{
    struct source *source;
    tlu_status status = source_open(&source, "file", error);
    size_t capacity = 2 * MANY + step, got = 0;
    *bytes = malloc(capacity);
    assert_non_null(*bytes);
    *size = 0;
    do {
        if (status == TLU_OK)
            status = source_read(source, *bytes + *size, step, &got, error);
        if (status == TLU_OK)
            *size += got;
        assert_true(*size + step <= capacity);
    } while (status == TLU_OK && got == step);
    if (status == TLU_OK) { // at the end it stays
        assert_int_equal(source_read(source, *bytes + *size, step, &got, error), TLU_OK);
        assert_int_equal(got, 0);
    }
    source_close(source);
    return status;
}

static void expect_bytes(const char *expected, size_t expected_size)
{
    static const size_t steps[] = {1 << 20, 4096, MANY * 2, 777};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        char *bytes;
        size_t size;
        tlu_error error;
        if (read_file(steps[i], &bytes, &size, &error) != TLU_OK)
            fail_msg("%s", error.text);
        assert_int_equal(size, expected_size);
        assert_memory_equal(bytes, expected, size);
        free(bytes);
    }
}

static void expect_error(const char *text)
{
    char *bytes;
    size_t size;
    tlu_error error;
    assert_int_equal(read_file(1 << 20, &bytes, &size, &error), TLU_ERROR_INPUT);
    assert_string_equal(error.text, text);
    free(bytes);
}

static void plain_files(void **state)
{
    (void)state;
    write_file(plain, MANY);
    expect_bytes(plain, MANY);
    write_file("", 0);
    expect_bytes("", 0);
    write_file("\x1F", 1); // too short to be gzip
    expect_bytes("\x1F", 1);
    write_file("\x28\xB5\x2F", 3);
    expect_bytes("\x28\xB5\x2F", 3);
}

static void position_and_size(void **state)
{
    (void)state;
    struct source *source;
    char bytes[1000];
    size_t got;
    write_file(plain, MANY);
    assert_int_equal(source_open(&source, "file", NULL), TLU_OK);
    assert_int_equal(source_size(source), MANY);
    assert_int_equal(source_read(source, bytes, sizeof bytes, &got, NULL), TLU_OK);
    assert_int_equal(got, sizeof bytes);
    assert_true(source_position(source) >= sizeof bytes && source_position(source) <= MANY);
    source_close(source);
}

static void what_is_not_there(void **state)
{
    (void)state;
    struct source *source;
    tlu_error error;
    assert_int_equal(source_open(&source, "no-such-file", &error), TLU_ERROR_INPUT);
    assert_null(source);
    assert_string_equal(error.text, "no-such-file: cannot open: No such file or directory");
    assert_int_equal(source_open(&source, ".", &error), TLU_ERROR_INPUT);
    assert_null(source);
    assert_string_equal(error.text, ".: is a folder, not a file");
}

static void disks_that_fail(void **state)
{
    (void)state;
    write_file(plain, MANY);
    for (int n = 1; n <= 3; n++) {
        char *bytes;
        size_t size;
        tlu_error error;
        fault_at(FAULT_READ, n);
        assert_int_equal(read_file(1 << 20, &bytes, &size, &error), TLU_ERROR_SYSTEM);
        fault_at(FAULT_READ, 0);
        assert_string_equal(error.text, "file: cannot read: Input/output error");
        free(bytes);
    }
}

#ifdef TLU_HAVE_ZLIB
static size_t gzip_of(unsigned char *out, size_t room, const char *bytes, size_t size)
{
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    assert_int_equal(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (unsigned char *)bytes;
    stream.avail_in = (unsigned)size;
    stream.next_out = out;
    stream.avail_out = (unsigned)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    size_t packed = stream.total_out;
    deflateEnd(&stream);
    return packed;
}

static void gzip_files(void **state)
{
    (void)state;
    size_t room = 2 * MANY;
    unsigned char *packed = malloc(room);
    assert_non_null(packed);
    size_t size = gzip_of(packed, room, plain, MANY);
    write_file(packed, size);
    expect_bytes(plain, MANY);

    // Several members, one of them empty, cut at places of all kinds.
    size = 0;
    static const size_t cuts[] = {0, 1, 1, 1000, 262144, 1 << 20, MANY};
    for (size_t i = 0; i + 1 < sizeof cuts / sizeof cuts[0]; i++)
        size += gzip_of(packed + size, room - size, plain + cuts[i], cuts[i + 1] - cuts[i]);
    write_file(packed, size);
    expect_bytes(plain, MANY);

    size = gzip_of(packed, room, "", 0);
    write_file(packed, size);
    expect_bytes("", 0);

    // Padded with zeros, as from a tape, at the end and between members.
    size = gzip_of(packed, room, plain, 1000);
    memset(packed + size, 0, MANY);
    write_file(packed, size + 1);
    expect_bytes(plain, 1000);
    write_file(packed, size + MANY);
    expect_bytes(plain, 1000);
    size += 512;
    size += gzip_of(packed + size, room - size, plain + 1000, 1000);
    write_file(packed, size);
    expect_bytes(plain, 2000);
    free(packed);
}

static void damaged_gzip_files(void **state)
{
    (void)state;
    const char *cut = "file: the compressed data ends in the middle: the file is cut short";
    size_t room = MANY;
    unsigned char *packed = malloc(room);
    assert_non_null(packed);
    size_t size = gzip_of(packed, room, plain, 1000);
    for (size_t n = 2; n < size; n += n < 20 || n + 10 > size ? 1 : 17) { // wherever it is cut
        write_file(packed, n);
        expect_error(cut);
    }
    size_t two = size + gzip_of(packed + size, room - size, plain, 1000);
    for (size_t n = size + 1; n < two; n += 37) { // in the second member
        write_file(packed, n);
        expect_error(cut);
    }
    memcpy(packed + size, "more", 4);
    write_file(packed, size + 4);
    expect_error("file: the gzip data is damaged (incorrect header check)");
    memcpy(packed + size, "\0\0\0more", 7);
    write_file(packed, size + 7);
    expect_error("file: the gzip data is damaged (incorrect header check)");
    packed[size - 6] ^= 1; // the checksum
    write_file(packed, size);
    expect_error("file: the gzip data is damaged (incorrect data check)");
    free(packed);
}
#endif

#ifdef TLU_HAVE_ZSTD
static void zstd_files(void **state)
{
    (void)state;
    size_t room = 2 * MANY;
    char *packed = malloc(room);
    assert_non_null(packed);
    size_t size = ZSTD_compress(packed, room, plain, MANY, 3);
    assert_false(ZSTD_isError(size));
    write_file(packed, size);
    expect_bytes(plain, MANY);

    // Several frames, one of them empty.
    size = 0;
    static const size_t cuts[] = {0, 1, 1, 1000, 262144, 1 << 20, MANY};
    for (size_t i = 0; i + 1 < sizeof cuts / sizeof cuts[0]; i++) {
        size_t more =
            ZSTD_compress(packed + size, room - size, plain + cuts[i], cuts[i + 1] - cuts[i], 1);
        assert_false(ZSTD_isError(more));
        size += more;
    }
    write_file(packed, size);
    expect_bytes(plain, MANY);
    free(packed);
}

// A frame of `length` bytes that a reader skips.
static size_t skippable(char *out, unsigned char kind, size_t length)
{
    const unsigned char start[] = {(unsigned char)(0x50 + kind),   0x2A, 0x4D, 0x18,
                                   (unsigned char)(length & 0xFF), 0,    0,    0};
    memcpy(out, start, sizeof start);
    memset(out + sizeof start, 'x', length);
    return sizeof start + length;
}

static void zstd_files_of_others(void **state)
{
    (void)state;
    char packed[4000];
    for (unsigned char kind = 0; kind < 16; kind++) { // pzstd begins with one
        size_t size = skippable(packed, kind, 100);
        size += ZSTD_compress(packed + size, sizeof packed - size, plain, 1000, 3);
        size += skippable(packed + size, kind, 0);
        write_file(packed, size);
        expect_bytes(plain, 1000);
    }
    write_file(packed, skippable(packed, 0, 8));
    expect_bytes("", 0);
    write_file(packed, skippable(packed, 0, 8) - 1);
    expect_error("file: the compressed data ends in the middle: the file is cut short");

    // zstd --long=31, of a stream whose size is not known; 30 is the most of a 32-bit machine.
    ZSTD_CCtx *context = ZSTD_createCCtx();
    assert_non_null(context);
    assert_false(ZSTD_isError(
        ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, sizeof(size_t) == 4 ? 30 : 31)));
    ZSTD_inBuffer in = {plain, 1000, 0};
    ZSTD_outBuffer out = {packed, sizeof packed, 0};
    assert_false(ZSTD_isError(ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush)));
    assert_int_equal(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end), 0);
    ZSTD_freeCCtx(context);
    write_file(packed, out.pos);
    expect_bytes(plain, 1000);
}

static void damaged_zstd_files(void **state)
{
    (void)state;
    char packed[4000];
    size_t size = ZSTD_compress(packed, sizeof packed, plain, 1000, 3);
    assert_false(ZSTD_isError(size));
    for (size_t n = 4; n < size; n += n < 20 || n + 10 > size ? 1 : 17) {
        write_file(packed, n);
        expect_error("file: the compressed data ends in the middle: the file is cut short");
    }
    memcpy(packed + size, "more", 4);
    write_file(packed, size + 4);
    expect_error("file: the zstd data is damaged (Unknown frame descriptor)");
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_files),          cmocka_unit_test(position_and_size),
        cmocka_unit_test(what_is_not_there),    cmocka_unit_test(disks_that_fail),
#ifdef TLU_HAVE_ZLIB
        cmocka_unit_test(gzip_files),           cmocka_unit_test(damaged_gzip_files),
#endif
#ifdef TLU_HAVE_ZSTD
        cmocka_unit_test(zstd_files),           cmocka_unit_test(damaged_zstd_files),
        cmocka_unit_test(zstd_files_of_others),
#endif
    };
    return cmocka_run_group_tests(tests, make_plain, free_plain);
}
