#include "team.h"
#include "cli.h"
#include "progress.h"

#include <limits.h>
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

#ifdef TLU_HAVE_MPI
#include "tlu_mpi.h"

#include <dlfcn.h>

static const tlu_mpi_functions *mpi;
static tlu_team all;

// Variables that the starters of MPI jobs set for each process.
static bool is_started_by_mpi(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};
    for (size_t i = 0; i < COUNT_OF(variables); i++)
        if (getenv(variables[i]))
            return true;
    return false;
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

tlu_status team_open(const tlu_team **team, tlu_error *error)
{
    char why[512] = "it is not installed";
    *team = NULL;
    if (!is_started_by_mpi())
        return TLU_OK;
    catch_interrupts_in_job(); // also while it starts
    void *module = load_module(why, sizeof why);
    mpi = module ? dlsym(module, "tlu_mpi") : NULL;
    if (!mpi || mpi->version != TLU_VERSION_NUMBER)
        return fail(error, TLU_ERROR_SYSTEM,
                    "the module for MPI, " TLU_MPI_MODULE ", cannot be loaded: %s",
                    mpi ? "it is of another version" : why);
    TRY(mpi->open(&all, is_stopped, error));
    *team = all.ranks > 1 ? &all : NULL;
    verb_is_silent = all.rank > 0;
    return TLU_OK;
}

// The processes of a job are ended by a signal when one of them has gone.
static void end_process(const tlu_team *team, const char *reason, const char *checkpoint)
{
    bool there = checkpoint && access(checkpoint, F_OK) == 0;
    if (team->rank <= 1) { // if process 0 has gone, process 1 says so
        fprintf(stderr, "tlu: process %zu of %zu: %s", team->rank + 1, team->ranks, reason);
        if (there)
            fprintf(stderr,
                    "; the last checkpoint is in %s: the same command with --resume goes on",
                    path_text(stderr, checkpoint));
        fputc('\n', stderr);
    }
    fflush(NULL);
    _exit(TLU_ERROR_SYSTEM); // MPI_Finalize would wait for the processes that have gone
}

void team_check(const tlu_team *team, const char *checkpoint)
{
    if (team && interrupt_requested())
        end_process(team, "the job was ended, or has lost a process", checkpoint);
}

void team_close(const tlu_team *team, tlu_status status, const tlu_error *error,
                const char *checkpoint)
{
    team_check(team, checkpoint);
    if (team && status == TLU_ERROR_SYSTEM)
        end_process(team, error->text, checkpoint);
    if (mpi)
        mpi->close();
    mpi = NULL;
}

#else

tlu_status team_open(const tlu_team **team, tlu_error *error)
{
    const char *processes = getenv("OMPI_COMM_WORLD_SIZE");
    *team = NULL;
    if (processes && strcmp(processes, "1") != 0)
        return fail_input(error,
                          "this tlu was built without MPI, so that each of %s processes would "
                          "train a model of its own: build it where MPI is found",
                          processes);
    return TLU_OK;
}

void team_check(const tlu_team *team, const char *checkpoint)
{
    (void)team;
    (void)checkpoint;
}

void team_close(const tlu_team *team, tlu_status status, const tlu_error *error,
                const char *checkpoint)
{
    (void)team;
    (void)status;
    (void)error;
    (void)checkpoint;
}

#endif
