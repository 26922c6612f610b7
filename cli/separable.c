// tlu separable: whether a hyperplane has every row on its side, with a proof.
#include "cli.h"
#include "progress.h"
#include "report.h"
#include "verdict.h"

static const tlu_option_info options[] = {
    TEXT_OPTION("proof", "FILE", "write the proof to FILE, for tlu check; LIBSVM and CSV only"),
    FLAG_OPTION("no-bias", "no bias: planes through the origin only"),
    TEXT_OPTION(
        "positive", "LABEL",
        "this label against all others; without it, two classes as they are, and more by winner "
        "takes all"),
    TEXT_OPTION("only", "LABELS", "only rows with these labels, with commas between them"),
    NUMBER_OPTION(
        "time", "SECONDS", "0", 0, 1e9,
        "end after SECONDS, even without a decision; 0: never, except for --approximate, which "
        "ends after 60"),
    FLAG_OPTION(
        "approximate",
        "if the rows are not separable: how few mistakes a hyperplane can make, with the best "
        "one found"),
    FLAG_OPTION("json", "print one JSON object"),
    FLAG_OPTION("quiet", "print no progress, and only the first line of the answer"),
};

#define SHOWN_MAX 12           // rows and weights
#define FACTOR_DIGITS 12       // longer ones are for programs
#define APPROXIMATE_SECONDS 60 // without --time: all it could do may take days
#define MIN_SHARE 1e-6         // percent

// ---- in words

// The bias last, before it the weights by their size.
static int by_strength(const void *a, const void *b)
{
    const tlu_plane_weight *x = *(const tlu_plane_weight *const *)a;
    const tlu_plane_weight *y = *(const tlu_plane_weight *const *)b;
    if (!x->feature != !y->feature)
        return x->feature ? -1 : 1;
    double difference = fabs(y->weight) - fabs(x->weight);
    return difference > 0 ? 1 : difference < 0 ? -1 : x < y ? -1 : x > y;
}

static void print_term(const tlu_plane_weight *weight, bool first)
{
    double size = first ? weight->weight : fabs(weight->weight);
    printf("%s%.6g", first ? "" : weight->weight < 0 ? " - " : " + ", size);
    if (weight->feature)
        printf(" %s", text_clip(weight->feature, 40));
}

// All terms in the order of the data, or of many the strongest and the bias.
static void print_weights(const tlu_separability *answer)
{
    size_t count = answer->weight_count, left = 0;
    printf("plane     ");
    if (answer->classes > 2) {
        printf("%zu weights that are not 0, in %llu planes, one per class (--json has all)\n",
               count, ULL(answer->classes));
        return;
    }
    const tlu_plane_weight **terms = need(calloc(count + 1, sizeof *terms));
    for (size_t i = 0; i < count; i++)
        terms[i] = &answer->weights[i];
    if (count > SHOWN_MAX + 1) {
        qsort(terms, count, sizeof *terms, by_strength);
        bool bias = !terms[count - 1]->feature;
        left = count - SHOWN_MAX - bias;
        terms[SHOWN_MAX] = terms[count - 1];
    }
    for (size_t i = 0; i < count - left; i++)
        print_term(terms[i], i == 0);
    if (left)
        printf(" and %zu more (--json has all)", left);
    printf(" > 0 is %s\n",
           answer->positive ? text_clip(answer->positive, 80) : "what every row is");
    free(terms);
}

static void print_lines(const tlu_separability *answer)
{
    for (size_t i = 0; i < answer->row_count && i < SHOWN_MAX; i++)
        printf("%s%llu", i ? ", " : "", ULL(answer->rows[i].line));
    if (answer->row_count > SHOWN_MAX)
        printf(" and %zu more", answer->row_count - SHOWN_MAX);
}

static void print_separable(const tlu_separability *answer)
{
    print_weights(answer);
    if (isfinite(answer->margin_high))
        printf("margin    %.9g to %.9g\n", answer->margin_low, answer->margin_high);
    else if (isfinite(answer->margin_low))
        printf("margin    at least %.9g\n", answer->margin_low);
    if (isfinite(answer->bound_with_bias))
        printf("bound     a perceptron makes at most %.15g mistakes, by (R / margin)^2%s\n",
               whole_bound(answer->bound_with_bias),
               answer->bound_with_bias == answer->bound
                   ? ""
                   : " of the rows (x, 1); tlu bound has the best such bound");
    if (answer->row_count) {
        printf("supports  lines ");
        print_lines(answer);
        printf("\n");
    }
}

static size_t longest_factor(const tlu_separability *answer)
{
    size_t most = 0;
    for (size_t i = 0; i < answer->row_count; i++) {
        size_t length = strlen(answer->rows[i].weight);
        most = length > most ? length : most;
    }
    return most;
}

// A factor divided by 10^digits, because a factor may overflow a double.
static double factor_size(const tlu_proof_row *row, size_t digits)
{
    char text[64];
    snprintf(text, sizeof text, "0.%.20se-%zu", row->weight, digits - strlen(row->weight));
    return strtod(text, NULL);
}

