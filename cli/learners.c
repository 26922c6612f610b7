// tlu learners: the table of learners.
#include "arguments.h"
#include "json.h"
#include "text.h"

#include <string.h>

static const tlu_option_info options[] = {
    {"json", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "print a JSON array of one object a learner"},
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
        json_words(&json, "decisions", learner->decisions);
        json_words(&json, "schemes", learner->schemes);
        json_end(&json);
    }
    json_end(&json);
}

static int wider(int width, const char *text)
{
    return (int)text_width(text) > width ? (int)text_width(text) : width;
}

static void print_table(void)
{
    const tlu_learner_info heading = {"learner", "what it is", "", "", "decisions", "schemes"};
    int name = wider(0, heading.name), decisions = wider(0, heading.decisions);
    int schemes = wider(0, heading.schemes);
    const tlu_learner_info *learner;
    for (size_t i = 0; (learner = tlu_learner_at(i)) != NULL; i++) {
        name = wider(name, learner->name);
        decisions = wider(decisions, learner->decisions);
        schemes = wider(schemes, learner->schemes);
    }
    learner = &heading;
    for (size_t i = 0; learner != NULL; learner = tlu_learner_at(i++)) {
        printf("%-*s  %-*s  %-*s  %s\n", name, learner->name, decisions, learner->decisions,
               schemes, learner->schemes, learner->summary);
        if (learner == &heading)
            continue;
        printf("  from     %s\n  options  ", learner->reference);
        text_write_wrapped(stdout, learner->options, 11, 11);
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
        "Prints the table of learners: for each its name (for tlu train --learner), the decisions "
        "(--decide) and the schemes for several classes that it knows, what it is, where it comes "
        "from, and the learning options that it takes.",
    .arguments = {{0}},
    .groups = "",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = {"tlu learners", "tlu learners --json"},
    .run = run,
};
