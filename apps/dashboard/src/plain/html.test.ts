import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { html, joined } from "./html.ts";

describe("html", () => {
  it("escapes values, so that no text becomes markup", () => {
    const hostile = `<script>alert("x")</script>' onload='&`;

    const { text } = html`<p title="${hostile}">${hostile}</p>`;

    const escaped = "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&#39; onload=&#39;&amp;";
    assert.equal(text, `<p title="${escaped}">${escaped}</p>`);
  });

  it("inserts HTML as it is, and nothing for undefined", () => {
    const items = joined([html`<li>${1}</li>`, html`<li>${undefined}</li>`]);

    assert.equal(html`<b>${items}</b>`.text, "<b><li>1</li><li></li></b>");
  });
});
