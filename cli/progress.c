#include "progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void progress_begin(struct progress *progress, bool visible)
{
    memset(progress, 0, sizeof *progress);
    progress->visible = visible;
}

// The share of all passes that is done; 0 where nobody can know.
static double share_done(const tlu_progress *now)
{
    double pass = 0;
    if (now->examples_expected)
        pass = (double)now->examples / (double)now->examples_expected;
    else if (now->bytes_expected)
        pass = (double)now->bytes / (double)now->bytes_expected;
    return ((double)(now->pass ? now->pass - 1 : 0) + pass) / (double)now->passes;
}

static size_t terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

// "950", "12.3k", "4.56M"
static void print_short(char *out, size_t size, double number)
{
    if (number < 1e3)
        snprintf(out, size, "%.0f", number);
    else if (number < 1e6)
        snprintf(out, size, "%.1fk", number / 1e3);
    else
        snprintf(out, size, "%.2fM", number / 1e6);
}

static void draw(const struct progress *progress, const tlu_progress *now)
{
    char line[256], speed[32], left[48] = "";
    double all = (double)(progress->examples + now->examples);
    double done = share_done(now);
    print_short(speed, sizeof speed, now->seconds > 0 ? all / now->seconds : 0);
    if (done > 0 && done < 1 && now->seconds > 0.2)
        snprintf(left, sizeof left, ", at most %.0f s left",
                 now->seconds * (1 - done) / done + 0.5);
    snprintf(line, sizeof line, "pass %llu of %llu: %s examples/s, %llu mistakes (%.1f%%)%s",
             (unsigned long long)now->pass, (unsigned long long)now->passes, speed,
             (unsigned long long)now->mistakes,
             now->examples ? 100 * (double)now->mistakes / (double)now->examples : 0, left);
    fprintf(stderr, "\r%.*s\033[K", (int)terminal_width() - 1, line);
    fflush(stderr);
}

void progress_show(struct progress *progress, const tlu_progress *now)
{
    if (!progress->visible)
        return;
    if (now->pass != progress->pass) {
        progress->examples += progress->pass_examples;
        progress->pass = now->pass;
    }
    progress->pass_examples = now->examples;
    if (progress->drawn && now->seconds - progress->drawn_at < 0.1)
        return;
    draw(progress, now);
    progress->drawn = true;
    progress->drawn_at = now->seconds;
}

void progress_end(struct progress *progress)
{
    if (progress->drawn)
        fputs("\r\033[K", stderr);
}
