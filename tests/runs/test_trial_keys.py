from hypothesis import given
from hypothesis import strategies as st

from mendbench.model.trial import TrialKey
from mendbench.runs.trial_keys import TrialKeys

KEYS = st.lists(
    st.builds(
        TrialKey,
        case=st.sampled_from(["a/b", "a/c"]),
        strategy=st.sampled_from(["summary", "mend"]),
        policy=st.just("naive"),
        repairer=st.just("chat"),
        sample=st.integers(0, 1000),
    ),
    max_size=20,
)


@given(KEYS)
def test_keys_come_out_as_they_went_in(keys):
    held = TrialKeys(keys)
    assert (list(held), len(held)) == (keys, len(keys))
    assert [held[at] for at in range(len(held))] == keys
    assert held[1:] == keys[1:]


@given(KEYS)
def test_there_is_one_first_key_of_each_case_and_treatment(keys):
    found = TrialKeys(keys).each_first()
    assert {(key.case, key.strategy) for key in keys} == {(key.case, key.strategy) for key in found}
    assert len(set(found)) == len(found)
    assert all(key.sample == 0 for key in found)
