// Reads both forms of a network (docs/network-format.md). The text form has one statement per line;
// a unit may take several lines.
//
//     inputs NAME...
//     delay NAME = SIGNAL start 0|1
//     unit NAME = [-] [WEIGHT] SIGNAL {(+ | -) [WEIGHT] SIGNAL} >= THRESHOLD
//     unit NAME = 0 >= THRESHOLD
//     output NAME = SIGNAL
#include "logic/network/scan.h"

#include "base/call/fp_env.h"
#include "base/file.h"
#include "base/memory.h"
#include "tlu_logic.h"

#include <string.h>

static tlu_status text_inputs(struct scan *scan, struct draft *draft)
{
    struct located_name name;
    do {
        TRY(scan_name(scan, "the name of an input", &name));
        TRY(draft_input(draft, name, scan->error));
    } while (scan->token.kind != TOKEN_LINE && scan->token.kind != TOKEN_END);
    return TLU_OK;
}

static tlu_status text_delay(struct scan *scan, struct draft *draft)
{
    struct located_name name, from;
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

// Reads [WEIGHT] SIGNAL after its sign. A single 0 is not a link.
static tlu_status text_link(struct scan *scan, struct draft *draft, bool negative)
{
    struct located_name from;
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

static tlu_status text_unit(struct scan *scan, struct draft *draft)
{
    struct located_name name;
    int64_t threshold;
    TRY(scan_name(scan, "the name of the unit", &name));
    TRY(scan_skip(scan, "="));
    TRY(draft_begin_unit(draft, scan->error));
    TRY(skip_lines(scan));
    bool negative = scan_is(scan, "-");
    if (negative || scan_is(scan, "+"))
        TRY(scan_next(scan));
    for (;;) {
        TRY(text_link(scan, draft, negative));
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

static tlu_status text_output(struct scan *scan, struct draft *draft)
{
    struct located_name name, from;
    TRY(scan_name(scan, "the name of the output", &name));
    TRY(scan_skip(scan, "="));
    TRY(scan_name(scan, "the name of a signal", &from));
    return draft_output(draft, name, from, scan->error);
}

static const struct statement {
    const char *word;
    tlu_status (*read)(struct scan *scan, struct draft *draft);
} statements[] = {
    {"inputs", text_inputs},
    {"delay", text_delay},
    {"unit", text_unit},
    {"output", text_output},
};
#define STATEMENTS (sizeof statements / sizeof statements[0])

static tlu_status text_statement(struct scan *scan, struct draft *draft)
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

static tlu_status read_text(struct scan *scan, struct draft *draft)
{
    TRY(scan_next(scan));
    for (;;) {
        TRY(skip_lines(scan));
        if (scan->token.kind == TOKEN_END)
            return TLU_OK;
        TRY(text_statement(scan, draft));
    }
}

// ---- JSON ----
//
// One object. Keys may come in any order; duplicate and unknown keys are errors.

// Consumes `close`, or a comma before another item.
static tlu_status next_item(struct scan *scan, const char *close, bool *more)
{
    *more = scan_is(scan, ",");
    if (!*more && !scan_is(scan, close))
        return scan_expected(scan, *close == ']' ? "',' or ']'" : "',' or '}'");
    TRY(scan_next(scan));
    return TLU_OK;
}

// Consumes `open` and, if there are no items, `close`.
static tlu_status first_item(struct scan *scan, const char *open, const char *close, bool *more)
{
    TRY(scan_skip(scan, open));
    *more = !scan_is(scan, close);
    return *more ? TLU_OK : scan_next(scan);
}

// Consumes a key and its colon; *which is its number. `seen` has a bit per key.
static tlu_status json_key(struct scan *scan, const char *const *keys, unsigned *seen,
                           unsigned *which)
{
    struct token token = scan->token;
    struct located_name name;
    char what[128] = "";
    TRY(scan_name(scan, "a key in double quotes", &name));
    for (*which = 0; keys[*which]; ++*which) {
        if (strlen(keys[*which]) == name.length &&
            memcmp(keys[*which], name.text, name.length) == 0)
            break;
        strcat(strcat(strcat(strcat(what, *which ? ", " : ""), "\""), keys[*which]), "\"");
    }
    bool known = keys[*which] != NULL;
    if (known && !(*seen >> *which & 1)) {
        *seen |= 1U << *which;
        return scan_skip(scan, ":");
    }
    scan->token = token;
    if (known)
        return error_at(scan->error, scan->path, name.position.line, name.position.column,
                        "the key \"%s\" comes twice", keys[*which]);
    return scan_expected(scan, what);
}

// Checks that an object has had the keys in `needed`.
static tlu_status check_keys(const struct scan *scan, struct file_position start,
                             const char *const *keys, unsigned seen, unsigned needed)
{
    for (unsigned i = 0; keys[i]; i++)
        if (needed >> i & ~seen >> i & 1)
            return error_at(scan->error, scan->path, start.line, start.column,
                            "this object has no \"%s\"", keys[i]);
    return TLU_OK;
}

// ---- parts ----

static tlu_status json_input(struct scan *scan, struct draft *draft)
{
    struct located_name name;
    TRY(scan_name(scan, "the name of an input in double quotes", &name));
    return draft_input(draft, name, scan->error);
}

static tlu_status json_start(struct scan *scan, bool *start)
{
    static const char what[] = "0 or 1";
    struct token token = scan->token;
    int64_t number;
    *start = scan_is(scan, "true");
    if (*start || scan_is(scan, "false"))
        return scan_next(scan);
    TRY(scan_number(scan, what, &number));
    *start = number == 1;
    if (number == 0 || number == 1)
        return TLU_OK;
    scan->token = token;
    return scan_expected(scan, what);
}

static tlu_status json_delay(struct scan *scan, struct draft *draft)
{
    static const char *const keys[] = {"name", "from", "start", NULL};
    struct file_position position = scan->token.shown.position;
    struct located_name name = {0}, from = {0};
    unsigned seen = 0, which;
    bool start = false, more;
    TRY(first_item(scan, "{", "}", &more));
    while (more) {
        TRY(json_key(scan, keys, &seen, &which));
        if (which == 2)
            TRY(json_start(scan, &start));
        else
            TRY(scan_name(scan, "a name in double quotes", which ? &from : &name));
        TRY(next_item(scan, "}", &more));
    }
    TRY(check_keys(scan, position, keys, seen, 3));
    return draft_delay(draft, name, from, start, scan->error);
}

static tlu_status json_weights(struct scan *scan, struct draft *draft)
{
    struct located_name from;
    int64_t weight;
    bool more;
    TRY(first_item(scan, "{", "}", &more));
    while (more) {
        TRY(scan_name(scan, "the name of a signal in double quotes", &from));
        TRY(scan_skip(scan, ":"));
        TRY(scan_number(scan, "a weight, a whole number", &weight));
        TRY(draft_link(draft, from, weight, scan->error));
        TRY(next_item(scan, "}", &more));
    }
    return TLU_OK;
}

static tlu_status json_unit(struct scan *scan, struct draft *draft)
{
    static const char *const keys[] = {"name", "weights", "threshold", NULL};
    struct file_position position = scan->token.shown.position;
    struct located_name name = {0};
    int64_t threshold = 0;
    unsigned seen = 0, which;
    bool more;
    TRY(draft_begin_unit(draft, scan->error));
    TRY(first_item(scan, "{", "}", &more));
    while (more) {
        TRY(json_key(scan, keys, &seen, &which));
        if (which == 0)
            TRY(scan_name(scan, "the name of the unit in double quotes", &name));
        else if (which == 1)
            TRY(json_weights(scan, draft));
        else
            TRY(scan_number(scan, "the threshold, a whole number", &threshold));
        TRY(next_item(scan, "}", &more));
    }
    TRY(check_keys(scan, position, keys, seen, 7));
    return draft_end_unit(draft, name, threshold, scan->error);
}

static tlu_status json_output(struct scan *scan, struct draft *draft)
{
    static const char *const keys[] = {"name", "from", NULL};
    struct file_position position = scan->token.shown.position;
    struct located_name name = {0}, from = {0};
    unsigned seen = 0, which;
    bool more;
    TRY(first_item(scan, "{", "}", &more));
    while (more) {
        TRY(json_key(scan, keys, &seen, &which));
        TRY(scan_name(scan, "a name in double quotes", which ? &from : &name));
        TRY(next_item(scan, "}", &more));
    }
    TRY(check_keys(scan, position, keys, seen, 3));
    return draft_output(draft, name, from, scan->error);
}

// ---- the whole ----

static tlu_status read_json(struct scan *scan, struct draft *draft)
{
    static const char *const keys[] = {"inputs", "delays", "units", "outputs", NULL};
    static tlu_status (*const readers[])(struct scan *, struct draft *) = {json_input, json_delay,
                                                                           json_unit, json_output};
    unsigned seen = 0, which;
    bool more, items;
    TRY(scan_next(scan));
    TRY(first_item(scan, "{", "}", &more));
    while (more) {
        TRY(json_key(scan, keys, &seen, &which));
        TRY(first_item(scan, "[", "]", &items));
        while (items) {
            TRY(readers[which](scan, draft));
            TRY(next_item(scan, "]", &items));
        }
        TRY(next_item(scan, "}", &more));
    }
    return scan->token.kind == TOKEN_END ? TLU_OK : scan_expected(scan, "the end of the file");
}

// ---- entry points ----

#define FILE_MAX ((uint64_t)1 << 32) // bytes

static bool begins_object(const char *bytes, size_t size)
{
    while (size && *bytes && strchr(" \t\r\n", *bytes)) {
        bytes++;
        size--;
    }
    return size && *bytes == '{';
}

tlu_status tlu_network_parse(const char *bytes, size_t size, const char *name,
                             tlu_network **network, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    *network = NULL;
    TRY(check_given(bytes || !size, "text", error));
    bytes = size ? bytes : "";
    size_t mark = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; // byte order
    struct draft draft = {.path = name};
    char *scratch = memory_new(size + 1, 1);
    TRY(enough_memory(scratch, error));
    struct scan scan = {.path = name,
                        .cursor = bytes + mark,
                        .end = bytes + size,
                        .line_start = bytes,
                        .line = 1,
                        .json = begins_object(bytes + mark, size - mark),
                        .scratch = scratch,
                        .error = error};
    tlu_status status = scan.json ? read_json(&scan, &draft) : read_text(&scan, &draft);
    if (status == TLU_OK)
        status = draft_finish(&draft, network, error);
    draft_free(&draft);
    memory_free(scratch);
    return status;
}

tlu_status tlu_network_load(const char *path, tlu_network **network, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    unsigned char *bytes;
    size_t size;
    *network = NULL;
    TRY(check_given(path != NULL, "path", error));
    TRY(file_read(path, FILE_MAX, file_look_text, &bytes, &size, error));
    tlu_status status = tlu_network_parse((const char *)bytes, size, path, network, error);
    memory_free(bytes);
    return status;
}
