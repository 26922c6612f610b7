// What does not go together is refused with a reason, and the list of it is told; the list of
// learners is in the order of the choices.
#include "learn/conflicts.h"
#include "learning.h"

struct wish {
    enum situation situation;
    const char *options; // "name=value name=value"
    const char *refusal; // what the message begins with; NULL: none
};

static tlu_options *read_options(const char *text)
{
    tlu_options *options;
    tlu_options_new(&options, NULL);
    char copy[200];
    snprintf(copy, sizeof copy, "%s", text);
    for (char *item = strtok(copy, " "); item; item = strtok(NULL, " ")) {
        char *value = strchr(item, '=');
        *value++ = '\0';
        assert_int_equal(tlu_options_set(options, item, value, NULL), TLU_OK);
    }
    return options;
}

static void check_wish(const struct wish *wish)
{
    tlu_error error = {0};
    struct tlu_learner learner;
    tlu_options *options = read_options(wish->options);
    tlu_status status = learner_init(&learner, options, &error);
    if (status == TLU_OK && wish->situation != SITUATION_ANY) {
        const char *why = conflicts_why(&learner, wish->situation);
        status = conflicts_check(&learner, wish->situation, &error);
        if ((why != NULL) != (status != TLU_OK) || (why && !strstr(error.text, why)))
            fail_msg("%s: the reason is not in '%s'", wish->options, error.text);
    }
    if ((status != TLU_OK) != (wish->refusal != NULL))
        fail_msg("%s: status %d, %s", wish->options, (int)status, error.text);
    if (wish->refusal && strncmp(error.text, wish->refusal, strlen(wish->refusal)) != 0)
        fail_msg("%s: '%s' and not '%s'", wish->options, error.text, wish->refusal);
    learner_free_parts(&learner);
    tlu_options_free(options);
}

