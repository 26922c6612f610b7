// The perceptron game in two dimensions, as Cohen draws it (his figure 2 and exercise 3.3): u and
// its hyperplane, the margin gamma on both sides, the circle of radius sqrt(R) around the examples,
// and v_k after each mistake with its projection on u, which has at least the length k gamma.
#include "base/call/fp_env.h"
#include "base/options.h"
#include "base/settings.h"
#include "plot/chart/labels.h"
#include "plot/plane/plane.h"
#include "plot/run/planar.h"
#include "tlu_proof.h"

#include <math.h>
#include <stdio.h>

#define PATIENCE 30      // seconds for the best separator
#define GAMMA 0.2        // of the adversary, as in tlu game
#define SQUARED_RADIUS 1 // likewise
#define MISTAKES_MAX 10000
#define PAD 0.12     // space around vectors and circle, as a share of the range
#define CORNERS 96   // corners of the polygon that draws a circle
#define SHORT 0.12   // u is drawn longer than 1 if 1 is less than this share of the range
#define TWO_WIDE 560 // minimum width, in points, for two charts
#define TWO_HIGH 260 // minimum height
#define SHARE 0.62   // share of the width for the first chart
#define LEGEND_SIZE 6

struct game {
    struct plot *plot;
    struct planar planar;
    struct arrangement arrangement;
    struct planar_row *rows; // [row_count] the examples
    size_t row_count;
    struct planar_update *updates; // [mistakes + 1] v_0 = 0, v_1, ...
    size_t mistakes;
    size_t moments; // number of pictures, or of updates drawn in a single picture
    struct point u;
    double margin;         // gamma
    double squared_radius; // R
    bool best;             // u is the best separator
    struct point low, high;
    struct legend_entry legend[LEGEND_SIZE];
    size_t legend_count;
};

static const tlu_plot_game_settings *settings_of(const struct game *game)
{
    return game->plot->settings;
}

static double bound_of(const struct game *game)
{
    return game->squared_radius / (game->margin * game->margin);
}

// ---- the examples of a file

// gamma and R of the rows, for a given u.
static tlu_status measure(struct game *game, tlu_error *error)
{
    size_t worst = 0;
    game->margin = INFINITY;
    for (size_t i = 0; i < game->row_count; i++) {
        const struct planar_row *row = &game->rows[i];
        double margin = row->sign * dot(game->u, row->at);
        if (margin < game->margin) {
            game->margin = margin;
            worst = i;
        }
        game->squared_radius = fmax(game->squared_radius, dot(row->at, row->at));
    }
    if (game->margin > 0)
        return TLU_OK;
    char along[AMOUNT_SIZE];
    return error_input(error,
                       "%s: row %zu is on the wrong side of the given u: y (u . x) is %s and must "
                       "be above 0; remove --u to use the best separator",
                       error_file_name(game->plot->path), worst + 1,
                       to_digits(along, 4, game->margin == 0 ? 0 : game->margin));
}

static tlu_status find_u(struct game *game, tlu_error *error)
{
    const double *given = settings_of(game)->u;
    const char *file = error_file_name(game->plot->path);
    struct separator separator;
    if (given) {
        game->u = scaled((struct point){given[0], given[1]}, 1 / hypot(given[0], given[1]));
        return measure(game, error);
    }
    TRY(separator_find(&separator, &game->planar.trace, &game->planar.gathered, PATIENCE, error));
    if (separator.verdict == TLU_NOT_SEPARABLE)
        return error_input(error,
                           "%s: no line through 0 separates the rows, so no u has a margin (tlu "
                           "separable --no-bias shows why); use tlu plot --bounds for the proof "
                           "with a bias, or --weight-space for a run that does not converge",
                           file);
    if (separator.verdict != TLU_SEPARABLE)
        return error_input(error,
                           "%s: the search for a separator gave no answer in %d seconds; give one "
                           "with --u U1,U2",
                           file, PATIENCE);
    game->u = (struct point){separator.u[0], separator.u[1]};
    game->best = separator.best;
    return measure(game, error);
}

