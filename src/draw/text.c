#include "draw/text.h"
#include "base/memory.h"
#include "draw/paint/font.h"

#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"
#define ELLIPSIS "\xe2\x80\xa6"

static size_t length_of(unsigned char lead)
{
    return lead < 0x80   ? 1
           : lead < 0xc2 ? 0
           : lead < 0xe0 ? 2
           : lead < 0xf0 ? 3
           : lead < 0xf5 ? 4
                         : 0;
}

size_t text_character(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t length = length_of(*at);
    uint32_t code = length < 2 ? *at : *at & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3f);
    }
    bool longer = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    bool surrogate = code >= 0xd800 && code < 0xe000;
    bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    return longer || surrogate || control || code > 0x10ffff ? 0 : length;
}

char *text_clean(const char *text)
{
    size_t size = strlen(text), used = 0;
    char *clean = memory_new(3 * size + 1, 1);
    while (clean && *text) {
        size_t length = text_character(text);
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

double page_text_width(const struct page *page, const char *text, const struct letters *letters)
{
    char *clean = text_clean(text);
    double width = clean ? font_width(page->picture->font, clean, letters->size, letters->bold) : 0;
    memory_free(clean);
    return width;
}

double page_text_height(const struct page *page, const struct letters *letters)
{
    return font_height(page->picture->font, letters->size);
}

// Where the last character that begins before `size` begins.
static size_t character_before(const char *text, size_t size)
{
    while (size > 0 && ((unsigned char)text[size] & 0xc0) == 0x80)
        size--;
    return size;
}

char *page_text_fitted(const struct page *page, const char *text, const struct letters *letters,
                       double width)
{
    char *clean = text_clean(text);
    if (!clean || page_text_width(page, clean, letters) <= width)
        return clean;
    size_t fits = 0, too_many = strlen(clean);
    char *cut = memory_new(too_many + sizeof ELLIPSIS, 1);
    while (cut && too_many - fits > 1) { // longest beginning that fits with the ellipsis
        size_t middle = character_before(clean, fits + (too_many - fits) / 2);
        if (middle <= fits)
            break;
        memcpy(cut, clean, middle);
        strcpy(cut + middle, ELLIPSIS);
        if (page_text_width(page, cut, letters) <= width)
            fits = middle;
        else
            too_many = middle;
    }
    if (cut) {
        memcpy(cut, clean, fits);
        strcpy(cut + fits, ELLIPSIS);
    }
    memory_free(clean);
    return cut;
}
