"""What holds for every test."""

import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell that starts the tests in the background has them ignore Ctrl-C, and a child would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
