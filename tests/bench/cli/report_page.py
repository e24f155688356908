"""The page of `ddlbench report --html` in a headless Chromium: it is complete, calm and readable. Exit code 77 without one.

DDLBENCH_SCREENSHOTS names a folder for pictures of the page in every width and colour scheme.
"""

import os
import re
import sys
import unittest
from pathlib import Path

import browser
from harness import CommandTest, rows_of, tiny

REFERENCE = Path(__file__).resolve().parents[3] / "results" / "reference"
WIDTHS = [320, 360, 800, 1600]

# All texts of the page that a reader sees, with their rectangles: those of pictures must not overlap or leave them.
OVERLAPS = """(() => {
  const found = [];
  for (const svg of document.querySelectorAll("figure svg:not(.swatch)")) {
    const frame = svg.getBoundingClientRect(), name = svg.querySelector("title").textContent;
    const texts = [...svg.querySelectorAll("text")].map(text => [text.textContent, text.getBoundingClientRect()]);
    texts.forEach(([text, box], i) => {
      if (box.left < frame.left - 2 || box.right > frame.right + 2 || box.top < frame.top - 2 || box.bottom > frame.bottom + 2)
        found.push(`${name}: "${text}" leaves the picture`);
      for (const [other, place] of texts.slice(i + 1)) {
        const across = Math.min(box.right, place.right) - Math.max(box.left, place.left);
        const down = Math.min(box.bottom, place.bottom) - Math.max(box.top, place.top);
        if (across > 1 && down > 2) found.push(`${name}: "${text}" overlaps "${other}"`);
      }
    });
  }
  return found;
})()"""

# The smallest contrast of any text with its background, as WCAG 2 defines it.
CONTRAST = """(() => {
  const luminance = color => {
    const [r, g, b] = color.match(/[\\d.]+/g).map(Number).map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = node => {
    for (; node; node = node.parentElement) {
      const color = getComputedStyle(node).backgroundColor;
      if (!/, 0\\)$/.test(color)) return color;
    }
    return "rgb(255, 255, 255)";
  };
  let worst = [99, ""];
  for (const node of document.querySelectorAll("h1, h2, p, th, td, li, a, figcaption, caption, svg text, pre, footer")) {
    if (!node.textContent.trim()) continue;
    const style = getComputedStyle(node), text = luminance(node.closest("svg") ? style.fill : style.color), back = luminance(background(node));
    const ratio = (Math.max(text, back) + 0.05) / (Math.min(text, back) + 0.05);
    if (ratio < worst[0]) worst = [ratio, node.textContent.slice(0, 40)];
  }
  return worst;
})()"""

TABLE = """[...document.querySelectorAll("#cases table.data tbody tr")].filter(row => !row.hidden).map(row => {
  const heads = [...row.closest("table").tHead.rows[0].cells];
  return Object.fromEntries([...row.cells].map((cell, i) => [heads[i].dataset.column ?? heads[i].textContent,
    {text: cell.textContent, value: cell.dataset.value, title: heads[i].textContent}]));
})"""

# Captions of tables that are wider than the window, or not in sight after the table was scrolled.
CAPTIONS = """(() => {
  const found = [];
  for (const caption of document.querySelectorAll("caption > span")) {
    const scroll = caption.closest(".scroll");
    if (scroll) scroll.scrollLeft = 1e6;
    const box = caption.getBoundingClientRect();
    if (box.left < 0 || box.right > document.documentElement.clientWidth) found.push(caption.textContent);
    if (scroll) scroll.scrollLeft = 0;
  }
  return found;
})()"""

UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


