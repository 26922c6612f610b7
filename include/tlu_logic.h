/* tlu_logic.h: threshold logic: Boolean functions, networks of threshold units, finite automata,
   Turing machines.

   libtlu-logic computes Boolean functions, finite automata and the control of Turing machines with
   threshold units, and turns models into such units. A complete program:

       #include <stdio.h>
       #include <tlu_logic.h>

       int main(void)
       {
           tlu_error error;
           tlu_function *function;
           tlu_realisation *realisation;
           if (tlu_function_from_expression("a & (b | c)", NULL, &function, &error) != TLU_OK ||
               tlu_function_realise(function, NULL, &realisation, &error) != TLU_OK)
               return fprintf(stderr, "%s\n", error.text), 1;
           puts(realisation->units[0]->is_threshold ? "one unit" : "more than one unit");
           tlu_realisation_free(realisation);
           tlu_function_free(function);
       }

   Build it with: cc program.c $(pkg-config --cflags --libs tlu-logic)

   Errors, results, settings, ownership, threads and callbacks follow the rules at the top of
   tlu.h. */
#ifndef TLU_LOGIC_H
#define TLU_LOGIC_H

#include "tlu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Grade 2: networks of threshold units ------------------------------------------------------

       static const char text[] = "inputs a b\nunit u = a + b >= 2\noutput both = u\n";
       tlu_network_parse(text, sizeof text - 1, "and", &network, &error);
       tlu_network_write(network, "c", write_bytes, stdout, &error);
*/

/* A network has inputs that are 0 or 1, delays of one step, threshold units and outputs. A unit
   fires if the weights of its sources that are 1 add up to at least its threshold; a source is an
   input, a delay or another unit. The value of a delay is that of its source one step before. A
   network is immutable: any number of threads may use it at the same time. */
typedef struct tlu_network tlu_network;

/* Reads the text or JSON form (docs/network-format.md) of a network from a file; "-" is standard
   input. The file may be untrusted. */
TLU_API tlu_status tlu_network_load(const char *path, tlu_network **network, tlu_error *error);
/* Reads it from memory; `name` is for messages. */
TLU_API tlu_status tlu_network_parse(const char *bytes, size_t size, const char *name,
                                     tlu_network **network, tlu_error *error);
/* Writes the network as "text" or "json", which can be loaded again, or as "dot" (for Graphviz),
   "verilog" or "c". Names that are not valid or not unique in that language are changed. */
TLU_API tlu_status tlu_network_write(const tlu_network *network, const char *language,
                                     tlu_write_function write, void *context, tlu_error *error);

TLU_API size_t tlu_network_input_count(const tlu_network *network);
TLU_API size_t tlu_network_output_count(const tlu_network *network);
TLU_API size_t tlu_network_delay_count(const tlu_network *network);
TLU_API size_t tlu_network_unit_count(const tlu_network *network);
/* Names; NULL past the end. */
TLU_API const char *tlu_network_input_name(const tlu_network *network, size_t input);
TLU_API const char *tlu_network_output_name(const tlu_network *network, size_t output);
TLU_API const char *tlu_network_delay_name(const tlu_network *network, size_t delay);
TLU_API void tlu_network_free(tlu_network *network);

/* The state of a network that runs. */
typedef struct tlu_network_run tlu_network_run;

/* The network must stay valid as long as the run. The delays have their start values. */
TLU_API tlu_status tlu_network_run_new(const tlu_network *network, tlu_network_run **run,
                                       tlu_error *error);
/* Computes outputs[tlu_network_output_count] from inputs[tlu_network_input_count], in which any
   value but 0 is 1, and then advances the delays. It cannot fail. */
TLU_API void tlu_network_run_step(tlu_network_run *run, const unsigned char *inputs,
                                  unsigned char *outputs);
/* Sets the delays to their start values. */
TLU_API void tlu_network_run_reset(tlu_network_run *run);
TLU_API void tlu_network_run_free(tlu_network_run *run);

/* ---- Grade 2: Boolean functions as threshold units ---------------------------------------------

       if (tlu_function_from_expression("a & (b | !c)", NULL, &function, &error) == TLU_OK &&
           tlu_function_realise(function, NULL, &realisation, &error) == TLU_OK)
           printf("%s\n", realisation->units[0]->is_threshold ? "one unit" : "two layers");
*/

