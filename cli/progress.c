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
    *progress = (struct progress){.line.visible = visible};
}

static size_t terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

// "950", "12.3k", "4.56M"
static const char *short_text(double number)
{
    if (number < 1e3)
        return format_text("%.0f", number);
    return number < 1e6 ? format_text("%.1fk", number / 1e3) : format_text("%.2fM", number / 1e6);
}

// What it does: finding planes, reading, or making passes.
static const char *work_text(const struct progress *progress, const tlu_progress *now)
{
    double all = (double)(progress->examples + now->examples), examples = (double)now->examples;
    if (now->planes_expected)
        return format_text("plane %llu of %llu%s", ULL(now->planes) + 1, ULL(now->planes_expected),
                           now->gap > 0 && now->gap < 1e9
                               ? format_text(", gap %.1e (1e-06 is wanted)", now->gap)
                               : "");
    if (all == 0)
        return now->bytes_expected ? format_text("reading %.0f%%", 100 * (double)now->bytes /
                                                                       (double)now->bytes_expected)
                                   : "reading";
    return format_text("pass %llu of %llu: %s examples/s, %llu mistakes (%.1f%%)", ULL(now->pass),
                       ULL(now->passes), short_text(now->seconds > 0 ? all / now->seconds : 0),
                       ULL(now->mistakes),
                       examples > 0 ? 100 * (double)now->mistakes / examples : 0);
}

static void draw(const struct progress *progress, const tlu_progress *now)
{
    const char *fold = "", *left = "";
    if (now->folds)
        fold = format_text("calibrating, fold %llu of %llu: ", ULL(now->fold), ULL(now->folds));
    if (now->seconds_left >= 0 && now->seconds > 0.2)
        left = format_text(", about %.0f s left", now->seconds_left + 0.5);
    const char *line = format_text("%s, %.0f s%s", work_text(progress, now), now->seconds, left);
    status_line("%s%.*s", fold, (int)(terminal_width() - 1 - strlen(fold)), line);
}

void progress_show(struct progress *progress, const tlu_progress *now)
{
    if (now->pass != progress->pass) {
        progress->examples += progress->pass_examples;
        progress->pass = now->pass;
    }
    progress->pass_examples = now->examples;
    if (progress_is_due(&progress->line, now->seconds))
        draw(progress, now);
}

void progress_end(struct progress *progress)
{
    proof_progress_end(&progress->line);
}

// ---- proofs, and interrupts

static volatile sig_atomic_t interrupted;
static void (*in_job)(void); // NULL: not in a job

static void on_interrupt(int signal)
{
    interrupted = signal;
    if (in_job)
        in_job();
}

void catch_interrupts(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    action.sa_flags = (int)(SA_RESETHAND | SA_RESTART);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    if (in_job)
        action.sa_flags = SA_RESTART;
    sigaction(SIGTERM, &action, NULL);
}

void catch_interrupts_in_job(void (*ended)(void))
{
    in_job = ended;
    catch_interrupts();
}

void release_interrupts(void)
{
    in_job = NULL;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    if (interrupted)
        raise(interrupted);
}

bool interrupt_requested(void)
{
    return interrupted != 0;
}

int interrupt_exit_code(void)
{
    return 128 + interrupted;
}

void proof_progress_begin(struct proof_progress *progress, bool visible)
{
    *progress = (struct proof_progress){.visible = visible && isatty(STDERR_FILENO)};
    catch_interrupts();
}

bool progress_is_due(struct proof_progress *progress, double seconds)
{
    bool due = progress->visible && seconds > progress->drawn_at + 0.1;
    if (due)
        progress->drawn_at = seconds;
    return due;
}

int proof_progress_show(void *context, const char *stage, double seconds)
{
    if (progress_is_due(context, seconds))
        status_line("%s, %.0f s", stage, seconds);
    return interrupt_requested();
}

void proof_progress_end(const struct proof_progress *progress)
{
    if (progress->drawn_at > 0)
        status_clear();
}
