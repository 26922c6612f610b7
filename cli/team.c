#include "team.h"
#include "cli.h"
#include "progress.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/uio.h>
#include <unistd.h>

bool verb_is_silent;

// Calls the exchange once: process 0 sends these bytes to all.
static tlu_status send_to_all(const tlu_team *team, const tlu_message *message,
                              tlu_message *received, tlu_error *error)
{
    tlu_message *sent = need(calloc(2 * team->ranks, sizeof *sent));
    tlu_message *all = sent + team->ranks;
    for (size_t i = 0; i < team->ranks && team->rank == 0; i++)
        sent[i] = *message;
    bool failed = team->exchange(team->exchange_context, sent, all, error) != 0;
    *received = all[0];
    free(sent);
    return failed ? TLU_ERROR_SYSTEM : TLU_OK;
}

tlu_status team_share_model(const tlu_team *team, tlu_model **model, tlu_error *error)
{
    tlu_error own = {0};
    void *bytes = NULL;
    tlu_message message = {0}, received;
    if (team->rank == 0 && *model)
        own.status = tlu_model_save_bytes(*model, &bytes, &message.size, &own);
    message.bytes = bytes;
    tlu_status status = tlu_team_join(team, &own, error);
    if (status == TLU_OK)
        status = send_to_all(team, &message, &received, error);
    tlu_bytes_free(bytes);
    if (status != TLU_OK || team->rank == 0 || received.size == 0)
        return status;
    return tlu_model_load_bytes(received.bytes, received.size, model, error);
}

tlu_status team_take_part(const tlu_team *team, const struct arguments *arguments, tlu_error *error)
{
    const char *part = format_text("%zu/%zu", team->rank + 1, team->ranks);
    return tlu_options_set(arguments->library, "part", part, error);
}

// ---- what process 0 prints for all

#define SENT_BYTES ((size_t)4 << 20) // of text, in one exchange

// One exchange: process `sender` sends a piece of its file to process 0, which appends it to its
// own. *more: the piece was not the last.
static tlu_status send_text(const tlu_team *team, size_t sender, FILE *file, char *piece,
                            bool *more, tlu_error *error)
{
    tlu_message *sent = need(calloc(2 * team->ranks, sizeof *sent));
    tlu_message *received = sent + team->ranks;
    size_t size = 0;
    if (team->rank == sender) {
        size = fread(piece + 1, 1, SENT_BYTES, file);
        piece[0] = size == SENT_BYTES;
        for (size_t i = 0; i < team->ranks; i++)
            sent[i] = (tlu_message){piece, i == 0 ? size + 1 : 1};
    }
    bool failed = team->exchange(team->exchange_context, sent, received, error) != 0;
    if (!failed) {
        const char *bytes = received[sender].bytes;
        *more = bytes[0] != 0;
        if (team->rank == 0)
            fwrite(bytes + 1, 1, received[sender].size - 1, file);
    }
    free(sent);
    return failed ? TLU_ERROR_SYSTEM : TLU_OK;
}

tlu_status team_gather_text(const tlu_team *team, FILE *file, tlu_error *error)
{
    tlu_error own = {0};
    OWNED(char) piece = need(malloc(SENT_BYTES + 1));
    if (team->rank > 0)
        rewind(file);
    for (size_t sender = 1; sender < team->ranks; sender++)
        for (bool more = true; more;)
            TRY(send_text(team, sender, file, piece, &more, error));
    if (team->rank > 0 && ferror(file))
        own.status = fail(&own, TLU_ERROR_SYSTEM, "a temporary file cannot be read");
    return tlu_team_join(team, &own, error);
}

// The counts of a process.
struct reading_counts {
    tlu_reader_stats stats;
    uint64_t marked;
};

tlu_status team_sum_reading(const tlu_team *team, tlu_reader_stats *stats, uint64_t *marked,
                            tlu_error *error)
{
    struct reading_counts own = {*stats, *marked};
    tlu_message *sent = need(calloc(2 * team->ranks, sizeof *sent));
    tlu_message *received = sent + team->ranks;
    for (size_t i = 0; i < team->ranks; i++)
        sent[i] = (tlu_message){&own, sizeof own};
    bool failed = team->exchange(team->exchange_context, sent, received, error) != 0;
    *stats = (tlu_reader_stats){0};
    *marked = 0;
    for (size_t i = 0; !failed && i < team->ranks; i++) {
        struct reading_counts theirs;
        memcpy(&theirs, received[i].bytes, sizeof theirs);
        if (stats->unknown_labels == 0) {
            memcpy(stats->unknown_label, theirs.stats.unknown_label, sizeof stats->unknown_label);
            memcpy(stats->closest_label, theirs.stats.closest_label, sizeof stats->closest_label);
        }
        stats->rows += theirs.stats.rows;
        stats->skipped += theirs.stats.skipped;
        stats->unseen_values += theirs.stats.unseen_values;
        stats->unknown_rows += theirs.stats.unknown_rows;
        stats->unknown_labels += theirs.stats.unknown_labels;
        *marked += theirs.marked;
    }
    free(sent);
    return failed ? TLU_ERROR_SYSTEM : TLU_OK;
}

