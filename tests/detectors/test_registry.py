import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import mendbench.detectors as registry
from mendbench.detectors import detector, detector_names
from mendbench.errors import BadInput, UnknownName
from mendbench.model.execution import Judgement, Observation
from tests.fakes.installed import install
from tests.fakes.tables import for_each

SOURCES = Path(registry.__file__).parents[2]


def test_the_three_detectors_of_the_package_are_listed():
    assert {"coded", "structural", "minimal"} <= set(detector_names())


@for_each("name", detector_names())
def test_a_detector_goes_by_the_name_it_is_found_under(name):
    assert detector(name).name == name


def test_an_unknown_name_is_answered_with_the_closest_one_and_all_of_them():
    with pytest.raises(
        UnknownName, match=r"did you mean 'minimal'.*coded, graded, minimal, status-table, structural, weighted"
    ):
        detector("minimall")


def test_loading_one_detector_imports_no_other():
    code = (
        "import sys; from mendbench.detectors import detector, detector_names; detector_names(); detector('minimal');"
        "print([name for name in sys.modules if name.startswith(('mendbench.detectors.structural', 'mendbench.detectors.coded'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(SOURCES)}
    )
    assert done.stdout.strip() == "[]"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "__path__", [*registry.__path__, str(tmp_path)])
    importlib.invalidate_caches()
    yield tmp_path
    for name in ("always_warns", "says_nothing"):
        sys.modules.pop(f"mendbench.detectors.{name}", None)


def test_a_new_file_is_enough_for_a_new_detector(folder):
    source = """
from mendbench.model.execution import Judgement
class Always:
    name = "always-warns"
    def judge(self, sighting):
        return Judgement(state="warning", message=sighting.message)
DETECTOR = Always()
"""
    (folder / "always_warns.py").write_text(source)
    assert "always-warns" in detector_names()
    observation = Observation(kind="http", message="HTTP 422", node_id="n", node_type="http")
    assert detector("always-warns").judge(observation) == Judgement(state="warning", message="HTTP 422")


def test_a_file_without_a_detector_is_refused_in_one_line(folder):
    (folder / "says_nothing.py").write_text("X = 1\n")
    with pytest.raises(BadInput, match="detector 'says-nothing': has no DETECTOR"):
        detector("says-nothing")


def test_an_installed_package_can_bring_a_detector(tmp_path, monkeypatch):
    install(monkeypatch, tmp_path, registry.ENTRY_POINTS, elsewhere="mendbench.detectors.minimal:DETECTOR")
    assert "elsewhere" in detector_names()
    assert detector("elsewhere") is detector("minimal")


def test_an_installed_package_that_fails_is_bad_input_for_its_own_detector_alone(tmp_path, monkeypatch):
    install(monkeypatch, tmp_path, registry.ENTRY_POINTS, elsewhere="no_such_module_at_all:DETECTOR")
    assert detector("minimal").name == "minimal"
    with pytest.raises(BadInput, match="entry point no_such_module_at_all:DETECTOR: ModuleNotFoundError"):
        detector("elsewhere")


def test_a_module_whose_name_starts_with_an_underscore_is_no_detector():
    assert not [name for name in detector_names() if name.startswith(("_", "-"))]
