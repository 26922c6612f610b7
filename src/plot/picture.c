#include "plot/picture.h"
#include "base/memory.h"
#include "plot/paint/paint.h"
#include "plot/text.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define FAR 1e6 // points: outside every page, and within the range of cairo's numbers

tlu_status picture_new(const tlu_picture_style *style, const struct theme *theme,
                       tlu_picture **picture, tlu_error *error)
{
    assert(theme);
    *picture = NULL;
    if (!style->columns && !font_is_there())
        return error_system(error, "pictures need cairo, which this tlu was built without or which "
                                   "cannot be loaded (Debian: libcairo2); --term draws on "
                                   "the terminal");
    tlu_picture *new = memory_new(1, sizeof *new);
    if (!new)
        return error_memory(error);
    new->theme = theme;
    new->columns = style->columns;
    new->lines = style->lines;
    new->coloured = style->coloured;
    new->width = style->columns ? (double)style->columns *CELL_WIDTH : style->width;
    new->height = style->columns ? (double)style->lines *CELL_HEIGHT : style->height;
    new->scale = style->scale > 0 ? style->scale : 1;
    new->font = font_new(style->columns > 0);
    new->title = memory_copy_text("", 0);
    new->caption = memory_copy_text("", 0);
    if (!new->font || !new->title || !new->caption) {
        tlu_picture_free(new);
        return error_memory(error);
    }
    *picture = new;
    return TLU_OK;
}

static void replace_text(tlu_picture *picture, char **text, const char *by)
{
    char *copy = by ? text_clean(by) : NULL;
    picture->failed |= by && !copy;
    if (!copy)
        return;
    memory_free(*text);
    *text = copy;
}

void picture_describe(tlu_picture *picture, const char *title, const char *caption)
{
    replace_text(picture, &picture->title, title);
    replace_text(picture, &picture->caption, caption);
}

static void page_free(struct page *page)
{
    if (!page)
        return;
    for (size_t i = 0; i < page->count; i++) {
        memory_free(page->marks[i].text);
        memory_free(page->marks[i].pixels);
    }
    memory_free(page->marks);
    memory_free(page->points);
    memory_free(page->strokes);
    memory_free(page);
}

void picture_drop_page(tlu_picture *picture)
{
    assert(picture->page_count > 0);
    page_free(picture->pages[--picture->page_count]);
}

void tlu_picture_free(tlu_picture *picture)
{
    if (!picture)
        return;
    for (size_t i = 0; i < picture->page_count; i++)
        page_free(picture->pages[i]);
    memory_free(picture->pages);
    for (size_t i = 0; i < picture->figure_count; i++)
        memory_free(picture->figures[i].name);
    memory_free(picture->figures);
    for (size_t i = 0; i < picture->notice_count; i++)
        memory_free(picture->notices[i]);
    memory_free(picture->notices);
    font_free(picture->font);
    memory_free(picture->title);
    memory_free(picture->caption);
    memory_free(picture->label);
    memory_free(picture);
}

void picture_figure(tlu_picture *picture, const char *name, double value)
{
    char *copy = memory_copy_text(name, strlen(name));
    if (!copy || !memory_reserve(&picture->figures, &picture->figure_capacity,
                                 picture->figure_count + 1, sizeof *picture->figures)) {
        memory_free(copy);
        picture->failed = true;
        return;
    }
    picture->figures[picture->figure_count++] = (struct figure){copy, value};
}

const char *tlu_picture_figure(const tlu_picture *picture, size_t index, double *value)
{
    if (index >= picture->figure_count)
        return NULL;
    *value = picture->figures[index].value;
    return picture->figures[index].name;
}

static bool has_notice(const tlu_picture *picture, const char *notice)
{
    for (size_t i = 0; i < picture->notice_count; i++)
        if (strcmp(picture->notices[i], notice) == 0)
            return true;
    return false;
}

void picture_note(tlu_picture *picture, const tlu_model *model)
{
    const tlu_report *report = tlu_model_report(model);
    const char *label = tlu_model_label_column(model);
    if (label && !picture->label) {
        replace_text(picture, &picture->label, label);
        picture->label_reason = tlu_model_label_reason(model);
    }
    for (size_t i = 0; i < report->notices; i++) {
        if (has_notice(picture, report->notice[i]))
            continue;
        char *copy = memory_copy_text(report->notice[i], strlen(report->notice[i]));
        if (!copy || !memory_reserve(&picture->notices, &picture->notice_capacity,
                                     picture->notice_count + 1, sizeof *picture->notices)) {
            memory_free(copy);
            picture->failed = true;
            return;
        }
        picture->notices[picture->notice_count++] = copy;
    }
}

