import os
import subprocess
import sys
import threading

import pytest

from mendbench.process.pipe_io import TAIL_BYTES, TooMuchOutput, communicate


@pytest.fixture
def started():
    every = []

    def start(program):
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        every.append(subprocess.Popen([sys.executable, "-S", "-c", program], **pipes))
        return every[-1]

    yield start
    for process in every:
        process.kill()
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()
        process.wait()


def test_a_program_gets_its_input_and_its_whole_output_is_read(started):
    process = started("import sys; print(sys.stdin.read()[::-1], end=''); sys.exit(3)")
    assert communicate(process, b"abc", 60, 1000) == (b"cba", b"")
    assert process.returncode == 3


def test_of_standard_error_the_end_is_kept(started):
    out, err = communicate(started("import sys; sys.stderr.write('x' * 100000 + 'the end')"), b"", 60, 1000)
    assert (out, len(err), err[-7:]) == (b"", TAIL_BYTES, b"the end")


def test_a_program_that_prints_without_an_end_is_not_heard_to_it(started):
    with pytest.raises(TooMuchOutput):
        communicate(started("import sys\nwhile True: sys.stdout.write('x' * 65536)"), b"", 60, 100_000)


def test_a_program_that_does_not_listen_holds_nobody_up(started):
    assert communicate(started("print('done')"), b"x" * 5_000_000, 60, 1000)[0].strip() == b"done"


def test_a_program_that_does_not_end_is_waited_for_no_longer_than_said(started):
    with pytest.raises(subprocess.TimeoutExpired):
        communicate(started("import signal; signal.pause()"), b"", 0.05, 1000)


@pytest.mark.parametrize("given", [b"", b"x" * 5_000_000])
def test_pipes_that_somebody_else_still_holds_can_be_closed(given):
    ours = [os.pipe() for _ in range(3)]
    kept = (ours[0][0], ours[1][1], ours[2][1])
    process = subprocess.Popen([sys.executable, "-S", "-c", ""], stdin=kept[0], stdout=kept[1], stderr=kept[2])
    process.stdin = os.fdopen(ours[0][1], "wb")
    process.stdout, process.stderr = os.fdopen(ours[1][0], "rb"), os.fdopen(ours[2][0], "rb")

    def talk():
        with pytest.raises(subprocess.TimeoutExpired):
            communicate(process, given, 0.05, 1000)
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()

    talking = threading.Thread(target=talk, daemon=True)
    talking.start()
    talking.join(10)
    closed = not talking.is_alive()
    for number in kept:
        os.close(number)
    talking.join(10)
    process.wait()
    assert closed
