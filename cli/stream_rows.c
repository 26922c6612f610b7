// tlu learn's stream: standard input, standard output and signals, waited for in one place.
#include "stream.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PIPE_SIZE (1 << 20)

double learn_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// ---- signals: the first of an end saves, another ends the program

static atomic_int ending, saving; // a second thread may look, too

static void on_signal(int number)
{
    if (number == SIGHUP)
        saving = 1;
    else
        ending = number;
}

static void catch_signals(sigset_t *waiting)
{
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;
    sigset_t blocked;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++) {
        action.sa_flags = caught[i] == SIGHUP ? 0 : (int)SA_RESETHAND;
        sigaction(caught[i], &action, NULL);
        sigaddset(&blocked, caught[i]);
    }
    sigprocmask(SIG_BLOCK, &blocked, waiting); // they come while we wait, and only then
    action.sa_handler = SIG_IGN; // a reader that went away is an error like others: save, then end
    sigaction(SIGPIPE, &action, NULL);
}

bool learn_interrupted(void)
{
    return ending;
}

// Signals that came while rows were learned: if there is always something to read, waiting for it
// lets none of them in.
static void hear_signals(const struct stream *stream)
{
    sigset_t pending, blocked;
    if (sigpending(&pending) != 0 ||
        !(sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
          sigismember(&pending, SIGHUP)))
        return;
    sigprocmask(SIG_SETMASK, &stream->waiting, &blocked);
    sigprocmask(SIG_SETMASK, &blocked, NULL);
}

// ---- saving

// What cannot be saved is for the machine's owner to mend: the model on the disk stays as it was.
tlu_status learn_save(struct stream *stream, tlu_error *error)
{
    tlu_status status = tlu_stream_save(stream->stream, error);
    stream->saved = learn_now();
    return status == TLU_OK ? TLU_OK : TLU_ERROR_SYSTEM;
}

static tlu_status save_when_due(struct stream *stream, tlu_error *error)
{
    bool due = stream->checkpoint > 0 && learn_now() - stream->saved >= stream->checkpoint;
    if (!saving && !due)
        return TLU_OK;
    if (saving)
        learn_report(stream, tlu_stream_get_stats(stream->stream));
    saving = 0;
    return learn_save(stream, error);
}

// ---- answering

// Until a descriptor is ready, it is time to save, or a signal came. False: only the latter.
static bool wait_for(const struct stream *stream, int descriptor, short events)
{
    struct pollfd about = {.fd = descriptor, .events = events};
    struct timespec left, *timeout = NULL;
    if (stream->checkpoint > 0) {
        double seconds = stream->saved + stream->checkpoint - learn_now();
        seconds = seconds > 0 ? seconds : 0;
        left.tv_sec = (time_t)seconds;
        left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
        timeout = &left;
    }
    return ppoll(&about, 1, timeout, &stream->waiting) > 0;
}

// Until there is room for answers. If they are not read, signals are still heard, and
// what was learned is saved; the answers wait, though not for longer than until the second signal.
static tlu_status wait_for_room(struct stream *stream, tlu_error *error)
{
    tlu_status status = TLU_OK;
    while (status == TLU_OK && !wait_for(stream, STDOUT_FILENO, POLLOUT)) {
        if (ending && !stream->ended)
            saving = stream->ended = 1;
        status = save_when_due(stream, error);
    }
    return status;
}

// A pipe that has room takes PIPE_BUF bytes without a wait, in which no signal would be heard.
static tlu_status write_answers(struct stream *stream, const char *text, size_t length,
                                tlu_error *error)
{
    while (length) {
        size_t size = stream->to_file || length < PIPE_BUF ? length : PIPE_BUF;
        tlu_status status = stream->to_file ? TLU_OK : wait_for_room(stream, error);
        if (status != TLU_OK)
            return status;
        ssize_t n = write(STDOUT_FILENO, text, size);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0)
            return fail(error, TLU_ERROR_SYSTEM, "cannot write to standard output: %s",
                        strerror(errno));
        text += n;
        length -= (size_t)n;
    }
    return TLU_OK;
}

// What is there by now; nothing once the stream is to end.
static int read_some(void *context, char *bytes, size_t size, size_t *got, int *end,
                     tlu_error *error)
{
    struct stream *stream = context;
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    if (ending || (!stream->readable && poll(&input, 1, 0) <= 0))
        return 0;
    stream->readable = false;
    ssize_t n = read(STDIN_FILENO, bytes, size);
    if (n < 0 && errno != EINTR && errno != EAGAIN)
        return (int)fail(error, TLU_ERROR_SYSTEM, "cannot read the stream: %s", strerror(errno));
    *end = n == 0;
    *got = n > 0 ? (size_t)n : 0;
    return 0;
}

static tlu_status answer(struct stream *stream, const char *text, size_t length, tlu_error *error)
{
    if (!streams_on_terminal())
        return write_answers(stream, text, length, error);
    size_t size;
    char *escaped = streams_escaped(text, length, &size);
    tlu_status status = write_answers(stream, escaped, size, error);
    free(escaped);
    return status;
}

// One pull, and what it answers. An error of the pull counts more than one of writing.
static tlu_status pull(struct stream *stream, tlu_stream_state *state, tlu_error *error)
{
    tlu_error unheard;
    const char *text;
    size_t length;
    tlu_status status =
        tlu_stream_poll(stream->stream, read_some, stream, state, &text, &length, error);
    tlu_status written = answer(stream, text, length, status == TLU_OK ? error : &unheard);
    return status == TLU_OK ? written : status;
}

static tlu_status follow(struct stream *stream, tlu_error *error)
{
    tlu_status status = TLU_OK;
    tlu_stream_state state = TLU_STREAM_WAIT;
    while (status == TLU_OK && state != TLU_STREAM_END && (!ending || state == TLU_STREAM_MORE)) {
        if (state == TLU_STREAM_WAIT) // else other threads may be reading
            stream->readable = wait_for(stream, STDIN_FILENO, POLLIN);
        if (state == TLU_STREAM_MORE || stream->readable)
            status = pull(stream, &state, error);
        hear_signals(stream);
        if (status == TLU_OK)
            status = save_when_due(stream, error);
    }
    return status;
}

tlu_status learn_follow(struct stream *stream, tlu_error *error)
{
    struct stat output;
    stream->to_file = fstat(STDOUT_FILENO, &output) == 0 && S_ISREG(output.st_mode);
    ending = saving = 0;
    catch_signals(&stream->waiting);
    fcntl(STDIN_FILENO, F_SETPIPE_SZ, PIPE_SIZE); // fewer switches of programs; or not
    learn_report_start(stream);
    tlu_status status = follow(stream, error);
    sigprocmask(SIG_SETMASK, &stream->waiting, NULL);
    return status;
}
