// C11: a function of the inputs or, with delays, a state and a step function. Units are
// expressions; if one has many links, tables and a loop replace them.
#include "logic/network/write.h"

#include "base/memory.h"
#include "tlu_logic.h"

#include <inttypes.h>

// A network with more links to a unit than this becomes tables and a loop.
#define LINKS_MAX 64
// More inputs than this have no names in the program, only places in an array.
#define NAMED_MAX 64
#define TABLE_INDENT 4

// The ranges of the numbers of a network.
struct sizes {
    size_t links;
    int64_t weight, threshold, sum; // the largest magnitude of each
    bool dense; // units look at inputs alone, and at most of these: then weights of 0 are written
                // too, and take less room than the numbers of the signals
};

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static struct sizes measure_network(const struct tlu_network *network)
{
    struct sizes sizes = {0};
    bool inner = false;
    for (size_t i = 0; i < network->units; i++) {
        const struct unit *unit = &network->unit[i];
        sizes.links += unit->count;
        sizes.threshold = larger(sizes.threshold, magnitude(unit->threshold));
        struct extent extent = unit_extent(unit);
        sizes.sum = larger(sizes.sum, extent.high - extent.low);
        for (size_t j = 0; j < unit->count; j++) {
            sizes.weight = larger(sizes.weight, magnitude(unit->links[j].weight));
            inner = inner || unit->links[j].from >= network->inputs;
        }
    }
    sizes.dense = !inner && sizes.links / network->units >= network->inputs / 2;
    return sizes;
}

static int signed_type(int64_t most)
{
    return most <= INT8_MAX ? 8 : most <= INT16_MAX ? 16 : most <= INT32_MAX ? 32 : 64;
}

static int unsigned_type(uint64_t most)
{
    return most <= UINT8_MAX ? 8 : most <= UINT16_MAX ? 16 : most <= UINT32_MAX ? 32 : 64;
}

// ---- the tables ----

static void begin_table(struct emitter *out, const char *sign, int bits, const char *name)
{
    emit_format(out, "static const %sint%d_t %s[] = {\n   ", sign, bits, name);
}

static void put_item(struct emitter *out, int64_t value)
{
    emit_space(out, 21, TABLE_INDENT);
    emit_format(out, "%" PRId64 ",", value);
}

static void end_table(struct emitter *out)
{
    emit(out, "\n};\n");
}

static void put_thresholds(struct emitter *out, const struct sizes *sizes)
{
    begin_table(out, "", signed_type(sizes->threshold), "threshold");
    for (size_t i = 0; i < out->network->units; i++)
        put_item(out, out->network->unit[i].threshold);
    end_table(out);
}

static void put_dense_weights(struct emitter *out, const struct sizes *sizes)
{
    const struct tlu_network *network = out->network;
    emit(out, "\n// Of each unit, one per input.\n");
    begin_table(out, "", signed_type(sizes->weight), "weight");
    for (size_t i = 0; i < network->units; i++) {
        const struct unit *unit = &network->unit[i];
        for (size_t j = 0, input = 0; input < network->inputs; input++) {
            bool linked = j < unit->count && unit->links[j].from == input;
            put_item(out, linked ? unit->links[j].weight : 0);
            j += linked;
        }
    }
    end_table(out);
}

static void put_links(struct emitter *out, const struct sizes *sizes)
{
    const struct tlu_network *network = out->network;
    int64_t before = 0;
    emit(out, "\n// The links of unit i are first[i] to first[i + 1] - 1.\n");
    begin_table(out, "u", unsigned_type(sizes->links), "first");
    for (size_t i = 0; i < network->units; i++) {
        put_item(out, before);
        before += (int64_t)network->unit[i].count;
    }
    put_item(out, before);
    end_table(out);
    emit(out, "// The signal that a link is from: an input, then a delay, then a unit.\n");
    begin_table(out, "u", unsigned_type(network_signals(network)), "from");
    for (size_t i = 0; i < network->units; i++)
        for (size_t j = 0; j < network->unit[i].count; j++)
            put_item(out, network->unit[i].links[j].from);
    end_table(out);
    begin_table(out, "", signed_type(sizes->weight), "weight");
    for (size_t i = 0; i < network->units; i++)
        for (size_t j = 0; j < network->unit[i].count; j++)
            put_item(out, network->unit[i].links[j].weight);
    end_table(out);
}

