"""Completion in zsh, as a user at a terminal meets it: words are typed, the tab key is hit, and what zsh offers is read.

    NCPBENCH=build/ncpbench python3 tests/zsh.py

Skips (77) where there is no zsh.
"""
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import time
import unittest

from cli_case import PATIENCE, PROGRAM, Case

# Matches go to a file on their way to zsh's own compadd; calls that only fill arrays add no match.
SHELL = r"""
PS1= LISTMAX=10000
fpath=('{functions}' $fpath)
autoload -Uz compinit && compinit -D -u
bindkey -e
zstyle ':completion:*' completer _complete
compadd() {{
    local -a found
    local given=${{(j: :)@[1,(i)(-|--)]}}
    if [[ " $given" != *' -'[OAD]* ]]; then
        builtin compadd -O found "$@"
        (( $#found )) && print -rl -- $found >>'{offered}'
    fi
    builtin compadd "$@"
}}
probe() {{ _main_complete; print -r -- '=end' >>'{offered}' }}
zle -C probe complete-word probe
bindkey '^I' probe
cd '{folder}'
print ready >>'{offered}'
"""


class Zsh(Case):
    def setUp(self):
        super().setUp()
        functions = self.path("functions")
        os.mkdir(functions)
        os.mkdir(self.path("here"))
        here = os.path.dirname(os.path.abspath(__file__))
        shutil.copy(os.path.join(here, "..", "analysis", "program", "completion.zsh"), os.path.join(functions, "_ncpbench"))
        with open(self.path("start"), "w") as file:
            file.write(SHELL.format(functions=functions, offered=self.path("offered"), folder=self.path("here")))
        self.terminal, end = pty.openpty()
        self.addCleanup(os.close, self.terminal)
        self.shell = subprocess.Popen(["zsh", "-f", "-i"], stdin=end, stdout=end, stderr=end, start_new_session=True,
                                      env={**os.environ, "TERM": "dumb", "HOME": self.folder.name, "LC_ALL": "C",
                                           "PATH": os.path.dirname(PROGRAM) + ":" + os.environ["PATH"]})
        self.addCleanup(self.end_shell)
        os.close(end)
        os.set_blocking(self.terminal, False)
        self.seen = b""
        self.type(f". '{self.path('start')}'\n")
        self.await_answer("ready")

    def end_shell(self):
        self.shell.kill()
        self.shell.wait()

    def type(self, text):
        os.write(self.terminal, text.encode())

    def await_answer(self, last):
        """the lines of the file of matches once it ends with this one, which is taken off; the file is emptied"""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                self.seen += os.read(self.terminal, 65536)  # a full terminal would stop the shell
            except BlockingIOError:
                pass
            if os.path.exists(self.path("offered")):
                with open(self.path("offered"), "r+") as file:
                    content = file.read()
                    if content.endswith(last + "\n"):  # no match looks like it
                        file.truncate(0)
                        return content.split("\n")[:-2]
            time.sleep(0.005)
        self.fail(f"zsh does not answer: {self.seen!r}")

    def complete(self, line):
        self.type(f"{line}\t")
        offered = self.await_answer("=end")
        self.type("\x15")  # the line is wiped
        return list(dict.fromkeys(word for word in offered if word))

    def commands(self):
        return re.findall(r"(?m)^  (\w+)  +\w", self.ncpbench("--help")[0])

    def test_commands_and_options(self):
        commands = self.commands()
        self.assertEqual(self.complete("ncpbench "), commands + ["--help", "--version"])
        self.assertEqual(self.complete("ncpbench rep"), ["reproduce", "report"])
        self.assertEqual(self.complete("ncpbench --v"), ["--version"])
        for command in commands:
            out, _ = self.ncpbench(command, "--help=all")
            known = set(re.findall(r"(?m)^ +(?:-\w, )?--([\w-]+)", out))
            offered = {word.lstrip("-").rstrip("=") for word in self.complete(f"ncpbench {command} --")}
            self.assertEqual(offered, known, command)
        self.assertEqual(self.complete("ncpbench run arch --linear-s"), ["--linear-solver="])

    def test_names(self):
        everything = json.loads(self.ncpbench("list", "--format", "json")[0])
        names = {kind: [entry["name"] for entry in entries] for kind, entries in everything.items()}
        self.assertEqual(self.complete("ncpbench run "), names["scenarios"])
        self.assertEqual(self.complete("ncpbench list "), list(names))
        self.assertEqual(self.complete("ncpbench bench operator --precision f32,"), ["f32", "mixed", "f64"])
        self.assertEqual(self.complete("ncpbench figure "), names["figures"] + ["all"])
        for form in (" ", "="):
            self.assertEqual(self.complete(f"ncpbench solve --linear-solver{form}"), names["linear-solvers"])
        self.assertEqual(self.complete("ncpbench run --linear-solver=gau"), ["gauss-seidel"])
        self.assertEqual(self.complete("ncpbench run arch --linear-solver pcr,gau"), ["gauss-seidel"])
        self.assertEqual(self.complete("ncpbench run arch,inc"), ["incline"])
        self.assertEqual(self.complete("ncpbench run arch --steps "), [])
        self.assertIn("width=", self.complete("ncpbench run wall --set "))
        self.assertIn("width=", self.complete("ncpbench run wall --set=wid"))
        self.assertEqual(self.complete("ncpbench run arch --set m"), ["mu="])
        self.assertEqual(self.complete("ncpbench run incline --set m"), ["mu=", "mass="])
        self.assertEqual(self.complete("ncpbench run wall --set width="), [])  # any number
        for line in ("run piling --set shape=", "run piling --set=shape="):
            self.assertEqual([word.split("=")[-1] for word in self.complete("ncpbench " + line)], ["table", "box", "sphere"], line)

    def test_files(self):
        for name in ("mine.h5", "more.h5"):
            open(self.path(f"here/{name}"), "w").close()
        for line in ("check m", "solve m", "run arch -o m", "run arch --output=m", "figure macklin-fig06 --from m"):
            self.assertEqual(sorted(self.complete("ncpbench " + line)), ["mine.h5", "more.h5"], line)


if __name__ == "__main__":
    if not shutil.which("zsh"):
        print("zsh is not installed")
        sys.exit(77)
    unittest.main()
