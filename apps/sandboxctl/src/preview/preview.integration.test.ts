// Preview commands on an embedded API server with the installed operator, its webhooks and exactly its permissions.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Client } from "@homeostat/client";
import { systemClock } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { ConfigMap, Namespace, Secret, Service } from "@homeostat/kubernetes/core/v1";
import { grant, type InstalledOperator, installOperator } from "@homeostat/operator-testing";
import { parsePreviewSettings } from "@homeostat/routing";
import { PreviewVerifier } from "@homeostat/x509";
import {
  PreviewLink,
  previewKeysKey,
  previewKeysName,
  Sandbox,
  SandboxPolicy,
  sandboxOperator,
  systemNamespace,
} from "@homeostat/sandbox-operator";
import { runLine } from "../testing/run-line.ts";

const group = "sandbox.example.com";
const host = "web--key-of-pr-42.preview.test";

describe("sandboxctl preview", () => {
  let installed: InstalledOperator;
  let admin: Client;
  /** May get Sandboxes, and create PreviewLinks. */
  let jane: Client;
  /** May create PreviewLinks, but not get Sandboxes. */
  let eve: Client;

  before(async () => {
    installed = await installOperator(sandboxOperator(), systemNamespace);
    admin = installed.client;
    await admin.create(ConfigMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "sandbox-config", namespace: systemNamespace },
      data: { "config.yaml": "preview: {domain: preview.test}" },
    });
    await until(async () => admin.get(ConfigMap, { namespace: systemNamespace, name: previewKeysName }));
    await admin.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
    await admin.create(
      SandboxPolicy,
      SandboxPolicy.make({ metadata: { name: "default", namespace: "shop" }, spec: {} }),
    );
    await admin.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { namespace: "shop", name: "frontend" },
      spec: { selector: { app: "frontend" }, ports: [{ port: 80 }] },
    });
    const target = "http://frontend.shop.svc:80";
    const endpoints = [{ name: "web", target }];
    await admin.create(
      Sandbox,
      Sandbox.make({ metadata: { name: "pr-42", namespace: "shop" }, spec: { routingKey: "key-of-pr-42", endpoints } }),
    );
    const links = [group, "previewlinks", "create get list delete"] as const;
    await grant(admin, { name: "jane", user: "jane", rights: [links, [group, "sandboxes", "get"]] });
    await grant(admin, { name: "eve", user: "eve", rights: [links] });
    jane = installed.clientOf("jane");
    eve = installed.clientOf("eve");
  });
  after(async () => {
    await installed[Symbol.asyncDispose]();
  });

  async function until<T>(find: () => Promise<T | undefined | false>): Promise<T> {
    for (;;) {
      const found = await find();
      if (found !== undefined && found !== false) return found;
      await systemClock.sleep(50);
    }
  }

  async function command(client: Client, line: string): Promise<{ code: number; out: string; err: string }> {
    return runLine(line, { client });
  }

  /** Returns a verifier with the keys that gateways get. */
  async function verifier(): Promise<PreviewVerifier> {
    const map = await admin.get(ConfigMap, { namespace: systemNamespace, name: previewKeysName });
    const keys: unknown = JSON.parse(map?.data?.[previewKeysKey] ?? "");
    return new PreviewVerifier(parsePreviewSettings({ keys }).settings.keys);
  }

  function tokenIn(url: string): string {
    return new URL(url).searchParams.get("sandbox-preview") ?? "";
  }

  it("open prints the address with a token of the user, which gateways can verify", async () => {
    const { code, out, err } = await command(jane, "preview open pr-42");

    assert.equal(code, 0, err);
    assert.ok(out.startsWith(`https://${host}/?sandbox-preview=`), out);
    const verified = (await verifier()).verify(tokenIn(out));
    assert.ok("claims" in verified);
    const { jti, exp, ...claims } = verified.claims;
    assert.deepEqual(claims, { host, key: "key-of-pr-42", sub: "jane" });
    const [link] = (await admin.list(PreviewLink, { namespace: "shop" })).items;
    assert.deepEqual([link?.status.tokenId, link?.metadata.ownerReferences?.[0]?.name], [jti, "pr-42"]);
    assert.equal(new Date(exp * 1_000).toISOString().slice(0, 19), link?.status.expiresAt?.slice(0, 19));
    assert.doesNotMatch(JSON.stringify(link), new RegExp(tokenIn(out).slice(-30)));
  });

  it("link creates an address of its own, links lists it, and revoke ends it", async () => {
    const shared = await command(jane, "preview link pr-42 web --expires 2h -o json");
    assert.equal(shared.code, 0, shared.err);
    const { id, url }: { id: string; url: string } = JSON.parse(shared.out);
    assert.match(new URL(url).host, /^web--key-of-pr-42--[a-z2-7]{6}\.preview\.test$/);
    const verified = (await verifier()).verify(tokenIn(url));
    assert.equal("claims" in verified && verified.claims.host, new URL(url).host);

    const listed = await command(jane, "preview links");
    assert.match(listed.out, /^ID +TARGET +ENDPOINT +MODE +USER +FOR +EXPIRES +USES +STATE\n/);
    assert.match(listed.out, new RegExp(`${id} +sandbox/pr-42 +web +Share +jane +\\S+ +0 +Issued`));

    const revoked = await command(jane, `preview revoke ${id}`);
    assert.deepEqual([revoked.code, revoked.out], [0, `Revoked ${id}`]);
    assert.equal(await admin.get(PreviewLink, { namespace: "shop", name: id }), undefined);
    assert.equal((await command(jane, `preview revoke ${id}`)).code, 5);
  });

  it("link --for creates a link for one user, if gateways can identify users", async () => {
    const refused = await command(jane, "preview link pr-42 web --for bob@example.com");
    assert.equal(refused.code, 3);
    assert.match(
      refused.err,
      /spec\.forUser.*"bob@example\.com".*set preview\.forward\.url and preview\.forward\.userHeader/s,
    );
    assert.equal((await command(jane, "preview link pr-42 web --for bö")).code, 2);

    const config = (text: string) =>
      admin.patch(
        ConfigMap,
        { namespace: systemNamespace, name: "sandbox-config" },
        { merge: { data: { "config.yaml": text } } },
      );
    await config(
      "preview: {domain: preview.test, forward: {url: 'http://auth.test/', userHeader: X-Auth-Request-User}}",
    );
    // The operator follows the ConfigMap by a watch.
    const issued = await until(async () => {
      const created = await command(jane, "preview link pr-42 web --for bob@example.com -o json");
      return created.code === 0 && created;
    });
    const { id, url }: { id: string; url: string } = JSON.parse(issued.out);
    const verified = (await verifier()).verify(tokenIn(url));
    assert.ok("claims" in verified);
    assert.deepEqual([verified.claims.sub, verified.claims.for], ["jane", "bob@example.com"]);
    const listed = await command(jane, "preview links");
    assert.match(listed.out, new RegExp(`${id} +sandbox/pr-42 +web +Share +jane +bob@example\\.com +\\S+ +0 +Issued`));
    const forUser = { merge: { spec: { forUser: "eve@example.com" } } };
    await assert.rejects(
      admin.patch(PreviewLink, { namespace: "shop", name: id }, forUser),
      /forUser cannot be changed/,
    );
    const unbound = { merge: { spec: { forUser: null } } };
    await assert.rejects(
      admin.patch(PreviewLink, { namespace: "shop", name: id }, unbound),
      /forUser cannot be changed/,
    );

    await config("preview: {domain: preview.test}");
    const revoked = await until(async () => {
      const link = await admin.get(PreviewLink, { namespace: "shop", name: id });
      return link?.status.tokenId === undefined && link;
    });
    assert.equal(revoked.status.conditions?.[0]?.reason, "IdentityUnavailable");
    assert.equal(revoked.status.token, undefined);
  });

  it("refuses forUser of a personal token", async () => {
    const link = PreviewLink.make({
      metadata: { name: "personal", namespace: "shop" },
      spec: {
        targetRef: { name: "pr-42" },
        endpoint: "web",
        mode: "Personal",
        forUser: "bob",
        publicKey: "a".repeat(43),
      },
    });

    await assert.rejects(jane.create(PreviewLink, link), /must be absent with the mode Personal/);
  });

  it("refuses users who cannot get the sandbox, whatever they send", async () => {
    assert.equal((await command(eve, "preview open pr-42 web")).code, 3);
    const before = (await admin.list(PreviewLink, { namespace: "shop" })).items.length;
    const link = PreviewLink.make({
      metadata: {
        name: "stolen",
        namespace: "shop",
        annotations: { "sandbox.example.com/created-by": '{"user":"jane","groups":[]}' },
      },
      spec: { targetRef: { name: "pr-42" }, endpoint: "web", publicKey: "a".repeat(43) },
    });

    await assert.rejects(eve.create(PreviewLink, link), /"eve\\?" cannot get Sandbox/);
    assert.equal((await admin.list(PreviewLink, { namespace: "shop" })).items.length, before);
  });

  it("reports objects and endpoints that do not exist, and lifetimes that are too long", async () => {
    assert.equal((await command(jane, "preview open pr-1")).code, 5);
    const missing = await command(jane, "preview link pr-42 admin");
    assert.deepEqual([missing.code, /it has web/.test(missing.err)], [5, true], missing.err);
    const long = await command(jane, "preview link pr-42 web --expires 29d");
    assert.match(long.err, /must be at most 28d/);
    assert.equal(long.code, 3);
    assert.equal((await command(jane, "preview link pr-42")).code, 2);
    assert.equal((await command(jane, "preview link pr-42 web --expires soon")).code, 2);
    assert.equal((await command(jane, "preview close")).code, 2);
  });

  it("has the gateway installed while there is a preview domain, with the private keys in a Secret only", async () => {
    const key = { namespace: systemNamespace, name: "sandbox-gateway" };
    const deployment = await until(async () => admin.get(Deployment, key));
    const [container] = deployment.spec?.template.spec?.containers ?? [];
    assert.ok(container?.args?.includes("--role=gateway"));
    assert.equal(deployment.spec?.template.spec?.automountServiceAccountToken, false);
    assert.equal(container?.securityContext?.readOnlyRootFilesystem, true);
    const secret = await admin.get(Secret, { namespace: systemNamespace, name: previewKeysName });
    assert.match(Buffer.from(secret?.data?.[previewKeysKey] ?? "", "base64").toString(), /PRIVATE KEY/);
    const map = await admin.get(ConfigMap, { namespace: systemNamespace, name: previewKeysName });
    assert.doesNotMatch(JSON.stringify(map), /PRIVATE/);

    await admin.delete(ConfigMap, { namespace: systemNamespace, name: "sandbox-config" });
    await until(async () => (await admin.get(Deployment, key)) === undefined);
    assert.equal(await admin.get(Service, key), undefined);
  });
});
