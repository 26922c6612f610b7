// The axes of a chart: ticks, grid, numbers or names, labels. On a terminal the axes are
// box-drawing characters.
#include "numeric/number.h"
#include "plot/chart/chart.h"
#include "plot/chart/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- ticks

#define NEARLY 1e-9

// 1, 2 or 5 times a power of ten; about `about` steps fit into the length.
static double nice_step(double length, size_t about)
{
    double rough = length / (double)(about ? about : 1);
    double power = pow(10, floor(log10(rough)));
    double share = rough / power;
    return (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10) * power;
}

// Steps in degrees: rather one tick more than one less.
static double degree_step(double length, size_t about)
{
    static const double steps[] = {5, 15, 30, 45};
    double rough = length / (double)about;
    if (rough < 4)
        return nice_step(length, about);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if (steps[i] >= 0.65 * rough)
            return steps[i];
    return 90 * fmax(1, round(rough / 90));
}

static void even_ticks(const struct axis *axis, size_t about, struct ticks *ticks)
{
    double step = axis->degrees ? degree_step(axis->high - axis->low, about)
                                : nice_step(axis->high - axis->low, about);
    if (axis->whole && step < 1)
        step = 1;
    double first = ceil(axis->low / step - NEARLY);
    ticks->step = step;
    for (ticks->count = 0; ticks->count < TICKS_MAX; ticks->count++) {
        double place = (first + (double)ticks->count) * step;
        if (!(place <= axis->high + step * NEARLY))
            break;
        ticks->places[ticks->count] = place == 0 ? 0 : place;
    }
}

// ---- logarithmic: powers of ten, or every n-th of them; with few of them also 2 and 5 times these

static void powers_of_ten(const struct axis *axis, size_t about, struct ticks *ticks)
{
    double from = ceil(log10(axis->low) - NEARLY), to = floor(log10(axis->high) + NEARLY);
    double apart = fmax(1, ceil((to - from) / (double)about));
    for (double power = from; power <= to && ticks->count < TICKS_MAX; power += apart)
        ticks->places[ticks->count++] = pow(10, power);
}

static void ones_twos_fives(const struct axis *axis, struct ticks *ticks)
{
    static const double times[] = {1, 2, 5};
    double from = floor(log10(axis->low)), to = floor(log10(axis->high) + NEARLY);
    ticks->count = 0;
    for (double power = from; power <= to; power++)
        for (size_t i = 0; i < 3 && ticks->count < TICKS_MAX; i++) {
            double place = times[i] * pow(10, power);
            if (place >= axis->low * (1 - NEARLY) && place <= axis->high * (1 + NEARLY))
                ticks->places[ticks->count++] = place;
        }
}

struct ticks axis_ticks(const struct axis *axis, size_t about)
{
    struct ticks ticks = {0};
    about = about ? about : 1;
    if (axis->names || !(axis->high > axis->low))
        return ticks;
    if (!axis->logarithmic) {
        even_ticks(axis, about, &ticks);
        return ticks;
    }
    double decades = log10(axis->high / axis->low);
    if (3 * decades > (double)about)
        powers_of_ten(axis, about, &ticks);
    if (ticks.count < 2)
        ones_twos_fives(axis, &ticks);
    if (ticks.count < 2 && decades < 1)
        even_ticks(axis, about, &ticks);
    return ticks;
}

// ---- numbers

static int digits_after_point(double step)
{
    return (int)fmax(0, -floor(log10(step) + NEARLY));
}

// "1234567.5" becomes "1,234,567.5", and the hyphen a minus sign.
static void for_people(char out[TICK_SIZE], const char *plain)
{
    size_t used = 0;
    if (*plain == '-') {
        memcpy(out, "\xe2\x88\x92", 3);
        used = 3;
        plain++;
    }
    size_t whole = strspn(plain, "0123456789");
    for (size_t i = 0; plain[i] && used + 2 < TICK_SIZE; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0)
            out[used++] = ',';
        out[used++] = plain[i];
    }
    out[used] = 0;
}

// "2e+38", "-1.5e-7": with enough digits to distinguish neighbours.
static void with_exponent(char out[TICK_SIZE], double value, double step)
{
    char plain[TICK_SIZE], number[TICK_SIZE];
    double size = floor(log10(fabs(value)) + NEARLY);
    int digits = step > 0 ? (int)fmin(15, fmax(0, size - floor(log10(step) + NEARLY))) : 0;
    number_print_as(plain, sizeof plain, 'e', digits, value);
    char *exponent = strchr(plain, 'e');
    if (!exponent) {
        for_people(out, plain);
        return;
    }
    char sign = exponent[1];
    const char *power = exponent + 2 + strspn(exponent + 2, "0");
    *exponent = 0;
    for_people(number, plain);
    snprintf(out, TICK_SIZE, "%.40se%s%.8s", number, sign == '-' ? "\xe2\x88\x92" : "+",
             *power ? power : "0");
}

