"""Runs a program as the session leader of a new terminal, for terminal.ts.

Takes the program and its arguments. Reads commands, a line each, from standard input: "type" and a
JSON string, or "close" (the terminal goes away, as when its window is closed). Writes what the
terminal shows ("shows" and a JSON string) and how the program ended ("exit" or "signal" and a
number) to standard output. When standard input ends, the terminal closes too.
"""

import json
import os
import pty
import select
import signal
import sys


def report(kind, value):
    sys.stdout.write(kind + " " + json.dumps(value) + "\n")
    sys.stdout.flush()


def main():
    child, terminal = pty.fork()
    if child == 0:
        # Python ignores these two for itself.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        os.execvp(sys.argv[1], sys.argv[1:])

    # A pipe that a signal handler writes to: the end of the child wakes the loop up.
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write)
    signal.signal(signal.SIGCHLD, lambda *_: None)

    pending = b""
    sources = {0, terminal, wake_read}
    ended = os.waitpid(child, os.WNOHANG)
    while ended[0] == 0 or terminal in sources:
        # What the terminal still holds is shown before the end is reported, if anything is there.
        ready, _, _ = select.select(sources, [], [], 0.05 if ended[0] else None)
        if ended[0] and not ready:
            break
        if terminal in ready:
            try:
                shown = os.read(terminal, 65536)
            except OSError:
                # Linux: nobody has the other side open any more.
                shown = b""
            if shown:
                report("shows", shown.decode("latin-1"))
            else:
                sources.discard(terminal)
        if 0 in ready:
            read = os.read(0, 65536)
            *lines, pending = (pending + read).split(b"\n")
            for line in lines + ([b"close"] if not read else []):
                command, _, argument = line.decode().partition(" ")
                if command == "type":
                    os.write(terminal, json.loads(argument).encode("latin-1"))
                elif terminal >= 0:
                    sources.discard(terminal)
                    os.close(terminal)
                    terminal = -1
            if not read:
                sources.discard(0)
        if wake_read in ready:
            os.read(wake_read, 65536)
        if ended[0] == 0:
            ended = os.waitpid(child, os.WNOHANG)
    status = ended[1]
    if os.WIFSIGNALED(status):
        report("signal", os.WTERMSIG(status))
    else:
        report("exit", os.WEXITSTATUS(status))


main()