static tlu_status play_file(struct game *game, tlu_error *error)
{
    TRY(planar_make(&game->planar, game->plot, "game", false, error));
    game->rows = game->planar.rows;
    game->row_count = game->planar.row_count;
    game->updates = game->planar.updates;
    game->mistakes = game->planar.update_count;
    return find_u(game, error);
}

// ---- the examples of an adversary

static tlu_status play_rounds(struct game *game, tlu_game *rounds, tlu_error *error)
{
    const tlu_game_state *state = tlu_game_get_state(rounds);
    size_t most = state->mistakes_max < MISTAKES_MAX ? (size_t)state->mistakes_max : MISTAKES_MAX;
    double x[2];
    int label, prediction, mistake = 1;
    game->rows = plot_new(game->plot, most + 1, sizeof *game->rows);
    game->updates = plot_new(game->plot, most + 1, sizeof *game->updates);
    TRY(enough_memory(game->rows && game->updates, error));
    while (game->mistakes < most) {
        TRY(tlu_game_attack(rounds, x, &label, error));
        if (label == 0)
            break;
        TRY(tlu_game_offer(rounds, x, &prediction, error));
        TRY(tlu_game_label(rounds, label, &mistake, error));
        if (!mistake)
            break; // rounding leaves no further mistake
        state = tlu_game_get_state(rounds);
        struct planar_row *row = &game->rows[game->row_count++];
        *row = (struct planar_row){
            .at = {x[0], x[1]}, .sign = label, .class_index = label > 0, .number = game->row_count};
        game->updates[++game->mistakes] =
            (struct planar_update){.w = {state->v[0], state->v[1]}, .row = *row, .pass = 1};
        game->u = (struct point){state->u[0], state->u[1]};
    }
    return TLU_OK;
}

static tlu_status play_adversary(struct game *game, tlu_error *error)
{
    const tlu_plot_game_settings *settings = settings_of(game);
    const tlu_game_rules rules = {.size = sizeof rules,
                                  .gamma = settings->gamma > 0 ? settings->gamma : GAMMA,
                                  .radius = settings->squared_radius > 0 ? settings->squared_radius
                                                                         : SQUARED_RADIUS,
                                  .dimension = 2,
                                  .u = settings->u};
    tlu_game *rounds = NULL;
    TRY(tlu_game_new(&rules, &rounds, error));
    tlu_status status = play_rounds(game, rounds, error);
    tlu_game_free(rounds);
    game->margin = rules.gamma;
    game->squared_radius = rules.radius;
    game->planar.names[0] = "x1";
    game->planar.names[1] = "x2";
    game->planar.labels[0] = "-1";
    game->planar.labels[1] = "+1";
    return status;
}

// ---- ranges and legend

static void set_range(struct game *game)
{
    double radius = sqrt(game->squared_radius);
    game->low = (struct point){-radius, -radius};
    game->high = (struct point){radius, radius};
    for (size_t k = 0; k <= game->mistakes; k++) {
        struct point v = game->updates[k].w;
        game->low = (struct point){fmin(game->low.x, v.x), fmin(game->low.y, v.y)};
        game->high = (struct point){fmax(game->high.x, v.x), fmax(game->high.y, v.y)};
    }
    struct point by = {PAD * (game->high.x - game->low.x), PAD * (game->high.y - game->low.y)};
    game->low = (struct point){game->low.x - by.x, game->low.y - by.y};
    game->high = (struct point){game->high.x + by.x, game->high.y + by.y};
}

// Colours: u and what is measured along it; k gamma.
static colour colour_of_u(const struct theme *theme)
{
    return theme_series(theme, 2);
}

static colour colour_of_bound(const struct theme *theme)
{
    return theme_series(theme, 3);
}

