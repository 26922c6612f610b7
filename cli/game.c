// tlu game: the perceptron game, on a terminal or from a pipe.
#include "cli.h"
#include "input.h"
#include "tlu_proof.h"

#include <unistd.h>

#define SHOWN_MAX 8 // numbers of a vector

static const tlu_option_info options[] = {
    NUMBER_OPTION("gamma", "G", "0.2", 0, 1e300, "the margin: y (u . x) must be above it"),
    NUMBER_OPTION("squared-radius", "R", "1", 0, 1e300,
                  "R: the squared length of an example must be below it"),
    COUNT_OPTION(
        "dimension", "D", "", 1, 1e6,
        "numbers in an example; without it, as many as the first has, or 3 with --adversary"),
    TEXT_OPTION(
        "u", "U",
        "declare u at the start, as in 0.6,0.8; it is divided by its length; without it, any u "
        "will do"),
    FLAG_OPTION("adversary", "let tlu play A as well, and force as many mistakes as it can"),
    FLAG_OPTION("json", "print one JSON object per round, and one at the end"),
};

struct game_session {
    tlu_game *game; // NULL until the dimension is known
    double *x, *u;  // [dimension]
    size_t dimension;
    double gamma, radius; // radius: squared
    uint64_t most;        // mistakes, by the rules
    bool json, terminal, adversary;
    struct input_line line;
};

// Numbers with blanks or commas between them, into *numbers; false if it is something else.
static bool read_numbers(const char *text, double **numbers, size_t *count)
{
    static const char gaps[] = " \t,;()\r\n";
    size_t capacity = strlen(text) / 2 + 1;
    *numbers = need(calloc(capacity, sizeof **numbers));
    *count = 0;
    for (text += strspn(text, gaps); *text; text += strspn(text, gaps)) {
        char *end;
        double number = strtod(text, &end);
        if (end == text || !(number - number == 0) || (*end && !strchr(gaps, *end)))
            return false;
        (*numbers)[(*count)++] = number;
        text = end;
    }
    return *count > 0;
}

// A short form: (0.6, -0.8)
static void print_vector(const char *name, const double *values, size_t count)
{
    printf("%s = (", name);
    for (size_t i = 0; i < count && i < SHOWN_MAX; i++)
        printf("%s%.4g", i ? ", " : "", values[i] == 0 ? 0 : values[i]); // never "-0"
    printf("%s)", count > SHOWN_MAX ? ", ..." : "");
}

static void print_help(const struct game_session *play)
{
    fputs("You are A. At x> give the numbers of an example, with blanks or commas between them; B "
          "says what\nit takes it for, the sign of v . x (+1 if that is 0). At label> say what it "
          "is: +, 1 or +1 for +1,\n- or -1 for -1. If B was wrong, that is a mistake, and v "
          "becomes v + label x. quit ends the game.\n",
          play->json ? stderr : stdout);
}

static bool is_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && text[length + strspn(text + length, " \t\r\n")] == 0;
}

static void print_prompt(const struct game_session *play, const char *prompt)
{
    if (!play->terminal || play->json)
        return;
    if (play->game && *prompt == 'x') {
        const tlu_game_state *state = tlu_game_get_state(play->game);
        print_vector("v", state->v, play->dimension);
        if (state->u)
            print_vector(", u", state->u, play->dimension);
        fputs("; ", stdout);
    }
    fputs(prompt, stdout);
    fflush(stdout);
}

// The next line that says something, with a prompt on a terminal; NULL at the end and on an error.
static const char *next_line(struct game_session *play, const char *prompt, tlu_status *status,
                             tlu_error *error)
{
    for (;;) {
        bool found = false;
        print_prompt(play, prompt);
        *status = input_next(&play->line, &found, error);
        if (*status != TLU_OK || !found) {
            if (play->terminal && !play->json)
                puts(""); // after the prompt
            return NULL;
        }
        const char *text = play->line.text + strspn(play->line.text, " \t\r\n");
        if (is_word(text, "quit"))
            return NULL;
        if (is_word(text, "help"))
            print_help(play);
        else if (*text && *text != '#')
            return text;
    }
}

// ---- what is said

static tlu_status begin(struct game_session *play, tlu_error *error)
{
    tlu_game_rules rules = {.size = sizeof rules,
                            .gamma = play->gamma,
                            .radius = play->radius,
                            .dimension = play->dimension,
                            .u = play->u};
    TRY(tlu_game_new(&rules, &play->game, error));
    play->most = tlu_game_get_state(play->game)->mistakes_max;
    return TLU_OK;
}

// Before the first example says how many numbers there are.
static tlu_status check_rules(struct game_session *play, tlu_error *error)
{
    play->dimension = 1;
    tlu_status status = begin(play, error);
    tlu_game_free(play->game);
    play->game = NULL;
    play->dimension = 0;
    return status;
}

static void print_declared(const struct game_session *play)
{
    double square = 0;
    for (size_t i = 0; i < play->dimension; i++)
        square += play->u[i] * play->u[i];
    print_vector(" for u", tlu_game_get_state(play->game)->u, play->dimension);
    if (fabs(sqrt(square) - 1) > 1e-9)
        printf(", which is --u divided by its length, %s", brief_text(sqrt(square)));
}