/* A Boolean function of up to 20 inputs with one or more outputs. In row r of its truth table the
   first input is the highest bit of r. */
typedef struct tlu_function tlu_function;

/* Parses an expression. Operators from the highest to the lowest precedence: ! & ^ | -> <->. It may
   contain parentheses, 0 1 true false, names (unusual ones in double quotes), maj(a, b, c),
   atleast(2; a, b, c), atmost and exactly. The inputs are `names`, "a,b,c", or, if that is NULL,
   the names in order of appearance. */
TLU_API tlu_status tlu_function_from_expression(const char *text, const char *names,
                                                tlu_function **function, tlu_error *error);
/* Uses the values of a truth table, "0110", whose length is a power of two; - or x: any value. */
TLU_API tlu_status tlu_function_from_table(const char *values, const char *names,
                                           tlu_function **function, tlu_error *error);
/* Reads a Berkeley PLA file; "-" is standard input. */
TLU_API tlu_status tlu_function_from_pla(const char *path, tlu_function **function,
                                         tlu_error *error);
TLU_API void tlu_function_free(tlu_function *function);

TLU_API size_t tlu_function_input_count(const tlu_function *function);
TLU_API size_t tlu_function_output_count(const tlu_function *function);
/* Names; NULL past the end. */
TLU_API const char *tlu_function_input_name(const tlu_function *function, size_t input);
TLU_API const char *tlu_function_output_name(const tlu_function *function, size_t output);
/* 0 or 1; -1: any value, or there is no such output or row. */
TLU_API int tlu_function_value(const tlu_function *function, size_t output, size_t row);

/* Whether one unit computes an output. If so, the unit fires if the weights of the inputs that are
   1 add up to at least the threshold. If not, some rows contradict each other: the rows with value
   1 and the rows with value 0, each taken as often as its multiplier says, are equally many and
   have the same sum of inputs, so no threshold can separate them. */
typedef struct tlu_threshold_unit {
    int is_threshold;
    int smallest; /* requested, and proved in time: no other weights have a smaller sum of
                     |weights| */
    size_t inputs;
    const unsigned char *needed; /* [inputs] 0: the output does not depend on this input */
    const int64_t *weights;      /* [inputs]; NULL if it is not a threshold function */
    int64_t threshold;
    size_t count;         /* rows that contradict each other; 0 for a threshold function */
    const uint32_t *rows; /* [count] ascending */
    const int64_t *times; /* [count] multipliers */
    int64_t sum_min;      /* if the smallest weights were requested: lower bound of their sum */
} tlu_threshold_unit;

typedef struct tlu_realise_settings {
    size_t size;  /* sizeof(tlu_realise_settings) */
    int smallest; /* find the smallest weights of threshold functions */
    int network;  /* make a network */
    int effort;   /* of the search for fewer units, from 1 to 1000; 0: 1 */
    /* Time limit; 0: none. When it ends the search, the weights may not be the smallest, and the
       network is the best one so far. If there is no network yet, or an output is not decided, the
       call fails with TLU_INTERRUPTED. */
    double seconds;
} tlu_realise_settings;

typedef struct tlu_realisation {
    size_t outputs;
    const tlu_threshold_unit *const *units; /* [outputs] */
    /* NULL unless requested: one unit for each output that is a threshold function, and two layers
       for the others. The number of units in the first layer is the smallest one found. The network
       has been checked on every row. */
    const tlu_network *network;
    size_t network_units;
    size_t hidden; /* units in the first of two layers, of all outputs; 0: one layer */
    int fewest;    /* one output: it is proved that no network of two layers has fewer units */
    int stopped;   /* the time limit ended the search for fewer units */
} tlu_realisation;

/* `settings` may be NULL. */
TLU_API tlu_status tlu_function_realise(const tlu_function *function,
                                        const tlu_realise_settings *settings,
                                        tlu_realisation **realisation, tlu_error *error);
TLU_API void tlu_realisation_free(tlu_realisation *realisation);

