#include "model/file/pack.h"

#include "base/crc.h"
#include "base/file.h"

#include <float.h>
#include <math.h>
#include <string.h>

static bool counts_only(const struct out *out)
{
    return !out->file && !out->memory;
}

// What comes next in the file, of `size` bytes that are counted.
static void pass_on(struct out *out, const void *bytes, size_t size)
{
    out->crc = crc32_add(out->crc, bytes, size);
    if (out->file)
        file_put(out->file, bytes, size);
    else if (size)
        memcpy(out->memory + (out->size - size), bytes, size);
}

void put_flush(struct out *out)
{
    if (out->waiting_size)
        pass_on(out, out->waiting, out->waiting_size);
    out->waiting_size = 0;
}

void put_bytes(struct out *out, const void *bytes, size_t size)
{
    put_flush(out);
    out->size += size;
    if (!counts_only(out))
        pass_on(out, bytes, size);
}

void put_fixed(struct out *out, uint64_t value, size_t size)
{
    if (!counts_only(out)) {
        if (sizeof out->waiting - out->waiting_size < 8)
            put_flush(out);
        unsigned char *bytes = out->waiting + out->waiting_size;
        for (size_t i = 0; i < 8; i++)
            bytes[i] = (unsigned char)(value >> 8 * i & 255);
        out->waiting_size += size;
    }
    out->size += size;
}

void put_count(struct out *out, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        put_fixed(out, (value & 127) | 128, 1);
    put_fixed(out, value, 1);
}

void put_move(struct out *out, uint64_t from, uint64_t to)
{
    uint64_t step = to - from;
    put_count(out, step >> 63 ? ~step << 1 | 1 : step << 1);
}

void put_text_of(struct out *out, const char *text, size_t length)
{
    put_count(out, length);
    put_bytes(out, text, length);
}

void put_text(struct out *out, const char *text)
{
    put_text_of(out, text ? text : "", text ? strlen(text) : 0);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

void put_double(struct out *out, double value)
{
    out->infinite |= !isfinite(value);
    put_fixed(out, bits_of(value), 8);
}

bool number_is_same(double a, double b)
{
    return bits_of(a) == bits_of(b);
}

enum number_code number_code_of(double value)
{
    if (bits_of(value) == 0)
        return CODE_ZERO;
    if (value >= INT16_MIN && value <= INT16_MAX && value != 0 && value == (int16_t)value)
        return CODE_SHORT;
    if (fabs(value) <= FLT_MAX && value == (double)(float)value) // -0 is one of these
        return CODE_SINGLE;
    return CODE_DOUBLE;
}

static void put_single(struct out *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_fixed(out, bits, 4);
}

void put_number(struct out *out, double number, enum number_code code)
{
    switch (code) {
    case CODE_ZERO:
        break;
    case CODE_SHORT:
        put_fixed(out, (uint64_t)(int64_t)number, 2);
        break;
    case CODE_SINGLE:
        put_single(out, (float)number);
        break;
    case CODE_DOUBLE:
        put_double(out, number);
        break;
    }
}

// The codes of numbers, four per byte.
struct codes {
    unsigned byte;
    size_t count;
};

static void put_code(struct out *out, struct codes *codes, double number)
{
    codes->byte |= (unsigned)number_code_of(number) << 2 * (codes->count % 4);
    if (++codes->count % 4 == 0) {
        put_fixed(out, codes->byte, 1);
        codes->byte = 0;
    }
}

static void end_codes(struct out *out, const struct codes *codes)
{
    if (codes->count % 4 != 0)
        put_fixed(out, codes->byte, 1);
}

#define ZEROS 512 // numbers at once; whole bytes of codes

// With many classes most numbers are 0: those are passed over in blocks.
static bool zeros_at(const double *numbers, size_t count, size_t i)
{
    return i % ZEROS == 0 && count - i >= ZEROS && weights_are_zero(numbers + i, ZEROS);
}

void put_numbers(struct out *out, const double *numbers, size_t count)
{
    static const unsigned char none[ZEROS / 4];
    struct codes codes = {0};
    for (size_t i = 0; i < count; i++) {
        if (zeros_at(numbers, count, i)) {
            put_bytes(out, none, sizeof none);
            codes.count += ZEROS;
            i += ZEROS - 1;
        } else {
            put_code(out, &codes, numbers[i]);
        }
    }
    end_codes(out, &codes);
    for (size_t i = 0; i < count; i++) {
        if (zeros_at(numbers, count, i))
            i += ZEROS - 1;
        else
            put_number(out, numbers[i], number_code_of(numbers[i]));
    }
}

void put_singles(struct out *out, const float *numbers, size_t count)
{
    struct codes codes = {0};
    for (size_t i = 0; i < count; i++)
        put_code(out, &codes, (double)numbers[i]);
    end_codes(out, &codes);
    for (size_t i = 0; i < count; i++)
        put_number(out, (double)numbers[i], number_code_of((double)numbers[i]));
}