const char *tlu_picture_notice(const tlu_picture *picture, size_t index)
{
    return index < picture->notice_count ? picture->notices[index] : NULL;
}

const char *tlu_picture_label_column(const tlu_picture *picture)
{
    return picture->label;
}

const char *tlu_picture_label_reason(const tlu_picture *picture)
{
    return picture->label_reason;
}

const char *tlu_picture_title(const tlu_picture *picture)
{
    return picture->title;
}

const char *tlu_picture_caption(const tlu_picture *picture)
{
    return picture->caption;
}

size_t tlu_picture_frames(const tlu_picture *picture)
{
    return picture->page_count;
}

// ---- pages

tlu_status picture_add_page(tlu_picture *picture, struct page **page, tlu_error *error)
{
    *page = NULL;
    struct page *new = memory_new(1, sizeof *new);
    if (!new || !memory_reserve(&picture->pages, &picture->page_capacity, picture->page_count + 1,
                                sizeof *picture->pages)) {
        memory_free(new);
        return error_memory(error);
    }
    new->picture = picture;
    picture->pages[picture->page_count++] = new;
    page_clip(new, NULL);
    *page = new;
    return TLU_OK;
}

struct box page_whole(const struct page *page)
{
    return (struct box){0, 0, page->picture->width, page->picture->height};
}

struct box mark_bounds(const struct page *page, const struct mark *mark)
{
    struct box box = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < mark->count; i++) {
        const struct point *point = &page->points[mark->first + i];
        box.left = fmin(box.left, point->x);
        box.right = fmax(box.right, point->x);
        box.top = fmin(box.top, point->y);
        box.bottom = fmax(box.bottom, point->y);
    }
    return box;
}

void page_clip(struct page *page, const struct box *clip)
{
    page->clip = clip ? *clip : page_whole(page);
}

static struct mark *add_mark(struct page *page, enum mark_kind kind)
{
    if (page->picture->failed ||
        !memory_reserve(&page->marks, &page->capacity, page->count + 1, sizeof *page->marks)) {
        page->picture->failed = true;
        return NULL;
    }
    struct mark *mark = &page->marks[page->count++];
    *mark = (struct mark){.kind = kind,
                          .clip = page->clip,
                          .style = {COLOUR_NONE, COLOUR_NONE, 0, 0, false, false, 0},
                          .first = page->point_count,
                          .first_stroke = page->stroke_count};
    return mark;
}

static double near(double place)
{
    return fmin(FAR, fmax(-FAR, place));
}

// NaN coordinates are left out.
static bool add_point(struct page *page, double x, double y)
{
    if (page->picture->failed || isnan(x) || isnan(y))
        return false;
    if (!memory_reserve(&page->points, &page->point_capacity, page->point_count + 1,
                        sizeof *page->points)) {
        page->picture->failed = true;
        return false;
    }
    page->points[page->point_count++] = (struct point){near(x), near(y)};
    page->marks[page->count - 1].count++;
    return true;
}

// ---- paths

void path_begin(struct page *page, const struct style *style)
{
    struct mark *mark = add_mark(page, MARK_PATH);
    if (mark)
        mark->style = *style;
}

void path_move(struct page *page, double x, double y)
{
    if (page->picture->failed || !memory_reserve(&page->strokes, &page->stroke_capacity,
                                                 page->stroke_count + 1, sizeof *page->strokes)) {
        page->picture->failed = true;
        return;
    }
    assert(page->count > 0 && page->marks[page->count - 1].kind == MARK_PATH);
    page->strokes[page->stroke_count++] = 0;
    page->marks[page->count - 1].strokes++;
    path_line(page, x, y);
}

void path_line(struct page *page, double x, double y)
{
    assert(page->picture->failed || page->stroke_count > 0);
    if (add_point(page, x, y))
        page->strokes[page->stroke_count - 1]++;
}

// Removes the path if it is empty.
void path_end(struct page *page)
{
    if (!page->picture->failed && page->marks[page->count - 1].count == 0)
        page->count--;
}

