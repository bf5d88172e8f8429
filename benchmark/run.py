# Runs a command without input and output. Prints its CPU time (user and system, in ms, including the processes that it
# waited for), the peak memory of a single process in KiB, and the exit code.
import os
import sys

null = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)]
null += [(os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_WRONLY, 0) for descriptor in (1, 2)]
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=null)
_, status, used = os.wait4(child, 0)
print((used.ru_utime + used.ru_stime) * 1000, used.ru_maxrss, os.waitstatus_to_exitcode(status))
