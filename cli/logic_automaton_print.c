// An automaton, the network that does the same, and the proof of it.
#include "json.h"
#include "logic.h"
#include "text.h"
#include "tlu_logic.h"

#include <stdlib.h>
#include <string.h>

#define STATES_SHOWN 40 // of a table
#define WIDTH_MAX 100   // likewise
#define NAME_WIDTH 24   // of a column
#define DELAYS_SHOWN 32

static const char *shown(char out[NAME_WIDTH * 4 + 4], const char *name)
{
    return text_show(out, NAME_WIDTH * 4 + 4, name, NAME_WIDTH);
}

// ---- the table: a row per state, a column per letter or group of letters that do the same

struct columns {
    size_t count;
    size_t *first;  // [count] the letter that a column stands for
    char **heading; // [count]
    int *width;     // [count]
    int state_width, whole;
};

static bool same_column(const tlu_automaton *automaton, size_t a, size_t b)
{
    for (size_t i = 0; i < tlu_automaton_get_facts(automaton)->states; i++) {
        const char *x = tlu_automaton_outputs(automaton, i, a);
        const char *y = tlu_automaton_outputs(automaton, i, b);
        if (tlu_automaton_next(automaton, i, a) != tlu_automaton_next(automaton, i, b) ||
            (x && strcmp(x, y) != 0))
            return false;
    }
    return true;
}

// "b c", or "0-1 11-"
static char *add_heading(char *heading, const char *letter)
{
    char name[NAME_WIDTH * 4 + 4];
    size_t before = heading ? strlen(heading) : 0;
    shown(name, strcmp(letter, " ") == 0 ? "blank" : letter);
    heading = need(realloc(heading, before + strlen(name) + 2));
    sprintf(heading + before, "%s%s", before ? " " : "", name);
    return heading;
}

// "q1", or "q1/01" with outputs
static const char *cell_text(char out[NAME_WIDTH * 4 + 300], const tlu_automaton *automaton,
                             size_t state, size_t letter)
{
    char name[NAME_WIDTH * 4 + 4];
    const char *outputs = tlu_automaton_outputs(automaton, state, letter);
    shown(name, tlu_automaton_state_name(automaton, tlu_automaton_next(automaton, state, letter)));
    snprintf(out, NAME_WIDTH * 4 + 300, "%s%s%.*s", name, outputs ? "/" : "", WIDTH_MAX,
             outputs ? outputs : "");
    return out;
}

static void find_columns(struct columns *columns, const tlu_automaton *automaton)
{
    const tlu_automaton_facts *facts = tlu_automaton_get_facts(automaton);
    columns->first = need(calloc(facts->letters + 1, sizeof *columns->first));
    columns->heading = need(calloc(facts->letters + 1, sizeof *columns->heading));
    columns->width = need(calloc(facts->letters + 1, sizeof *columns->width));
    for (size_t letter = 0; letter < facts->letters; letter++) {
        size_t at = 0;
        while (at < columns->count && !same_column(automaton, columns->first[at], letter))
            at++;
        if (at == columns->count)
            columns->first[columns->count++] = letter;
        columns->heading[at] =
            add_heading(columns->heading[at], tlu_automaton_letter_name(automaton, letter));
    }
}

static void find_widths(struct columns *columns, const tlu_automaton *automaton)
{
    char text[NAME_WIDTH * 4 + 300];
    size_t states = tlu_automaton_get_facts(automaton)->states;
    columns->state_width = 5;
    for (size_t i = 0; i < states; i++) {
        int width = (int)text_width(shown(text, tlu_automaton_state_name(automaton, i)));
        columns->state_width = width > columns->state_width ? width : columns->state_width;
    }
    columns->whole = columns->state_width;
    for (size_t c = 0; c < columns->count; c++) {
        columns->width[c] = (int)text_width(columns->heading[c]);
        for (size_t i = 0; i < states; i++) {
            int width = (int)text_width(cell_text(text, automaton, i, columns->first[c]));
            columns->width[c] = width > columns->width[c] ? width : columns->width[c];
        }
        columns->whole += columns->width[c] + 2;
    }
}

static void columns_free(struct columns *columns)
{
    for (size_t i = 0; i < columns->count; i++)
        free(columns->heading[i]);
    free(columns->first);
    free(columns->heading);
    free(columns->width);
}

static void print_cell(const char *text, int width)
{
    printf("  ");
    text_write_column(stdout, text, width);
}