static const char *condition(const struct emitter *out, const struct sizes *sizes)
{
    return sizes->dense ? "inputs[i]"
           : out->network->inputs == 0
               ? "inner[from[i]]"
               : "from[i] < NETWORK_INPUTS ? inputs[from[i]] : inner[from[i] - NETWORK_INPUTS]";
}

static void put_fires(struct emitter *out, const struct sizes *sizes)
{
    int sum = signed_type(sizes->sum);
    emit_format(out,
                "\nstatic bool fires(uint32_t unit, const bool *inputs, const bool *inner)\n{\n"
                "    int%d_t sum = 0;\n"
                "    uint32_t i;\n"
                "    (void)%s;\n"
                "    for (i = %s; i < %s; i++)\n",
                sum, sizes->dense ? "inner" : "inputs", sizes->dense ? "0" : "first[unit]",
                sizes->dense ? "NETWORK_INPUTS" : "first[unit + 1]");
    emit_format(out,
                "        if (%s)\n"
                "            sum = (int%d_t)(sum + weight[%si]);\n"
                "    return sum >= threshold[unit];\n"
                "}\n",
                condition(out, sizes), sum, sizes->dense ? "unit * NETWORK_INPUTS + " : "");
}

static void put_tables(struct emitter *out)
{
    struct sizes sizes = measure_network(out->network);
    emit_format(out, "\n#define NETWORK_DELAYS %zu\n#define NETWORK_UNITS %zu\n",
                out->network->delays, out->network->units);
    if (sizes.dense)
        put_dense_weights(out, &sizes);
    else
        put_links(out, &sizes);
    put_thresholds(out, &sizes);
    put_fires(out, &sizes);
}

// ---- the step ----

static void put_table_signal(struct emitter *out, uint32_t signal)
{
    if (signal < out->network->inputs)
        emit_format(out, "inputs[%lu];\n", (unsigned long)signal);
    else
        emit_format(out, "inner[%zu];\n", signal - out->network->inputs);
}

static void put_table_step(struct emitter *out)
{
    const struct tlu_network *network = out->network;
    emit(out, "    bool inner[NETWORK_DELAYS + NETWORK_UNITS] = {false};\n"
              "    uint32_t i;\n");
    if (network->delays)
        emit(out, "    for (i = 0; i < NETWORK_DELAYS; i++)\n"
                  "        inner[i] = state->delay[i];\n");
    emit(out, "    for (i = 0; i < NETWORK_UNITS; i++)\n"
              "        inner[NETWORK_DELAYS + i] = fires(i, inputs, inner);\n");
    if (!network->outputs)
        emit(out, "    (void)outputs;\n");
    for (size_t i = 0; i < network->outputs; i++) {
        emit_format(out, "    outputs[%zu] = ", i);
        put_table_signal(out, network->output[i].from);
    }
    for (size_t i = 0; i < network->delays; i++) {
        emit_format(out, "    state->delay[%zu] = ", i);
        put_table_signal(out, network->delay[i].from);
    }
}

// ---- C ----
//

#define INDENT 8 // of continuation lines

// Keywords of C11 and C++, names that the program uses, and common macros.
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

// An identifier that neither the language nor <stdint.h> reserves.
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
    return network->inputs <= NAMED_MAX;
}

static bool is_tables(const struct tlu_network *network)
{
    for (size_t i = 0; i < network->units; i++)
        if (network->unit[i].count > LINKS_MAX)
            return true;
    return false;
}

// ---- the comment at the top ----

static void put_place(struct emitter *out, const char *array, size_t i, const char *name)
{
    emit_format(out, "//   %s[%zu] is ", array, i);
    emit_name(out, name);
    emit(out, "\n");
}