// Whether numbers of this size and distance need an exponent.
static bool needs_exponent(double largest, double value, double step)
{
    if (step == 0)
        return fabs(value) >= 1e6 || fabs(value) < 1e-4;
    return largest >= 1e9 || step < 0.9e-4;
}

static void plain_number(char out[TICK_SIZE], double value, double largest, double step)
{
    char plain[TICK_SIZE];
    if (step == 0) {
        number_print_as(plain, sizeof plain, 'f', fabs(value) < 1 ? digits_after_point(value) : 0,
                        value);
        for_people(out, plain);
        return;
    }
    bool millions = largest >= 1e7 && step >= 0.9e5;
    double unit = millions ? 1e6 : 1;
    number_print_as(plain, sizeof plain - 1, 'f', digits_after_point(step / unit), value / unit);
    strcat(plain, millions ? "M" : "");
    for_people(out, plain);
}

const char *axis_number(char out[TICK_SIZE], const struct axis *axis, double value, double step)
{
    double times = axis->percent ? 100 : 1;
    double shown = times * value, apart = times * step;
    double largest = times * fmax(fabs(axis->low), fabs(axis->high));
    if (shown == 0)
        snprintf(out, TICK_SIZE, "0");
    else if (needs_exponent(largest, shown, apart))
        with_exponent(out, shown, apart);
    else
        plain_number(out, shown, largest, apart);
    if (axis->percent && strlen(out) + 1 < TICK_SIZE)
        strcat(out, "%");
    return out;
}

const char *number_text(char out[TICK_SIZE], double value)
{
    return axis_number(out, &(struct axis){.whole = true}, value, 1);
}

const char *share_text(char out[TICK_SIZE], double value)
{
    return axis_number(out, &(struct axis){.percent = true}, value, 0.001);
}

// ---- drawing the axes

#define TICK 4

static struct ticks ticks_of(const struct chart *chart, bool up)
{
    return up ? axis_ticks(&chart->y, chart->layout.y_about)
              : axis_ticks(&chart->x, chart->layout.x_about);
}

static struct point place_on(const struct chart *chart, bool up, double at)
{
    return up ? chart_place(chart, chart->x.low, at) : chart_place(chart, at, chart->y.low);
}

// Compares places on the page, because a logarithmic axis has no numbers below 0.
static bool is_on_axis(const struct chart *chart, bool up, double at)
{
    struct point place = place_on(chart, up, at);
    return up ? place.y >= chart->area.top - 0.5 && place.y <= chart->area.bottom + 0.5
              : place.x >= chart->area.left - 0.5 && place.x <= chart->area.right + 0.5;
}

void axes_grid(struct chart *chart)
{
    const struct style style = line_style(chart->page->picture->theme->grid, 1, 0);
    if (chart_is_text(chart))
        return;
    for (int up = 0; up < 2; up++) {
        struct ticks ticks = ticks_of(chart, up);
        for (size_t i = 0; i < ticks.count; i++) {
            struct point at = place_on(chart, up, ticks.places[i]);
            if (up)
                page_line(chart->page, (struct point){chart->area.left, at.y},
                          (struct point){chart->area.right, at.y}, &style);
            else
                page_line(chart->page, (struct point){at.x, chart->area.top},
                          (struct point){at.x, chart->area.bottom}, &style);
        }
    }
}

// ---- on a terminal

// Whether a tick is in the row or column of cells that begins here.
static bool has_tick(const struct chart *chart, bool up, double cell)
{
    const struct ticks ticks = ticks_of(chart, up);
    double size = up ? CELL_HEIGHT : CELL_WIDTH;
    double last = up ? chart->area.bottom - size : chart->area.right - size;
    for (size_t i = 0; i < ticks.count && !(up ? chart->y.bare : chart->x.bare); i++) {
        struct point at = place_on(chart, up, ticks.places[i]);
        if (fmin(last, floor((up ? at.y : at.x) / size) * size) == cell)
            return true;
    }
    return false;
}

static void draw_text_axes(struct chart *chart)
{
    struct text_style font = chart_font(chart, ALIGN_START, ALIGN_START);
    const struct box *area = &chart->area;
    font.colour = chart->page->picture->theme->faint;
    for (double y = area->top; y < area->bottom - 1; y += CELL_HEIGHT)
        page_put_text(chart->page, area->left - CELL_WIDTH, y, has_tick(chart, true, y) ? "┤" : "│",
                      &font);
    page_put_text(chart->page, area->left - CELL_WIDTH, area->bottom, "└", &font);
    for (double x = area->left; x < area->right - 1; x += CELL_WIDTH)
        page_put_text(chart->page, x, area->bottom, has_tick(chart, false, x) ? "┬" : "─", &font);
}

// ---- numbers and names

