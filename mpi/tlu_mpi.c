/* Exchanges of bytes by Open MPI, or any other MPI.

   All calls of MPI that wait are tests in a loop that yields and then sleeps, because MPI_Wait
   would use a whole core and would never end if another process has gone. */
#include "tlu_mpi.h"

#include <mpi.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CHUNK ((size_t)1 << 30) /* bytes of one message; MPI counts in int */
/* Nanoseconds. A process yields its core for a while, then sleeps for a share of the time that it
   has waited, so that a wait becomes longer by this share at most. */
#define YIELD_MAX 2000000
#define SLEEP_MIN 20000
#define SLEEP_MAX 1000000
#define SLEEP_SHARE 8

static struct {
    size_t rank, ranks;
    pid_t parent;
    int (*stopped)(void);
    unsigned char *bytes; /* received in the last exchange */
    size_t capacity;
    uint64_t *sizes; /* [2 ranks]: sent, received */
    MPI_Request *requests;
    size_t request_capacity;
    MPI_Comm comm;
} state;

static int fail(tlu_error *error, const char *what)
{
    if (error) {
        memset(error, 0, sizeof *error);
        error->status = TLU_ERROR_SYSTEM;
        snprintf(error->text, sizeof error->text, "%s", what);
    }
    return 1;
}

static int check(int result, tlu_error *error)
{
    char reason[MPI_MAX_ERROR_STRING] = "", text[MPI_MAX_ERROR_STRING + 80];
    int length = 0;
    if (result == MPI_SUCCESS)
        return 0;
    MPI_Error_string(result, reason, &length);
    snprintf(text, sizeof text, "a process of the job cannot be reached any more: %s", reason);
    return fail(error, text);
}

static long long nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void pause_for_share(long long waited)
{
    long long share = waited / SLEEP_SHARE;
    struct timespec sleep = {0, share < SLEEP_MIN   ? SLEEP_MIN
                                : share > SLEEP_MAX ? SLEEP_MAX
                                                    : (long)share};
    nanosleep(&sleep, NULL);
}

/* Waits for all requests. */
static int finish(size_t count, tlu_error *error)
{
    long long started = nanoseconds();
    for (;;) {
        int done = 0;
        if (check(MPI_Testall((int)count, state.requests, &done, MPI_STATUSES_IGNORE), error))
            return 1;
        if (done)
            return 0;
        if (state.stopped())
            return fail(error, "the job was ended, or has lost a process");
        if (getppid() != state.parent)
            return fail(error, "the program that started the processes of the job has gone");
        long long waited = nanoseconds() - started;
        if (waited < YIELD_MAX)
            sched_yield();
        else
            pause_for_share(waited);
    }
}

static int reserve(size_t bytes, size_t requests, tlu_error *error)
{
    if (bytes > state.capacity) {
        free(state.bytes);
        state.bytes = malloc(bytes);
        state.capacity = state.bytes ? bytes : 0;
    }
    if (requests > state.request_capacity) {
        free(state.requests);
        state.requests = malloc(requests * sizeof(MPI_Request));
        state.request_capacity = state.requests ? requests : 0;
    }
    if ((bytes && !state.bytes) || !state.requests)
        return fail(error, "not enough memory for the messages of other processes");
    return 0;
}

static size_t chunks_of(uint64_t size)
{
    return (size_t)((size + CHUNK - 1) / CHUNK);
}

/* Starts to send or receive a message, in chunks. */
static int start(unsigned char *bytes, size_t size, size_t other, int sends, size_t *count,
                 tlu_error *error)
{
    for (size_t at = 0, tag = 1; at < size; at += CHUNK, tag++) {
        int length = (int)(size - at < CHUNK ? size - at : CHUNK);
        MPI_Request *request = &state.requests[(*count)++];
        int result = sends ? MPI_Isend(bytes + at, length, MPI_BYTE, (int)other, (int)tag,
                                       state.comm, request)
                           : MPI_Irecv(bytes + at, length, MPI_BYTE, (int)other, (int)tag,
                                       state.comm, request);
        if (check(result, error))
            return 1;
    }
    return 0;
}

static int exchange(void *context, const tlu_message *sent, tlu_message *received, tlu_error *error)
{
    uint64_t *out = state.sizes, *in = state.sizes + state.ranks;
    size_t bytes = 0, requests = 1, count = 0;
    (void)context;
    for (size_t i = 0; i < state.ranks; i++)
        out[i] = sent[i].size;
    if (reserve(0, 1, error) ||
        check(MPI_Ialltoall(out, 1, MPI_UINT64_T, in, 1, MPI_UINT64_T, state.comm,
                            &state.requests[0]),
              error) ||
        finish(1, error))
        return 1;
    for (size_t i = 0; i < state.ranks; i++) {
        bytes += (size_t)in[i];
        requests += chunks_of(in[i]) + chunks_of(out[i]);
    }
    if (reserve(bytes, requests, error))
        return 1;
    unsigned char *at = state.bytes;
    for (size_t i = 0; i < state.ranks; i++) {
        received[i] = (tlu_message){at, (size_t)in[i]};
        if (i == state.rank && in[i])
            memcpy(at, sent[i].bytes, (size_t)in[i]);
        else if (start(at, (size_t)in[i], i, 0, &count, error))
            return 1;
        at += in[i];
    }
    /* The next process first, so that not all send to the same one at the same time. */
    for (size_t k = 1; k < state.ranks; k++) {
        size_t i = (state.rank + k) % state.ranks;
        if (start((unsigned char *)sent[i].bytes, sent[i].size, i, 1, &count, error))
            return 1;
    }
    return finish(count, error);
}

/* Within one machine, Open MPI needs no network. Looking for one takes 0.2 s of the 0.3 s that
   MPI_Init takes, so this leaves it out unless the user has chosen. */
static void choose_transport(void)
{
    const char *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE"), *all = getenv("OMPI_COMM_WORLD_SIZE");
    if (here && all && strcmp(here, all) == 0)
        setenv("OMPI_MCA_pml", "ob1", 0);
}

static tlu_status module_open(tlu_team *team, int (*stopped)(void), tlu_error *error)
{
    int rank, ranks, started = 0;
    state.stopped = stopped;
    state.parent = getppid();
    MPI_Initialized(&started);
    choose_transport();
    if (!started && check(MPI_Init(NULL, NULL), error))
        return TLU_ERROR_SYSTEM;
    state.comm = MPI_COMM_WORLD;
    MPI_Comm_set_errhandler(state.comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(state.comm, &rank);
    MPI_Comm_size(state.comm, &ranks);
    state.rank = (size_t)rank;
    state.ranks = (size_t)ranks;
    state.sizes = calloc(2 * state.ranks, sizeof *state.sizes);
    if (!state.sizes) {
        fail(error, "not enough memory");
        return TLU_ERROR_SYSTEM;
    }
    *team = (tlu_team){
        .size = sizeof *team, .rank = state.rank, .ranks = state.ranks, .exchange = exchange};
    return TLU_OK;
}

/* At the end, a process sends several small messages to mpirun over TCP. Each would wait for the
   acknowledgement of the one before, which the receiver delays by 40 ms. */
static void send_at_once(void)
{
    enum { SOCKETS_MAX = 256 };
    for (int socket = 3, one = 1; socket < SOCKETS_MAX; socket++)
        (void)setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one); /* if it is one */
}

static void module_close(void)
{
    send_at_once();
    MPI_Finalize();
    free(state.bytes);
    free(state.sizes);
    free(state.requests);
}

__attribute__((visibility("default")))
const tlu_mpi_functions tlu_mpi = {TLU_VERSION_NUMBER, module_open, module_close};
