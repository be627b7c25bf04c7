import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRecord } from "@homeostat/core";
import { defineResource, s } from "@homeostat/schema";
import { defineOperator } from "../definition/define-operator.ts";
import { sample } from "../sample.fixture.test.ts";
import { splitImage } from "./image.ts";
import { operatorChart } from "./operator-chart.ts";

const chart = operatorChart(sample);
const text = (path: string): string => {
  const found = chart.get(path);
  assert.ok(found, `${path} is in the chart`);
  return found;
};
const templates = [...chart].filter(([path]) => path.startsWith("templates/"));

/** Every path of values that the schema allows. */
function pathsOf(schema: unknown, path = ""): string[] {
  const properties = isRecord(schema) ? schema["properties"] : undefined;
  if (!isRecord(properties)) return [path];
  return Object.entries(properties).flatMap(([name, inner]) => pathsOf(inner, path === "" ? name : `${path}.${name}`));
}

describe("the chart of an operator", () => {
  it("has what helm wants to find, and definitions among the templates", () => {
    assert.deepEqual(
      [...chart.keys()],
      [
        "Chart.yaml",
        ".helmignore",
        "values.yaml",
        "values.schema.json",
        "templates/_helpers.tpl",
        "templates/crd-orders.yaml",
        "templates/crd-shops.yaml",
        "templates/serviceaccount.yaml",
        "templates/rbac.yaml",
        "templates/user-roles.yaml",
        "templates/webhook.yaml",
        "templates/deployment.yaml",
        "templates/metrics-service.yaml",
        "templates/poddisruptionbudget.yaml",
        "templates/NOTES.txt",
      ],
    );
    assert.match(text("Chart.yaml"), /^name: shop-operator$/m);
    assert.match(text("Chart.yaml"), /^appVersion: "1\.2\.0"$/m);
  });

  it("uses every value that it has, and none that it has not", () => {
    const allowed = pathsOf(JSON.parse(text("values.schema.json"))).filter((path) => path !== "global");
    const used = new Set(
      templates.flatMap(([, template]) =>
        [...template.matchAll(/\.Values\.([A-Za-z.]+[A-Za-z])/g)].map(([, path]) => path ?? ""),
      ),
    );

    const isPart = (path: string, whole: string): boolean => path === whole || path.startsWith(`${whole}.`);
    assert.deepEqual(
      allowed.filter((path) => ![...used].some((other) => isPart(path, other))),
      [],
      "values that do nothing",
    );
    assert.deepEqual(
      [...used].filter((path) => !allowed.some((other) => isPart(path, other) || isPart(other, path))),
      [],
      "values that are not there",
    );
  });

  it("has a default for every value that the schema allows", () => {
    const names = pathsOf(JSON.parse(text("values.schema.json"))).map((path) => path.split(".").at(-1));

    for (const name of names.filter((each) => each !== "global")) {
      assert.match(text("values.yaml"), new RegExp(`^ *${name}:`, "m"));
    }
  });

  it("leaves no marker, and opens as many blocks as it closes", () => {
    for (const [path, template] of templates) {
      assert.doesNotMatch(template, /HelmMarker/, path);
      const opened = [...template.matchAll(/{{-? (?:if|with|range|define)\b/g)].length;
      const closed = [...template.matchAll(/{{-? end\b/g)].length;
      assert.equal(opened, closed, path);
    }
  });

  it("keeps braces in the texts of a definition from being taken for actions", () => {
    const Page = defineResource({
      group: "a.example.com",
      version: "v1",
      kind: "Page",
      spec: { text: s.string().describe("a template such as {{ .Name }}") },
    });

    const crd = operatorChart(defineOperator({ name: "pages", resources: [Page] })).get("templates/crd-pages.yaml");

    assert.match(crd ?? "", /a template such as \{\{ "\{\{" \}\} \.Name/);
  });

  it("has the webhooks, the rights and the defaults of the settings it is made with", () => {
    const strict = operatorChart(sample, { settings: { isStrict: true } });

    assert.match(strict.get("templates/webhook.yaml") ?? "", /kind: MutatingWebhookConfiguration/);
    assert.match(strict.get("templates/rbac.yaml") ?? "", /- mutatingwebhookconfigurations/);
    assert.match(strict.get("values.yaml") ?? "", /^ {2}isStrict: true$/m);
    assert.doesNotMatch(text("templates/webhook.yaml"), /kind: MutatingWebhookConfiguration/);
  });

  it("of an operator without webhooks says nothing of them", () => {
    const bare = operatorChart(defineOperator({ name: "bare" }));

    assert.equal(bare.get("templates/webhook.yaml"), undefined);
    assert.doesNotMatch(bare.get("templates/deployment.yaml") ?? "", /webhook-cert-dir|containerPort: 9443/);
  });
});

describe("the name of an image", () => {
  it("is taken apart at the right colon", () => {
    assert.deepEqual(splitImage("registry:5000/a/b:1.0"), { repository: "registry:5000/a/b", tag: "1.0", digest: "" });
    assert.deepEqual(splitImage("registry:5000/a/b"), { repository: "registry:5000/a/b", tag: "", digest: "" });
    assert.deepEqual(splitImage("a@sha256:ff"), { repository: "a", tag: "", digest: "sha256:ff" });
  });
});
