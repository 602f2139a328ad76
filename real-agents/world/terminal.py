"""Runs a program in a terminal: what is typed comes from standard input, what it shows goes to standard output.

usage: terminal.py PROGRAM [ARGUMENT]…
"""

import fcntl
import os
import pty
import select
import struct
import sys
import termios

ROWS, COLUMNS = 50, 150

# What a program asks its terminal, and the answers: the cursor, the kind of terminal, and the colours.
ANSWERS = {
    b"\x1b[6n": b"\x1b[1;1R",
    b"\x1b[c": b"\x1b[?62c",
    b"\x1b]10;?": b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\",
    b"\x1b]11;?": b"\x1b]11;rgb:0000/0000/0000\x1b\\",
}


def main(command):
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    sources = [terminal, 0]
    while True:
        ready, _, _ = select.select(sources, [], [])
        if 0 in ready:
            typed = os.read(0, 4096)
            if typed:
                os.write(terminal, typed)
            else:
                sources.remove(0)
        if terminal in ready:
            shown = read(terminal)
            if not shown:
                break
            os.write(1, shown)
            for question, answer in ANSWERS.items():
                if question in shown:
                    os.write(terminal, answer)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def read(terminal):
    """What the program shows next; nothing once it has ended."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) & 0xFF)
