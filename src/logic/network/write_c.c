// C11: a function of the inputs or, with delays, a state and a step function. Units are
// expressions; if one has many links, tables and a loop replace them.
#include "logic/network/write.h"

#include "base/memory.h"
#include "tlu_logic.h"

#include <inttypes.h>
#include <stdio.h>

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
    emit(out, "static const %sint%d_t %s[] = {\n   ", sign, bits, name);
}

static void put_item(struct emitter *out, int64_t value)
{
    emit_space(out, 21, TABLE_INDENT);
    emit(out, "%" PRId64 ",", value);
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
    emit(out, "\n};\n");
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
    emit(out, "\n};\n"
              "// The signal that a link is from: an input, then a delay, then a unit.\n");
    begin_table(out, "u", unsigned_type(network_signals(network)), "from");
    for (size_t i = 0; i < network->units; i++)
        for (size_t j = 0; j < network->unit[i].count; j++)
            put_item(out, network->unit[i].links[j].from);
    emit(out, "\n};\n");
    begin_table(out, "", signed_type(sizes->weight), "weight");
    for (size_t i = 0; i < network->units; i++)
        for (size_t j = 0; j < network->unit[i].count; j++)
            put_item(out, network->unit[i].links[j].weight);
    emit(out, "\n};\n");
}

static void put_tables(struct emitter *out)
{
    const struct tlu_network *network = out->network;
    struct sizes sizes = measure_network(network);
    int sum = signed_type(sizes.sum);
    emit(out, "\n#define NETWORK_DELAYS %zu\n#define NETWORK_UNITS %zu\n", network->delays,
         network->units);
    if (sizes.dense)
        put_dense_weights(out, &sizes);
    else
        put_links(out, &sizes);
    begin_table(out, "", signed_type(sizes.threshold), "threshold");
    for (size_t i = 0; i < network->units; i++)
        put_item(out, network->unit[i].threshold);
    emit(out,
         "\n};\n"
         "\nstatic bool fires(uint32_t unit, const bool *inputs, const bool *inner)\n{\n"
         "    int%d_t sum = 0;\n"
         "    uint32_t i;\n"
         "    (void)%s;\n"
         "    for (i = %s; i < %s; i++)\n",
         sum, sizes.dense ? "inner" : "inputs", sizes.dense ? "0" : "first[unit]",
         sizes.dense ? "NETWORK_INPUTS" : "first[unit + 1]");
    emit(out,
         "        if (%s)\n"
         "            sum = (int%d_t)(sum + weight[%si]);\n"
         "    return sum >= threshold[unit];\n"
         "}\n",
         sizes.dense ? "inputs[i]"
         : network->inputs == 0
             ? "inner[from[i]]"
             : "from[i] < NETWORK_INPUTS ? inputs[from[i]] : inner[from[i] - NETWORK_INPUTS]",
         sum, sizes.dense ? "unit * NETWORK_INPUTS + " : "");
}

// ---- the step ----

// Assigns the outputs and the delays; `tables`: signals are in arrays.
static void put_results(struct emitter *out, bool tables)
{
    const struct tlu_network *network = out->network;
    if (!network->outputs)
        emit(out, "    (void)outputs;\n");
    for (size_t i = 0; i < network->outputs + network->delays; i++) {
        bool output = i < network->outputs;
        size_t place = output ? i : i - network->outputs;
        uint32_t from = output ? network->output[place].from : network->delay[place].from;
        emit(out, "    %s[%zu] = ", output ? "outputs" : "state->delay", place);
        if (!tables)
            emit(out, "%s;\n", out->signal[from]);
        else if (from < network->inputs)
            emit(out, "inputs[%lu];\n", (unsigned long)from);
        else
            emit(out, "inner[%zu];\n", from - network->inputs);
    }
}

static void put_table_step(struct emitter *out)
{
    emit(out, "    bool inner[NETWORK_DELAYS + NETWORK_UNITS] = {false};\n"
              "    uint32_t i;\n");
    if (out->network->delays)
        emit(out, "    for (i = 0; i < NETWORK_DELAYS; i++)\n"
                  "        inner[i] = state->delay[i];\n");
    emit(out, "    for (i = 0; i < NETWORK_UNITS; i++)\n"
              "        inner[NETWORK_DELAYS + i] = fires(i, inputs, inner);\n");
    put_results(out, true);
}

// ---- names ----

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

static bool is_tables(const struct tlu_network *network)
{
    for (size_t i = 0; i < network->units; i++)
        if (network->unit[i].count > LINKS_MAX)
            return true;
    return false;
}

// ---- the comment at the top ----

