#include "cli.h"
#include "input.h"
#include "reading.h"

#include <assert.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    char letter;
    const char *name;
} letters[] = {{'o', "output"}, {'q', "quiet"}, {'h', "help"}, {'k', "folds"}};

static const tlu_option_info help_row = {"help", "command", TLU_OPTION_FLAG,  NULL, "no", NULL,
                                         0,      0,         "print this help"};

// Other spellings of library options: `row` stands for --`name` `value`.
static const struct {
    const char *name, *value;
    tlu_option_info row;
} aliases[] = {{"shuffle",
                "none",
                {"no-shuffle", "learning", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
                 "the same as --shuffle none"}}};

bool list_has(const char *list, char separator, const char *name)
{
    size_t length = strlen(name);
    const char ends[] = {separator, '\0'};
    for (;;) {
        size_t n = strcspn(list, ends);
        if (n == length && memcmp(list, name, n) == 0)
            return true;
        if (list[n] == '\0')
            return false;
        list += n + 1;
    }
}

size_t verb_options(const struct verb *verb, const tlu_option_info **rows)
{
    size_t count = 0;
    for (size_t i = 0; i < verb->option_count; i++)
        rows[count++] = &verb->options[i];
    rows[count++] = &help_row;
    for (size_t i = 0; i < tlu_option_count(); i++) {
        const tlu_option_info *info = tlu_option_at(i);
        bool taken = verb->only ? list_has(verb->only, ' ', info->name)
                                : verb->groups && list_has(verb->groups, ' ', info->group);
        if (!taken || (verb->without && strcmp(verb->without, info->name) == 0))
            continue;
        assert(count + 2 < OPTIONS_MAX);
        rows[count++] = info;
        for (size_t j = 0; j < COUNT_OF(aliases); j++)
            if (strcmp(aliases[j].name, info->name) == 0)
                rows[count++] = &aliases[j].row;
    }
    return count;
}

size_t verb_listed_options(const struct verb *verb, const tlu_option_info **rows)
{
    const tlu_option_info *taken[OPTIONS_MAX];
    size_t all = verb_options(verb, taken), count = 0;
    for (const char *at = verb->common ? verb->common : ""; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        for (size_t i = 0; i < all; i++)
            if (strlen(taken[i]->name) == length && memcmp(taken[i]->name, at, length) == 0)
                rows[count++] = taken[i];
        at += length;
    }
    // Options with the same heading stay together, wherever the tables have them.
    bool listed[OPTIONS_MAX] = {false};
    for (size_t i = 0; i < all; i++) {
        for (size_t j = i; j < all; j++) {
            if (listed[j] || strcmp(option_heading(verb, taken[i]), option_heading(verb, taken[j])))
                continue;
            listed[j] = true;
            if ((!verb->unlisted || !list_has(verb->unlisted, ' ', taken[j]->name)) &&
                (!verb->common || !list_has(verb->common, ' ', taken[j]->name)))
                rows[count++] = taken[j];
        }
    }
    return count;
}

char option_letter(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(letters); i++)
        if (strcmp(letters[i].name, name) == 0)
            return letters[i].letter;
    return 0;
}

// The library returns the default itself, the same pointer, if the option was not set.
bool option_is_given(const tlu_options *options, const char *name)
{
    return tlu_options_get(options, name) != tlu_option_find(name)->value;
}

bool option_is_file(const tlu_option_info *info)
{
    return info->argument && strcmp(info->argument, "FILE") == 0;
}

// ---- misspelt names

const char *nearest_name(const char *name, const char *const *names, size_t count)
{
    size_t length = strlen(name);
    const char *nearest = NULL;
    size_t least = 2 + length / 4; // one more than what still counts as near
    for (size_t i = 0; i < count; i++) {
        bool begins = length > 1 && strncmp(names[i], name, length) == 0;
        size_t d = begins ? 0 : tlu_text_distance(name, names[i]);
        if (d < least && 2 * d < length) {
            least = d;
            nearest = names[i];
        }
    }
    return nearest;
}

// ---- parsing

