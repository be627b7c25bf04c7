import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { apiReport, reportedPackages, reportPath, sectionOf } from "./api-report.ts";
import { listFiles, readText } from "./tree.ts";

describe("the public names", () => {
  for (const name of reportedPackages()) {
    const path = reportPath(name);
    it(`of ${name} match ${path}`, () => {
      const recorded = listFiles().includes(path) ? readText(path) : "";

      assert.equal(
        apiReport(name),
        recorded,
        "run `npm run docs` and review the diff: it shows what changes for users",
      );
    });
  }

  it("include every member of a union with comments", () => {
    const { declaration } = /## Patch\n\n```ts\n(?<declaration>[\s\S]*?)\n```/.exec(apiReport("client"))?.groups ?? {};

    for (const member of ["json", "merge", "strategic"])
      assert.ok(declaration?.includes(`readonly ${member}:`), member);
  });
});

describe("sectionOf", () => {
  it("shows declarations and links names of other packages to their page", () => {
    const origin = { module: "/dist/a.d.ts", local: "a" };

    const section = sectionOf("@homeostat/example", [
      { name: "Client", declaration: "", origin: { module: "@homeostat/client", local: "Client" } },
      { name: "Pod", declaration: "", origin: { module: "@homeostat/kubernetes/core/v1", local: "Pod" } },
      { name: "a", declaration: "export declare const a: 1;", origin },
    ]);

    assert.equal(
      section,
      [
        "# @homeostat/example",
        "",
        "3 public names.",
        "",
        "From [@homeostat/client](client.md): `Client`",
        "",
        "From @homeostat/kubernetes/core/v1: `Pod`",
        "",
        "## a",
        "",
        "```ts",
        "export declare const a: 1;",
        "```",
        "",
      ].join("\n"),
    );
  });
});
