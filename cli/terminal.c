#include "terminal.h"
#include "progress.h"
#include "streams.h"
#include "text.h"
#include "tlu_plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define COLUMNS 80
#define LINES 24
#define SIDE_MAX 1000 // letters across, and down
#define PAUSE 0.05    // seconds of a sleep
#define MIN_COLUMNS 20
#define MIN_LINES 8

static const char *environment(const char *name)
{
    const char *text = getenv(name);
    return text ? text : "";
}

bool screen_is_there(void)
{
    const char *kind = environment("TERM");
    return isatty(STDOUT_FILENO) && *kind && strcmp(kind, "dumb") != 0;
}

// ---- its size and colours

static size_t positive(const char *text)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    return *end == '\0' && value > 0 && value <= SIDE_MAX ? (size_t)value : 0;
}

static size_t at_least(size_t value, size_t least)
{
    return value > least ? value : least;
}

// Some terminals tell their colours, "15;0": light on black.
static const char *theme_of_screen(void)
{
    const char *ground = strrchr(environment("COLORFGBG"), ';');
    bool light = ground && (strcmp(ground, ";7") == 0 || strcmp(ground, ";15") == 0);
    return light ? "light" : "dark";
}

static struct winsize screen_size(void)
{
    struct winsize window = {0};
    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0
               ? window
               : (struct winsize){0};
}

size_t screen_columns(void)
{
    size_t columns = positive(environment("COLUMNS"));
    columns = columns ? columns : screen_size().ws_col;
    return at_least(columns ? columns : COLUMNS, MIN_COLUMNS);
}

void screen_measure(tlu_picture_style *style, bool here)
{
    size_t lines = positive(environment("LINES"));
    lines = lines ? lines : screen_size().ws_row;
    if (isatty(STDOUT_FILENO))
        lines -= lines > 1; // for the prompt
    style->columns = screen_columns();
    style->lines = at_least(lines ? lines : LINES, MIN_LINES);
    style->coloured = here && screen_is_there() && !*environment("NO_COLOR");
    if (!style->theme)
        style->theme = style->coloured ? theme_of_screen() : "light";
}

// The rule of POSIX: the first of these that is not empty. Without an encoding (C, en_US) the
// terminal is mostly one of UTF-8 all the same.
void screen_note_encoding(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = "";
    for (size_t i = 0; i < 3 && !*locale; i++)
        locale = environment(names[i]);
    const char *encoding = strchr(locale, '.');
    if (encoding && strncasecmp(encoding, ".utf-8", 6) != 0 &&
        strncasecmp(encoding, ".utf8", 5) != 0)
        fprintf(stderr, "note: pictures are drawn in UTF-8, and the locale is %s\n", locale);
}

// ---- showing

// Where the last frame was, with nothing of it left at the ends of lines.
static void print_over(const char *text, size_t size)
{
    for (const char *end; size > 0; size -= (size_t)(end + 1 - text), text = end + 1) {
        end = memchr(text, '\n', size);
        fwrite(text, 1, (size_t)(end - text), stdout);
        fputs("\033[K\n", stdout);
    }
}

static size_t count_lines(const char *text, size_t size)
{
    size_t lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    return lines;
}

static tlu_status play_frame(const tlu_picture *picture, size_t frame, double *seconds,
                             tlu_error *error)
{
    char *text;
    size_t size;
    TRY(tlu_picture_frame(picture, frame, &text, &size, seconds, error));
    if (frame > 0)
        printf("\033[%zuA\r", count_lines(text, size));
    print_over(text, size);
    fflush(stdout);
    tlu_bytes_free(text);
    return TLU_OK;
}

// Sleeps in short pieces, because a signal just before a sleep does not end it.
static void wait_for(double seconds)
{
    for (; seconds > 0 && !interrupt_requested(); seconds -= PAUSE) {
        double piece = seconds < PAUSE ? seconds : PAUSE;
        nanosleep(&(struct timespec){.tv_nsec = (long)(piece * 1e9)}, NULL);
    }
}

static tlu_status play(const tlu_picture *picture, double fps, tlu_error *error)
{
    size_t frames = tlu_picture_frames(picture);
    tlu_status status = TLU_OK;
    double seconds = 0;
    catch_interrupts();
    streams_begin_drawing();
    fputs("\033[?25l", stdout); // the cursor would flicker
    for (size_t i = 0; i < frames && status == TLU_OK && !interrupt_requested(); i++) {
        status = play_frame(picture, i, &seconds, error);
        if (i + 1 < frames)
            wait_for(seconds > 0 ? seconds : 1 / fps);
    }
    fputs("\033[?25h", stdout);
    streams_end_drawing();
    return status;
}

tlu_status screen_show(const tlu_picture *picture, double fps, tlu_error *error)
{
    void *text;
    size_t size;
    if (tlu_picture_frames(picture) > 1 && screen_is_there())
        return play(picture, fps, error);
    TRY(tlu_picture_save_bytes(picture, "txt", &text, &size, error));
    streams_begin_drawing();
    fwrite(text, 1, size, stdout);
    streams_end_drawing();
    tlu_bytes_free(text);
    return TLU_OK;
}
