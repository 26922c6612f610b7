/* tlu_logic.h: threshold logic: Boolean functions, networks of threshold units, finite automata.

   Errors, arguments, structs and callbacks follow the rules at the top of tlu.h. */
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

/* Inputs that are 0 or 1, delays of one step, units that look at inputs, delays and other units,
   and outputs. A unit fires if the sum of the weights of those that are 1 reaches its threshold.
   A delay is what its source was a step before. Like a model, a network never changes. */
typedef struct tlu_network tlu_network;

/* Reads the text or the JSON form (docs/network-format.md), from a file ("-" is standard input) or
   from memory, where `name` is what messages call it. Safe on hostile bytes. */
TLU_API tlu_status tlu_network_load(const char *path, tlu_network **network, tlu_error *error);
TLU_API tlu_status tlu_network_parse(const char *bytes, size_t size, const char *name,
                                     tlu_network **network, tlu_error *error);
/* Writes it as "text" or "json", which can be read again, or as "dot" (a drawing for Graphviz),
   "verilog" or "c". Names that a language does not have, or that two signals share, are changed. */
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

/* A network at work. It begins with what its delays start as. */
typedef struct tlu_network_run tlu_network_run;

/* The network must live as long. */
TLU_API tlu_status tlu_network_run_new(const tlu_network *network, tlu_network_run **run,
                                       tlu_error *error);
/* One step: inputs[tlu_network_input_count] to outputs[tlu_network_output_count]; 0 is 0, all
 * else 1. */
TLU_API void tlu_network_run_step(tlu_network_run *run, const unsigned char *inputs,
                                  unsigned char *outputs);
TLU_API void tlu_network_run_reset(tlu_network_run *run); /* back to the start */
TLU_API void tlu_network_run_free(tlu_network_run *run);

/* ---- Grade 2: Boolean functions as threshold units ---------------------------------------------

       if (tlu_function_from_expression("a & (b | !c)", NULL, &function, &error) == TLU_OK &&
           tlu_function_realise(function, NULL, &realisation, &error) == TLU_OK)
           printf("%s\n", realisation->units[0]->is_threshold ? "one unit" : "two layers");
*/

/* A Boolean function of up to 20 inputs, with one output or more. Row r of its truth table is the
   assignment whose first input is the highest bit of r. */
typedef struct tlu_function tlu_function;

/* From an expression: ! & ^ | -> <-> from what binds most tightly to what binds least, parentheses,
   0 1 true false, names (others in double quotes), maj(a, b, c), atleast(2; a, b, c), atmost,
   exactly. The inputs are its names in the order in which they come, or `names`, "a,b,c", if not
   NULL. */
TLU_API tlu_status tlu_function_from_expression(const char *text, const char *names,
                                                tlu_function **function, tlu_error *error);
/* From its values, "0110", a power of two of them; - or x where it does not matter. */
TLU_API tlu_status tlu_function_from_table(const char *values, const char *names,
                                           tlu_function **function, tlu_error *error);
/* From a Berkeley PLA file; "-" is standard input. */
TLU_API tlu_status tlu_function_from_pla(const char *path, tlu_function **function,
                                         tlu_error *error);
TLU_API void tlu_function_free(tlu_function *function);

TLU_API size_t tlu_function_input_count(const tlu_function *function);
TLU_API size_t tlu_function_output_count(const tlu_function *function);
/* Names; NULL past the end. */
TLU_API const char *tlu_function_input_name(const tlu_function *function, size_t input);
TLU_API const char *tlu_function_output_name(const tlu_function *function, size_t output);
/* 0, 1, or -1 if it does not matter. */
TLU_API int tlu_function_value(const tlu_function *function, size_t output, size_t row);

/* Whether one unit computes an output: then it has weights, and fires if the weights of the inputs
   that are 1 add up to its threshold or more. If not, rows contradict each other: those whose value
   is 1, each times its number, have the same sum as those whose value is 0, and as many are added
   up, so that a unit would have to be above its threshold on average in both. */
typedef struct tlu_threshold_unit {
    int is_threshold;
    int smallest; /* no other weights have a smaller sum of |weights|; if that was asked for, and
                     was proven in time */
    size_t inputs;
    const unsigned char *needed; /* [inputs] 0: the output can be computed without it */
    const int64_t *weights;      /* [inputs]; NULL if it is not a threshold function */
    int64_t threshold;
    size_t count;         /* rows that contradict each other; 0 if it is one */
    const uint32_t *rows; /* [count] ascending */
    const int64_t *times; /* [count] */
    int64_t least_sum;    /* if the smallest were asked for: none have a smaller sum than this */
} tlu_threshold_unit;

typedef struct tlu_realise_settings {
    size_t size;  /* sizeof(tlu_realise_settings) */
    int smallest; /* the smallest weights of threshold functions */
    int network;  /* make a network */
    int effort;   /* how long to look for one with fewer units, from 1 to 1000; 0: 1 */
    /* Time limit; 0: none. If it ends the search, the weights need not be the smallest, and the
       network is the best so far. If there is no network yet, or an output is not decided, the call
       returns TLU_INTERRUPTED. */
    double seconds;
} tlu_realise_settings;

