// The log of a stream: one JSON object per line, each a report. A run begins with a report of no
// examples. A log may contain several runs of one model, whose count of learned rows continues.
#ifndef TLU_PLOT_CURVES_LOG_H
#define TLU_PLOT_CURVES_LOG_H

#include "base/error.h"

struct stream_report {
    double examples; // labelled rows of the run
    double accuracy; // on these
    double window;   // size of the sliding window
    double window_accuracy;
    double learned; // rows that the model has ever learned from
};

struct stream_log {
    struct stream_report *reports; // [count] in the order of the file
    size_t count, capacity;
    size_t *runs; // [run_count] the first report of each
    size_t run_count, run_capacity;
    bool unfinished; // the last line is incomplete and was skipped: the stream may be writing it
};

// Parses text in memory; messages contain `name`, line and column.
tlu_status log_parse(struct stream_log *log, const char *name, const char *text, size_t size,
                     tlu_error *error);
tlu_status log_read(struct stream_log *log, const char *path, tlu_error *error);
void log_free(struct stream_log *log);

#endif
