"""The command: its exit codes, what it prints where, and how it ends when it cannot go on."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from specdec_core.instances import Instance, dumps
from specdec_core.rules import RULES
from specdec_core.rules.token_rejection import TokenRejection
from specdec_reports.columns import RESULT
from specdec_verification import cli, plan
from specdec_verification.contract import Example, binary_single_path
from specdec_verification.faults import FAULTS, LOOKALIKES
from specdec_verification.plan import Profile

TINY = Profile(
    "tiny",
    random=2,
    pairs=((2, 1),),
    floating=1,
    decoded=1,
    counted=1,
    sampled=1,
    draws=20_000,
    measured=2,
    trials=9,
)
RIGHT = "def emit(instance, draws):\n    return [int(draws.uniform() >= 0.25)]\n"


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., Ended]:
    """Return how the command is run, in a folder of its own, in this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setitem(plan.PROFILES, "tiny", TINY)

    def run(*arguments: str) -> Ended:
        monkeypatch.setattr(sys, "argv", ["specdec-verify", *arguments])
        with pytest.raises(SystemExit) as exit_info:
            cli.main()
        captured = capsys.readouterr()
        assert isinstance(exit_info.value.code, int)
        return Ended(exit_info.value.code, captured.out, captured.err)

    return run


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a run short: one rule, one fault and one lookalike."""
    monkeypatch.setattr(cli, "RULES", (TokenRejection(),))
    monkeypatch.setattr(plan, "FAULTS", FAULTS[:1])
    monkeypatch.setattr(plan, "LOOKALIKES", LOOKALIKES[:1])
    monkeypatch.setattr(plan.plan, "__defaults__", ((TokenRejection(),),))
    monkeypatch.setattr(plan.budget_of, "__defaults__", ((TokenRejection(),),))


@pytest.fixture
def toy_file(command: Callable[..., Ended], toy: Callable[[int], Instance]) -> str:
    Path("toy.json").write_text(dumps(toy(1)), encoding="utf-8")
    return "toy.json"


@pytest.fixture
def biased_file(command: Callable[..., Ended], biased: Instance) -> str:
    Path("biased.json").write_text(dumps(biased), encoding="utf-8")
    return "biased.json"


def is_one_line(text: str) -> bool:
    return text.startswith("specdec-verify: ") and text.count("\n") == 1


def broken_example() -> Example:
    return binary_single_path()._replace(counts={(0,): 2501, (1,): 7499})


def test_law_prints_the_documented_form(command: Callable[..., Ended], toy_file: str) -> None:
    """Sun et al. 2024, Section 2, with one draft token."""
    ended = command("law", toy_file, "--rule", "token_rejection_bonus", "--json")
    assert (ended.code, ended.err) == (0, "")
    assert json.loads(ended.out) == {
        "law": {"0,0": "1/9", "0,1": "2/9", "1": "1/3", "1,0": "1/9", "1,1": "2/9"},
        "accepted": {"0": "1/3", "1": "2/3"},
        "expected_accepted": "2/3",
        "lossless": True,
        "total_variation": "0",
    }


def test_law_prints_a_table(command: Callable[..., Ended], toy_file: str) -> None:
    ended = command("law", toy_file, "--rule", "token_rejection")
    assert ended.code == 0
    assert ended.out.splitlines() == [
        "0                         1/3  0.333333",
        "1                         2/3  0.666667",
        "expected accepted: 2/3",
        "total variation from the target: 0, 3 paths",
    ]


def test_law_of_floats_states_what_rounding_can_do(command: Callable[..., Ended]) -> None:
    Path("floats.json").write_text(
        '{"version": 1, "vocab_size": 2, "parameters": {"gamma": 1},'
        ' "target": {"*": [0.1, 0.9]}, "draft": {"*": [0.7, 0.3]}}',
        encoding="utf-8",
    )
    ended = command("law", "floats.json", "--rule", "token_rejection")
    assert ended.out.splitlines()[-1].startswith("rounding alone can make ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.json", "--rule", "token_rejection"], "none.json: cannot be read"),
        ([".", "--rule", "token_rejection"], "cannot be read"),
        (["toy.json", "--rule", "no_such"], "no rule is called 'no_such'; there are token_"),
        (["toy.json", "--rule", "deterministic_candidates"], "parameter 'k' is missing"),
        (["bad.json", "--rule", "token_rejection"], "bad.json: not JSON"),
        (["short.json", "--rule", "token_rejection"], "target has no row for the context '0'"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(
    command: Callable[..., Ended], toy_file: str, arguments: list[str], message: str
) -> None:
    Path("bad.json").write_text("{", encoding="utf-8")
    Path("short.json").write_text(
        '{"version": 1, "vocab_size": 2, "parameters": {"gamma": 2},'
        ' "target": {"": ["1", "0"]}, "draft": {"*": ["1/2", "1/2"]}}',
        encoding="utf-8",
    )
    ended = command("law", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert is_one_line(ended.err)
    assert message in ended.err


def test_rules_are_listed(command: Callable[..., Ended]) -> None:
    ended = command("rules")
    assert ended.code == 0
    assert [line.split()[0] for line in ended.out.splitlines()] == [rule.name for rule in RULES]


def test_rules_are_listed_as_json(command: Callable[..., Ended]) -> None:
    listed = json.loads(command("rules", "--json").out)
    assert [tuple(record.values()) for record in listed] == [
        (rule.name, rule.lossless, rule.reference) for rule in RULES
    ]


@pytest.mark.parametrize(
    ("program", "options", "code", "verdict"),
    [
        (RIGHT, [], 0, "PASSED"),
        (RIGHT.replace("0.25", "0.5"), [], 1, "FAILED"),
        (RIGHT, ["--max-paths", "1"], 3, "INCONCLUSIVE"),
        ("def emit(instance, draws):\n    raise SystemExit(0)\n", [], 1, "FAILED"),
    ],
    ids=["right", "wrong", "cut_short", "exits"],
)
def test_audit_ends_with_the_code_of_its_verdict(
    command: Callable[..., Ended],
    biased_file: str,
    program: str,
    options: list[str],
    code: int,
    verdict: str,
) -> None:
    Path("program.py").write_text(program, encoding="utf-8")
    ended = command("audit", "program.py:emit", "--instance", biased_file, *options)
    assert ended.code == code
    assert ended.out.splitlines()[0].split() == ["verdict", verdict]
    assert ended.err == ""


def test_audit_prints_json_and_nothing_else(
    command: Callable[..., Ended], biased_file: str
) -> None:
    Path("program.py").write_text(RIGHT.replace("0.25", "0.5"), encoding="utf-8")
    ended = command("audit", "program.py:emit", "--instance", biased_file, "--json")
    record = json.loads(ended.out)
    assert list(record) == list(RESULT)
    assert (record["verdict"], record["total_variation"]) == ("FAILED", "1/4")
    assert record["parameters"] == "V=2 gamma=1"


def test_the_line_of_an_audit_runs_it_again(
    command: Callable[..., Ended], biased: Instance
) -> None:
    Path("my program.py").write_text(RIGHT, encoding="utf-8")
    Path("an instance.json").write_text(dumps(biased), encoding="utf-8")
    ended = command(
        "audit",
        "my program.py:emit",
        "--instance",
        "an instance.json",
        "--max-paths",
        "7",
        "--json",
    )
    line = json.loads(ended.out)["reproduce"]
    assert command(*shlex.split(line)[1:], "--json") == ended


def test_a_message_that_looks_like_markup_is_printed_as_it_is(
    command: Callable[..., Ended], biased_file: str
) -> None:
    Path("program.py").write_text(
        "def emit(instance, draws):\n    raise ValueError('[/bold] [red]x :smile:')\n",
        encoding="utf-8",
    )
    ended = command("audit", "program.py:emit", "--instance", biased_file)
    assert ended.code == 1
    assert "raised ValueError('[/bold] [red]x :smile:') at " in ended.out


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("def emit(instance, draws):\n    return [int(draws.uniform())]\n", "program.py:2: a symb"),
        (
            "from random import random\n"
            "def emit(instance, draws):\n"
            "    return [int(draws.uniform() < random())]\n",
            "randomness or state of its own",
        ),
        ("emit = 1", "program.py:emit is 1, expected a function"),
        ("raise SystemExit(0)", "program.py does not import: SystemExit(0)"),
        ("def emit(instance, draws):\n    return [0] * 9\n", "target has no row for the context"),
    ],
    ids=["read", "random", "name", "exit", "context"],
)
def test_a_program_that_cannot_be_judged_is_one_line_and_exit_code_two(
    command: Callable[..., Ended], biased_file: str, program: str, message: str
) -> None:
    Path("program.py").write_text(program, encoding="utf-8")
    ended = command("audit", "program.py:emit", "--instance", biased_file)
    assert (ended.code, ended.out) == (2, "")
    assert is_one_line(ended.err)
    assert message in ended.err


OWN_RULE = """\
from dataclasses import replace
from specdec_core.rules.token_rejection import TokenRejection
from specdec_verification.faults.path_slips import SlippedPathRule, accept_always