/* ---- Grade 2: the number of threshold functions ------------------------------------------------

       tlu_enumeration_settings four = {.size = sizeof four, .inputs = 4};
       if (tlu_enumeration_run(&four, &enumeration, &error) == TLU_OK)
           printf("2^(2^4) = %s functions\n", enumeration->functions);
*/

/* Called several times per second: classes found, fraction of the work done (0: unknown) and
   seconds since the start. */
typedef int (*tlu_enumeration_function)(void *context, uint64_t classes, double done,
                                        double seconds);

typedef struct tlu_enumeration_settings {
    size_t size;     /* sizeof(tlu_enumeration_settings) */
    unsigned inputs; /* at most 9; 8 take seconds, 9 many minutes */
    size_t threads;  /* 0: one per core */
    tlu_enumeration_function progress;
    void *progress_context;
} tlu_enumeration_settings;

typedef struct tlu_enumeration {
    uint64_t threshold_functions; /* of that many inputs */
    uint64_t classes;             /* the same up to permutation and negation of inputs */
    uint64_t dual_classes;        /* classes of self-dual functions of one more input */
    char functions[160];          /* all functions, 2^(2^inputs), in decimal */
    char bound[32]; /* 2^(inputs^2), an upper bound of threshold_functions from two inputs on */
} tlu_enumeration;

/* Enumerates all classes of threshold functions and counts their members. */
TLU_API tlu_status tlu_enumeration_run(const tlu_enumeration_settings *settings,
                                       tlu_enumeration **enumeration, tlu_error *error);
TLU_API void tlu_enumeration_free(tlu_enumeration *enumeration);

/* ---- Grade 2: a model as threshold units -------------------------------------------------------

       tlu_quantize_settings byte = {.size = sizeof byte, .bits = 8};
       if (tlu_quantize(model, &byte, NULL, &quantization, &error) == TLU_OK)
           tlu_network_write(quantization->network, "verilog", write_bytes, stdout, &error);
*/

typedef struct tlu_quantize_settings {
    size_t size;      /* sizeof(tlu_quantize_settings) */
    const char *path; /* rows to choose the rounding with, and to check it; NULL: none */
    uint32_t bits;    /* of a weight, including the sign, 2 to 40; 0: the fewest with which all rows
                         keep their prediction or, without rows, with which no weight is rounded */
} tlu_quantize_settings;

typedef struct tlu_quantization {
    /* The inputs are the features. With two classes, the output is 1 for the positive class; with
       more, there is one output per class, and exactly one of them is 1. */
    const tlu_network *network;
    uint32_t bits; /* of the weights of inputs */
    int exact;     /* no weight was rounded */
    uint64_t rows;
    uint64_t differences; /* rows for which network and model differ */
} tlu_quantization;

/* Rounds the weights of a model whose features are 0 or 1 to integers, and makes a network of
   threshold units from it. Models without weights (kernels, votes, layers), models that scale each
   row differently and rows with other values are TLU_ERROR_INPUT. Accepts the same options as
   tlu_reader_open. */
TLU_API tlu_status tlu_quantize(const tlu_model *model, const tlu_quantize_settings *settings,
                                const tlu_options *options, tlu_quantization **quantization,
                                tlu_error *error);
TLU_API void tlu_quantization_free(tlu_quantization *quantization);

/* ---- Grade 2: finite automata as networks ------------------------------------------------------

       tlu_automaton_from_regex("a(b|c)*", &automaton, &error);
       tlu_network_from_automaton(automaton, NULL, NULL, &network, &error);
       tlu_equivalence_check(automaton, network, &equivalence, &error);
*/

/* A deterministic, complete, minimal automaton. It is either an acceptor of strings or, if it was
   made from a KISS2 file, a Mealy machine, which has outputs at each step. */
typedef struct tlu_automaton tlu_automaton;

/* Makes an acceptor of the strings that match a POSIX extended regular expression as a whole
   (docs/automaton-format.md). Its symbols are the UTF-8 characters of the expression, and "other"
   for any other character. */
TLU_API tlu_status tlu_automaton_from_regex(const char *expression, tlu_automaton **automaton,
                                            tlu_error *error);
/* Reads a file in the notation "table" (docs/automaton-format.md) or "kiss2"; "-" is standard
   input. */
