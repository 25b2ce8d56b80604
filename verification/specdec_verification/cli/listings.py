"""`specdec-verify rules` and `subjects`: what there is to choose from."""

from specdec_core.rules import RULES
from specdec_verification.cli.console import AsJson, out, show_json


def rules(as_json: AsJson = False) -> None:
    """List the rules, with what each claims and where it was published."""
    if as_json:
        fields = ("name", "lossless", "reference")
        listed = [{field: getattr(rule, field) for field in fields} for rule in RULES]
        show_json(listed)
        return
    width = max(len(rule.name) for rule in RULES)
    for rule in RULES:
        claim = "lossless" if rule.lossless else "lossy"
        out.print(f"{rule.name:{width}} {claim:9} {rule.reference}")


def subjects(as_json: AsJson = False) -> None:
    """List the libraries whose randomness is followed, and what each needs."""
    from specdec_verification.subjects.libraries import listed

    libraries = listed()
    if as_json:
        show_json([library._asdict() for library in libraries])
        return
    for library in libraries:
        state = "installed" if library.installed else f"needs {library.needs}"
        out.print(f"{library.name:10} {state:11} {library.understood}")
