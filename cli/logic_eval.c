// tlu logic eval: the truth table of a network, its outputs for rows, itself in another language.
#include "cli.h"
#include "input.h"
#include "networks.h"
#include "tlu_logic.h"

static const tlu_option_info options[] = {
    CHOICE_OPTION("as", "LANGUAGE", "", LANGUAGES,
                  "write the network in this language, and nothing else"),
    TEXT_OPTION("output", "FILE", "where --as writes; without it, standard output"),
    TEXT_OPTION(
        "against", "NET2",
        "compare with this network on every input; exit code 1 and the first difference, if "
        "there is one"),
    FLAG_OPTION("json", "print JSON: of a truth table one object, of rows one per line"),
};

// ---- the truth table

static void put_cell(const char *name, unsigned char value)
{
    text_write_column(stdout, value ? "1" : "0", -(int)text_width(name));
}

static void print_heads(const struct network_player *player)
{
    for (size_t i = 0; i < player->inputs; i++)
        printf("%s ", tlu_network_input_name(player->network, i));
    putchar('|');
    for (size_t i = 0; i < player->outputs; i++)
        printf(" %s", tlu_network_output_name(player->network, i));
    putchar('\n');
}

static void print_row(const struct network_player *player)
{
    for (size_t i = 0; i < player->inputs; i++) {
        put_cell(tlu_network_input_name(player->network, i), player->in[i]);
        putchar(' ');
    }
    putchar('|');
    for (size_t i = 0; i < player->outputs; i++) {
        putchar(' ');
        put_cell(tlu_network_output_name(player->network, i), player->out[i]);
    }
    putchar('\n');
}

// Writes the bits as text.
static const char *bits_text(char *out, const unsigned char *bits, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = bits[i] ? '1' : '0';
    out[count] = '\0';
    return out;
}

static void json_bits(struct json *json, const struct network_player *player)
{
    size_t most = player->inputs > player->outputs ? player->inputs : player->outputs;
    char *out = need(malloc(most + 1));
    json_text(json, "inputs", bits_text(out, player->in, player->inputs));
    json_text(json, "outputs", bits_text(out, player->out, player->outputs));
    free(out);
}

static void json_names(struct json *json, const char *key, const struct network_player *player,
                       const char *(*name)(const tlu_network *, size_t))
{
    json_array(json, key);
    for (size_t i = 0; name(player->network, i); i++)
        json_text(json, NULL, name(player->network, i));
    json_end(json);
}

static tlu_status print_table(struct network_player *player, bool as_json, tlu_error *error)
{
    struct json json = {.file = stdout};
    TRY(player_needs_table(player, error));
    if (as_json) {
        json_object(&json, NULL);
        json_names(&json, "inputs", player, tlu_network_input_name);
        json_names(&json, "outputs", player, tlu_network_output_name);
        json_array(&json, "rows");
    } else {
        print_heads(player);
    }
    for (uint64_t row = 0; row < (uint64_t)1 << player->inputs; row++) {
        player_set(player, row);
        player_step(player);
        if (as_json) {
            json_object(&json, NULL);
            json_bits(&json, player);
            json_end(&json);
        } else {
            print_row(player);
        }
    }
    if (as_json) {
        json_end(&json);
        json_end(&json);
    }
    return TLU_OK;
}

// ---- rows

static void print_outputs(const struct network_player *player, uint64_t row, bool as_json)
{
    if (as_json) {
        struct json json = {.file = stdout};
        json_object(&json, NULL);
        json_count(&json, "row", row);
        json_bits(&json, player);
        json_end(&json);
        return;
    }
    for (size_t i = 0; i < player->outputs; i++)
        putchar(player->out[i] ? '1' : '0');
    putchar('\n');
}

static tlu_status take_row(struct network_player *player, const char *text, uint64_t row,
                           bool as_json, tlu_error *error)
{
    tlu_error why;
    tlu_status status = player_parse(player, text, &why);
    if (status != TLU_OK)
        return fail(error, status, "row %llu: %s", ULL(row), why.text);
    player_step(player);
    print_outputs(player, row, as_json);
    return TLU_OK;
}

