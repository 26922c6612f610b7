// The command: finds the verb, parses what stands after it, runs it, turns errors into exit codes.
#include "cli.h"
#include "progress.h"
#include "team.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct verb *const verbs[] = {
#define VERB_ROW(name) &name##_verb,
    VERBS(VERB_ROW)
#undef VERB_ROW
};

int verb_answer = ANSWER_YES;

const char *const exit_codes[] = {"0",   "done, or the answer is yes",
                                  "1",   "the answer is no",
                                  "2",   "the data, an option or an argument is wrong",
                                  "3",   "a failure of the machine: out of memory, disk full",
                                  "4",   "not decided",
                                  "130", "interrupted by Ctrl-C; 143: by SIGTERM",
                                  NULL};

const struct verb *verb_at(size_t index)
{
    return index < COUNT_OF(verbs) ? verbs[index] : NULL;
}

const struct verb *verb_named(const char *name)
{
    const struct verb *verb;
    for (size_t i = 0; (verb = verb_at(i)) != NULL; i++)
        if (strcmp(verb->name, name) == 0)
            return verb;
    return NULL;
}

const char *verb_words(const struct verb *verb)
{
    int first = (int)strcspn(verb->name, "-");
    return verb->name[first] ? format_text("%.*s %s", first, verb->name, verb->name + first + 1)
                             : verb->name;
}

static tlu_status find_verb(const char *name, const struct verb **verb, tlu_error *error)
{
    *verb = verb_named(name);
    if (*verb)
        return TLU_OK;
    const char *names[COUNT_OF(verbs) + 1];
    size_t count = 0;
    for (; verb_at(count); count++)
        names[count] = verb_at(count)->name;
    names[count++] = "help";
    const char *shown = text_clip(name, 60);
    if (strcmp(name, "learn") == 0)
        return fail_input(error, "there is no verb 'learn': the verb is now 'stream'");
    const char *near = verb_synonym(name), *answer = verb_answer_to(name);
    if (!near && !answer && strpbrk(name, "./") && access(name, F_OK) == 0)
        return fail_input(error,
                          "there is no verb '%s'; write a verb before the file, as in tlu train %s",
                          shown, shown);
    if (answer)
        return fail_input(error, "there is no verb '%s'; %s", shown, answer);
    for (size_t i = 0; tlu_learner_at(i); i++)
        if (strcmp(tlu_learner_at(i)->name, name) == 0)
            return fail_input(error,
                              "there is no verb '%s'; a learner is an option: tlu train DATA "
                              "--learner %s",
                              shown, shown);
    if (!near)
        near = nearest_name(name + strspn(name, "-"), names, count);
    if (near)
        return fail_input(error, "there is no verb '%s'; did you mean tlu %s?", shown, near);
    return fail_input(error, "there is no verb '%s'; tlu help lists them", shown);
}

// Verbs of two words, "logic count", are in the table with a hyphen between them. *used is how many
// of the words are the verb.
static tlu_status find_words(int count, char **words, const struct verb **verb, int *used,
                             tlu_error *error)
{
    char both[80];
    *used = 2;
    if (count > 1) {
        snprintf(both, sizeof both, "%s-%s", words[0], words[1]);
        *verb = verb_named(both);
        if (*verb)
            return TLU_OK;
    }
    *used = 1;
    return find_verb(words[0], verb, error);
}

// ---- what the command says about itself

// A wrong TLU_SIMD is an error, because a benchmark or test would measure other routines unnoticed.
static tlu_status check_environment(tlu_error *error)
{
    const char *wanted = getenv("TLU_SIMD");
    if (getenv("TLU_KERNELS"))
        return fail_input(error, "TLU_KERNELS is now TLU_SIMD");
    if (!wanted || !*wanted || strcmp(wanted, tlu_instruction_set()) == 0)
        return TLU_OK;
    return fail_input(error,
                      "TLU_SIMD is '%s', which this machine does not have; expected plain, sse2, "
                      "neon, avx2 or avx512, up to what tlu --version prints without it",
                      text_clip(wanted, 30));
}

static tlu_status show_version(tlu_error *error)
{
    TRY(check_environment(error));
    printf("tlu %s\nfeatures: %s\nSIMD: %s\n", tlu_version(), tlu_built_with(),
           tlu_instruction_set());
    return TLU_OK;
}

// The help or the manual of the command (no words) or of a verb.
static tlu_status show_text(int count, char **words, void (*command)(FILE *),
                            void (*one)(FILE *, const struct verb *), tlu_error *error)
{
    const struct verb *verb;
    int used;
    if (count == 0) {
        command(stdout);
        return TLU_OK;
    }
    if (one == help_verb && help_topic(stdout, words[0]))
        return TLU_OK;
    TRY(find_words(count, words, &verb, &used, error));
    one(stdout, verb);
    return TLU_OK;
}

static tlu_status show_completion(const char *shell, tlu_error *error)
{
    if (shell && strcmp(shell, "bash") == 0)
        completion_bash(stdout);
    else if (shell && strcmp(shell, "zsh") == 0)
        completion_zsh(stdout);
    else
        return fail_input(error, "--completion is one of bash, zsh");
    return TLU_OK;
}

// ---- running a verb

// ---- files that are not there

// The name of a file in the folder of `path` that is meant by it; NULL: none is near.
static const char *near_file(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *near = NULL;
    const char *folder = slash ? format_text("%.*s", (int)(slash - path + 1), path) : "./";
    size_t least = strlen(name) / 4 + 1;
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries)) != NULL;) {
        size_t distance = tlu_text_distance(entry->d_name, name);
        // Of equally near ones the first in the alphabet, whatever the order in the folder.
        if (distance > 0 && entry->d_name[0] != '.' &&
            (distance < least ||
             (distance == least && (!near || strcmp(entry->d_name, near) < 0)))) {
            least = distance;
            near = format_text("%s", entry->d_name);
        }
    }
    if (entries)
        closedir(entries);
    return near ? format_text("%s%s", slash ? folder : "", near) : NULL;
}

