#include "logic/net/names.h"

#include "base/memory.h"
#include "input/text/unicode.h"
#include "tlu_logic.h"

#include <stdio.h>

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

// Takes a name for good; false: out of memory.
static bool take(struct names *names, const char *name)
{
    uint32_t number = table_add(&names->taken, name, strlen(name));
    if (number == TABLE_NONE ||
        !memory_reserve(&names->next, &names->next_capacity, number + 1, sizeof *names->next))
        return false;
    names->next[number] = 2;
    return true;
}

// Makes the name in names->room one that is free, and takes it.
static bool take_free(struct names *names)
{
    size_t length = strlen(names->room);
    uint32_t first = table_find(&names->taken, names->room, length);
    uint32_t found = first;
    while (found != TABLE_NONE) {
        snprintf(names->room + length, ENDING_SIZE, "_%lu", (unsigned long)names->next[first]++);
        found = table_find(&names->taken, names->room, strlen(names->room));
    }
    return take(names, names->room);
}

static bool add(struct names *names, const struct spelling *spelling, const char *name, char **out)
{
    if (!memory_reserve(&names->room, &names->room_capacity, 4 * strlen(name) + 8 + ENDING_SIZE, 1))
        return false;
    if (spelling->spell)
        spelling->spell(names->room, name);
    else
        memcpy(names->room, name, strlen(name) + 1);
    if (!*names->room)
        memcpy(names->room, "_", 2);
    if (!take_free(names))
        return false;
    *out = memory_copy_text(names->room, strlen(names->room));
    return *out != NULL;
}

static bool add_outputs(struct names *names, const struct tlu_network *network,
                        const struct spelling *spelling)
{
    for (size_t i = 0; i < network->outputs; i++)
        if (!add(names, spelling, network->output[i].name, &names->output[i]))
            return false;
    return true;
}

static bool add_all(struct names *names, const struct tlu_network *network,
                    const struct spelling *spelling)
{
    for (const char *const *word = spelling->reserved; word && *word; word++)
        if (!take(names, *word))
            return false;
    if (!spelling->shared) {
        if (!add_outputs(names, network, spelling))
            return false;
        table_clear(&names->taken);
    }
    char **signal = names->signal;
    for (size_t i = 0; i < network->inputs; i++)
        if (!add(names, spelling, network->input_names[i], signal++))
            return false;
    if (spelling->shared && !add_outputs(names, network, spelling))
        return false;
    for (size_t i = 0; i < network->delays; i++)
        if (!add(names, spelling, network->delay[i].name, signal++))
            return false;
    for (size_t i = 0; i < network->units; i++)
        if (!add(names, spelling, network->unit[i].name, signal++))
            return false;
    return true;
}

bool names_make(struct names *names, const struct tlu_network *network,
                const struct spelling *spelling)
{
    memset(names, 0, sizeof *names);
    names->signal = memory_new(network_signals(network) + 1, sizeof *names->signal);
    names->output = memory_new(network->outputs + 1, sizeof *names->output);
    bool enough = names->signal && names->output && add_all(names, network, spelling);
    table_free(&names->taken);
    memory_free(names->next);
    memory_free(names->room);
    return enough;
}

void names_free(struct names *names, const struct tlu_network *network)
{
    for (size_t i = 0; names->signal && i < network_signals(network); i++)
        memory_free(names->signal[i]);
    for (size_t i = 0; names->output && i < network->outputs; i++)
        memory_free(names->output[i]);
    memory_free(names->signal);
    memory_free(names->output);
}
