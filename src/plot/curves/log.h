// The log of tlu learn: a JSON object per line, each a report. A run begins with a report of no
// examples; runs of one model follow each other in a log, and what it has learned goes on.
#ifndef TLU_PLOT_CURVES_LOG_H
#define TLU_PLOT_CURVES_LOG_H

#include "base/error.h"

struct stream_report {
    double examples; // of the run
    double accuracy; // of these
    double window;   // the last of these, looked at
    double window_accuracy;
    double learned; // in the model's whole life
};

struct stream_log {
    struct stream_report *reports; // [count] in the order of the file
    size_t count, capacity;
    size_t *runs; // [run_count] the first report of each
    size_t run_count, run_capacity;
    bool unfinished; // the last line is not whole and was left out: it may be written just now
};

// Of text in memory; `name` is for messages, which have line and column.
tlu_status log_parse(struct stream_log *log, const char *name, const char *text, size_t size,
                     tlu_error *error);
tlu_status log_read(struct stream_log *log, const char *path, tlu_error *error);
void log_free(struct stream_log *log);

#endif
