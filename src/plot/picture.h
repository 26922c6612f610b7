// A picture: what is to be seen, as a list of marks. What writes it (paint/) is asked for nothing
// but the width of text while it is made, so that a picture can become SVG, PNG, PDF, GIF or the
// letters of a terminal.
//
// Lengths are in points, one pixel each at scale 1; y goes down. A terminal has cells of CELL_WIDTH
// times CELL_HEIGHT points, one letter each.
#ifndef TLU_PLOT_PICTURE_H
#define TLU_PLOT_PICTURE_H

#include "base/error.h"
#include "plot/theme.h"
#include "tlu_plot.h"

#include <stddef.h>

#define CELL_WIDTH 8
#define CELL_HEIGHT 16

struct point {
    double x, y;
};

struct box {
    double left, top, right, bottom;
};

static inline double box_width(const struct box *box)
{
    return box->right - box->left;
}

static inline double box_height(const struct box *box)
{
    return box->bottom - box->top;
}

enum mark_kind { MARK_PATH, MARK_DOTS, MARK_TEXT, MARK_IMAGE };

// How a path or a dot looks. A colour that is COLOUR_NONE is not painted.
struct look {
    colour fill;
    colour line;
    double width; // of the line
    double dash;  // length of its dashes; 0: none
    bool hatched; // strokes in the colour of the line over the fill
    bool closed;  // the path returns to its start
};

// What dots look like, so that classes differ by more than their colour.
enum shape {
    SHAPE_CIRCLE,
    SHAPE_SQUARE,
    SHAPE_TRIANGLE,
    SHAPE_DIAMOND,
    SHAPE_PLUS,
    SHAPE_CROSS,
    SHAPE_TRIANGLE_DOWN,
    SHAPE_STAR,
    SHAPE_COUNT
};

enum align { ALIGN_START, ALIGN_MIDDLE, ALIGN_END };

struct letters {
    double size;       // of the font
    enum align across; // where the point is, along the line of text
    enum align along;  // from top (start) to bottom; middle: of the height of capitals
    bool bold;
    bool upright; // turned by 90 degrees to the left
    colour colour;
};

struct mark {
    enum mark_kind kind;
    struct box clip;     // nothing is painted outside
    struct look look;    // of paths and dots
    size_t first, count; // points of the page: of a path, the dots, where the text is
    size_t first_stroke; // path: its strokes, each the number of its points
    size_t strokes;
    enum shape shape; // of dots
    double radius;
    struct letters letters;
    char *text;     // valid UTF-8
    colour *pixels; // [rows][columns] of an image, which fills the clip
    size_t rows, columns;
};

// One frame of an animation, or all there is.
struct page {
    struct tlu_picture *picture;
    struct mark *marks; // in the order of painting
    size_t count, capacity;
    struct point *points;
    size_t point_count, point_capacity;
    size_t *strokes;
    size_t stroke_count, stroke_capacity;
    double seconds;  // how long a frame is shown
    struct box clip; // of the marks to come
    bool failed;     // out of memory
};

struct figure {
    char *name;
    double value;
};

struct font; // asked for the width of text; see paint/font.h

struct tlu_picture {
    double width, height;
    double scale; // pixels per point of PNG and GIF
    const struct theme *theme;
    struct font *font;
    struct page **pages; // [page_count]
    size_t page_count, page_capacity;
    char *title;            // short
    char *caption;          // one or more sentences: what is to be seen
    size_t columns;         // of a terminal; 0: it is not for one
    size_t lines;           // likewise
    bool coloured;          // likewise
    struct figure *figures; // [figure_count]
    size_t figure_count, figure_capacity;
    char **notices; // [notice_count] no two are the same
    size_t notice_count, notice_capacity;
    bool failed; // out of memory: a text was not measured
};

// For a terminal if columns is not 0 (width and height then follow), else for paper and screens.
// TLU_ERROR_SYSTEM if what draws for these is not there.
struct picture_size {
    double width, height, scale;
    size_t columns, lines;
    bool coloured;
};
tlu_status picture_new(const struct picture_size *size, const struct theme *theme,
                       tlu_picture **picture, tlu_error *error);
// Both are copied, as page_text has it. NULL leaves it as it is.
tlu_status picture_describe(tlu_picture *picture, const char *title, const char *caption,
                            tlu_error *error);
// A figure that the picture is about, for tlu_picture_figure.
tlu_status picture_figure(tlu_picture *picture, const char *name, double value, tlu_error *error);
// Keeps what a training had to say, for tlu_picture_notice.
tlu_status picture_note(tlu_picture *picture, const tlu_report *report, tlu_error *error);
// Whether the page is for letters on a terminal.
static inline bool picture_is_text(const tlu_picture *picture)
{
    return picture->columns > 0;
}

// ---- making a page; what does not fit into memory is reported by page_end

tlu_status picture_add_page(tlu_picture *picture, struct page **page, tlu_error *error);
tlu_status page_end(struct page *page, tlu_error *error);
// Takes the last page away again.
void picture_drop_page(tlu_picture *picture);

struct box page_whole(const struct page *page);
// Clips the marks to come; NULL: the whole page.
void page_clip(struct page *page, const struct box *clip);

// A path is begun, gets points, perhaps of several strokes (the fill goes by the even-odd rule),
// and is painted.
void path_begin(struct page *page, const struct look *look);
void path_move(struct page *page, double x, double y); // a new stroke begins here
void path_line(struct page *page, double x, double y);
void path_end(struct page *page);

void page_polygon(struct page *page, const struct point *points, size_t count,
                  const struct look *look);
void page_line(struct page *page, struct point from, struct point to, const struct look *look);
void page_box(struct page *page, const struct box *box, const struct look *look);
void page_dots(struct page *page, const struct point *points, size_t count, enum shape shape,
               double radius, const struct look *look);
// Bytes that are no UTF-8 and control characters are replaced.
void page_text(struct page *page, double x, double y, const char *text,
               const struct letters *letters);
// Pixels without smoothing; copied. Row 0 is on top.
void page_image(struct page *page, const struct box *box, const colour *pixels, size_t rows,
                size_t columns);

// ---- text

double page_text_width(const struct page *page, const char *text, const struct letters *letters);
double page_text_height(const struct page *page, const struct letters *letters); // of a line
// The text, or as much of it as fits into the width with an ellipsis after it. The caller frees it
// with memory_free; NULL: out of memory.
char *page_text_fitted(const struct page *page, const char *text, const struct letters *letters,
                       double width);

#endif