// Separated by commas.
static tlu_status take_given(struct network_player *player, const char *rows, bool as_json,
                             tlu_error *error)
{
    char *copy = need(strdup(rows)), *rest = copy;
    tlu_status status = TLU_OK;
    uint64_t count = 0;
    for (char *row; status == TLU_OK && (row = strsep(&rest, ","));)
        status = take_row(player, row, ++count, as_json, error);
    free(copy);
    return status;
}

// One per line. An empty line takes a network with delays back to its start.
static tlu_status take_input(struct network_player *player, bool as_json, tlu_error *error)
{
    struct input_line line = {0};
    bool found = true;
    uint64_t count = 0;
    tlu_status status = TLU_OK;
    struct output output = {.file = stdout};
    while (status == TLU_OK && !ferror(stdout) &&
           (status = input_next(&line, &found, error)) == TLU_OK && found) {
        size_t length = line.size;
        count++;
        while (length > 0 && (line.text[length - 1] == '\n' || line.text[length - 1] == '\r'))
            line.text[--length] = '\0';
        if (length == 0 && player->inputs)
            tlu_network_run_reset(player->run);
        else
            status = take_row(player, line.text, count, as_json, error);
        if (status == TLU_OK && tlu_network_delay_count(player->network))
            status = output_flush(&output, error); // the next input may depend on it
    }
    free(line.text);
    return status;
}

// ---- two networks

// other[i] is the place in `names` of the i-th name of the other network; by order if there is one.
static tlu_status match_names(const struct network_player *one, const struct network_player *two,
                              bool inputs, size_t *other, tlu_error *error)
{
    const char *(*name)(const tlu_network *, size_t) =
        inputs ? tlu_network_input_name : tlu_network_output_name;
    const char *kind = inputs ? "input" : "output";
    size_t count = inputs ? one->inputs : one->outputs;
    if (count != (inputs ? two->inputs : two->outputs))
        return fail_input(error, "the networks have %zu and %zu %ss", count,
                          inputs ? two->inputs : two->outputs, kind);
    for (size_t i = 0; i < count; i++) {
        const char *wanted = name(two->network, i);
        other[i] = 0;
        while (other[i] < count && strcmp(name(one->network, other[i]), wanted) != 0)
            other[i]++;
        if (other[i] == count && count == 1 && !inputs)
            other[i] = 0; // one output each: whatever it is called
        else if (other[i] == count)
            return fail_input(error, "only one of the networks has an %s '%s'", kind,
                              text_clip(wanted, 60));
    }
    return TLU_OK;
}

static bool agree(struct network_player *one, struct network_player *two, uint64_t row,
                  const size_t *inputs, const size_t *outputs)
{
    bool same = true;
    player_set(one, row);
    for (size_t i = 0; i < one->inputs; i++)
        two->in[i] = one->in[inputs[i]];
    player_step(one);
    player_step(two);
    for (size_t i = 0; i < one->outputs; i++)
        same = same && two->out[i] == one->out[outputs[i]];
    return same;
}

static void print_difference(const struct network_player *one, const struct network_player *two,
                             const size_t *outputs)
{
    printf("different for");
    for (size_t i = 0; i < one->inputs; i++)
        printf(" %s=%d", tlu_network_input_name(one->network, i), one->in[i]);
    putchar(':');
    for (size_t i = 0; i < one->outputs; i++)
        if (two->out[i] != one->out[outputs[i]])
            printf(" %s is %d and %d", tlu_network_output_name(one->network, outputs[i]),
                   one->out[outputs[i]], two->out[i]);
    putchar('\n');
}

static void report_comparison(const struct network_player *one, const struct network_player *two,
                              bool same, const size_t *outputs, bool as_json)
{
    if (as_json) {
        struct json json = {.file = stdout};
        json_object(&json, NULL);
        json_bool(&json, "same", same);
        if (!same)
            json_bits(&json, one);
        json_end(&json);
    } else if (same) {
        printf("the same for %s\n", count_text((uint64_t)1 << one->inputs, "input row"));
    } else {
        print_difference(one, two, outputs);
    }
    verb_answer = same ? ANSWER_YES : ANSWER_NO;
}