static void put_head(struct emitter *out)
{
    const struct tlu_network *network = out->network;
    emit(out, "// A network of threshold units.");
    emit(out, network->delays ? " After network_reset each call of network_step is a step:\n"
                                "//     struct network_state state;\n"
                                "//     network_reset(&state);\n"
                                "//     network_step(&state, inputs, outputs);\n"
                              : " Its outputs for some inputs:\n"
                                "//     network(inputs, outputs);\n");
    for (size_t i = 0; i < network->inputs; i++)
        put_place(out, "inputs", i, network->input_names[i]);
    for (size_t i = 0; i < network->outputs; i++)
        put_place(out, "outputs", i, network->output[i].name);
    emit(out, "// With NETWORK_MAIN defined it is a program: a row of 0 and 1 per line in, a row "
              "of outputs out");
    emit(out, network->delays ? ";\n// each is a step, and an empty line goes back to the "
                                "start.\n"
                              : ".\n");
    emit(out, "#include <stdbool.h>\n#include <stdint.h>\n\n");
    emit_format(out, "#define NETWORK_INPUTS %zu\n#define NETWORK_OUTPUTS %zu\n", network->inputs,
                network->outputs);
}

// ---- a step as expressions ----

// The signals that something depends on: others would be unused variables.
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

static void put_signal(struct emitter *out, uint32_t signal)
{
    if (signal < out->network->inputs && !is_named(out->network))
        emit_format(out, "inputs[%lu]", (unsigned long)signal);
    else
        emit(out, out->names.signal[signal]);
}

static void put_variable(struct emitter *out, uint32_t signal, const char *array, size_t place)
{
    emit(out, "    const bool ");
    put_signal(out, signal);
    emit_format(out, " = %s[%zu];\n", array, place);
}

// A constant whose type is wide enough for the sum, whatever the width of int.
static void put_number(struct emitter *out, int64_t most, int64_t value)
{
    if (most <= INT16_MAX)
        emit_format(out, "%" PRId64, value);
    else
        emit_format(out, "INT%d_C(%" PRId64 ")", most <= INT32_MAX ? 32 : 64, value);
}

static void put_term(struct emitter *out, const struct link *link, bool first, int64_t most)
{
    emit_space(out, strlen(out->names.signal[link->from]) + 24, INDENT);
    emit(out, link->weight < 0 ? (first ? "-" : "- ") : first ? "" : "+ ");
    if (magnitude(link->weight) != 1 || most > INT16_MAX) {
        put_number(out, most, magnitude(link->weight));
        emit(out, " * ");
    }
    put_signal(out, link->from);
}

static void put_unit(struct emitter *out, size_t i)
{
    const struct unit *unit = &out->network->unit[i];
    int64_t most = unit_extent(unit).most;
    bool constant;
    emit(out, "    const bool ");
    put_signal(out, signal_of_unit(out->network, i));
    emit(out, " =");
    if (unit_is_constant(unit, &constant)) {
        emit_format(out, " %s;\n", constant ? "true" : "false");
        return;
    }
    for (size_t j = 0; j < unit->count; j++)
        put_term(out, &unit->links[j], j == 0, most);
    emit(out, unit->threshold < 0 ? " >= -" : " >= ");
    put_number(out, most, magnitude(unit->threshold));
    emit(out, ";\n");
}

static void put_results(struct emitter *out)
{
    const struct tlu_network *network = out->network;
    for (size_t i = 0; i < network->outputs; i++) {
        emit_format(out, "    outputs[%zu] = ", i);
        put_signal(out, network->output[i].from);
        emit(out, ";\n");
    }
    for (size_t i = 0; i < network->delays; i++) {
        emit_format(out, "    state->delay[%zu] = ", i);
        put_signal(out, network->delay[i].from);
        emit(out, ";\n");
    }
}