#ifdef TLU_HAVE_MPI
#include "tlu_mpi.h"

#include <dlfcn.h>

static const tlu_mpi_functions *mpi;
static tlu_team all;

// The number of this process, which the starters of MPI jobs set; NULL: none has started it.
static const char *rank_by_starter(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    const char *rank = NULL;
    for (size_t i = 0; !rank && i < COUNT_OF(variables); i++)
        rank = getenv(variables[i]);
    return rank;
}

static int is_stopped(void)
{
    return interrupt_requested();
}

// The module is beside the command, as built, or in the folder for libraries.
static void *load_module(char *why, size_t size)
{
    static const char *const places[] = {"%s/" TLU_MPI_MODULE,
                                         "%s/../" TLU_LIBDIR "/tlu/" TLU_MPI_MODULE};
    char self[PATH_MAX], path[PATH_MAX + 256];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return NULL;
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < COUNT_OF(places); i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(path, sizeof path, places[i], self);
#pragma GCC diagnostic pop
        if (access(path, R_OK) != 0)
            continue;
        void *module =
            dlopen(path, RTLD_NOW | RTLD_GLOBAL); // MPI loads plugins that use its symbols
        if (module)
            return module;
        snprintf(why, size, "%s", dlerror());
    }
    return NULL;
}

// mpirun ends the processes of a job by SIGTERM when one of them has gone, and soon passes on no
// more of what they print. So the handler of the signal prints. If process 0 has gone, process 1
// does.
static struct {
    char text[512];              // why the job ends, for the handler
    char path[PATH_MAX];         // of the checkpoint; "": none
    char advice[PATH_MAX + 128]; // how to go on from it
} last_words;
static volatile sig_atomic_t words_are_said;

static void say(const char *text, const char *path, const char *advice)
{
    if (words_are_said || all.rank > 1)
        return;
    words_are_said = 1;
    struct iovec parts[] = {
        {(char *)text, strlen(text)}, {(char *)advice, strlen(advice)}, {"\n", 1}};
    if (path[0] == '\0' || access(path, F_OK) != 0)
        parts[1].iov_len = 0;
    if (writev(STDERR_FILENO, parts, COUNT_OF(parts)) < 0)
        return; // standard error is closed
}

// Called by the handler of a signal.
static void say_last_words(void)
{
    int before = errno;
    say(last_words.text, last_words.path, last_words.advice);
    errno = before;
}

static void prepare_words(char *text, size_t size, const char *reason)
{
    if (all.ranks)
        snprintf(text, size, "tlu: process %zu of %zu: %s", all.rank + 1, all.ranks, reason);
    else // it is starting
        snprintf(text, size, "tlu: %s", reason);
}

void team_set_checkpoint(const char *checkpoint)
{
    snprintf(last_words.advice, sizeof last_words.advice,
             "; the last checkpoint is in %s: the same command with --resume goes on",
             checkpoint ? path_text(stderr, checkpoint) : "");
    snprintf(last_words.path, sizeof last_words.path, "%s", checkpoint ? checkpoint : "");
}

static void end_process(const char *reason)
{
    char text[1200];
    prepare_words(text, sizeof text, reason);
    say(text, last_words.path, last_words.advice);
    fflush(NULL);
    _exit(TLU_ERROR_SYSTEM); // MPI_Finalize would wait for the processes that have gone
}

#define JOB_ENDED "the job was ended, or has lost a process"

void team_check(const tlu_team *team)
{
    if (team && interrupt_requested())
        end_process(JOB_ENDED);
}

void team_close(const tlu_team *team, tlu_status status, const tlu_error *error)
{
    team_check(team);
    if (team && status == TLU_ERROR_SYSTEM)
        end_process(error->text);
    if (team && status != TLU_OK) {
        // The first process to end lets mpirun end the others: this one, perhaps, before it could.
        words_are_said = 1;
        if (!verb_is_silent)
            fprintf(stderr, "tlu: %s\n", error->text);
        verb_is_silent = true;
    }
    if (mpi)
        mpi->close();
    mpi = NULL;
}

// Each process reads its part of DATA, the last argument.
static tlu_status check_data(const struct arguments *arguments, tlu_error *error)
{
    if (option_is_given(arguments->library, "part"))
        return fail_input(error, "--part cannot be combined with several processes, each of which "
                                 "reads a part of its own; leave it out");
    if (strcmp(arguments->positional[arguments->positional_count - 1], "-") == 0)
        return fail_input(error, "standard input cannot be read in parts by several processes; "
                                 "write the data to a file");
    return TLU_OK;
}

// Adds a word and a newline to the end of *text, which is allocated.
static void append_line(char **text, const char *word)
{
    size_t length = *text ? strlen(*text) : 0, more = word ? strlen(word) : 0;
    *text = need(realloc(*text, length + more + 2));
    memcpy(*text + length, word ? word : "", more);
    memcpy(*text + length + more, "\n", 2);
}

