#include "model/file/pack.h"

#include "base/crc.h"
#include "base/file.h"
#include "base/memory.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

bool put_counts_only(const struct packer *out)
{
    return !out->file && !out->memory && !out->grows;
}

// Writes the next `size` bytes, which are counted in out->size.
static void pass_on(struct packer *out, const void *bytes, size_t size)
{
    out->crc = crc32_add(out->crc, bytes, size);
    if (out->file)
        file_put(out->file, bytes, size);
    else if (out->grows && !memory_reserve(&out->memory, &out->capacity, out->size, 1))
        out->no_memory = true;
    else if (size)
        memcpy(out->memory + (out->size - size), bytes, size);
}

void put_flush(struct packer *out)
{
    if (out->waiting_size)
        pass_on(out, out->waiting, out->waiting_size);
    out->waiting_size = 0;
}

void put_bytes(struct packer *out, const void *bytes, size_t size)
{
    if (!put_counts_only(out) && size > sizeof out->waiting - out->waiting_size)
        put_flush(out);
    out->size += size;
    if (put_counts_only(out) || !size)
        return;
    if (size > sizeof out->waiting) {
        pass_on(out, bytes, size);
    } else {
        memcpy(out->waiting + out->waiting_size, bytes, size);
        out->waiting_size += size;
    }
}

// Writes all 8 bytes, the lowest first.
static inline void set_fixed(unsigned char *bytes, uint64_t value)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    memcpy(bytes, &value, sizeof value);
}

void put_fixed(struct packer *out, uint64_t value, size_t size)
{
    assert(size <= 8);
    if (!put_counts_only(out)) {
        if (sizeof out->waiting - out->waiting_size < 8)
            put_flush(out);
        set_fixed(out->waiting + out->waiting_size, value);
        out->waiting_size += size;
    }
    out->size += size;
}

void put_count(struct packer *out, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        put_fixed(out, (value & 127) | 128, 1);
    put_fixed(out, value, 1);
}

void put_move(struct packer *out, uint64_t from, uint64_t to)
{
    uint64_t step = to - from;
    put_count(out, step >> 63 ? ~step << 1 | 1 : step << 1);
}

void put_text_of(struct packer *out, const char *text, size_t length)
{
    put_count(out, length);
    put_bytes(out, text, length);
}

void put_text(struct packer *out, const char *text)
{
    put_text_of(out, text ? text : "", text ? strlen(text) : 0);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

void put_double(struct packer *out, double value)
{
    out->infinite |= !isfinite(value);
    put_fixed(out, bits_of(value), 8);
}

bool number_is_same(double a, double b)
{
    return bits_of(a) == bits_of(b);
}

// The number in 16 or 32 bits; 0 if it does not fit.
static inline int32_t short_of(double value)
{
    bool fits = (value >= INT16_MIN) & (value <= INT16_MAX);
    return (int32_t)(fits ? value : 0);
}

static inline float single_of(double value)
{
    return (float)(fabs(value) <= FLT_MAX ? value : 0);
}

// Numbers outside the normal range of a float.
static enum number_code unusual_code(double value)
{
    return value == (double)single_of(value) ? CODE_SINGLE : CODE_DOUBLE;
}

// The codes of weights are unpredictable, so there is only one branch, which is predictable.
static inline enum number_code code_of(double value)
{
    uint64_t bits = bits_of(value);
    uint32_t exponent = (uint32_t)(bits >> 52) & 0x7FF, power = exponent - 1023;
    if ((bits != 0) & (exponent - 897 > 253)) // 2^-126 to 2^127 are usual
        return unusual_code(value);
    bool is_single = (bits & 0x1FFFFFFF) == 0;                         // 23 bits after the first
    bool is_short = (power < 15) & (bits << (12 + (power & 15)) == 0); // no fraction
    is_short |= value == INT16_MIN;
    enum number_code code = is_single ? CODE_SINGLE : CODE_DOUBLE;
    code = is_short ? CODE_SHORT : code;
    return bits == 0 ? CODE_ZERO : code;
}

static inline size_t code_size(enum number_code code)
{
    static const unsigned char sizes[] = {
        [CODE_ZERO] = 0, [CODE_SHORT] = 2, [CODE_SINGLE] = 4, [CODE_DOUBLE] = 8};
    return sizes[code];
}

static inline uint64_t coded(double value, enum number_code code)
{
    assert(code <= CODE_DOUBLE);
    float single = single_of(value);
    uint32_t single_bits;
    memcpy(&single_bits, &single, sizeof single_bits);
    const uint64_t forms[] = {[CODE_ZERO] = 0,
                              [CODE_SHORT] = (uint64_t)short_of(value),
                              [CODE_SINGLE] = single_bits,
                              [CODE_DOUBLE] = bits_of(value)};
    return forms[code];
}

enum number_code number_code_of(double value)
{
    return code_of(value);
}

void put_number(struct packer *out, double number, enum number_code code)
{
    out->infinite |= !isfinite(number);
    put_fixed(out, coded(number, code), code_size(code));
}

// ---- many numbers ----

#define PIECE 256 // numbers at once: whole bytes of codes, four per byte

// With many classes most numbers are 0: blocks of zeros are skipped.
static bool is_zero(const double *numbers, size_t count)
{
    return count == PIECE && weights_are_zero(numbers, PIECE);
}

static void put_codes(struct packer *out, const double *numbers, size_t count)
{
    unsigned char bytes[PIECE / 4] = {0};
    if (!put_counts_only(out) && !is_zero(numbers, count))
        for (size_t i = 0; i < count; i++)
            bytes[i / 4] |= (unsigned char)(code_of(numbers[i]) << 2 * (i % 4));
    put_bytes(out, bytes, (count + 3) / 4);
}

static void count_coded(struct packer *out, const double *numbers, size_t count)
{
    bool infinite = false;
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        infinite |= !isfinite(numbers[i]);
        size += code_size(code_of(numbers[i]));
    }
    out->infinite |= infinite;
    out->size += size;
}

static void put_coded(struct packer *out, const double *numbers, size_t count)
{
    unsigned char bytes[8 * PIECE];
    size_t size = 0;
    if (is_zero(numbers, count))
        return;
    if (put_counts_only(out)) {
        count_coded(out, numbers, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        enum number_code code = code_of(numbers[i]);
        set_fixed(bytes + size, coded(numbers[i], code));
        size += code_size(code);
    }
    put_bytes(out, bytes, size);
}

static size_t piece_at(size_t at, size_t count)
{
    return count - at < PIECE ? count - at : PIECE;
}

void put_numbers(struct packer *out, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i += PIECE)
        put_codes(out, numbers + i, piece_at(i, count));
    for (size_t i = 0; i < count; i += PIECE)
        put_coded(out, numbers + i, piece_at(i, count));
}

void put_computed(struct packer *out, put_piece *compute, void *context, size_t count)
{
    double piece[PIECE] = {0};
    for (size_t i = 0; i < count; i += PIECE) {
        if (!put_counts_only(out)) // else the codes do not matter
            compute(context, i, piece_at(i, count), piece);
        put_codes(out, piece, piece_at(i, count));
    }
    for (size_t i = 0; i < count; i += PIECE) {
        compute(context, i, piece_at(i, count), piece);
        put_coded(out, piece, piece_at(i, count));
    }
}

static void widen_singles(void *numbers, size_t first, size_t count, double *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (double)((const float *)numbers)[first + i];
}

void put_singles(struct packer *out, const float *numbers, size_t count)
{
    put_computed(out, widen_singles, (void *)numbers, count);
}
