// tlu learn: predictions out, examples in, for as long as the stream lasts.
#include "arguments.h"
#include "json.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MANY_LABELS 50 // rows: with fewer, most labels may be new
#define PIPE_SIZE (1 << 20)

static const tlu_option_info options[] = {
    {"checkpoint", "command", TLU_OPTION_NUMBER, "SECONDS", "60", NULL, 0, 1e9,
     "save the model this often while it learns; 0: only at the end and when a signal asks for it"},
    {"journal", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "put every row that is learned from into MODEL.journal before it is answered, and replay at "
     "the start what the model has not: nothing that was answered is ever lost"},
    {"scores", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "after the label, separated by a tab, its score"},
    {"window", "command", TLU_OPTION_COUNT, "N", "1000", NULL, 1, 1e9,
     "labelled rows that the sliding accuracy looks at"},
    {"json", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "report on standard error as JSON, one object per line"},
    {"log", "command", TLU_OPTION_TEXT, "FILE", "", NULL, 0, 0,
     "append these JSON reports to FILE, whatever is printed"},
    {"quiet", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0, "print no reports"},
};

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

// ---- reports

struct stream {
    tlu_live *live;
    const char *model;
    bool readable;            // poll has just said so; of the thread that reads
    bool to_file;             // answers go to one, which is never waited for
    bool ended;               // saved for a signal that ends, with answers left to write
    double checkpoint, saved; // seconds; when last
    double started;
    uint64_t reported; // rows at the last report
    bool json, quiet, titled, journal;
    FILE *log;
    const char *log_name; // NULL: none, or it could not be written to
    sigset_t waiting;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static void report_json(FILE *file, const struct stream *stream, const tlu_live_counts *counts)
{
    struct json json = {.file = file};
    json_object(&json, NULL);
    json_count(&json, "rows", counts->rows);
    json_count(&json, "examples", counts->examples);
    json_count(&json, "correct", counts->correct);
    json_number(&json, "accuracy", share(counts->correct, counts->examples));
    json_count(&json, "window", counts->window);
    json_number(&json, "window_accuracy", share(counts->window_correct, counts->window));
    json_count(&json, "learned", counts->learned);
    json_count(&json, "replayed", counts->replayed);
    json_count(&json, "skipped", counts->skipped);
    json_count(&json, "features", counts->features);
    json_count(&json, "classes", counts->classes);
    if (counts->slots) {
        json_count(&json, "slots", counts->slots);
        json_count(&json, "slots_used", counts->slots_used);
        json_count(&json, "slots_shared", counts->slots_shared);
    }
    json_text(&json, "decided_by", counts->decided_by);
    json_number(&json, "seconds", now() - stream->started);
    json_end(&json);
    fflush(file);
}

// A log that cannot be written is no reason to stop learning, but somebody must be told.
static void report_to_log(struct stream *stream, const tlu_live_counts *counts)
{
    if (!stream->log)
        return;
    report_json(stream->log, stream, counts);
    if (ferror(stream->log) && stream->log_name) {
        fprintf(stderr, "tlu: %s cannot be written and lacks reports: %s\n", stream->log_name,
                strerror(errno));
        stream->log_name = NULL;
    }
}

static int report(void *context, const tlu_live_counts *counts)
{
    struct stream *stream = context;
    char all[NUMBER_SIZE], last[NUMBER_SIZE];
    stream->reported = counts->rows;
    report_to_log(stream, counts);
    if (stream->quiet)
        return 0;
    if (stream->json) {
        report_json(stderr, stream, counts);
        return 0;
    }
    const char *format = tlu_live_guessed(stream->live);
    if (!stream->titled && format)
        fprintf(stderr, "note: taken for %s; --format says otherwise\n", format);
    if (!stream->titled)
        fprintf(stderr, "%12s %12s %9s %9s %10s %8s%s\n", "rows", "labelled", "right", "lately",
                "features", "classes", counts->slots ? " collisions" : "");
    stream->titled = true;
    fprintf(stderr, "%12llu %12llu %9s %9s %10llu %8llu", (unsigned long long)counts->rows,
            (unsigned long long)counts->examples,
            percent_text(all, (double)counts->correct, (double)counts->examples),
            percent_text(last, (double)counts->window_correct, (double)counts->window),
            (unsigned long long)counts->features, (unsigned long long)counts->classes);
    if (counts->slots)
        fprintf(stderr, " %10llu", (unsigned long long)counts->slots_shared);
    fputc('\n', stderr);
    return 0;
}

// Where the model stands before the first row, for whoever feeds it: what it has learned from need
// not be sent again.
static void report_start(struct stream *stream)
{
    tlu_live_counts counts = *tlu_live_count(stream->live);
    report_to_log(stream, &counts);
    if (stream->json && !stream->quiet)
        report_json(stderr, stream, &counts);
}

// ---- the stream

// What cannot be saved is for the machine's owner to mend: the model on the disk stays as it was.
static tlu_status save(struct stream *stream, tlu_error *error)
{
    tlu_status status = tlu_live_save(stream->live, error);
    stream->saved = now();
    return status == TLU_OK ? TLU_OK : TLU_ERROR_SYSTEM;
}

// Signals that came while rows were learned: where there is always something to read, waiting for
// it lets none of them in.
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

// Until a descriptor is ready, it is time to save, or a signal came. False: only the latter.
static bool wait_for(const struct stream *stream, int descriptor, short events)
{
    struct pollfd about = {.fd = descriptor, .events = events};
    struct timespec left, *timeout = NULL;
    if (stream->checkpoint > 0) {
        double seconds = stream->saved + stream->checkpoint - now();
        seconds = seconds > 0 ? seconds : 0;
        left.tv_sec = (time_t)seconds;
        left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
        timeout = &left;
    }
    return ppoll(&about, 1, timeout, &stream->waiting) > 0;
}

static tlu_status save_when_due(struct stream *stream, tlu_error *error)
{
    bool due = stream->checkpoint > 0 && now() - stream->saved >= stream->checkpoint;
    if (!saving && !due)
        return TLU_OK;
    if (saving) {
        tlu_live_counts counts = *tlu_live_count(stream->live);
        report(stream, &counts);
    }
    saving = 0;
    return save(stream, error);
}

// Until there is room for answers. Where nobody reads them, signals are heard all the same, and
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
        return fail(error, TLU_ERROR_SYSTEM, "cannot read the stream: %s", strerror(errno));
    *end = n == 0;
    *got = n > 0 ? (size_t)n : 0;
    return 0;
}

