// What the tests of the model file share: two small models, byte by byte as docs/model-format.md
// has them, and what is needed to take such files apart and put them together.
#ifndef TLU_TESTS_MODEL_BYTES_H
#define TLU_TESTS_MODEL_BYTES_H

#include "base/crc.h"
#include "base/file.h"
#include "base/memory.h"
#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
    unsigned char *data;
    size_t size, capacity;
};

struct payload {
    const char *bytes;
    size_t size;
};
// clang-format off
#define PAYLOAD(text) {text, sizeof(text) - 1}
// clang-format on

enum { VERS, OPTS, FEAT, COLS, CLAS, SCAL, WGHT, RAND, REPT, SECTIONS };
static const char *const tags[SECTIONS] = {"VERS", "OPTS", "FEAT", "COLS", "CLAS",
                                           "SCAL", "WGHT", "RAND", "REPT"};

// LIBSVM, features 1, 3 and 5000000, classes -1 and +1, last weights.
static const struct payload small[SECTIONS] = {
    [VERS] = PAYLOAD("\0050.1.0"),
    [OPTS] = PAYLOAD("\1"
                     "\006decide\004last\1"),
    [FEAT] = PAYLOAD("\0" // not CSV
                     "\2"
                     "\1" // 1
                     "\1" // 3: one is left out
                     "\1"
                     "\0075000000"),
    [CLAS] = PAYLOAD("\2"
                     "\1"                // the second is positive
                     "\2-1\2-1\3"        // 3 rows
                     "\0011\2+1\254\2"), // 2 * 128 + 44 = 300 rows
    [WGHT] = PAYLOAD("\0"
                     "\x00\x00\x00\x00\x00\xF0\x72\x40"   // 303 steps
                     "\x01\xFE\xFF"                       // bias -2, short
                     "\x38"                               // zero, single, double
                     "\x00\x00\xC0\x3F"                   // 1.5
                     "\x9A\x99\x99\x99\x99\x99\xB9\x3F"), // 0.1
    [RAND] = PAYLOAD("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0"),
    [REPT] = PAYLOAD("\xAF\x02\0\xF4\x03\4\7\0" // 303 rows, 500 non-zeros, 4 features, 7 updates
                     "\1"
                     "\011converged\005a.svm\006libsvm"
                     "\2\2\7\0\0"), // two passes, the second the best: 7 and 0 mistakes
};

// CSV: columns "size", "colour" and the label; three classes; standard scaling; average.
static const struct payload tall[SECTIONS] = {
    [VERS] = PAYLOAD("\0050.1.0"),
    [OPTS] = PAYLOAD("\2"
                     "\006decide\007average\0"
                     "\005scale\010standard\1"),
    [FEAT] = PAYLOAD("\1\0\2\004size\012colour=red"),
    [COLS] = PAYLOAD(";\1\3"
                     "\004size\0\0"
                     "\006colour\1"
                     "\001y\2"),
    [CLAS] = PAYLOAD("\3\1a\1a\1\1b\1b\1\1c\1c\1"),
    [SCAL] = PAYLOAD("\2"
                     "\6\x00\x00\x00\x3F\1\0"             // factors 0.5 and 1
                     "\1\3\0"),                           // shifts 3 and 0
    [WGHT] = PAYLOAD("\1\x00\x00\x00\x00\x00\x00\x08\x40" // 3 steps
                     "\5\1\0\xFF\xFF"                     // biases 1, -1, 0
                     "\4\0\2\0"                           // w[0][1] = 2
                     "\0"                                 // no sums of the biases
                     "\0\4\6\0"),                         // u[1][2] = 6
    [RAND] = PAYLOAD("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0"),
    [REPT] = PAYLOAD("\3\1\5\2\2\0\0"
                     "\006epochs\005t.csv\003csv"
                     "\1\1\2\1"
                     "\2\x00\x00\x40\x3F"), // 0.75 right of the held-out rows
};

static inline void put(struct bytes *to, const void *bytes, size_t size)
{
    if (to->size + size > to->capacity) {
        to->capacity = 2 * (to->size + size);
        to->data = realloc(to->data, to->capacity);
        assert_non_null(to->data);
    }
    if (size)
        memcpy(to->data + to->size, bytes, size);
    to->size += size;
}

static inline void put_64(struct bytes *to, uint64_t value)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(value >> 8 * i);
    put(to, bytes, 8);
}

// Makes size and checksum of a file right again.
static inline void seal(struct bytes *file)
{
    if (file->size < 24)
        return;
    for (int i = 0; i < 8; i++)
        file->data[12 + i] = (unsigned char)((uint64_t)file->size >> 8 * i);
    uint32_t crc = crc32_add(0, file->data, file->size - 4);
    for (int i = 0; i < 4; i++)
        file->data[file->size - 4 + (size_t)i] = (unsigned char)(crc >> 8 * i);
}

static inline void put_section(struct bytes *file, const char *tag, const void *bytes, size_t size)
{
    put(file, tag, 4);
    put_64(file, size);
    put(file, bytes, size);
}

// The file with one payload replaced (which: none where SECTIONS).
static inline struct bytes assemble(const struct payload *payloads, int which, struct payload other)
{
    struct bytes file = {0};
    put(&file, "\x89TLU\r\n\x1A\n\1\0\0\0", 12);
    put_64(&file, 0);
    for (int i = 0; i < SECTIONS; i++) {
        struct payload payload = i == which ? other : payloads[i];
        if (payload.bytes)
            put_section(&file, tags[i], payload.bytes, payload.size);
    }
    put(&file, "crc?", 4);
    seal(&file);
    return file;
}

static inline struct bytes whole(const struct payload *payloads)
{
    return assemble(payloads, SECTIONS, (struct payload){0});
}

static inline tlu_model *load(const struct bytes *file)
{
    tlu_model *model = NULL;
    tlu_error error = {0};
    if (tlu_model_load_bytes(file->data, file->size, &model, &error) != TLU_OK)
        fail_msg("%s", error.text);
    assert_non_null(model);
    return model;
}

static inline struct bytes saved(const tlu_model *model)
{
    struct bytes file = {0};
    tlu_error error;
    if (tlu_model_save(model, "saved.tlu", &error) != TLU_OK)
        fail_msg("%s", error.text);
    unsigned char *bytes;
    assert_int_equal(file_read("saved.tlu", SIZE_MAX, &bytes, &file.size, &error), TLU_OK);
    file.data = malloc(file.size);
    assert_non_null(file.data);
    memcpy(file.data, bytes, file.size);
    memory_free(bytes);
    return file;
}

static inline void assert_bytes(const struct bytes *a, const struct bytes *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->data, b->data, a->size);
}

#endif