typedef struct tlu_realisation {
    size_t outputs;
    const tlu_threshold_unit *const *units; /* [outputs] */
    /* One unit for each output that is a threshold function; for the others two layers, with as few
       units in the first as were found, which need not be the fewest. Checked on every row. NULL
       unless it was asked for. */
    const tlu_network *network;
    size_t network_units;
    size_t hidden; /* units in the first of two layers, of all outputs together; 0: one layer */
    int fewest;    /* there is no such network of two layers with fewer units; one output alone */
    int stopped;   /* the time limit ended the search for fewer units */
} tlu_realisation;

/* `settings` may be NULL: no network, any weights. */
TLU_API tlu_status tlu_function_realise(const tlu_function *function,
                                        const tlu_realise_settings *settings,
                                        tlu_realisation **realisation, tlu_error *error);
TLU_API void tlu_realisation_free(tlu_realisation *realisation);

/* ---- Grade 2: how many threshold functions there are -------------------------------------------

       tlu_enumeration_settings four = {.size = sizeof four, .inputs = 4};
       if (tlu_enumeration_run(&four, &counted, &error) == TLU_OK)
           printf("%llu of %s\n", (unsigned long long)counted.threshold, counted.functions);
*/

/* Called now and then: classes so far, about which share of the work is done (0: not known), and
   seconds. */
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
    size_t size;           /* sizeof(tlu_enumeration) */
    uint64_t threshold;    /* functions of so many inputs that one threshold unit computes */
    uint64_t classes;      /* of these, if permuting and negating inputs makes no difference */
    uint64_t dual_classes; /* of the self-dual ones of one input more, from which they come */
    char functions[160];   /* all functions, 2^(2^inputs), in decimal */
    char bound[32];        /* 2^(inputs^2), which `threshold` is within from two inputs on */
} tlu_enumeration;

/* Counts by going through all classes; no number is stored. */
TLU_API tlu_status tlu_enumeration_run(const tlu_enumeration_settings *settings,
                                       tlu_enumeration *count, tlu_error *error);

/* ---- Grade 2: a model as threshold units -------------------------------------------------------

       tlu_units units = {.size = sizeof units, .bits = 8};
       tlu_quantize(model, NULL, &units, &network, &error);
       tlu_network_write(network, "verilog", write_bytes, stdout, &error);
*/

typedef struct tlu_units {
    size_t size;      /* sizeof(tlu_units) */
    const char *data; /* rows to choose the rounding by and to check it with; NULL: none */
    uint32_t bits; /* of a weight, its sign included, 2 to 40; 0: the least with which all rows get
                      the label that the model gives them, or without rows as many as it takes to
                      have the weights exactly */
    /* Filled in. */
    uint32_t bits_used; /* of the weights of inputs */
    int exact;          /* no weight was rounded */
    uint64_t rows;
    uint64_t differences; /* rows for which network and model say something else */
} tlu_units;

/* A model whose features are 0 or 1 as a network with whole weights. Its inputs are the features.
   Of two classes, the output says whether it is the positive one; of several there is an output per
   class, and one of them is 1. Refused are models without weights (kernels, votes), those that
   scale each row in its own way, and rows with other values than 0 and 1. The options are those of
   tlu_reader_open. */
TLU_API tlu_status tlu_quantize(const tlu_model *model, const tlu_options *options,
                                tlu_units *units, tlu_network **network, tlu_error *error);

/* ---- Grade 2: finite automata as networks of threshold units and delays ------------------------

       tlu_automaton_from_regex("a(b|c)*", &automaton, &error);
       tlu_network_from_automaton(automaton, NULL, NULL, &network, &error);
       tlu_equivalence_check(automaton, network, &walk, &error);
*/

/* A deterministic, complete, minimal automaton. It either accepts strings of letters or, made from
   a KISS2 file, is a Mealy machine, which shows outputs at each step. */
typedef struct tlu_automaton tlu_automaton;

/* An expression in the extended syntax of POSIX (docs/automaton-format.md) about whole strings. Its
   letters are characters of UTF-8, and "other" is any that it does not mention. */
TLU_API tlu_status tlu_automaton_from_regex(const char *expression, tlu_automaton **automaton,
                                            tlu_error *error);
/* A file in the notation "table" (transitions, docs/automaton-format.md) or "kiss2"; "-" is
   standard input. */
TLU_API tlu_status tlu_automaton_load(const char *path, const char *notation,
                                      tlu_automaton **automaton, tlu_error *error);
/* The same in memory; `name` is for messages. */
TLU_API tlu_status tlu_automaton_parse(const char *text, size_t size, const char *name,
                                       const char *notation, tlu_automaton **automaton,
                                       tlu_error *error);
TLU_API void tlu_automaton_free(tlu_automaton *automaton);

