// --help, made from the tables.
#include "cli.h"

#define HELP_COLUMN 26 // where the text of options starts

const char *group_heading(const char *group)
{
    static const char *const headings[][2] = {
        {"reading", "Options for reading data"}, {"data", "Options for the training data"},
        {"learning", "Options for learning"},    {"measuring", "Options for metrics"},
        {"output", "Options for output"},        {NULL}};
    return text_of_pair(headings, group, "Options");
}

#define TEXT_OPTIONS "text ngrams chars lowercase stop-words min-count tfidf"
#define SINGLE_LEARNERS                                                                            \
    "C r confidence diagonal alpha schedule l2 smoothing binarize hidden activation optimizer "    \
    "momentum batch blas loss solver gap ratchet"

const char *option_heading(const struct verb *verb, const tlu_option_info *info)
{
    if (verb->common && list_has(verb->common, ' ', info->name))
        return "Common options";
    bool own = strcmp(info->group, "command") == 0;
    if (!own && list_has(TEXT_OPTIONS, ' ', info->name))
        return "Options for texts";
    if (!own && list_has(SINGLE_LEARNERS, ' ', info->name))
        return "Options of single learners";
    for (size_t i = 0; verb->sections[i].heading; i++)
        if (list_has(verb->sections[i].names, ' ', info->name))
            return verb->sections[i].heading;
    return own && verb->common ? "Other options" : group_heading(info->group);
}

// Options for which a model has the default: those of its training.
static bool model_decides(const tlu_option_info *info, const struct verb *verb)
{
    return verb && verb->groups && !strstr(verb->groups, "data") &&
           strcmp(info->group, "reading") == 0 &&
           list_has("format delimiter missing", ' ', info->name);
}

// ---- defaults

#define LEARNERS_MAX 32

// The default of an option for each learner that has the option.
struct own_defaults {
    size_t count;
    const char *learner[LEARNERS_MAX];
    char value[LEARNERS_MAX][32];
};

static void find_defaults(struct own_defaults *own, const char *name)
{
    const tlu_learner_info *learner;
    own->count = 0;
    for (size_t i = 0; (learner = tlu_learner_at(i)) != NULL && own->count < LEARNERS_MAX; i++) {
        tlu_error error;
        char why[2];
        tlu_options *options;
        tlu_options_new(&options, NULL);
        need(options);
        if (tlu_options_set(options, "learner", learner->name, &error) == TLU_OK &&
            tlu_options_no_effect(options, name, why, sizeof why) == 0) {
            own->learner[own->count] = learner->name;
            tlu_options_default(options, name, own->value[own->count++], sizeof own->value[0]);
        }
        tlu_options_free(options);
    }
}

// The value that most learners have, the first of equals.
static const char *usual_default(const struct own_defaults *own)
{
    size_t best = 0, best_count = 0;
    for (size_t i = 0; i < own->count; i++) {
        size_t same = 0;
        for (size_t j = 0; j < own->count; j++)
            same += strcmp(own->value[i], own->value[j]) == 0;
        if (same > best_count) {
            best = i;
            best_count = same;
        }
    }
    return own->count ? own->value[best] : "";
}

// "1", or if learners differ "0.1; max-margin: none". Empty if there is no default.
static const char *default_text(const char *name)
{
    struct own_defaults own;
    bool told[LEARNERS_MAX] = {false};
    find_defaults(&own, name);
    const char *usual = usual_default(&own), *text = format_text("%s", usual);
    for (size_t i = 0; i < own.count; i++) {
        if (told[i] || strcmp(own.value[i], usual) == 0)
            continue;
        const char *between = *text ? "; " : "none; ";
        for (size_t j = i; j < own.count; j++) {
            if (strcmp(own.value[i], own.value[j]) != 0)
                continue;
            told[j] = true;
            text = format_text("%s%s%s", text, between, own.learner[j]);
            between = ", ";
        }
        text = format_text("%s: %s", text, own.value[i][0] ? own.value[i] : "none");
    }
    return text;
}

