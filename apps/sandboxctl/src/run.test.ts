// The commands on an embedded API server with the installed operator.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Client } from "@homeostat/client";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Namespace, Service } from "@homeostat/kubernetes/core/v1";
import { grant, type InstalledOperator, installOperator } from "@homeostat/operator-testing";
import { RouteTable, Sandbox, SandboxPolicy, sandboxOperator, systemNamespace } from "@homeostat/sandbox-operator";
import { runLine } from "./testing/run-line.ts";

const group = "sandbox.example.com";
const all = "create get list update patch delete";

const cart = `
apiVersion: sandbox.example.com/v1alpha1
kind: Sandbox
metadata: {name: pr-42}
spec:
  routingKey: my-key
  services:
  - {name: cart, targetRef: {name: cart}}
`;

describe("sandboxctl", () => {
  let installed: InstalledOperator;
  let admin: Client;
  /** May create Sandboxes, Deployments and Services. */
  let jane: Client;
  /** May read and create Sandboxes only. */
  let eve: Client;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "sandboxctl-"));
    installed = await installOperator(sandboxOperator(), systemNamespace);
    admin = installed.client;
    await admin.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
    await admin.create(
      SandboxPolicy,
      SandboxPolicy.make({
        metadata: { name: "default", namespace: "shop" },
        spec: { deniedTargets: [{ name: "db" }] },
      }),
    );
    const labels = { app: "cart" };
    await admin.create(Deployment, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { namespace: "shop", name: "cart" },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "app", image: "cart:1" }] } },
      },
    });
    await admin.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { namespace: "shop", name: "cart" },
      spec: { selector: labels, ports: [{ port: 80 }] },
    });
    const reading = [
      [group, "sandboxes", all],
      [group, "sandboxpolicies", "get list"],
      [group, "routegroups", "get list"],
      [group, "routetables", "get list"],
      ["", "namespaces", "get"],
      ["", "services", "get list"],
      ["apps", "deployments", "get"],
    ] as const;
    const creating = [
      ["apps", "deployments", "create"],
      ["", "services", "create"],
    ] as const;
    await grant(admin, { name: "jane", user: "jane", rights: [...reading, ...creating] });
    await grant(admin, { name: "eve", user: "eve", rights: reading });
    const inShop = [
      [group, "sandboxes", all],
      [group, "sandboxpolicies", "list"],
      [group, "routegroups", "list"],
      ["", "services", "list"],
      ["apps", "deployments", "get"],
    ] as const;
    await grant(admin, { name: "max", user: "max", rights: [...inShop, ...creating], namespace: "shop" });
    await grant(admin, { name: "lea", user: "lea", rights: [[group, "sandboxes", all]], namespace: "shop" });
    jane = installed.clientOf("jane");
    eve = installed.clientOf("eve");
  });
  after(async () => {
    await installed[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  /** Runs a command as a user, with the text as standard input. */
  async function command(
    client: Client,
    line: string,
    input = "",
  ): Promise<{ code: number; out: string; err: string }> {
    return runLine(line, { client, input });
  }

  describe("policy check", () => {
    it("prints what would be created and routed, and writes nothing", async () => {
      const file = join(folder, "cart.yaml");
      await writeFile(file, cart);

      const { code, out, err } = await command(jane, `policy check -f ${file}`);

      assert.equal(
        out,
        [
          "Sandbox shop/pr-42: allowed",
          "  creates   Deployment shop/pr-42-cart-<hash>",
          "  creates   Service shop/pr-42-cart-<hash>",
          "  routes    requests with key my-key for Service shop/cart port 80 to pr-42-cart-<hash> (entry cart of Sandbox pr-42)",
        ].join("\n"),
        err,
      );
      assert.equal(code, 0);
      assert.equal(
        err,
        "note: you cannot get ConfigMap sandbox-system/sandbox-config, so the default configuration of the operator is used",
      );
      assert.deepEqual((await admin.list(Sandbox, { namespace: "shop" })).items, []);
    });

    it("says which checks are left out for a user of one namespace, and which permission is missing for all", async () => {
      const { code, out, err } = await command(installed.clientOf("max"), "policy check -f -", cart);
      const without = await command(installed.clientOf("lea"), "policy check -f -", cart);

      assert.equal(code, 0, err);
      assert.match(out, /^Sandbox shop\/pr-42: allowed\n {2}creates {3}Deployment shop\/pr-42-cart-<hash>\n/);
      assert.match(out, /\n {2}unchecked The policies of namespace shop are not checked: .* get the namespace/);
      assert.match(out, /\n {2}unchecked Routing keys.* not compared .* list sandboxes there\./);
      assert.match(out, /\n {2}unchecked Routing keys.* not compared .* list routegroups there\./);
      assert.equal(without.code, 3);
      assert.match(without.err, /cannot get resource "deployments" in API group "apps" in the namespace "shop"/);
    });

    it("says the same as a dry run of the API server", async () => {
      const warnings: string[] = [];
      const client = installed.clientOf("jane", undefined, { onWarning: ({ text }) => void warnings.push(text) });
      const spec = { routingKey: "my-key", services: [{ name: "cart", targetRef: { name: "cart" } }] };
      const sandbox = Sandbox.make({ metadata: { name: "pr-42", namespace: "shop" }, spec });

      await client.create(Sandbox, sandbox, { dryRun: true });

      const { out } = await command(jane, "policy check -f - -o json", cart);
      const { objects } = JSON.parse(out) as { objects: { effects: { text: string }[] }[] };
      assert.deepEqual(
        warnings,
        objects.flatMap(({ effects }) => effects.map(({ text }) => `dry run: would ${text}`)),
      );
      assert.equal(warnings.length, 3);
    });

    it("exits with 3 and all reasons of a denial", async () => {
      const bad = cart.replace("name: cart}}", "name: db}, replicas: 9}");

      const schema = await command(jane, "policy check -f -", bad);
      assert.equal(schema.code, 3);
      assert.match(schema.out, /^Sandbox shop\/pr-42: denied\n {2}denied {4}spec\.services\[0\]\.replicas: /);

      const policy = await command(eve, "policy check -f -", cart.replace("name: cart}}", "name: db}}"));
      assert.equal(policy.code, 3);
      assert.match(policy.out, /is listed in deniedTargets of a SandboxPolicy/);
      assert.match(policy.out, /user "eve" cannot create Deployments and Services/);
    });

    it("treats other objects of the file as if they were applied", async () => {
      const policy = `
apiVersion: sandbox.example.com/v1alpha1
kind: SandboxPolicy
metadata: {name: default}
spec: {deniedTargets: [{name: cart}]}
---
${cart}`;

      const { code, out } = await command(jane, "policy check -f -", policy);

      assert.equal(code, 3);
      assert.match(out, /^SandboxPolicy shop\/default: allowed\nSandbox shop\/pr-42: denied\n/);
      assert.match(out, /Deployment shop\/cart is listed in deniedTargets/);
    });

    it("exits with 2 for files that cannot be read or have nothing to check", async () => {
      assert.deepEqual(await command(jane, "policy check -f none.yaml"), {
        code: 2,
        out: "",
        err: "sandboxctl: Cannot read none.yaml: it does not exist.",
      });
      assert.match((await command(jane, "policy check -f -", "a: [")).err, /standard input is not valid YAML/);
      assert.match((await command(jane, "policy check -f -", "kind: X")).err, /apiVersion and kind are required/);
      const service = "{apiVersion: v1, kind: Service, metadata: {name: a}}";
      assert.match((await command(jane, "policy check -f -", service)).err, /no object to check/);
    });
  });

  describe("route explain", () => {
    before(async () => {
      const target = { port: 80, targetService: "pr-42-cart", targetPort: 80 };
      const entry = {
        routingKey: "k1k",
        sandbox: "pr-42",
        workload: "cart",
        source: "Sandbox" as const,
        ports: [target],
      };
      await admin.create(
        RouteTable,
        RouteTable.make({
          metadata: { name: "cart", namespace: "shop" },
          spec: {
            service: "cart",
            version: "v1",
            interception: "Takeover",
            ports: [{ port: 80, baselineTarget: "cart--base.shop.svc:80" }],
            entries: [{ ...entry, onUnavailable: "Fail" as const }],
          },
        }),
      );
    });

    it("explains by the RouteTable with the decision of proxies", async () => {
      const routed = await command(jane, "route explain --service cart --key k1k");
      assert.equal(routed.code, 0, routed.err);
      assert.match(
        routed.out,
        /^Request to Service shop\/cart, port 80 \(interception Takeover\)\n {2}1\. Table of Service/,
      );
      assert.match(routed.out, /\nOutcome: entry cart of sandbox pr-42\n/);
      assert.match(
        routed.out,
        /\nIf no target were ready: entry cart of sandbox pr-42 has no ready target: the request fails with 503\n/,
      );

      const baseline = await command(jane, "explain --service shop/cart --key other -o json");
      const { outcome } = JSON.parse(baseline.out) as { outcome: object };
      assert.deepEqual(outcome, { type: "baseline", reason: "unknown-key", target: "cart--base.shop.svc:80" });
    });

    it("exits with 5 for a Service without a table, and with 3 without permission", async () => {
      const missing = await command(jane, "route explain --service orders");
      assert.deepEqual([missing.code, missing.out], [5, ""]);
      assert.match(missing.err, /Service shop\/orders has no route table: every request reaches the baseline/);

      const stranger = await command(installed.clientOf("mallory"), "route explain --service cart");
      assert.equal(stranger.code, 3);
    });

    describe("by a route server", () => {
      let server: Server;
      let response = { status: 200, body: "" };
      let received = "";

      before(async () => {
        server = createServer((request, reply) => {
          let body = "";
          request.setEncoding("utf8").on("data", (part: string) => (body += part));
          request.on("end", () => {
            received = `${request.method} ${request.url} ${body}`;
            reply.writeHead(response.status).end(response.body);
          });
        });
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      });
      after(() => server.close());

      const address = (): string => {
        const found = server.address();
        return `http://127.0.0.1:${found !== null && typeof found === "object" ? found.port : 0}`;
      };

      it("sends the request and prints the response", async () => {
        const outcome = { type: "baseline", reason: "no-key", target: "cart.shop.svc:80" };
        const steps = [{ step: "table", text: "Table of Service shop/cart" }];
        const head = { namespace: "shop", service: "cart", port: 80, tableVersion: "1", renderer: "Takeover" };
        response = { status: 200, body: JSON.stringify({ ...head, steps, outcome, counted: [] }) };

        const { code, out } = await command(
          jane,
          `explain --service shop/cart --header A:1 --header A:2 --server ${address()}`,
        );

        assert.equal(code, 0);
        assert.equal(
          received,
          'POST /api/v1/explain {"namespace":"shop","service":"cart","method":"GET","path":"/","headers":{"A":["1","2"]}}',
        );
        assert.match(out, /\nOutcome: baseline cart\.shop\.svc:80 \(no-key\)$/);
      });

      it("reports errors of the server, and a server that is none", async () => {
        const line = `explain --service shop/cart --server ${address()}`;
        response = { status: 404, body: JSON.stringify({ error: "no route table", problems: ["no route table"] }) };
        const missing = await command(jane, line);
        assert.equal(missing.code, 5);
        assert.match(missing.err, /responded with 404: no route table/);

        response = { status: 200, body: "<html>" };
        const page = await command(jane, line);
        assert.equal(page.code, 1);
        assert.match(page.err, /did not respond with JSON/);

        const refused = await command(jane, "explain --service shop/cart --server http://127.0.0.1:1");
        assert.equal(refused.code, 1);
        assert.match(refused.err, /Cannot reach http:\/\/127\.0\.0\.1:1: /);
      });
    });
  });
});