static void put_step(struct emitter *out, const bool *used)
{
    const struct tlu_network *network = out->network;
    bool any = false;
    for (size_t i = 0; i < network->inputs; i++) {
        any = any || used[i];
        if (used[i] && is_named(network))
            put_variable(out, (uint32_t)i, "inputs", i);
    }
    if (!any)
        emit(out, "    (void)inputs;\n");
    for (size_t i = 0; i < network->delays; i++)
        if (used[signal_of_delay(network, i)])
            put_variable(out, signal_of_delay(network, i), "state->delay", i);
    for (size_t i = 0; i < network->units; i++)
        if (used[signal_of_unit(network, i)])
            put_unit(out, i);
    if (!network->outputs)
        emit(out, "    (void)outputs;\n");
    put_results(out);
}

// ---- the program ----

static void put_reset(struct emitter *out)
{
    const struct tlu_network *network = out->network;
    emit(out, "\nvoid network_reset(struct network_state *state)\n{\n");
    for (size_t i = 0; i < network->delays; i++)
        emit_format(out, "    state->delay[%zu] = %s;\n", i,
                    network->delay[i].start ? "true" : "false");
    emit(out, "}\n");
}

static const char head_of_network[] = "void network(const bool *inputs, bool *outputs)";
static const char head_of_step[] =
    "void network_step(struct network_state *state, const bool *inputs, bool *outputs)";

static void put_interface(struct emitter *out)
{
    const struct tlu_network *network = out->network;
    if (network->delays) {
        emit_format(out, "\nstruct network_state {\n    bool delay[%zu];\n};\n\n", network->delays);
        emit_format(out, "void network_reset(struct network_state *state);\n%s;\n", head_of_step);
    } else {
        emit_format(out, "\n%s;\n", head_of_network);
    }
}

static void put_main(struct emitter *out)
{
    bool steps = out->network->delays > 0;
    emit(out, "\n#ifdef NETWORK_MAIN\n"
              "#include <stdio.h>\n\n"
              "int main(void)\n"
              "{\n"
              "    static bool inputs[NETWORK_INPUTS + 1], outputs[NETWORK_OUTPUTS + 1];\n"
              "    long count = 0, i;\n"
              "    int c;\n");
    emit(out, steps ? "    struct network_state state;\n    network_reset(&state);\n" : "");
    emit(out, "    while ((c = getchar()) != EOF) {\n"
              "        if ((c == '0' || c == '1') && count < NETWORK_INPUTS)\n"
              "            inputs[count++] = c == '1';\n");
    emit(out, steps ? "        if (c == '\\n' && count == 0 && NETWORK_INPUTS > 0)\n"
                      "            network_reset(&state);\n"
                    : "");
    emit(out, "        if (c != '\\n' || count < NETWORK_INPUTS)\n"
              "            continue;\n");
    emit(out, steps ? "        network_step(&state, inputs, outputs);\n"
                    : "        network(inputs, outputs);\n");
    emit(out, "        for (i = 0; i < NETWORK_OUTPUTS; i++)\n"
              "            putchar(outputs[i] ? '1' : '0');\n"
              "        putchar('\\n');\n"
              "        count = 0;\n"
              "    }\n"
              "    return 0;\n"
              "}\n"
              "#endif\n");
}

static bool write_c(struct emitter *out)
{
    const struct tlu_network *network = out->network;
    bool tables = is_tables(network);
    bool *used = memory_new(network_signals(network) + 1, sizeof *used);
    if (!used)
        return false;
    find_used(network, used);
    put_head(out);
    put_interface(out);
    if (network->delays)
        put_reset(out);
    if (tables)
        put_tables(out);
    emit_format(out, "\n%s\n{\n", network->delays ? head_of_step : head_of_network);
    if (tables)
        put_table_step(out);
    else
        put_step(out, used);
    emit(out, "}\n");
    put_main(out);
    memory_free(used);
    return true;
}

const struct language c_language = {
    .name = "c",
    .naming = {.spell = spell_c, .reserved = reserved, .shared = true},
    .write = write_c,
};
