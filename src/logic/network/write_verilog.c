// A synthesisable Verilog-2001 module. A unit is an expression of signed operands as wide as its
// sum.
#include "logic/network/write.h"
#include "tlu_logic.h"

#include <inttypes.h>
#include <stdio.h>

#define INDENT 8     // of continuation lines
#define PORTS_MAX 64 // more inputs become one port
#define TERMS_MAX 64 // of a sum

// Keywords of IEEE 1364-2001, and what the module calls its own.
static const char *const reserved[] = {
    "always", "and", "assign", "automatic", "begin", "buf", "bufif0", "bufif1", "case", "casex",
    "casez", "cell", "cmos", "config", "deassign", "default", "defparam", "design", "disable",
    "edge", "else", "end", "endcase", "endconfig", "endfunction", "endgenerate", "endmodule",
    "endprimitive", "endspecify", "endtable", "endtask", "event", "for", "force", "forever", "fork",
    "function", "generate", "genvar", "highz0", "highz1", "if", "ifnone", "incdir", "include",
    "initial", "inout", "input", "instance", "integer", "join", "large", "liblist", "library",
    "localparam", "macromodule", "medium", "module", "nand", "negedge", "nmos", "nor",
    "noshowcancelled", "not", "notif0", "notif1", "or", "output", "parameter", "pmos", "posedge",
    "primitive", "pull0", "pull1", "pulldown", "pullup", "pulsestyle_onevent",
    "pulsestyle_ondetect", "rcmos", "real", "realtime", "reg", "release", "repeat", "rnmos",
    "rpmos", "rtran", "rtranif0", "rtranif1", "scalared", "showcancelled", "signed", "small",
    "specify", "specparam", "strong0", "strong1", "supply0", "supply1", "table", "task", "time",
    "tran", "tranif0", "tranif1", "tri", "tri0", "tri1", "triand", "trior", "trireg", "unsigned",
    "use", "uwire", "vectored", "wait", "wand", "weak0", "weak1", "while", "wire", "wor", "xnor",
    "xor",
    // SystemVerilog, which some tools take all sources for
    "bit", "bool", "break", "byte", "char", "class", "const", "continue", "do", "enum", "export",
    "extends", "extern", "final", "global", "import", "int", "interface", "let", "logic", "new",
    "null", "package", "packed", "priority", "program", "property", "pure", "rand", "ref", "return",
    "sequence", "shortint", "static", "string", "struct", "super", "tagged", "this", "type",
    "typedef", "union", "unique", "var", "virtual", "void", "with", "within",
    // its own
    "network", "clk", "reset", "inputs", NULL};

static bool is_bus(const struct tlu_network *network)
{
    return network->inputs > PORTS_MAX;
}

static void put_signal(struct emitter *out, uint32_t signal)
{
    if (signal < out->network->inputs && is_bus(out->network))
        emit_format(out, "inputs[%lu]", (unsigned long)signal);
    else
        emit(out, out->names.signal[signal]);
}

// ---- the comment at the top ----

static void put_name_line(struct emitter *out, const char *name, const char *original)
{
    if (strcmp(name, original) == 0)
        return;
    emit_format(out, "//   ");
    emit(out, name);
    emit(out, " is ");
    emit_name(out, original);
    emit(out, "\n");
}

static void put_head(struct emitter *out)
{
    const struct tlu_network *network = out->network;
    char **signal = out->names.signal;
    emit(out, "// A network of threshold units.\n");
    if (network->delays)
        emit(out, "// A step is a rising edge of clk; the outputs belong to the inputs and the\n"
                  "// state before it. With reset the delays get what they start as.\n");
    for (size_t i = 0; i < network->inputs; i++) {
        char place[32];
        snprintf(place, sizeof place, "inputs[%zu]", i);
        put_name_line(out, is_bus(network) ? place : signal[i], network->input_names[i]);
    }
    for (size_t i = 0; i < network->outputs; i++)
        put_name_line(out, out->names.output[i], network->output[i].name);
    for (size_t i = 0; i < network->delays; i++)
        put_name_line(out, signal[signal_of_delay(network, i)], network->delay[i].name);
    for (size_t i = 0; i < network->units; i++)
        put_name_line(out, signal[signal_of_unit(network, i)], network->unit[i].name);
}

// ---- the module ----

static void next_port(struct emitter *out, bool *first, const char *kind)
{
    emit(out, *first ? "\n    " : ",\n    ");
    emit(out, kind);
    *first = false;
}

static void put_ports(struct emitter *out)
{
    const struct tlu_network *network = out->network;
    bool first = true;
    emit(out, "module network (");
    if (network->delays) {
        next_port(out, &first, "input wire clk");
        next_port(out, &first, "input wire reset");
    }
    if (is_bus(network)) {
        next_port(out, &first, "input wire ");
        emit_format(out, "[%zu:0] inputs", network->inputs - 1);
    }
    for (size_t i = 0; i < network->inputs && !is_bus(network); i++) {
        next_port(out, &first, "input wire ");
        put_signal(out, (uint32_t)i);
    }
    for (size_t i = 0; i < network->outputs; i++) {
        next_port(out, &first, "output wire ");
        emit(out, out->names.output[i]);
    }
    emit(out, "\n);\n");
}