TLU_API tlu_status tlu_automaton_load(const char *path, const char *notation,
                                      tlu_automaton **automaton, tlu_error *error);
/* Reads it from memory; `name` is for messages. */
TLU_API tlu_status tlu_automaton_parse(const char *text, size_t size, const char *name,
                                       const char *notation, tlu_automaton **automaton,
                                       tlu_error *error);
TLU_API void tlu_automaton_free(tlu_automaton *automaton);

typedef struct tlu_automaton_facts {
    const char *notation; /* "regex", "table" or "kiss2" */
    size_t states_given;  /* of the expression's nondeterministic automaton, or of the file */
    size_t states_deterministic; /* reachable ones */
    size_t states, symbols;      /* of the minimal automaton; its start state is 0 */
    size_t inputs, outputs;      /* of a Mealy machine; 0 for an acceptor */
    size_t completed; /* of a Mealy machine: transitions that the file lacks; each of them stays in
                         its state */
} tlu_automaton_facts;

TLU_API const tlu_automaton_facts *tlu_automaton_get_facts(const tlu_automaton *automaton);
/* The name of a state: "q0", or as in the file; NULL past the end. */
TLU_API const char *tlu_automaton_state_name(const tlu_automaton *automaton, size_t state);
/* The name of a symbol: "a", "[0-9]", "other", a word, or "0-1" for the inputs of a Mealy machine;
   NULL past the end. */
TLU_API const char *tlu_automaton_symbol_name(const tlu_automaton *automaton, size_t symbol);
/* The next state; TLU_NONE if there is no such state or symbol. */
TLU_API size_t tlu_automaton_next(const tlu_automaton *automaton, size_t state, size_t symbol);
TLU_API int tlu_automaton_is_accepting(const tlu_automaton *automaton, size_t state);
/* The outputs of a transition of a Mealy machine: "010"; NULL for an acceptor. */
TLU_API const char *tlu_automaton_outputs(const tlu_automaton *automaton, size_t state,
                                          size_t symbol);

/* Makes a network that is equivalent to the automaton. `encoding` says how delays represent the
   state: "onehot", a delay per state (except for a state from which no string is accepted),
   "binary", or NULL: the one with fewer units. `symbols` says how inputs represent a symbol:
   "onehot", an input per symbol, or "binary", the index of the symbol, highest bit first; NULL:
   onehot. A Mealy machine keeps its inputs. The output "accept" of an acceptor says at each step
   whether the string before this step is accepted. */
TLU_API tlu_status tlu_network_from_automaton(const tlu_automaton *automaton, const char *encoding,
                                              const char *symbols, tlu_network **network,
                                              tlu_error *error);

/* The result of comparing an automaton with a network on all reachable pairs of a state of the
   automaton and a state of the delays. */
typedef struct tlu_equivalence {
    int equal; /* 1: same behaviour for all strings */
    uint64_t pairs, symbols;
    /* If not equal: one of the shortest strings for which they differ. */
    size_t length;
    const size_t *word;      /* [length] its symbols */
    const char *text;        /* the same as text */
    const char *output;      /* the output that differs */
    int expected;            /* its value by the automaton; the network has the other value */
    const char *with_symbol; /* the next symbol, if "accept" differs only with it; else NULL */
} tlu_equivalence;

/* Compares an automaton with a network. Inputs and outputs correspond by name. TLU_ERROR_INPUT if
   the names differ, or if more than a million pairs are reachable. Automaton and network must stay
   valid as long as the result. */
TLU_API tlu_status tlu_equivalence_check(const tlu_automaton *automaton, const tlu_network *network,
                                         tlu_equivalence **equivalence, tlu_error *error);
/* The values of the delays when the automaton was first in this state: "010"; NULL: it never was.
   Valid until the next call. */
TLU_API const char *tlu_equivalence_delays(tlu_equivalence *equivalence, size_t state);
TLU_API void tlu_equivalence_free(tlu_equivalence *equivalence);

/* ---- Grade 2: running a network on strings -----------------------------------------------------

       tlu_automaton_run_new(automaton, network, &run, &error);
       tlu_automaton_run_feed(run, "abc", 3);
       printf("%s\n", tlu_automaton_run_get_state(run)->state);
*/

