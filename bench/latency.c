// latency TLU [OPTION...]: one row in, its prediction out, over pipes, again and again.
//
// Starts `TLU stream MODEL OPTION...` with a new model in an empty folder, and prints the median
// and other quantiles of the time from the write of a row to the end of the read of its answer:
// with both programs on one core, wherever the system has them run, and with --journal. If a core
// that has nothing to do takes long to wake up, as those of virtual machines do, that is most of
// the second time; "echo" is a program that answers without looking, for comparison.
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 20000, WARM = 500, FEATURES = 20, JOURNAL_ROWS = 2000 };

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

static void echo(void)
{
    char bytes[4096];
    while (read(STDIN_FILENO, bytes, sizeof bytes) > 0)
        if (write(STDOUT_FILENO, "+1\n", 3) != 3)
            break;
    _exit(0);
}

// words: NULL for the echo.
static pid_t start(char **words, int *to, int *from)
{
    int in[2], out[2];
    if (pipe2(in, 0) != 0 || pipe2(out, 0) != 0)
        die("pipe");
    pid_t child = fork();
    if (child < 0)
        die("fork");
    if (child == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        for (int i = 0; i < 2; i++) {
            close(in[i]);
            close(out[i]);
        }
        if (!words)
            echo();
        execv(words[0], words);
        die(words[0]);
    }
    close(in[0]);
    close(out[1]);
    *to = in[1];
    *from = out[0];
    return child;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static size_t make_row(char *row, size_t size, uint64_t *state)
{
    size_t length = 0;
    unsigned feature = 0, sum = 0;
    char features[1024] = "";
    for (int i = 0; i < FEATURES; i++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        feature += 1 + (unsigned)(*state >> 33) % 100;
        sum += feature % 7;
        length += (size_t)snprintf(features + length, sizeof features - length, " %u:0.%u", feature,
                                   (unsigned)(*state >> 40) % 1000);
    }
    return (size_t)snprintf(row, size, "%s%s\n", sum > 3 * FEATURES ? "+1" : "-1", features);
}

static void measure(const char *title, char **words, int rows)
{
    int to, from;
    pid_t child = start(words, &to, &from);
    double *times = calloc((size_t)rows, sizeof *times);
    uint64_t state = 1;
    if (!times)
        die("memory");
    for (int i = -WARM; i < rows; i++) {
        char row[2048], answer[256];
        size_t length = make_row(row, sizeof row, &state);
        double begin = now();
        if (write(to, row, length) != (ssize_t)length)
            die("write");
        ssize_t n = read(from, answer, sizeof answer); // an answer is written at once
        if (n <= 0 || answer[n - 1] != '\n')
            die("read");
        if (i >= 0)
            times[i] = now() - begin;
    }
    close(to);
    close(from);
    waitpid(child, NULL, 0);
    qsort(times, (size_t)rows, sizeof *times, compare);
    printf(
        "%-15s median %7.1f us   10%% %7.1f   90%% %7.1f   99%% %7.1f   (%d rows of %d features)\n",
        title, times[rows / 2], times[rows / 10], times[rows - rows / 10], times[rows - rows / 100],
        rows, FEATURES);
    free(times);
}

int main(int argc, char **argv)
{
    char folder[] = "latency-XXXXXX", *words[64] = {0}, *tlu;
    int count = 0;
    if (argc < 2 || argc > 50 || !(tlu = realpath(argv[1], NULL)) || !mkdtemp(folder) ||
        chdir(folder) != 0) {
        fprintf(stderr, "usage: latency TLU [OPTION...]\n");
        return 1;
    }
    words[count++] = tlu;
    words[count++] = "stream";
    words[count++] = "m.tlu";
    words[count++] = "--quiet";
    for (int i = 2; i < argc; i++)
        words[count++] = argv[i];
    cpu_set_t all, one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        die("sched_getaffinity");
    for (size_t i = 0; CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    sched_setaffinity(0, sizeof one, &one);
    measure("echo, one core", NULL, ROWS);
    measure("stream, one core", words, ROWS);
    unlink("m.tlu");
    sched_setaffinity(0, sizeof all, &all);
    measure("echo", NULL, ROWS);
    measure("stream", words, ROWS);
    unlink("m.tlu");
    words[count++] = "--journal";
    measure("--journal", words, JOURNAL_ROWS);
    unlink("m.tlu");
    unlink("m.tlu.journal");
    if (chdir("..") == 0)
        rmdir(folder);
    free(tlu);
    return 0;
}
