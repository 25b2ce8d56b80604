import pytest

from specdec_core import errors
from specdec_core.errors import SpecdecError, UnknownRuleError

BUILTINS: dict[str, type[Exception]] = {
    "DrawsExhaustedError": LookupError,
    "GridTooLargeError": ValueError,
    "InvalidDistributionError": ValueError,
    "InvalidDrawError": ValueError,
    "InvalidInstanceError": ValueError,
    "InvalidParameterError": ValueError,
    "InvalidRecordError": ValueError,
    "InvalidScoresError": ValueError,
    "InvalidTokenError": ValueError,
    "InvalidTreeError": ValueError,
    "MissingContextError": LookupError,
    "NondeterminismError": RuntimeError,
    "OpaqueDrawError": TypeError,
    "ShapeError": ValueError,
    "UnknownRuleError": KeyError,
    "UnusedDrawsError": ValueError,
    "ZeroResidualError": ValueError,
}
"""The builtin that a class also is, for those that callers were promised first."""

CLASSES = {
    name: value
    for name, value in vars(errors).items()
    if isinstance(value, type) and issubclass(value, SpecdecError) and value is not SpecdecError
}


@pytest.mark.parametrize("name", BUILTINS)
def test_a_class_is_the_builtin_that_callers_know(name: str) -> None:
    assert CLASSES[name].__bases__ == (SpecdecError, BUILTINS[name])


@pytest.mark.parametrize("error", CLASSES.values(), ids=CLASSES.keys())
def test_a_class_is_the_root_and_one_builtin_and_nothing_between(error: type[SpecdecError]) -> None:
    root, builtin = error.__bases__
    assert root is SpecdecError
    assert builtin.__module__ == "builtins"
    assert builtin is not Exception


@pytest.mark.parametrize("error", CLASSES.values(), ids=CLASSES.keys())
def test_a_message_is_printed_as_it_was_written(error: type[SpecdecError]) -> None:
    assert str(error("what 'came', what was expected")) == "what 'came', what was expected"


@pytest.mark.parametrize("error", CLASSES.values(), ids=CLASSES.keys())
def test_a_class_says_when_it_is_raised(error: type[SpecdecError]) -> None:
    assert (error.__doc__ or "").endswith(".")


def test_the_root_is_an_exception_and_no_more() -> None:
    assert SpecdecError.__bases__ == (Exception,)


def test_an_unknown_rule_is_caught_as_a_key_error() -> None:
    with pytest.raises(KeyError, match=r"^no rule is called 'x'$"):
        raise UnknownRuleError("no rule is called 'x'")
