// Text in pictures: cleaning, measuring, cutting; numbers in sentences.
#include "plot/text.h"
#include "base/memory.h"
#include "base/unicode/printable.h"
#include "base/unicode/utf8.h"
#include "numeric/number.h"
#include "plot/paint/paint.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"
#define ELLIPSIS "\xe2\x80\xa6"

size_t text_character(const char *text)
{
    size_t length;
    uint32_t code = unicode_read(text, text + strnlen(text, 4), &length);
    bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    bool none =
        code == 0xfffe || code == 0xffff || code == UNICODE_NONE; // XML refuses the first two
    return control || none ? 0 : length;
}

// Characters that set a direction would reorder the text after a name; line separators would end
// the line.
static bool is_left_out(const char *text, size_t length)
{
    size_t bytes;
    uint32_t code = length ? unicode_read(text, text + length, &bytes) : 0;
    return code == 0x2028 || code == 0x2029 || unicode_sets_direction(code);
}

char *text_clean(const char *text)
{
    size_t size = strlen(text), used = 0;
    char *clean = memory_new(3 * size + 1, 1);
    while (clean && *text) {
        size_t length = text_character(text);
        if (is_left_out(text, length)) {
            text += length;
            continue;
        }
        if (length) {
            memcpy(clean + used, text, length);
            used += length;
        } else if (*text == '\t' || *text == '\n' || *text == '\r') {
            clean[used++] = ' ';
        } else {
            memcpy(clean + used, REPLACEMENT, 3);
            used += 3;
        }
        text += length ? length : 1;
    }
    return clean;
}

static double width_of(const struct page *page, const char *clean, const struct text_style *font)
{
    return font_width(page->picture->font, clean, font->size, font->bold);
}

double page_text_width(const struct page *page, const char *text, const struct text_style *font)
{
    char *clean = text_clean(text);
    double width = clean ? width_of(page, clean, font) : 0;
    page->picture->failed = page->picture->failed || !clean;
    memory_free(clean);
    return width;
}

double page_text_height(const struct page *page, const struct text_style *font)
{
    return font_height(page->picture->font, font->size);
}

// The first byte of the character that contains the byte.
static size_t beginning_of(const char *text, size_t byte)
{
    while (byte > 0 && ((unsigned char)text[byte] & 0xc0) == 0x80)
        byte--;
    return byte;
}

// Finds the longest prefix that fits with an ellipsis. `cut` has space for the whole text.
static void cut_text(const struct page *page, const char *clean, const struct text_style *font,
                     double width, char *cut)
{
    size_t fits = 0, too_many = strlen(clean);
    for (;;) {
        size_t middle = beginning_of(clean, fits + (too_many - fits) / 2);
        if (middle == fits)
            middle += text_character(clean + fits); // the next one, if it is not the last
        if (middle >= too_many)
            break;
        memcpy(cut, clean, middle);
        strcpy(cut + middle, ELLIPSIS);
        if (width_of(page, cut, font) <= width)
            fits = middle;
        else
            too_many = middle;
    }
    memcpy(cut, clean, fits);
    strcpy(cut + fits, ELLIPSIS);
}

char *page_text_fitted(const struct page *page, const char *text, const struct text_style *font,
                       double width)
{
    char *clean = text_clean(text);
    if (!clean || width_of(page, clean, font) <= width)
        return clean;
    char *cut = memory_new(strlen(clean) + sizeof ELLIPSIS, 1);
    if (cut)
        cut_text(page, clean, font, width, cut);
    memory_free(clean);
    return cut;
}

void text_add(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    assert(used < size);
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, size - used, format, list);
    va_end(list);
}

// ---- numbers

const char *grouped(char out[COUNTED_SIZE], uint64_t count)
{
    char digits[32];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out[used++] = ',';
        out[used++] = digits[i];
    }
    out[used] = '\0';
    return out;
}

const char *counted(char out[COUNTED_SIZE], uint64_t count, const char *one, const char *several)
{
    size_t used = strlen(grouped(out, count));
    snprintf(out + used, COUNTED_SIZE - used, " %s", count == 1 ? one : several);
    return out;
}

const char *to_digits(char out[AMOUNT_SIZE], int digits, double value)
{
    number_print_as(out, AMOUNT_SIZE, 'g', digits, value);
    return out;
}

const char *to_places(char out[AMOUNT_SIZE], int places, double value)
{
    number_print_as(out, AMOUNT_SIZE, 'f', places, value);
    return out;
}
