// How the regions of a picture of the truth look: as the class that was learned, and where it is
// wrong, more noticeable.
#include "base/memory.h"
#include "plot/truth/internal.h"

// The line hides the seam that smoothing leaves between neighbours.
static struct look plain(colour ground)
{
    return (struct look){.fill = ground, .line = ground, .width = 0.7};
}

struct look look_of_two(const struct theme *theme, uint32_t label)
{
    colour missed = colour_mix(theme->panel, theme->wrong, 0.25);
    switch (label) {
    case IS_BOTH:
        return plain(theme_region(theme, 1));
    case IS_MISSED:
        return (struct look){.fill = missed, .line = theme->wrong, .width = 0.7, .hatched = true};
    case IS_FALSE:
        return plain(colour_mix(theme->panel, theme->wrong, 0.6));
    default:
        return plain(theme_region(theme, 0));
    }
}

struct look look_of_several(const struct theme *theme, uint32_t label)
{
    colour region = theme_region(theme, label & ~IS_WRONG);
    if (!(label & IS_WRONG))
        return plain(region);
    return (struct look){.fill = region, .line = theme->wrong, .width = 0.7, .hatched = true};
}

// ---- borders: dashed of the truth, through of what was learned

static struct look border(colour line, double width, double dash)
{
    return (struct look){.fill = COLOUR_NONE, .line = line, .width = width, .dash = dash};
}

static const struct look unseen = {.fill = COLOUR_NONE, .line = COLOUR_NONE};

struct look border_of_truth(const struct theme *theme, uint32_t label)
{
    return label ? border(theme->ink, 1.6, 5) : unseen;
}

struct look border_of_learned(const struct theme *theme, uint32_t label)
{
    return label ? border(theme->ink, 1.6, 0) : unseen;
}

// Of several classes they are drawn from both sides, which dashes would suffer from.
struct look border_of_truths(const struct theme *theme, uint32_t label)
{
    (void)label;
    return border(theme->faint, 1, 0);
}

struct look border_of_classes(const struct theme *theme, uint32_t label)
{
    (void)label;
    return border(theme->ink, 1.6, 0);
}

// ---- legend

static size_t list_regions(const struct theme *theme, bool several, struct legend_entry *out)
{
    const struct legend_entry two[] = {
        {.text = "true, learned", .kind = LEGEND_AREA, .look = look_of_two(theme, IS_BOTH)},
        {.text = "true, missed", .kind = LEGEND_AREA, .look = look_of_two(theme, IS_MISSED)},
        {.text = "learned, not true", .kind = LEGEND_AREA, .look = look_of_two(theme, IS_FALSE)},
        {.text = "neither", .kind = LEGEND_AREA, .look = look_of_two(theme, IS_NEITHER)},
        {.text = "the truth", .kind = LEGEND_LINE, .look = border_of_truth(theme, 1)},
        {.text = "learned", .kind = LEGEND_LINE, .look = border_of_learned(theme, 1)}};
    const struct legend_entry more[] = {
        {.text = "wrong",
         .kind = LEGEND_AREA,
         .look = {theme->panel, theme->wrong, 0.7, 0, true, false}},
        {.text = "the truth", .kind = LEGEND_LINE, .look = border_of_truths(theme, 1)},
        {.text = "learned", .kind = LEGEND_LINE, .look = border_of_classes(theme, 1)}};
    size_t count = several ? sizeof more / sizeof more[0] : sizeof two / sizeof two[0];
    for (size_t i = 0; i < count; i++)
        out[i] = several ? more[i] : two[i];
    return count;
}

tlu_status make_legend(struct chart *chart, const struct truth_sample *sample, tlu_error *error)
{
    const struct theme *theme = chart->page->picture->theme;
    size_t count = sample->class_count;
    struct legend_entry *legend = memory_new(count + 6, sizeof *legend);
    TRY(enough_memory(legend, error));
    for (size_t i = 0; i < count; i++)
        legend[i] = (struct legend_entry){.text = sample->names[i],
                                          .kind = LEGEND_DOT,
                                          .look = class_look(theme, i),
                                          .shape = class_shape(i)};
    chart->legend = legend;
    size_t regions = list_regions(theme, count > 2, legend + count);
    chart->legend_count = count + regions;
    chart->legend_last = count > 2 ? regions : 0;
    return TLU_OK;
}
