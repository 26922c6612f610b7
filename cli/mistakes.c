// tlu trace --mistakes: a row per mistake of a perceptron.
#include "cli.h"
#include "table.h"
#include "tlu_proof.h"
#include "trace.h"

#define FEW 9      // up to this many weights, the bias included, all are shown
#define SECONDS 60 // time limit of the search for the best separator

OWNED_TYPE(tlu_mistake_table, tlu_mistake_table_free)

static const char *const why_averages_differ =
    "3.6 adds v after the update and 3.5 before it, so the last v replaces v_0 = 0";

// ---- tables

// Prints all entries if there are few, as "(1, -1, 2)" or one CSV field each; otherwise only those
// that are not 0.
static void put_vector(struct text_table *to, const tlu_mistake_table *table, const char *heading,
                       const double *v)
{
    bool csv = to->form == TABLE_CSV, few = table->dimension <= FEW;
    if (!csv || !few)
        table_begin_cell(to, heading, few);
    bool any = false;
    for (size_t i = 0; i < table->dimension; i++) {
        if (!few && v[i] == 0)
            continue;
        if (!few)
            table_add(to, format_text("%s%s:", any ? " " : "", text_clip(table->names[i], 40)));
        else if (csv)
            table_begin_cell(to, format_text("%s %s", heading, text_clip(table->names[i], 60)),
                             true);
        else
            table_add(to, any ? ", " : "(");
        table_add_number(to, v[i]);
        any = true;
    }
    if (few && !csv)
        table_add(to, any ? ")" : "()");
}

// "v_k (x1, x2, b)" if the names are short enough.
static const char *vector_heading(const tlu_mistake_table *table)
{
    const char *names = "";
    if (table->dimension > FEW)
        return "v_k";
    for (size_t i = 0; i < table->dimension; i++) {
        bool bias = table->bias && i + 1 == table->dimension;
        const char *name = bias ? "b" : text_clip(table->names[i], 40);
        if (strlen(names) + strlen(name) > 40)
            return "v_k";
        names = format_text("%s%s%s", names, i ? ", " : "", name);
    }
    return format_text("v_k (%s)", names);
}

// A number; if it is not known, "-", or an empty field in CSV.
static void put_known(struct text_table *to, const char *heading, double value)
{
    table_begin_cell(to, heading, true);
    if (isfinite(value))
        table_add_number(to, value);
    else
        table_add(to, to->form == TABLE_CSV ? "" : "-");
}

static void put_share(struct text_table *to, const char *heading, double share)
{
    if (to->form == TABLE_CSV || !isfinite(share)) {
        put_known(to, heading, share);
        return;
    }
    table_begin_cell(to, heading, true);
    table_add(to, format_text("%.2f%%", 100 * share));
}

static void put_guess(struct text_table *to, const tlu_mistake_table *table, const tlu_guess *guess)
{
    bool plain = table->rate == 1;
    put_known(to, "k", (double)guess->k);
    put_known(to, "row", guess->k ? (double)guess->row : NAN);
    put_known(to, "line", guess->k ? (double)guess->line : NAN);
    put_known(to, "m_k", (double)guess->used);
    put_known(to, "c_k", (double)guess->survived);
    put_vector(to, table, to->form == TABLE_CSV ? "v_k" : vector_heading(table), guess->v);
    if (table->u) {
        put_known(to, "v_k . u", guess->v_dot_u);
        put_known(to, plain ? "k gamma" : "k rate gamma", guess->v_dot_u_min);
    }
    put_known(to, "|v_k|^2", guess->v_squared);
    put_known(to, plain ? "k R^2" : "k rate^2 R^2", guess->v_squared_max);
    if (table->u)
        put_known(to, "angle", guess->angle);
    put_share(to, "error 1/m_k", guess->error);
    put_share(to, "error on all", guess->error_all);
    put_share(to, "m_k/m", guess->probability);
    table_end_row(to);
}

static void print_guesses(const tlu_mistake_table *table, const char *form)
{
    struct text_table to;
    table_open(&to, stdout, form);
    to.heading = true;
    put_guess(&to, table, &table->guesses[0]);
    to.heading = false;
    for (size_t k = 0; k < table->count; k++)
        put_guess(&to, table, &table->guesses[k]);
    table_close(&to);
}

static void put_fact(struct text_table *to, const char *what, const double *v, double number,
                     const tlu_mistake_table *table)
{
    table_begin_cell(to, "what", false);
    table_add(to, what);
    table_begin_cell(to, "value", false);
    if (!v) {
        table_add_number(to, number);
    } else {
        bool few = table->dimension <= FEW, any = false;
        for (size_t i = 0; i < table->dimension; i++) {
            if (!few && v[i] == 0)
                continue;
            table_add(to, any ? few ? ", " : " " : few ? "(" : "");
            if (!few)
                table_add(to, format_text("%s:", text_clip(table->names[i], 40)));
            table_add_number(to, v[i]);
            any = true;
        }
        table_add(to, few ? ")" : "");
    }
    table_end_row(to);
}

