#include "reading.h"
#include "cli.h"

#include <sys/stat.h>

bool is_model(const char *path)
{
    static const char magic[8] = "\x89TLU\r\n\x1A\n";
    char start[sizeof magic];
    struct stat about;
    if (stat(path, &about) != 0 ||
        !S_ISREG(about.st_mode)) // reading a pipe here would consume its data
        return false;
    FILE *file = fopen(path, "rb");
    bool is = file && fread(start, 1, sizeof start, file) == sizeof start &&
              memcmp(start, magic, sizeof magic) == 0;
    if (file)
        fclose(file);
    return is;
}

tlu_status load_first(const struct arguments *arguments, tlu_model **model, tlu_error *error)
{
    const char *first = arguments->positional[0], *second = arguments->positional[1];
    if (!is_model(first) && is_model(second))
        return fail_input(error, "'%s' is the model and comes first: tlu %s MODEL DATA", second,
                          arguments->verb->name);
    return tlu_model_load(first, model, error);
}

tlu_status session_open(struct session *session, const struct arguments *arguments,
                        const char *output, const double *threshold, tlu_error *error)
{
    for (size_t i = 0; output && i < 2; i++)
        TRY(refuse_overwriting(output, arguments->positional[i], error));
    TRY(load_first(arguments, &session->model, error));
    if (threshold) {
        OWNED(tlu_model) loaded = session->model;
        TRY(tlu_model_with_threshold(loaded, *threshold, &session->model, error));
    }
    return tlu_reader_open(session->model, arguments->positional[1], arguments->library,
                           &session->reader, error);
}

void session_close(struct session *session)
{
    tlu_reader_close(session->reader);
    tlu_model_free(session->model);
}

tlu_status session_next(const struct session *session, const tlu_batch **batch, tlu_error *error)
{
    TRY(output_flush(&(struct output){.file = stdout}, error));
    return tlu_reader_next(session->reader, batch, error);
}

tlu_status need_weights(const tlu_model *model, tlu_error *error)
{
    const char *decision = tlu_model_decision(model);
    if (tlu_model_layers(model, NULL, 0))
        return fail_input(error,
                          "the model has layers, so its features have no weights of their own; "
                          "tlu explain shows what the score of a row depends on");
    if (strcmp(decision, "vote") == 0 || strcmp(decision, "random") == 0)
        return fail_input(
            error,
            "the model decides by %s over many weight vectors, so it has no single "
            "weight vector; tlu inspect --examples shows the rows that it consists of",
            decision);
    if (!tlu_model_has_weights(model))
        return fail_input(
            error,
            "the model has a kernel (%s), so its features have no weights; tlu inspect "
            "--examples shows the rows that it consists of",
            tlu_options_get(tlu_model_options(model), "kernel"));
    return TLU_OK;
}

// A note for each CSV option that was given although the model reads another format.
static void note_unused_options(struct json *notices, const struct arguments *arguments,
                                const tlu_model *model)
{
    static const char *const names[] = {"delimiter", "header", "missing"};
    if (tlu_model_label_column(model)) // the model reads CSV
        return;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (option_is_given(arguments->library, names[i]))
            note(notices, "--%s has no effect: it is for CSV, which the model does not read",
                 names[i]);
}

void reading_notes(struct json *notices, const struct arguments *arguments, const tlu_model *model,
                   const tlu_reader_stats *reading, bool labels)
{
    if (!notices && arguments->quiet)
        return;
    fflush(stdout);
    note_unused_options(notices, arguments, model);
    if (reading->skipped)
        note(notices, "%s left out", count_text(reading->skipped, "malformed row"));
    if (reading->unseen_values)
        note(notices, "%s left out that training never met",
             count_text(reading->unseen_values, "categorical value"));
    if (reading->unknown_rows)
        note(notices, "%s %s no feature that the model knows",
             count_text(reading->unknown_rows, "row"), reading->unknown_rows == 1 ? "has" : "have");
    if (labels && reading->unknown_labels)
        note(notices, "%s %s a label that the model does not know, the first is '%s'%s%s%s",
             count_text(reading->unknown_labels, "row"),
             reading->unknown_labels == 1 ? "has" : "have", text_clip(reading->unknown_label, 40),
             reading->closest_label[0] ? "; the model knows '" : "",
             text_clip(reading->closest_label, 40), reading->closest_label[0] ? "'" : "");
}
