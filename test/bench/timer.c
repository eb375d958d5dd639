/* SPDX-License-Identifier: Apache-2.0 */
/* Times several commands round robin, so that a drift of the machine meets all of them alike.
 *
 *   timer ROUNDS (-- NAME [VAR=VALUE...] COMMAND [ARG...])...
 *
 * Prints a line per command: NAME, median, 10th and 90th percentile in nanoseconds from spawn to reaped,
 * and the greatest peak resident size in KiB of the command or of any descendant that it reaped. A
 * command that fails ends the whole with status 1. Static, as the kernel counts the spawner's own
 * resident size into that of the child it execs. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COMMANDS_MAX    16
#define ROUNDS_MAX      100000
#define WARM_UP_ROUNDS  3
#define ENVIRONMENT_MAX 256

struct command {
    const char *name;
    char **argv;
    char *environment[ENVIRONMENT_MAX];
    uint64_t *samples_nsec;
    long peak_kib;
};

static struct command commands[COMMANDS_MAX];
static size_t n_commands;

__attribute__((noreturn)) static void die(const char *what, int error)
{
    fprintf(stderr, "timer: %s: %s\n", what, strerror(error));
    exit(1);
}

static uint64_t now_nsec(void)
{
    struct timespec t;

    if (clock_gettime(CLOCK_MONOTONIC, &t) < 0)
        die("clock_gettime", errno);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

static int is_assignment(const char *word)
{
    size_t length = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

    return length > 0 && word[length] == '=';
}

/* Reads one command out of words up to the next "--"; returns the words used. */
static size_t command_read(struct command *c, char **words, size_t rounds)
{
    size_t used = 1;
    size_t n_environment = 0;

    c->name = words[0];
    for (; words[used] && is_assignment(words[used]); used++)
        if (n_environment < ENVIRONMENT_MAX / 2)
            c->environment[n_environment++] = words[used];
    for (char **e = environ; *e && n_environment < ENVIRONMENT_MAX - 1; e++)
        c->environment[n_environment++] = *e;
    c->argv = &words[used];
    while (words[used] && strcmp(words[used], "--") != 0)
        used++;
    if (c->argv == &words[used])
        die(c->name, EINVAL);
    c->samples_nsec = calloc(rounds, sizeof(*c->samples_nsec));
    if (!c->samples_nsec)
        die(c->name, ENOMEM);
    return used;
}

/* Runs c once and returns the time it took; fails unless it exits 0. */
static uint64_t command_run(struct command *c, const posix_spawn_file_actions_t *actions)
{
    struct rusage usage;
    uint64_t start = now_nsec();
    uint64_t taken;
    int status;
    pid_t pid;
    int error = posix_spawnp(&pid, c->argv[0], actions, NULL, c->argv, c->environment);

    if (error)
        die(c->name, error);
    while (wait4(pid, &status, 0, &usage) < 0)
        if (errno != EINTR)
            die("wait4", errno);
    taken = now_nsec() - start;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "timer: %s failed, wait status 0x%x\n", c->name, (unsigned)status);
        exit(1);
    }
    if (usage.ru_maxrss > c->peak_kib)
        c->peak_kib = usage.ru_maxrss;
    return taken;
}

static int compare_nsec(const void *a, const void *b)
{
    const uint64_t *x = a;
    const uint64_t *y = b;

    return *x < *y ? -1 : *x > *y;
}

static void command_report(struct command *c, size_t rounds)
{
    qsort(c->samples_nsec, rounds, sizeof(*c->samples_nsec), compare_nsec);
    printf("%s %llu %llu %llu %ld\n", c->name, (unsigned long long)c->samples_nsec[rounds / 2],
        (unsigned long long)c->samples_nsec[rounds / 10],
        (unsigned long long)c->samples_nsec[rounds * 9 / 10], c->peak_kib);
}

int main(int argc, char **argv)
{
    size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    posix_spawn_file_actions_t actions;

    if (argc < 5 || rounds == 0 || rounds > ROUNDS_MAX) {
        fputs("usage: timer ROUNDS (-- NAME [VAR=VALUE...] COMMAND [ARG...])...\n", stderr);
        return 2;
    }
    for (size_t at = 2; at < (size_t)argc; n_commands++) {
        if (strcmp(argv[at], "--") != 0 || n_commands == COMMANDS_MAX || at + 2 >= (size_t)argc)
            die("bad command list", EINVAL);
        at += 1 + command_read(&commands[n_commands], &argv[at + 1], rounds);
    }
    /* command_read needed the "--" as it stood; argv of each command must end there. */
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "--") == 0)
            argv[i] = NULL;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    for (size_t round = 0; round < WARM_UP_ROUNDS; round++)
        for (size_t i = 0; i < n_commands; i++)
            (void)command_run(&commands[i], &actions);
    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < n_commands; i++)
            commands[i].samples_nsec[round] = command_run(&commands[i], &actions);
    for (size_t i = 0; i < n_commands; i++)
        command_report(&commands[i], rounds);
    return 0;
}