static void conflicts_are_refused(void **state)
{
    static const struct wish wishes[] = {
        {SITUATION_ANY, "", NULL},
        {SITUATION_ANY, "scale=online", NULL},
        {SITUATION_ANY, "scale=online learner=rocchio",
         "--scale online or recent cannot be combined with --learner rocchio: "},
        {SITUATION_ANY, "scale=online kernel=linear learner=perceptron",
         "--scale online or recent cannot be combined with --kernel: "},
        {SITUATION_ANY, "scale=recent decide=best",
         "--scale online or recent cannot be combined with --decide vote, random or best: "},
        {SITUATION_ANY, "max-features=10", NULL},
        {SITUATION_ANY, "max-features=10 hash=18",
         "--max-features cannot be combined with --hash: "},
        {SITUATION_ANY, "ratchet=yes", "--ratchet cannot be combined with a decision other than "},
        {SITUATION_ANY, "ratchet=yes decide=best", NULL},
        {SITUATION_ANY, "ratchet=yes decide=best kernel=linear learner=perceptron",
         "--ratchet cannot be combined with --kernel: "},
        {SITUATION_ANY, "learner=hinge schedule=adagrad", NULL},
        {SITUATION_ANY, "learner=max-margin kernel=rbf:1 multiclass=wta",
         "--multiclass wta cannot be combined with --kernel with max-margin: "},
        {SITUATION_ANY, "learner=hinge schedule=adagrad kernel=linear",
         "--schedule adagrad cannot be combined with --kernel: "},
        {SITUATION_ANY, "learner=bernoulli-bayes scale=standard",
         "--scale standard cannot be combined with --learner bernoulli-bayes: "},
        {SITUATION_ANY, "learner=rocchio scale=standard", NULL},
        {SITUATION_TRAINING, "", NULL},
        {SITUATION_TRAINING, "decide=adaptive",
         "--decide adaptive cannot be combined with training from a file: "},
        {SITUATION_TRAINING, "max-features=10",
         "--max-features cannot be combined with more than one pass: "},
        {SITUATION_TRAINING, "max-features=10 epochs=1", NULL},
        {SITUATION_TRAINING, "max-features=10 epochs=1 shuffle=all",
         "--max-features cannot be combined with an option that needs all rows "},
        {SITUATION_TRAINING, "max-features=10 epochs=1 decide=best",
         "--max-features cannot be combined with an option that needs all rows "},
        {SITUATION_STREAM, "decide=adaptive scale=recent", NULL},
        {SITUATION_STREAM, "learner=max-margin",
         "--learner max-margin cannot be combined with a stream: "},
        {SITUATION_STREAM, "learner=perceptron kernel=rbf:1",
         "--kernel cannot be combined with a stream: "},
        {SITUATION_STREAM, "learner=perceptron decide=vote",
         "--decide vote, random or best cannot be combined with a stream: "},
        {SITUATION_STREAM, "class-weight=balanced",
         "--class-weight balanced cannot be combined with a stream: "},
        {SITUATION_STREAM, "class-weight=a=2", NULL},
        {SITUATION_TRACE, "hash=18", "--hash cannot be combined with a trace: "},
        {SITUATION_TRACE, "scale=maxabs", NULL},
        {SITUATION_CHECKPOINT, "learner=rocchio",
         "--learner rocchio cannot be combined with a checkpoint"},
        {SITUATION_CHECKPOINT, "", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++)
        check_wish(&wishes[i]);
}

// Every sentence has both sides and a reason, and no two are about the same.
static void conflicts_are_told(void **state)
{
    char before[400] = "", text[400];
    size_t count = 0, length;
    (void)state;
    while ((length = tlu_conflict_at(count, text, sizeof text)) > 0) {
        assert_true(length < sizeof text && length == strlen(text));
        assert_non_null(strstr(text, " cannot be combined with "));
        assert_non_null(strstr(text, ": "));
        assert_true(strlen(strstr(text, ": ")) > 12); // a reason
        assert_string_not_equal(text, before);
        memcpy(before, text, sizeof text);
        count++;
    }
    assert_true(count > 10);
    assert_int_equal(tlu_conflict_at(0, NULL, 0), tlu_conflict_at(0, text, sizeof text));
}

// Words of a list that are separated by spaces; of "name=value" the name.
static void assert_known(const char *list, bool (*is_known)(const char *word), const char *learner)
{
    char word[64];
    for (int length; sscanf(list, " %63[^ =]%n", word, &length) == 1;) {
        if (!is_known(word))
            fail_msg("%s: there is no '%s'", learner, word);
        list += length;
        list += strcspn(list, " ");
    }
}

static bool is_option(const char *word)
{
    return tlu_option_find(word) != NULL;
}

static bool is_choice(const char *option, const char *word)
{
    tlu_options *options;
    tlu_options_new(&options, NULL);
    bool fine = tlu_options_set(options, option, word, NULL) == TLU_OK;
    tlu_options_free(options);
    return fine;
}

static bool is_decision(const char *word)
{
    return is_choice("decide", word);
}

static bool is_scheme(const char *word)
{
    return is_choice("multiclass", word);
}

static bool is_space(const char *word)
{
    return strcmp(word, "primal") == 0 || strcmp(word, "dual") == 0;
}

static void words_of_learners_are_known(void **state)
{
    (void)state;
    const tlu_learner_info *info;
    for (size_t i = 0; (info = tlu_learner_at(i)); i++) {
        assert_known(info->options, is_option, info->name);
        assert_known(info->defaults, is_option, info->name);
        assert_known(info->decisions, is_decision, info->name);
        assert_known(info->schemes, is_scheme, info->name);
        assert_known(info->spaces, is_space, info->name);
    }
}

static void learners_are_in_the_order_of_the_choices(void **state)
{
    tlu_options *options;
    tlu_options_new(&options, NULL);
    const char *choices = tlu_option_find("learner")->choices;
    const tlu_learner_info *info;
    size_t count = 0;
    (void)state;
    for (; (info = tlu_learner_at(count)) != NULL; count++) {
        size_t length = strlen(info->name);
        assert_memory_equal(choices, info->name, length);
        assert_true(choices[length] == '|' || choices[length] == '\0');
        choices += length + (choices[length] == '|');
        assert_int_equal(tlu_options_set(options, "learner", info->name, NULL), TLU_OK);
        assert_int_equal(options_choice(options, OPTION_LEARNER), count);
        assert_in_range(info->complexity, 1, 6); // every learner says how simple it is
    }
    assert_string_equal(choices, "auto");
    assert_true(count >= 17);
    tlu_options_free(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conflicts_are_refused),
        cmocka_unit_test(words_of_learners_are_known),
        cmocka_unit_test(conflicts_are_told),
        cmocka_unit_test(learners_are_in_the_order_of_the_choices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