typedef struct tlu_automaton_facts {
    const char *notation; /* "regex", "table" or "kiss2" */
    size_t states_given;  /* of the expression's nondeterministic automaton, or of the file */
    size_t states_deterministic; /* that can be reached */
    size_t states, letters;      /* of the minimal automaton; it starts in state 0 */
    size_t inputs, outputs;      /* of a Mealy machine; 0: it accepts strings */
    size_t completed;            /* of a Mealy machine, as it is written: pairs of a state and a
                                    letter whose next state is not said: it stays as it is */
} tlu_automaton_facts;

TLU_API const tlu_automaton_facts *tlu_automaton_get_facts(const tlu_automaton *automaton);
/* Names: of a state "q0" or as in the file, of a letter "a", "[0-9]", "other", a word, or "0-1" for
   inputs of a Mealy machine. NULL past the end. */
TLU_API const char *tlu_automaton_state_name(const tlu_automaton *automaton, size_t state);
TLU_API const char *tlu_automaton_letter_name(const tlu_automaton *automaton, size_t letter);
/* The next state; TLU_NONE if there is no such state or letter. */
TLU_API size_t tlu_automaton_next(const tlu_automaton *automaton, size_t state, size_t letter);
TLU_API int tlu_automaton_is_accepting(const tlu_automaton *automaton, size_t state);
/* The outputs of a Mealy machine in this step, as "010"; NULL if it accepts strings. */
TLU_API const char *tlu_automaton_outputs(const tlu_automaton *automaton, size_t state,
                                          size_t letter);

/* A network that does the same. `encoding` is how delays hold the state: "onehot", a delay per
   state but for one from which nothing is accepted any more; "binary"; NULL: the one with fewer
   units. `letters` is how inputs hold the letter: "onehot", an input per letter of which one is 1
   in each step, or "binary", numbers of letters, the highest bit first; NULL: onehot. The inputs of
   a Mealy machine are its own. The output "accept" tells at each step whether the letters before it
   are accepted: it looks at the delays alone. Free with tlu_network_free. */
TLU_API tlu_status tlu_network_from_automaton(const tlu_automaton *automaton, const char *encoding,
                                              const char *letters, tlu_network **network,
                                              tlu_error *error);

/* What comes of walking through all pairs of a state of the automaton and a state of the delays
   that can be reached together, by all letters. */
typedef struct tlu_equivalence {
    int equal; /* network and automaton do the same for all strings */
    uint64_t pairs, letters;
    /* If they differ: one of the shortest strings that tell them apart. */
    size_t length;
    const size_t *word;      /* [length] its letters */
    const char *text;        /* the same, as text */
    const char *output;      /* the output that differs */
    int expected;            /* by the automaton; the network has the other value */
    const char *with_letter; /* the letter with which "accept" differs; NULL: with none at all */
} tlu_equivalence;

/* Inputs and outputs of the network are found by their names. TLU_ERROR_INPUT if they are not
   those of the automaton, or if more than a million pairs can be reached. */
TLU_API tlu_status tlu_equivalence_check(const tlu_automaton *automaton, const tlu_network *network,
                                         tlu_equivalence **walk, tlu_error *error);
/* The delays when the automaton was first met in this state, as "010"; NULL: it was not. The text
   stays until the next call. */
TLU_API const char *tlu_equivalence_delays(tlu_equivalence *walk, size_t state);
TLU_API void tlu_equivalence_free(tlu_equivalence *walk);

/* ---- Grade 2: feeding strings to a network -----------------------------------------------------

       tlu_automaton_run_new(automaton, network, &feeding, &error);
       tlu_automaton_run_feed(feeding, "abc", 3, &used);
       printf("%s\n", tlu_automaton_run_get_state(feeding)->state);
*/

/* A network that reads letters, as those of tlu_network_from_automaton do. */
typedef struct tlu_automaton_run tlu_automaton_run;

typedef struct tlu_automaton_run_state {
    uint64_t letters;    /* fed so far */
    const char *letter;  /* the last one, by its name; NULL: there was none, or it is no letter */
    int strayed;         /* something was fed that is no letter: nothing is accepted any more */
    int accepted;        /* by the network; -1: it has no output "accept" */
    const char *delays;  /* "010": the signals of the delays, in their order */
    const char *outputs; /* "01": the outputs of the last step; "" before the first */
    const char *state;   /* of the automaton, if it was given; else NULL */
} tlu_automaton_run_state;

/* Without an automaton (NULL) the names of the inputs say what letters they are. Both must live as
   long as the run. */
TLU_API tlu_status tlu_automaton_run_new(const tlu_automaton *automaton, const tlu_network *network,
                                         tlu_automaton_run **run, tlu_error *error);
TLU_API void tlu_automaton_run_reset(tlu_automaton_run *run);
/* One letter: *used of the bytes are it, with the blanks around it if letters are words; 0: there
   was none any more. What is no letter is used up too, and the run has strayed. */
TLU_API void tlu_automaton_run_feed(tlu_automaton_run *run, const char *text, size_t size,
                                    size_t *used);
/* It stays as it is until the next call. */
TLU_API const tlu_automaton_run_state *tlu_automaton_run_get_state(tlu_automaton_run *run);
TLU_API void tlu_automaton_run_free(tlu_automaton_run *run);

#ifdef __cplusplus
}
#endif

#endif
