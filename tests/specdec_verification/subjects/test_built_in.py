from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from specdec_core.errors import InvalidParameterError
from specdec_verification.subjects import built_in


@pytest.mark.skipif(find_spec("transformers") is not None, reason="transformers is installed")
def test_what_is_not_installed_is_named() -> None:
    with pytest.raises(
        InvalidParameterError, match=r"pip install 'specdec-verify\[transformers\]'"
    ):
        built_in.cases_of("transformers")


@pytest.mark.skipif(find_spec("transformers") is None, reason="transformers is not installed")
@pytest.mark.parametrize(("only", "count"), [(None, 32), ("verify step 0", 1)])
def test_all_cases_are_found_or_one(only: str | None, count: int) -> None:
    found: Iterator[built_in.BuiltInCase] = built_in.cases_of("transformers", only)
    assert len(list(found)) == count


@pytest.mark.skipif(find_spec("transformers") is None, reason="transformers is not installed")
def test_a_case_that_does_not_exist_is_bad_input() -> None:
    with pytest.raises(InvalidParameterError, match="no case 'none'"):
        built_in.cases_of("transformers", "none")
