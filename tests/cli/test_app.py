"""The application as a whole: version, help, and how it is started."""

import os
import shlex
import subprocess
import sys

import pytest
from typer.main import get_command

from tandemvote import __version__
from tandemvote.cli.app import COMMANDS, app, run


def test_the_command_tells_its_version(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"tandemvote {__version__}\n"


def test_the_package_runs_as_the_command():
    started = subprocess.run(
        [sys.executable, "-m", "tandemvote", "--version"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert started.stdout == f"tandemvote {__version__}\n"


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)])
def test_help_names_no_types(command, capsys):
    assert run([*command, "--help"]) == 0
    assert not {"<str>", "<bool>", "<path>"} & {*capsys.readouterr().out.split()}


def test_the_help_of_certify_fits_on_two_screens(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    assert run(["certify", "--help"]) == 0
    assert capsys.readouterr().out.count("\n") <= 2 * 32


def examples(text):
    """Return the lines of a help that are commands to paste."""
    return [line.strip() for line in text.splitlines() if line.strip().startswith("tandemvote ")]


def parse(line):
    """Parse a command as a shell and the application do, without running it."""
    group, arguments = get_command(app), shlex.split(line)[1:]
    context = group.make_context("tandemvote", [*arguments])
    name, command, rest = group.resolve_command(context, arguments)
    return command.make_context(name, rest, parent=context)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_example_of_a_help_stands_on_one_line_and_can_be_pasted(
    command, capsys, monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wine.skops").touch()  # a model must exist
    monkeypatch.setenv("COLUMNS", "80")
    written = examples(COMMANDS[command].__doc__)
    assert written or command in ("demo", "verify")
    assert run([command, "--help"]) == 0
    assert examples(capsys.readouterr().out) == written
    for line in written:
        assert parse(line).info_name == command


@pytest.mark.parametrize("option", ["–target", "--terget"])
def test_an_example_with_an_option_that_does_not_exist_is_found(option):
    (line,) = examples(COMMANDS["audit"].__doc__)
    with pytest.raises(Exception, match=r"unexpected extra argument|No such option"):
        parse(line.replace("--target", option))


def test_help_is_shown_without_heavy_imports():
    code = (
        "import sys\n"
        "from tandemvote.cli.app import COMMANDS, app, run\n"
        "assert run(['certify', '--help']) == 0\n"
        "heavy = {'sklearn', 'scipy', 'numpy', 'pandas', 'matplotlib', 'dask'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def test_a_missing_package_of_the_command_line_gets_one_line():
    code = "import sys; sys.modules['typer'] = None; from tandemvote.cli import main; main([])"
    ended = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True
    )
    assert ended.returncode == 2
    assert 'pip install "tandemvote[cli]"' in ended.stderr and ended.stderr.count("\n") == 1


def test_a_bug_shows_its_traceback_and_exit_code_seventy(capsys, monkeypatch):
    monkeypatch.setattr("tandemvote.bounds.BOUNDS", None)
    assert run(["bounds", "--gibbs-loss", "0.1", "--n", "10"]) == 70
    assert "Traceback" in capsys.readouterr().err


def test_a_command_that_is_not_one_is_answered_by_a_question_with_one_mark(capsys):
    assert run(["cretify", "wine.csv"]) == 2
    message = capsys.readouterr().err
    assert "Did you mean 'certify'" in message and "? See 'tandemvote --help'." in message


@pytest.mark.parametrize(("arguments", "code"), [(["verify", "missing.json"], 2)])
def test_a_closed_pipe_does_not_change_the_exit_code(arguments, code):
    reader, writer = os.pipe()
    os.close(reader)  # every write fails from the start
    command = [sys.executable, "-m", "tandemvote", *arguments]
    try:
        assert subprocess.run(command, check=False, stdout=writer, stderr=writer).returncode == code
    finally:
        os.close(writer)


def test_ctrl_c_is_confirmed(monkeypatch, capsys):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("tandemvote.bounds.Estimates.from_numbers", stop)
    assert run(["bounds", "--errors", "3", "--samples", "99"]) == 130
    assert capsys.readouterr().err.strip() == "Stopped."
