// tlu stream: predictions out, examples in, for as long as the stream lasts.
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PIPE_SIZE (1 << 20)
#define MANY_LABELS 50 // rows: with fewer, most labels may be new

static const tlu_option_info options[] = {
    NUMBER_OPTION("checkpoint", "SECONDS", "60", 0, 1e9,
                  "save the model this often; 0: only at the end and when a signal asks for it"),
    FLAG_OPTION(
        "journal",
        "write every row to MODEL.journal before it is answered, and learn at the start what "
        "the model lacks of it: nothing that was answered is lost"),
    FLAG_OPTION("scores", "after the label and a tab, its score; of several labels a list"),
    FLAG_OPTION(
        "probabilities",
        "after these and a tab, the probability of the label; nan before there are two classes, "
        "or if a class came after calibration"),
    COUNT_OPTION("window", "N", "1000", 1, 1e9, "labelled rows in the sliding accuracy"),
    COUNT_OPTION("report-every", "N", "", 1, COUNT_MAX,
                 "report after each N labelled rows; without it, after 1, 2, 4, 8, ..."),
    FLAG_OPTION("json", "report as JSON on standard error, one object per line"),
    TEXT_OPTION("log", "FILE", "append these JSON reports to FILE, with or without --json"),
    FLAG_OPTION("quiet", "print no reports"),
};

struct reports {
    bool json, quiet;
    bool titled;    // the table has its title
    double started; // seconds
    uint64_t rows;  // at the last report
    FILE *log;
    const char *log_name; // NULL: no log, or it could not be written to
};

struct stream {
    tlu_stream *stream;
    const char *model; // its path
    bool journal;      // there is one
    struct reports reports;
    double checkpoint, saved; // seconds between two; when the last was
    uint64_t saved_rows;      // that the model had learned from then
    bool readable;            // by the last poll; owned by the reading thread
    bool to_file;             // answers go to a file, which is never waited for
    bool ended;               // saved for a signal that ends, with answers left to write
    sigset_t waiting;         // the signals that are blocked while it waits
};

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// ---- reports: a table for people, JSON for machines and the log

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static void report_json(FILE *file, const struct stream *stream, const tlu_stream_stats *counts)
{
    struct json json = json_open(file);
    JSON_MEMBERS(&json, counts, rows, examples, correct);
    json_number(&json, "accuracy", share(counts->correct, counts->examples));
    json_count(&json, "window", counts->window);
    json_number(&json, "window_accuracy", share(counts->window_correct, counts->window));
    JSON_MEMBERS(&json, counts, learned, replayed, skipped, features, classes);
    if (counts->slots) {
        JSON_MEMBERS(&json, counts, slots, slots_used, slots_shared);
    }
    json_text(&json, "decided_by", counts->decided_by);
    json_number(&json, "seconds", seconds_now() - stream->reports.started);
    json_end(&json);
    fflush(file);
}

// A failed write to the log is reported; learning continues.
static void report_to_log(struct stream *stream, const tlu_stream_stats *counts)
{
    if (!stream->reports.log)
        return;
    report_json(stream->reports.log, stream, counts);
    if (ferror(stream->reports.log) && stream->reports.log_name) {
        fprintf(stderr, "tlu: %s cannot be written and lacks reports: %s\n",
                path_text(stderr, stream->reports.log_name), strerror(errno));
        stream->reports.log_name = NULL;
    }
}

