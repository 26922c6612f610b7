// tlu check: whether a proof holds.
#include "cli.h"
#include "input.h"
#include "tlu_proof.h"

static const tlu_option_info options[] = {
    FLAG_OPTION("json", "print the verdict as JSON"),
    FLAG_OPTION("quiet", "print nothing; the exit code tells"),
};

// Parts of the data that a proof leaves out; the verdict reports them.
struct left_out {
    bool bias;
    unsigned columns, labels;
};

static struct left_out find_left_out(const char *proof, size_t size)
{
    struct left_out out = {false, 0, 0};
    const char *end = proof + size;
    for (const char *at = proof, *next; at < end; at = next) {
        unsigned long number;
        int used = 0;
        char line[80] = ""; // as much of it as is looked at: the proof has no NUL at its end
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        next = newline ? newline + 1 : end;
        size_t length = (size_t)(next - at) < sizeof line ? (size_t)(next - at) : sizeof line - 1;
        memcpy(line, at, length);
        if (strncmp(line, "claim", 5) == 0)
            break;
        if (sscanf(line, "data csv %*u %*u %*c%n", &used) == 0 && used)
            for (const char *kind = at + used; kind < next; kind++)
                out.columns += *kind == 'i';
        if (sscanf(line, "question %*u %lu", &number) == 1)
            out.bias = number == 0;
        if (sscanf(line, "label %lu", &number) == 1)
            out.labels += number == 0;
    }
    return out;
}

static void print_left_out(const struct left_out *out)
{
    if (out->bias)
        printf(", without a bias");
    if (out->columns)
        printf(", %s left out", count_text(out->columns, "column"));
    if (out->labels)
        printf(", %s left out", count_text(out->labels, "label"));
}

static void print_json(const tlu_proof_report *verdict, const struct left_out *out)
{
    struct json json = json_open(stdout);
    json_bool(&json, "accepted", verdict->accepted);
    if (verdict->accepted) {
        JSON_MEMBERS(&json, verdict, claim, rows, classes);
        json_bool(&json, "bias", !out->bias);
        json_count(&json, "columns_left_out", out->columns);
        json_count(&json, "labels_left_out", out->labels);
        if (verdict->has_low)
            json_number(&json, "margin_low", verdict->margin_low);
        if (verdict->has_high)
            json_number(&json, "margin_high", verdict->margin_high);
        if (strcmp(verdict->claim, "mistakes") == 0) {
            json_count(&json, "least_mistakes", verdict->mistakes_min);
            json_count(&json, "most_mistakes", verdict->mistakes_max);
        }
    } else {
        json_text(&json, "file", verdict->in_data ? "data" : "proof");
        JSON_MEMBERS(&json, verdict, line, reason);
    }
    json_end(&json);
}

static void print_accepted(const tlu_proof_report *verdict, const struct left_out *out)
{
    static const char *const words[][2] = {{"separable", "separable"},
                                           {"not-separable", "not separable"},
                                           {"below", "not decided"},
                                           {"mistakes", "fewest mistakes of any hyperplane"},
                                           {NULL}};
    printf("accepted: %s", text_of_pair(words, verdict->claim, verdict->claim));
    if (strcmp(verdict->claim, "mistakes") == 0)
        printf(" from %llu to %llu", ULL(verdict->mistakes_min), ULL(verdict->mistakes_max));
    printf(", %s of %llu classes", count_text(verdict->rows, "row"), ULL(verdict->classes));
    if (verdict->has_low)
        printf(", margin at least %s", number_text(verdict->margin_low));
    if (verdict->has_high)
        printf(", %sat most %s", verdict->has_low ? "" : "margin ",
               number_text(verdict->margin_high));
    print_left_out(out);
    fputc('\n', stdout);
}

static void print_verdict(const struct arguments *arguments, const tlu_proof_report *verdict,
                          const struct left_out *out)
{
    if (arguments->quiet)
        return;
    if (arguments->json)
        print_json(verdict, out);
    else if (verdict->accepted)
        print_accepted(verdict, out);
    else
        printf("rejected: %s:%llu: %s\n",
               path_text(stdout, arguments->positional[verdict->in_data ? 1 : 0]),
               ULL(verdict->line), text_clip(verdict->reason, 200));
}

// Another kind of file is a wrong argument (exit 2), not a rejected proof (exit 1).
static tlu_status look(const char *path, const char *proof, size_t size, tlu_error *error)
{
    static const char start[] = "tlu proof ";
    if (size >= sizeof start - 1 && memcmp(proof, start, sizeof start - 1) == 0)
        return TLU_OK;
    return fail_input(error,
                      "'%s' is not a proof: its first line is not 'tlu proof 1'; tlu separable "
                      "DATA --proof FILE writes one, and tlu check takes PROOF and then DATA",
                      path);
}

OWNED_TYPE(tlu_proof_report, tlu_proof_report_free)

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    OWNED(char) proof = NULL;
    OWNED(char) data = NULL;
    OWNED(tlu_proof_report) verdict = NULL;
    size_t proof_size, data_size;
    struct left_out out = {0};
    TRY(input_whole(arguments->positional[0], SIZE_MAX, look, &proof, &proof_size, error));
    if (proof_size == 0)
        TRY(look(arguments->positional[0], proof, 0, error));
    TRY(input_whole(arguments->positional[1], SIZE_MAX, input_look_text, &data, &data_size, error));
    TRY(tlu_proof_check(proof, proof_size, data, data_size, &verdict, error));
    if (verdict->accepted) // a text, whose lines are as they should be
        out = find_left_out(proof, proof_size);
    print_verdict(arguments, verdict, &out);
    verb_answer = verdict->accepted ? ANSWER_YES : ANSWER_NO;
    return TLU_OK;
}

const struct verb check_verb = {
    .name = "check",
    .summary = "check a proof that data is separable, or that it is not",
    .description =
        "Checks a proof that tlu separable --proof wrote against its data, in exact arithmetic; "
        "the checker shares no code with the search for proofs and has a reader of its own for the "
        "data. It prints what is proved (exit code 0), or the line that does not follow (exit code "
        "1). The data is LIBSVM or CSV, as plain text. docs/proof-format.md describes the format.",
    .arguments = {{"PROOF", .help = "a proof that tlu separable wrote"},
                  {"DATA", .help = "the data that it is about; - is standard input"}},
    OPTIONS(options),
    .examples = {"tlu separable data/iris.csv --positive setosa --proof iris.proof",
                 "tlu check iris.proof data/iris.csv"},
    .run = run,
};
