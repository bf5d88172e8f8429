# Runs a command without input and output, N times. Prints the least of its minor page faults: those of the process itself,
# read after its end and before it is waited for (field 10 of /proc/PID/stat, proc(5)). They do not depend on the load, but
# for the moments at which V8 collects garbage.
import os
import sys


def faults(command):
    null = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)]
    null += [(os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_WRONLY, 0) for descriptor in (1, 2)]
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=null)
    ended = os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    with open(f"/proc/{child}/stat") as stat:
        count = int(stat.read().rsplit(")", 1)[1].split()[7])
    os.waitpid(child, 0)
    if ended.si_status != 0:
        sys.exit(f"{command} ended with {ended.si_status}")
    return count


times = int(sys.argv[1])
print(min(faults(sys.argv[2:]) for _ in range(times)))
