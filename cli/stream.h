// The parts of tlu stream: stream.c is the verb, stream_rows.c follows the stream, stream_report.c
// says how it goes.
#ifndef TLU_CLI_STREAM_H
#define TLU_CLI_STREAM_H

#include "command.h"

#include <signal.h>

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
    bool readable;            // poll has just said so; of the thread that reads
    bool to_file;             // answers go to a file, which is never waited for
    bool ended;               // saved for a signal that ends, with answers left to write
    sigset_t waiting;         // the signals that are blocked while it waits
};

double learn_now(void); // seconds

// ---- stream_report.c ----

// FILE gets all reports; it must be neither the model nor the journal. NULL or "": no log.
tlu_status learn_open_log(struct stream *stream, const char *log, const char *journal,
                          tlu_error *error);
// How many rows the model has learned from, before the first row: those need not be sent again.
void learn_report_start(struct stream *stream);
// A tlu_stream_function whose context is the stream.
int learn_report(void *context, const tlu_stream_stats *counts);
// Notes for people on standard error; not with --quiet or --json.
bool learn_notes(const struct stream *stream);

// ---- stream_rows.c ----

// Answers the rows of standard input until it ends, or a signal says so.
tlu_status learn_follow(struct stream *stream, tlu_error *error);
tlu_status learn_save(struct stream *stream, tlu_error *error);
bool learn_interrupted(void);

#endif
