// tlu distance: on which side of the hyperplane each row is, and how far from it.
#include "cli.h"
#include "reading.h"
#include "tlu_proof.h"

static const tlu_option_info options[] = {
    FLAG_OPTION("json", "print one JSON object per line"),
    FLAG_OPTION("all",
                "with several classes, the distances from all planes of the predicted class"),
    FLAG_OPTION("quiet", "print the margin alone, and no notes"),
};

struct distance_run {
    const struct arguments *arguments;
    struct session session;
    tlu_planes *planes;
    bool all, two;
    uint64_t labelled, wrong, margin_row; // margin_row: from 1; 0: none
    double margin;                        // the smallest
};

static const char *label_of(const struct distance_run *rows, size_t class_index)
{
    return tlu_model_class_label(rows->session.model, class_index);
}

static void print_json(const struct distance_run *rows, uint64_t row, uint32_t label,
                       const tlu_distance *distance)
{
    struct json json = json_open(stdout);
    size_t classes = tlu_model_class_count(rows->session.model);
    json_count(&json, "row", row);
    json_text(&json, "predicted", label_of(rows, distance->predicted));
    json_text(&json, "label", label < classes ? label_of(rows, label) : NULL);
    if (!rows->two)
        json_text(&json, "against", label_of(rows, distance->against));
    JSON_MEMBERS(&json, distance, score, distance, margin);
    if (rows->all && !rows->two) {
        json_object(&json, "distances");
        for (size_t j = 0; j < classes; j++)
            if (j != distance->predicted)
                json_number(&json, label_of(rows, j),
                            tlu_planes_distance_between(rows->planes, distance->predicted, j));
        json_end(&json);
    }
    json_end(&json);
}

static void print_text(const struct distance_run *rows, uint64_t row, uint32_t label,
                       const tlu_distance *distance)
{
    size_t classes = tlu_model_class_count(rows->session.model);
    printf("row %llu: %s", ULL(row), text_clip(label_of(rows, distance->predicted), 40));
    if (label < classes && label != distance->predicted)
        printf(" (wrong, the label is %s)", text_clip(label_of(rows, label), 40));
    printf(", score %s", brief_text(distance->score));
    printf(", distance %s", brief_text(distance->distance));
    if (!rows->two)
        printf(" from the plane against %s", text_clip(label_of(rows, distance->against), 40));
    fputc('\n', stdout);
    for (size_t j = 0; j < classes && rows->all && !rows->two; j++)
        if (j != distance->predicted) {
            double between = tlu_planes_distance_between(rows->planes, distance->predicted, j);
            printf("  %s from the plane against %s\n", brief_text(between),
                   text_clip(label_of(rows, j), 40));
        }
}

static tlu_status take_row(struct distance_run *rows, uint64_t number, const tlu_row *row,
                           uint32_t label, tlu_error *error)
{
    tlu_distance distance;
    TRY(tlu_planes_distance(rows->planes, row, label, &distance, error));
    if (!isnan(distance.margin)) {
        rows->labelled++;
        rows->wrong += label != distance.predicted;
        if (rows->margin_row == 0 || distance.margin < rows->margin) {
            rows->margin = distance.margin;
            rows->margin_row = number;
        }
    }
    if (!rows->arguments->quiet)
        (rows->arguments->json ? print_json : print_text)(rows, number, label, &distance);
    return TLU_OK;
}

static void print_margin(const struct distance_run *rows)
{
    if (rows->arguments->json) {
        struct json json = json_open(stdout);
        JSON_MEMBERS(&json, rows, labelled, wrong);
        json_number(&json, "smallest_margin", rows->margin_row ? rows->margin : NAN);
        json_count(&json, "margin_row", rows->margin_row);
        json_bool(&json, "scaled_space", tlu_planes_are_scaled(rows->planes));
        json_end(&json);
        return;
    }
    if (rows->margin_row == 0)
        return;
    printf("margin %s: the least distance of %s, that of row %llu%s\n", brief_text(rows->margin),
           count_text(rows->labelled, "labelled row"), ULL(rows->margin_row),
           rows->margin < 0 ? ", which is on the wrong side" : "");
}

static void close_run(struct distance_run *rows)
{
    tlu_planes_free(rows->planes);
    session_close(&rows->session);
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    CLEANUP(close_run)
    struct distance_run rows = {.arguments = arguments, .all = arguments_flag(arguments, "all")};
    const tlu_batch *batch;
    TRY(session_open(&rows.session, arguments, NULL, NULL, error));
    rows.two = tlu_model_positive_class(rows.session.model) != TLU_NONE;
    TRY(tlu_planes_new(rows.session.model, &rows.planes, error));
    for (;;) {
        TRY(session_next(&rows.session, &batch, error));
        if (!batch)
            break;
        for (size_t i = 0; i < batch->rows; i++) {
            tlu_row row = tlu_batch_row(batch, i);
            TRY(take_row(&rows, batch->first_row + i + 1, &row, batch->labels[i], error));
        }
    }
    print_margin(&rows);
    if (arguments->json)
        return TLU_OK;
    if (!arguments->quiet && tlu_planes_are_scaled(rows.planes)) {
        fflush(stdout); // before the notes, if both go to one terminal
        fputs("note: distances are those of the rows as the model scales them\n", stderr);
    }
    reading_notes(NULL, arguments, rows.session.model, tlu_reader_get_stats(rows.session.reader),
                  true);
    return TLU_OK;
}

const struct verb distance_verb = {
    .name = "distance",
    .summary = "show how far each row is from the hyperplane, and the margin",
    .description =
        "For each row of DATA prints the label that MODEL gives, its score and its signed distance "
        "from the hyperplane, (w . x + b) / |w|, positive on the side of the positive class. With "
        "more classes it is the distance from the nearest of the planes between the predicted "
        "class and the others, (w_k - w_j) . x + b_k - b_j = 0. Distances are in the space of the "
        "data, also if the model scales it. The last line has the margin: the least distance of a "
        "row from the planes of its own label, below 0 if a row is on the wrong side. Models with "
        "a kernel or a vote have no hyperplane.",
    .arguments = {MODEL_ARGUMENT, ROWS_ARGUMENT},
    .groups = "reading",
    OPTIONS(options),
    .examples = {"tlu train data/weather.csv -o weather.tlu",
                 "tlu distance weather.tlu data/weather.csv",
                 "tlu distance weather.tlu data/weather.csv --json"},
    .run = run,
};
