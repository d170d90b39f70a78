"""Firefox on a display of its own (Xvfb), asked by its remote protocol, Marionette: what becomes of a page."""
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

PROGRAM, DISPLAY = shutil.which("firefox-esr") or shutil.which("firefox"), shutil.which("Xvfb")
PATIENCE = 60  # [s]


def is_installed():
    return bool(PROGRAM and DISPLAY)


class Session:
    """a connection: messages of JSON, their length and a colon before each"""

    def __init__(self, connection):
        self.stream, self.count = connection.makefile("rwb"), 0
        self.receive()  # who it is

    def receive(self):
        length = b""
        while not length.endswith(b":"):
            length += self.stream.read(1)
        return json.loads(self.stream.read(int(length[:-1])))

    def ask(self, name, **arguments):
        self.count += 1
        message = json.dumps([0, self.count, name, arguments]).encode()
        self.stream.write(b"%d:%s" % (len(message), message))
        self.stream.flush()
        _, number, fault, answer = self.receive()
        assert number == self.count and fault is None, (name, fault)
        return answer


def wait_for(path, process):
    """what the file holds when it is there"""
    end = time.monotonic() + PATIENCE
    while not (os.path.exists(path) and os.path.getsize(path)):
        assert process.poll() is None and time.monotonic() < end, "Firefox did not start"
        time.sleep(0.05)
    with open(path, encoding="utf-8") as file:
        return file.read()


def look(session, page, width):
    session.ask("WebDriver:NewSession", capabilities={})
    session.ask("WebDriver:SetWindowRect", width=width, height=900)
    session.ask("WebDriver:Navigate", url=f"file://{page}")
    script = "return [document.documentElement.outerHTML, document.documentElement.dataset.fault]"
    source, fault = session.ask("WebDriver:ExecuteScript", script=script, args=[])["value"]
    return source, [fault] if fault else []


def render(page, width, preferences):
    """the page after its scripts have run, and their faults"""
    with tempfile.TemporaryDirectory(prefix="ncpbench-firefox-") as profile:
        with open(f"{profile}/user.js", "w", encoding="utf-8") as file:
            for name, value in {"marionette.port": 0, **preferences}.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        with subprocess.Popen([DISPLAY, "-displayfd", "1", "-screen", "0", "1400x1000x24"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as display:
            try:
                number = display.stdout.readline().decode().strip()
                environment = {**os.environ, "HOME": profile, "DISPLAY": f":{number}", "LIBGL_ALWAYS_SOFTWARE": "1"}
                with subprocess.Popen([PROGRAM, "--marionette", "--no-remote", "--profile", profile], env=environment, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL) as process:
                    try:
                        port = int(wait_for(f"{profile}/MarionetteActivePort", process))
                        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
                            return look(Session(connection), page, width)
                    finally:
                        process.terminate()
            finally:
                display.terminate()