// Draws the text for a place on the axis, and its tick.
static void draw_place(struct chart *chart, bool up, double at, const char *text, double width)
{
    const struct style style = line_style(chart->page->picture->theme->faint, 1, 0);
    const struct box *area = &chart->area;
    struct point place = place_on(chart, up, at);
    bool turned = !up && chart->layout.turned;
    struct text_style font = chart_font(chart, up || turned ? ALIGN_END : ALIGN_MIDDLE,
                                        up || turned ? ALIGN_MIDDLE : ALIGN_START);
    font.upright = turned;
    font.size = up ? chart->layout.y_text : chart->layout.x_text;
    if (chart_is_text(chart)) {
        if (up)
            page_fit_name(chart->page, area->left - CELL_WIDTH,
                          fmin(place.y, area->bottom - CELL_HEIGHT / 2), text, &font, width);
        else
            page_fit_name(chart->page, place.x, area->bottom + CELL_HEIGHT, text, &font, width);
        return;
    }
    struct point end = {up ? area->left - TICK : place.x, up ? place.y : area->bottom + TICK};
    page_line(chart->page, (struct point){up ? area->left : place.x, up ? place.y : area->bottom},
              end, &style);
    if (up)
        page_fit_name(chart->page, end.x - GAP / 2, end.y, text, &font, width);
    else
        page_fit_name(chart->page, end.x, end.y + GAP / 4, text, &font, width);
}

// Numbers are never cut. One that does not fit, or is too close to the last one, is left out.
static void draw_numbers(struct chart *chart, bool up)
{
    const struct axis *axis = up ? &chart->y : &chart->x;
    const struct text_style font = chart_font(chart, ALIGN_START, ALIGN_START);
    const struct box *space = &chart->layout.space;
    double line = chart_line_height(chart), end = up ? INFINITY : space->left - GAP;
    struct ticks ticks = ticks_of(chart, up);
    char text[TICK_SIZE];
    for (size_t i = 0; i < ticks.count; i++) {
        axis_number(text, axis, ticks.places[i], ticks.step);
        struct point at = place_on(chart, up, ticks.places[i]);
        double width = page_text_width(chart->page, text, &font);
        if (up ? width > chart->layout.y_space + 0.5 || at.y > end - line
               : at.x - width / 2 < end + GAP - 0.5 || at.x + width / 2 > space->right + 0.5)
            continue;
        draw_place(chart, up, ticks.places[i], text, INFINITY);
        end = up ? fmin(at.y, chart->area.bottom - line / 2) : at.x + width / 2;
    }
}

// The maximum width of a name, so that it stays in its place and on the page.
static double name_space(const struct chart *chart, bool up, double at)
{
    const struct chart_layout *layout = &chart->layout;
    double apart = box_width(&chart->area) / (chart->x.high - chart->x.low);
    double x = place_on(chart, up, at).x;
    if (up || layout->turned)
        return up ? layout->y_space : layout->x_space;
    double cell = chart_is_text(chart) ? CELL_WIDTH : 0;
    double sides = 2 * fmin(x - layout->space.left, layout->space.right - x) - cell;
    return fmin(sides, apart * (double)layout->x_every - fmax(cell, GAP / 2));
}

static void draw_names(struct chart *chart, bool up)
{
    const struct axis *axis = up ? &chart->y : &chart->x;
    size_t every = up ? chart->layout.y_every : chart->layout.x_every;
    for (size_t i = 0; i < axis->name_count; i += every)
        if (is_on_axis(chart, up, (double)i))
            draw_place(chart, up, (double)i, axis->names[i], name_space(chart, up, (double)i));
}

static void draw_labels(struct chart *chart)
{
    const struct chart_layout *layout = &chart->layout;
    const struct box *area = &chart->area;
    bool text = chart_is_text(chart);
    struct text_style font = chart_font(chart, ALIGN_MIDDLE, ALIGN_END);
    if (layout->x_label)
        page_fit_text(chart->page, (area->left + area->right) / 2, layout->space.bottom,
                      chart->x.label, &font, box_width(area));
    if (!layout->y_label)
        return;
    font.along = ALIGN_START;
    font.upright = !text;
    font.across = text ? ALIGN_START : ALIGN_MIDDLE;
    if (text) {
        page_fit_text(chart->page, layout->space.left, layout->space.top, chart->y.label, &font,
                      box_width(&layout->space));
        return;
    }
    // Beside a low area, the label may extend beyond its ends.
    double half =
        fmin(page_text_width(chart->page, chart->y.label, &font), box_height(&layout->space)) / 2;
    double middle = fmin((area->top + area->bottom) / 2, layout->space.bottom - half);
    page_fit_text(chart->page, layout->space.left, fmax(middle, layout->space.top + half),
                  chart->y.label, &font, box_height(&layout->space));
}

void axes_draw(struct chart *chart)
{
    const struct style frame = edged_style(COLOUR_NONE, chart->page->picture->theme->faint, 1);
    if (chart_is_text(chart))
        draw_text_axes(chart);
    else
        page_box(chart->page, &chart->area, &frame);
    for (int up = 0; up < 2; up++) {
        const struct axis *axis = up ? &chart->y : &chart->x;
        if (!axis->bare)
            (axis->names ? draw_names : draw_numbers)(chart, up);
    }
    draw_labels(chart);
}
