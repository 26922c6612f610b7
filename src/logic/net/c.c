// C11: a function of the inputs, or with delays a state and a function that takes a step. Units are
// expressions; if one has many links, tables take their place (c_table.c).
#include "logic/net/c.h"
#include "base/memory.h"
#include "logic/net/extent.h"
#include "tlu_logic.h"

#include <inttypes.h>

#define INDENT 8 // of the lines that go on

// Keywords of C11 and of C++, in which the program may be compiled too, and names that are taken in
// it or may be macros.
static const char *const reserved[] = {
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
    "extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict",
    "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union",
    "unsigned", "void", "volatile", "while", "asm", "typeof", "bool", "true", "false", "nullptr",
    "alignas", "alignof", "constexpr", "static_assert", "thread_local", "and", "and_eq", "bitand",
    "bitor", "catch", "class", "compl", "concept", "const_cast", "delete", "dynamic_cast",
    "explicit", "export", "friend", "mutable", "namespace", "new", "noexcept", "not", "not_eq",
    "operator", "or", "or_eq", "private", "protected", "public", "reinterpret_cast", "requires",
    "static_cast", "template", "this", "throw", "try", "typeid", "typename", "using", "virtual",
    "xor", "xor_eq", "linux", "unix", "i386", "arm", "mips", "sparc", "vax", "sun", "pdp11",
    // the program's own
    "network", "network_state", "network_reset", "network_step", "NETWORK_INPUTS",
    "NETWORK_OUTPUTS", "NETWORK_MAIN", "inputs", "outputs", "state", "main", NULL};