static tlu_status compare_rows(struct network_player *one, struct network_player *two,
                               size_t *inputs, size_t *outputs, bool as_json, tlu_error *error)
{
    TRY(player_needs_table(one, error));
    TRY(player_needs_table(two, error));
    TRY(match_names(one, two, true, inputs, error));
    TRY(match_names(one, two, false, outputs, error));
    uint64_t row = 0, rows = (uint64_t)1 << one->inputs;
    while (row < rows && agree(one, two, row, inputs, outputs))
        row++;
    report_comparison(one, two, row == rows, outputs, as_json);
    return TLU_OK;
}

static tlu_status compare(struct network_player *one, const char *path, bool as_json,
                          tlu_error *error)
{
    struct network_player two;
    size_t *inputs = need(calloc(one->inputs + 1, sizeof *inputs));
    size_t *outputs = need(calloc(one->outputs + 1, sizeof *outputs));
    tlu_status status = player_open(&two, path, error);
    if (status == TLU_OK)
        status = compare_rows(one, &two, inputs, outputs, as_json, error);
    player_close(&two);
    free(inputs);
    free(outputs);
    return status;
}

// ---- the verb

static tlu_status check_arguments(const struct arguments *arguments, tlu_error *error)
{
    bool rows = arguments->positional_count > 1;
    const char *against = arguments_text(arguments, "against");
    if (rows && (arguments_given(arguments, "as") || against))
        return fail_input(error, "--%s takes no rows; remove them", against ? "against" : "as");
    if (against && arguments_given(arguments, "as"))
        return fail_input(error, "--as and --against cannot be combined; choose one");
    if (arguments_given(arguments, "output") && !arguments_given(arguments, "as"))
        return fail_input(error, "--output needs --as LANGUAGE; add it");
    if (against && strcmp(against, "-") == 0 && strcmp(arguments->positional[0], "-") == 0)
        return fail_input(
            error, "NET and NET2 cannot both be standard input (-); name a file for one of them");
    return TLU_OK;
}

static tlu_status work(const struct arguments *arguments, struct network_player *player,
                       tlu_error *error)
{
    bool as_json = arguments_flag(arguments, "json");
    const char *language = arguments_text(arguments, "as");
    const char *against = arguments_text(arguments, "against");
    const char *rows = arguments->positional_count > 1 ? arguments->positional[1] : NULL;
    if (language)
        return network_print(player->network, language, arguments_text(arguments, "output"), error);
    if (against)
        return compare(player, against, as_json, error);
    if (!rows)
        return print_table(player, as_json, error);
    return strcmp(rows, "-") == 0 ? take_input(player, as_json, error)
                                  : take_given(player, rows, as_json, error);
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    struct network_player player = {0};
    const char *path = arguments->positional[0];
    TRY(check_arguments(arguments, error));
    TRY(refuse_overwriting(arguments_text(arguments, "output"), path, error));
    tlu_status status = player_open(&player, path, error);
    if (status == TLU_OK)
        status = work(arguments, &player, error);
    player_close(&player);
    return status;
}

const struct verb logic_eval_verb = {
    .name = "logic-eval",
    .summary = "run a network of threshold units, or write it in another language",
    .description =
        "Prints the truth table of a network of threshold units, or its outputs for ROWS. NET is "
        "in the text or the JSON form (docs/network-format.md); a Boolean function becomes one by "
        "tlu logic, an automaton too, a trained model by tlu logic from. A row has a 0 or 1 per "
        "input, or names: 'a=1 c=1', the others are 0. A network with delays takes one row per "
        "step. --as writes a drawing for Graphviz, a C function or a Verilog module.",
    .arguments = {{"NET", NULL, .help = "a network; - is standard input"},
                  {"ROWS", NULL,
                   .help =
                       "rows, separated by commas; - reads them from standard input, one per line",
                   true},
                  {0}},
    OPTIONS(options),
    .examples = {"printf 'inputs a b\\nunit u = a + b >= 2\\noutput both = u\\n' >and.net",
                 "tlu logic eval and.net", "tlu logic eval and.net 11,10",
                 "tlu logic eval and.net 'b=1 a=1'", "tlu logic eval and.net --as c -o and.c",
                 "tlu logic eval and.net --as verilog"},
    .run = run,
};