static bool is_missing(const char *path)
{
    struct stat about;
    return path && strcmp(path, "-") != 0 && stat(path, &about) != 0 && errno == ENOENT;
}

// Adds to an error what to do about a misspelt file or a missing folder, if that is the cause.
static void explain_files(const struct arguments *arguments, tlu_error *error)
{
    const char *output = arguments_text(arguments, "output"), *slash;
    const char *cause = strstr(error->text, "No such file or directory");
    if (!cause || strlen(cause) != strlen("No such file or directory"))
        return;
    for (size_t i = 0; i < arguments->positional_count + arguments->repeated_count; i++) {
        const char *path = i < arguments->positional_count
                               ? arguments->positional[i]
                               : arguments->repeated[i - arguments->positional_count];
        if (!is_missing(path) || !strstr(error->text, path))
            continue;
        if (strstr(path, "://"))
            fail(error, TLU_ERROR_INPUT,
                 "%s is an address, and tlu reads files and pipes; "
                 "download it, or put 'curl -sL %s |' before the command and - in its place",
                 text_clip(path, 200), text_clip(path, 200));
        const char *near = strstr(path, "://") ? NULL : near_file(path);
        bool reads_rows = arguments->verb == &predict_verb || arguments->verb == &explain_verb;
        if (near)
            fail(error, TLU_ERROR_INPUT, "%s; did you mean '%s'?", format_text("%s", error->text),
                 text_clip(near, 100));
        else if (reads_rows && path == arguments->positional[1] && strpbrk(path, " ,"))
            fail(error, TLU_ERROR_INPUT,
                 "%s; if this is a row, pass it through a pipe: echo '%s' | tlu %s %s -",
                 format_text("%s", error->text), text_clip(path, 100), arguments->verb->name,
                 text_clip(arguments->positional[0], 100));
        return;
    }
    if (output && (slash = strrchr(output, '/')) != NULL && slash > output) {
        const char *folder = format_text("%.*s", (int)(slash - output), output);
        if (is_missing(folder))
            fail(error, TLU_ERROR_INPUT, "%s; make the folder '%s' first",
                 format_text("%s", error->text), text_clip(folder, 100));
    }
}

// These share their work under mpirun.
static bool runs_in_several(const struct verb *verb)
{
    return verb == &train_verb || verb == &predict_verb || verb == &eval_verb || verb == &cv_verb;
}

static tlu_status run_parsed(const struct arguments *arguments, tlu_error *error)
{
    if (arguments->positional_count > 0 && !runs_in_several(arguments->verb))
        TRY(team_refuse(arguments, error));
    const char *form = arguments_text(arguments, "as");
    if (arguments->json || (form && strcmp(form, "json") == 0))
        streams_json();
    return arguments->verb->run(arguments, error);
}

static tlu_status run_verb(int count, char **words, tlu_error *error)
{
    const struct verb *verb;
    int used;
    TRY(check_environment(error));
    TRY(find_words(count, words, &verb, &used, error));
    struct arguments arguments;
    tlu_status status = arguments_parse(&arguments, verb, count - used, words + used, error);
    if (status == TLU_OK && arguments.help)
        help_verb_with(stdout, verb,
                       option_is_given(arguments.library, "learner") ? arguments.library : NULL);
    else if (status == TLU_OK)
        status = run_parsed(&arguments, error);
    if (status != TLU_OK && error)
        explain_files(&arguments, error);
    arguments_free(&arguments);
    return status;
}

static tlu_status run(int count, char **words, tlu_error *error)
{
    const char *word = words[0], *next = count > 1 ? words[1] : NULL;
    if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return show_text(count - 1, words + 1, help_command, help_verb, error);
    if (strcmp(word, "--version") == 0 || strcmp(word, "-v") == 0 || strcmp(word, "-V") == 0 ||
        strcmp(word, "version") == 0)
        return show_version(error);
    if (strcmp(word, "--man") == 0)
        return show_text(count - 1, words + 1, man_command, man_verb, error);
    if (strcmp(word, "--completion") == 0)
        return show_completion(next, error);
    bool verbs_only = strcmp(word, "--verbs") == 0, reference = strcmp(word, "--reference") == 0;
    if (!verbs_only && !reference)
        return run_verb(count, words, error);
    for (size_t i = 0; verbs_only && verb_at(i); i++)
        puts(verb_at(i)->name);
    if (reference)
        reference_write(stdout);
    return TLU_OK;
}

// If a standard stream is closed, the next file that is opened would get its number, and output
// would go there. Opens /dev/null in its place, in the wrong direction, so that using it fails.
static void fill_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
    fill_standard_streams();
    signal(SIGXFSZ, SIG_IGN); // a write beyond the limit on the size of files fails with EFBIG
    setenv("OPENBLAS_NUM_THREADS", "1", 0); // nets start those that they need; proofs need none
    streams_open();
    if (argc < 2) {
        help_command(stderr);
        return TLU_ERROR_INPUT;
    }
    tlu_error error;
    tlu_status status = run(argc - 1, argv + 1, &error);
    struct output output = {.file = stdout};
    status = output_close(&output, status, &error);
    if (status != TLU_OK && !verb_is_silent)
        fprintf(stderr, "tlu: %s\n", error.text);
    if (status == TLU_OK)
        return verb_answer;
    if (status == TLU_INTERRUPTED && interrupt_requested())
        return interrupt_exit_code();
    return status == TLU_INTERRUPTED ? TLU_ERROR_SYSTEM : (int)status;
}
