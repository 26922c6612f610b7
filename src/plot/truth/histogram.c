// How often which accuracy was reached, over many seeds.
#include "plot/truth/internal.h"

#include <math.h>
#include <stdio.h>

#define BARS_MAX 64
#define NEARLY 1e-9
#define ROOM 1.25 // above the bars, for the word of the mean

struct bars {
    double low, width;
    size_t count, highest;
    size_t seeds[BARS_MAX];
};

// Widths that are easy to read, as few as give 20 bars at most. What is at the end of a bar belongs
// to the next one, but nothing is above 100%.
static struct bars count_bars(const struct accuracies *seeds)
{
    static const double widths[] = {0.005, 0.01, 0.02, 0.05};
    struct bars bars = {0};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        bars.width = widths[i];
        bars.low = fmin(1 - bars.width, floor(seeds->least / bars.width + NEARLY) * bars.width);
        double high = fmin(1, (floor(seeds->most / bars.width + NEARLY) + 1) * bars.width);
        bars.count = (size_t)((high - bars.low) / bars.width + 0.5);
        if (bars.count <= 20)
            break;
    }
    for (size_t i = 0; i < seeds->count; i++) {
        size_t bar = (size_t)((seeds->all[i] - bars.low) / bars.width + NEARLY);
        bar = bar < bars.count ? bar : bars.count - 1;
        bars.seeds[bar]++;
        bars.highest = bars.seeds[bar] > bars.highest ? bars.seeds[bar] : bars.highest;
    }
    return bars;
}

// Above the bars, at the side that has more room.
static void draw_mean(struct chart *chart, double mean)
{
    const struct theme *theme = chart->page->picture->theme;
    const struct look line = {.line = theme->ink, .width = 1.6, .fill = COLOUR_NONE};
    bool right = mean > (chart->x.low + chart->x.high) / 2;
    const struct letters letters = {.size = chart->text,
                                    .across = right ? ALIGN_END : ALIGN_START,
                                    .along = ALIGN_START,
                                    .colour = theme->ink};
    struct point top = {mean, chart->y.high};
    chart_line(chart, (struct point){mean, 0}, top, &line);
    chart_note(chart, top, right ? "mean " : " mean", &letters);
}

void draw_histogram(struct page *page, const struct box *place, const struct accuracies *seeds)
{
    const struct theme *theme = page->picture->theme;
    struct bars bars = count_bars(seeds);
    const struct look bar = {.fill = theme_series(theme, 0), .line = theme->panel, .width = 1};
    char title[TICK_SIZE];
    snprintf(title, sizeof title, "%zu seeds", seeds->count);
    struct chart chart = {
        .page = page,
        .place = *place,
        .small = true,
        .title = title,
        .x = {.low = bars.low,
              .high = bars.low + (double)bars.count * bars.width,
              .percent = true,
              .label = "accuracy"},
        .y = {.low = 0, .high = (double)bars.highest * ROOM, .whole = true, .label = "seeds"}};
    chart_begin(&chart);
    for (size_t i = 0; i < bars.count; i++) {
        double left = bars.low + (double)i * bars.width;
        if (bars.seeds[i])
            chart_box(&chart, (struct point){left, 0},
                      (struct point){left + bars.width, (double)bars.seeds[i]}, &bar);
    }
    draw_mean(&chart, seeds->mean);
    chart_end(&chart);
}
