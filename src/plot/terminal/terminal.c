// A picture as the letters of a terminal.
#include "plot/terminal/terminal.h"
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "tlu_plot.h"

static void sheet_clear(struct sheet *sheet)
{
    const struct speck empty = {sheet->theme->background, COLOUR_NONE, COLOUR_NONE};
    for (size_t i = 0; i < sheet->across * sheet->down; i++)
        sheet->specks[i] = empty;
}

static void sheet_free(struct sheet *sheet)
{
    memory_free(sheet->cells);
    memory_free(sheet->specks);
    memory_free(sheet->inside);
}

static tlu_status sheet_new(struct sheet *sheet, const struct page *page, tlu_error *error)
{
    const tlu_picture *picture = page->picture;
    size_t across = picture->columns * SPECKS_ACROSS, down = picture->lines * SPECKS_DOWN;
    *sheet = (struct sheet){
        .page = page,
        .theme = picture->theme,
        .columns = picture->columns,
        .lines = picture->lines,
        .across = across,
        .down = down,
        .cells = memory_new(picture->columns * picture->lines, sizeof *sheet->cells),
        .specks = memory_new(across * down, sizeof *sheet->specks),
        .inside = memory_new((across + 1) * down, 1),
    };
    if (!sheet->cells || !sheet->specks || !sheet->inside) {
        sheet_free(sheet);
        return error_memory(error);
    }
    sheet_clear(sheet);
    return TLU_OK;
}

struct span sheet_span(const struct sheet *sheet, const struct box *clip)
{
    struct span span = {piece_from(clip->left, SPECK), piece_from(clip->top, SPECK),
                        piece_until(clip->right, SPECK), piece_until(clip->bottom, SPECK)};
    span.left = span.left < 0 ? 0 : span.left;
    span.top = span.top < 0 ? 0 : span.top;
    if (span.right >= (ptrdiff_t)sheet->across)
        span.right = (ptrdiff_t)sheet->across - 1;
    if (span.bottom >= (ptrdiff_t)sheet->down)
        span.bottom = (ptrdiff_t)sheet->down - 1;
    return span;
}

static void paint_mark(struct sheet *sheet, const struct mark *mark)
{
    if (mark->kind == MARK_PATH) {
        sheet_fill(sheet, mark);
        sheet_stroke(sheet, mark);
    } else if (mark->kind == MARK_DOTS) {
        sheet_dots(sheet, mark);
    } else if (mark->kind == MARK_IMAGE) {
        sheet_image(sheet, mark);
    }
}

// Text is painted last: a letter of it that is covered makes it a riddle.
static tlu_status paint_page(const struct page *page, struct bytes *to, tlu_error *error)
{
    struct sheet sheet;
    TRY(sheet_new(&sheet, page, error));
    for (size_t i = 0; i < page->count; i++)
        paint_mark(&sheet, &page->marks[i]);
    for (size_t i = 0; i < page->count; i++)
        if (page->marks[i].kind == MARK_TEXT)
            sheet_text(&sheet, &page->marks[i]);
    sheet_write(&sheet, page->picture->coloured, to);
    sheet_free(&sheet);
    return TLU_OK;
}

// Of an animation the last frame, which has what all of it came to.
tlu_status paint_text(const tlu_picture *picture, struct bytes *to, tlu_error *error)
{
    if (picture->page_count == 0)
        return TLU_OK;
    return paint_page(picture->pages[picture->page_count - 1], to, error);
}

tlu_status tlu_picture_frame(const tlu_picture *picture, size_t frame, char **text, size_t *size,
                             double *seconds, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct bytes made = {0};
    *text = NULL;
    if (!picture->columns)
        return error_input(error, "text is for pictures that were made for a terminal");
    if (frame >= picture->page_count)
        return error_input(error, "frame %zu of a picture that has %zu", frame + 1,
                           picture->page_count);
    TRY(paint_page(picture->pages[frame], &made, error));
    if (made.failed) {
        memory_free(made.data);
        return error_memory(error);
    }
    *text = (char *)made.data;
    *size = made.size;
    *seconds = picture->pages[frame]->seconds;
    return TLU_OK;
}
