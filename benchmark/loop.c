/* The minimum cost of a step: posix_spawn and waitpid of the shell, COUNT times. */
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

extern char **environ;

int main(int argc, char **argv) {
  char *shell[] = {"/bin/bash", "--norc", "-o", "pipefail", "-c", "--", "true", 0};
  for (int left = argc > 1 ? atoi(argv[1]) : 0; left > 0; left -= 1) {
    pid_t pid;
    int status;
    if (posix_spawn(&pid, shell[0], 0, 0, shell, environ) != 0) return 1;
    waitpid(pid, &status, 0);
  }
  return 0;
}
