// Text in pictures: cleaning, measuring, cutting; numbers in sentences.
#include "plot/text.h"
#include "base/memory.h"
#include "base/unicode/printable.h"
#include "base/unicode/utf8.h"
#include "numeric/number.h"
#include "plot/paint/paint.h"

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
    page->picture->failed |= !clean;
    memory_free(clean);
    return width;
}

double page_text_height(const struct page *page, const struct text_style *font)
{
    return font_height(page->picture->font, font->size);
}

// The offset of a character.
static size_t offset_of(const char *text, size_t characters)
{
    size_t at = 0;
    for (; characters > 0 && text[at]; characters--) {
        size_t size = text_character(text + at);
        at += size ? size : 1;
    }
    return at;
}

char *text_shortened(const char *clean, size_t keep, enum cut cut)
{
    size_t size = strlen(clean), all = 0;
    for (size_t at = 0; clean[at]; all++)
        at += offset_of(clean + at, 1);
    if (all <= keep)
        return memory_copy_text(clean, size);
    size_t after = cut == CUT_END ? 0 : keep / 2;
    size_t head = offset_of(clean, keep - after), tail = offset_of(clean, all - after);
    char *shorter = memory_new(size + sizeof ELLIPSIS, 1);
    if (!shorter)
        return NULL;
    memcpy(shorter, clean, head);
    strcpy(shorter + head, ELLIPSIS);
    strcat(shorter, clean + tail);
    return shorter;
}

// The version of a text that is too wide with the most characters that fits.
static char *longest_fitting(const struct page *page, const char *clean,
                             const struct text_style *font, double width, enum cut cut)
{
    size_t fits = 0, too_many = strlen(clean);
    while (too_many - fits > 1) {
        size_t middle = fits + (too_many - fits) / 2;
        char *shorter = text_shortened(clean, middle, cut);
        if (!shorter)
            return NULL;
        *(width_of(page, shorter, font) <= width ? &fits : &too_many) = middle;
        memory_free(shorter);
    }
    return text_shortened(clean, fits, cut);
}

char *page_text_fitted(const struct page *page, const char *text, const struct text_style *font,
                       double width, enum cut cut)
{
    char *clean = text_clean(text);
    if (!clean || width_of(page, clean, font) <= width)
        return clean;
    char *fitted = longest_fitting(page, clean, font, width, cut);
    memory_free(clean);
    return fitted;
}

// ---- bytes or text that grow

void buffer_add(struct byte_buffer *bytes, const void *data, size_t size)
{
    if (!size)
        return;
    if (bytes->failed || !memory_reserve(&bytes->data, &bytes->capacity, bytes->size + size, 1)) {
        bytes->failed = true;
        return;
    }
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

void buffer_print_list(struct byte_buffer *text, const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0 || text->failed ||
        !memory_reserve(&text->data, &text->capacity, text->size + (size_t)length + 1, 1)) {
        text->failed = true;
        return;
    }
    vsnprintf((char *)text->data + text->size, (size_t)length + 1, format, list);
    text->size += (size_t)length;
}

void buffer_print(struct byte_buffer *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    buffer_print_list(text, format, list);
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