static bool is_count(const char *text, double most)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && (double)value <= most;
}

static bool is_number(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(value);
}

// `next` is the word after it, or NULL.
static tlu_status unknown_option(const struct verb *verb, const char *word, const char *next,
                                 tlu_error *error)
{
    const char *start = word + strspn(word, "-"), *words = verb_words(verb);
    const char *name = format_text("%.*s", (int)strcspn(start, "="), start);
    const char *quoted = text_clip(word, 60);
    if (strcmp(name, "classes") == 0)
        return fail_input(error, "--classes is now --multiclass");

    const tlu_option_info *rows[OPTIONS_MAX];
    const char *names[OPTIONS_MAX] = {NULL};
    size_t count = verb_options(verb, rows);
    for (size_t i = 0; i < count; i++)
        names[i] = rows[i]->name;
    const char *near = nearest_name(name, names, count);
    const char *ours = option_synonym(name), *answer = option_answer_to(name);
    for (size_t i = 0; ours && i < count; i++)
        if (strcmp(ours, names[i]) == 0) {
            near = ours;
            answer = NULL;
        }
    if (answer)
        return fail_input(error, "%s has no option '%s'; %s", words, quoted, answer);
    const tlu_option_info *elsewhere = tlu_option_find(name);
    if (elsewhere && !(near && strncmp(near, name, strlen(name)) == 0))
        return fail_input(error, "--%s is an option of %s, not of %s", name,
                          list_has(train_verb.groups, ' ', elsewhere->group) ? "train" : "predict",
                          words);
    const char *value = strchr(word, '=') ? strchr(word, '=') + 1 : next;
    if (near && strcmp(near, "metric") == 0 && value && value[0] != '-')
        return fail_input(error, "%s has no option '%s'; did you mean --metric %s?", words, quoted,
                          text_clip(metric_synonym(value), 60));
    if (near)
        return fail_input(error, "%s has no option '%s'; did you mean --%s?", words, quoted, near);
    // -x^2 is an expression.
    if (verb == &approximate_verb && word[1] != '-')
        return fail_input(
            error, "%s has no option '%s'; if it is the function, write '(%s)' or put -- before it",
            words, quoted, quoted);
    return fail_input(error, "%s has no option '%s'; see tlu %s --help", words, quoted, words);
}

// An argument after the last one that the verb takes.
static tlu_status refuse_argument(const struct arguments *arguments, const char *word,
                                  const char *first, tlu_error *error)
{
    const struct verb *verb = arguments->verb;
    const char *words = verb_words(verb), *shown = text_clip(word, 60);
    if (verb == &stream_verb)
        return fail_input(error, "stream reads standard input: tlu stream %s <%s", first, shown);
    if (verb == &train_verb)
        return fail_input(
            error,
            "train does not take the argument '%s'; measure on a second file with tlu "
            "eval MODEL %s",
            shown, shown);
    if (verb == &game_verb)
        return fail_input(error,
                          "game does not take the argument '%s'; it reads examples from "
                          "standard input, a line of numbers each",
                          shown);
    if (verb == &logic_verb)
        return fail_input(error,
                          "logic does not take the argument '%s'; put the expression into quotes, "
                          "as in tlu logic '%s %s b'",
                          shown, text_clip(first, 60), shown);
    if (verb == &learners_verb)
        return fail_input(error,
                          "learners does not take the argument '%s'; tlu train --learner %s --help "
                          "shows the options of one",
                          shown, shown);
    if (verb == &import_verb)
        return fail_input(error,
                          "import does not take the argument '%s'; give weights with --weights "
                          "FILE, or a plane with --plane",
                          shown);
    if (verb == &compare_verb)
        return fail_input(error,
                          "compare does not take the argument '%s'; it compares learners on one "
                          "file: compare models by tlu eval MODEL DATA",
                          shown);
    if (is_number(shown) && (verb == &split_verb || verb == &generate_verb))
        return fail_input(error, "%s does not take the argument '%s'; did you mean --%s %s?", words,
                          shown, verb == &split_verb ? "test" : "rows", shown);
    bool output = false;
    for (size_t i = 0; i < verb->option_count; i++)
        output = output || strcmp(verb->options[i].name, "output") == 0;
    if (output)
        return fail_input(error,
                          "%s does not take the argument '%s'; write -o %s if it is the output",
                          words, shown, shown);
    return fail_input(error, "%s does not take the argument '%s'; see tlu %s --help", words, shown,
                      words);
}

