"""What every real server holds to, started or not."""

from __future__ import annotations

import pytest

from mendbench.services import hosts_of, real_world, registry

NAMES = registry._having("REAL_WORLD")


def test_the_mcp_servers_are_among_them():
    assert {"mcp_time", "mcp_git", "mcp_files", "mcp_everything"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_real_world_has_its_name_and_hosts_without_being_started(name):
    world = real_world(name)
    assert world.name == name
    assert hosts_of(name, {}) == world.hosts
    assert all(host == host.lower() and ":" not in host for host in world.hosts)


@pytest.mark.parametrize("name", NAMES)
def test_what_was_never_started_can_be_stopped(name):
    real_world(name).stop()


def test_no_two_of_them_answer_for_one_host():
    hosts = [host for name in NAMES for host in real_world(name).hosts]
    assert len(hosts) == len(set(hosts))