static bool ends_as(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

// As an identifier that neither the language nor <stdint.h> may have taken.
static void spell_c(char *out, const char *name)
{
    if (*name == '_' || !((*name | 0x20) >= 'a' && (*name | 0x20) <= 'z'))
        *out++ = 'x';
    spell_identifier(out, name);
    if (ends_as(out, "_t") || ends_as(out, "_C") || ends_as(out, "_MIN") || ends_as(out, "_MAX") ||
        ends_as(out, "_WIDTH"))
        strcat(out, "_");
}

static bool is_named(const struct tlu_network *network)
{
    return network->inputs <= C_NAMED_MAX;
}

static bool is_tables(const struct tlu_network *network)
{
    for (size_t i = 0; i < network->units; i++)
        if (network->unit[i].count > C_LINKS_MAX)
            return true;
    return false;
}

// ---- the comment at the top ----

static void put_place(struct pen *pen, const char *array, size_t i, const char *name)
{
    pen_put(pen, "//   %s[%zu] is ", array, i);
    pen_name(pen, name);
    pen_text(pen, "\n");
}

static void put_head(struct pen *pen)
{
    const struct tlu_network *network = pen->network;
    pen_text(pen, "// A network of threshold units.");
    pen_text(pen, network->delays ? " After network_reset each call of network_step is a step:\n"
                                    "//     struct network_state state;\n"
                                    "//     network_reset(&state);\n"
                                    "//     network_step(&state, inputs, outputs);\n"
                                  : " Its outputs for some inputs:\n"
                                    "//     network(inputs, outputs);\n");
    for (size_t i = 0; i < network->inputs; i++)
        put_place(pen, "inputs", i, network->input_names[i]);
    for (size_t i = 0; i < network->outputs; i++)
        put_place(pen, "outputs", i, network->output[i].name);
    pen_text(pen,
             "// With NETWORK_MAIN defined it is a program: a row of 0 and 1 per line in, a row "
             "of outputs out");
    pen_text(pen, network->delays ? ";\n// each is a step, and an empty line goes back to the "
                                    "start.\n"
                                  : ".\n");
    pen_text(pen, "#include <stdbool.h>\n#include <stdint.h>\n\n");
    pen_put(pen, "#define NETWORK_INPUTS %zu\n#define NETWORK_OUTPUTS %zu\n", network->inputs,
            network->outputs);
}

// ---- a step as expressions ----

// Which signals anything depends on: the others would be variables without a use.
static void find_used(const struct tlu_network *network, bool *used)
{
    for (size_t i = 0; i < network->delays; i++)
        used[network->delay[i].from] = true;
    for (size_t i = 0; i < network->outputs; i++)
        used[network->output[i].from] = true;
    for (size_t i = network->units; i-- > 0;) {
        const struct unit *unit = &network->unit[i];
        bool constant;
        if (!used[signal_of_unit(network, i)] || unit_is_constant(unit, &constant))
            continue;
        for (size_t j = 0; j < unit->count; j++)
            used[unit->links[j].from] = true;
    }
}

static void put_signal(struct pen *pen, uint32_t signal)
{
    if (signal < pen->network->inputs && !is_named(pen->network))
        pen_put(pen, "inputs[%lu]", (unsigned long)signal);
    else
        pen_text(pen, pen->names.signal[signal]);
}

static void put_variable(struct pen *pen, uint32_t signal, const char *array, size_t place)
{
    pen_text(pen, "    const bool ");
    put_signal(pen, signal);
    pen_put(pen, " = %s[%zu];\n", array, place);
}

// A number that makes the sums it is in wide enough, however wide an int is.
static void put_number(struct pen *pen, int64_t most, int64_t value)
{
    if (most <= INT16_MAX)
        pen_put(pen, "%" PRId64, value);
    else
        pen_put(pen, "INT%d_C(%" PRId64 ")", most <= INT32_MAX ? 32 : 64, value);
}

static void put_term(struct pen *pen, const struct link *link, bool first, int64_t most)
{
    pen_blank(pen, strlen(pen->names.signal[link->from]) + 24, INDENT);
    pen_text(pen, link->weight < 0 ? (first ? "-" : "- ") : first ? "" : "+ ");
    if (magnitude(link->weight) != 1 || most > INT16_MAX) {
        put_number(pen, most, magnitude(link->weight));
        pen_text(pen, " * ");
    }
    put_signal(pen, link->from);
}

static void put_unit(struct pen *pen, size_t i)
{
    const struct unit *unit = &pen->network->unit[i];
    int64_t most = unit_extent(unit).most;
    bool constant;
    pen_text(pen, "    const bool ");
    put_signal(pen, signal_of_unit(pen->network, i));
    pen_text(pen, " =");
    if (unit_is_constant(unit, &constant)) {
        pen_put(pen, " %s;\n", constant ? "true" : "false");
        return;
    }
    for (size_t j = 0; j < unit->count; j++)
        put_term(pen, &unit->links[j], j == 0, most);
    pen_text(pen, unit->threshold < 0 ? " >= -" : " >= ");
    put_number(pen, most, magnitude(unit->threshold));
    pen_text(pen, ";\n");
}

static void put_results(struct pen *pen)
{
    const struct tlu_network *network = pen->network;
    for (size_t i = 0; i < network->outputs; i++) {
        pen_put(pen, "    outputs[%zu] = ", i);
        put_signal(pen, network->output[i].from);
        pen_text(pen, ";\n");
    }
    for (size_t i = 0; i < network->delays; i++) {
        pen_put(pen, "    state->delay[%zu] = ", i);
        put_signal(pen, network->delay[i].from);
        pen_text(pen, ";\n");
    }
}

static void put_step(struct pen *pen, const bool *used)
{
    const struct tlu_network *network = pen->network;
    bool any = false;
    for (size_t i = 0; i < network->inputs; i++) {
        any = any || used[i];
        if (used[i] && is_named(network))
            put_variable(pen, (uint32_t)i, "inputs", i);
    }
    if (!any)
        pen_text(pen, "    (void)inputs;\n");
    for (size_t i = 0; i < network->delays; i++)
        if (used[signal_of_delay(network, i)])
            put_variable(pen, signal_of_delay(network, i), "state->delay", i);
    for (size_t i = 0; i < network->units; i++)
        if (used[signal_of_unit(network, i)])
            put_unit(pen, i);
    if (!network->outputs)
        pen_text(pen, "    (void)outputs;\n");
    put_results(pen);
}

// ---- the program ----

static void put_reset(struct pen *pen)
{
    const struct tlu_network *network = pen->network;
    pen_text(pen, "\nvoid network_reset(struct network_state *state)\n{\n");
    for (size_t i = 0; i < network->delays; i++)
        pen_put(pen, "    state->delay[%zu] = %s;\n", i,
                network->delay[i].start ? "true" : "false");
    pen_text(pen, "}\n");
}

static const char head_of_network[] = "void network(const bool *inputs, bool *outputs)";
static const char head_of_step[] =
    "void network_step(struct network_state *state, const bool *inputs, bool *outputs)";

static void put_interface(struct pen *pen)
{
    const struct tlu_network *network = pen->network;
    if (network->delays) {
        pen_put(pen, "\nstruct network_state {\n    bool delay[%zu];\n};\n\n", network->delays);
        pen_put(pen, "void network_reset(struct network_state *state);\n%s;\n", head_of_step);
    } else {
        pen_put(pen, "\n%s;\n", head_of_network);
    }
}

static void put_main(struct pen *pen)
{
    bool steps = pen->network->delays > 0;
    pen_text(pen, "\n#ifdef NETWORK_MAIN\n"
                  "#include <stdio.h>\n\n"
                  "int main(void)\n"
                  "{\n"
                  "    static bool inputs[NETWORK_INPUTS + 1], outputs[NETWORK_OUTPUTS + 1];\n"
                  "    long count = 0, i;\n"
                  "    int c;\n");
    pen_text(pen, steps ? "    struct network_state state;\n    network_reset(&state);\n" : "");
    pen_text(pen, "    while ((c = getchar()) != EOF) {\n"
                  "        if ((c == '0' || c == '1') && count < NETWORK_INPUTS)\n"
                  "            inputs[count++] = c == '1';\n");
    pen_text(pen, steps ? "        if (c == '\\n' && count == 0 && NETWORK_INPUTS > 0)\n"
                          "            network_reset(&state);\n"
                        : "");
    pen_text(pen, "        if (c != '\\n' || count < NETWORK_INPUTS)\n"
                  "            continue;\n");
    pen_text(pen, steps ? "        network_step(&state, inputs, outputs);\n"
                        : "        network(inputs, outputs);\n");
    pen_text(pen, "        for (i = 0; i < NETWORK_OUTPUTS; i++)\n"
                  "            putchar(outputs[i] ? '1' : '0');\n"
                  "        putchar('\\n');\n"
                  "        count = 0;\n"
                  "    }\n"
                  "    return 0;\n"
                  "}\n"
                  "#endif\n");
}

static bool write_c(struct pen *pen)
{
    const struct tlu_network *network = pen->network;
    bool tables = is_tables(network);
    bool *used = memory_new(network_signals(network) + 1, sizeof *used);
    if (!used)
        return false;
    find_used(network, used);
    put_head(pen);
    put_interface(pen);
    if (network->delays)
        put_reset(pen);
    if (tables)
        c_put_tables(pen);
    pen_put(pen, "\n%s\n{\n", network->delays ? head_of_step : head_of_network);
    if (tables)
        c_put_table_step(pen);
    else
        put_step(pen, used);
    pen_text(pen, "}\n");
    put_main(pen);
    memory_free(used);
    return true;
}

const struct language c_language = {
    .name = "c",
    .spelling = {.spell = spell_c, .reserved = reserved, .shared = true},
    .write = write_c,
};