static void put_head(struct emitter *out)
{
    const struct tlu_network *network = out->network;
    emit(out, "// A network of threshold units.%s",
         network->delays ? " After network_reset each call of network_step is a step:\n"
                           "//     struct network_state state;\n"
                           "//     network_reset(&state);\n"
                           "//     network_step(&state, inputs, outputs);\n"
                         : " Its outputs for some inputs:\n"
                           "//     network(inputs, outputs);\n");
    for (size_t i = 0; i < network->inputs; i++)
        emit(out, "//   inputs[%zu] is %s\n", i, text_form(out, network->input_names[i]));
    for (size_t i = 0; i < network->outputs; i++)
        emit(out, "//   outputs[%zu] is %s\n", i, text_form(out, network->output[i].name));
    emit(out,
         "// With NETWORK_MAIN defined it is a program: a row of 0 and 1 per line in, a row "
         "of outputs out%s"
         "#include <stdbool.h>\n#include <stdint.h>\n\n"
         "#define NETWORK_INPUTS %zu\n#define NETWORK_OUTPUTS %zu\n",
         network->delays ? ";\n// each is a step, and an empty line goes back to the start.\n"
                         : ".\n",
         network->inputs, network->outputs);
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

// A constant whose type is wide enough for the sum, whatever the width of int.
static const char *number_text(char text[48], int64_t most, int64_t value)
{
    if (most <= INT16_MAX)
        snprintf(text, 48, "%" PRId64, value);
    else
        snprintf(text, 48, "INT%d_C(%" PRId64 ")", most <= INT32_MAX ? 32 : 64, value);
    return text;
}

static void put_unit(struct emitter *out, size_t i)
{
    const struct unit *unit = &out->network->unit[i];
    int64_t most = unit_extent(unit).most;
    char number[48];
    bool constant;
    emit(out, "    const bool %s =", out->signal[signal_of_unit(out->network, i)]);
    if (unit_is_constant(unit, &constant)) {
        emit(out, " %s;\n", constant ? "true" : "false");
        return;
    }
    for (size_t j = 0; j < unit->count; j++) {
        const struct link *link = &unit->links[j];
        bool one = magnitude(link->weight) == 1 && most <= INT16_MAX;
        emit_space(out, out->length[link->from] + 24, INDENT);
        emit(out, "%s%s%s%s", term_sign(link->weight, j == 0),
             one ? "" : number_text(number, most, magnitude(link->weight)), one ? "" : " * ",
             out->signal[link->from]);
    }
    emit(out, " >= %s%s;\n", unit->threshold < 0 ? "-" : "",
         number_text(number, most, magnitude(unit->threshold)));
}

static void put_step(struct emitter *out, const bool *used)
{
    const struct tlu_network *network = out->network;
    bool any = false, named = network->inputs <= NAMED_MAX;
    for (size_t i = 0; i < network->inputs; i++) {
        any = any || used[i];
        if (used[i] && named)
            emit(out, "    const bool %s = inputs[%zu];\n", out->signal[i], i);
    }
    if (!any)
        emit(out, "    (void)inputs;\n");
    for (size_t i = 0; i < network->delays; i++)
        if (used[signal_of_delay(network, i)])
            emit(out, "    const bool %s = state->delay[%zu];\n",
                 out->signal[signal_of_delay(network, i)], i);
    for (size_t i = 0; i < network->units; i++)
        if (used[signal_of_unit(network, i)])
            put_unit(out, i);
    put_results(out, false);
}

// ---- the program ----

static const char head_of_network[] = "void network(const bool *inputs, bool *outputs)";
static const char head_of_step[] =
    "void network_step(struct network_state *state, const bool *inputs, bool *outputs)";

static void put_interface(struct emitter *out)
{
    const struct tlu_network *network = out->network;
    if (!network->delays) {
        emit(out, "\n%s;\n", head_of_network);
        return;
    }
    emit(out,
         "\nstruct network_state {\n    bool delay[%zu];\n};\n\n"
         "void network_reset(struct network_state *state);\n%s;\n"
         "\nvoid network_reset(struct network_state *state)\n{\n",
         network->delays, head_of_step);
    for (size_t i = 0; i < network->delays; i++)
        emit(out, "    state->delay[%zu] = %s;\n", i, network->delay[i].start ? "true" : "false");
    emit(out, "}\n");
}

static void put_main(struct emitter *out)
{
    bool steps = out->network->delays > 0;
    emit(out,
         "\n#ifdef NETWORK_MAIN\n"
         "#include <stdio.h>\n\n"
         "int main(void)\n"
         "{\n"
         "    static bool inputs[NETWORK_INPUTS + 1], outputs[NETWORK_OUTPUTS + 1];\n"
         "    long count = 0, i;\n"
         "    int c;\n"
         "%s"
         "    while ((c = getchar()) != EOF) {\n"
         "        if ((c == '0' || c == '1') && count < NETWORK_INPUTS)\n"
         "            inputs[count++] = c == '1';\n"
         "%s"
         "        if (c != '\\n' || count < NETWORK_INPUTS)\n"
         "            continue;\n"
         "%s"
         "        for (i = 0; i < NETWORK_OUTPUTS; i++)\n"
         "            putchar(outputs[i] ? '1' : '0');\n"
         "        putchar('\\n');\n"
         "        count = 0;\n"
         "    }\n"
         "    return 0;\n"
         "}\n"
         "#endif\n",
         steps ? "    struct network_state state;\n    network_reset(&state);\n" : "",
         steps ? "        if (c == '\\n' && count == 0 && NETWORK_INPUTS > 0)\n"
                 "            network_reset(&state);\n"
               : "",
         steps ? "        network_step(&state, inputs, outputs);\n"
               : "        network(inputs, outputs);\n");
}

static void write_c(struct emitter *out)
{
    const struct tlu_network *network = out->network;
    bool tables = is_tables(network);
    bool *used = memory_new(network_signals(network) + 1, sizeof *used);
    if (!used) {
        out->full = true;
        return;
    }
    find_used(network, used);
    put_head(out);
    put_interface(out);
    if (tables)
        put_tables(out);
    emit(out, "\n%s\n{\n", network->delays ? head_of_step : head_of_network);
    if (tables)
        put_table_step(out);
    else
        put_step(out, used);
    emit(out, "}\n");
    put_main(out);
    memory_free(used);
}

const struct language c_language = {.name = "c",
                                    .spell = spell_c,
                                    .reserved = reserved,
                                    .shared = true,
                                    .named_max = NAMED_MAX,
                                    .write = write_c};