Right = TokenRejection
right = TokenRejection()
wrong = SlippedPathRule("accept_always", accept_with=accept_always)
nothing = 1
"""


@pytest.mark.parametrize(
    ("name", "code", "verdict"),
    [("right", 0, "PASSED"), ("Right", 0, "PASSED"), ("wrong", 1, "FAILED")],
    ids=["value", "class", "wrong"],
)
def test_a_rule_of_ones_own_is_checked(
    command: Callable[..., Ended], name: str, code: int, verdict: str
) -> None:
    """Six instances by their law, and those of them that pass by their counts."""
    Path("my rules.py").write_text(OWN_RULE, encoding="utf-8")
    ended = command("check", f"my rules.py:{name}", "--instances", "6")
    shown = ended.out.splitlines()
    assert (ended.code, shown[1].split()) == (code, ["verdict", verdict])
    assert re.match(r"\d+ of \d+ checks passed; the first that decided:", shown[0])
    assert shown[0].startswith("12 of 12") is (verdict == "PASSED")
    line = ended.out.splitlines()[-1].split(maxsplit=1)[1]
    assert command(*shlex.split(line)[1:]) == ended


def test_a_checked_rule_is_printed_as_json(command: Callable[..., Ended]) -> None:
    Path("rules.py").write_text(OWN_RULE, encoding="utf-8")
    ended = command("check", "rules.py:wrong", "--instances", "6", "--json")
    assert json.loads(ended.out)["verdict"] == "FAILED"


def test_what_is_no_rule_is_refused(command: Callable[..., Ended]) -> None:
    Path("rules.py").write_text(OWN_RULE, encoding="utf-8")
    ended = command("check", "rules.py:nothing")
    assert (ended.code, ended.out) == (2, "")
    assert is_one_line(ended.err)


def test_libraries_are_listed_alike_as_text_and_as_json(command: Callable[..., Ended]) -> None:
    listed = json.loads(command("subjects", "--json").out)
    lines = command("subjects").out.splitlines()
    assert [line.split()[0] for line in lines] == [record["name"] for record in listed]


def test_a_program_is_audited_on_chosen_instances_or_on_one_of_them(
    command: Callable[..., Ended],
) -> None:
    Path("program.py").write_text(RIGHT, encoding="utf-8")
    ended = command("audit", "program.py:emit", "--json")
    record = json.loads(ended.out)
    assert (ended.code, record["verdict"]) == (1, "FAILED")
    alone = command(*shlex.split(record["reproduce"])[1:], "--json")
    assert json.loads(alone.out) == record
    unknown = command("audit", "program.py:emit", "--case", "no such")
    assert unknown.code == 2
    assert is_one_line(unknown.err)


def test_a_passing_run_writes_its_tables(command: Callable[..., Ended], few: None) -> None:
    ended = command("verify", "--profile", "tiny", "--out", "deep/report")
    assert ended.code == 0
    assert ended.out.splitlines()[0].startswith("PASSED single path: 2500 of 10000: counted [2500")
    assert "PASSED" in ended.out.splitlines()
    assert "a planted fault is caught: 1 of 1" in ended.out
    assert "a right rule is spared: 1 of 1" in ended.out
    assert "8 generated instances with their joint law found exactly" in ended.out
    assert "exact_law/token_rejection/random: 2 passed" in ended.err
    wrote = [line.split() for line in ended.out.splitlines() if line.startswith("wrote ")]
    names = {path.name for path in Path("deep/report").iterdir()}
    assert names >= {"report.md", "results.json", "summary.csv"}
    assert {path for _, path in wrote} == {str(Path("deep/report") / name) for name in names}
    document = json.loads(Path("deep/report/results.json").read_text(encoding="utf-8"))
    assert (document["verdict"], document["profile"]) == ("PASSED", "tiny")


def test_a_run_without_a_folder_writes_none(command: Callable[..., Ended], few: None) -> None:
    assert command("verify", "--profile", "tiny").code == 0
    assert list(Path().iterdir()) == []


def test_one_failing_cell_fails_the_run(
    command: Callable[..., Ended], few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "EXAMPLES", (broken_example,))
    ended = command("verify", "--profile", "tiny", "--out", "report")
    assert ended.code == 1
    assert ended.out.splitlines()[0].startswith("FAILED single path")
    assert "    specdec-verify verify --profile tiny --only contract/0" in ended.out.splitlines()
    assert "FAILED" in ended.out.splitlines()
    assert Path("report/report.md").read_text(encoding="utf-8").startswith("# specdec-verify: FAIL")


def test_one_inconclusive_cell_leaves_the_run_open(
    command: Callable[..., Ended], few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(plan.PROFILES, "tiny", replace(TINY, draws=10, sampled=2))
    ended = command("verify", "--profile", "tiny")
    assert ended.code == 3
    assert ended.out.splitlines()[-1] == "INCONCLUSIVE"


def test_an_interrupt_leaves_a_report_that_does_not_pass(
    command: Callable[..., Ended], few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(plan, "check_exact_count", interrupted)
    ended = command("verify", "--profile", "tiny", "--out", "report")
    assert ended.code == 3
    report = Path("report/report.md").read_text(encoding="utf-8")
    assert report.startswith("# specdec-verify: INCONCLUSIVE")
    assert "exact_law" in report


def test_an_interrupt_of_the_first_cell_leaves_a_report_too(
    command: Callable[..., Ended], few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted() -> Example:
        raise KeyboardInterrupt

    monkeypatch.setattr(plan, "EXAMPLES", (interrupted,))
    ended = command("verify", "--profile", "tiny", "--out", "report")
    assert ended.code == 3
    assert Path("report/summary.csv").exists()


@pytest.mark.parametrize(
    "name", ["contract/1", "exact_law/token_rejection/random/1", "g_test/token_rejection/random/0"]
)
def test_a_cell_is_run_alone_by_the_line_that_it_prints(
    command: Callable[..., Ended], name: str
) -> None:
    ended = command("verify", "--profile", "tiny", "--only", name)
    assert ended.code == 0
    assert ended.out.splitlines()[0].split() == ["verdict", "PASSED"]
    head, line = ended.out.splitlines()[-1].split(maxsplit=1)
    assert head == "reproduce"
    assert command(*shlex.split(line)[1:]) == ended


def test_a_distance_of_zero_is_shown(command: Callable[..., Ended]) -> None:
    """The first instance has one possible outcome, so the frequencies are exact."""
    ended = command("verify", "--profile", "tiny", "--only", "g_test/token_rejection/random/0")
    assert ended.out.splitlines()[1].split() == ["TV", "0.0"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("contract/2", "cell 'contract/2': expected a number from 0 to 1 at the end"),
        ("contract", "cell 'contract': no such section; there are contract, exact_law/"),
        (f"contract/{'9' * 5000}", "expected a number from 0 to 1 at the end"),
    ],
)
def test_a_cell_that_does_not_exist_is_refused(
    command: Callable[..., Ended], name: str, message: str
) -> None:
    ended = command("verify", "--only", name)
    assert ended.code == 2
    assert is_one_line(ended.err)
    assert message in ended.err


def test_an_unknown_profile_is_refused(command: Callable[..., Ended]) -> None:
    ended = command("verify", "--profile", "slow")
    assert ended.code == 2
    assert ended.err == "specdec-verify: profile 'slow', expected one of quick, full, tiny\n"


def test_one_cell_makes_no_tables(command: Callable[..., Ended]) -> None:
    ended = command("verify", "--only", "contract/0", "--out", "report")
    assert ended.code == 2
    assert is_one_line(ended.err)
    assert not Path("report").exists()


@pytest.mark.parametrize("folder", ["a_file", "a_file/report"])
def test_a_folder_that_cannot_be_made_is_refused_before_the_run(
    command: Callable[..., Ended], folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "plan", lambda profile: pytest.fail("the run was begun"))
    Path("a_file").touch()
    ended = command("verify", "--out", folder)
    assert ended.code == 2
    assert is_one_line(ended.err)
    assert f"--out {folder}: " in ended.err


def test_a_folder_that_cannot_be_written_is_refused_before_the_run(
    command: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "plan", lambda profile: pytest.fail("the run was begun"))
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    ended = command("verify", "--out", "report")
    assert (ended.code, ended.err) == (2, "specdec-verify: --out report: not writable\n")


def test_tables_that_cannot_be_written_are_bad_input_after_the_verdict(
    command: Callable[..., Ended], few: None
) -> None:
    Path("report/report.md").mkdir(parents=True)
    ended = command("verify", "--profile", "tiny", "--out", "report")
    assert ended.code == 2
    assert ended.out.splitlines()[-1] == "PASSED"
    assert ended.err.splitlines()[-1] == "specdec-verify: --out report: Is a directory"
    assert [path.name for path in Path("report").iterdir()] == ["report.md"]


@pytest.mark.parametrize(
    "arguments",
    [[], ["verify", "--bogus"], ["law"], ["audit", "x.py:f"], ["nothing"]],
    ids=lambda arguments: " ".join(arguments) or "none",
)
def test_wrong_usage_is_exit_code_two(command: Callable[..., Ended], arguments: list[str]) -> None:
    ended = command(*arguments)
    assert ended.code == 2
    assert "Traceback" not in ended.err


def test_no_paths_are_too_few(command: Callable[..., Ended], biased_file: str) -> None:
    ended = command("audit", "x.py:f", "--instance", biased_file, "--max-paths", "0")
    assert ended.code == 2


@pytest.fixture
def process(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    def run(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
        python = shlex.quote(sys.executable)
        return subprocess.run(
            [
                "bash",
                "-o",
                "pipefail",
                "-c",
                line.replace("specdec-verify", f"{python} -m specdec_verification.cli"),
            ],
            cwd=tmp_path,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("specdec-verify verify --only contract/0", 0),
        ("specdec-verify audit program.py:wrong --instance biased.json", 1),
        ("specdec-verify law none.json --rule token_rejection", 2),
        ("specdec-verify audit program.py:emit --instance biased.json --max-paths 1", 3),
    ],
)
def test_a_process_ends_with_its_code_and_no_traceback(
    process: Callable[..., subprocess.CompletedProcess[str]],
    biased: Instance,
    tmp_path: Path,
    line: str,
    code: int,
) -> None:
    (tmp_path / "biased.json").write_text(dumps(biased), encoding="utf-8")
    (tmp_path / "program.py").write_text(
        f"{RIGHT}\n\ndef wrong(instance, draws):\n    return [0]\n", "utf-8"
    )
    ended = process(line)
    assert ended.returncode == code
    assert ended.stderr.count("\n") == (code == 2)


def test_a_reader_that_leaves_changes_neither_verdict_nor_noise(
    process: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    ended = process("specdec-verify verify --only contract/0 | sleep 0")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert process("specdec-verify rules --json | head -n 1").stdout == "[\n"


def test_a_run_whose_reader_leaves_is_still_written(
    process: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    """A run of the first section alone, to be quick."""
    (tmp_path / "short.py").write_text(
        "from specdec_verification import cli, plan\n"
        "cli.RULES = cli.RULES[:1]\n"
        "whole = plan.plan\n"
        "plan.plan = lambda profile: whole(profile)[:1]\n"
        "cli.main()\n",
        encoding="utf-8",
    )
    ended = process(f"{shlex.quote(sys.executable)} short.py verify --out report | sleep 0")
    assert (ended.returncode, ended.stderr) == (0, "contract: 2 passed\n")
    assert (tmp_path / "report" / "results.json").exists()


def test_a_stream_whose_reader_has_gone_falls_silent() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w", encoding="utf-8") as gone:  # noqa: PTH123  (a descriptor, no path)
        stream = cli.Stream()
        stream.file = gone
        stream.print("no one reads this")
        stream.print("nor this")
        assert stream.quiet


def test_json_is_never_coloured(
    process: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    ended = process("specdec-verify rules --json", FORCE_COLOR="1")
    assert json.loads(ended.stdout)


OWN = "import random\ndef emit(instance):\n    return random.choices([0, 1], instance.target(()))\n"


def test_a_function_that_draws_from_its_own_library_is_audited(
    command: Callable[..., Ended], biased_file: str
) -> None:
    Path("program.py").write_text(OWN)
    ended = command("audit", "program.py:emit", "--instance", biased_file)
    assert ended.code == 0
    assert ended.out.splitlines()[0].split() == ["verdict", "PASSED"]


def test_without_an_instance_several_are_chosen(command: Callable[..., Ended]) -> None:
    """It emits tokens 0 and 1 only, so it fails where the target has more of them."""
    Path("program.py").write_text(OWN)
    ended = command("audit", "program.py:emit", "--max-seconds", "60", "--json")
    found = json.loads(ended.out)
    assert ended.code == 1
    assert found["verdict"] == "FAILED"
    assert "--case" in found["reproduce"]
    again = command(*shlex.split(found["reproduce"])[1:], "--json")
    assert json.loads(again.out) == found


def test_one_chosen_instance_is_audited_alone(command: Callable[..., Ended]) -> None:
    Path("program.py").write_text(OWN)
    assert command("audit", "program.py:emit", "--case", "generated/0").code == 0
    ended = command("audit", "program.py:emit", "--case", "other")
    assert ended.code == 2
    assert "no case 'other', expected one of generated/0" in ended.err


def test_a_function_that_takes_something_else_is_refused(
    command: Callable[..., Ended], biased_file: str
) -> None:
    Path("program.py").write_text("def emit(prompt, model):\n    return [0]\n")
    ended = command("audit", "program.py:emit", "--instance", biased_file)
    assert ended.code == 2
    assert is_one_line(ended.err)
    assert "emit(prompt, model): expected (instance), or (instance, and one of draws" in ended.err


def test_the_libraries_that_are_followed_are_listed(command: Callable[..., Ended]) -> None:
    ended = command("subjects")
    assert ended.code == 0
    assert [line.split()[0] for line in ended.out.splitlines()][:2] == ["stdlib", "numpy"]
    listed = json.loads(command("subjects", "--json").out)
    assert listed[1]["needs"] == "numpy"