// What to write in place of a percentage (20%, or 20 for a share) or of a number with a unit (10s):
// "; write 0.2", or in place of a choice of other tools: "; did you mean maxabs?". "" for other
// texts.
static const char *spelled_out(const tlu_option_info *info, const char *text)
{
    bool flag = info->type == TLU_OPTION_FLAG;
    if ((flag || info->type == TLU_OPTION_CHOICE) && strcmp(info->name, "learner") != 0) {
        const char *choice = choice_synonym(flag ? "yes|no" : info->choices, text);
        return choice ? format_text("; did you mean %s?", choice) : "";
    }
    char *end;
    double value = strtod(text, &end);
    bool percent = strcmp(end, "%") == 0 || (*end == '\0' && info->max <= 1 && value > 1);
    bool number = info->type == TLU_OPTION_NUMBER || info->type == TLU_OPTION_COUNT;
    if (!number || end == text)
        return "";
    if (percent && value / 100 >= info->min && value / 100 <= info->max && value <= 100)
        return format_text("; write %.10g", value / 100);
    if (strcmp(end, "s") == 0 && info->argument && strcmp(info->argument, "SECONDS") == 0)
        return format_text("; write %.10g", value);
    return "";
}

// "a whole number from 1 to 10", "a number of 0 or more"
static const char *expected_number(const tlu_option_info *info)
{
    const char *kind = info->type == TLU_OPTION_COUNT ? "whole number" : "number";
    if (info->max >= COUNT_MAX)
        return format_text("a %s of %.16g or more", kind, info->min);
    return format_text("a %s from %.16g to %.16g", kind, info->min, info->max);
}

// Values of the verb's own options; the library checks those of its own.
static tlu_status check_value(const tlu_option_info *info, const char *text, tlu_error *error)
{
    const char *shown = text_clip(text, 60);
    switch (info->type) {
    case TLU_OPTION_FLAG:
        if (!list_has("yes|no", '|', text))
            return fail_input(error, "--%s is yes or no, not '%s'%s", info->name, shown,
                              spelled_out(info, text));
        break;
    case TLU_OPTION_CHOICE:
        if (!list_has(info->choices, '|', text))
            return fail_input(error, "--%s is one of %s, not '%s'%s", info->name, info->choices,
                              shown, spelled_out(info, text));
        break;
    case TLU_OPTION_COUNT:
        if (!is_count(text, info->max) || strtod(text, NULL) < info->min)
            return fail_input(error, "--%s is %s, not '%s'", info->name, expected_number(info),
                              shown);
        break;
    case TLU_OPTION_NUMBER:
        if (!is_number(text) || strtod(text, NULL) < info->min || strtod(text, NULL) > info->max)
            return fail_input(error, "--%s is %s, not '%s'%s", info->name, expected_number(info),
                              shown, spelled_out(info, text));
        break;
    case TLU_OPTION_RANGE: // only the library has them
    case TLU_OPTION_SIZE:
    case TLU_OPTION_TEXT:
    case TLU_OPTION_LIST:
        break;
    }
    return TLU_OK;
}

#define STOP_WORDS_MAX (1 << 20) // bytes

