#include "proof_progress.h"
#include "streams.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

void watch_interrupts(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    action.sa_flags = (int)(SA_RESETHAND | SA_RESTART);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool watch_interrupted(void)
{
    return interrupted != 0;
}

void watch_begin(struct watch *watch, bool visible)
{
    *watch = (struct watch){.visible = visible && isatty(STDERR_FILENO)};
    watch_interrupts();
}

int watch_progress(void *context, const char *stage, double seconds)
{
    struct watch *watch = context;
    if (watch->visible && seconds > watch->drawn_at + 0.1) {
        watch->drawn_at = seconds;
        status_line("%s, %.0f s", stage, seconds);
    }
    return watch_interrupted();
}

void watch_end(const struct watch *watch)
{
    if (watch->drawn_at > 0)
        status_clear();
}
