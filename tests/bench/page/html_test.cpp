#include "bench/page/html.h"

#include "catch.h"

using namespace ddlbench::bench;

TEST_CASE("text and attributes from outside become no markup") {
  CHECK(escaped("<b>&\"'</b>") == "&lt;b&gt;&amp;&quot;&#39;&lt;/b&gt;");
  CHECK(escaped("a\x1b[0m\n") == "a\\x1b[0m\\n");
  CHECK(html_text("<script>").str() == "&lt;script&gt;");
  const Html link = element("a", {{"href", "\"><script>"}}, html_text("1 < 2"));
  CHECK(link.str() == "<a href=\"&quot;&gt;&lt;script&gt;\">1 &lt; 2</a>");
}

TEST_CASE("elements nest") {
  const Html item = element("li", html_text("é"));
  CHECK(element("ul", item + item).str() == "<ul><li>é</li><li>é</li></ul>");
  CHECK(empty_element("path", {{"d", "M0 0"}}).str() == "<path d=\"M0 0\"/>");
  CHECK(Html().empty());
}
