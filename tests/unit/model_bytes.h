// What the tests of the model file share: small models, byte by byte as docs/model-format.md has
// them, and what is needed to take such files apart and put them together.
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

enum {
    VERS,
    OPTS,
    FEAT,
    COLS,
    CLAS,
    SCAL,
    SUPP,
    WGHT,
    REPL,
    GAIN,
    RAND,
    LIVE,
    REPT,
    ORIG,
    SECTIONS
};
static const char *const tags[SECTIONS] = {"VERS", "OPTS", "FEAT", "COLS", "CLAS", "SCAL", "SUPP",
                                           "WGHT", "REPL", "GAIN", "RAND", "LIVE", "REPT", "ORIG"};

#define STEPS_3 "\x00\x00\x00\x00\x00\x00\x08\x40"

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
                     "\1"                                 // the second is positive
                     "\2-1\2-1\3"                         // 3 rows
                     "\0011\2+1\254\2"),                  // 2 * 128 + 44 = 300 rows
    [WGHT] = PAYLOAD("\0\0"                               // neither sums nor states
                     "\x00\x00\x00\x00\x00\xF0\x72\x40"   // 303 steps
                     "\x01\xFE\xFF"                       // bias -2, short
                     "\x38"                               // zero, single, double
                     "\x00\x00\xC0\x3F"                   // 1.5
                     "\x9A\x99\x99\x99\x99\x99\xB9\x3F"), // 0.1
    [RAND] = PAYLOAD("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0"),
    [REPT] = PAYLOAD("\xAF\x02\0\xF4\x03\4\7\0" // 303 rows, 500 non-zeros, 4 features, 7 updates
                     "\1"
                     "\011converged\005a.svm\006libsvm"
                     "\2\2\7\0\0" // two passes, the second the best: 7 and 0 mistakes
                     "\0\0"),     // no cycle, no error, bound, margin
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
                     "\6\x00\x00\x00\x3F\1\0"        // factors 0.5 and 1
                     "\1\3\0"),                      // shifts 3 and 0
    [WGHT] = PAYLOAD("\1\0" STEPS_3 "\5\1\0\xFF\xFF" // biases 1, -1, 0
                     "\4\0\2\0"                      // w[0][1] = 2
                     "\0"                            // no sums of the biases
                     "\0\4\6\0"),                    // u[1][2] = 6
    [RAND] = PAYLOAD("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0"),
    [REPT] = PAYLOAD("\3\1\5\2\2\0\0"
                     "\006epochs\005t.csv\003csv"
                     "\1\1\2\1"
                     "\2\x00\x00\x40\x3F"   // 0.75 right of the held-out rows
                     "\2"                   // the weights came back after two passes
                     "\x06\x00\x00\x00\x3F" // error 0.5, bound 1, no margin
                     "\1\0"),
};

#define FOUR_NUMBERS "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0"
#define SHORT_REPORT "\3\0\5\2\2\0\0\006epochs\005a.svm\006libsvm\1\1\2\0\0\0"

// A kernel: three classes, one versus rest, two rows kept, average.
static const struct payload dual[SECTIONS] = {
    [VERS] = PAYLOAD("\0050.1.0"),
    [OPTS] = PAYLOAD("\2"
                     "\007classes\003ovr\1"
                     "\006kernel\006poly:2\1"),
    [FEAT] = PAYLOAD("\0\2\1\0\0"), // 1 and 2
    [CLAS] = PAYLOAD("\3\1a\1a\1\1b\1b\1\1c\1c\1"),
    [SUPP] = PAYLOAD("\2\2\3"                       // two rows with values, three of them
                     "\x08\x0A"                     // lines 4 and 9
                     "\0\2"                         // classes a and c
                     "\x09\3\0\x00\x00\xC0\x3F"     // alphas 3 and 1.5
                     "\2\1"                         // entries
                     "\2\1"                         // feature 1, then 0
                     "\0"                           // feature 0
                     "\x25\2\0\xFF\xFF\0\0\0\x3F"), // 2, -1; 0.5
    [WGHT] = PAYLOAD("\1\0" STEPS_3 "\0"            // biases 0
                     "\x01\x08\3\0\x00\x00\xC0\x3F" // w[0][0] = 3, w[1][2] = 1.5
                     "\0"                           // no sums of the biases
                     "\1\0\3\0"),                   // u[0][0] = 3
    [RAND] = PAYLOAD(FOUR_NUMBERS),
    [REPT] = PAYLOAD(SHORT_REPORT),
};