// The default of the verb if it differs from that of train; else NULL.
static const char *verb_default(const tlu_option_info *info, const struct verb *verb)
{
    static const struct {
        const char *verb, *option, *value;
    } defaults[] = {
        {"stream", "learner", "pa2; perceptron with --rate, --margin or --tie"},
        {"stream", "decide", "adaptive"},
        {"stream", "scale",
         "recent for CSV, and if the first row has a value that is not a whole number from 0 to "
         "255; else none"},
        {"trace", "learner", "perceptron"},
        {"compare", "scale", "auto; naive Bayes: none"},
    };
    for (size_t i = 0; verb && i < COUNT_OF(defaults); i++)
        if (strcmp(defaults[i].verb, verb->name) == 0 &&
            strcmp(defaults[i].option, info->name) == 0)
            return defaults[i].value;
    return NULL;
}

// Defaults of library options depend on the learner; options of a verb have one default.
static const char *find_default(const tlu_option_info *info, const struct verb *verb,
                                const tlu_options *given)
{
    char value[400];
    const char *own = verb_default(info, verb);
    if (own || tlu_option_find(info->name) != info)
        return own ? own : info->value;
    if (!given)
        return default_text(info->name);
    tlu_options_default(given, info->name, value, sizeof value);
    return format_text("%s", value);
}

const char *option_description(const tlu_option_info *info, const struct verb *verb,
                               const tlu_options *given)
{
    char value[400] = "";
    if (info->type != TLU_OPTION_FLAG && !model_decides(info, verb))
        snprintf(value, sizeof value, "%s", find_default(info, verb, given));
    const char *text = info->help, *choices = info->choices;
    const char *automatic = strstr(text, "; auto: ");
    if (automatic && verb_default(info, verb)) // "auto" is not what this verb does by default
        text = format_text("%.*s", (int)(automatic - text), text);
    if (choices && !strchr(choices, '|')) // no choice at all
        choices = NULL;
    for (bool first = true; choices && *choices; first = false) {
        int length = (int)strcspn(choices, "|");
        const char *between = first ? "; one of " : choices[length] ? ", " : " or ";
        text = format_text("%s%s%.*s", text, between, length, choices);
        choices += length + (choices[length] == '|');
    }
    if (model_decides(info, verb))
        return format_text("%s (default: that of the model%s)", text,
                           strcmp(info->name, "delimiter") == 0 ? ", if it fits" : "");
    return value[0] ? format_text("%s (default %s)", text, value) : text;
}

const char *argument_description(const struct argument *argument)
{
    const tlu_option_info row = {.help = argument->help, .choices = argument->choices, .value = ""};
    return option_description(&row, NULL, NULL);
}

// "  NAME" and its text in a second column.
static void write_entry(FILE *file, const char *name, const char *text, size_t column)
{
    size_t used = 2 + strlen(name);
    fprintf(file, "  %s", name);
    if (used + 2 > column) {
        fputc('\n', file);
        used = 0;
    }
    fprintf(file, "%*s", (int)(column - used), "");
    text_write_wrapped(file, text, column, column);
}

static void write_option(FILE *file, const tlu_option_info *info, const struct verb *verb,
                         const tlu_options *given)
{
    char letter = option_letter(info->name);
    const char *text = option_description(info, verb, given);
    const char *name =
        format_text("%s--%s%s%s", letter ? format_text("-%c, ", letter) : "", info->name,
                    info->argument ? " " : "", info->argument ? info->argument : "");
    write_entry(file, name, text, HELP_COLUMN);
}