/* A network that reads symbols, such as that of tlu_network_from_automaton. */
typedef struct tlu_automaton_run tlu_automaton_run;

typedef struct tlu_automaton_run_state {
    uint64_t symbols;    /* read so far */
    const char *symbol;  /* name of the last one; NULL: nothing read, or it was not a symbol */
    int strayed;         /* something else than a symbol was read: nothing is accepted any more */
    int accepted;        /* by the network; -1: it has no output "accept" */
    const char *delays;  /* values of the delays: "010" */
    const char *outputs; /* of the last step: "01"; "" before the first step */
    const char *state;   /* name of the automaton's state; NULL without an automaton */
} tlu_automaton_run_state;

/* Without an automaton (NULL) the symbols are the names of the inputs. Both objects must stay valid
   as long as the run. */
TLU_API tlu_status tlu_automaton_run_new(const tlu_automaton *automaton, const tlu_network *network,
                                         tlu_automaton_run **run, tlu_error *error);
/* Returns to the start. */
TLU_API void tlu_automaton_run_reset(tlu_automaton_run *run);
/* Reads one symbol and returns the number of bytes used, with blanks around it if symbols are
   words; 0 at the end of the text. Bytes that are not a symbol are used, too, and set `strayed`. */
TLU_API size_t tlu_automaton_run_feed(tlu_automaton_run *run, const char *text, size_t size);
/* Valid, and unchanged, until the next call. */
TLU_API const tlu_automaton_run_state *tlu_automaton_run_get_state(tlu_automaton_run *run);
TLU_API void tlu_automaton_run_free(tlu_automaton_run *run);

/* ---- Grade 2: Turing machines ------------------------------------------------------------------

       static const char rows[] = "add 1 1 R add\nadd _ 1 S halt\n";
       tlu_turing_parse(rows, sizeof rows - 1, "add one", &machine, &error);
       tlu_network_from_turing(machine, NULL, &control, &error);
*/

/* A deterministic Turing machine with one tape, which has no end in either direction. Its finite
   control becomes a network; the tape is memory outside the network. The machine halts where its
   table has no row for the state and the symbol under the head. It is immutable. */
typedef struct tlu_turing tlu_turing;

/* Reads a table (docs/turing-format.md) from a file; "-" is standard input. The file may be
   untrusted. */
TLU_API tlu_status tlu_turing_load(const char *path, tlu_turing **machine, tlu_error *error);
/* Reads it from memory; `name` is for messages. */
TLU_API tlu_status tlu_turing_parse(const char *text, size_t size, const char *name,
                                    tlu_turing **machine, tlu_error *error);
TLU_API void tlu_turing_free(tlu_turing *machine);

typedef struct tlu_turing_facts {
    size_t states_given; /* in the file */
    size_t states;       /* that rows lead to; the start state is 0 */
    size_t symbols;      /* the blank is 0 */
    size_t rows;         /* of these states */
    size_t missing;      /* pairs of a symbol and a state with some rows that have no row */
    size_t accept;       /* the state "accept"; TLU_NONE: no row leads to it */
    int characters;      /* each symbol is a single character: a tape is written without blanks */
} tlu_turing_facts;

TLU_API const tlu_turing_facts *tlu_turing_get_facts(const tlu_turing *machine);
/* Names; NULL past the end. */
TLU_API const char *tlu_turing_state_name(const tlu_turing *machine, size_t state);
TLU_API const char *tlu_turing_symbol_name(const tlu_turing *machine, size_t symbol);
/* The row for a state and the symbol under the head: the next state, the symbol that is written,
   and the move, -1 to the left, 1 to the right or 0. Without a row, in which case the machine
   halts, TLU_NONE, TLU_NONE and 0. */
TLU_API size_t tlu_turing_next(const tlu_turing *machine, size_t state, size_t symbol);
TLU_API size_t tlu_turing_written(const tlu_turing *machine, size_t state, size_t symbol);
TLU_API int tlu_turing_move(const tlu_turing *machine, size_t state, size_t symbol);