// A vote: three classes, winner takes all. At example 1 class b gained row 0, at example 2 class c
// gained row 1 and class b lost it; then two examples went well.
static const struct payload voted[SECTIONS] = {
    [VERS] = PAYLOAD("\0050.1.0"),
    [OPTS] = PAYLOAD("\1\006decide\004vote\1"),
    [FEAT] = PAYLOAD("\0\2\1\0\0"),
    [CLAS] = PAYLOAD("\3\1a\1a\1\1b\1b\1\1c\1c\1"),
    [SUPP] = PAYLOAD("\2\1\2"                               // two rows with ones, two of them
                     "\2\2"                                 // lines 1 and 2
                     "\1\2"                                 // classes b and c
                     "\5\1\0\1\0"                           // alphas 1 and 1
                     "\1\1\0\2"),                           // feature 0; feature 1
    [WGHT] = PAYLOAD("\0\0\x00\x00\x00\x00\x00\x00\x10\x40" // 4 steps
                     "\x10\1\0"                             // biases 0, 0, 1
                     "\4\5\1\0\xFF\xFF\1\0"),               // (0, 1, 0), (0, -1, 1)
    [REPL] = PAYLOAD("\2"
                     "\x21\1\0\1\1\0" // +, amount to come; time 1, row 0, column 1, amount 1
                     "\x89\1\2\2\1"), // + and -, as before; time 2, row 1, columns 2 and 1
    [RAND] = PAYLOAD(FOUR_NUMBERS),
    [REPT] = PAYLOAD(SHORT_REPORT),
};

// A learner with states, two classes, last weights.
static const struct payload stated[SECTIONS] = {
    [VERS] = PAYLOAD("\0050.1.0"),
    [OPTS] = PAYLOAD("\2\007learner\004arow\1\006decide\004last\0"),
    [FEAT] = PAYLOAD("\0\2\1\0\0"),
    [CLAS] = PAYLOAD("\2\1\1a\1a\1\1b\1b\1"),
    [WGHT] = PAYLOAD("\0\1" STEPS_3 "\0\0\0\0\0\0\xF0\x3F" // states start at 1
                     "\0"                                  // bias 0
                     "\1\2\0"                              // w: 2, 0
                     "\2\x00\x00\x00\x3F"                  // state of the bias: 0.5
                     "\6\x00\x00\x80\x3E\1\0"),            // states 0.25, 1
    [RAND] = PAYLOAD(FOUR_NUMBERS),
    [REPT] = PAYLOAD(SHORT_REPORT),
};

// A vote of a learner with states, two classes. At example 1 row 0 was added, and the weight gained
// 1/2, the bias 1/4; at example 2 row 1 was subtracted, and they lost 1 and 2.
static const struct payload gained[SECTIONS] = {
    [VERS] = PAYLOAD("\0050.1.0"),
    [OPTS] = PAYLOAD("\2\007learner\004arow\1\006decide\004vote\1"),
    [FEAT] = PAYLOAD("\0\2\1\0\0"),
    [CLAS] = PAYLOAD("\2\1\1a\1a\1\1b\1b\1"),
    [SUPP] = PAYLOAD("\2\1\2\2\2\1\0\5\1\0\1\0\1\1\0\2"),
    [WGHT] = PAYLOAD("\0\1\x00\x00\x00\x00\x00\x00\x10\x40" // 4 steps
                     "\0\0\0\0\0\0\xF0\x3F"                 // states start at 1
                     "\2\x00\x00\xE0\xBF"                   // bias -1.75
                     "\6\x00\x00\x00\x3F\xFF\xFF"           // w: 0.5, -1
                     "\2\x00\x00\x00\x3F"                   // state of the bias: 0.5
                     "\6\x00\x00\x80\x3E\1\0"),             // states 0.25, 1
    [REPL] = PAYLOAD("\2"
                     "\x21\1\0\1\0" // +, amount to come; time 1, row 0, amount 1
                     "\x82\1\2"),   // -, as before; time 2, row 1
    [GAIN] = PAYLOAD("\4\x5A\x00\x00\x00\x3F\x00\x00\x80\x3E\1\0\2\0"),
    [RAND] = PAYLOAD(FOUR_NUMBERS),
    [REPT] = PAYLOAD(SHORT_REPORT),
};