static tlu_status follow(struct stream *stream, tlu_error *error)
{
    tlu_status status = TLU_OK;
    int state = TLU_LIVE_WAIT;
    while (status == TLU_OK && state != TLU_LIVE_END && (!ending || state == TLU_LIVE_MORE)) {
        if (state == TLU_LIVE_WAIT) // else other threads may be reading
            stream->readable = wait_for(stream, STDIN_FILENO, POLLIN);
        if (state == TLU_LIVE_MORE || stream->readable) {
            tlu_error unheard;
            const char *text;
            size_t length;
            status = tlu_live_pull(stream->live, read_some, stream, &state, &text, &length, error);
            tlu_status written =
                write_answers(stream, text, length, status == TLU_OK ? error : &unheard);
            status = status == TLU_OK ? written : status;
        }
        hear_signals(stream);
        if (status == TLU_OK)
            status = save_when_due(stream, error);
    }
    return status;
}

// ---- the verb

// The path of a file that need not be there; NULL: its folder is not there either.
static char *full_path(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *folder = folder_of(path);
    char *found = realpath(folder, NULL), *full = NULL;
    if (found) {
        full = need(malloc(strlen(found) + strlen(name) + 2));
        sprintf(full, "%s/%s", found, name);
    }
    free(found);
    free(folder);
    return full;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat one, other;
    if (stat(a, &one) == 0 && stat(b, &other) == 0)
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
    char *x = full_path(a), *y = full_path(b);
    bool same = x && y && strcmp(x, y) == 0;
    free(x);
    free(y);
    return same;
}

static tlu_status open_log(struct stream *stream, const char *log, const char *journal,
                           tlu_error *error)
{
    if (!log || !log[0])
        return TLU_OK;
    if (is_same_file(log, stream->model) || is_same_file(log, journal))
        return fail(error, TLU_ERROR_INPUT, "--log %s would write into the model or its journal",
                    log);
    stream->log = fopen(log, "ae");
    stream->log_name = log;
    return stream->log
               ? TLU_OK
               : fail(error, TLU_ERROR_INPUT, "%s: cannot be written: %s", log, strerror(errno));
}

// Finds out before the first row, not at the first checkpoint, that the model cannot be saved.
static tlu_status check_model(const char *path, tlu_error *error)
{
    struct stat about;
    if (path[0] == '\0' || strcmp(path, "-") == 0)
        return fail(error, TLU_ERROR_INPUT, "the model needs a file of its own");
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return fail(error, TLU_ERROR_INPUT, "'%s' is not a file that a model can be saved to",
                    path);
    char *folder = folder_of(path);
    tlu_status status = TLU_OK;
    if (access(folder, W_OK | X_OK) != 0)
        status =
            fail(error, errno == ENOENT || errno == ENOTDIR ? TLU_ERROR_INPUT : TLU_ERROR_SYSTEM,
                 "the model '%s' cannot be saved: %s", path, strerror(errno));
    free(folder);
    return status;
}

