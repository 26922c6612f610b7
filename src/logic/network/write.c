#include "logic/network/write.h"

#include "base/call/callback.h"
#include "base/memory.h"
#include "input/text/unicode.h"
#include "tlu_logic.h"

#include <stdarg.h>
#include <stdio.h>

static const struct language *const languages[] = {&text_language, &json_language, &dot_language,
                                                   &verilog_language, &c_language};
#define LANGUAGES (sizeof languages / sizeof languages[0])

// ---- the emitter ----

static void emit_bytes(struct emitter *out, const char *bytes, size_t size)
{
    out_put(&out->buffer, bytes, size);
    for (size_t i = 0; i < size; i++)
        out->column = bytes[i] == '\n' ? 0 : out->column + 1;
}

void emit(struct emitter *out, const char *text)
{
    emit_bytes(out, text, strlen(text));
}

void emit_format(struct emitter *out, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    emit(out, text);
}

void emit_space(struct emitter *out, size_t length, int indent)
{
    if (out->column + 1 + length > LINE_LIMIT)
        emit_format(out, "\n%*s", indent, "");
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

static void put_quoted(struct emitter *out, const char *name)
{
    const char *end = name + strlen(name);
    emit(out, "\"");
    while (name < end) {
        size_t length;
        uint32_t code = unicode_read(name, end, &length);
        bool plain = code < 0x80 ? code >= 32 && code != 127 : code != UNICODE_NONE;
        plain = plain && (code == ' ' || unicode_kind(code) != CHARACTER_SPACE);
        plain = plain && !is_invisible(code);
        if (code == '"' || code == '\\')
            emit_format(out, "\\%c", (char)code);
        else if (plain)
            emit_bytes(out, name, length);
        else
            for (size_t i = 0; i < length; i++)
                emit_format(out, "\\x%02x", (unsigned)(unsigned char)name[i]);
        name += length;
    }
    emit(out, "\"");
}

void emit_name(struct emitter *out, const char *name)
{
    if (is_bare(name))
        emit(out, name);
    else
        put_quoted(out, name);
}

// ---- names ----

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

// Marks a name as taken; false: out of memory.
static bool take_name(struct signal_names *names, const char *name)
{
    uint32_t number = table_add(&names->taken, name, strlen(name));
    if (number == TABLE_NONE ||
        !memory_reserve(&names->next, &names->next_capacity, number + 1, sizeof *names->next))
        return false;
    names->next[number] = 2;
    return true;
}

// Makes the name in names->scratch unique and marks it as taken.
static bool take_free_name(struct signal_names *names)
{
    size_t length = strlen(names->scratch);
    uint32_t first = table_find(&names->taken, names->scratch, length);
    uint32_t found = first;
    while (found != TABLE_NONE) {
        snprintf(names->scratch + length, ENDING_SIZE, "_%lu", (unsigned long)names->next[first]++);
        found = table_find(&names->taken, names->scratch, strlen(names->scratch));
    }
    return take_name(names, names->scratch);
}

static bool add_name(struct signal_names *names, const struct naming_rules *naming,
                     const char *name, char **out)
{
    if (!memory_reserve(&names->scratch, &names->scratch_capacity,
                        4 * strlen(name) + 8 + ENDING_SIZE, 1))
        return false;
    if (naming->spell)
        naming->spell(names->scratch, name);
    else
        memcpy(names->scratch, name, strlen(name) + 1);
    if (!*names->scratch)
        memcpy(names->scratch, "_", 2);
    if (!take_free_name(names))
        return false;
    *out = memory_copy_text(names->scratch, strlen(names->scratch));
    return *out != NULL;
}

static bool add_outputs(struct signal_names *names, const struct tlu_network *network,
                        const struct naming_rules *naming)
{
    for (size_t i = 0; i < network->outputs; i++)
        if (!add_name(names, naming, network->output[i].name, &names->output[i]))
            return false;
    return true;
}

static bool add_all(struct signal_names *names, const struct tlu_network *network,
                    const struct naming_rules *naming)
{
    for (const char *const *word = naming->reserved; word && *word; word++)
        if (!take_name(names, *word))
            return false;
    if (!naming->shared) {
        if (!add_outputs(names, network, naming))
            return false;
        table_clear(&names->taken);
    }
    char **signal = names->signal;
    for (size_t i = 0; i < network->inputs; i++)
        if (!add_name(names, naming, network->input_names[i], signal++))
            return false;
    if (naming->shared && !add_outputs(names, network, naming))
        return false;
    for (size_t i = 0; i < network->delays; i++)
        if (!add_name(names, naming, network->delay[i].name, signal++))
            return false;
    for (size_t i = 0; i < network->units; i++)
        if (!add_name(names, naming, network->unit[i].name, signal++))
            return false;
    return true;
}

// False: out of memory; the caller calls names_free in any case. Inputs and outputs are named
// first, so that they keep their names; duplicates get the suffixes _2, _3, ...
static bool names_make(struct signal_names *names, const struct tlu_network *network,
                       const struct naming_rules *naming)
{
    memset(names, 0, sizeof *names);
    names->signal = memory_new(network_signals(network) + 1, sizeof *names->signal);
    names->output = memory_new(network->outputs + 1, sizeof *names->output);
    bool enough = names->signal && names->output && add_all(names, network, naming);
    table_free(&names->taken);
    memory_free(names->next);
    memory_free(names->scratch);
    return enough;
}

static void names_free(struct signal_names *names, const struct tlu_network *network)
{
    for (size_t i = 0; names->signal && i < network_signals(network); i++)
        memory_free(names->signal[i]);
    for (size_t i = 0; names->output && i < network->outputs; i++)
        memory_free(names->output[i]);
    memory_free(names->signal);
    memory_free(names->output);
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
    TRY(enough_memory(names_make(&out->names, out->network, &language->naming), error));
    TRY(enough_memory(language->write(out), error));
    out_flush(&out->buffer);
    return out->buffer.failed ? error_interrupted(error, "stopped by a function of the caller")
                              : TLU_OK;
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
    names_free(&out->names, network);
    memory_free(out);
    return status;
}