// --stop-words: a file with a word per line, or words separated by commas.
static tlu_status set_stop_words(struct arguments *arguments, const char *value, tlu_error *error)
{
    OWNED(char) bytes = NULL;
    size_t size = 0;
    struct stat about;
    bool is_file = stat(value, &about) == 0 && !S_ISDIR(about.st_mode);
    if (!is_file && !strchr(value, ','))
        return fail_input(error,
                          "there is no file '%s' for --stop-words, which takes a file or words "
                          "separated by commas",
                          text_clip(value, 60));
    if (!is_file)
        return tlu_options_set(arguments->library, "stop-words", value, error);
    TRY(input_whole(value, STOP_WORDS_MAX, input_look_text, &bytes, &size, error));
    for (size_t i = 0; i < size; i++)
        bytes[i] = bytes[i] == '\n' || bytes[i] == '\r' ? ',' : bytes[i];
    return tlu_options_set(arguments->library, "stop-words", bytes, error);
}

static tlu_status set_option(struct arguments *arguments, const tlu_option_info *info,
                             const char *value, tlu_error *error)
{
    const struct verb *verb = arguments->verb;
    for (size_t i = 0; i < COUNT_OF(aliases); i++)
        if (info == &aliases[i].row) {
            TRY(check_value(info, value, error));
            if (strcmp(value, "no") == 0)
                return TLU_OK;
            return tlu_options_set(arguments->library, aliases[i].name, aliases[i].value, error);
        }
    if (info == &help_row) {
        arguments->help = true;
        return TLU_OK;
    }
    if (info >= verb->options && info < verb->options + verb->option_count) {
        size_t i = (size_t)(info - verb->options);
        arguments->values[i] = value;
        if (info->type == TLU_OPTION_LIST) {
            size_t size = (arguments->list_counts[i] + 1) * sizeof **arguments->lists;
            arguments->lists[i] = need(realloc(arguments->lists[i], size));
            arguments->lists[i][arguments->list_counts[i]++] = value;
        }
        return check_value(info, value, error);
    }
    if (strcmp(info->name, "stop-words") == 0)
        return set_stop_words(arguments, value, error);
    tlu_status status = tlu_options_set(arguments->library, info->name, value, error);
    if (status == TLU_ERROR_INPUT && *spelled_out(info, value))
        return fail_input(error, "%s%s", format_text("%s", error->text), spelled_out(info, value));
    return status;
}

// The option of this name (`length` letters of it) or, with length 0, of this letter; NULL if
// the verb has none.
static const tlu_option_info *find_option(const struct verb *verb, const char *name, size_t length)
{
    const tlu_option_info *rows[OPTIONS_MAX];
    size_t count = verb_options(verb, rows);
    for (size_t i = 0; i < count; i++) {
        bool same = strlen(rows[i]->name) == length && memcmp(rows[i]->name, name, length) == 0;
        if (length ? same : option_letter(rows[i]->name) == *name)
            return rows[i];
    }
    return NULL;
}

// Whether the option takes a second word: "--curve roc FILE".
static bool takes_two(const tlu_option_info *info)
{
    return info->argument && strchr(info->argument, ' ');
}

// Whether the option may stand alone: "--errors [N]". Then N is this.
#define USUAL_COUNT "10"
static bool stands_alone(const tlu_option_info *info, const char *next)
{
    return info->argument && info->argument[0] == '[' && !(next && is_count(next, info->max));
}

// Sets an option; `value` is what its own word gives for it, or NULL: then a flag is meant, or the
// next word is the value.
static tlu_status take_value(struct arguments *arguments, const tlu_option_info *info,
                             const char *value, int count, char **words, int *at, tlu_error *error)
{
    if (!value && info->type == TLU_OPTION_FLAG)
        value = "yes";
    if (!value && stands_alone(info, *at + 1 < count ? words[*at + 1] : NULL))
        value = USUAL_COUNT;
    if (*at + !value + takes_two(info) >= count)
        return fail_input(error, "--%s needs a value: --%s %s", info->name, info->name,
                          info->argument);
    if (!value)
        value = words[++*at];
    if (takes_two(info))
        arguments->files[info - arguments->verb->options] = words[++*at];
    return set_option(arguments, info, value, error);
}

