#include "progress.h"
#include "streams.h"
#include "text.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void progress_begin(struct progress *progress, bool visible)
{
    memset(progress, 0, sizeof *progress);
    progress->visible = visible;
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

// "12 s", or "12 s, about 34 s left" if that is known.
static void print_times(char *out, size_t size, const tlu_progress *now)
{
    int used = snprintf(out, size, "%.0f s", now->seconds);
    if (now->seconds_left >= 0 && now->seconds > 0.2)
        snprintf(out + used, size - (size_t)used, ", about %.0f s left", now->seconds_left + 0.5);
}

static void print_planes(char *line, size_t size, const tlu_progress *now, const char *times)
{
    char gap[48] = "";
    if (now->gap > 0 && now->gap < 1e9)
        snprintf(gap, sizeof gap, ", gap %.1e (1e-06 is wanted)", now->gap);
    snprintf(line, size, "plane %llu of %llu%s, %s", ULL(now->planes) + 1,
             ULL(now->planes_expected), gap, times);
}

static void print_reading(char *line, size_t size, const tlu_progress *now, const char *times)
{
    char share[16] = "";
    if (now->bytes_expected)
        snprintf(share, sizeof share, " %.0f%%",
                 100 * (double)now->bytes / (double)now->bytes_expected);
    snprintf(line, size, "reading%s, %s", share, times);
}

static void print_passes(char *line, size_t size, const tlu_progress *now, double all,
                         const char *times)
{
    char speed[32];
    print_short(speed, sizeof speed, now->seconds > 0 ? all / now->seconds : 0);
    snprintf(line, size, "pass %llu of %llu: %s examples/s, %llu mistakes (%.1f%%), %s",
             ULL(now->pass), ULL(now->passes), speed, ULL(now->mistakes),
             now->examples ? 100 * (double)now->mistakes / (double)now->examples : 0, times);
}

static void draw(const struct progress *progress, const tlu_progress *now)
{
    char line[256], times[80], fold[64] = "";
    double all = (double)(progress->examples + now->examples);
    print_times(times, sizeof times, now);
    if (now->planes_expected)
        print_planes(line, sizeof line, now, times);
    else if (all == 0)
        print_reading(line, sizeof line, now, times);
    else
        print_passes(line, sizeof line, now, all, times);
    if (now->folds)
        snprintf(fold, sizeof fold, "calibrating, fold %llu of %llu: ", ULL(now->fold),
                 ULL(now->folds));
    status_line("%s%.*s", fold, (int)(terminal_width() - 1 - strlen(fold)), line);
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
        status_clear();
}

// ---- proofs, and interrupts

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

void catch_interrupts(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    action.sa_flags = (int)(SA_RESETHAND | SA_RESTART);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool interrupt_requested(void)
{
    return interrupted != 0;
}

void proof_progress_begin(struct proof_progress *progress, bool visible)
{
    *progress = (struct proof_progress){.visible = visible && isatty(STDERR_FILENO)};
    catch_interrupts();
}

int proof_progress_show(void *context, const char *stage, double seconds)
{
    struct proof_progress *progress = context;
    if (progress->visible && seconds > progress->drawn_at + 0.1) {
        progress->drawn_at = seconds;
        status_line("%s, %.0f s", stage, seconds);
    }
    return interrupt_requested();
}

void proof_progress_end(const struct proof_progress *progress)
{
    if (progress->drawn_at > 0)
        status_clear();
}