static int report(void *context, const tlu_stream_stats *counts)
{
    struct stream *stream = context;
    stream->reports.rows = counts->rows;
    report_to_log(stream, counts);
    if (stream->reports.quiet)
        return 0;
    if (stream->reports.json) {
        report_json(stderr, stream, counts);
        return 0;
    }
    const char *format = tlu_stream_assumption(stream->stream);
    if (!stream->reports.titled && format)
        fprintf(stderr,
                "note: taken for %s; give --format, --label or another option about columns if "
                "that is wrong\n",
                format);
    if (!stream->reports.titled)
        fprintf(stderr, "%12s %12s %9s %9s %10s %8s%s\n", "rows", "labelled", "accuracy", "window",
                "features", "classes", counts->slots ? " collisions" : "");
    stream->reports.titled = true;
    fprintf(stderr, "%12llu %12llu %9s %9s %10llu %8llu", ULL(counts->rows), ULL(counts->examples),
            percent_text((double)counts->correct, (double)counts->examples),
            percent_text((double)counts->window_correct, (double)counts->window),
            ULL(counts->features), ULL(counts->classes));
    if (counts->slots)
        fprintf(stderr, " %10llu", ULL(counts->slots_shared));
    fputc('\n', stderr);
    return 0;
}

static void report_start(struct stream *stream)
{
    const tlu_stream_stats *counts = tlu_stream_get_stats(stream->stream);
    report_to_log(stream, counts);
    if (stream->reports.json && !stream->reports.quiet)
        report_json(stderr, stream, counts);
}

static bool prints_notes(const struct stream *stream)
{
    return !stream->reports.quiet && !stream->reports.json;
}

// ---- the log

static char *journal_of(const char *model)
{
    char *journal = need(malloc(strlen(model) + sizeof TLU_JOURNAL_SUFFIX));
    return strcat(strcpy(journal, model), TLU_JOURNAL_SUFFIX);
}

// The log must not go into the journal, which is beside the file that the model's path leads to.
static tlu_status open_log(struct stream *stream, const char *log, tlu_error *error)
{
    if (!log || !log[0])
        return TLU_OK;
    OWNED(char) file = realpath(stream->model, NULL);
    OWNED(char) journal = journal_of(file ? file : stream->model);
    if (same_output(log, stream->model) || same_output(log, journal))
        return fail_input(
            error, "--log %s would write into the model or its journal; name another file", log);
    stream->reports.log = fopen(log, "ae");
    stream->reports.log_name = log;
    return stream->reports.log
               ? TLU_OK
               : fail_input(error, "%s: cannot be written: %s", log, strerror(errno));
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
    for (size_t i = 0; i < COUNT_OF(caught); i++) {
        action.sa_flags = caught[i] == SIGHUP ? 0 : (int)SA_RESETHAND;
        sigaction(caught[i], &action, NULL);
        sigaddset(&blocked, caught[i]);
    }
    sigprocmask(SIG_BLOCK, &blocked, waiting); // they come while we wait, and only then
    action.sa_handler = SIG_IGN; // a reader that went away is an error like others: save, then end
    sigaction(SIGPIPE, &action, NULL);
}

// Delivers signals that arrived during training. Waiting delivers none if input is always ready.
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

// A failed save is a failure of the machine (exit 3); the old model stays on the disk.
static tlu_status save_model(struct stream *stream, tlu_error *error)
{
    tlu_status status = tlu_stream_save(stream->stream, error);
    stream->saved = seconds_now();
    stream->saved_rows = tlu_stream_get_stats(stream->stream)->learned;
    return status == TLU_OK ? TLU_OK : TLU_ERROR_SYSTEM;
}

static tlu_status save_when_due(struct stream *stream, tlu_error *error)
{
    bool due = stream->checkpoint > 0 && seconds_now() - stream->saved >= stream->checkpoint;
    if (!saving && !due)
        return TLU_OK;
    if (saving)
        report(stream, tlu_stream_get_stats(stream->stream));
    saving = 0;
    return save_model(stream, error);
}

// ---- answering

// Waits until the descriptor is ready (true), a save is due, or a signal arrives (false).
static bool wait_for(const struct stream *stream, int descriptor, short events)
{
    struct pollfd about = {.fd = descriptor, .events = events};
    struct timespec left, *timeout = NULL;
    bool unsaved = tlu_stream_get_stats(stream->stream)->learned != stream->saved_rows;
    if (stream->checkpoint > 0 && unsaved) {
        double seconds = stream->saved + stream->checkpoint - seconds_now();
        seconds = seconds > 0 ? seconds : 0;
        left.tv_sec = (time_t)seconds;
        left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
        timeout = &left;
    }
    return ppoll(&about, 1, timeout, &stream->waiting) > 0;
}