static void make_legend(struct game *game)
{
    const struct theme *theme = game->plot->theme;
    for (size_t i = 0; i < 2; i++)
        game->legend[game->legend_count++] = class_entry(theme, i, game->planar.labels[i]);
    game->legend[game->legend_count++] =
        (struct legend_entry){"v_k", LEGEND_LINE, line_style(theme->ink, 2, 0), SHAPE_CIRCLE};
    game->legend[game->legend_count++] = (struct legend_entry){
        "v_k \u00b7 u", LEGEND_LINE, line_style(colour_of_u(theme), 4, 0), SHAPE_CIRCLE};
    game->legend[game->legend_count++] = (struct legend_entry){
        "k \u03b3", LEGEND_LINE, line_style(colour_of_bound(theme), 4, 0), SHAPE_CIRCLE};
}

// ---- the plane

static struct point across_of(struct point u)
{
    return (struct point){-u.y, u.x};
}

static struct point sum(struct point a, struct point b)
{
    return (struct point){a.x + b.x, a.y + b.y};
}

static struct text_style label_font(const struct chart *chart, colour ink, bool bold)
{
    return (struct text_style){.size = chart->text, .bold = bold, .colour = ink};
}

static double range_of(const struct chart *chart)
{
    return fmax(chart->x.high - chart->x.low, chart->y.high - chart->y.low);
}

// The hyperplane of u and its margin: the band where no example may be.
static void draw_band(struct chart *chart, const struct game *game)
{
    const struct theme *theme = game->plot->theme;
    const struct style band = fill_style(colour_mix(theme->panel, theme->faint, 0.2));
    const struct style edge = line_style(theme->faint, 1, 4),
                       plane = line_style(theme->ink, 1.2, 0);
    struct point along = scaled(across_of(game->u), 2 * range_of(chart));
    struct point up = scaled(game->u, game->margin), corners[4];
    for (int i = 0; i < 4; i++)
        corners[i] = sum(scaled(along, i == 0 || i == 3 ? 1 : -1), scaled(up, i < 2 ? 1 : -1));
    chart_polygon(chart, corners, 4, &band);
    chart_line(chart, corners[0], corners[1], &edge);
    chart_line(chart, corners[2], corners[3], &edge);
    chart_line(chart, along, scaled(along, -1), &plane);
}

static void draw_circle(struct chart *chart, const struct game *game)
{
    const struct style line = line_style(game->plot->theme->faint, chart->small ? 1 : 1.5, 0);
    struct point circle[CORNERS + 1];
    for (int i = 0; i <= CORNERS; i++) {
        double angle = 2 * 3.14159265358979323846 * i / CORNERS;
        circle[i] = scaled((struct point){cos(angle), sin(angle)}, sqrt(game->squared_radius));
    }
    chart_curve(chart, circle, CORNERS + 1, &line);
}

// The length of the arrow of u: 1, unless that would be hard to see.
static double length_of_u(const struct chart *chart, const struct game *game)
{
    double range = fmin(chart->x.high - chart->x.low, chart->y.high - chart->y.low);
    double radius = sqrt(game->squared_radius);
    return 1 >= SHORT * range && 1 <= 1.05 * fmax(radius, -game->low.x) ? 1 : radius / 2;
}

// The axis of the projections, and u on it.
static void draw_u(struct chart *chart, const struct game *game, struct labels *labels)
{
    const colour green = colour_of_u(game->plot->theme);
    const struct style axis = line_style(green, 0.8, 2);
    const struct style arrow = line_style(green, chart->small ? 1.5 : 2.5, 0);
    const struct text_style font = label_font(chart, green, true);
    struct point tip = scaled(game->u, length_of_u(chart, game));
    chart_line(chart, (struct point){0, 0}, scaled(game->u, 2 * range_of(chart)), &axis);
    chart_arrow(chart, (struct point){0, 0}, tip, &arrow);
    if (!chart->small)
        labels_put(labels, tip, across_of(game->u), "u", &font);
}

