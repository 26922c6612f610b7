#include "reading.h"

#include "text.h"

#include <string.h>

tlu_status session_open(struct session *session, const struct arguments *arguments,
                        const char *output, tlu_error *error)
{
    session->model = NULL;
    session->reader = NULL;
    tlu_status status = TLU_OK;
    for (size_t i = 0; output && i < 2 && status == TLU_OK; i++)
        status = refuse_overwriting(output, arguments->positional[i], error);
    if (status == TLU_OK)
        status = tlu_model_load(arguments->positional[0], &session->model, error);
    if (status == TLU_OK)
        status = tlu_reader_open(session->model, arguments->positional[1], arguments->library,
                                 &session->reader, error);
    if (status != TLU_OK)
        session_close(session);
    return status;
}

void session_close(struct session *session)
{
    tlu_reader_close(session->reader);
    tlu_model_free(session->model);
}

tlu_status need_weights(const tlu_model *model, tlu_error *error)
{
    const char *decision = tlu_model_decision(model);
    if (!tlu_model_has_weights(model))
        return fail(error, TLU_ERROR_INPUT,
                    "the model has a kernel (%s), and so no weights of features; tlu inspect "
                    "--examples shows what it is made of",
                    tlu_options_get(tlu_model_options(model), "kernel"));
    if (strcmp(decision, "vote") == 0 || strcmp(decision, "random") == 0)
        return fail(error, TLU_ERROR_INPUT,
                    "the model decides by %s over many weight vectors, and so has no weights of "
                    "its own; tlu inspect --examples shows what it is made of",
                    decision);
    return TLU_OK;
}

static char *new_note(struct notes *notes)
{
    return notes->text[notes->count++];
}

void reading_notes(struct notes *notes, const tlu_reading *reading, bool labels)
{
    char count[64], label[160];
    size_t size = sizeof notes->text[0];
    notes->count = 0;
    if (reading->skipped)
        snprintf(new_note(notes), size, "%s left out",
                 count_text(count, reading->skipped, "malformed row"));
    if (reading->unseen_values)
        snprintf(new_note(notes), size, "%s left out that training never met",
                 count_text(count, reading->unseen_values, "categorical value"));
    if (reading->strange_rows)
        snprintf(new_note(notes), size, "%s %s no feature that the model knows",
                 count_text(count, reading->strange_rows, "row"),
                 reading->strange_rows == 1 ? "has" : "have");
    if (labels && reading->unknown_labels)
        snprintf(new_note(notes), size,
                 "%s %s a label that the model does not know, the first is '%s'",
                 count_text(count, reading->unknown_labels, "row"),
                 reading->unknown_labels == 1 ? "has" : "have",
                 text_show(label, sizeof label, reading->unknown_label, 40));
}

void print_reading_notes(FILE *file, const tlu_reading *reading, bool labels)
{
    struct notes notes;
    reading_notes(&notes, reading, labels);
    for (size_t i = 0; i < notes.count; i++)
        fprintf(file, "note: %s\n", notes.text[i]);
}