static void print_columns(const struct columns *columns, const tlu_automaton *automaton,
                          tlu_equivalence *walk)
{
    const tlu_automaton_facts *facts = tlu_automaton_get_facts(automaton);
    char text[NAME_WIDTH * 4 + 300];
    text_write_column(stdout, "state", columns->state_width);
    for (size_t c = 0; c < columns->count; c++)
        print_cell(columns->heading[c], columns->width[c]);
    printf("%s  delays\n", facts->outputs ? "" : "  accept");
    for (size_t i = 0; i < facts->states; i++) {
        const char *delays = tlu_equivalence_delays(walk, i);
        text_write_column(stdout, shown(text, tlu_automaton_state_name(automaton, i)),
                          columns->state_width);
        for (size_t c = 0; c < columns->count; c++)
            print_cell(cell_text(text, automaton, i, columns->first[c]), columns->width[c]);
        if (!facts->outputs)
            print_cell(tlu_automaton_is_accepting(automaton, i) ? "yes" : "no", 6);
        printf("  %s\n", delays && strlen(delays) <= DELAYS_SHOWN ? delays : "");
    }
    printf("\n");
}

static void print_table(const tlu_automaton *automaton, tlu_equivalence *walk)
{
    const tlu_automaton_facts *facts = tlu_automaton_get_facts(automaton);
    struct columns columns = {0};
    if (facts->states <= STATES_SHOWN && facts->letters <= 1024) {
        find_columns(&columns, automaton);
        find_widths(&columns, automaton);
    }
    if (columns.first && columns.whole <= WIDTH_MAX)
        print_columns(&columns, automaton, walk);
    else
        printf("table      too large to be printed (--json has it)\n");
    columns_free(&columns);
}

// ---- the rest

// "letters    a b other"
static void print_names(const char *title, const char *const *names, size_t count,
                        const char *after)
{
    char name[NAME_WIDTH * 4 + 4];
    size_t column = 11;
    printf("%-11s", title);
    for (size_t i = 0; i < count; i++) {
        shown(name, names[i]);
        if (column + text_width(name) > 78) {
            printf("\n%11s", "");
            column = 11;
        }
        column += text_width(name) + 1;
        printf("%s%s", name, i + 1 < count ? " " : "");
    }
    printf("%s\n", after);
}

static void print_lines(const tlu_automaton *automaton, const tlu_network *network)
{
    const tlu_automaton_facts *facts = tlu_automaton_get_facts(automaton);
    size_t inputs = tlu_network_input_count(network), outputs = tlu_network_output_count(network);
    size_t most = inputs > outputs ? inputs : outputs;
    const char **names =
        need(calloc((most > facts->letters ? most : facts->letters) + 1, sizeof *names));
    if (!facts->outputs) {
        for (size_t i = 0; i < facts->letters; i++)
            names[i] = tlu_automaton_letter_name(automaton, i);
        bool regex = strcmp(facts->notation, "regex") == 0;
        print_names("letters", names, facts->letters, regex ? " (any other character)" : "");
    } else {
        for (size_t i = 0; i < inputs; i++)
            names[i] = tlu_network_input_name(network, i);
        print_names("inputs", names, inputs, "");
        for (size_t i = 0; i < outputs; i++)
            names[i] = tlu_network_output_name(network, i);
        print_names("outputs", names, outputs, "");
    }
    free(names);
}

static void print_facts(const tlu_automaton *automaton, const tlu_network *network)
{
    const tlu_automaton_facts *facts = tlu_automaton_get_facts(automaton);
    bool regex = strcmp(facts->notation, "regex") == 0;
    printf("states     %zu %s, %zu %s, %zu minimal\n", facts->states_given,
           regex ? "of the expression" : "in the file", facts->states_deterministic,
           facts->outputs ? "can be reached" : "made deterministic", facts->states);
    if (facts->completed)
        printf(
            "completed  %zu pairs of a state and inputs have no next state in the file: it stays "
            "as it is\n",
            facts->completed);
    print_lines(automaton, network);
    printf("\n");
}

// The states in which the delay is 1.
static void print_delay(const tlu_automaton *automaton, const tlu_network *network,
                        tlu_equivalence *walk, size_t delay)
{
    char name[NAME_WIDTH * 4 + 4];
    const char *start = tlu_equivalence_delays(walk, 0);
    bool first = start && start[delay] == '1';
    size_t states = tlu_automaton_get_facts(automaton)->states, count = 0;
    printf("%s%s%s: 1 in", delay ? "           " : "delays     ",
           shown(name, tlu_network_delay_name(network, delay)), first ? ", 1 at the start" : "");
    for (size_t i = 0; i < states; i++) {
        const char *delays = tlu_equivalence_delays(walk, i);
        if (!delays || delays[delay] != '1')
            continue;
        if (count++ < 12)
            printf(" %s", shown(name, tlu_automaton_state_name(automaton, i)));
    }
    printf("%s\n", count > 12 ? " and others" : count == 0 ? " no state" : "");
}