// A radius and the width of the band with their names, opposite u.
static void name_lengths(struct chart *chart, const struct game *game, struct labels *labels)
{
    const struct theme *theme = game->plot->theme;
    const struct style thin = line_style(theme->faint, 1, 0);
    const struct text_style font = label_font(chart, theme->faint, false);
    double radius = sqrt(game->squared_radius);
    struct point away = scaled(game->u, -1), side = across_of(game->u);
    struct point out = sum(scaled(away, 0.8 * radius), scaled(side, 0.6 * radius));
    struct point foot = scaled(side, -0.82 * radius);
    struct point edge = sum(foot, scaled(game->u, -game->margin));
    if (chart->small)
        return;
    chart_line(chart, (struct point){0, 0}, out, &thin);
    chart_line(chart, foot, edge, &thin);
    labels_put(labels, scaled(out, 0.6), side, "\u221aR", &font);
    labels_put(labels, edge, away, "\u03b3", &font);
}

// v_k with its projection on u; `now`: the last one of the picture.
static void draw_v(struct chart *chart, const struct game *game, size_t k, bool now)
{
    const struct theme *theme = game->plot->theme;
    double thick = chart->small ? 1.5 : 2.2;
    struct point v = game->updates[k].w, foot = scaled(game->u, dot(v, game->u));
    const struct style arrow = now ? line_style(theme->ink, thick, 0)
                                   : line_style(colour_mix(theme->panel, theme->ink, 0.45), 1.2, 0);
    const struct style down = line_style(colour_of_u(theme), now ? 1.2 : 0.8, 3);
    const struct style dot_style = edged_style(colour_of_u(theme), theme->panel, 0.8);
    chart_line(chart, v, foot, &down);
    chart_dots(chart, &foot, 1, SHAPE_CIRCLE, now && !chart->small ? 3.5 : 2, &dot_style);
    chart_arrow(chart, (struct point){0, 0}, v, &arrow);
}

// The lengths v_k . u and k gamma as bars from 0, on both sides of the axis of u.
static void draw_lengths(struct chart *chart, const struct game *game, size_t k)
{
    const struct theme *theme = game->plot->theme;
    double width = chart->small ? 2 : 4;
    double per_point = (chart->x.high - chart->x.low) / box_width(&chart->area);
    const struct style inside = line_style(colour_of_u(theme), width, 0);
    const struct style least = line_style(colour_of_bound(theme), width, 0);
    struct point beside = scaled(across_of(game->u), (width / 2 + 1.5) * per_point);
    struct point other = scaled(beside, -1);
    struct point foot = scaled(game->u, dot(game->updates[k].w, game->u));
    chart_line(chart, beside, sum(beside, foot), &inside);
    chart_line(chart, other, sum(other, scaled(game->u, (double)k * game->margin)), &least);
}

// The step y x to v_k, and its example.
static void draw_step(struct chart *chart, const struct game *game, size_t k)
{
    const struct theme *theme = game->plot->theme;
    const struct planar_update *update = &game->updates[k];
    const struct style step =
        line_style(theme_series(theme, update->row.class_index), chart->small ? 1 : 1.5, 4);
    const struct style ring = edged_style(COLOUR_NONE, theme->ink, chart->small ? 1.5 : 2);
    chart_line(chart, game->updates[k - 1].w, update->w, &step);
    chart_dots(chart, &update->row.at, 1, SHAPE_CIRCLE, chart->small ? 5.5 : 9, &ring);
}

