/* start.c - how long programs take from start to end: start NAME variant program [argument...]
 * prints a line as the baselines do. Knows nothing of what it starts. */
#define _GNU_SOURCE
#include <spawn.h>
#include <sys/wait.h>

#include "baselines/bench.h"

extern char **environ;

static int run(char *const *command)
{
    pid_t child;
    int status;
    return posix_spawnp(&child, command[0], NULL, NULL, command, environ) == 0 &&
           waitpid(child, &status, 0) == child && status == 0;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: %s NAME variant program [argument...]\n", argv[0]);
        return 2;
    }
    if (!run(argv + 3))
        return 1;
    BENCH(argv[1], argv[2], 1, "G/s", run(argv + 3));
    return 0;
}
