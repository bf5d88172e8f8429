"""A chain of short-lived processes. Argument: the number of forks, after which it ends.

Each process ignores termination signals, leaves its session, forks the next one and exits 200 microseconds
later, so only a few are alive at a time. They inherit descriptor 9.
"""

import os
import signal
import sys
import time

for each in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
    signal.signal(each, signal.SIG_IGN)
for count in range(int(sys.argv[1])):
    if os.fork() != 0:
        time.sleep(0.0002)
        os._exit(0)
    os.setsid()
    if count == 100:
        with open("log", "a") as log:
            log.write("chain ready\n")
with open("log", "a") as log:
    log.write("chain over\n")
