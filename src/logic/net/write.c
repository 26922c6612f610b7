#include "logic/net/write.h"

#include "base/memory.h"
#include "input/text/unicode.h"
#include "tlu_logic.h"

#include <stdarg.h>
#include <stdio.h>

static const struct language *const languages[] = {&text_language, &json_language, &dot_language,
                                                   &verilog_language, &c_language};
#define LANGUAGES (sizeof languages / sizeof languages[0])

// ---- the pen ----

static void put_bytes(struct pen *pen, const char *bytes, size_t size)
{
    out_put(&pen->out, bytes, size);
    for (size_t i = 0; i < size; i++)
        pen->column = bytes[i] == '\n' ? 0 : pen->column + 1;
}

void pen_text(struct pen *pen, const char *text)
{
    put_bytes(pen, text, strlen(text));
}

void pen_put(struct pen *pen, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pen_text(pen, text);
}

void pen_blank(struct pen *pen, size_t length, int indent)
{
    if (pen->column + 1 + length > LINE_LIMIT)
        pen_put(pen, "\n%*s", indent, "");
    else
        pen_text(pen, " ");
}

// ---- names in the text form ----

static bool is_bare(const char *name)
{
    const char *end = name + strlen(name);
    bool bare = name < end && !(*name >= '0' && *name <= '9');
    while (bare && name < end) {
        size_t length;
        uint32_t code = unicode_read(name, end, &length), letter = code | 0x20;
        bare = (letter >= 'a' && letter <= 'z') || (code >= '0' && code <= '9') || code == '_' ||
               (code >= 0x80 && code != UNICODE_NONE && unicode_kind(code) == CHARACTER_WORD);
        name += length;
    }
    return bare;
}

// Marks of formatting, such as those that change the direction of a text.
static bool is_invisible(uint32_t code)
{
    return (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF;
}

static void put_quoted(struct pen *pen, const char *name)
{
    const char *end = name + strlen(name);
    pen_text(pen, "\"");
    while (name < end) {
        size_t length;
        uint32_t code = unicode_read(name, end, &length);
        bool plain = code < 0x80 ? code >= 32 && code != 127 : code != UNICODE_NONE;
        plain = plain && (code == ' ' || unicode_kind(code) != CHARACTER_SPACE);
        plain = plain && !is_invisible(code);
        if (code == '"' || code == '\\')
            pen_put(pen, "\\%c", (char)code);
        else if (plain)
            put_bytes(pen, name, length);
        else
            for (size_t i = 0; i < length; i++)
                pen_put(pen, "\\x%02x", (unsigned)(unsigned char)name[i]);
        name += length;
    }
    pen_text(pen, "\"");
}

void pen_name(struct pen *pen, const char *name)
{
    if (is_bare(name))
        pen_text(pen, name);
    else
        put_quoted(pen, name);
}

// ---- the way in ----

static tlu_status find_language(const char *name, const struct language **language,
                                tlu_error *error)
{
    char list[128] = "", quoted[64];
    for (size_t i = 0; i < LANGUAGES; i++) {
        if (strcmp(languages[i]->name, name) == 0) {
            *language = languages[i];
            return TLU_OK;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", languages[i]->name);
    }
    return error_input(error, "no language '%s' for a network: there are %s",
                       error_quote(quoted, sizeof quoted, name, strlen(name)), list);
}

static tlu_status write_all(struct pen *pen, const struct language *language, tlu_error *error)
{
    TRY(enough_memory(names_make(&pen->names, pen->network, &language->spelling), error));
    TRY(enough_memory(language->write(pen), error));
    out_flush(&pen->out);
    return pen->out.failed ? error_interrupted(error, "stopped by a function of the caller")
                           : TLU_OK;
}

tlu_status network_write(const struct tlu_network *network, const char *language,
                         tlu_write_function write, void *context, tlu_error *error)
{
    const struct language *found = NULL;
    TRY(find_language(language, &found, error));
    struct pen *pen = memory_new(1, sizeof *pen);
    TRY(enough_memory(pen, error));
    pen->network = network;
    pen->out.write = write;
    pen->out.context = context;
    tlu_status status = write_all(pen, found, error);
    names_free(&pen->names, network);
    memory_free(pen);
    return status;
}