static void print_rules(const struct game_session *play)
{
    if (play->json)
        return;
    printf("A gives examples x with |x|^2 < R = %s (R is the squared radius) and%s y (u . x) > "
           "gamma = %s",
           brief_text(play->radius), play->u ? "" : ", for some u of length 1,",
           brief_text(play->gamma));
    if (play->u)
        print_declared(play);
    printf(".\nB is a perceptron that begins with v_0 = 0; it makes k < R / gamma^2 = %s mistakes, "
           "so at most %llu.\n",
           brief_text(play->radius / (play->gamma * play->gamma)), ULL(play->most));
    if (play->terminal)
        puts("You are A: give the numbers of an example, then its label, + or -. help says more, "
             "quit ends the game.");
}

static void print_json_round(const struct game_session *play, int guess, int label, int mistake)
{
    const tlu_game_state *state = tlu_game_get_state(play->game);
    struct json json = json_open(stdout);
    json_count(&json, "round", state->rounds);
    json_numbers(&json, "x", play->x, play->dimension);
    json_number(&json, "guess", guess);
    json_number(&json, "label", label);
    json_bool(&json, "mistake", mistake);
    json_count(&json, "mistakes", state->mistakes);
    json_numbers(&json, "v", state->v, play->dimension);
    json_numbers(&json, "u", state->u, play->dimension);
    json_number(&json, "v_dot_u", state->v_dot_u);
    json_number(&json, "k_gamma", state->v_dot_u_min);
    json_number(&json, "v_squared", state->v_squared);
    json_number(&json, "k_radius", state->v_squared_max);
    json_end(&json);
}

static void print_round(const struct game_session *play, int guess, int label, int mistake)
{
    const tlu_game_state *state = tlu_game_get_state(play->game);
    unsigned long long k = ULL(state->mistakes);
    if (play->json) {
        print_json_round(play, guess, label, mistake);
        return;
    }
    if (!mistake) {
        puts("B is right");
        return;
    }
    printf("mistake %llu: v_%llu . u = %s >= %llu gamma = %s, |v_%llu|^2 = %s <= %llu R = %s\n", k,
           k, brief_text(state->v_dot_u), k, brief_text(state->v_dot_u_min), k,
           brief_text(state->v_squared), k, brief_text(state->v_squared_max));
    printf("  v_%llu", k);
    print_vector("", state->v, play->dimension);
    print_vector(", u", state->u, play->dimension);
    puts("");
}

// Why the adversary came to an end before the bound.
static void print_shortfall(const struct game_session *play)
{
    if (play->dimension == 1)
        puts("in one dimension every example is along u, and v is too after the first mistake: B "
             "is right from then on");
    else if (play->dimension == 2)
        puts("in two dimensions no direction is across both u and v, so that tlu finds no further "
             "example that B gets wrong; in three it gets to the bound");
    else
        puts("rounding leaves no room for another example");
}

static void print_end(const struct game_session *play)
{
    const tlu_game_state none = {.rounds = 0};
    const tlu_game_state *state = play->game ? tlu_game_get_state(play->game) : &none;
    if (play->json) {
        struct json json = json_open(stdout);
        JSON_MEMBERS(&json, state, rounds, mistakes);
        json_count(&json, "most_mistakes", play->most);
        json_number(&json, "bound", play->radius / (play->gamma * play->gamma));
        json_end(&json);
        return;
    }
    printf("%s in %s; by the rules there can be at most %llu\n",
           count_text(state->mistakes, "mistake"), count_text(state->rounds, "round"),
           ULL(play->most));
    if (state->mistakes >= play->most)
        puts("that is the bound: no A can force another one");
    else if (play->adversary)
        print_shortfall(play);
}

static void print_remark(const struct game_session *play, const char *key, const char *words,
                         const char *reason, const char *then)
{
    if (play->json) {
        struct json json = json_open(stdout);
        json_text(&json, key, reason);
        json_end(&json);
    } else {
        printf("%s: %s%s\n", words, reason, then);
    }
}

// Reports a broken rule; the game continues.
static void print_refusal(const struct game_session *play, const char *reason, const char *then)
{
    print_remark(play, "refused", "against the rules", reason, then);
}

// Reports input that is not understood; no rule is broken.
static void print_expected(const struct game_session *play, const char *what)
{
    print_remark(play, "expected", "not understood", what, "");
}

// ---- rounds

static bool ended(const struct game_session *play)
{
    return play->game && tlu_game_get_state(play->game)->mistakes >= play->most;
}