// Whether the option can have an effect with the learner of `given`: with --holdout and --C, on
// which that of others depends.
static bool can_matter(const tlu_option_info *info, const tlu_options *given)
{
    tlu_error error;
    char why[2];
    if (!given || tlu_option_find(info->name) != info)
        return true;
    tlu_options *options;
    tlu_options_new(&options, NULL);
    need(options);
    bool matters =
        tlu_options_set(options, "learner", tlu_options_get(given, "learner"), &error) != TLU_OK ||
        tlu_options_set(options, "holdout", "0.5", &error) != TLU_OK ||
        tlu_options_set(options, "C", "1", &error) != TLU_OK ||
        tlu_options_no_effect(options, info->name, why, sizeof why) == 0;
    tlu_options_free(options);
    return matters;
}

static void write_options(FILE *file, const struct verb *verb, const tlu_options *given)
{
    const tlu_option_info *rows[OPTIONS_MAX];
    size_t count = verb_listed_options(verb, rows);
    const char *last = "";
    for (size_t i = 0; i < count; i++) {
        const char *heading = option_heading(verb, rows[i]);
        bool learning = given && strcmp(heading, group_heading("learning")) == 0;
        if (!can_matter(rows[i], given))
            continue;
        if (strcmp(heading, last) != 0)
            fprintf(file, "\n%s%s%s:\n", heading, learning ? " with " : "",
                    learning ? tlu_options_get(given, "learner") : "");
        write_option(file, rows[i], verb, given);
        last = heading;
    }
}

static void write_exit_codes(FILE *file)
{
    fprintf(file, "\nExit status:\n");
    for (size_t i = 0; exit_codes[i]; i += 2)
        write_entry(file, exit_codes[i], exit_codes[i + 1], 7);
}

// ---- topics other than verbs

static void write_learners(FILE *file)
{
    fprintf(file, "\nLearners:\n");
    for (size_t i = 0; tlu_learner_at(i); i++)
        write_entry(file, tlu_learner_at(i)->name, tlu_learner_at(i)->summary, HELP_COLUMN - 4);
}

static void write_formats(FILE *file)
{
    text_write_wrapped(file,
                       "Formats of data, for --format. Data is recognised by its content: --format "
                       "is needed only if that fails. Files may be compressed (.gz, .zst). Every "
                       "format can have labels of any kind.",
                       0, 0);
    for (size_t i = 0; tlu_format_at(i); i++) {
        const tlu_format_info *format = tlu_format_at(i);
        const char *bar = strchr(format->names, '|');
        const char *name =
            bar ? format_text("%.*s, %s", (int)(bar - format->names), format->names, bar + 1)
                : format->names;
        fputc('\n', file);
        write_entry(file, name, format->help, 14);
        for (const char *line = format->example; *line;) {
            int length = (int)strcspn(line, "\n");
            fprintf(file, "%*s%.*s\n", 18, "", length, line);
            line += length + (line[length] == '\n');
        }
    }
    fprintf(file, "\nExamples (in the folder examples/ of the source):\n"
                  "  $ tlu train data/iris.csv --format csv --label species -o iris.tlu\n"
                  "  $ tlu convert data/weather.csv --to libsvm -o weather.svm\n");
}

static void write_metrics(FILE *file)
{
    text_write_wrapped(file,
                       "Metrics, for --metric. Those of scores need rows with scores, those of "
                       "probabilities a model with probabilities (--calibrate). Higher is better "
                       "unless it says lower.",
                       0, 0);
    fputc('\n', file);
    for (size_t i = 0; tlu_metric_at(i); i++) {
        const tlu_metric_info *metric = tlu_metric_at(i);
        bool labels = strcmp(metric->needs, "labels") == 0;
        const char *rows = strcmp(metric->rows, "sets") == 0 ? "multilabel models" : "";
        const char *text = format_text(
            "%s%s%s%s%s%s", metric->help, metric->higher_is_better ? "" : "; lower is better",
            labels ? "" : "; needs ", labels ? "" : metric->needs, *rows ? "; for " : "", rows);
        write_entry(file, metric->name, text, HELP_COLUMN - 4);
    }
    fprintf(file, "\nExamples (in the folder examples/ of the source):\n"
                  "  $ tlu cv data/iris.csv --metric f1-macro\n"
                  "  $ tlu compare data/weather.csv --metric balanced-accuracy\n");
}