/* Makes a network that is equivalent to the control. `encoding` is as in
   tlu_network_from_automaton. There is an input "read_X" for each symbol X, the blank first, of
   which the one under the head is 1; outputs "write_X", "left", "right", "halt" and, if the machine
   has such a state, "accept". At a halt nothing is written, and the state stays. */
TLU_API tlu_status tlu_network_from_turing(const tlu_turing *machine, const char *encoding,
                                           tlu_network **network, tlu_error *error);

/* The result of comparing a machine with a network on all reachable pairs of a state of the machine
   and a state of the delays, with every symbol. */
typedef struct tlu_turing_equivalence {
    int equal; /* 1: same behaviour on all tapes */
    uint64_t pairs, symbols;
    /* If not equal: a state and a symbol for which they differ. */
    const char *state, *symbol;
    const char *output; /* the output that differs */
    int expected;       /* its value by the table; the network has the other value */
    size_t length;
    const size_t *word; /* [length] symbols that the machine reads before, as few as possible */
} tlu_turing_equivalence;

/* Compares a machine with a network. Inputs and outputs correspond by name. TLU_ERROR_INPUT if the
   names differ, or if more than a million pairs are reachable. Both must stay valid as long as the
   result. */
TLU_API tlu_status tlu_turing_equivalence_check(const tlu_turing *machine,
                                                const tlu_network *network,
                                                tlu_turing_equivalence **equivalence,
                                                tlu_error *error);
/* The values of the delays when the machine was first in this state: "010"; NULL: it never was.
   Valid until the next call. */
TLU_API const char *tlu_turing_equivalence_delays(tlu_turing_equivalence *equivalence,
                                                  size_t state);
TLU_API void tlu_turing_equivalence_free(tlu_turing_equivalence *equivalence);

/* ---- Grade 2: running a network on a tape ------------------------------------------------------

       tlu_turing_run_new(machine, control, &tape, &error);
       tlu_turing_run_set_tape(tape, "111", 3, &error);
       while (!tlu_turing_run_get_state(tape)->halted && !tlu_turing_run_step(tape, &error)) {}
*/

/* A network, the control, with a tape. The memory of the tape grows with its use. */
typedef struct tlu_turing_run tlu_turing_run;

typedef struct tlu_turing_run_state {
    uint64_t steps;
    int halted;          /* the output "halt" is 1 */
    int accepted;        /* the output "accept"; -1: the network has none */
    int64_t head;        /* the cell under the head; the tape that was set begins at cell 0 */
    int64_t first, last; /* cells that were set or visited; all others are blank */
    const char *symbol;  /* under the head */
    const char *blank;
    const char *delays; /* values of the delays: "010" */
    const char *state;  /* name of the machine's state; NULL without a machine */
    int characters;     /* each symbol is a single character */
} tlu_turing_run_state;

/* Without a machine (NULL) the symbols are those of the inputs "read_X", the first of which is the
   blank. Both objects must stay valid as long as the run. The tape is blank. */
TLU_API tlu_status tlu_turing_run_new(const tlu_turing *machine, const tlu_network *network,
                                      tlu_turing_run **run, tlu_error *error);
/* Returns to the start with this tape: symbols one after the other if each is a single character,
   else with blanks between them. The head is on the first. An unknown symbol is TLU_ERROR_INPUT and
   leaves the tape blank. */
TLU_API tlu_status tlu_turing_run_set_tape(tlu_turing_run *run, const char *text, size_t size,
                                           tlu_error *error);
/* Makes one step; after a halt, none. TLU_ERROR_INPUT if the network writes two symbols at once,
   moves both ways or differs from the machine; TLU_ERROR_SYSTEM if the tape does not fit into the
   memory. */
TLU_API tlu_status tlu_turing_run_step(tlu_turing_run *run, tlu_error *error);
/* Valid, and unchanged, until the next call. */
TLU_API const tlu_turing_run_state *tlu_turing_run_get_state(tlu_turing_run *run);
/* The name of the symbol in a cell. */
TLU_API const char *tlu_turing_run_cell(const tlu_turing_run *run, int64_t cell);
TLU_API void tlu_turing_run_free(tlu_turing_run *run);

#ifdef __cplusplus
}
#endif

#endif