static void name_vectors(const struct chart *chart, const struct game *game, struct labels *labels,
                         size_t last)
{
    const struct theme *theme = game->plot->theme;
    const struct text_style bold = label_font(chart, theme->ink, true);
    const struct text_style plain = label_font(chart, theme->faint, false);
    char text[COUNTED_SIZE + 4];
    snprintf(text, sizeof text, "v_%zu", last);
    labels_put(labels, game->updates[last].w, game->updates[last].w, text, &bold);
    for (size_t i = game->moments; i-- > 1 && !chart->small;) {
        size_t k = (size_t)update_of_moment(game->mistakes, game->moments, i);
        snprintf(text, sizeof text, "%zu", k);
        if (k < last)
            labels_put(labels, game->updates[k].w, game->updates[k].w, text, &plain);
    }
}

// All v_k up to the last one.
static void draw_plane(struct chart *chart, const struct game *game, size_t last, bool step)
{
    struct labels labels = {.chart = chart};
    draw_band(chart, game);
    draw_circle(chart, game);
    planar_draw_rows(chart, game->plot, game->rows, game->row_count);
    for (size_t i = 1; i < game->moments; i++) {
        size_t k = (size_t)update_of_moment(game->mistakes, game->moments, i);
        if (k > 0 && k < last)
            draw_v(chart, game, k, false);
    }
    if (last > 0) {
        draw_lengths(chart, game, last);
        if (step)
            draw_step(chart, game, last);
        draw_v(chart, game, last, true);
    }
    draw_u(chart, game, &labels);
    if (last > 0)
        name_vectors(chart, game, &labels, last);
    name_lengths(chart, game, &labels);
}

static struct chart plane_chart(const struct game *game, struct page *page, struct box place,
                                bool small)
{
    struct chart chart = {
        .page = page,
        .place = place,
        .x = {.low = game->low.x, .high = game->high.x, .label = game->planar.names[0]},
        .y = {.low = game->low.y, .high = game->high.y, .label = game->planar.names[1]},
        .square = true,
        .small = small};
    if (small) {
        chart.x.bare = chart.y.bare = true;
        chart.x.label = chart.y.label = NULL;
    }
    return chart;
}

// ---- a picture of a sequence

static tlu_status draw_moment(const void *context, struct frame *frame, size_t index,
                              tlu_error *error)
{
    const struct game *game = context;
    struct chart chart = plane_chart(game, frame->page, frame->place, frame->small);
    (void)error;
    if (!frame->small) {
        chart.legend = game->legend;
        chart.legend_count = game->legend_count;
    }
    chart_begin(&chart);
    draw_plane(&chart, game, (size_t)update_of_moment(game->mistakes, game->moments, index), true);
    chart_end(&chart);
    return TLU_OK;
}

// "v_3 . u = 1.2 >= 3 gamma = 0.6", and with lengths "; |v_3|^2 = 2 <= 3 R = 3"
static const char *lemma_text(const struct game *game, size_t k, bool lengths,
                              char out[TEXT_SIZE / 2])
{
    char inside[AMOUNT_SIZE], least[AMOUNT_SIZE], square[AMOUNT_SIZE], most[AMOUNT_SIZE];
    struct point v = game->updates[k].w;
    int written = snprintf(out, TEXT_SIZE / 2, "v_%zu \u00b7 u = %s \u2265 %zu \u03b3 = %s", k,
                           to_digits(inside, 4, dot(v, game->u)), k,
                           to_digits(least, 4, (double)k * game->margin));
    if (lengths)
        snprintf(out + written, TEXT_SIZE / 2 - (size_t)written,
                 "; |v_%zu|\u00b2 = %s \u2264 %zu R = %s", k, to_digits(square, 4, dot(v, v)), k,
                 to_digits(most, 4, (double)k * game->squared_radius));
    return out;
}