// The second table: totals, u and the averages. CSV has only the first table.
static void print_facts(const tlu_mistake_table *table, const char *form)
{
    struct text_table to;
    table_open(&to, stdout, form);
    if (to.form == TABLE_CSV) {
        table_close(&to);
        return;
    }
    fputc('\n', stdout);
    to.heading = to.form != TABLE_TEXT;
    if (to.heading)
        put_fact(&to, "", NULL, 0, table);
    to.heading = false;
    put_fact(&to, "rows m", NULL, (double)table->examples, table);
    put_fact(&to, "passes T", NULL, (double)table->epochs, table);
    put_fact(&to, "sum of m_k = m T", NULL, (double)table->steps, table);
    put_fact(&to, "mistakes k", NULL, (double)table->mistakes, table);
    put_fact(&to, "R", NULL, table->radius, table);
    if (table->u) {
        put_fact(&to, "gamma", NULL, table->gamma, table);
        put_fact(&to, "u", table->u, 0, table);
    }
    put_fact(&to, "average of 3.5, sum of m_k/m v_k", table->average_used, 0, table);
    put_fact(&to, "average of 3.6", table->average, 0, table);
    table_close(&to);
}

// ---- JSON

static void json_vector(struct json *json, const char *key, const double *v,
                        const tlu_mistake_table *table)
{
    json_object(json, key);
    for (size_t i = 0; i < table->dimension; i++)
        if (table->dimension <= FEW || v[i] != 0)
            json_number(json, table->names[i], v[i]);
    json_end(json);
}

static void json_guess(struct json *json, const tlu_mistake_table *table, const tlu_guess *guess)
{
    json_object(json, NULL);
    json_count(json, "k", guess->k);
    json_number(json, "row", guess->k ? (double)guess->row : NAN);
    json_number(json, "line", guess->k ? (double)guess->line : NAN);
    json_count(json, "m_k", guess->used);
    json_count(json, "c_k", guess->survived);
    json_vector(json, "v", guess->v, table);
    json_number(json, "v_dot_u", guess->v_dot_u);
    json_number(json, "k_gamma", guess->v_dot_u_min);
    json_number(json, "squared_length", guess->v_squared);
    json_number(json, "k_R2", guess->v_squared_max);
    json_number(json, "angle", guess->angle);
    json_number(json, "error", guess->error);
    json_number(json, "error_on_all", guess->error_all);
    json_number(json, "probability", guess->probability);
    json_end(json);
}

static void print_json(const tlu_mistake_table *table)
{
    static const char *const answers[] = {[TLU_SEPARABLE] = "separable",
                                          [TLU_NOT_SEPARABLE] = "not separable",
                                          [TLU_NOT_DECIDED] = "not decided"};
    struct json json = json_open(stdout);
    json_array(&json, "guesses");
    for (size_t k = 0; k < table->count; k++)
        json_guess(&json, table, &table->guesses[k]);
    json_end(&json);
    json_bool(&json, "cut", table->count <= table->mistakes);
    JSON_MEMBERS(&json, table, examples, epochs, epochs_made, steps, mistakes, cycle, rate);
    JSON_MEMBERS(&json, table, positive, radius, gamma);
    json_text(&json, "answer", answers[table->verdict]);
    if (table->u)
        json_vector(&json, "u", table->u, table);
    json_vector(&json, "average_3_5", table->average_used, table);
    json_vector(&json, "average_3_6", table->average, table);
    json_text(&json, "why_averages_differ", why_averages_differ);
    json_end(&json);
}

// ---- notes

static void print_notes(const tlu_mistake_table *table)
{
    fprintf(stderr, "note: the averages differ by the last v, divided by m T: %s\n",
            why_averages_differ);
    if (table->verdict == TLU_NOT_SEPARABLE)
        fprintf(stderr, "note: the rows are not separable, so there is no u: v_k . u, k gamma and "
                        "the angle are left out\n");
    else if (!table->u)
        fprintf(stderr, "note: no u was found, so v_k . u, k gamma and the angle are left out\n");
    if (table->count <= table->mistakes)
        fprintf(stderr, "note: these are the first %s of %llu; --steps N shows more\n",
                count_text(table->count, "row"), ULL(table->mistakes + 1));
    if (table->epochs > table->epochs_made)
        fprintf(stderr, "note: %s made; the others %s and are only counted\n",
                count_text(table->epochs_made, "pass"),
                table->cycle ? "repeat them" : "make no mistake");
}

tlu_status mistakes_print(const struct arguments *arguments, tlu_error *error)
{
    const char *form = arguments_text(arguments, "as");
    tlu_mistake_table_settings settings = {.size = sizeof settings,
                                           .path = arguments->positional[0],
                                           .guesses_max =
                                               (size_t)arguments_count(arguments, "steps"),
                                           .seconds = SECONDS};
    OWNED(tlu_mistake_table) table = NULL;
    TRY(tlu_mistake_table_compute(&settings, arguments->library, &table, error));
    if (strcmp(form, "json") == 0) {
        print_json(table);
        return TLU_OK;
    }
    print_guesses(table, form);
    print_facts(table, form);
    fflush(stdout);
    if (!arguments->quiet)
        print_notes(table);
    return TLU_OK;
}