// Bits of a signed number from -most to most.
static int signed_bits(int64_t most)
{
    int bits = 1;
    while (most >> (bits - 1))
        bits++;
    return bits;
}

// A sum of more than TERMS_MAX terms becomes a tree of partial sums: adders in series would be
// slow, and simulators recurse into expressions. The sums of level 1 are NAME$1_0, NAME$1_1, ...;
// level 2 adds these. No signal name contains $.
static void put_sum_name(struct emitter *out, const char *name, int level, size_t number)
{
    emit(out, name);
    emit_format(out, "$%d_%zu", level, number);
}

static void put_link(struct emitter *out, const struct link *link, bool first, int bits)
{
    emit_space(out, strlen(out->names.signal[link->from]) + 24, INDENT);
    emit(out, link->weight < 0 ? (first ? "-(" : "- (") : first ? "(" : "+ (");
    put_signal(out, link->from);
    emit_format(out, " ? %d'sd%" PRId64 " : %d'sd0)", bits, magnitude(link->weight), bits);
}

// Terms first to last - 1 of a level: links, or sums of the level below.
static void put_terms(struct emitter *out, size_t unit, int level, size_t first, size_t last,
                      int bits)
{
    const char *name = out->names.signal[signal_of_unit(out->network, unit)];
    for (size_t i = first; i < last; i++) {
        if (level == 0) {
            put_link(out, &out->network->unit[unit].links[i], i == first, bits);
            continue;
        }
        emit_space(out, strlen(name) + 16, INDENT);
        emit(out, i == first ? "" : "+ ");
        put_sum_name(out, name, level, i);
    }
}

// Writes the partial sums; returns the number of terms of the last level.
static size_t put_sums(struct emitter *out, size_t unit, int bits, int *level)
{
    const char *name = out->names.signal[signal_of_unit(out->network, unit)];
    size_t count = out->network->unit[unit].count;
    for (*level = 0; count > TERMS_MAX; ++*level) {
        size_t sums = (count + TERMS_MAX - 1) / TERMS_MAX;
        for (size_t i = 0; i < sums; i++) {
            size_t last = (i + 1) * TERMS_MAX;
            emit_format(out, "    wire signed [%d:0] ", bits - 1);
            put_sum_name(out, name, *level + 1, i);
            emit(out, " =");
            put_terms(out, unit, *level, i * TERMS_MAX, last < count ? last : count, bits);
            emit(out, ";\n");
        }
        count = sums;
    }
    return count;
}

static void put_unit(struct emitter *out, size_t i)
{
    const struct unit *unit = &out->network->unit[i];
    int bits = signed_bits(unit_extent(unit).most), level = 0;
    bool value, constant = unit_is_constant(unit, &value);
    size_t terms = constant ? 0 : put_sums(out, i, bits, &level);
    emit(out, "    wire ");
    put_signal(out, signal_of_unit(out->network, i));
    emit(out, " =");
    if (constant) {
        emit_format(out, " 1'b%d;\n", value);
        return;
    }
    put_terms(out, i, level, 0, terms, bits);
    emit_format(out, " >= %s%d'sd%" PRId64 ";\n", unit->threshold < 0 ? "-" : "", bits,
                magnitude(unit->threshold));
}

// Assigns the delays, in one branch of the clocked block.
static void put_updates(struct emitter *out, bool reset)
{
    const struct tlu_network *network = out->network;
    for (size_t i = 0; i < network->delays; i++) {
        emit(out, "            ");
        put_signal(out, signal_of_delay(network, i));
        emit(out, " <= ");
        if (reset)
            emit_format(out, "1'b%d", network->delay[i].start);
        else
            put_signal(out, network->delay[i].from);
        emit(out, ";\n");
    }
}

static bool write_verilog(struct emitter *out)
{
    const struct tlu_network *network = out->network;
    put_head(out);
    put_ports(out);
    for (size_t i = 0; i < network->delays; i++) {
        emit(out, "    reg ");
        put_signal(out, signal_of_delay(network, i));
        emit_format(out, " = 1'b%d;\n", network->delay[i].start);
    }
    for (size_t i = 0; i < network->units; i++)
        put_unit(out, i);
    if (network->delays) {
        emit(out, "    always @(posedge clk)\n        if (reset) begin\n");
        put_updates(out, true);
        emit(out, "        end else begin\n");
        put_updates(out, false);
        emit(out, "        end\n");
    }
    for (size_t i = 0; i < network->outputs; i++) {
        emit_format(out, "    assign ");
        emit(out, out->names.output[i]);
        emit(out, " = ");
        put_signal(out, network->output[i].from);
        emit(out, ";\n");
    }
    emit(out, "endmodule\n");
    return true;
}

const struct language verilog_language = {
    .name = "verilog",
    .naming = {.spell = spell_identifier, .reserved = reserved, .shared = true},
    .write = write_verilog,
};