class Page(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser(browser.find())
        cls.addClassCleanup(cls.browser.close)

    def open(self, *folders, scripts=True):
        ended = self.command("report", *map(str, folders), "--html", "page.html")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.browser.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.browser.events.clear()
        self.browser.show((self.folder / "page.html").as_uri())

    def assert_calm(self):
        """No message on the console, no exception, and no request but the page's own."""
        for event in self.browser.events:
            self.assertNotIn(event["method"], ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"), event)
            if event["method"] == "Network.requestWillBeSent":
                url = event["params"]["request"]["url"]
                self.assertTrue(url.endswith("/page.html") or url.startswith("data:"), url)

    def assert_readable(self, name):
        for width in WIDTHS:
            for dark in (False, True):
                self.browser.resize(width, dark=dark)
                with self.subTest(name=name, width=width, dark=dark):
                    wide = self.browser.evaluate("document.documentElement.scrollWidth")
                    self.assertLessEqual(wide, width)
                    self.assertEqual(self.browser.evaluate(OVERLAPS), [])
                    self.assertEqual(self.browser.evaluate(CAPTIONS), [])
                    ratio, text = self.browser.evaluate(CONTRAST)
                    self.assertGreaterEqual(ratio, 4.5, text)
                if "DDLBENCH_SCREENSHOTS" in os.environ:
                    shade = "dark" if dark else "light"
                    self.browser.screenshot(Path(os.environ["DDLBENCH_SCREENSHOTS"]) / f"{name}-{width}-{shade}.png")

    def assert_numbers(self, rows):
        shown = {row["case_id"]["text"]: row for row in self.browser.evaluate(TABLE)}
        self.assertEqual(set(shown), {row["case_id"] for row in rows})
        for row in rows:
            cells = shown[row["case_id"]]
            self.assertEqual(cells["step_seconds"].get("value", ""), row["step_seconds"])
            self.assertEqual(cells["speedup_ratio"].get("value", ""), row["speedup_ratio"])
            for column, cell in cells.items():
                low, high = column, column.replace("_low", "_high")
                if "value" not in cell or column == "Place":
                    continue
                if low not in row:
                    self.assertEqual(low, "speedup_low_ratio")  # the recorded runs are older than this column
                    continue
                self.assertEqual(cell["value"], row[low])
                unit = re.search(r"\((\S+)\)$", cell["title"])
                texts = cell["text"].strip("[]").split(", ")
                for text, exact in zip(texts, [row[low], row[high]][:1 if low == high else 2], strict=True):
                    value = float(exact) / (UNITS[unit.group(1)] if unit else 1)
                    last_digit = 10.0 ** -len(text.partition(".")[2])
                    self.assertAlmostEqual(float(text), value, delta=0.51 * last_digit)

    def test_the_checks_find_what_they_look_for(self):
        for body in ("<script>console.log(1)</script>", "<script>undefined.x</script>", "<img src='file:///nowhere.png'>"):
            (self.folder / "page.html").write_text(body)
            self.browser.events.clear()
            self.browser.show((self.folder / "page.html").as_uri())
            with self.assertRaises(AssertionError):
                self.assert_calm()
        text = "<text x='0' y='10'>wide words</text>"
        (self.folder / "page.html").write_text(f"<p style='color: #999'>pale</p><figure><svg width='20' height='20'><title>t</title>{text}{text}</svg></figure>")
        self.browser.show((self.folder / "page.html").as_uri())
        self.assertEqual(len(self.browser.evaluate(OVERLAPS)), 3)
        self.assertLess(self.browser.evaluate(CONTRAST)[0], 4.5)
        (self.folder / "page.html").write_text("<div class='scroll' style='overflow-x: auto'><table style='width: 5000px'>"
                                               "<caption style='text-align: left'><span>gone</span></caption></table></div>")
        self.browser.show((self.folder / "page.html").as_uri())
        self.assertEqual(self.browser.evaluate(CAPTIONS), ["gone"])

    def test_the_quickstart(self):
        self.open(REFERENCE / "quickstart")
        self.assert_numbers(rows_of(REFERENCE / "quickstart" / "cases.csv"))
        self.assert_readable("quickstart")
        self.assert_calm()

    def test_a_language_model(self):
        self.open(REFERENCE / "gpt2")
        self.assert_numbers(rows_of(REFERENCE / "gpt2" / "cases.csv"))
        self.assert_readable("gpt2")
        self.assert_calm()

    def test_a_sweep_with_failures_targets_and_traces(self):
        config = tiny()
        config["workload"]["global_batch"] = [8, 16, 32]
        config["training"] |= {"epochs": 3, "target": {"accuracy": 0.5, "loss": 1.0}}
        config["devices"]["ranks"] = [1, 2, 4]
        config["strategies"] = ["single", "ddp", {"kind": "zero", "stage": 3}, "tensor", "gpipe", {"kind": "hybrid", "mesh": {"data": 2, "tensor": 8}}]
        self.command("--config", self.write(config), "--output", "out", "--quiet")
        self.assertGreaterEqual(len(self.rows()), 30)
        self.open("out")
        self.assert_numbers(self.rows())
        self.assertTrue(self.browser.evaluate("!!document.querySelector('#weak-scaling svg')"))
        self.assertTrue(self.browser.evaluate("!!document.querySelector('#schedule svg')"))
        self.assert_readable("sweep")
        self.assert_calm()

    def test_a_table_can_be_sorted_and_filtered(self):
        self.open(REFERENCE / "quickstart")
        click = "document.querySelector('#cases th[data-column=step_seconds] button').click()"
        for sign in (1, -1):
            self.browser.evaluate(click)
            times = [float(row["step_seconds"]["value"]) for row in self.browser.evaluate(TABLE)]
            self.assertEqual(times, sorted(times, key=lambda time: sign * time))
        self.browser.evaluate("""(() => {
          const input = document.querySelector("#cases ~ * input, .filter input");
          input.value = "ZERO r2";
          input.dispatchEvent(new Event("input"));
        })()""")
        self.assertEqual([row["case_id"]["text"] for row in self.browser.evaluate(TABLE)], ["004-zero-r2"])
        self.assertEqual(self.browser.evaluate("document.querySelector('.filter output').textContent"), "1 of 13")
        self.assert_calm()

    def test_a_page_without_scripts_lacks_only_the_controls(self):
        self.open(REFERENCE / "quickstart", scripts=False)
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('button, input').length"), 0)
        self.assert_numbers(rows_of(REFERENCE / "quickstart" / "cases.csv"))

    def test_a_printed_page_is_light_and_loses_nothing_to_the_right(self):
        self.open(REFERENCE / "quickstart")
        self.browser.resize(720, dark=True, media="print")
        self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), 720)
        self.assertEqual(self.browser.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
        self.assertLessEqual(self.browser.evaluate("document.querySelector('#cases table').getBoundingClientRect().right"), 720)
        if "DDLBENCH_SCREENSHOTS" in os.environ:
            self.browser.screenshot(Path(os.environ["DDLBENCH_SCREENSHOTS"]) / "print.png")


if __name__ == "__main__":
    if not browser.find():
        print("skipped: there is no Chromium (Debian: apt-get install chromium)")
        sys.exit(77)
    unittest.main()
