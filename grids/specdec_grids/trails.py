"""The choices of one run, and the step to the next.

A program over draws asks questions: is this draw below that threshold, which token of this row
does it choose?  Where more than one answer is possible the run takes the first, and the trail
remembers the others.  `Trail.advance` changes the last choice that has an answer left, and the
program, run again, follows the same choices up to there: a depth-first walk of the choice tree
that keeps nothing but one path.

Every question is remembered, the certain ones too, and compared when it is asked again: a program
that asks other questions after the same answers has randomness or state that is not ours.
"""

from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from typing import Any, Generic, NoReturn, TypeAlias, TypeVar

from specdec_core.errors import GridTooLargeError, NondeterminismError
from specdec_grids.resolutions import Ratio

State = TypeVar("State")
"""What an answer leaves of the draws: an interval of one draw, or a set of points."""

Asked: TypeAlias = tuple[int, *tuple[Hashable, ...]]
"""What was asked; the number of the draw that it was asked of comes first."""


MAX_QUESTIONS = 512
"""Of one path: past it the path is abandoned, and its mass is missing from what was found."""


MAX_ABANDONED = 100
"""Paths of one walk: past it the walk ends, and what it has not come to is missing too."""


class Abandoned(BaseException):  # not an Exception: the program that is followed must not catch it
    """The path at hand asked too many questions: perhaps it would never end."""


class Choice(Generic[State]):
    """One possible answer to a question, whatever path asks it.

    Attributes
    ----------
    answer : int
        The token chosen, or 1 for true and 0 for false.
    state : State
        What the answer leaves of the draws.
    share : Ratio
        Of the weight that the path has before the question.
    """

    __slots__ = ("answer", "share", "state")

    def __init__(self, answer: int, state: State, share: Ratio) -> None:
        self.answer = answer
        self.state = state
        self.share = share


class Question(Generic[State]):
    """One question that a run asked: the answer it follows, and the answers left to follow.

    Parameters
    ----------
    asked : Asked
        What was asked.
    taken : int
        How many draws the run had taken.
    before : Ratio
        The weight of the path before the question.
    choices : iterable of Choice
        The possible answers, at least one.

    Attributes
    ----------
    choice : Choice
        The answer that is followed: the first one to begin with.
    number : int
        Its place among the possible answers.
    left : iterator of Choice
        Those that are still to be followed.
    """

    __slots__ = ("asked", "before", "choice", "left", "number", "taken")

    def __init__(
        self, asked: Asked, taken: int, before: Ratio, choices: Iterable[Choice[State]]
    ) -> None:
        self.asked = asked
        self.taken = taken
        self.before = before
        self.left = iter(choices)
        self.choice = next(self.left)
        self.number = 0

    @property
    def weight(self) -> Ratio:
        """The weight of the path up to the answer that is followed."""
        numerator, denominator = self.before
        part, whole = self.choice.share
        return numerator * part, denominator * whole

    def advance(self) -> bool:
        """Follow the next answer, and return whether there was one."""
        another = next(self.left, None)
        if another is None:
            return False
        self.choice = another
        self.number += 1
        return True


Guide: TypeAlias = Callable[[Question[Any]], None]
"""Told of every new question of a trail, it may change the answer that is followed, or abandon."""


