#include "model/file/pack.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define STEPS_MAX 9007199254740992.0 // 2^53: every whole number up to here is a double

bool unpack_failed(const struct unpack *in)
{
    return in->no_memory || in->wrong[0] != '\0';
}

void unpack_damaged(struct unpack *in, const char *format, ...)
{
    in->at = in->end;
    if (unpack_failed(in))
        return;
    char what[120];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(in->wrong, sizeof in->wrong, "the model is damaged: %s: %s", in->section, what);
}

void *unpack_checked(struct unpack *in, void *pointer)
{
    if (!pointer) {
        in->at = in->end;
        in->no_memory = true;
    }
    return pointer;
}

// ---- whole numbers and texts ----

uint64_t unpack_left(const struct unpack *in)
{
    return (uint64_t)(in->end - in->at);
}

const unsigned char *unpack_take(struct unpack *in, uint64_t size)
{
    if (size > unpack_left(in)) {
        unpack_damaged(in, "it ends too early");
        return NULL;
    }
    const unsigned char *bytes = in->at;
    in->at += size;
    return bytes;
}

uint64_t unpack_fixed_of(const unsigned char *bytes, size_t size)
{
    uint64_t value = 0;
    assert(size <= sizeof value);
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

uint64_t unpack_fixed(struct unpack *in, size_t size)
{
    const unsigned char *bytes = unpack_take(in, size);
    return bytes ? unpack_fixed_of(bytes, size) : 0;
}

unsigned unpack_choice(struct unpack *in, unsigned most, const char *what)
{
    unsigned value = (unsigned)unpack_fixed(in, 1);
    if (value > most) {
        unpack_damaged(in, "%s is %u, which is past %u", what, value, most);
        return 0;
    }
    return value;
}

uint64_t unpack_count(struct unpack *in)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint64_t byte = unpack_fixed(in, 1);
        if (shift == 63 && byte > 1)
            break;
        value |= (byte & 127) << shift;
        if (byte < 128)
            return value;
    }
    unpack_damaged(in, "a count has more than 64 bits");
    return 0;
}

// An even count 2n is a step of n forward, an odd one 2n - 1 a step of n back (all modulo 2^64).
uint64_t unpack_moved(struct unpack *in, uint64_t from)
{
    uint64_t step = unpack_count(in);
    return from + (step % 2 ? ~(step >> 1) : step >> 1);
}

uint64_t unpack_length(struct unpack *in, uint64_t least, const char *what)
{
    assert(least > 0);
    uint64_t count = unpack_count(in);
    if (count > unpack_left(in) / least) {
        unpack_damaged(in, "the section is too short for %llu %s", (unsigned long long)count, what);
        return 0;
    }
    return count;
}

const char *unpack_text(struct unpack *in, size_t *length)
{
    *length = (size_t)unpack_length(in, 1, "bytes of text");
    const unsigned char *bytes = unpack_take(in, *length);
    if (bytes && memchr(bytes, 0, *length))
        unpack_damaged(in, "a text has a NUL inside");
    if (unpack_failed(in))
        *length = 0;
    return bytes ? (const char *)bytes : "";
}

char *unpack_copy_text(struct unpack *in)
{
    size_t length;
    const char *text = unpack_text(in, &length);
    return unpack_failed(in) ? NULL : unpack_checked(in, memory_copy_text(text, length));
}

// ---- numbers ----

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double single_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double unpack_number(struct unpack *in, enum number_code code)
{
    double value = 0;
    if (code == CODE_SHORT) {
        unsigned bits = (unsigned)unpack_fixed(in, 2);
        value = bits < 0x8000u ? bits : (double)bits - 0x10000;
    } else if (code == CODE_SINGLE) {
        value = single_of((uint32_t)unpack_fixed(in, 4));
    } else if (code == CODE_DOUBLE) {
        value = double_of(unpack_fixed(in, 8));
    }
    if (!isfinite(value))
        unpack_damaged(in, "a number is not finite");
    return value;
}

double unpack_steps(struct unpack *in, double least, bool whole)
{
    double steps = unpack_number(in, CODE_DOUBLE);
    if (steps < least)
        unpack_damaged(in, "the number of steps is too small");
    else if (!(steps <= STEPS_MAX) || (whole && steps != (double)(uint64_t)steps))
        unpack_damaged(in, "the number of steps is not whole");
    return steps;
}

bool unpack_numbers_fit(struct unpack *in, uint64_t count)
{
    if (count / 4 > unpack_left(in))
        unpack_damaged(in, "the section is too short for %llu numbers", (unsigned long long)count);
    return !unpack_failed(in);
}

// The codes of count numbers; NULL if they are not there.
static const unsigned char *take_codes(struct unpack *in, size_t count)
{
    const unsigned char *codes = unpack_take(in, count / 4 + (count % 4 != 0));
    if (codes && count % 4 != 0 && codes[count / 4] >> 2 * (count % 4) != 0)
        unpack_damaged(in, "there are codes after the last number");
    return codes;
}

static enum number_code code_at(const unsigned char *codes, size_t i)
{
    return (enum number_code)(codes[i / 4] >> 2 * (i % 4) & 3);
}

void unpack_numbers(struct unpack *in, double *numbers, size_t count)
{
    const unsigned char *codes = take_codes(in, count);
    for (size_t i = 0; i < count && !unpack_failed(in); i++)
        numbers[i] = unpack_number(in, code_at(codes, i));
}

void unpack_cells(struct unpack *in, double *cells, size_t count)
{
    const unsigned char *codes = take_codes(in, count);
    for (size_t i = 0; i < count && !unpack_failed(in); i++) {
        if (i % 4 == 0 && codes[i / 4] == 0)
            i += 3; // there is nothing after the last number
        else if (code_at(codes, i) != CODE_ZERO)
            cells[i] = unpack_number(in, code_at(codes, i));
    }
}

double *unpack_new_numbers(struct unpack *in, size_t count)
{
    if (!unpack_numbers_fit(in, count))
        return NULL;
    double *numbers = unpack_checked(in, memory_new(count, sizeof *numbers));
    if (numbers)
        unpack_cells(in, numbers, count);
    return numbers;
}

void unpack_singles(struct unpack *in, float *numbers, size_t count)
{
    const unsigned char *codes = take_codes(in, count);
    for (size_t i = 0; i < count && !unpack_failed(in); i++) {
        if (code_at(codes, i) == CODE_DOUBLE)
            unpack_damaged(in, "a value has too many digits");
        double value = unpack_number(in, code_at(codes, i));
        if (value == 0)
            unpack_damaged(in, "a value is 0");
        numbers[i] = (float)value;
    }
}
