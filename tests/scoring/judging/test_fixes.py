import copy
from dataclasses import replace

import pytest

from mendbench.errors import BadInput
from mendbench.model.case import Fix
from mendbench.scoring.judging.fixes import mended
from tests.fakes.scoring import FIX, fixed_workflow, make_case

NOWHERE = Fix(patch=(*FIX.patch, {"op": "replace", "path": "/nodes/nobody/params", "value": 1}))


def test_a_fix_makes_another_workflow_and_leaves_the_case_alone():
    case = make_case()
    before = copy.deepcopy(case.workflow)
    assert mended(case, FIX) == fixed_workflow()
    assert case.workflow == before


def test_a_fix_that_does_not_apply_names_the_case_file_the_fix_and_the_operation(tmp_path):
    case = replace(make_case(fix=FIX, accepts=(NOWHERE,)), folder=tmp_path)
    for one, place in ((case, "accepts"), (replace(case, fix=NOWHERE), "fix")):
        with pytest.raises(BadInput) as error:
            mended(one, NOWHERE)
        assert error.value.place == f"{tmp_path / 'case.yaml'}: {place}"
        assert error.value.found.startswith("operation 2: there is no node 'nobody'")
