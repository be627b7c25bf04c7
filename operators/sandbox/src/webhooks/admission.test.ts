import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, nextTurn } from "@homeostat/core";
import { admit, readerWith, toolsWith, withoutStatus } from "../testing/admission.ts";
import { policyWith, localWorkloadWith, namespace, routeGroupWith, sandboxWith } from "../testing/objects.ts";
import { localWorkloadWebhook } from "./local-workload-webhook.ts";
import { policyWebhooks } from "./policy-webhooks.ts";
import { routeGroupWebhook } from "./route-group-webhook.ts";
import { sandboxWebhook } from "./sandbox-webhook.ts";
import { responseMsMax } from "./bounded.ts";
import { uniquenessProblems } from "./uniqueness.ts";

const forked = sandboxWith({ services: [{ name: "cart", targetRef: { name: "cart" } }] });

describe("the webhook of Sandboxes", () => {
  it("admits an object without a status, as the API server sends it, with warnings", async () => {
    const { reader } = readerWith();

    const { allowed, warnings } = await admit(sandboxWebhook(toolsWith(reader)), withoutStatus(forked));

    assert.equal(allowed, true);
    assert.deepEqual(warnings, [
      "spec.services[0].targetRef: Deployment cart does not exist; the fork starts when it is created",
    ]);
  });

  it("sends a bounded number of requests for a Sandbox with 20 entries", async () => {
    const { reader, calls } = readerWith();
    const services = Array.from({ length: 20 }, (_, index) => ({
      name: `e${index}`,
      targetRef: { name: `w${index}` },
    }));

    await admit(sandboxWebhook(toolsWith(reader)), withoutStatus(sandboxWith({ services })));

    const counted = Object.fromEntries(
      [...new Set(calls)].map((name) => [name, calls.filter((each) => each === name).length]),
    );
    assert.deepEqual(counted, { namespaceLabels: 1, policies: 1, workload: 20, sandboxes: 1, review: 20 });
  });

  it("asks for the rights once per kind and namespace if the user cannot fork", async () => {
    const asked: string[] = [];
    const { reader } = readerWith({
      review: async (_, access) => {
        const name = "type" in access ? `${access.verb} ${access.type.plural}` : "";
        asked.push(name);
        return { isAllowed: access.verb === "create", isDenied: false, reason: "", evaluationError: "" };
      },
    });
    const services = ["a", "b"].map((name) => ({ name, targetRef: { name } }));

    const { allowed } = await admit(sandboxWebhook(toolsWith(reader)), withoutStatus(sandboxWith({ services })));

    assert.equal(allowed, true);
    assert.deepEqual(asked.toSorted(), ["create deployments", "create services", "fork sandboxes", "fork sandboxes"]);
  });

  it("sends no requests if only metadata changes", async () => {
    const { reader, calls } = readerWith();
    const changed = { ...forked, metadata: { ...forked.metadata, finalizers: ["a/b"] } };

    const { allowed } = await admit(sandboxWebhook(toolsWith(reader)), changed, { oldObject: forked });

    assert.deepEqual([allowed, calls], [true, []]);
  });

  it("denies a Sandbox that it cannot check within two seconds", async () => {
    const clock = new FakeClock();
    const { reader, calls } = readerWith({ workload: async () => new Promise(() => undefined) });
    const asked = admit(sandboxWebhook(toolsWith(reader, clock)), withoutStatus(forked));

    // The deadline starts when the webhook has read the request.
    while (calls.length === 0) await nextTurn();
    await clock.advance(responseMsMax);

    const { allowed, code, message } = await asked;
    assert.deepEqual([allowed, code], [false, 503]);
    assert.match(message, /did not respond within 2 seconds; retry the request$/);
  });

  it("refuses more than 100 new references without asking for each", async () => {
    const { reader, calls } = readerWith();
    const env = Array.from({ length: 51 }, (_, index) => ({
      name: `A${index}`,
      valueFrom: { secretKeyRef: { name: `s${index}`, key: "k" } },
    }));
    const more = env.map(({ valueFrom, name }) => ({
      name,
      valueFrom: { secretKeyRef: { ...valueFrom.secretKeyRef, name: `t${name}`.toLowerCase() } },
    }));
    const containers = [
      { name: "a", env },
      { name: "b", env: more },
    ];

    const { message } = await admit(
      sandboxWebhook(toolsWith(reader)),
      withoutStatus(sandboxWith({ services: [{ name: "cart", targetRef: { name: "cart" }, containers }] })),
    );

    assert.match(message, /spec: adds 102 Secrets and ConfigMaps; at most 100 are allowed/);
    assert.equal(calls.filter((name) => name === "review").length, 1);
  });
});

