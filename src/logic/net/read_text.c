// The text form: a statement per line, which begins with a word; a unit may take several lines.
//
//     inputs NAME...
//     delay NAME = SIGNAL start 0|1
//     unit NAME = [-] [WEIGHT] SIGNAL {(+ | -) [WEIGHT] SIGNAL} >= THRESHOLD
//     unit NAME = 0 >= THRESHOLD
//     output NAME = SIGNAL
#include "logic/net/read.h"

static tlu_status read_inputs(struct scan *scan, struct draft *draft)
{
    struct name name;
    do {
        TRY(scan_name(scan, "the name of an input", &name));
        TRY(draft_input(draft, name, scan->error));
    } while (scan->token.kind != TOKEN_LINE && scan->token.kind != TOKEN_END);
    return TLU_OK;
}

static tlu_status read_delay(struct scan *scan, struct draft *draft)
{
    struct name name, from;
    int64_t start;
    TRY(scan_name(scan, "the name of the delay", &name));
    TRY(scan_skip(scan, "="));
    TRY(scan_name(scan, "the name of a signal", &from));
    if (!scan_is(scan, "start"))
        return scan_expected(scan, "'start' and 0 or 1");
    TRY(scan_next(scan));
    struct token value = scan->token;
    TRY(scan_number(scan, "0 or 1", &start));
    if (start != 0 && start != 1) {
        scan->token = value;
        return scan_expected(scan, "0 or 1");
    }
    return draft_delay(draft, name, from, start == 1, scan->error);
}

static tlu_status skip_lines(struct scan *scan)
{
    while (scan->token.kind == TOKEN_LINE)
        TRY(scan_next(scan));
    return TLU_OK;
}

// [WEIGHT] SIGNAL, after its sign. A 0 alone is no link.
static tlu_status read_link(struct scan *scan, struct draft *draft, bool negative)
{
    struct name from;
    int64_t weight = 1;
    if (scan->token.kind == TOKEN_NUMBER) {
        TRY(scan_number(scan, "a weight", &weight));
        TRY(skip_lines(scan));
        if (weight == 0 && scan_is(scan, ">="))
            return TLU_OK;
    }
    TRY(scan_name(scan, "the name of a signal", &from));
    return draft_link(draft, from, negative ? -weight : weight, scan->error);
}

static tlu_status read_unit(struct scan *scan, struct draft *draft)
{
    struct name name;
    int64_t threshold;
    TRY(scan_name(scan, "the name of the unit", &name));
    TRY(scan_skip(scan, "="));
    TRY(draft_begin_unit(draft, scan->error));
    TRY(skip_lines(scan));
    bool negative = scan_is(scan, "-");
    if (negative || scan_is(scan, "+"))
        TRY(scan_next(scan));
    for (;;) {
        TRY(read_link(scan, draft, negative));
        TRY(skip_lines(scan));
        if (scan_is(scan, ">="))
            break;
        negative = scan_is(scan, "-");
        if (!negative && !scan_is(scan, "+"))
            return scan_expected(scan, "'+', '-' or '>='");
        TRY(scan_next(scan));
        TRY(skip_lines(scan));
    }
    TRY(scan_next(scan));
    TRY(skip_lines(scan));
    TRY(scan_number(scan, "the threshold, a whole number", &threshold));
    return draft_end_unit(draft, name, threshold, scan->error);
}

static tlu_status read_output(struct scan *scan, struct draft *draft)
{
    struct name name, from;
    TRY(scan_name(scan, "the name of the output", &name));
    TRY(scan_skip(scan, "="));
    TRY(scan_name(scan, "the name of a signal", &from));
    return draft_output(draft, name, from, scan->error);
}

static const struct statement {
    const char *word;
    tlu_status (*read)(struct scan *scan, struct draft *draft);
} statements[] = {
    {"inputs", read_inputs},
    {"delay", read_delay},
    {"unit", read_unit},
    {"output", read_output},
};
#define STATEMENTS (sizeof statements / sizeof statements[0])

static tlu_status read_statement(struct scan *scan, struct draft *draft)
{
    size_t i = 0;
    while (i < STATEMENTS && !scan_is(scan, statements[i].word))
        i++;
    if (i == STATEMENTS)
        return scan_expected(scan, "'inputs', 'delay', 'unit' or 'output'");
    TRY(scan_next(scan));
    TRY(statements[i].read(scan, draft));
    if (scan->token.kind != TOKEN_LINE && scan->token.kind != TOKEN_END)
        return scan_expected(scan, "the end of the line");
    return TLU_OK;
}

tlu_status read_text(struct scan *scan, struct draft *draft)
{
    TRY(scan_next(scan));
    for (;;) {
        TRY(skip_lines(scan));
        if (scan->token.kind == TOKEN_END)
            return TLU_OK;
        TRY(read_statement(scan, draft));
    }
}
