// tlu stream: predictions out, examples in, for as long as the stream lasts.
#include "stream.h"

#include "arguments.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MANY_LABELS 50 // rows: with fewer, most labels may be new

static const tlu_option_info options[] = {
    NUMBER_OPTION("checkpoint", "SECONDS", "60", 0, 1e9,
                  "save the model this often while it learns; 0: only at the end and when a signal "
                  "asks for it"),
    FLAG_OPTION(
        "journal",
        "put every row that is learned from into MODEL.journal before it is answered, and learn at "
        "the start what the model lacks of it: nothing that was answered is ever lost"),
    FLAG_OPTION("scores", "after the label, separated by a tab, its score"),
    FLAG_OPTION("probabilities", "after the label, and its score if that is asked for, separated "
                                 "by a tab, its probability; nan while there are not two classes, "
                                 "and if a class came after the calibration of the model"),
    COUNT_OPTION("window", "N", "1000", 1, 1e9, "labelled rows that the sliding accuracy looks at"),
    FLAG_OPTION("json", "report on standard error as JSON, one object per line"),
    TEXT_OPTION("log", "FILE", "append these JSON reports to FILE, also if none are printed"),
    FLAG_OPTION("quiet", "print no reports"),
};

// Finds out before the first row, not at the first checkpoint, that the model cannot be saved.
static tlu_status check_model(const char *path, tlu_error *error)
{
    struct stat about;
    if (path[0] == '\0' || strcmp(path, "-") == 0)
        return fail_input(error, "the model needs a file of its own");
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return fail_input(error, "'%s' is not a file that a model can be saved to", path);
    char *folder = folder_of(path);
    tlu_status status = TLU_OK;
    if (access(folder, W_OK | X_OK) != 0)
        status =
            fail(error, errno == ENOENT || errno == ENOTDIR ? TLU_ERROR_INPUT : TLU_ERROR_SYSTEM,
                 "the model '%s' cannot be saved: %s", path, strerror(errno));
    free(folder);
    return status;
}

static char *journal_of(const char *model)
{
    char *journal = need(malloc(strlen(model) + sizeof TLU_JOURNAL_SUFFIX));
    strcpy(journal, model);
    strcat(journal, TLU_JOURNAL_SUFFIX);
    return journal;
}

// The log must not go into the journal, which is beside the file that the model's path leads to.
static tlu_status open_log(struct stream *stream, const char *log, tlu_error *error)
{
    char *file = realpath(stream->model, NULL);
    char *journal = journal_of(file ? file : stream->model);
    tlu_status status = learn_open_log(stream, log, journal, error);
    free(journal);
    free(file);
    return status;
}

// A save creates a new file; other hard links still lead to the old one.
static void note_links(const struct stream *stream)
{
    struct stat about;
    if (learn_notes(stream) && stat(stream->model, &about) == 0 && about.st_nlink > 1)
        fprintf(stderr,
                "note: %s has another name (a hard link): saving replaces this name alone, and the "
                "other one keeps the model as it is now\n",
                path_text(stderr, stream->model));
}

static tlu_status open_model(struct stream *stream, const struct arguments *arguments,
                             const char *journal, tlu_error *error)
{
    tlu_stream_settings settings = {.size = sizeof settings,
                                    .journal = stream->journal ? journal : NULL,
                                    .window = (size_t)arguments_count(arguments, "window"),
                                    .scores = arguments_flag(arguments, "scores"),
                                    .probabilities = arguments_flag(arguments, "probabilities"),
                                    .report = learn_report,
                                    .report_context = stream};
    TRY(check_model(stream->model, error));
    TRY(open_log(stream, arguments_text(arguments, "log"), error));
    return tlu_stream_open(stream->model, arguments->library, &settings, &stream->stream, error);
}