// The factor of a row in percent of the sum of its class, or with several classes of all rows.
static double share_of(const tlu_separability *answer, const tlu_proof_row *row, size_t digits)
{
    double sum = 0;
    for (size_t i = 0; i < answer->row_count; i++)
        if (answer->classes > 2 || strcmp(answer->rows[i].label, row->label) == 0)
            sum += factor_size(&answer->rows[i], digits);
    return 100 * factor_size(row, digits) / sum;
}

static void print_contradiction(const tlu_separability *answer)
{
    size_t digits = longest_factor(answer);
    bool shares = digits > FACTOR_DIGITS;
    for (size_t i = 0; i < answer->row_count && i < SHOWN_MAX; i++) {
        const tlu_proof_row *row = &answer->rows[i];
        printf("  line %llu (%s%s%s) ", ULL(row->line), text_clip(row->label, 30),
               row->rival ? " against " : "", row->rival ? text_clip(row->rival, 30) : "");
        double share = shares ? share_of(answer, row, digits) : 0;
        if (shares)
            printf("with a share %s %.3g%%\n", share < MIN_SHARE ? "below" : "of",
                   fmax(share, MIN_SHARE));
        else
            printf("times %s\n", row->weight);
    }
    if (answer->row_count > SHOWN_MAX)
        printf("  and %zu more (--json has all)\n", answer->row_count - SHOWN_MAX);
    if (answer->classes > 2)
        puts("With these factors, the conditions on the weights add up to 0 > 0: no weights meet "
             "all of them.");
    else
        puts("With these factors, the weighted sums of the two classes are equal, so no hyperplane "
             "can separate them.");
    if (shares)
        printf("(The factors have up to %zu digits; shares are parts of the sum of %s. --json and "
               "--proof have them\nexactly.)\n",
               digits, answer->classes > 2 ? "all of them" : "those of a class");
}

static void print_mistakes(const tlu_separability *answer)
{
    const char *mistakes = count_text(answer->mistakes, "mistake");
    const char *least = count_text(answer->mistakes_min, "contradiction");
    printf("not separable: a plane makes %s on %llu rows; ", mistakes, ULL(answer->examples));
    if (answer->mistakes == answer->mistakes_min)
        printf("none makes fewer, by %s that %s no row\n", least,
               answer->mistakes_min == 1 ? "shares" : "share");
    else
        printf("none makes fewer than %llu, by %s that %s no row%s\n", ULL(answer->mistakes_min),
               least, answer->mistakes_min == 1 ? "shares" : "share",
               answer->fewest ? "; by search, none makes fewer at all" : "");
}

static void print_classes(const tlu_separability *answer)
{
    printf("classes   ");
    if (answer->positive)
        printf("%s against ", text_clip(answer->positive, 40));
    if (answer->positive && answer->negative)
        printf("%s", text_clip(answer->negative, 40));
    else if (answer->positive)
        printf("the rest");
    else
        printf("%llu, by winner takes all", ULL(answer->classes));
    print_label_column(stdout, answer->label_column, answer->facts->label_reason);
    printf("\n");
}

static void print_text(const tlu_separability *answer, bool quiet)
{
    if (answer->verdict == TLU_SEPARABLE)
        printf("separable: %s in %llu classes\n", count_text(answer->examples, "row"),
               ULL(answer->classes));
    else if (answer->verdict == TLU_NOT_SEPARABLE && answer->mistakes)
        print_mistakes(answer);
    else if (answer->verdict == TLU_NOT_SEPARABLE && answer->row_count == 1)
        printf("not separable: this row contradicts itself\n");
    else if (answer->verdict == TLU_NOT_SEPARABLE)
        printf("not separable: these %zu rows contradict each other\n", answer->row_count);
    else if (isfinite(answer->margin_high))
        printf("not decided: if there is a margin, it is below %.9g\n", answer->margin_high);
    else
        printf("not decided\n");
    if (quiet)
        return;
    print_classes(answer);
    if (answer->verdict == TLU_SEPARABLE)
        print_separable(answer);
    else if (answer->verdict == TLU_NOT_SEPARABLE && answer->mistakes)
        print_weights(answer);
    else if (answer->verdict == TLU_NOT_SEPARABLE)
        print_contradiction(answer);
}

// ---- as JSON

static void json_rows(struct json *json, const tlu_separability *answer)
{
    json_array(json, answer->verdict == TLU_NOT_SEPARABLE ? "contradiction" : "supports");
    for (size_t i = 0; i < answer->row_count; i++) {
        const tlu_proof_row *row = &answer->rows[i];
        json_object(json, NULL);
        JSON_MEMBERS(json, row, line, weight, label);
        if (row->set)
            json_count(json, "set", row->set);
        if (row->rival)
            json_text(json, "rival", row->rival);
        json_end(json);
    }
    json_end(json);
}

