import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRecord } from "@homeostat/core";
import { Service } from "@homeostat/kubernetes/core/v1";
import { defineResource, s } from "@homeostat/schema";
import { defineOperator } from "../definition/define-operator.ts";
import { sample } from "../testing/sample-operator.ts";
import { splitImage } from "./image.ts";
import { operatorChart } from "./operator-chart.ts";

const chart = operatorChart(sample);
const text = (path: string): string => {
  const found = chart.get(path);
  assert.ok(found, `${path} is in the chart`);
  return found;
};
const templates = [...chart].filter(([path]) => path.startsWith("templates/"));

/** Returns the path of every value that the schema allows. */
function pathsOf(schema: unknown, path = ""): string[] {
  const properties = isRecord(schema) ? schema["properties"] : undefined;
  if (!isRecord(properties)) return [path];
  return Object.entries(properties).flatMap(([name, inner]) => pathsOf(inner, path === "" ? name : `${path}.${name}`));
}

describe("operatorChart", () => {
  it("returns the files of a chart, with the CRDs among the templates", () => {
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
        "templates/metrics-access.yaml",
        "templates/networkpolicy.yaml",
        "templates/poddisruptionbudget.yaml",
        "templates/NOTES.txt",
      ],
    );
    assert.match(text("Chart.yaml"), /^name: shop-operator$/m);
    assert.match(text("Chart.yaml"), /^appVersion: "1\.2\.0"$/m);
  });

  it("uses every declared value in a template, and no others", () => {
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
      "values without effect",
    );
    assert.deepEqual(
      [...used].filter((path) => !allowed.some((other) => isPart(path, other) || isPart(other, path))),
      [],
      "undeclared values",
    );
  });

  it("has a default for every value that the schema allows", () => {
    const names = pathsOf(JSON.parse(text("values.schema.json"))).map((path) => path.split(".").at(-1));

    for (const name of names.filter((each) => each !== "global")) {
      assert.match(text("values.yaml"), new RegExp(`^ *${name}:`, "m"));
    }
  });

  it("leaves no marker in templates, and closes every block", () => {
    for (const [path, template] of templates) {
      assert.doesNotMatch(template, /HelmMarker/, path);
      const opened = [...template.matchAll(/{{-? (?:if|with|range|define)\b/g)].length;
      const closed = [...template.matchAll(/{{-? end\b/g)].length;
      assert.equal(opened, closed, path);
    }
  });

  it("escapes double braces in the descriptions of a CRD", () => {
    const Page = defineResource({
      group: "a.example.com",
      version: "v1",
      kind: "Page",
      spec: { text: s.string().describe("a template such as {{ .Name }}") },
    });

    const crd = operatorChart(defineOperator({ name: "pages", resources: [Page] })).get("templates/crd-pages.yaml");

    assert.match(crd ?? "", /a template such as \{\{ "\{\{" \}\} \.Name/);
  });

  it("derives webhooks, permissions and defaults from the settings", () => {
    const strict = operatorChart(sample, { settings: { isStrict: true } });

    assert.match(strict.get("templates/webhook.yaml") ?? "", /kind: MutatingWebhookConfiguration/);
    assert.match(strict.get("templates/rbac.yaml") ?? "", /- mutatingwebhookconfigurations/);
    assert.match(strict.get("values.yaml") ?? "", /^ {2}isStrict: true$/m);
    assert.doesNotMatch(text("templates/webhook.yaml"), /kind: MutatingWebhookConfiguration/);
  });

  it("contains no webhooks for an operator without webhooks", () => {
    const bare = operatorChart(defineOperator({ name: "bare" }));

    assert.equal(bare.get("templates/webhook.yaml"), undefined);
    assert.doesNotMatch(bare.get("templates/deployment.yaml") ?? "", /webhook-cert-dir|containerPort: 9443/);
  });
});

describe("the hook of the uninstallation", () => {
  const step = {
    args: ["give-back", "--all"],
    help: "Gives everything back.",
    access: [{ type: Service, verbs: ["list", "patch"] }],
  };
  const files = operatorChart(defineOperator({ name: "pods", uninstall: step }));
  const template = files.get("templates/uninstall.yaml") ?? "";

  it("is a Job that helm runs before it deletes anything, and keeps if it fails", () => {
    assert.match(template, /^\{\{- if \.Values\.uninstall\.hook \}\}/);
    assert.match(template, /kind: Job\n[^]*"helm\.sh\/hook" "pre-delete" "helm\.sh\/hook-weight" "0"/);
    assert.match(template, /"helm\.sh\/hook-delete-policy" "before-hook-creation,hook-succeeded"/);
    assert.match(template, /args:\n +- "give-back"\n +- "--all"\n +\{\{- with \.Values\.watchNamespaces/);
    assert.match(files.get("values.yaml") ?? "", /^uninstall:\n {2}# Gives everything back\..*\n {2}hook: true$/m);
  });

  it("has a ServiceAccount and permissions of its own, which are created first", () => {
    const kinds = [...template.matchAll(/^kind: (\w+)$/gm)].map(([, kind]) => kind);
    assert.deepEqual(kinds, ["ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding", "Job"]);
    assert.equal([...template.matchAll(/"helm\.sh\/hook-weight" "-5"/g)].length, 5);
    assert.match(template, /resources:\n +- services\n +verbs:\n +- list\n +- patch\n/);
    assert.match(template, /name: \{\{ include "pods\.instance" \$ \}\}-uninstall/);
  });

  it("is not in the chart of an operator without one", () => {
    assert.equal(operatorChart(defineOperator({ name: "bare" })).get("templates/uninstall.yaml"), undefined);
  });
});

describe("chart variables", () => {
  const pods = operatorChart(
    defineOperator({
      name: "pods",
      chartVariables: [
        {
          variable: "CPU",
          value: "pods.requests.cpu",
          default: "250m",
          help: "What pods ask for.",
          formerly: "config.cpu",
        },
        { variable: "PORT", value: "pods.port", default: 9646 },
        { variable: "STRICT", value: "webhook.isStrict", default: true },
        { variable: "USER", secret: "login.secretName", key: "login.userKey", default: "user" },
        { variable: "PASSWORD", secret: "login.secretName", key: "login.passwordKey", default: "password" },
      ],
    }),
  );

  it("are in values.yaml with their defaults, and in the schema", () => {
    assert.match(
      pods.get("values.yaml") ?? "",
      /^pods:\n {2}requests:\n {4}# What pods ask for\.\n {4}cpu: "250m"\n {2}port: 9646$/m,
    );
    assert.match(pods.get("values.yaml") ?? "", /^webhook:\n(?: {2}.*\n)+ {2}isStrict: true$/m);
    assert.match(pods.get("values.yaml") ?? "", /^config: \{\}$/m);
    const schema: unknown = JSON.parse(pods.get("values.schema.json") ?? "");
    assert.deepEqual(
      pathsOf(schema).filter((path) => /^(pods|login|config)/.test(path)),
      ["config", "pods.requests.cpu", "pods.port", "login.secretName", "login.userKey", "login.passwordKey"],
    );
  });

  it("are set in the Deployment, unless the user sets them in env", () => {
    const deployment = pods.get("templates/deployment.yaml") ?? "";

    assert.match(
      deployment,
      /if not \(has "CPU" \$names\) }}\n +- name: CPU\n +value: {{ include "pods\.text" \(dict "value" \(dig "cpu" \.Values\.pods\.requests\.cpu \.Values\.config\)\) \| quote }}/,
    );
    assert.match(
      deployment,
      /if and \.Values\.login\.secretName \(not \(has "USER" \$names\)\) }}\n +- name: USER\n +valueFrom:/,
    );
    assert.match(pods.get("templates/_helpers.tpl") ?? "", /define "pods\.text"/);
  });
});

describe("splitImage", () => {
  it("separates the tag at the last colon after the last slash", () => {
    assert.deepEqual(splitImage("registry:5000/a/b:1.0"), { repository: "registry:5000/a/b", tag: "1.0", digest: "" });
    assert.deepEqual(splitImage("registry:5000/a/b"), { repository: "registry:5000/a/b", tag: "", digest: "" });
    assert.deepEqual(splitImage("a@sha256:ff"), { repository: "a", tag: "", digest: "sha256:ff" });
  });
});
