"""The program ``tabiya``: ``python -m tabiya help``."""

import signal
import sys

from ._tabiya import main as run


def main() -> None:
    """Run the program with the arguments of the command line; it ends the process."""
    # Python would note Ctrl-C and wait for its own code to continue; the program handles it, or dies of it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    run(["tabiya", *sys.argv[1:]], sys.executable)


if __name__ == "__main__":
    main()