static tlu_status open_stream(struct stream *stream, const struct arguments *arguments,
                              tlu_error *error)
{
    tlu_live_settings settings = {.size = sizeof settings,
                                  .window = arguments_count(arguments, "window"),
                                  .scores = arguments_flag(arguments, "scores"),
                                  .report = report,
                                  .report_context = stream};
    stream->checkpoint = arguments_number(arguments, "checkpoint");
    stream->json = arguments_flag(arguments, "json");
    stream->quiet = arguments_flag(arguments, "quiet");
    stream->started = stream->saved = now();
    char *journal = need(malloc(strlen(stream->model) + sizeof TLU_JOURNAL_SUFFIX));
    strcpy(journal, stream->model);
    strcat(journal, TLU_JOURNAL_SUFFIX);
    stream->journal = arguments_flag(arguments, "journal");
    settings.journal = stream->journal ? journal : NULL;
    tlu_status status = check_model(stream->model, error);
    if (status == TLU_OK)
        status = open_log(stream, arguments_text(arguments, "log"), journal, error);
    if (status == TLU_OK)
        status = tlu_live_open(stream->model, arguments->library, &settings, &stream->live, error);
    free(journal);
    if (status == TLU_OK && !stream->quiet && !stream->json &&
        tlu_live_count(stream->live)->replayed) {
        char rows[64];
        fprintf(stderr, "note: %s of the journal learned again\n",
                count_text(rows, tlu_live_count(stream->live)->replayed, "row"));
    }
    return status;
}

// Saves what was learned, whatever ended the stream.
static tlu_status finish(struct stream *stream, tlu_status status, tlu_error *error)
{
    tlu_error other;
    tlu_live_counts counts = *tlu_live_count(stream->live);
    tlu_status saved = save(stream, status == TLU_OK ? error : &other);
    if (saved != TLU_OK && status != TLU_OK)
        fprintf(stderr, "tlu: and the model was not saved: %s\n", other.text);
    if (counts.rows != stream->reported || !counts.rows)
        report(stream, &counts);
    if (counts.skipped && !stream->quiet && !stream->json) {
        char rows[64];
        fprintf(stderr, "note: %s left out\n", count_text(rows, counts.skipped, "malformed row"));
    }
    if (status == TLU_OK && counts.examples >= MANY_LABELS &&
        counts.classes > counts.examples / 2 && !stream->quiet && !stream->json)
        fprintf(stderr,
                "note: there are %llu different labels in %llu rows: is the label the right one? "
                "(--label names the column of a CSV stream)\n",
                (unsigned long long)counts.classes, (unsigned long long)counts.examples);
    if (counts.learned && counts.classes < 2 && status == TLU_OK && stream->journal) {
        fprintf(stderr,
                "note: %s is not made yet: a model needs two classes; the journal has the "
                "rows\n",
                stream->model);
        return saved;
    }
    if (counts.learned && counts.classes < 2 && status == TLU_OK)
        return fail(error, TLU_ERROR_INPUT,
                    "%s was not made: a model needs two classes, and the stream had %llu",
                    stream->model, (unsigned long long)counts.classes);
    if (!stream->quiet && !stream->json && ending && saved == TLU_OK && counts.classes > 1)
        fprintf(stderr, "note: interrupted; %s has all that was learned\n", stream->model);
    return status == TLU_OK ? saved : status;
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    struct stream stream = {.model = arguments->positional[0]};
    struct stat output;
    stream.to_file = fstat(STDOUT_FILENO, &output) == 0 && S_ISREG(output.st_mode);
    ending = saving = 0;
    tlu_status status = open_stream(&stream, arguments, error);
    if (status == TLU_OK) {
        catch_signals(&stream.waiting);
        fcntl(STDIN_FILENO, F_SETPIPE_SZ, PIPE_SIZE); // fewer switches of programs; or not
        report_start(&stream);
        status = follow(&stream, error);
        sigprocmask(SIG_SETMASK, &stream.waiting, NULL);
        status = finish(&stream, status, error);
    }
    tlu_live_close(stream.live);
    if (stream.log)
        fclose(stream.log);
    return status;
}

const struct verb learn_verb = {
    .name = "learn",
    .summary = "predict and learn from a stream, row by row, for as long as it lasts",
    .description =
        "Reads rows from standard input as they come, prints the label that MODEL gives to each at "
        "once, and then, "
        "where the row has a label, learns from it. MODEL is made where there is none; one that "
        "tlu train made goes on where training stopped. New features and classes may turn up at "
        "any time. Every so often, at the end and on SIGTERM, SIGINT or SIGHUP the model is saved, "
        "whole or not at all. Before any label is known a row is answered by ?.",
    .arguments = {{"MODEL", NULL, "the model that learns; the stream is standard input"}, {0}},
    .groups = "data reading learning",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = {"tlu learn live.tlu < data/digits-train.svm > guesses.txt",
                 "tlu learn live.tlu --journal < data/digits-test.svm > more.txt",
                 "tlu inspect live.tlu"},
    .run = run,
};
