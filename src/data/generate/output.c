#include "data/generate/internal.h"

#include <math.h>
#include <string.h>

#define ITEM_MAX 64 // bytes of a separator, an index and a number

void output_write_out(struct output *out)
{
    if (out->used && !out->failed)
        out->failed = out->write(out->context, out->bytes, out->used) != 0;
    out->used = 0;
}

static void make_room(struct output *out)
{
    if (out->used + ITEM_MAX > OUTPUT_SIZE)
        output_write_out(out);
}

static void put_text(struct output *out, const char *text)
{
    size_t length = strlen(text);
    memcpy(out->bytes + out->used, text, length);
    out->used += length;
}

static void put_whole(struct output *out, uint64_t number)
{
    char digits[20];
    size_t count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    while (count)
        out->bytes[out->used++] = digits[--count];
}

// Digits of a number below 10^6, and 10^exponent for the first of them.
static uint32_t six_digits(double magnitude, int *exponent)
{
    *exponent = 5;
    for (; magnitude >= 999999.5; ++*exponent)
        magnitude /= 10;
    for (; magnitude < 99999.95; --*exponent)
        magnitude *= 10;
    return (uint32_t)(magnitude + 0.5);
}

// Six significant digits without trailing zeros: 0.25, -31.4159, 1.5e-07.
static void put_number(struct output *out, double value)
{
    char *p = out->bytes + out->used;
    if (value < 0)
        *p++ = '-';
    if (value == 0) {
        out->bytes[out->used++] = '0';
        return;
    }
    int exponent;
    uint32_t number = six_digits(fabs(value), &exponent);
    char digits[6];
    for (int i = 5; i >= 0; i--, number /= 10)
        digits[i] = (char)('0' + number % 10);
    int count = 6;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    bool scientific = exponent < -5 || exponent > 5;
    int point = scientific ? 0 : exponent; // the place of the digit before the point
    if (point < 0) {
        *p++ = '0';
        *p++ = '.';
        for (int i = -1; i > point; i--)
            *p++ = '0';
    }
    for (int i = 0; i < count || i <= point; i++) {
        *p++ = i < count ? digits[i] : '0';
        if (i == point && i + 1 < count)
            *p++ = '.';
    }
    out->used = (size_t)(p - out->bytes);
    if (scientific) {
        put_text(out, exponent < 0 ? "e-" : "e+");
        put_whole(out, (uint64_t)(exponent < 0 ? -exponent : exponent));
    }
}

void output_header(struct output *out, uint64_t features)
{
    for (uint64_t i = 1; out->csv && i <= features && !out->failed; i++) {
        make_room(out);
        put_text(out, "x");
        put_whole(out, i);
        put_text(out, i == features ? ",label\n" : ",");
    }
}

static void put_label(struct output *out, int64_t label, bool plus)
{
    make_room(out);
    if (label < 0 || plus)
        put_text(out, label < 0 ? "-" : "+");
    put_whole(out, (uint64_t)(label < 0 ? -label : label));
}

void output_row(struct output *out, uint64_t features, const uint32_t *indices,
                const double *values, size_t count, int64_t label, bool plus)
{
    if (!out->csv)
        put_label(out, label, plus);
    uint64_t column = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t index = indices ? indices[i] : i;
        for (; out->csv && column < index; column++) {
            make_room(out);
            put_text(out, "0,");
        }
        column = index + 1;
        make_room(out);
        if (!out->csv) {
            put_text(out, " ");
            put_whole(out, index + 1);
            put_text(out, ":");
        }
        put_number(out, values[i]);
        if (out->csv)
            put_text(out, ",");
    }
    for (; out->csv && column < features; column++) {
        make_room(out);
        put_text(out, "0,");
    }
    if (out->csv)
        put_label(out, label, plus);
    put_text(out, "\n");
}
