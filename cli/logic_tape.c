// tlu logic run --turing, or NET --tape: runs the control of a Turing machine on a tape.
#include "cli.h"
#include "logic.h"
#include "table.h"

#include <inttypes.h>

#define WINDOW_CELLS 61 // maximum number of cells shown in a step

bool logic_is_tape(const struct arguments *arguments)
{
    return arguments_given(arguments, "turing") || arguments_given(arguments, "tape");
}

// ---- parts of the tape

// A growing text.
struct tape_text {
    char *text;
    size_t length, capacity;
};

static void add_text(struct tape_text *out, const char *text)
{
    size_t size = strlen(text);
    if (out->length + size + 1 > out->capacity) {
        out->capacity = 2 * (out->length + size + 1);
        out->text = need(realloc(out->text, out->capacity));
    }
    memcpy(out->text + out->length, text, size + 1);
    out->length += size;
}

// Appends cells `first` to `last`; if asked for, with brackets around the cell under the head.
static void set_cells(struct tape_text *out, const tlu_turing_run *run,
                      const tlu_turing_run_state *state, int64_t first, int64_t last, bool head)
{
    out->length = 0;
    add_text(out, "");
    for (int64_t cell = first; cell <= last; cell++) {
        bool here = head && cell == state->head;
        if (cell > first && !state->characters)
            add_text(out, " ");
        add_text(out, here ? "[" : "");
        add_text(out, tlu_turing_run_cell(run, cell));
        add_text(out, here ? "]" : "");
    }
}

// The cells around the head that a step shows.
struct tape_window {
    int64_t first, last;
};

static struct tape_window window_of(const tlu_turing_run_state *state)
{
    struct tape_window window = {state->first, state->last};
    if (window.last - window.first < WINDOW_CELLS)
        return window;
    window.first = state->head - WINDOW_CELLS / 2;
    window.first = window.first < state->first ? state->first : window.first;
    window.last = window.first + WINDOW_CELLS - 1;
    window.last = window.last > state->last ? state->last : window.last;
    if (window.last - window.first < WINDOW_CELLS - 1)
        window.first = window.last - WINDOW_CELLS + 1;
    return window;
}

// The range from the first to the last cell that is not blank, and the number of such cells.
struct tape_contents {
    int64_t first, last;
    uint64_t count;
};

static struct tape_contents contents_of(const tlu_turing_run *run,
                                        const tlu_turing_run_state *state)
{
    struct tape_contents contents = {state->first, state->first - 1, 0};
    for (int64_t cell = state->first; cell <= state->last; cell++)
        if (strcmp(tlu_turing_run_cell(run, cell), state->blank) != 0) {
            contents.first = contents.count ? contents.first : cell;
            contents.last = cell;
            contents.count++;
        }
    return contents;
}

// ---- steps

struct tape_report {
    const char *form;
    bool json, quiet;
    struct text_table table;
    struct json out;
    struct tape_text text;
};

static void print_cells(struct tape_report *report, const tlu_turing_run *run,
                        const tlu_turing_run_state *state)
{
    struct text_table *table = &report->table;
    struct tape_window window = window_of(state);
    set_cells(&report->text, run, state, window.first, window.last, true);
    table_begin_cell(table, "step", true);
    table_add(table, format_text("%llu", ULL(state->steps)));
    if (state->state) {
        table_begin_cell(table, "state", false);
        table_add(table, state->state);
    }
    table_begin_cell(table, "head", true);
    table_add(table, format_text("%" PRId64, state->head));
    table_begin_cell(table, "tape", false);
    table_add(table, window.first > state->first ? "..." : "");
    table_add(table, report->text.text);
    table_add(table, window.last < state->last ? "..." : "");
    table_begin_cell(table, "delays", false);
    table_add(table, text_clip(state->delays, 100));
    table_end_row(table);
}

static void json_step(struct tape_report *report, const tlu_turing_run *run,
                      const tlu_turing_run_state *state)
{
    struct json *json = &report->out;
    struct tape_window window = window_of(state);
    set_cells(&report->text, run, state, window.first, window.last, false);
    json_object(json, NULL);
    json_count(json, "step", state->steps);
    if (state->state)
        json_text(json, "state", state->state);
    json_whole(json, "head", state->head);
    json_whole(json, "first", window.first);
    json_text(json, "tape", report->text.text);
    json_text(json, "delays", state->delays);
    json_end(json);
}

static void begin_report(struct tape_report *report, tlu_turing_run *run)
{
    const tlu_turing_run_state *state = tlu_turing_run_get_state(run);
    if (report->json) {
        json_object(&report->out, NULL);
        if (!report->quiet)
            json_array(&report->out, "trace");
    } else if (!report->quiet) {
        report->table.heading = true;
        print_cells(report, run, state);
        report->table.heading = false;
    }
}

static void show_step(struct tape_report *report, tlu_turing_run *run)
{
    if (report->quiet)
        return;
    (report->json ? json_step : print_cells)(report, run, tlu_turing_run_get_state(run));
}

// ---- the outcome

