// A chart: axes, grid, legend, title and caption around an area in which data is drawn.
//
//     chart = (struct chart){.page = page, .place = page_whole(page), .x = ..., .y = ...};
//     chart_begin(&chart);           // computes the layout, paints the background
//     chart_dots(&chart, ...);       // in the units of the data, clipped to the area
//     chart_end(&chart);             // axes, names, legend
#ifndef TLU_PLOT_CHART_CHART_H
#define TLU_PLOT_CHART_CHART_H

#include "plot/picture.h"

struct axis {
    double low, high;         // chart_begin widens them if they are equal or not finite
    const char *label;        // NULL: none
    bool percent;             // values are fractions of 1
    bool whole;               // ticks are integers
    bool degrees;             // ticks divide a right angle
    bool logarithmic;         // low > 0
    bool bare;                // no numbers
    const char *const *names; // [name_count] for 0, 1, 2, ...; NULL: numbers
    size_t name_count;
};

enum legend_kind { LEGEND_DOT, LEGEND_LINE, LEGEND_AREA };

struct legend_entry {
    const char *text;
    enum legend_kind kind;
    struct style style;
    enum shape shape;
};

// The layout, computed by chart_begin.
struct chart_layout {
    struct box space;  // for axes and area: without title, caption and legend
    struct box legend; // empty: none
    size_t legend_columns, legend_rows, legend_shown;
    double x_space, y_space; // of numbers or names: height below, width at the left
    double before, past;     // how far numbers below extend beyond the area
    size_t x_about, y_about; // approximate number of ticks
    size_t x_every, y_every; // every n-th name is drawn
    double x_text, y_text;   // font size of numbers and names
    bool turned;             // names below are upright
    bool x_label, y_label;   // they fit
};

struct chart {
    struct page *page;
    struct box place;    // of the whole chart
    const char *title;   // NULL: none
    const char *caption; // below, broken into lines; NULL: none
    struct axis x, y;
    bool square; // equal scales on both axes: one range is widened; ignored if logarithmic
    bool small;  // one of several in a picture
    const struct legend_entry *legend; // [legend_count] at the right, or below if that is small
    size_t legend_count;
    size_t legend_last; // this many at the end are shown even if others are left out
    // Computed by chart_begin:
    struct box area; // of the data
    double text;     // font size
    struct chart_layout layout;
};

void chart_begin(struct chart *chart);
void chart_end(struct chart *chart);

// From the units of the data to the page. The result may be outside the area.
struct point chart_place(const struct chart *chart, double x, double y);

// All in the units of the data, clipped to the area.
void chart_dots(struct chart *chart, const struct point *at, size_t count, enum shape shape,
                double radius, const struct style *style);
void chart_line(struct chart *chart, struct point from, struct point to, const struct style *style);
// Skips points too close to the last one to be visible. NaN interrupts the curve.
void chart_curve(struct chart *chart, const struct point *at, size_t count,
                 const struct style *style);
void chart_polygon(struct chart *chart, const struct point *at, size_t count,
                   const struct style *style);
void chart_box(struct chart *chart, struct point from, struct point to, const struct style *style);
// Text at a place, moved into the area; cut if it is wider.
void chart_note(struct chart *chart, struct point at, const char *text,
                const struct text_style *font);
// An arrow with its head at `to`.
void chart_arrow(struct chart *chart, struct point from, struct point to,
                 const struct style *style);

// The place below a chart, down to `bottom`, for one whose x axis is aligned with it. `widest` is
// the widest number of the y axis of the chart below.
struct box chart_place_below(const struct chart *chart, const char *widest, double bottom);

// Draws a title at the top of the box and a caption at its bottom, and shrinks the box to the rest.
// NULL: none. `small`: for one of several charts.
void chart_frame(struct page *page, const char *title, const char *caption, bool small,
                 struct box *box);

// Like page_text, cut to the width with an ellipsis; on a terminal moved to whole cells.
void page_fit_text(struct page *page, double x, double y, const char *text,
                   const struct text_style *font, double width);

// The same for names, which lose their middle instead of their end.
void page_fit_name(struct page *page, double x, double y, const char *text,
                   const struct text_style *font, double width);
#define TICKS_MAX 32
struct ticks {
    size_t count;
    double places[TICKS_MAX];
    double step; // their distance; 0 if logarithmic
};
// About this many ticks; none if the axis has names.
struct ticks axis_ticks(const struct axis *axis, size_t about);
// A number of an axis: "0.25", "1,000", "20M", "2e+30", "40%".
#define TICK_SIZE 64
const char *axis_number(char out[TICK_SIZE], const struct axis *axis, double value, double step);

// "12,345" and "40.0%", as an axis writes them.
const char *number_text(char out[TICK_SIZE], double value);
const char *share_text(char out[TICK_SIZE], double value);

// The style of the dots of a class, and its entry in a legend.
struct style class_style(const struct theme *theme, size_t class_index);
enum shape class_shape(size_t class_index);
struct legend_entry class_entry(const struct theme *theme, size_t class_index, const char *text);

#endif
