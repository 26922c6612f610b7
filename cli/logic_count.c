// tlu logic count: how many Boolean functions one threshold unit can compute.
#include "cli.h"
#include "progress.h"
#include "tlu_logic.h"

static const tlu_option_info options[] = {
    COUNT_OPTION("threads", "N", "0", 0, 1024, "threads that count; 0: one per core"),
    FLAG_OPTION("json", "print the numbers as JSON; those from 2^53 on as text"),
    FLAG_OPTION("quiet", "print only the number of threshold functions, and no progress"),
};

static tlu_status parse_inputs(const char *text, unsigned *inputs, tlu_error *error)
{
    char *end;
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 6 || text[digits])
        return fail_input(error, "N is the number of inputs, a whole number from 0 to 9, not '%s'",
                          text_clip(text, 40));
    *inputs = (unsigned)strtoul(text, &end, 10);
    return TLU_OK;
}

static int show_progress(void *context, uint64_t classes, double done, double seconds)
{
    char stage[128], left[48] = "";
    if (done > 0.01)
        snprintf(left, sizeof left, ", about %.0f s left", seconds * (1 - done) / done + 0.5);
    snprintf(stage, sizeof stage, "%s%s", count_text(classes, "class"), left);
    return proof_progress_show(context, stage, seconds);
}

// Many JSON readers lose digits of numbers from 2^53 on.
static void json_decimal(struct json *json, const char *key, const char *digits)
{
    double value = strtod(digits, NULL);
    if (value < COUNT_MAX)
        json_count(json, key, strtoull(digits, NULL, 10));
    else
        json_text(json, key, digits);
}

static void print_json(unsigned inputs, const tlu_enumeration *count)
{
    char digits[32];
    struct json json = {.file = stdout};
    json_object(&json, NULL);
    json_count(&json, "inputs", inputs);
    json_decimal(&json, "functions", count->functions);
    snprintf(digits, sizeof digits, "%llu", ULL(count->threshold_functions));
    json_decimal(&json, "threshold", digits);
    json_decimal(&json, "bound", count->bound);
    json_count(&json, "classes", count->classes);
    json_count(&json, "self_dual_classes", count->dual_classes);
    json_end(&json);
}

static void print_text(unsigned inputs, const tlu_enumeration *count)
{
    double part = (double)count->threshold_functions / strtod(count->functions, NULL);
    printf("functions  %s = 2^(2^%u)\n", count->functions, inputs);
    printf("threshold  %llu, a share of %s\n", ULL(count->threshold_functions), brief_text(part));
    printf("bound      %s = 2^(%u^2)%s\n", count->bound, inputs,
           inputs < 2 ? ", which holds from two inputs on" : "");
    printf("classes    %llu under permuting and negating inputs\n", ULL(count->classes));
    printf("           they come from %s of self-dual functions of %s\n",
           count_text(count->dual_classes, "class"), count_text(inputs + 1, "input"));
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    bool json = arguments_flag(arguments, "json"), quiet = arguments_flag(arguments, "quiet");
    struct proof_progress progress;
    tlu_enumeration *count;
    tlu_enumeration_settings settings = {.size = sizeof settings,
                                         .threads = (size_t)arguments_count(arguments, "threads"),
                                         .progress = show_progress,
                                         .progress_context = &progress};
    TRY(parse_inputs(arguments->positional[0], &settings.inputs, error));
    proof_progress_begin(&progress, !json && !quiet);
    tlu_status status = tlu_enumeration_run(&settings, &count, error);
    proof_progress_end(&progress);
    if (status != TLU_OK)
        return status;
    if (json)
        print_json(settings.inputs, count);
    else if (quiet)
        printf("%llu\n", ULL(count->threshold_functions));
    else
        print_text(settings.inputs, count);
    tlu_enumeration_free(count);
    return TLU_OK;
}

const struct verb logic_count_verb = {
    .name = "logic-count",
    .summary = "count the Boolean functions that one threshold unit computes",
    .description =
        "Counts the Boolean functions of N inputs, out of all 2^(2^N), that are threshold "
        "functions: those that a single unit computes, by firing if a weighted sum of its inputs "
        "reaches a threshold. The number is computed by enumerating their classes under "
        "permutation and negation of inputs; none is stored. Up to 8 inputs take seconds, 9 "
        "inputs, with 53 million classes, many minutes. Ctrl-C ends it.",
    .arguments = {{"N", "0|1|2|3|4|5|6|7|8|9", .help = "the number of inputs"}, {0}},
    OPTIONS(options),
    .examples = {"tlu logic count 4", "tlu logic count 7 --json"},
    .run = run,
};