static void json_outcome(struct tape_report *report, const tlu_turing_run *run,
                         const tlu_turing_run_state *state)
{
    struct json *json = &report->out;
    struct tape_contents contents = contents_of(run, state);
    set_cells(&report->text, run, state, contents.first, contents.last, false);
    if (!report->quiet)
        json_end(json);
    json_count(json, "steps", state->steps);
    json_bool(json, "halted", state->halted);
    if (state->accepted >= 0)
        json_bool(json, "accepted", state->accepted);
    if (state->state)
        json_text(json, "state", state->state);
    json_whole(json, "head", state->head);
    json_whole(json, "first", contents.first);
    json_text(json, "tape", report->text.text);
    json_count(json, "not_blank", contents.count);
    json_end(json);
}

static void print_outcome(struct tape_report *report, const tlu_turing_run *run,
                          const tlu_turing_run_state *state)
{
    struct tape_contents contents = contents_of(run, state);
    set_cells(&report->text, run, state, contents.first, contents.last, false);
    printf("%-10s after %s", state->halted ? "halted" : "running",
           count_text(state->steps, "step"));
    if (state->state)
        printf(" in state %s", text_clip(state->state, 40));
    printf("%s\n", !state->halted || state->accepted < 0 ? ""
                   : state->accepted                     ? ": accepted"
                                                         : ": not accepted");
    if (contents.count == 0) {
        printf("tape       blank\n");
        return;
    }
    printf("tape       ");
    text_write_field(stdout, report->text.text);
    printf("\ncells      %" PRId64 " to %" PRId64 ", %llu not blank\n", contents.first,
           contents.last, ULL(contents.count));
}

static void end_report(struct tape_report *report, tlu_turing_run *run)
{
    const tlu_turing_run_state *state = tlu_turing_run_get_state(run);
    table_close(&report->table);
    if (report->json)
        json_outcome(report, run, state);
    else if (report->quiet || strcmp(report->form, "text") == 0)
        print_outcome(report, run, state);
    if (!state->halted) {
        fflush(stdout);
        fprintf(stderr, "not halted after %s; --steps N allows more\n",
                count_text(state->steps, "step"));
        verb_answer = ANSWER_OPEN;
    } else if (state->accepted == 0) {
        verb_answer = ANSWER_NO;
    }
}

// ---- the run

static tlu_status run_on_tape(const struct arguments *arguments, tlu_turing_run *run,
                              tlu_error *error)
{
    const char *tape = arguments_text(arguments, "tape");
    uint64_t limit = arguments_count(arguments, "steps");
    struct tape_report report = {.form = arguments_text(arguments, "as"),
                                 .json = arguments_flag(arguments, "json"),
                                 .quiet = arguments_flag(arguments, "quiet"),
                                 .out = {.file = stdout}};
    report.json = report.json || strcmp(report.form, "json") == 0;
    TRY(tlu_turing_run_set_tape(run, tape ? tape : "", tape ? strlen(tape) : 0, error));
    table_open(&report.table, stdout, report.form);
    begin_report(&report, run);
    show_step(&report, run);
    tlu_status status = TLU_OK;
    // Stops at the first failed write, because the run may be endless.
    for (uint64_t i = 0; status == TLU_OK && i < limit && !ferror(stdout); i++) {
        if (tlu_turing_run_get_state(run)->halted)
            break;
        status = tlu_turing_run_step(run, error);
        if (status == TLU_OK)
            show_step(&report, run);
    }
    if (status == TLU_OK)
        end_report(&report, run);
    else
        table_close(&report.table);
    free(report.text.text);
    return status;
}

static tlu_status check_together(const struct arguments *arguments, tlu_error *error)
{
    bool turing = arguments_given(arguments, "turing");
    const char *with = turing ? "turing" : "tape", *form = arguments_text(arguments, "as");
    TRY(logic_refuse_others(arguments, with, "turing tape steps encoding as json quiet", error));
    if (turing ? arguments->positional_count : arguments->repeated_count)
        return fail_input(
            error, "a string cannot be combined with --%s; give the symbols with --tape TEXT",
            with);
    if (!turing && arguments_given(arguments, "encoding"))
        return fail_input(error,
                          "--encoding needs --turing, because NET has its own encoding; remove it");
    if (!turing && !arguments->positional_count)
        return fail_input(error, "--tape needs --turing FILE, or NET, the control of a Turing "
                                 "machine; see tlu logic run --help");
    if (arguments_flag(arguments, "json") && arguments_given(arguments, "as"))
        return fail_input(error, "--json is the same as --as json; remove one of them");
    if (arguments_flag(arguments, "quiet") && strcmp(form, "text") != 0 &&
        strcmp(form, "json") != 0)
        return fail_input(error, "--quiet cannot be combined with --as %s, which prints the steps",
                          form);
    return TLU_OK;
}

tlu_status logic_run_tape(const struct arguments *arguments, tlu_error *error)
{
    tlu_turing *machine = NULL;
    tlu_network *network = NULL;
    tlu_turing_run *run = NULL;
    const char *path = arguments_text(arguments, "turing");
    tlu_status status = check_together(arguments, error);
    if (status == TLU_OK && path)
        status = tlu_turing_load(path, &machine, error);
    if (status == TLU_OK)
        status = path ? tlu_network_from_turing(machine, arguments_text(arguments, "encoding"),
                                                &network, error)
                      : tlu_network_load(arguments->positional[0], &network, error);
    if (status == TLU_OK)
        status = tlu_turing_run_new(machine, network, &run, error);
    if (status == TLU_OK)
        status = run_on_tape(arguments, run, error);
    tlu_turing_run_free(run);
    tlu_network_free(network);
    tlu_turing_free(machine);
    return status;
}