// The largest margin: two rows are known by their lines alone.
static const struct payload widest[SECTIONS] = {
    [VERS] = PAYLOAD("\0050.1.0"),
    [OPTS] = PAYLOAD("\2\007learner\012max-margin\1\006decide\004last\0"),
    [FEAT] = PAYLOAD("\0\2\1\0\0"),
    [CLAS] = PAYLOAD("\2\1\1a\1a\1\1b\1b\1"),
    [SUPP] = PAYLOAD("\2\0"                               // without rows
                     "\xFE\x03\x01"                       // line 255, and the one before it
                     "\1\0\x0A\0\0\0\x3F\0\0\0\x3F"),     // classes b and a, alphas 0.5
    [WGHT] = PAYLOAD("\0\0\0\0\0\0\0\0\0\0\0\5\1\0\1\0"), // w: 1, 1
    [RAND] = PAYLOAD(FOUR_NUMBERS),
    [REPT] = PAYLOAD("\3\0\5\2\2\0\0\006solved\005a.svm\006libsvm\1\1\0\0\0"
                     "\x20\0\0\0\x3F"), // margin 0.5
};

// For a stream to go on with: romma, three classes, one versus rest, average. The class a has a
// scale of 1/2 and had a sum of scales of 1.5 after two examples; so its sum is 2 after three.
static const struct payload alive[SECTIONS] = {
    [VERS] = PAYLOAD("\0050.1.0"),
    [OPTS] = PAYLOAD("\2\007learner\005romma\1\007classes\003ovr\1"),
    [FEAT] = PAYLOAD("\0\2\1\0\0"), // 1 and 2
    [CLAS] = PAYLOAD("\3\1a\1a\1\1b\1b\1\1c\1c\1"),
    [WGHT] = PAYLOAD("\1\0" STEPS_3 "\0"    // biases 0
                     "\1\0\2\0"             // w[0][0] = 4 / 2
                     "\0"                   // no sums of the biases
                     "\x41\0\xFE\xFF\6\0"), // u[0][0] = 0 + (3 - 2 / 0.5) 2, u[1][0] = 6
    [RAND] = PAYLOAD(FOUR_NUMBERS),
    [REPT] = PAYLOAD(SHORT_REPORT),
    [LIVE] = PAYLOAD("\x0F"                   // all parts
                     "\2\0\1"                 // c was met first, then a, then b
                     "\x0A\1"                 // indices 1 to 9
                     "\x09\1\0\0\0\0\x3F"     // squares 1, 0.5, 0
                     "\1\2\0"                 // updates
                     "\x16\0\0\0\x3F\1\0\1\0" // scales 0.5, 1, 1
                     "\2\0\0\xC0\x3F"         // sums 1.5, 0, 0
                     "\1\2\0"                 // after steps 2, 0, 0
                     "\1\4\0\4\6\0"),         // of a: w 4, 0; u 0, 6
};

static const struct payload *const all_models[] = {small,  tall,   dual,   voted,
                                                   stated, gained, widest, alive};
enum { ALL_MODELS = sizeof all_models / sizeof all_models[0] };

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
    assert_int_equal(file_read("saved.tlu", SIZE_MAX, NULL, &bytes, &file.size, &error), TLU_OK);
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