static tlu_status open_stream(struct stream *stream, const struct arguments *arguments,
                              tlu_error *error)
{
    stream->checkpoint = arguments_number(arguments, "checkpoint");
    stream->journal = arguments_flag(arguments, "journal");
    stream->reports.json = arguments_flag(arguments, "json");
    stream->reports.quiet = arguments_flag(arguments, "quiet");
    stream->reports.started = stream->saved = learn_now();
    char *journal = journal_of(stream->model);
    tlu_status status = open_model(stream, arguments, journal, error);
    free(journal);
    if (status != TLU_OK)
        return status;
    note_links(stream);
    uint64_t replayed = tlu_stream_get_stats(stream->stream)->replayed;
    if (replayed && learn_notes(stream))
        fprintf(stderr, "note: %s of the journal learned again\n", count_text(replayed, "row"));
    return TLU_OK;
}

static void note_rows(const struct stream *stream, const tlu_stream_stats *counts, bool whole)
{
    if (!learn_notes(stream))
        return;
    if (counts->skipped)
        fprintf(stderr, "note: %s left out\n", count_text(counts->skipped, "malformed row"));
    if (whole && counts->examples >= MANY_LABELS && counts->classes > counts->examples / 2)
        fprintf(stderr,
                "note: there are %llu different labels in %llu rows: is the label the right one? "
                "(--label names the column of a CSV stream)\n",
                (unsigned long long)counts->classes, (unsigned long long)counts->examples);
}

// With a single class there is no model yet.
static tlu_status note_one_class(const struct stream *stream, tlu_error *error)
{
    if (!stream->journal)
        return fail_input(
            error, "%s was not made: a model needs two classes, and the stream had %llu",
            stream->model, (unsigned long long)tlu_stream_get_stats(stream->stream)->classes);
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
    tlu_status saved = learn_save(stream, whole ? error : &other);
    if (saved != TLU_OK && !whole)
        fprintf(stderr, "tlu: and the model was not saved: %s\n", other.text);
    if (counts.rows != stream->reports.rows || !counts.rows)
        learn_report(stream, &counts);
    note_rows(stream, &counts, whole);
    if (whole && saved == TLU_OK && counts.learned && counts.classes < 2)
        return note_one_class(stream, error);
    if (learn_notes(stream) && learn_interrupted() && saved == TLU_OK && counts.classes > 1)
        fprintf(stderr, "note: interrupted; %s has all that was learned\n",
                path_text(stderr, stream->model));
    return whole ? saved : status;
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    struct stream stream = {.model = arguments->positional[0]};
    tlu_status status = open_stream(&stream, arguments, error);
    if (status == TLU_OK) {
        status = learn_follow(&stream, error);
        status = finish(&stream, status, error);
    }
    tlu_stream_close(stream.stream);
    if (stream.reports.log)
        fclose(stream.reports.log);
    return status;
}

const struct verb stream_verb = {
    .name = "stream",
    .summary = "predict and learn from a stream, row by row, for as long as it lasts",
    .description = "Reads rows from standard input as they come, prints the label that MODEL gives "
                   "to each at once, and then, if the row has a label, learns from it. MODEL is "
                   "created if it does not exist; one that tlu train made goes on learning from "
                   "where training stopped. New features and classes may turn up at any time. From "
                   "time to time, at the end and on SIGTERM, SIGINT or SIGHUP the model is saved, "
                   "whole or not at all. Before any label is known a row is answered by ?.",
    .arguments = {{"MODEL", NULL, .help = "the model that learns; the stream is standard input"},
                  {0}},
    // What only a file has. A stream refuses it, except as a model has it that tlu train made.
    .unlisted = "epochs shuffle no-shuffle holdout patience kernel ratchet memory",
    .groups = "data reading learning",
    OPTIONS(options),
    .examples = {"tlu stream live.tlu < data/digits-train.svm > guesses.txt",
                 "tlu stream live.tlu --journal < data/digits-test.svm > more.txt",
                 "tlu inspect live.tlu"},
    .run = run,
};