// "-o FILE", "-oFILE", "-qo FILE"
static tlu_status take_letters(struct arguments *arguments, int count, char **words, int *at,
                               tlu_error *error)
{
    const char *word = words[*at];
    for (const char *letter = word + 1; *letter; letter++) {
        const tlu_option_info *info = find_option(arguments->verb, letter, 0);
        if (!info)
            return unknown_option(arguments->verb, word, NULL, error);
        bool flag = info->type == TLU_OPTION_FLAG;
        const char *value = flag || letter[1] == '\0' ? NULL : letter + 1;
        tlu_status status = take_value(arguments, info, value, count, words, at, error);
        if (status != TLU_OK || !flag)
            return status;
    }
    return TLU_OK;
}

// "--name", "--name value", "--name=value"
static tlu_status take_option(struct arguments *arguments, int count, char **words, int *at,
                              tlu_error *error)
{
    const char *name = words[*at] + 2;
    size_t length = strcspn(name, "=");
    const tlu_option_info *info = length ? find_option(arguments->verb, name, length) : NULL;
    if (!info)
        return unknown_option(arguments->verb, words[*at], *at + 1 < count ? words[*at + 1] : NULL,
                              error);
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    return take_value(arguments, info, value, count, words, at, error);
}

static tlu_status check_positional(const struct arguments *arguments, tlu_error *error)
{
    const struct verb *verb = arguments->verb;
    const char *words = verb_words(verb);
    const struct argument *missing = &verb->arguments[arguments->positional_count];
    const char *given = arguments->positional_count == 1 ? arguments->positional[0] : NULL;
    if (given && missing->name && !missing->optional && access(given, R_OK) == 0 &&
        strcmp(verb->arguments[0].name, "MODEL") == 0 && !is_model(given))
        return fail_input(error,
                          "%s needs MODEL and %s, and '%s' is not a model; see tlu %s --help",
                          words, missing->name, given, words);
    if (missing->name && !missing->optional)
        return fail_input(error, "%s needs %s (%s); see tlu %s --help", words, missing->name,
                          missing->help, words);
    const char *first = arguments->positional[0], *second = arguments->positional[1];
    if (arguments->positional_count == 2 && strcmp(first, "-") == 0 && strcmp(second, "-") == 0)
        return fail_input(
            error, "%s and %s cannot both be standard input (-); name a file for one of them",
            verb->arguments[0].name, verb->arguments[1].name);
    return TLU_OK;
}

static tlu_status check_together(const struct arguments *arguments, tlu_error *error)
{
    if (option_is_given(arguments->library, "patience") &&
        !option_is_given(arguments->library, "holdout"))
        return fail_input(error, "--patience needs --holdout: it counts the passes in which the "
                                 "held-out rows do not improve");
    return check_positional(arguments, error);
}

// Whether the last argument was one of several files.
static bool takes_several(const struct arguments *arguments)
{
    size_t count = arguments->positional_count;
    return count && arguments->verb->arguments[count - 1].several;
}

// Adds a file to those of the last argument.
static void add_data(struct arguments *arguments, const char *path)
{
    const char **data = &arguments->positional[arguments->positional_count - 1];
    char *joined = need(malloc(strlen(*data) + strlen(path) + 2));
    sprintf(joined, "%s\n%s", *data, path);
    free(arguments->data);
    *data = arguments->data = joined;
}

// --shards names DATA, or more of it.
static void add_shards(struct arguments *arguments)
{
    size_t count = arguments->positional_count;
    const struct argument *next = &arguments->verb->arguments[count];
    const char *pattern = takes_several(arguments) || (next->name && next->several)
                              ? arguments_text(arguments, "shards")
                              : NULL;
    if (pattern && takes_several(arguments))
        add_data(arguments, pattern);
    else if (pattern)
        arguments->positional[arguments->positional_count++] = pattern;
}

