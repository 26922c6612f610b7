// The JSON form: one object. Keys come in any order, none twice, and none that is not known.
#include "logic/net/read.h"

#include <string.h>

// Steps over `close`, or over a comma before another item.
static tlu_status next_item(struct scan *scan, const char *close, bool *more)
{
    *more = scan_is(scan, ",");
    if (!*more && !scan_is(scan, close))
        return scan_expected(scan, *close == ']' ? "',' or ']'" : "',' or '}'");
    TRY(scan_next(scan));
    return TLU_OK;
}

// Steps over `open` and, if there are no items, `close`.
static tlu_status first_item(struct scan *scan, const char *open, const char *close, bool *more)
{
    TRY(scan_skip(scan, open));
    *more = !scan_is(scan, close);
    return *more ? TLU_OK : scan_next(scan);
}

// One of the keys of an object and its colon; *which is its number. `seen` has a bit per key.
static tlu_status read_key(struct scan *scan, const char *const *keys, unsigned *seen,
                           unsigned *which)
{
    struct token token = scan->token;
    struct name name;
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
        return error_at(scan->error, scan->path, name.place.line, name.place.column,
                        "the key \"%s\" comes twice", keys[*which]);
    return scan_expected(scan, what);
}

// The end of an object, which must have had the keys of `needed`.
static tlu_status check_keys(const struct scan *scan, struct place start, const char *const *keys,
                             unsigned seen, unsigned needed)
{
    for (unsigned i = 0; keys[i]; i++)
        if (needed >> i & ~seen >> i & 1)
            return error_at(scan->error, scan->path, start.line, start.column,
                            "this object has no \"%s\"", keys[i]);
    return TLU_OK;
}

// ---- parts ----

static tlu_status read_input(struct scan *scan, struct draft *draft)
{
    struct name name;
    TRY(scan_name(scan, "the name of an input in double quotes", &name));
    return draft_input(draft, name, scan->error);
}

static tlu_status read_start(struct scan *scan, bool *start)
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

static tlu_status read_delay(struct scan *scan, struct draft *draft)
{
    static const char *const keys[] = {"name", "from", "start", NULL};
    struct place place = scan->token.shown.place;
    struct name name = {0}, from = {0};
    unsigned seen = 0, which;
    bool start = false, more;
    TRY(first_item(scan, "{", "}", &more));
    while (more) {
        TRY(read_key(scan, keys, &seen, &which));
        if (which == 2)
            TRY(read_start(scan, &start));
        else
            TRY(scan_name(scan, "a name in double quotes", which ? &from : &name));
        TRY(next_item(scan, "}", &more));
    }
    TRY(check_keys(scan, place, keys, seen, 3));
    return draft_delay(draft, name, from, start, scan->error);
}

static tlu_status read_weights(struct scan *scan, struct draft *draft)
{
    struct name from;
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

static tlu_status read_unit(struct scan *scan, struct draft *draft)
{
    static const char *const keys[] = {"name", "weights", "threshold", NULL};
    struct place place = scan->token.shown.place;
    struct name name = {0};
    int64_t threshold = 0;
    unsigned seen = 0, which;
    bool more;
    TRY(draft_begin_unit(draft, scan->error));
    TRY(first_item(scan, "{", "}", &more));
    while (more) {
        TRY(read_key(scan, keys, &seen, &which));
        if (which == 0)
            TRY(scan_name(scan, "the name of the unit in double quotes", &name));
        else if (which == 1)
            TRY(read_weights(scan, draft));
        else
            TRY(scan_number(scan, "the threshold, a whole number", &threshold));
        TRY(next_item(scan, "}", &more));
    }
    TRY(check_keys(scan, place, keys, seen, 7));
    return draft_end_unit(draft, name, threshold, scan->error);
}

static tlu_status read_output(struct scan *scan, struct draft *draft)
{
    static const char *const keys[] = {"name", "from", NULL};
    struct place place = scan->token.shown.place;
    struct name name = {0}, from = {0};
    unsigned seen = 0, which;
    bool more;
    TRY(first_item(scan, "{", "}", &more));
    while (more) {
        TRY(read_key(scan, keys, &seen, &which));
        TRY(scan_name(scan, "a name in double quotes", which ? &from : &name));
        TRY(next_item(scan, "}", &more));
    }
    TRY(check_keys(scan, place, keys, seen, 3));
    return draft_output(draft, name, from, scan->error);
}

// ---- the whole ----

tlu_status read_json(struct scan *scan, struct draft *draft)
{
    static const char *const keys[] = {"inputs", "delays", "units", "outputs", NULL};
    static tlu_status (*const readers[])(struct scan *, struct draft *) = {read_input, read_delay,
                                                                           read_unit, read_output};
    unsigned seen = 0, which;
    bool more, items;
    TRY(scan_next(scan));
    TRY(first_item(scan, "{", "}", &more));
    while (more) {
        TRY(read_key(scan, keys, &seen, &which));
        TRY(first_item(scan, "[", "]", &items));
        while (items) {
            TRY(readers[which](scan, draft));
            TRY(next_item(scan, "]", &items));
        }
        TRY(next_item(scan, "}", &more));
    }
    return scan->token.kind == TOKEN_END ? TLU_OK : scan_expected(scan, "the end of the file");
}