// Reads an example and offers it; false if the input ends. *guess is 0 if it was refused.
static bool ask_example(struct game_session *play, int *guess, tlu_status *status, tlu_error *error)
{
    OWNED(double) numbers = NULL;
    size_t count;
    *guess = 0;
    const char *text = next_line(play, "x> ", status, error);
    if (!text)
        return false;
    if (!read_numbers(text, &numbers, &count)) {
        print_expected(play,
                       "expected the numbers of an example, such as 0.5 -0.2, or help or quit");
    } else if (play->dimension && count != play->dimension) {
        print_expected(play, format_text("expected %s, found %zu",
                                         count_text(play->dimension, "number"), count));
    } else {
        play->dimension = count;
        free(play->x);
        play->x = numbers;
        numbers = NULL;
        if (!play->game && (*status = begin(play, error)) != TLU_OK)
            return false;
        if (tlu_game_offer(play->game, play->x, guess, error) != TLU_OK) {
            *guess = 0;
            print_refusal(play, error->text, "; give another example");
        }
    }
    return true;
}

// +1 or -1; 0 at the end of the input and on an error.
static int ask_label(struct game_session *play, tlu_status *status, tlu_error *error)
{
    for (const char *text; (text = next_line(play, "label> ", status, error)) != NULL;) {
        if (is_word(text, "+") || is_word(text, "1") || is_word(text, "+1"))
            return 1;
        if (is_word(text, "-") || is_word(text, "-1"))
            return -1;
        print_expected(play, "expected the label of the example, which is still open: +, 1 or +1 "
                             "for +1, - or -1 for -1, or help or quit");
    }
    return 0;
}

static tlu_status play_rounds(struct game_session *play, tlu_error *error)
{
    tlu_status status = TLU_OK;
    int guess, label, mistake;
    while (!ended(play) && ask_example(play, &guess, &status, error)) {
        if (guess == 0)
            continue;
        if (!play->json)
            printf("B says %+d\n", guess);
        label = ask_label(play, &status, error);
        if (label == 0)
            break;
        if (tlu_game_label(play->game, label, &mistake, error) == TLU_OK)
            print_round(play, guess, label, mistake);
        else
            print_refusal(play, error->text,
                          "; it is as if you had not given the example; give another");
    }
    return status;
}

static tlu_status play_itself(struct game_session *play, tlu_error *error)
{
    int label, guess, mistake;
    play->x = need(calloc(play->dimension, sizeof *play->x));
    while (!ended(play)) {
        TRY(tlu_game_attack(play->game, play->x, &label, error));
        if (label == 0)
            break;
        TRY(tlu_game_offer(play->game, play->x, &guess, error));
        TRY(tlu_game_label(play->game, label, &mistake, error));
        if (!play->json) {
            fputs("A gives", stdout);
            for (size_t i = 0; i < play->dimension; i++)
                printf(" %.6g", play->x[i]);
            printf(" and says %+d; ", label);
        }
        print_round(play, guess, label, mistake);
        if (!mistake)
            break; // rounding left no room
    }
    return TLU_OK;
}

static void close_game(struct game_session *play)
{
    tlu_game_free(play->game);
    free(play->x);
    free(play->u);
    free(play->line.text);
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    CLEANUP(close_game)
    struct game_session play = {.gamma = arguments_number(arguments, "gamma"),
                                .radius = arguments_number(arguments, "squared-radius"),
                                .dimension = (size_t)arguments_count(arguments, "dimension"),
                                .json = arguments->json,
                                .adversary = arguments_flag(arguments, "adversary")};
    const char *u = arguments_text(arguments, "u");
    size_t count = 0;
    play.terminal = !play.adversary && isatty(STDIN_FILENO);
    if (u && *u && !read_numbers(u, &play.u, &count))
        return fail_input(error, "--u takes numbers with commas between them");
    if (count && play.dimension && count != play.dimension)
        return fail_input(error, "--u has %zu numbers, and --dimension says %zu", count,
                          play.dimension);
    play.dimension = count ? count : play.dimension ? play.dimension : play.adversary ? 3 : 0;
    TRY(play.dimension ? begin(&play, error) : check_rules(&play, error));
    print_rules(&play);
    TRY(play.adversary ? play_itself(&play, error) : play_rounds(&play, error));
    print_end(&play);
    return TLU_OK;
}

const struct verb game_verb = {
    .name = "game",
    .summary = "play the perceptron game, in which the mistakes are bounded",
    .description =
        "The game of the mistake bound. You are A: you give an example and, after B's prediction, "
        "its label; B is a perceptron that begins with v_0 = 0 and predicts sign(v_k . x). A wants "
        "many mistakes, but the squared length of an example must be below R, the squared radius, "
        "and some u of length 1 must separate all of them with margin gamma: then there are fewer "
        "than R / gamma^2 mistakes. Examples that break the rules are refused, with the reason. "
        "After each mistake the game prints v and u, and the two quantities that prove the bound, "
        "v_k . u against k gamma and |v_k|^2 against k R. Examples are lines of numbers; labels "
        "are lines with +, 1 or +1, or - or -1. The game ends with quit, the end of the input or "
        "the bound.",
    OPTIONS(options),
    .examples = {"tlu game --adversary --gamma 0.5",
                 "printf '0.6 0.7\\n-\\n' | tlu game --u 0.6,0.8",
                 "tlu game --adversary --gamma 0.1 --json"},
    .run = run,
};