static void write_verbs(FILE *file)
{
    static const struct {
        const struct verb *first;
        const char *heading;
    } sections[] = {{&train_verb, "Train and predict"},
                    {&eval_verb, "Measure and choose"},
                    {&inspect_verb, "Understand"},
                    {&separable_verb, "Prove"},
                    {&approximate_verb, "Functions and threshold units"},
                    {&split_verb, "Data and lists"}};
    for (size_t i = 0; verb_at(i); i++) {
        for (size_t s = 0; s < COUNT_OF(sections); s++)
            if (sections[s].first == verb_at(i))
                fprintf(file, "%s%s:\n", i ? "\n" : "", sections[s].heading);
        write_entry(file, verb_words(verb_at(i)), verb_at(i)->summary, 15);
    }
}

static const struct topic {
    const char *name;
    void (*write)(FILE *file);
} topics[] = {{"formats", write_formats}, {"metrics", write_metrics}, {"verbs", write_verbs}};

const char *help_topic_at(size_t index)
{
    return index < COUNT_OF(topics) ? topics[index].name : NULL;
}

bool help_topic(FILE *file, const char *name)
{
    for (size_t i = 0; i < COUNT_OF(topics); i++)
        if (strcmp(topics[i].name, name) == 0) {
            topics[i].write(file);
            return true;
        }
    return false;
}

// ---- pages

void help_verb(FILE *file, const struct verb *verb)
{
    help_verb_with(file, verb, NULL);
}

void help_verb_with(FILE *file, const struct verb *verb, const tlu_options *given)
{
    fprintf(file, "usage: tlu %s [OPTIONS]", verb_words(verb));
    for (const struct argument *argument = verb->arguments; argument->name; argument++)
        fprintf(file, argument->optional ? " [%s]" : " %s", argument->name);
    fprintf(file, "\n\n");
    text_write_wrapped(file, verb->description, 0, 0);
    if (verb->arguments[0].name)
        fprintf(file, "\nArguments:\n");
    for (const struct argument *argument = verb->arguments; argument->name; argument++)
        write_entry(file, argument->name, argument_description(argument), HELP_COLUMN);
    write_options(file, verb, given);
    if (verb == &learners_verb)
        write_learners(file);
    fprintf(file, "\nExamples (in the folder examples/ of the source):\n");
    for (size_t i = 0; verb->examples[i]; i++)
        fprintf(file, "  $ %s\n", verb->examples[i]);
    write_exit_codes(file);
}

void help_command(FILE *file)
{
    fprintf(file,
            "usage: tlu VERB [OPTIONS] ARGUMENTS\n\n"
            "tlu learns linear classifiers of the perceptron family from files and streams.\n\n");
    write_verbs(file);
    fprintf(file, "\nHelp:\n");
    write_entry(file, "help VERB", "everything about a verb; also tlu VERB --help", 15);
    write_entry(file, "help TOPIC",
                "formats: of data; learners: for --learner; metrics: for --metric; verbs: this "
                "list",
                15);
    fprintf(file, "\nOther options:\n");
    write_entry(file, "--version", "version, features and SIMD routines; also -v", HELP_COLUMN);
    write_entry(file, "--verbs", "the names of the verbs, one per line", HELP_COLUMN);
    write_entry(file, "--man [VERB]", "the manual page, for man -l -", HELP_COLUMN);
    write_entry(file, "--reference", "all options of all verbs, as Markdown", HELP_COLUMN);
    write_entry(file, "--completion SHELL", "completion for bash or zsh", HELP_COLUMN);
    fprintf(file, "\nExamples (in the folder examples/ of the source):\n"
                  "  $ tlu train data/digits-train.svm -o digits.tlu\n"
                  "  $ tlu eval digits.tlu data/digits-test.svm\n");
    write_exit_codes(file);
}
