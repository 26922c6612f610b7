// A module in Verilog-2001 that can be synthesised. A unit is an expression, all of whose parts are
// signed and as wide as its sum needs.
#include "logic/net/extent.h"
#include "logic/net/write.h"
#include "tlu_logic.h"

#include <inttypes.h>
#include <stdio.h>

#define INDENT 8     // of the lines that go on
#define PORTS_MAX 64 // more inputs are one port
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

static void put_signal(struct pen *pen, uint32_t signal)
{
    if (signal < pen->network->inputs && is_bus(pen->network))
        pen_put(pen, "inputs[%lu]", (unsigned long)signal);
    else
        pen_text(pen, pen->names.signal[signal]);
}

// ---- the comment at the top ----

static void put_name_line(struct pen *pen, const char *name, const char *original)
{
    if (strcmp(name, original) == 0)
        return;
    pen_put(pen, "//   ");
    pen_text(pen, name);
    pen_text(pen, " is ");
    pen_name(pen, original);
    pen_text(pen, "\n");
}

static void put_head(struct pen *pen)
{
    const struct tlu_network *network = pen->network;
    char **signal = pen->names.signal;
    pen_text(pen, "// A network of threshold units.\n");
    if (network->delays)
        pen_text(pen,
                 "// A step is a rising edge of clk; the outputs belong to the inputs and the\n"
                 "// state before it. With reset the delays get what they start as.\n");
    for (size_t i = 0; i < network->inputs; i++) {
        char place[32];
        snprintf(place, sizeof place, "inputs[%zu]", i);
        put_name_line(pen, is_bus(network) ? place : signal[i], network->input_names[i]);
    }
    for (size_t i = 0; i < network->outputs; i++)
        put_name_line(pen, pen->names.output[i], network->output[i].name);
    for (size_t i = 0; i < network->delays; i++)
        put_name_line(pen, signal[signal_of_delay(network, i)], network->delay[i].name);
    for (size_t i = 0; i < network->units; i++)
        put_name_line(pen, signal[signal_of_unit(network, i)], network->unit[i].name);
}

// ---- the module ----

static void next_port(struct pen *pen, bool *first, const char *kind)
{
    pen_text(pen, *first ? "\n    " : ",\n    ");
    pen_text(pen, kind);
    *first = false;
}

static void put_ports(struct pen *pen)
{
    const struct tlu_network *network = pen->network;
    bool first = true;
    pen_text(pen, "module network (");
    if (network->delays) {
        next_port(pen, &first, "input wire clk");
        next_port(pen, &first, "input wire reset");
    }
    if (is_bus(network)) {
        next_port(pen, &first, "input wire ");
        pen_put(pen, "[%zu:0] inputs", network->inputs - 1);
    }
    for (size_t i = 0; i < network->inputs && !is_bus(network); i++) {
        next_port(pen, &first, "input wire ");
        put_signal(pen, (uint32_t)i);
    }
    for (size_t i = 0; i < network->outputs; i++) {
        next_port(pen, &first, "output wire ");
        pen_text(pen, pen->names.output[i]);
    }
    pen_text(pen, "\n);\n");
}

// Bits of a signed number that may be as large as `most` and as small as -most.
static int signed_bits(int64_t most)
{
    int bits = 1;
    while (most >> (bits - 1))
        bits++;
    return bits;
}

// A sum of more than TERMS_MAX terms is a tree of partial sums: adders in series would be slow,
// and simulators go as deep as an expression does. The sums of level 1 are NAME$1_0, NAME$1_1, ...,
// those of level 2 add up these. ($ is in no name of a signal.)
static void put_sum_name(struct pen *pen, const char *name, int level, size_t number)
{
    pen_text(pen, name);
    pen_put(pen, "$%d_%zu", level, number);
}

static void put_link(struct pen *pen, const struct link *link, bool first, int bits)
{
    pen_blank(pen, strlen(pen->names.signal[link->from]) + 24, INDENT);
    pen_text(pen, link->weight < 0 ? (first ? "-(" : "- (") : first ? "(" : "+ (");
    put_signal(pen, link->from);
    pen_put(pen, " ? %d'sd%" PRId64 " : %d'sd0)", bits, magnitude(link->weight), bits);
}