tlu_status arguments_parse(struct arguments *arguments, const struct verb *verb, int count,
                           char **words, tlu_error *error)
{
    assert(verb->option_count <= OWN_OPTIONS_MAX);
    memset(arguments, 0, sizeof *arguments);
    arguments->verb = verb;
    tlu_options_new(&arguments->library, NULL);
    need(arguments->library);
    arguments->repeated = need(calloc((size_t)count + 1, sizeof *arguments->repeated));
    bool options_end = false;
    for (int i = 0; i < count; i++) {
        const char *word = words[i];
        tlu_status status = TLU_OK;
        if (!options_end && strcmp(word, "--") == 0) {
            options_end = true;
        } else if (!options_end && word[0] == '-' && word[1] != '\0') {
            status =
                (word[1] == '-' ? take_option : take_letters)(arguments, count, words, &i, error);
        } else if (takes_several(arguments)) {
            add_data(arguments, word);
        } else if (!verb->arguments[arguments->positional_count].name) {
            status = refuse_argument(arguments, word, words[0], error);
        } else if (verb->arguments[arguments->positional_count].repeated) {
            arguments->repeated[arguments->repeated_count++] = word;
        } else {
            arguments->positional[arguments->positional_count++] = word;
        }
        if (status != TLU_OK && !arguments->help)
            return status;
    }
    arguments->json = arguments_flag(arguments, "json");
    arguments->quiet = arguments_flag(arguments, "quiet");
    add_shards(arguments);
    return arguments->help ? TLU_OK : check_together(arguments, error);
}

void arguments_free(struct arguments *arguments)
{
    tlu_options_free(arguments->library);
    free(arguments->repeated);
    free(arguments->data);
    for (size_t i = 0; i < OWN_OPTIONS_MAX; i++)
        free(arguments->lists[i]);
}

// ---- values

// The place of one of the verb's own options; OWN_OPTIONS_MAX if it has none of that name.
static size_t own_option(const struct arguments *arguments, const char *name)
{
    const struct verb *verb = arguments->verb;
    for (size_t i = 0; i < verb->option_count; i++)
        if (strcmp(verb->options[i].name, name) == 0)
            return i;
    return OWN_OPTIONS_MAX;
}

bool arguments_given(const struct arguments *arguments, const char *name)
{
    size_t i = own_option(arguments, name);
    return i < OWN_OPTIONS_MAX && arguments->values[i];
}

const char *arguments_text(const struct arguments *arguments, const char *name)
{
    size_t i = own_option(arguments, name);
    if (i == OWN_OPTIONS_MAX)
        return NULL;
    const char *value = arguments->verb->options[i].value;
    return arguments->values[i] ? arguments->values[i] : value[0] ? value : NULL;
}

const char *arguments_file(const struct arguments *arguments, const char *name)
{
    size_t i = own_option(arguments, name);
    return i < OWN_OPTIONS_MAX ? arguments->files[i] : NULL;
}

const char *const *arguments_list(const struct arguments *arguments, const char *name,
                                  size_t *count)
{
    size_t i = own_option(arguments, name);
    *count = i < OWN_OPTIONS_MAX ? arguments->list_counts[i] : 0;
    return i < OWN_OPTIONS_MAX ? arguments->lists[i] : NULL;
}

bool arguments_flag(const struct arguments *arguments, const char *name)
{
    const char *text = arguments_text(arguments, name);
    return text && strcmp(text, "yes") == 0;
}

uint64_t arguments_count(const struct arguments *arguments, const char *name)
{
    const char *text = arguments_text(arguments, name);
    return text ? strtoull(text, NULL, 10) : 0;
}

double arguments_number(const struct arguments *arguments, const char *name)
{
    const char *text = arguments_text(arguments, name);
    return text ? strtod(text, NULL) : 0;
}

bool arguments_progress(const struct arguments *arguments)
{
    return !arguments->json && !arguments->quiet && isatty(STDERR_FILENO);
}

tlu_status arguments_set_question(const struct arguments *arguments, tlu_error *error)
{
    const char *positive = arguments_text(arguments, "positive");
    if (option_is_given(arguments->library, "memory"))
        return fail_input(error, "--memory has no effect here: all rows are kept in memory; leave "
                                 "it out");
    if (arguments_flag(arguments, "no-bias"))
        TRY(tlu_options_set(arguments->library, "no-bias", "yes", error));
    return positive && *positive ? tlu_options_set(arguments->library, "positive", positive, error)
                                 : TLU_OK;
}
