// Any bytes as the log of a stream: reports that are counts and shares, in runs, or a place.
#include "plot/curves/log.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static bool is_count(double value)
{
    return value >= 0 && value <= 0x1p53 && floor(value) == value;
}

static bool is_share(double value)
{
    return value >= 0 && value <= 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct stream_log log;
    tlu_error error;
    if (log_parse(&log, "fuzz.log", (const char *)bytes, size, &error) != TLU_OK) {
        if (error.status != TLU_ERROR_INPUT || error.line == 0 || error.column == 0)
            abort();
        return 0;
    }
    if (log.count == 0 || log.run_count == 0 || log.runs[0] != 0)
        abort();
    for (size_t i = 0; i < log.count; i++) {
        const struct stream_report *report = &log.reports[i];
        if (!is_count(report->examples) || !is_count(report->window) ||
            !is_count(report->learned) || !is_share(report->accuracy) ||
            !is_share(report->window_accuracy))
            abort();
    }
    for (size_t i = 1; i < log.run_count; i++)
        if (log.runs[i] <= log.runs[i - 1] || log.runs[i] >= log.count)
            abort();
    log_free(&log);
    return 0;
}
