"""A headless Chromium that tests control over its DevTools protocol, with the standard library alone."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ["chromium", "chromium-browser", "google-chrome"]
TIMEOUT_SECONDS = 120


def find():
    """Returns the path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Browser:
    """One page. `events` has every event of the protocol in its order."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(prefix="ddlbench-browser-")
        to_browser, self.commands = os.pipe()
        self.replies, from_browser = os.pipe()
        words = [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                 "--disable-background-networking", "--disable-component-update", "--disable-sync",
                 f"--user-data-dir={self.profile.name}", "--remote-debugging-pipe", "about:blank"]
        # The browser reads commands from descriptor 3 and writes replies to 4.
        shell = f'exec 3<&{to_browser} 4>&{from_browser}; exec "$@"'
        self.process = subprocess.Popen(["bash", "-c", shell, "bash", *words], pass_fds=(to_browser, from_browser),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.events, self.buffer, self.last, self.session = [], b"", 0, None
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(one["targetId"] for one in targets if one["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def close(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait(timeout=TIMEOUT_SECONDS)
        os.close(self.commands)
        os.close(self.replies)
        self.profile.cleanup()

    def receive(self):
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.replies], [], [], max(0, deadline - time.monotonic()))
            data = os.read(self.replies, 1 << 16) if ready else b""
            if not data:
                raise AssertionError("the browser does not answer")
            self.buffer += data
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def call(self, method, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            reply = self.receive()
            if reply.get("id") == self.last:
                assert "error" not in reply, reply
                return reply["result"]
            self.events.append(reply)

    def show(self, url):
        """Opens the page and waits until it is complete."""
        seen = len(self.events)
        self.call("Page.navigate", url=url)
        while not any(event["method"] == "Page.loadEventFired" for event in self.events[seen:]):
            self.events.append(self.receive())

    def resize(self, width, height=900, dark=False, media=""):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def screenshot(self, path, whole=True):
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))