describe("the webhooks of other kinds", () => {
  it("warn about sandboxes and services that do not exist", async () => {
    const { reader } = readerWith({ hasService: async () => false });
    const tools = toolsWith(reader);
    const group = routeGroupWith({ routes: [{ targetSandbox: "later" }] });
    const key = Buffer.alloc(32, 1).toString("base64url");

    const ofGroup = await admit(routeGroupWebhook(tools), group);
    const ofLocal = await admit(localWorkloadWebhook(tools), localWorkloadWith({ connection: { publicKeys: [key] } }));

    assert.deepEqual(ofGroup.warnings, [
      "spec.routes[0].targetSandbox: Sandbox later does not exist in this namespace; the route takes effect when it is created",
    ]);
    assert.deepEqual(ofLocal.warnings, [
      "spec.sandboxRef.name: Sandbox pr-42 does not exist in this namespace; create it",
    ]);
  });

  it("turn problems that an object had before into warnings", async () => {
    const [webhook] = policyWebhooks(toolsWith(readerWith().reader));
    assert.ok(webhook !== undefined);
    const before = policyWith({ allowedImages: ["["] });

    const { allowed, warnings } = await admit(webhook, policyWith({ allowedImages: ["["], allowLocal: false }), {
      oldObject: before,
    });
    const refused = await admit(webhook, policyWith({ allowedImages: ["[", "]["] }), { oldObject: before });

    assert.deepEqual([allowed, warnings.length, refused.allowed], [true, 1, false]);
    assert.match(warnings[0] ?? "", /already present before this update\)$/);
  });
});

describe("uniquenessProblems", () => {
  const domain = "preview.example.com";
  const endpoint = (host?: string) => ({
    name: "web",
    target: "http://a.shop.svc",
    ...(host !== undefined && { host }),
  });
  const named = (name: string, spec: Parameters<typeof sandboxWith>[0], routingKey?: string) => {
    const sandbox = sandboxWith(spec, name);
    return { ...sandbox, status: { ...sandbox.status, ...(routingKey !== undefined && { routingKey }) } };
  };
  const codes = (spec: Parameters<typeof sandboxWith>[0], ...others: ReturnType<typeof named>[]): string[] =>
    uniquenessProblems(named("mine", spec), { namespace, others, domain }).map(({ code, path }) => `${code} ${path}`);

  it("compares keys with those that are in force and those that are asked for", () => {
    assert.deepEqual(codes({ routingKey: "abc" }, named("a", {}, "abc")), ["RoutingKeyTaken spec.routingKey"]);
    assert.deepEqual(codes({ routingKey: "abc" }, named("a", { routingKey: "abc" })), [
      "RoutingKeyTaken spec.routingKey",
    ]);
    assert.deepEqual(codes({ routingKey: "abc" }, named("a", {}, "abd"), named("mine", {}, "abc")), []);
  });

  it("compares hosts with given and generated ones", () => {
    const host = "web--abc.preview.example.com";

    assert.deepEqual(codes({ endpoints: [endpoint(host)] }, named("a", { endpoints: [endpoint(host)] })), [
      "HostTaken spec.endpoints[0].host",
    ]);
    assert.deepEqual(codes({ endpoints: [endpoint(host)] }, named("a", { endpoints: [endpoint()] }, "abc")), [
      "HostTaken spec.endpoints[0].host",
    ]);
    assert.deepEqual(codes({ endpoints: [endpoint(host)] }, named("a", { endpoints: [endpoint()] }, "abd")), []);
  });
});