// Whether all processes have the same arguments.
static tlu_status compare_arguments(const tlu_team *team, const struct arguments *arguments,
                                    bool *same, tlu_error *error)
{
    char *own = NULL;
    append_line(&own, arguments->verb->name);
    for (size_t i = 0; i < arguments->positional_count; i++)
        append_line(&own, arguments->positional[i]);
    for (size_t i = 0; i < OWN_OPTIONS_MAX; i++)
        append_line(&own, arguments->values[i]);
    size_t size = strlen(own);
    tlu_message *sent = need(calloc(2 * team->ranks, sizeof *sent));
    tlu_message *received = sent + team->ranks;
    for (size_t i = 0; i < team->ranks; i++)
        sent[i] = (tlu_message){own, size};
    bool failed = team->exchange(team->exchange_context, sent, received, error) != 0;
    *same = true;
    for (size_t i = 0; !failed && i < team->ranks; i++)
        *same &= received[i].size == size && memcmp(received[i].bytes, own, size) == 0;
    free(own);
    free(sent);
    return failed ? TLU_ERROR_SYSTEM : TLU_OK;
}

// Each process predicts a part of the same rows, and process 0 writes all answers: processes with
// data or output of their own would lose theirs.
static tlu_status check_arguments(const tlu_team *team, const struct arguments *arguments,
                                  tlu_error *error)
{
    bool same;
    TRY(compare_arguments(team, arguments, &same, error));
    return same ? TLU_OK
                : fail_input(error, "the processes of the job have different arguments, but each "
                                    "reads a part of the same rows; give all the same files "
                                    "and options");
}

static tlu_status join_job(const tlu_team **team, tlu_error *error)
{
    char why[512] = "it is not installed";
    *team = NULL;
    const char *rank = rank_by_starter();
    if (!rank)
        return TLU_OK;
    all.rank = strtoul(rank, NULL, 10); // until MPI says so
    prepare_words(last_words.text, sizeof last_words.text, JOB_ENDED);
    catch_interrupts_in_job(say_last_words); // also while it starts
    void *module = load_module(why, sizeof why);
    mpi = module ? dlsym(module, "tlu_mpi") : NULL;
    if (!mpi || mpi->version != TLU_VERSION_NUMBER)
        return fail(error, TLU_ERROR_SYSTEM,
                    "the module for MPI, " TLU_MPI_MODULE ", cannot be loaded: %s",
                    mpi ? "it is of another version" : why);
    TRY(mpi->open(&all, is_stopped, error));
    *team = all.ranks > 1 ? &all : NULL;
    if (!*team)
        release_interrupts(); // train catches them again
    verb_is_silent = all.rank > 0;
    prepare_words(last_words.text, sizeof last_words.text, JOB_ENDED);
    return TLU_OK;
}

tlu_status team_open(const tlu_team **team, const struct arguments *arguments, tlu_error *error)
{
    TRY(join_job(team, error));
    tlu_status status = *team ? check_data(arguments, error) : TLU_OK;
    if (status == TLU_OK && *team && strcmp(verb_words(arguments->verb), "train") != 0)
        status = check_arguments(*team, arguments, error);
    if (status != TLU_OK)
        team_close(*team, status, error);
    return status;
}

tlu_status team_refuse(const struct arguments *arguments, tlu_error *error)
{
    const tlu_team *team;
    bool same = false;
    TRY(join_job(&team, error));
    tlu_status status = team ? compare_arguments(team, arguments, &same, error) : TLU_OK;
    if (status == TLU_OK && same)
        status = fail_input(error,
                            "%s runs in one process, on all its cores; start it without mpirun: "
                            "train, predict, eval and cv run in several",
                            verb_words(arguments->verb));
    team_close(team, status, error); // all end together, so that mpirun passes on the message
    if (team && status == TLU_OK) {
        release_interrupts();
        verb_is_silent = false;
    }
    return status;
}

#else

tlu_status team_open(const tlu_team **team, const struct arguments *arguments, tlu_error *error)
{
    const char *processes = getenv("OMPI_COMM_WORLD_SIZE");
    (void)arguments;
    *team = NULL;
    if (processes && strcmp(processes, "1") != 0)
        return fail_input(error,
                          "this tlu was built without MPI, so that each of %s processes would "
                          "do the whole work: build it where MPI is found",
                          processes);
    return TLU_OK;
}

tlu_status team_refuse(const struct arguments *arguments, tlu_error *error)
{
    const tlu_team *team;
    return team_open(&team, arguments, error);
}

void team_set_checkpoint(const char *checkpoint)
{
    (void)checkpoint;
}

void team_check(const tlu_team *team)
{
    (void)team;
}

void team_close(const tlu_team *team, tlu_status status, const tlu_error *error)
{
    (void)team;
    (void)status;
    (void)error;
}

#endif
