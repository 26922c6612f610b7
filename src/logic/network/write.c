#include "logic/network/write.h"

#include "base/call/callback.h"
#include "base/memory.h"
#include "base/table.h"
#include "input/text/unicode.h"
#include "tlu_logic.h"

#include <stdarg.h>
#include <stdio.h>

static const struct language *const languages[] = {&text_language, &json_language, &dot_language,
                                                   &verilog_language, &c_language};
#define LANGUAGES (sizeof languages / sizeof languages[0])

// ---- the emitter ----

void emit(struct emitter *out, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(out->piece, out->piece_capacity, format, arguments);
    size_t size = length < 0 ? SIZE_MAX - 1 : (size_t)length;
    if (size >= out->piece_capacity) {
        out->full =
            out->full || !memory_reserve(&out->piece, &out->piece_capacity, (uint64_t)size + 1, 1);
        if (!out->full)
            vsnprintf(out->piece, out->piece_capacity, format, again);
    }
    va_end(again);
    va_end(arguments);
    if (out->full)
        return;
    out_put(&out->buffer, out->piece, size);
    for (size_t i = 0; i < size; i++)
        out->column = out->piece[i] == '\n' ? 0 : out->column + 1;
}

void emit_space(struct emitter *out, size_t length, int indent)
{
    if (out->column + 1 + length > LINE_LIMIT)
        emit(out, "\n%*s", indent, "");
    else
        emit(out, " ");
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

// Formatting characters, such as those that change the direction of text.
static bool is_invisible(uint32_t code)
{
    return (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF;
}

// At most 4 * strlen(name) + 3 bytes.
void quote_text(char *out, const char *name)
{
    const char *end = name + strlen(name);
    if (is_bare(name)) {
        memcpy(out, name, strlen(name) + 1);
        return;
    }
    *out++ = '"';
    while (name < end) {
        size_t length;
        uint32_t code = unicode_read(name, end, &length);
        bool plain = code < 0x80 ? code >= 32 && code != 127 : code != UNICODE_NONE;
        plain = plain && (code == ' ' || unicode_kind(code) != CHARACTER_SPACE);
        plain = plain && !is_invisible(code);
        if (code == '"' || code == '\\')
            *out++ = '\\';
        for (size_t i = 0; i < length; i++)
            if (plain)
                *out++ = name[i];
            else
                out += snprintf(out, 5, "\\x%02x", (unsigned)(unsigned char)name[i]);
        name += length;
    }
    memcpy(out, "\"", 2);
}

const char *text_form(struct emitter *out, const char *name)
{
    if (!memory_reserve(&out->quoted, &out->quoted_capacity, 4 * strlen(name) + 3, 1)) {
        out->full = true;
        return "";
    }
    quote_text(out->quoted, name);
    return out->quoted;
}

// ---- names in the language ----

#define IDENTIFIER_MAX 48 // bytes; compilers need not look at more than 63
#define ENDING_SIZE 16    // of "_4294967295"

void spell_identifier(char *out, const char *name)
{
    const char *end = name + IDENTIFIER_MAX;
    if (*name >= '0' && *name <= '9')
        *out++ = 'x';
    for (; *name && name < end; name++) {
        char c = *name, letter = (char)(c | 0x20);
        bool fits = (letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9');
        *out++ = fits ? c : '_';
    }
    *out = '\0';
}

void spell_utf8(char *out, const char *name)
{
    const char *end = name + strlen(name);
    while (name < end) {
        size_t length;
        if (unicode_read(name, end, &length) == UNICODE_NONE) {
            out += unicode_write(out, 0xFFFD);
        } else {
            memcpy(out, name, length);
            out += length;
        }
        name += length;
    }
    *out = '\0';
}

// Makes the names. Inputs and outputs are named first, so that they keep their names; duplicates
// get the suffixes _2, _3, ...
struct naming {
    struct emitter *out;
    const struct language *language;
    struct table taken;
    uint32_t *next; // [taken] the next suffix of each name
    size_t next_capacity;
    char *scratch;
    size_t capacity;
};

// Marks a name as taken; false: out of memory.
static bool take_name(struct naming *naming, const char *name)
{
    uint32_t number = table_add(&naming->taken, name, strlen(name));
    if (number == TABLE_NONE ||
        !memory_reserve(&naming->next, &naming->next_capacity, number + 1, sizeof *naming->next))
        return false;
    naming->next[number] = 2;
    return true;
}

// A legal and unique name, and its length without quotes; NULL: out of memory.
static char *make_name(struct naming *naming, const char *name, size_t *length)
{
    const struct language *language = naming->language;
    if (!memory_reserve(&naming->scratch, &naming->capacity, 4 * strlen(name) + 8 + ENDING_SIZE, 1))
        return NULL;
    if (language->spell)
        language->spell(naming->scratch, name);
    else
        memcpy(naming->scratch, name, strlen(name) + 1);
    if (!*naming->scratch)
        memcpy(naming->scratch, "_", 2);
    *length = strlen(naming->scratch);
    uint32_t first = table_find(&naming->taken, naming->scratch, *length), found = first;
    for (char *end = naming->scratch + *length; found != TABLE_NONE;) {
        snprintf(end, ENDING_SIZE, "_%lu", (unsigned long)naming->next[first]++);
        found = table_find(&naming->taken, naming->scratch, strlen(naming->scratch));
    }
    if (!take_name(naming, naming->scratch))
        return NULL;
    *length = strlen(naming->scratch);
    if (!language->quote)
        return memory_copy_text(naming->scratch, *length);
    char *quoted = memory_new(6 * *length + 3, 1);
    if (quoted)
        language->quote(quoted, naming->scratch);
    return quoted;
}

static bool name_outputs(struct naming *naming)
{
    const struct tlu_network *network = naming->out->network;
    size_t length;
    for (size_t i = 0; i < network->outputs; i++)
        if (!(naming->out->output[i] = make_name(naming, network->output[i].name, &length)))
            return false;
    return true;
}

static bool name_signals(struct naming *naming, size_t first, size_t end)
{
    const struct tlu_network *network = naming->out->network;
    size_t named_max = naming->language->named_max;
    for (size_t i = first; i < end; i++) {
        char place[32], **signal = &naming->out->signal[i];
        *signal = make_name(naming, network_signal_name(network, i), &naming->out->length[i]);
        if (*signal && i < network->inputs && named_max && network->inputs > named_max) {
            memory_free(*signal);
            *signal =
                memory_copy_text(place, (size_t)snprintf(place, sizeof place, "inputs[%zu]", i));
        }
        if (!*signal)
            return false;
    }
    return true;
}

static bool name_all(struct naming *naming)
{
    const struct tlu_network *network = naming->out->network;
    bool shared = naming->language->shared;
    for (const char *const *word = naming->language->reserved; word && *word; word++)
        if (!take_name(naming, *word))
            return false;
    if (!shared) {
        if (!name_outputs(naming))
            return false;
        table_clear(&naming->taken);
    }
    return name_signals(naming, 0, network->inputs) && (!shared || name_outputs(naming)) &&
           name_signals(naming, network->inputs, network_signals(network));
}

static bool make_names(struct emitter *out, const struct language *language)
{
    struct naming naming = {.out = out, .language = language};
    size_t signals = network_signals(out->network);
    out->signal = memory_new(signals + 1, sizeof *out->signal);
    out->length = memory_new(signals + 1, sizeof *out->length);
    out->output = memory_new(out->network->outputs + 1, sizeof *out->output);
    bool enough = out->signal && out->length && out->output && name_all(&naming);
    table_free(&naming.taken);
    memory_free(naming.next);
    memory_free(naming.scratch);
    return enough;
}

// ---- entry point ----

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

static tlu_status write_all(struct emitter *out, const struct language *language, tlu_error *error)
{
    TRY(enough_memory(make_names(out, language), error));
    language->write(out);
    TRY(enough_memory(!out->full, error));
    out_flush(&out->buffer);
    return out->buffer.failed ? error_interrupted(error, "stopped by a function of the caller")
                              : TLU_OK;
}

static void emitter_free(struct emitter *out)
{
    for (size_t i = 0; out->signal && i < network_signals(out->network); i++)
        memory_free(out->signal[i]);
    for (size_t i = 0; out->output && i < out->network->outputs; i++)
        memory_free(out->output[i]);
    memory_free(out->signal);
    memory_free(out->length);
    memory_free(out->output);
    memory_free(out->piece);
    memory_free(out->quoted);
    memory_free(out);
}

tlu_status tlu_network_write(const tlu_network *network, const char *language,
                             tlu_write_function write, void *context, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    const struct language *found = NULL;
    struct callback own;
    TRY(check_given(language != NULL, "language", error));
    TRY(check_given(write != NULL, "function to write with", error));
    CALLBACK(own, write, write, context, caller);
    TRY(find_language(language, &found, error));
    struct emitter *out = memory_new(1, sizeof *out);
    TRY(enough_memory(out, error));
    out->network = network;
    out->buffer.write = write;
    out->buffer.context = context;
    tlu_status status = write_all(out, found, error);
    emitter_free(out);
    return status;
}