// Terms `first` to last - 1 of a level: links, or sums of the level below.
static void put_terms(struct pen *pen, size_t unit, int level, size_t first, size_t last, int bits)
{
    const char *name = pen->names.signal[signal_of_unit(pen->network, unit)];
    for (size_t i = first; i < last; i++) {
        if (level == 0) {
            put_link(pen, &pen->network->unit[unit].links[i], i == first, bits);
            continue;
        }
        pen_blank(pen, strlen(name) + 16, INDENT);
        pen_text(pen, i == first ? "" : "+ ");
        put_sum_name(pen, name, level, i);
    }
}

// Writes the partial sums; returns how many terms are left on the last level.
static size_t put_sums(struct pen *pen, size_t unit, int bits, int *level)
{
    const char *name = pen->names.signal[signal_of_unit(pen->network, unit)];
    size_t count = pen->network->unit[unit].count;
    for (*level = 0; count > TERMS_MAX; ++*level) {
        size_t sums = (count + TERMS_MAX - 1) / TERMS_MAX;
        for (size_t i = 0; i < sums; i++) {
            size_t last = (i + 1) * TERMS_MAX;
            pen_put(pen, "    wire signed [%d:0] ", bits - 1);
            put_sum_name(pen, name, *level + 1, i);
            pen_text(pen, " =");
            put_terms(pen, unit, *level, i * TERMS_MAX, last < count ? last : count, bits);
            pen_text(pen, ";\n");
        }
        count = sums;
    }
    return count;
}

static void put_unit(struct pen *pen, size_t i)
{
    const struct unit *unit = &pen->network->unit[i];
    int bits = signed_bits(unit_extent(unit).most), level = 0;
    bool value, constant = unit_is_constant(unit, &value);
    size_t terms = constant ? 0 : put_sums(pen, i, bits, &level);
    pen_text(pen, "    wire ");
    put_signal(pen, signal_of_unit(pen->network, i));
    pen_text(pen, " =");
    if (constant) {
        pen_put(pen, " 1'b%d;\n", value);
        return;
    }
    put_terms(pen, i, level, 0, terms, bits);
    pen_put(pen, " >= %s%d'sd%" PRId64 ";\n", unit->threshold < 0 ? "-" : "", bits,
            magnitude(unit->threshold));
}

// One of the two halves of the clocked block: what the delays become.
static void put_updates(struct pen *pen, bool reset)
{
    const struct tlu_network *network = pen->network;
    for (size_t i = 0; i < network->delays; i++) {
        pen_text(pen, "            ");
        put_signal(pen, signal_of_delay(network, i));
        pen_text(pen, " <= ");
        if (reset)
            pen_put(pen, "1'b%d", network->delay[i].start);
        else
            put_signal(pen, network->delay[i].from);
        pen_text(pen, ";\n");
    }
}

static bool write_verilog(struct pen *pen)
{
    const struct tlu_network *network = pen->network;
    put_head(pen);
    put_ports(pen);
    for (size_t i = 0; i < network->delays; i++) {
        pen_text(pen, "    reg ");
        put_signal(pen, signal_of_delay(network, i));
        pen_put(pen, " = 1'b%d;\n", network->delay[i].start);
    }
    for (size_t i = 0; i < network->units; i++)
        put_unit(pen, i);
    if (network->delays) {
        pen_text(pen, "    always @(posedge clk)\n        if (reset) begin\n");
        put_updates(pen, true);
        pen_text(pen, "        end else begin\n");
        put_updates(pen, false);
        pen_text(pen, "        end\n");
    }
    for (size_t i = 0; i < network->outputs; i++) {
        pen_put(pen, "    assign ");
        pen_text(pen, pen->names.output[i]);
        pen_text(pen, " = ");
        put_signal(pen, network->output[i].from);
        pen_text(pen, ";\n");
    }
    pen_text(pen, "endmodule\n");
    return true;
}

const struct language verilog_language = {
    .name = "verilog",
    .spelling = {.spell = spell_identifier, .reserved = reserved, .shared = true},
    .write = write_verilog,
};
