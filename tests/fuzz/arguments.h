// Arguments decoded from the fuzz input: mostly small and sensible, now and then at an edge or past
// it. Arrays have the exact size that the interface asks for, so that a sanitizer sees every access
// past their ends.
#ifndef TLU_TESTS_FUZZ_ARGUMENTS_H
#define TLU_TESTS_FUZZ_ARGUMENTS_H

#include "tlu.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static inline void expect(int condition)
{
    if (!condition)
        abort();
}

struct input {
    const uint8_t *at, *end;
    void *arrays[64]; // freed after each call
    size_t count;
};

static inline unsigned a_byte(struct input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static inline size_t below(struct input *in, size_t limit)
{
    return limit ? a_byte(in) % limit : 0;
}

static inline bool one_in(struct input *in, size_t many)
{
    return below(in, many) == many - 1;
}

// The same by the next byte, which is left for the next choice, so that an older input of the
// corpus goes on as before.
static inline bool peek_one_in(const struct input *in, size_t many)
{
    return in->at < in->end && *in->at % many == many - 1;
}

// Memory for `count` items until the call is over.
static inline void *an_array(struct input *in, size_t count, size_t size)
{
    void *array = malloc(count * size ? count * size : 1);
    expect(array && in->count < sizeof in->arrays / sizeof in->arrays[0]);
    memset(array, 0, count * size ? count * size : 1);
    return in->arrays[in->count++] = array;
}

static inline void free_arrays(struct input *in)
{
    while (in->count)
        free(in->arrays[--in->count]);
}

static inline size_t an_index(struct input *in)
{
    static const size_t odd[] = {SIZE_MAX,       SIZE_MAX - 1, SIZE_MAX / 2, UINT32_MAX,
                                 UINT32_MAX - 1, 1u << 31,     1u << 20,     255};
    unsigned byte = a_byte(in);
    return byte < 248 ? byte % 8 : odd[byte - 248];
}

static inline double a_number(struct input *in)
{
    static const double odd[] = {NAN,     INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, DBL_MIN / 4,
                                 FLT_MAX, 1e39,     -0.0,      1e-40,   1e30,     -1e30};
    unsigned byte = a_byte(in);
    return byte < 244 ? ((int)byte - 100) / 8.0 : odd[byte - 244];
}

// A value of a row: not as often odd.
static inline float a_value(struct input *in)
{
    return one_in(in, 64) ? (float)a_number(in) : (float)((int)below(in, 16) - 5) / 2;
}

static inline uint32_t a_feature(struct input *in)
{
    return one_in(in, 100) ? (uint32_t)an_index(in) : (uint32_t)below(in, 9);
}

// One of some texts, some bytes of the input, or NULL.
static inline const char *a_text(struct input *in, const char *const *texts, size_t count)
{
    size_t choice = below(in, count + 6);
    if (choice < count)
        return texts[choice];
    if (choice < count + 4)
        return texts[choice % count];
    if (choice == count + 4)
        return NULL;
    size_t length = below(in, 24);
    char *text = an_array(in, length + 1, 1);
    for (size_t i = 0; i < length; i++)
        text[i] = (char)a_byte(in);
    return text;
}
#define A_TEXT(in, ...)                                                                            \
    a_text(in, (const char *const[]){__VA_ARGS__},                                                 \
           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

// In memory of its own, without a NUL.
static inline const char *some_bytes(struct input *in, const char *text, size_t *size)
{
    *size = text ? strlen(text) : below(in, 4);
    if (!text)
        return NULL;
    char *copy = an_array(in, *size, 1);
    memcpy(copy, text, *size);
    if (*size && one_in(in, 8))
        copy[below(in, *size)] = (char)a_byte(in);
    return copy;
}

static inline const char *a_name(struct input *in)
{
    return A_TEXT(in, "a", "b", "c", "0", "1", "2", "3", "word=offer", "");
}

// ---- rows ----

static inline uint32_t *some_features(struct input *in, size_t count, bool any)
{
    uint32_t *features = an_array(in, count, sizeof *features);
    bool sorted = !one_in(in, 3);
    for (size_t i = 0; i < count; i++)
        features[i] = sorted ? (uint32_t)(i + below(in, 2) * i)
                      : any  ? a_feature(in)
                             : (uint32_t)below(in, 9);
    return features;
}

static inline float *some_values(struct input *in, size_t count)
{
    float *values = an_array(in, count, sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = a_value(in);
    return values;
}

static inline tlu_row a_row(struct input *in)
{
    tlu_row row = {.count = below(in, 12)};
    if (!one_in(in, 3))
        row.features = some_features(in, row.count, true);
    if (!one_in(in, 4))
        row.values = some_values(in, row.count);
    return row;
}

static inline uint32_t *some_offsets(struct input *in, size_t rows, size_t entries)
{
    uint32_t *offsets = an_array(in, rows + 1, sizeof *offsets);
    for (size_t i = 0; i <= rows; i++)
        offsets[i] = (uint32_t)(one_in(in, 40) ? below(in, entries + 1) : i * entries / (rows + 1));
    return offsets;
}

static inline const char *const *some_names(struct input *in, size_t count)
{
    static const char *const names[] = {"x", "y", "z", "u", "v", "w", "1", "2", "other"};
    const char **all = an_array(in, count, sizeof *all);
    for (size_t i = 0; i < count; i++)
        all[i] = one_in(in, 40) ? a_name(in) : names[i % 9];
    return (const char *const *)all;
}

// Rows to learn from.
static inline tlu_rows some_rows(struct input *in)
{
    size_t count = one_in(in, 20) ? below(in, 2) : 4 + below(in, 8), columns = 1 + below(in, 6);
    size_t entries = count * columns, classes = 2 + below(in, 3);
    tlu_rows rows = {.size = sizeof rows, .rows = count, .columns = columns};
    uint32_t *labels = an_array(in, count, sizeof *labels);
    for (size_t i = 0; i < count; i++)
        labels[i] = one_in(in, 60) ? a_feature(in) : (uint32_t)below(in, classes);
    rows.labels = one_in(in, 40) ? NULL : labels;
    rows.values = one_in(in, 5) ? NULL : some_values(in, entries);
    if (one_in(in, 3)) {
        uint32_t *narrow = some_offsets(in, count, entries);
        uint64_t *offsets = an_array(in, count + 1, sizeof *offsets);
        for (size_t i = 0; i <= count; i++)
            offsets[i] = narrow[i];
        rows.offsets = offsets;
    }
    if (one_in(in, 3))
        rows.features = some_features(in, entries, one_in(in, 100)); // many features are slow
    if (one_in(in, 50)) // names are numbered from 2^20 on, which is slow
        rows.feature_names = some_names(in, rows.feature_count = below(in, 10));
    if (one_in(in, 5))
        rows.label_names = some_names(in, rows.label_count = below(in, 6));
    if (one_in(in, 5))
        rows.weights = some_values(in, count);
    if (one_in(in, 60))
        rows.size = an_index(in);
    if (peek_one_in(in, 4)) { // several labels per row
        uint64_t *offsets = an_array(in, count + 1, sizeof *offsets);
        for (size_t i = 0; i <= count; i++)
            offsets[i] = peek_one_in(in, 64) ? below(in, count + 1) : i < 3 ? 0 : i - (i % 3 == 1);
        rows.label_offsets = offsets;
    }
    return rows;
}

// The path of a file in memory with this text; the descriptor is *file.
static inline const char *a_file(struct input *in, const char *text, int *file)
{
    size_t size;
    char *path = an_array(in, 64, 1);
    const char *bytes = some_bytes(in, text ? text : "", &size);
    *file = memfd_create("fuzz", 0);
    expect(*file >= 0 && write(*file, bytes, size) == (ssize_t)size);
    snprintf(path, 64, "/proc/self/fd/%d", *file);
    return path;
}

static inline int take_bytes(void *context, const char *bytes, size_t size)
{
    unsigned *sum = context;
    for (size_t i = 0; i < size; i++)
        *sum += (unsigned char)bytes[i];
    return 0;
}

#endif