// Waits until the reader of the answers accepts more. Meanwhile signals are handled and the model
// is saved; the second signal ends the wait.
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

// A writable pipe accepts PIPE_BUF bytes without blocking; a blocked write would delay signals.
static tlu_status write_answers(struct stream *stream, const char *text, size_t length,
                                tlu_error *error)
{
    while (length) {
        size_t size = stream->to_file || length < PIPE_BUF ? length : PIPE_BUF;
        if (!stream->to_file)
            TRY(wait_for_room(stream, error));
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

// Reads available bytes; none once the stream is to end.
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
    OWNED(char) escaped = streams_escaped(text, length, &size);
    return write_answers(stream, escaped, size, error);
}

// Polls the stream and writes the answers. An error of the poll takes precedence.
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

static tlu_status follow_stream(struct stream *stream, tlu_error *error)
{
    struct stat output;
    stream->to_file = fstat(STDOUT_FILENO, &output) == 0 && S_ISREG(output.st_mode);
    ending = saving = 0;
    catch_signals(&stream->waiting);
    fcntl(STDIN_FILENO, F_SETPIPE_SZ, PIPE_SIZE); // fewer switches of programs; or not
    report_start(stream);
    tlu_status status = follow(stream, error);
    sigprocmask(SIG_SETMASK, &stream->waiting, NULL);
    return status;
}

// ---- opening and ending

// Finds out before the first row, not at the first checkpoint, that the model cannot be saved.
static tlu_status check_model(const char *path, tlu_error *error)
{
    struct stat about;
    if (path[0] == '\0' || strcmp(path, "-") == 0)
        return fail_input(error, "the model needs a file of its own");
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return fail_input(
            error, "'%s' is not a file that a model can be saved to; name another file", path);
    OWNED(char) folder = folder_of(path);
    if (access(folder, W_OK | X_OK) != 0)
        return fail(error, errno == ENOENT || errno == ENOTDIR ? TLU_ERROR_INPUT : TLU_ERROR_SYSTEM,
                    "the model '%s' cannot be saved: %s", path, strerror(errno));
    return TLU_OK;
}

// A save creates a new file; other hard links still lead to the old one.
static void note_links(const struct stream *stream)
{
    struct stat about;
    if (prints_notes(stream) && stat(stream->model, &about) == 0 && about.st_nlink > 1)
        fprintf(stderr,
                "note: %s has another name (a hard link): saving replaces this name alone, and the "
                "other one keeps the model as it is now\n",
                path_text(stderr, stream->model));
}

static tlu_status open_stream(struct stream *stream, const struct arguments *arguments,
                              tlu_error *error)
{
    OWNED(char) journal = journal_of(stream->model);
    stream->checkpoint = arguments_number(arguments, "checkpoint");
    stream->journal = arguments_flag(arguments, "journal");
    stream->reports.json = arguments->json;
    stream->reports.quiet = arguments->quiet;
    stream->reports.started = stream->saved = seconds_now();
    tlu_stream_settings settings = {.size = sizeof settings,
                                    .journal = stream->journal ? journal : NULL,
                                    .window = (size_t)arguments_count(arguments, "window"),
                                    .scores = arguments_flag(arguments, "scores"),
                                    .probabilities = arguments_flag(arguments, "probabilities"),
                                    .report = report,
                                    .report_context = stream,
                                    .report_every = arguments_count(arguments, "report-every")};
    TRY(check_model(stream->model, error));
    TRY(open_log(stream, arguments_text(arguments, "log"), error));
    TRY(tlu_stream_open(stream->model, arguments->library, &settings, &stream->stream, error));
    note_links(stream);
    uint64_t replayed = tlu_stream_get_stats(stream->stream)->replayed;
    if (replayed && prints_notes(stream))
        fprintf(stderr, "note: %s of the journal learned again\n", count_text(replayed, "row"));
    return TLU_OK;
}

static void note_rows(const struct stream *stream, const tlu_stream_stats *counts, bool whole)
{
    if (!prints_notes(stream))
        return;
    if (counts->skipped)
        fprintf(stderr, "note: %s left out\n", count_text(counts->skipped, "malformed row"));
    if (whole && counts->examples >= MANY_LABELS && counts->classes > counts->examples / 2)
        fprintf(stderr,
                "note: there are %llu different labels in %llu rows: is the label the right one? "
                "(--label names the column of a CSV stream)\n",
                ULL(counts->classes), ULL(counts->examples));
}

// With a single class there is no model yet.
static tlu_status note_one_class(const struct stream *stream, tlu_error *error)
{
    if (!stream->journal)
        return fail_input(error,
                          "%s was not made: a model needs two classes, and the stream had %llu",
                          stream->model, ULL(tlu_stream_get_stats(stream->stream)->classes));
    fprintf(stderr,
            "note: %s is not made yet: a model needs two classes; the journal has the rows\n",
            path_text(stderr, stream->model));
    return TLU_OK;
}

// Saves what was learned, no matter what ended the stream.
static tlu_status finish(struct stream *stream, tlu_status status, tlu_error *error)
{
    tlu_error other;
    tlu_stream_stats counts = *tlu_stream_get_stats(stream->stream);
    bool whole = status == TLU_OK;
    tlu_status saved = save_model(stream, whole ? error : &other);
    if (saved != TLU_OK && !whole)
        fprintf(stderr, "tlu: and the model was not saved: %s\n", other.text);
    if (counts.rows != stream->reports.rows || !counts.rows)
        report(stream, &counts);
    note_rows(stream, &counts, whole);
    if (whole && saved == TLU_OK && counts.learned && counts.classes < 2)
        return note_one_class(stream, error);
    if (prints_notes(stream) && ending && saved == TLU_OK && counts.classes > 1)
        fprintf(stderr, "note: interrupted; %s has all that was learned\n",
                path_text(stderr, stream->model));
    return whole ? saved : status;
}

static void close_stream(struct stream *stream)
{
    tlu_stream_close(stream->stream);
    if (stream->reports.log)
        fclose(stream->reports.log);
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    CLEANUP(close_stream) struct stream stream = {.model = arguments->positional[0]};
    TRY(open_stream(&stream, arguments, error));
    return finish(&stream, follow_stream(&stream, error), error);
}

const struct verb stream_verb = {
    .name = "stream",
    .summary = "predict and learn from a stream, row by row, for as long as it lasts",
    .description = "Reads rows from standard input as they come, prints the label that MODEL gives "
                   "to each at once, and then, if the row has a label, learns from it. MODEL is "
                   "created if it does not exist; a model of tlu train continues where its "
                   "training stopped. New features and classes may appear at any time. From "
                   "time to time, at the end and on SIGTERM, SIGINT or SIGHUP the model is saved, "
                   "whole or not at all. Before any label is known, the answer is ?.",
    .arguments = {{"MODEL", .help = "the model that learns; the stream is standard input"}},
    // Options for files. A stream accepts only the values of a model that tlu train made.
    .unlisted = "epochs shuffle no-shuffle holdout patience kernel ratchet memory",
    .groups = "data reading learning",
    .common = "label learner scores journal checkpoint",
    OPTIONS(options),
    .examples = {"tlu stream live.tlu < data/digits-train.svm > guesses.txt",
                 "tlu stream live.tlu --journal < data/digits-test.svm > more.txt",
                 "tlu inspect live.tlu"},
    .run = run,
};
