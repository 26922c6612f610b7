// tlu learn's reports: a table for people, JSON for machines and the log.
#include "json.h"
#include "stream.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static void report_json(FILE *file, const struct stream *stream, const tlu_stream_stats *counts)
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
    json_number(&json, "seconds", learn_now() - stream->reports.started);
    json_end(&json);
    fflush(file);
}

// A log that cannot be written is no reason to stop learning, but it must be reported.
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

int learn_report(void *context, const tlu_stream_stats *counts)
{
    struct stream *stream = context;
    char all[NUMBER_SIZE], last[NUMBER_SIZE];
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
        fprintf(stderr, "note: taken for %s; give --format if that is wrong\n", format);
    if (!stream->reports.titled)
        fprintf(stderr, "%12s %12s %9s %9s %10s %8s%s\n", "rows", "labelled", "right", "lately",
                "features", "classes", counts->slots ? " collisions" : "");
    stream->reports.titled = true;
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

void learn_report_start(struct stream *stream)
{
    const tlu_stream_stats *counts = tlu_stream_get_stats(stream->stream);
    report_to_log(stream, counts);
    if (stream->reports.json && !stream->reports.quiet)
        report_json(stderr, stream, counts);
}

bool learn_notes(const struct stream *stream)
{
    return !stream->reports.quiet && !stream->reports.json;
}

// ---- the log

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

tlu_status learn_open_log(struct stream *stream, const char *log, const char *journal,
                          tlu_error *error)
{
    if (!log || !log[0])
        return TLU_OK;
    if (is_same_file(log, stream->model) || is_same_file(log, journal))
        return fail(error, TLU_ERROR_INPUT, "--log %s would write into the model or its journal",
                    log);
    stream->reports.log = fopen(log, "ae");
    stream->reports.log_name = log;
    return stream->reports.log
               ? TLU_OK
               : fail(error, TLU_ERROR_INPUT, "%s: cannot be written: %s", log, strerror(errno));
}
