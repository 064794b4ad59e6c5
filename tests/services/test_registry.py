from __future__ import annotations

import pytest

from mendbench.errors import BadInput, UnknownName
from mendbench.services import hosts_of, real_world, registry, service_names, simulated
from tests.fakes.installed import install


def test_every_folder_is_a_service():
    assert {"slack", "github", "json_api", "datasette"} <= set(service_names())


def test_names_come_sorted():
    assert list(service_names()) == sorted(service_names())


@pytest.mark.parametrize(
    ("find", "name"), [(simulated, "slakc"), (real_world, "datasete"), (lambda n: hosts_of(n, {}), "githb")]
)
def test_an_unknown_name_is_reported_with_the_closest_and_the_whole_list(find, name):
    with pytest.raises(UnknownName) as caught:
        find(name)
    assert "did you mean" in str(caught.value)


def test_a_real_server_is_no_simulated_service():
    with pytest.raises(UnknownName, match="simulated service 'datasette'"):
        simulated("datasette")


def test_a_simulated_service_is_no_real_server():
    with pytest.raises(UnknownName, match="real world 'slack'"):
        real_world("slack")


def test_hosts_are_the_services_own():
    assert hosts_of("slack", {}) == ("slack.com", "www.slack.com")
    assert hosts_of("github", {}) == ("api.github.com",)
    assert hosts_of("datasette", {}) == ("data.datasette.example",)


def test_hosts_of_the_generic_api_come_from_the_state():
    state = {
        "apis": {"a": {"host": "A.example", "routes": {}}, "b": {"hosts": ["b.example", "c.example"], "routes": {}}}
    }
    assert hosts_of("json_api", state) == ("a.example", "b.example", "c.example")


def test_an_installed_package_can_bring_a_service(tmp_path, monkeypatch):
    install(monkeypatch, tmp_path, registry.ENTRY_POINT_GROUP, elsewhere="mendbench.services.slack")
    assert "elsewhere" in service_names()
    assert type(simulated("elsewhere")) is type(simulated("slack"))
    assert hosts_of("elsewhere", {}) == hosts_of("slack", {})
    with pytest.raises(UnknownName, match="unknown real world 'elsewhere'"):
        real_world("elsewhere")


def test_an_installed_package_that_fails_is_reported_with_the_service_it_was_to_bring(tmp_path, monkeypatch):
    install(monkeypatch, tmp_path, registry.ENTRY_POINT_GROUP, elsewhere="no_such_module_at_all")
    with pytest.raises(BadInput) as caught:
        simulated("elsewhere")
    assert str(caught.value) == (
        "mendbench.services: service 'elsewhere' of 'no_such_module_at_all' does not load: ModuleNotFoundError: "
        "No module named 'no_such_module_at_all'; mend or remove the package that brings it"
    )


def test_a_module_beside_the_folders_is_no_service():
    assert not {"registry", "wire", "scripted"} & set(service_names())