class Trail(Generic[State]):
    """The questions of one run, in order, and how far the run at hand has come.

    Parameters
    ----------
    start : Ratio
        The weight of the empty path, which all paths share out.
    guide : callable or None
        Chooses among the answers to new questions; the first one unless told otherwise.
    max_abandoned : int
        After how many paths that were not followed to their end a walk ends.

    Attributes
    ----------
    questions : list of Question
        Those that lead to where the run is; until it is there, to where the last one was.
    position : int
        How many of them this run has asked.
    taken : int
        How many draws it has taken.
    given_up : bool
        Whether the run at hand is abandoned, be it that the program has caught `Abandoned`.
    abandoned : int
        How many paths were not followed to their end: they asked too many questions, or the guide
        gave them up.
    """

    def __init__(
        self,
        start: Ratio = (1, 1),
        guide: Guide | None = None,
        *,
        max_abandoned: int = MAX_ABANDONED,
    ) -> None:
        self.start = start
        self.guide = guide
        self.max_abandoned = max_abandoned
        self.questions: list[Question[State]] = []
        self.position = 0
        self.taken = 0
        self.given_up = False
        self.abandoned = 0

    @property
    def weight(self) -> Ratio:
        """The weight of the path so far."""
        return self.questions[-1].weight if self.questions else self.start

    def again(self, asked: Asked) -> Choice[State] | None:
        """Return the choice made when this was asked before, or ``None`` if it is new.

        Raises
        ------
        NondeterminismError
            If another question was asked here before, or after another number of draws.
        """
        position, questions = self.position, self.questions
        if position == len(questions):
            return None
        question = questions[position]
        if question.taken != self.taken or (
            question.asked != asked and repr(question.asked) != repr(asked)  # nan is not nan
        ):
            raise NondeterminismError(
                f"question {position + 1} of a run was {question.asked}, asked after "
                f"{question.taken} draws, but after the same answers it is now {asked}, after "
                f"{self.taken} draws: the program has randomness or state of its own"
            )
        self.position = position + 1
        return question.choice

    def fork(self, asked: Asked, choices: Iterable[Choice[State]]) -> Choice[State]:
        """Remember a new question, and return the answer that is followed first.

        Raises
        ------
        Abandoned
            If the path has asked `MAX_QUESTIONS` before.
        NondeterminismError
            If it is asked of a draw that this run has not taken.
        """
        if len(self.questions) == MAX_QUESTIONS:
            self.abandon()
        if asked[0] >= self.taken:
            raise NondeterminismError(
                f"draw {asked[0] + 1} was asked about in a run that has taken {self.taken}: the "
                "program keeps a draw from an earlier run"
            )
        question = Question(asked, self.taken, self.weight, choices)
        self.questions.append(question)
        self.position += 1
        if self.guide is not None:
            try:
                self.guide(question)
            except Abandoned:
                self.abandon()
        return question.choice

    def abandon(self) -> NoReturn:
        """Give up the run at hand, and remember it: a bare ``except`` may catch what is raised.

        Raises
        ------
        Abandoned
        """
        self.given_up = True
        raise Abandoned

    def require_all_asked(self) -> None:
        """End a run.

        Raises
        ------
        NondeterminismError
            If the run that ended did not ask every question that led to it before.
        """
        if self.position != len(self.questions):
            raise NondeterminismError(
                f"a run ended after {self.position} questions, but {len(self.questions)} were "
                "asked after the same answers before: the program has randomness or state of its "
                "own"
            )

    def advance(self) -> bool:
        """Change the last answer that can change, and return whether there was one.

        The question so changed is then the last of `questions`.
        """
        while self.questions:
            if self.questions[-1].advance():
                return True
            self.questions.pop()
        return False

    def close(self) -> None:
        """Forget the last run, so that a draw that outlives it answers nothing."""
        self.questions, self.position, self.taken = [], 0, 0


def weighing(least: Fraction) -> Guide:
    """Return a guide that abandons a path once it weighs less than a fraction of the whole.

    So every walk ends, whatever the program: at most ``1 / least`` paths are as heavy.
    """

    def weigh(question: Question[Any]) -> None:
        numerator, denominator = question.before
        if numerator * least.denominator < least.numerator * denominator:
            question.left = iter(())  # no other answer is heavier
            raise Abandoned

    return weigh


def require_none_abandoned(abandoned: int) -> None:
    """Raise `GridTooLargeError` if so many paths were not followed to their end."""
    if abandoned:
        raise GridTooLargeError(
            f"{abandoned} paths ask more than {MAX_QUESTIONS} questions: what they lead "
            "to cannot be counted"
        )