void page_polygon(struct page *page, const struct point *points, size_t count,
                  const struct style *style)
{
    struct style closed = *style;
    closed.closed = true;
    path_begin(page, &closed);
    for (size_t i = 0; i < count; i++) {
        if (i == 0)
            path_move(page, points[i].x, points[i].y);
        else
            path_line(page, points[i].x, points[i].y);
    }
    path_end(page);
}

void page_line(struct page *page, struct point from, struct point to, const struct style *style)
{
    path_begin(page, style);
    path_move(page, from.x, from.y);
    path_line(page, to.x, to.y);
    path_end(page);
}

void page_box(struct page *page, const struct box *box, const struct style *style)
{
    const struct point corners[4] = {{box->left, box->top},
                                     {box->right, box->top},
                                     {box->right, box->bottom},
                                     {box->left, box->bottom}};
    page_polygon(page, corners, 4, style);
}

// ---- dots, text, images

void page_dots(struct page *page, const struct point *points, size_t count, enum shape shape,
               double radius, const struct style *style)
{
    assert(shape < SHAPE_COUNT);
    struct mark *mark = count && radius > 0 ? add_mark(page, MARK_DOTS) : NULL;
    if (!mark)
        return;
    mark->style = *style;
    mark->shape = shape;
    mark->radius = radius;
    for (size_t i = 0; i < count; i++)
        add_point(page, points[i].x, points[i].y);
}

void page_text(struct page *page, double x, double y, const char *text,
               const struct text_style *font)
{
    bool sized = font->size > 0 || picture_is_text(page->picture);
    if (!*text || isnan(x) || isnan(y) || !sized)
        return;
    struct mark *mark = add_mark(page, MARK_TEXT);
    if (!mark)
        return;
    mark->font = *font;
    mark->text = text_clean(text);
    page->picture->failed |= !mark->text;
    add_point(page, x, y);
}

void page_image(struct page *page, const struct box *box, const colour *pixels, size_t rows,
                size_t columns)
{
    bool seen = rows && columns && box_width(box) > 0 && box_height(box) > 0;
    struct mark *mark = seen ? add_mark(page, MARK_IMAGE) : NULL;
    if (!mark)
        return;
    mark->clip = *box;
    mark->rows = rows;
    mark->columns = columns;
    mark->pixels = memory_copy(pixels, rows * columns, sizeof *pixels);
    page->picture->failed |= !mark->pixels;
}

// ---- clipping

bool range_cut(double start, double change, double low, double high, double *from, double *to)
{
    if (change == 0)
        return start >= low && start <= high;
    double enter = (low - start) / change, leave = (high - start) / change;
    *from = fmax(*from, fmin(enter, leave));
    *to = fmin(*to, fmax(enter, leave));
    return *from <= *to;
}

double box_depth(const struct box *box, int side, struct point at)
{
    return side == 0   ? at.x - box->left
           : side == 1 ? box->right - at.x
           : side == 2 ? at.y - box->top
                       : box->bottom - at.y;
}

static void cut_point(struct polygon_cutter *cutter, int side, struct point at);

// Where an edge crosses the side.
static void cut_edge(struct polygon_cutter *cutter, int side, struct point from, struct point to)
{
    double a = box_depth(&cutter->within, side, from), b = box_depth(&cutter->within, side, to);
    if ((a >= 0) != (b >= 0))
        cut_point(cutter, side + 1, point_between(from, to, a / (a - b)));
}

static void cut_point(struct polygon_cutter *cutter, int side, struct point at)
{
    if (side == 4) {
        cutter->add(cutter->context, at);
        return;
    }
    struct side_cut *cut = &cutter->sides[side];
    if (cut->any)
        cut_edge(cutter, side, cut->last, at);
    else
        cut->first = at;
    cut->last = at;
    cut->any = true;
    if (box_depth(&cutter->within, side, at) >= 0)
        cut_point(cutter, side + 1, at);
}

void polygon_point(struct polygon_cutter *cutter, struct point at)
{
    cut_point(cutter, 0, at);
}

void polygon_end(struct polygon_cutter *cutter)
{
    for (int side = 0; side < 4; side++)
        if (cutter->sides[side].any)
            cut_edge(cutter, side, cutter->sides[side].last, cutter->sides[side].first);
}
