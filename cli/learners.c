// tlu learners: the table of learners.
#include "cli.h"

static const tlu_option_info options[] = {
    FLAG_OPTION("json", "print a JSON array of one object per learner"),
};

// "average last" as an array of texts.
static void json_words(struct json *json, const char *key, const char *words)
{
    json_array(json, key);
    while (*words) {
        char word[64];
        size_t length = strcspn(words, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        json_text(json, NULL, word);
        words += length;
        words += strspn(words, " ");
    }
    json_end(json);
}

static void print_json(void)
{
    struct json json = {.file = stdout};
    json_array(&json, NULL);
    const tlu_learner_info *learner;
    for (size_t i = 0; (learner = tlu_learner_at(i)) != NULL; i++) {
        json_object(&json, NULL);
        json_text(&json, "name", learner->name);
        json_text(&json, "summary", learner->summary);
        json_text(&json, "reference", learner->reference);
        json_words(&json, "options", learner->options);
        json_words(&json, "defaults", learner->defaults);
        json_words(&json, "decisions", learner->decisions);
        json_words(&json, "spaces", learner->spaces);
        json_words(&json, "schemes", learner->schemes);
        json_end(&json);
    }
    json_end(&json);
}

static void print_field(const char *name, const char *text)
{
    printf("  %-9s  ", name);
    text_write_wrapped(stdout, *text ? text : "-", 13, 13);
}

static void print_table(void)
{
    const tlu_learner_info *learner;
    for (size_t i = 0; (learner = tlu_learner_at(i)) != NULL; i++) {
        printf("%s%s\n", i ? "\n" : "", learner->name);
        print_field("for", learner->summary);
        print_field("from", learner->reference);
        print_field("options", learner->options);
        print_field("defaults", learner->defaults);
        print_field("decisions", learner->decisions);
        print_field("spaces", learner->spaces);
        print_field("schemes", learner->schemes);
    }
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    (void)error;
    if (arguments_flag(arguments, "json"))
        print_json();
    else
        print_table();
    return TLU_OK;
}

const struct verb learners_verb = {
    .name = "learners",
    .summary = "list the learners",
    .description =
        "Prints for each learner its name (for tlu train --learner), what it is for, where it "
        "comes from, the learning options that it takes and those whose defaults are its own, the "
        "decisions (--decide, the default first), the spaces (dual: with --kernel) and the schemes "
        "for more than two classes (--multiclass) that it knows.",
    .arguments = {{0}},
    OPTIONS(options),
    .examples = {"tlu learners", "tlu learners --json"},
    .run = run,
};