static void print_json(const tlu_separability *answer)
{
    struct json json = json_open(stdout);
    json_text(&json, "verdict", verdicts[answer->verdict].name);
    JSON_MEMBERS(&json, answer, examples, features, classes, positive, negative);
    json_label_column(&json, answer->label_column, answer->facts->label_reason);
    JSON_MEMBERS(&json, answer, found_by, margin_low, margin_high, radius);
    json_number(&json, "bound", answer->bound_with_bias);
    json_array(&json, "weights");
    for (size_t i = 0; i < answer->weight_count; i++) {
        const tlu_plane_weight *weight = &answer->weights[i];
        json_object(&json, NULL);
        json_text(&json, "feature", weight->feature);
        if (weight->label)
            json_text(&json, "label", weight->label);
        JSON_MEMBERS(&json, weight, weight, exact);
        json_end(&json);
    }
    json_end(&json);
    json_rows(&json, answer);
    if (answer->mistakes) {
        json_count(&json, "mistakes", answer->mistakes);
        json_count(&json, "mistakes_least", answer->mistakes_min);
        json_bool(&json, "fewest", answer->fewest);
    }
    json_number(&json, "seconds", answer->seconds);
    json_facts(&json, answer->facts);
    json_end(&json);
}

// ---- the verb

static tlu_status write_proof(const tlu_separability *answer, const char *path, tlu_error *error)
{
    struct output output;
    if (!answer->proof)
        return fail_input(
            error, answer->verdict == TLU_NOT_DECIDED
                       ? "there is no proof to write: nothing was decided"
                       : "--proof is for LIBSVM and CSV data, which tlu check reads, without line "
                         "ends in fields and names or numbers of 100,000 bytes");
    TRY(output_open(&output, path, error));
    fwrite(answer->proof, 1, answer->proof_size, output.file);
    return output_close(&output, TLU_OK, error);
}

static double time_given(const struct arguments *arguments)
{
    if (arguments_flag(arguments, "approximate") && !arguments_given(arguments, "time"))
        return APPROXIMATE_SECONDS;
    return arguments_number(arguments, "time");
}

// An answer that more time might have made better says so.
static void print_limit(const tlu_separability *answer, double seconds)
{
    bool open = answer->verdict == TLU_NOT_DECIDED ||
                (answer->mistakes > answer->mistakes_min && !answer->fewest);
    if (open && seconds > 0 && answer->seconds >= 0.75 * seconds)
        printf("(This is what %g s were enough for; --time SECONDS gives more, --time 0 all that "
               "it takes.)\n",
               seconds);
}

OWNED_TYPE(tlu_separability, tlu_separability_free)

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    struct proof_progress progress;
    const char *proof = arguments_text(arguments, "proof");
    tlu_separability_settings settings = {.size = sizeof settings,
                                          .path = arguments->positional[0],
                                          .only = arguments_text(arguments, "only"),
                                          .seconds = time_given(arguments),
                                          .approximate = arguments_flag(arguments, "approximate"),
                                          .progress = proof_progress_show,
                                          .progress_context = &progress};
    OWNED(tlu_separability) answer = NULL;
    TRY(arguments_set_question(arguments, error));
    if (proof && *proof)
        TRY(refuse_overwriting(proof, settings.path, error));
    proof_progress_begin(&progress, !arguments->json && !arguments->quiet);
    tlu_status status = tlu_separability_decide(&settings, arguments->library, &answer, error);
    proof_progress_end(&progress);
    TRY(status);
    if (proof && *proof)
        TRY(write_proof(answer, proof, error));
    if (arguments->json)
        print_json(answer);
    else
        print_text(answer, arguments->quiet);
    if (!arguments->json && !arguments->quiet) {
        print_limit(answer, settings.seconds);
        print_facts(stderr, answer->facts);
    }
    verb_answer = verdicts[answer->verdict].answer;
    return TLU_OK;
}

const struct verb separable_verb = {
    .name = "separable",
    .summary = "decide whether a hyperplane separates the classes, with a proof",
    .description =
        "Decides whether a hyperplane has every row of DATA strictly on the side of its class, in "
        "exact arithmetic on the decimals as they are written. If so (exit code 0): the plane, its "
        "margin as an interval, the bound on a perceptron's mistakes, and the rows that support "
        "the margin. If not (exit code 1): a few rows that contradict each other, by their line "
        "numbers. With more than two classes: whether one weight vector per class can give every "
        "row the highest score for its own class. If the time ends first (exit code 4): an upper "
        "bound of the margin. --proof writes a proof that tlu check accepts, and that any other "
        "program can check.",
    .arguments = {LABELLED_ARGUMENT},
    .unlisted = "scale hash memory",
    .groups = "reading data",
    .common = "proof label time only positive",
    OPTIONS(options),
    .examples = {"tlu separable data/iris.csv --positive setosa",
                 "tlu separable data/digits-train.svm --only 0,1 --proof digits.proof",
                 "tlu separable data/iris.csv --only setosa,virginica --no-bias --json"},
    .run = run,
};