static const char *text_of(const void *context, const struct frame *frame, size_t index, int terse,
                           char out[TEXT_SIZE])
{
    const struct game *game = context;
    size_t k = (size_t)update_of_moment(game->mistakes, game->moments, index);
    const struct planar_update *update = &game->updates[k];
    char lemma[TEXT_SIZE / 2], row[COUNTED_SIZE];
    (void)frame;
    if (k == 0)
        snprintf(out, TEXT_SIZE, "%s",
                 terse < SMALL_TEXT ? "before the first mistake: v_0 = 0" : "v_0 = 0");
    else if (terse < 2)
        snprintf(out, TEXT_SIZE, "mistake %zu, row %s: %s", k, grouped(row, update->row.number),
                 lemma_text(game, k, terse == 0, lemma));
    else if (terse < TERSEST - 1)
        snprintf(out, TEXT_SIZE, "%s", lemma_text(game, k, false, lemma));
    else
        snprintf(out, TEXT_SIZE, "mistake %zu", k);
    return out;
}

// ---- one picture

// The lengths of the projections against k gamma.
static void draw_growth(struct chart *chart, const struct game *game)
{
    const struct theme *theme = game->plot->theme;
    const struct style inside = line_style(colour_of_u(theme), 2, 0);
    const struct style least = line_style(colour_of_bound(theme), 2, 5);
    const struct style dots = edged_style(colour_of_u(theme), theme->panel, 0.8);
    struct point *lengths = plot_new(game->plot, game->mistakes + 1, sizeof *lengths);
    double k = (double)game->mistakes, highest = k * game->margin;
    if (!lengths) {
        chart->page->picture->failed = true;
        return;
    }
    for (size_t i = 0; i <= game->mistakes; i++) {
        lengths[i] = (struct point){(double)i, dot(game->updates[i].w, game->u)};
        highest = fmax(highest, lengths[i].y);
    }
    chart->x = (struct axis){.low = 0, .high = 1.05 * k, .label = "mistakes k", .whole = true};
    chart->y = (struct axis){.low = 0, .high = 1.08 * highest, .label = "length along u"};
    chart->legend = game->legend;
    chart->legend_count = game->legend_count;
    chart_begin(chart);
    chart_curve(chart, lengths, game->mistakes + 1, &inside);
    if (game->mistakes <= 40)
        chart_dots(chart, lengths + 1, game->mistakes, SHAPE_CIRCLE, 3, &dots);
    chart_line(chart, (struct point){0, 0}, (struct point){k, k * game->margin}, &least);
    chart_end(chart);
}

static tlu_status draw_one(struct game *game, tlu_error *error)
{
    struct page *page;
    struct box box;
    bool small;
    TRY(planar_page(game->plot, &page, &box, &small, error));
    bool two = box_width(&box) >= TWO_WIDE && box_height(&box) >= TWO_HIGH && game->mistakes > 0;
    struct box place = box;
    place.right = two ? box.left + SHARE * box_width(&box) : box.right;
    struct chart chart = plane_chart(game, page, place, small);
    if (!two && !small) {
        chart.legend = game->legend;
        chart.legend_count = game->legend_count;
    }
    chart_begin(&chart);
    draw_plane(&chart, game, game->mistakes, false);
    chart_end(&chart);
    plot_area(game->plot, &chart);
    if (!two)
        return TLU_OK;
    struct chart growth = {.page = page, .place = {place.right, box.top, box.right, box.bottom}};
    draw_growth(&growth, game);
    return TLU_OK;
}

// ---- words and numbers

static void add_figures(const struct game *game)
{
    tlu_picture *picture = game->plot->picture;
    char name[COUNTED_SIZE];
    picture_figure(picture, "mistakes", (double)game->mistakes);
    picture_figure(picture, "bound", bound_of(game));
    picture_figure(picture, "gamma", game->margin);
    picture_figure(picture, "squared_radius", game->squared_radius);
    picture_figure(picture, "u_x", game->u.x);
    picture_figure(picture, "u_y", game->u.y);
    for (size_t i = 0; i < game->moments; i++) {
        size_t k = (size_t)update_of_moment(game->mistakes, game->moments, i);
        struct point v = game->updates[k].w;
        if (k == 0)
            continue;
        const struct {
            const char *format;
            double value;
        } figures[] = {{"v_%zu_x", v.x},
                       {"v_%zu_y", v.y},
                       {"v_%zu_dot_u", dot(v, game->u)},
                       {"%zu_gamma", (double)k * game->margin}};
        for (size_t j = 0; j < sizeof figures / sizeof figures[0]; j++) {
            snprintf(name, sizeof name, figures[j].format, k);
            picture_figure(picture, name, figures[j].value);
        }
    }
}

