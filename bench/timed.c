// timed RESULT LIMIT COMMAND...: runs a command for at most LIMIT seconds and writes one line of
// JSON into RESULT: seconds by the clock, processor seconds, the largest resident memory in bytes,
// and the exit code (-1: it was stopped, at the limit or by a signal).
//
// It is a program of its own because Linux counts the memory of the process that starts a command
// as the command's: this one is as small as a process can be.
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: timed RESULT LIMIT COMMAND...\n");
        return 2;
    }
    // SIGCHLD is waited for with a time limit, so it must not be delivered.
    sigset_t child_ends, before;
    sigemptyset(&child_ends);
    sigaddset(&child_ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_ends, &before);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &before);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);

    pid_t child;
    double start = now();
    int failed = posix_spawnp(&child, argv[3], NULL, &attributes, argv + 3, environ);
    if (failed) {
        fprintf(stderr, "timed: %s: %s\n", argv[3], strerror(failed));
        return 3;
    }
    struct timespec limit = {.tv_sec = (time_t)atol(argv[2])};
    if (sigtimedwait(&child_ends, NULL, &limit) < 0 && errno == EAGAIN)
        kill(child, SIGKILL);
    int status;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) < 0) {
        perror("timed: wait4");
        return 3;
    }
    double seconds = now() - start;
    posix_spawnattr_destroy(&attributes);

    FILE *result = fopen(argv[1], "w");
    if (!result) {
        perror(argv[1]);
        return 3;
    }
    fprintf(result,
            "{\"seconds\": %.6f, \"cpu_seconds\": %.6f, \"memory\": %ld, \"exit_code\": %d}\n",
            seconds, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
            usage.ru_maxrss * 1024, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return fclose(result) ? 3 : 0;
}
