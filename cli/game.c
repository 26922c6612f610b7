// tlu game: the perceptron game, on a terminal or from a pipe.
#include "arguments.h"
#include "json.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const tlu_option_info options[] = {
    {"gamma", "command", TLU_OPTION_NUMBER, "G", "0.2", NULL, 0, 1e300,
     "the margin: y (u . x) must be above it"},
    {"radius", "command", TLU_OPTION_NUMBER, "R", "1", NULL, 0, 1e300,
     "R: the squared length of an example must be below it"},
    {"dimension", "command", TLU_OPTION_COUNT, "D", "", NULL, 1, 1e6,
     "numbers in an example; without it as many as the first has, and 3 with --adversary"},
    {"u", "command", TLU_OPTION_TEXT, "U", "", NULL, 0, 0,
     "declare your u at the start, as in 0.6,0.8; without it, any u will do"},
    {"adversary", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "let tlu play A as well, and force as many mistakes as it can"},
    {"json", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "print one JSON object per round, and one at the end"},
};

struct play {
    const struct arguments *arguments;
    tlu_game *game; // NULL until the dimension is known
    double *x, *u;  // [dimension]
    size_t dimension, capacity;
    double gamma, radius;
    bool json, terminal;
    char *line; // of the input
    size_t line_size;
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

// The next line that says something, with a prompt on a terminal; NULL at the end.
static const char *next_line(struct play *play, const char *prompt)
{
    for (;;) {
        if (play->terminal && !play->json) {
            fputs(prompt, stdout);
            fflush(stdout);
        }
        if (getline(&play->line, &play->line_size, stdin) < 0)
            return NULL;
        const char *text = play->line + strspn(play->line, " \t\r\n");
        if (strncmp(text, "quit", 4) == 0)
            return NULL;
        if (*text && *text != '#')
            return text;
    }
}

static void json_vector(struct json *json, const char *key, const double *values, size_t count)
{
    json_array(json, key);
    for (size_t i = 0; i < count; i++)
        json_number(json, NULL, values[i]);
    json_end(json);
}

// ---- what is said

static tlu_status begin(struct play *play, tlu_error *error)
{
    tlu_game_rules rules = {.size = sizeof rules, .gamma = play->gamma, .radius = play->radius};
    rules.dimension = play->dimension;
    rules.u = play->u;
    return tlu_game_new(&rules, &play->game, error);
}

// Before the first example says how many numbers there are.
static tlu_status check_rules(struct play *play, tlu_error *error)
{
    play->dimension = 1;
    tlu_status status = begin(play, error);
    tlu_game_free(play->game);
    play->game = NULL;
    play->dimension = 0;
    return status;
}

static void print_rules(const struct play *play)
{
    char gamma[NUMBER_SIZE], radius[NUMBER_SIZE], bound[NUMBER_SIZE];
    if (play->json)
        return;
    number_text(gamma, play->gamma);
    number_text(radius, play->radius);
    printf(
        "A gives examples x with |x|^2 < R = %s and, for some u of length 1, y (u . x) > gamma = "
        "%s.\nB is a perceptron that begins with v_0 = 0; it makes k < R / gamma^2 = %s "
        "mistakes.\n",
        radius, gamma, number_text(bound, play->radius / (play->gamma * play->gamma)));
    if (play->terminal)
        puts("You are A: give the numbers of an example, then its label, + or -.");
}

static void print_round(const struct play *play, int guess, int label, int mistake)
{
    const tlu_game_state *state = tlu_game_look(play->game);
    char along[NUMBER_SIZE], least[NUMBER_SIZE], square[NUMBER_SIZE], most[NUMBER_SIZE];
    unsigned long long k = (unsigned long long)state->mistakes;
    if (play->json) {
        struct json json = {.file = stdout};
        json_object(&json, NULL);
        json_count(&json, "round", state->rounds);
        json_vector(&json, "x", play->x, play->dimension);
        json_number(&json, "guess", guess);
        json_number(&json, "label", label);
        json_bool(&json, "mistake", mistake);
        json_count(&json, "mistakes", state->mistakes);
        json_vector(&json, "v", state->v, play->dimension);
        json_vector(&json, "u", state->u, play->dimension);
        json_number(&json, "v_dot_u", state->v_dot_u);
        json_number(&json, "k_gamma", state->least_v_dot_u);
        json_number(&json, "v_squared", state->v_squared);
        json_number(&json, "k_radius", state->most_v_squared);
        json_end(&json);
        return;
    }
    if (!mistake) {
        puts("B is right");
        return;
    }
    printf("mistake %llu: v_%llu . u = %s >= %llu gamma = %s, |v_%llu|^2 = %s <= %llu R = %s\n", k,
           k, number_text(along, state->v_dot_u), k, number_text(least, state->least_v_dot_u), k,
           number_text(square, state->v_squared), k, number_text(most, state->most_v_squared));
}

static void print_end(const struct play *play)
{
    if (!play->game)
        return;
    const tlu_game_state *state = tlu_game_look(play->game);
    char mistakes[64], rounds[64];
    if (play->json) {
        struct json json = {.file = stdout};
        json_object(&json, NULL);
        json_count(&json, "rounds", state->rounds);
        json_count(&json, "mistakes", state->mistakes);
        json_count(&json, "most_mistakes", state->most_mistakes);
        json_number(&json, "bound", play->radius / (play->gamma * play->gamma));
        json_end(&json);
        return;
    }
    printf("%s in %s; by the rules there can be at most %llu\n",
           count_text(mistakes, state->mistakes, "mistake"),
           count_text(rounds, state->rounds, "round"), (unsigned long long)state->most_mistakes);
    if (state->mistakes >= state->most_mistakes)
        puts("that is the bound: no A can force another one");
}

// What breaks the rules is said, and the game goes on.
static void print_refusal(const struct play *play, const char *reason)
{
    if (play->json) {
        struct json json = {.file = stdout};
        json_object(&json, NULL);
        json_text(&json, "refused", reason);
        json_end(&json);
    } else {
        printf("against the rules: %s\n", reason);
    }
}

// ---- rounds

static bool ended(const struct play *play)
{
    if (!play->game)
        return false;
    const tlu_game_state *state = tlu_game_look(play->game);
    return state->mistakes >= state->most_mistakes;
}

// Reads an example and offers it; false if the input ends. *guess is 0 if it was refused.
static bool ask_example(struct play *play, int *guess, tlu_status *status, tlu_error *error)
{
    double *numbers = NULL;
    size_t count;
    *guess = 0;
    const char *text = next_line(play, "x> ");
    if (!text)
        return false;
    if (!read_numbers(text, &numbers, &count)) {
        print_refusal(play, "expected the numbers of an example, such as 0.5 -0.2");
    } else if (play->dimension && count != play->dimension) {
        char reason[96], shown[64];
        snprintf(reason, sizeof reason, "expected %s, found %zu",
                 count_text(shown, play->dimension, "number"), count);
        print_refusal(play, reason);
    } else {
        play->dimension = count;
        free(play->x);
        play->x = numbers;
        numbers = NULL;
        if (!play->game && (*status = begin(play, error)) != TLU_OK)
            return false;
        if (tlu_game_offer(play->game, play->x, guess, error) != TLU_OK) {
            *guess = 0;
            print_refusal(play, error->text);
        }
    }
    free(numbers);
    return true;
}

// +1 or -1; 0 at the end of the input.
static int ask_label(struct play *play)
{
    for (const char *text; (text = next_line(play, "label> ")) != NULL;) {
        size_t length = strcspn(text, " \t\r\n");
        if (strchr("+1", *text) && length <= 2)
            return 1;
        if (*text == '-' && length <= 2)
            return -1;
        print_refusal(play, "a label is + or -");
    }
    return 0;
}

static tlu_status play_rounds(struct play *play, tlu_error *error)
{
    tlu_status status = TLU_OK;
    int guess, label, mistake;
    while (!ended(play) && ask_example(play, &guess, &status, error)) {
        if (guess == 0)
            continue;
        if (!play->json)
            printf("B says %+d\n", guess);
        label = ask_label(play);
        if (label == 0)
            break;
        if (tlu_game_label(play->game, label, &mistake, error) == TLU_OK)
            print_round(play, guess, label, mistake);
        else
            print_refusal(play, error->text);
    }
    return status;
}

static tlu_status play_itself(struct play *play, tlu_error *error)
{
    int label = 0, guess = 0, mistake = 0;
    tlu_status status = TLU_OK;
    play->x = need(calloc(play->dimension, sizeof *play->x));
    while (status == TLU_OK && !ended(play)) {
        status = tlu_game_attack(play->game, play->x, &label, error);
        if (status != TLU_OK || label == 0)
            break;
        status = tlu_game_offer(play->game, play->x, &guess, error);
        if (status == TLU_OK)
            status = tlu_game_label(play->game, label, &mistake, error);
        if (status != TLU_OK)
            break;
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
    return status;
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    struct play play = {.arguments = arguments};
    const char *u = arguments_text(arguments, "u");
    play.gamma = arguments_number(arguments, "gamma");
    play.radius = arguments_number(arguments, "radius");
    play.json = arguments_flag(arguments, "json");
    bool adversary = arguments_flag(arguments, "adversary");
    play.terminal = !adversary && isatty(STDIN_FILENO);
    if (arguments_given(arguments, "dimension"))
        play.dimension = (size_t)arguments_count(arguments, "dimension");
    tlu_status status = TLU_OK;
    size_t count = 0;
    if (u && *u && !read_numbers(u, &play.u, &count))
        status = fail(error, TLU_ERROR_INPUT, "--u takes numbers with commas between them");
    else if (count && play.dimension && count != play.dimension)
        status = fail(error, TLU_ERROR_INPUT, "--u has %zu numbers, and --dimension says %zu",
                      count, play.dimension);
    if (status == TLU_OK) {
        play.dimension = count ? count : play.dimension ? play.dimension : adversary ? 3 : 0;
        status = play.dimension ? begin(&play, error) : check_rules(&play, error);
    }
    if (status == TLU_OK) {
        print_rules(&play);
        status = adversary ? play_itself(&play, error) : play_rounds(&play, error);
    }
    if (status == TLU_OK)
        print_end(&play);
    tlu_game_free(play.game);
    free(play.x);
    free(play.u);
    free(play.line);
    return status;
}

const struct verb game_verb = {
    .name = "game",
    .summary = "play the perceptron game, in which the mistakes are bounded",
    .description =
        "The game of the mistake bound. A, who is you, gives an example and, once B has predicted "
        "it, its label; B is a perceptron that begins with v_0 = 0 and predicts sign(v_k . x). A "
        "wants as many mistakes as possible, but examples must be shorter than R allows and all be "
        "separated by some u of length 1 with margin gamma: then there are fewer than R / gamma^2 "
        "mistakes. Examples that break the rules are refused, with the reason. After each mistake "
        "it shows the two quantities that prove the bound, v_k . u against k gamma and |v_k|^2 "
        "against k R. Examples are lines of numbers, labels lines with + or -; the game ends with "
        "quit, the end of the input or the bound.",
    .arguments = {{0}},
    .groups = "",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = {"tlu game --adversary --gamma 0.5",
                 "printf '0.6 0.7\\n-\\n' | tlu game --u 0.6,0.8",
                 "tlu game --adversary --gamma 0.1 --json"},
    .run = run,
};