static void describe(struct game *game)
{
    struct plot *plot = game->plot;
    char count[COUNTED_SIZE], bound[AMOUNT_SIZE], margin[AMOUNT_SIZE], radius[AMOUNT_SIZE];
    char lemma[TEXT_SIZE / 2], name[NAME_SIZE], ending[160];
    if (plot->path)
        plot_title(plot, "Perceptron game: %s", file_name(plot, name));
    else
        plot_title(plot, "Perceptron game against an adversary");
    if (plot->path)
        say(plot, "The perceptron: %s", trace_ending(&game->planar.trace, ending, sizeof ending));
    else
        say(plot, "The adversary forces %s", counted(count, game->mistakes, "mistake", "mistakes"));
    say(plot, "; %s R/\u03b3\u00b2 = %s are possible. ", plot->path ? "at most" : "fewer than",
        to_digits(bound, 4, bound_of(game)));
    say(plot,
        "u, of length 1, %s with the margin \u03b3 = %s; R = %s, and all examples are in the "
        "circle of radius \u221aR. ",
        settings_of(game)->u || !plot->path ? "separates the examples" : "is the best separator",
        to_digits(margin, 4, game->margin), to_digits(radius, 4, game->squared_radius));
    if (game->mistakes > 0)
        say(plot, "Each mistake adds y x to v, and at least \u03b3 to its projection on u: %s.",
            lemma_text(game, game->mistakes, true, lemma));
}

static const char frame_caption[] =
    "A mistake adds y x, dashed, to v. The projection of v_k on u is at least k \u03b3 long, "
    "and v_k at most \u221a(k R).";

static tlu_status arrange(struct game *game, tlu_error *error)
{
    const struct sequence sequence = {.plot = game->plot,
                                      .context = game,
                                      .count = game->moments,
                                      .draw = draw_moment,
                                      .text = text_of,
                                      .caption = frame_caption,
                                      .legend = game->legend,
                                      .legend_count = game->legend_count};
    if (game->arrangement.animation)
        return sequence_animate(&sequence, game->arrangement.fps, error);
    return game->arrangement.strip ? sequence_strip(&sequence, error) : draw_one(game, error);
}

static tlu_status make(struct game *game, tlu_error *error)
{
    TRY(game->plot->path ? play_file(game, error) : play_adversary(game, error));
    game->moments = planar_moments(game->mistakes, &game->arrangement);
    set_range(game);
    make_legend(game);
    describe(game);
    add_figures(game);
    return arrange(game, error);
}

static tlu_status plot_game(struct plot *plot, tlu_error *error)
{
    const tlu_plot_game_settings *settings = plot->settings;
    struct game game = {
        .plot = plot,
        .arrangement = {settings->animation, settings->strip, settings->frames, settings->fps}};
    tlu_status status = make(&game, error);
    trace_free(&game.planar.trace);
    return status;
}

tlu_status tlu_plot_game(const tlu_plot_game_settings *given, const tlu_options *options,
                         const tlu_picture_style *style, tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_plot_game_settings settings;
    *picture = NULL;
    TRY(settings_take(&settings, sizeof settings, given, "tlu_plot_game_settings", error));
    TRY(check_fps(settings.fps, error));
    double length = settings.u ? hypot(settings.u[0], settings.u[1]) : 1;
    if (!(length > 0 && isfinite(length)))
        return error_input(error, "u must have a length: expected two numbers that are not both 0");
    struct plot plot = {.settings = &settings, .path = settings.path};
    return plot_make(plot_game, &plot, options, style, picture, error);
}
