from __future__ import annotations

import pytest

from mendbench.io.real_clock import RealClock


class Machine:
    def __init__(self):
        self.epoch, self.monotonic, self.slept = 1000.0, 50.0, []

    def clock(self):
        return RealClock(epoch_s=lambda: self.epoch, monotonic_s=lambda: self.monotonic, sleep=self.slept.append)


def test_it_starts_at_the_time_of_day_and_follows_the_monotonic_clock():
    machine = Machine()
    clock = machine.clock()
    machine.monotonic += 1.5
    machine.epoch -= 3600
    assert clock.now_ms() == 1_001_500


def test_letting_time_pass_is_waiting():
    machine = Machine()
    clock = machine.clock()
    clock.advance(250)
    clock.advance(0)
    assert machine.slept == [0.25]


def test_time_never_goes_back():
    with pytest.raises(ValueError, match="-1"):
        Machine().clock().advance(-1)