void automaton_print_verdict(const tlu_automaton *automaton, const tlu_equivalence *walk)
{
    char text[1300];
    if (walk->equal) {
        printf("equal: %llu pairs of a state and delays x %llu %s walked\n",
               (unsigned long long)walk->pairs, (unsigned long long)walk->letters,
               tlu_automaton_get_facts(automaton)->inputs ? "classes of inputs" : "letters");
        return;
    }
    text_show(text, sizeof text, walk->text, 300);
    printf("different: after '%s'", text);
    if (walk->with_letter)
        printf(" and while '%s' is read", text_show(text, sizeof text, walk->with_letter, 60));
    printf(" the output %s is %d and should be %d\n",
           text_show(text, sizeof text, walk->output, 60), !walk->expected, walk->expected);
}

static const char *units_text(char out[200], const tlu_network *network)
{
    char units[64], delays[64], inputs[64];
    snprintf(out, 200, "%s, %s, %s", count_text(units, tlu_network_unit_count(network), "unit"),
             count_text(delays, tlu_network_delay_count(network), "delay"),
             count_text(inputs, tlu_network_input_count(network), "input"));
    return out;
}

void automaton_print(const tlu_automaton *automaton, const tlu_network *network,
                     tlu_equivalence *walk)
{
    char text[200];
    size_t delays = tlu_network_delay_count(network);
    print_facts(automaton, network);
    print_table(automaton, walk);
    printf("network    %s\n", units_text(text, network));
    for (size_t i = 0; i < delays && delays <= DELAYS_SHOWN; i++)
        print_delay(automaton, network, walk, i);
    if (delays > DELAYS_SHOWN)
        printf("delays     too many to be printed (--json has them)\n");
    printf("proof      ");
    automaton_print_verdict(automaton, walk);
}

// ---- JSON

static void json_states(struct json *json, const tlu_automaton *automaton, tlu_equivalence *walk)
{
    const tlu_automaton_facts *facts = tlu_automaton_get_facts(automaton);
    json_array(json, "states");
    for (size_t i = 0; i < facts->states; i++) {
        json_object(json, NULL);
        json_text(json, "name", tlu_automaton_state_name(automaton, i));
        if (!facts->outputs)
            json_bool(json, "accept", tlu_automaton_is_accepting(automaton, i));
        json_text(json, "delays", tlu_equivalence_delays(walk, i));
        json_array(json, "next");
        for (size_t letter = 0; letter < facts->letters; letter++)
            json_count(json, NULL, tlu_automaton_next(automaton, i, letter));
        json_end(json);
        if (facts->outputs) {
            json_array(json, "outputs");
            for (size_t letter = 0; letter < facts->letters; letter++)
                json_text(json, NULL, tlu_automaton_outputs(automaton, i, letter));
            json_end(json);
        }
        json_end(json);
    }
    json_end(json);
}

static void json_proof(struct json *json, const tlu_equivalence *walk)
{
    json_object(json, "proof");
    json_bool(json, "equal", walk->equal);
    json_count(json, "pairs", walk->pairs);
    json_count(json, "letters", walk->letters);
    if (!walk->equal) {
        json_text(json, "string", walk->text);
        json_text(json, "with_letter", walk->with_letter);
        json_text(json, "output", walk->output);
        json_bool(json, "expected", walk->expected);
    }
    json_end(json);
}

void automaton_print_json(const tlu_automaton *automaton, const tlu_network *network,
                          tlu_equivalence *walk)
{
    const tlu_automaton_facts *facts = tlu_automaton_get_facts(automaton);
    struct json json = {.file = stdout};
    json_object(&json, NULL);
    json_text(&json, "notation", facts->notation);
    json_count(&json, "states_given", facts->states_given);
    json_count(&json, "states_deterministic", facts->states_deterministic);
    json_count(&json, "states_minimal", facts->states);
    if (facts->outputs)
        json_count(&json, "completed", facts->completed);
    json_array(&json, "letters");
    for (size_t i = 0; i < facts->letters; i++)
        json_text(&json, NULL, tlu_automaton_letter_name(automaton, i));
    json_end(&json);
    json_states(&json, automaton, walk);
    json_object(&json, "network");
    json_count(&json, "units", tlu_network_unit_count(network));
    json_count(&json, "delays", tlu_network_delay_count(network));
    json_count(&json, "inputs", tlu_network_input_count(network));
    json_count(&json, "outputs", tlu_network_output_count(network));
    json_end(&json);
    json_proof(&json, walk);
    json_end(&json);
}
