// tlu logic from: a trained model as threshold units with whole weights.
#include "cli.h"
#include "networks.h"
#include "reading.h"
#include "tlu_logic.h"

static const tlu_option_info options[] = {
    COUNT_OPTION(
        "bits", "N", "", 2, 40,
        "round weights to whole numbers of N bits, the sign included; without it, the least "
        "number with which every row of DATA keeps its label, or without DATA the exact weights"),
    CHOICE_OPTION("as", "LANGUAGE", "text", LANGUAGES, "write the network in this language"),
    TEXT_OPTION("output", "FILE", "where it goes; without it, standard output"),
    FLAG_OPTION("json", "print what was done as a JSON object; the network goes to --output alone"),
    FLAG_OPTION("quiet", "print no report and no notes"),
};

static void print_json(const tlu_quantization *made)
{
    struct json json = {.file = stdout};
    json_object(&json, NULL);
    json_count(&json, "inputs", tlu_network_input_count(made->network));
    json_count(&json, "units", tlu_network_unit_count(made->network));
    json_count(&json, "outputs", tlu_network_output_count(made->network));
    json_count(&json, "bits", made->bits);
    json_bool(&json, "exact", made->exact);
    json_count(&json, "rows", made->rows);
    json_count(&json, "differences", made->differences);
    json_end(&json);
}

static void print_summary(const tlu_quantization *made)
{
    fprintf(stderr, "%s of %s, weights of %u bits%s\n",
            count_text(tlu_network_unit_count(made->network), "unit"),
            count_text(tlu_network_input_count(made->network), "input"), (unsigned)made->bits,
            made->exact ? ", exactly those of the model" : "");
    if (!made->rows)
        fprintf(stderr, "not checked with data: DATA is rows to compare it with the model on\n");
    else if (!made->differences)
        fprintf(stderr, "says the same as the model about %s\n", count_text(made->rows, "row"));
    else
        fprintf(stderr, "says something else than the model about %llu of %s (%s)\n",
                ULL(made->differences), count_text(made->rows, "row"),
                percent_text((double)made->differences, (double)made->rows));
}

static tlu_status write_result(const struct arguments *arguments, const tlu_quantization *made,
                               tlu_error *error)
{
    bool json = arguments_flag(arguments, "json");
    const char *output = arguments_text(arguments, "output");
    tlu_status status = TLU_OK;
    if (!json || output)
        status = network_print(made->network, arguments_text(arguments, "as"), output, error);
    if (status == TLU_OK && json)
        print_json(made);
    else if (status == TLU_OK && !arguments_flag(arguments, "quiet"))
        print_summary(made);
    return status;
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    const char *data = arguments->positional_count > 1 ? arguments->positional[1] : NULL;
    const char *output = arguments_text(arguments, "output");
    tlu_quantize_settings settings = {.size = sizeof settings,
                                      .path = data,
                                      .bits = (uint32_t)arguments_count(arguments, "bits")};
    tlu_model *model = NULL;
    tlu_quantization *made = NULL;
    TRY(refuse_overwriting(output, arguments->positional[0], error));
    if (data)
        TRY(refuse_overwriting(output, data, error));
    tlu_status status = tlu_model_load(arguments->positional[0], &model, error);
    if (status == TLU_OK)
        status = tlu_quantize(model, &settings, arguments->library, &made, error);
    if (status == TLU_OK)
        status = write_result(arguments, made, error);
    tlu_quantization_free(made);
    tlu_model_free(model);
    return status;
}

const struct verb logic_from_verb = {
    .name = "logic-from",
    .summary = "turn a trained model into threshold units with whole weights",
    .description =
        "Turns a model whose features are 0 or 1 into a network of threshold units with whole "
        "weights, for a microcontroller or a circuit: C, Verilog, or the text that tlu logic eval "
        "reads. Two classes become one unit, which fires for the positive one. Several become "
        "comparisons of each two classes and a unit per class, of which one fires. The scale of "
        "the weights is the one with which the fewest rows of DATA get another label than by the "
        "model, and these are counted. Models with a kernel or a vote, and those that scale each "
        "row in its own way, do not become units.",
    .arguments = {{"MODEL", NULL, .help = "a model that tlu train or tlu stream made"},
                  {"DATA", NULL, .help = "rows of 0 and 1 to check with; - is standard input",
                   true},
                  {0}},
    .groups = "reading",
    .common = "bits as output",
    OPTIONS(options),
    .examples = {"tlu train data/weather.csv -o weather.tlu",
                 "tlu logic from weather.tlu data/weather.csv",
                 "tlu logic from weather.tlu data/weather.csv --bits 3 --as c -o weather.c",
                 "tlu logic from weather.tlu --as verilog"},
    .run = run,
};
