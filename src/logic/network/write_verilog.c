// A synthesisable Verilog-2001 module. A unit is an expression of signed operands as wide as its
// sum.
#include "logic/network/write.h"
#include "tlu_logic.h"

#include <inttypes.h>

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

// ---- the comment at the top ----

static void put_name_line(struct emitter *out, const char *name, const char *original)
{
    if (strcmp(name, original) != 0)
        emit(out, "//   %s is %s\n", name, text_form(out, original));
}

static void put_head(struct emitter *out)
{
    const struct tlu_network *network = out->network;
    emit(out, "// A network of threshold units.\n");
    if (network->delays)
        emit(out, "// A step is a rising edge of clk; the outputs belong to the inputs and the\n"
                  "// state before it. With reset the delays get what they start as.\n");
    for (size_t i = 0; i < network->inputs; i++)
        put_name_line(out, out->signal[i], network->input_names[i]);
    for (size_t i = 0; i < network->outputs; i++)
        put_name_line(out, out->output[i], network->output[i].name);
    for (size_t i = network->inputs; i < network_signals(network); i++)
        put_name_line(out, out->signal[i], network_signal_name(network, i));
}

// ---- the module ----

static void put_ports(struct emitter *out)
{
    const struct tlu_network *network = out->network;
    const char *next = "\n    ", *comma = ",\n    ";
    emit(out, "module network (");
    if (network->delays) {
        emit(out, "%sinput wire clk%sinput wire reset", next, comma);
        next = comma;
    }
    if (network->inputs > PORTS_MAX) {
        emit(out, "%sinput wire [%zu:0] inputs", next, network->inputs - 1);
        next = comma;
    }
    for (size_t i = 0; i < network->inputs && network->inputs <= PORTS_MAX; i++, next = comma)
        emit(out, "%sinput wire %s", next, out->signal[i]);
    for (size_t i = 0; i < network->outputs; i++, next = comma)
        emit(out, "%soutput wire %s", next, out->output[i]);
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

// Terms first to last - 1 of a level: links, or sums of the level below.
static void put_terms(struct emitter *out, size_t i, int level, size_t first, size_t last, int bits)
{
    const struct unit *unit = &out->network->unit[i];
    uint32_t signal = signal_of_unit(out->network, i);
    for (size_t term = first; term < last; term++) {
        if (level > 0) {
            emit_space(out, out->length[signal] + 16, INDENT);
            emit(out, "%s%s$%d_%zu", term == first ? "" : "+ ", out->signal[signal], level, term);
            continue;
        }
        const struct link *link = &unit->links[term];
        emit_space(out, out->length[link->from] + 24, INDENT);
        emit(out, "%s(%s ? %d'sd%" PRId64 " : %d'sd0)", term_sign(link->weight, term == first),
             out->signal[link->from], bits, magnitude(link->weight), bits);
    }
}

// Writes the partial sums; returns the number of terms of the last level.
static size_t put_sums(struct emitter *out, size_t i, int bits, int *level)
{
    size_t count = out->network->unit[i].count;
    for (*level = 0; count > TERMS_MAX; ++*level) {
        size_t sums = (count + TERMS_MAX - 1) / TERMS_MAX;
        for (size_t sum = 0; sum < sums; sum++) {
            size_t last = (sum + 1) * TERMS_MAX;
            emit(out, "    wire signed [%d:0] %s$%d_%zu =", bits - 1,
                 out->signal[signal_of_unit(out->network, i)], *level + 1, sum);
            put_terms(out, i, *level, sum * TERMS_MAX, last < count ? last : count, bits);
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
    emit(out, "    wire %s =", out->signal[signal_of_unit(out->network, i)]);
    if (constant) {
        emit(out, " 1'b%d;\n", value);
        return;
    }
    put_terms(out, i, level, 0, terms, bits);
    emit(out, " >= %s%d'sd%" PRId64 ";\n", unit->threshold < 0 ? "-" : "", bits,
         magnitude(unit->threshold));
}

static void put_delays(struct emitter *out)
{
    const struct tlu_network *network = out->network;
    emit(out, "    always @(posedge clk)\n        if (reset) begin\n");
    for (size_t i = 0; i < network->delays; i++)
        emit(out, "            %s <= 1'b%d;\n", out->signal[signal_of_delay(network, i)],
             network->delay[i].start);
    emit(out, "        end else begin\n");
    for (size_t i = 0; i < network->delays; i++)
        emit(out, "            %s <= %s;\n", out->signal[signal_of_delay(network, i)],
             out->signal[network->delay[i].from]);
    emit(out, "        end\n");
}

static void write_verilog(struct emitter *out)
{
    const struct tlu_network *network = out->network;
    put_head(out);
    put_ports(out);
    for (size_t i = 0; i < network->delays; i++)
        emit(out, "    reg %s = 1'b%d;\n", out->signal[signal_of_delay(network, i)],
             network->delay[i].start);
    for (size_t i = 0; i < network->units; i++)
        put_unit(out, i);
    if (network->delays)
        put_delays(out);
    for (size_t i = 0; i < network->outputs; i++)
        emit(out, "    assign %s = %s;\n", out->output[i], out->signal[network->output[i].from]);
    emit(out, "endmodule\n");
}

const struct language verilog_language = {.name = "verilog",
                                          .spell = spell_identifier,
                                          .reserved = reserved,
                                          .shared = true,
                                          .named_max = PORTS_MAX,
                                          .write = write_verilog};
