"""The streams: a reader that leaves, and JSON without colour."""

import io
import json
import os
import subprocess
from collections.abc import Callable

from specdec_verification.cli.console import Stream


def test_a_reader_that_leaves_changes_neither_verdict_nor_noise(
    process: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    ended = process("specdec-verify verify --only contract/0 | sleep 0")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert process("specdec-verify rules --json | head -n 1").stdout == "[\n"


def test_a_stream_whose_reader_has_gone_falls_silent() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w", encoding="utf-8") as gone:  # noqa: PTH123  (a descriptor, no path)
        stream = Stream()
        stream.file = gone
        stream.print("no one reads this")
        stream.print("nor this")
        assert stream.quiet


def test_json_is_never_coloured(
    process: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    ended = process("specdec-verify rules --json", FORCE_COLOR="1")
    assert json.loads(ended.stdout)


def test_on_a_terminal_long_entries_are_folded_below_their_heads() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    words, shown = "word " * 30, {}
    for file in (Terminal(), io.StringIO()):
        stream = Stream()
        stream.file, stream.width = file, 80
        stream.show_entry("detail", words)
        stream.show_entry("reproduce", words, whole=True)
        shown[type(file)] = file.getvalue().splitlines()
    folded, plain = shown[Terminal], shown[io.StringIO]
    assert (len(folded), len(plain)) == (4, 2)
    assert max(map(len, folded[:3])) <= 80
    assert [line[:23].strip() for line in folded] == ["detail", "", "", "reproduce"]
    assert folded[3] == plain[1]
