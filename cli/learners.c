// tlu learners: the table of learners.
#include "cli.h"

static const tlu_option_info options[] = {
    FLAG_OPTION("json", "print a JSON array of one object per learner"),
};

// What is printed about a learner. Those after the first two are lists of words.
#define FIELDS 7
static const char *field_of(const tlu_learner_info *learner, size_t field)
{
    return (const char *[FIELDS]){learner->summary,  learner->reference, learner->options,
                                  learner->defaults, learner->decisions, learner->spaces,
                                  learner->schemes}[field];
}

static const char *const headings[FIELDS] = {"for",       "from",   "options", "defaults",
                                             "decisions", "spaces", "schemes"};
static const char *const keys[FIELDS] = {"summary",   "reference", "options", "defaults",
                                         "decisions", "spaces",    "schemes"};

// "average last" as an array of texts.
static void json_words(struct json *json, const char *key, const char *words)
{
    json_array(json, key);
    for (size_t length; *words; words += length, words += strspn(words, " ")) {
        length = strcspn(words, " ");
        json_text(json, NULL, format_text("%.*s", (int)length, words));
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
        for (size_t f = 0; f < FIELDS; f++)
            (f < 2 ? json_text : json_words)(&json, keys[f], field_of(learner, f));
        json_end(&json);
    }
    json_end(&json);
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    const tlu_learner_info *learner;
    (void)error;
    if (arguments->json)
        print_json();
    for (size_t i = 0; !arguments->json && (learner = tlu_learner_at(i)) != NULL; i++) {
        printf("%s%s\n", i ? "\n" : "", learner->name);
        for (size_t f = 0; f < FIELDS; f++) {
            const char *text = field_of(learner, f);
            printf("  %-9s  ", headings[f]);
            text_write_wrapped(stdout, *text ? text : "-", 13, 13);
        }
    }
    return TLU_OK;
}

const struct verb learners_verb = {
    .name = "learners",
    .summary = "list the learners",
    .description =
        "Prints for each learner its name (for tlu train --learner), what it is for, where it "
        "comes from, the learning options that it takes and those whose defaults are its own, the "
        "decisions (--decide, the default first), the spaces (dual: with --kernel) and the schemes "
        "for more than two classes (--multiclass) that it knows. Without --learner, training "
        "chooses "
        "among alma, hinge and logistic by the data (auto).",
    OPTIONS(options),
    .examples = {"tlu learners", "tlu learners --json"},
    .run = run,
};
