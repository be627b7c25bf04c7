// Authentication: sends the same credentials to both servers. Our tokens are signed with the real server's key.

import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { SigningKey, type User } from "@homeostat/apiserver";
import {
  type Attributes,
  Authenticator,
  defaultPolicy,
  forbiddenRefusal,
  impersonatedUser,
  Impersonation,
  issueToken,
  RbacPolicy,
  type RbacObject,
  Refusal,
  reviewSelf,
  reviewToken,
  ServiceAccountTokens,
  type TokenIssuer,
  type TokenObject,
  type TokenPod,
} from "@homeostat/apiserver/internal";
import { systemClock, systemRandom } from "@homeostat/core";
import type { RealCluster } from "@homeostat/kube";
import { assertSame } from "./compare.ts";
import { reasonToSkipOwnCluster, startOwnCluster } from "../../../harness/own-cluster.ts";
import { at, Server } from "./server.ts";
import { untilAuthorized } from "./until-authorized.ts";

const skip = await reasonToSkipOwnCluster();
const issuer = "https://kubernetes.default.svc";
const accounts = "/api/v1/namespaces/default/serviceaccounts";
const rbac = "rbac.authorization.k8s.io";

await describe("authentication on the real server and ours", { skip }, async () => {
  let cluster: RealCluster;
  let server: Server;
  let key: SigningKey;
  let maker: TokenIssuer;
  let authenticator: Authenticator;
  const stored = new Map<string, TokenPod>();

  before(async () => {
    cluster = await startOwnCluster();
    server = new Server(cluster);
    key = new SigningKey(readFileSync(join(dirname(cluster.kubeconfigPath), "pki", "service-accounts.key"), "utf8"));
    for (const name of ["one", "two", "actor"]) await create("ServiceAccount", accounts, { metadata: { name } });
    const containers = [{ name: "c", image: "i" }];
    await create("Node", "/api/v1/nodes", { metadata: { name: "worker" } });
    await create("Pod", "/api/v1/namespaces/default/pods", {
      metadata: { name: "pod" },
      spec: { containers, serviceAccountName: "one", nodeName: "worker" },
    });
    await create("Pod", "/api/v1/namespaces/default/pods", {
      metadata: { name: "lost" },
      spec: { containers, serviceAccountName: "one", nodeName: "no-such-node" },
    });
    await create("Pod", "/api/v1/namespaces/default/pods", {
      metadata: { name: "free" },
      spec: { containers, serviceAccountName: "one" },
    });
    await create("Secret", "/api/v1/namespaces/default/secrets", { metadata: { name: "secret" } });
    const find = (kind: string, name: string): TokenPod | undefined => stored.get(`${kind}/${name}`);
    const here =
      (kind: string) =>
      (namespace: string, name: string): TokenPod | undefined =>
        namespace === "default" ? find(kind, name) : undefined;
    const objects = {
      serviceAccount: here("ServiceAccount"),
      pod: here("Pod"),
      secret: here("Secret"),
      node: (name: string): TokenObject | undefined => find("Node", name),
    };
    maker = { issuer, key, apiAudiences: [issuer], objects, clock: systemClock, random: systemRandom };
    const serviceAccounts = new ServiceAccountTokens({
      issuers: [issuer],
      keys: [key.publicKey],
      apiAudiences: [issuer],
      objects,
      clock: systemClock,
    });
    authenticator = new Authenticator({ serviceAccounts, apiAudiences: [issuer], anonymous: "everywhere" });
  });

  async function create(kind: string, path: string, body: object): Promise<void> {
    const made = await server.good({ method: "POST", path, body });
    const text = (...path: string[]): string => {
      const found = at(made, ...path);
      return typeof found === "string" ? found : "";
    };
    stored.set(`${kind}/${text("metadata", "name")}`, {
      uid: text("metadata", "uid"),
      serviceAccountName: text("spec", "serviceAccountName"),
      nodeName: text("spec", "nodeName"),
    });
  }

  const uid = (name: string): string => stored.get(name)?.uid ?? "";

  after(async () => {
    server.close();
    await cluster.stop();
  });

  await it("issues the same tokens and denies invalid requests with the same messages", async () => {
    const bind = (kind: string, name: string, more: object = {}): object => ({
      spec: { boundObjectRef: { kind, name, apiVersion: "v1", ...more } },
    });
    const bodies: [name: string, body: object][] = [
      ["one", {}],
      ["one", { spec: { audiences: ["a", "b"], expirationSeconds: 600 } }],
      ["one", { spec: { expirationSeconds: 599 } }],
      ["one", { spec: { expirationSeconds: 4_294_967_296 } }],
      ["one", { spec: { expirationSeconds: 4_294_967_297 } }],
      ["one", { metadata: { name: "two" } }],
      ["one", { metadata: { namespace: "other" } }],
      ["one", { metadata: { uid: "wrong" } }],
      ["nobody", {}],
      ["one", bind("Pod", "pod")],
      ["one", bind("Pod", "lost")],
      ["one", bind("Pod", "free", { uid: uid("Pod/free") })],
      ["one", { spec: { ...Object(at(bind("Pod", "pod"), "spec")), expirationSeconds: 3607 } }],
      [
        "one",
        { spec: { ...Object(at(bind("Pod", "pod"), "spec")), expirationSeconds: 3607, audiences: ["elsewhere"] } },
      ],
      ["two", bind("Pod", "pod")],
      ["one", bind("Pod", "missing")],
      ["one", bind("Secret", "secret")],
      ["one", bind("Secret", "missing")],
      ["one", bind("Secret", "secret", { uid: "wrong" })],
      ["one", bind("Node", "worker")],
      ["one", bind("Node", "missing")],
      ["one", bind("ConfigMap", "x")],
      ["one", bind("Pod", "x", { apiVersion: "apps/v1" })],
      ["one", bind("Pod", "free", { apiVersion: "a/b/c" })],
    ];
    for (const [name, body] of bodies) {
      const theirs = await server.ask({ method: "POST", path: `${accounts}/${name}/token`, body });

      const ours = issueToken(maker, { namespace: "default", name, body });

      assertSame(
        ours instanceof Refusal ? ours : readable(ours.object),
        { ...theirs, body: readable(theirs.body) },
        JSON.stringify([name, body]),
      );
    }
  });

  await it("accepts and rejects the same 40 tokens", async () => {
    const now = Math.floor(systemClock.now() / 1000);
    const account = { name: "one", uid: uid("ServiceAccount/one") };
    const own = { namespace: "default", serviceaccount: account };
    const claims = {
      iss: issuer,
      aud: [issuer],
      sub: "system:serviceaccount:default:one",
      jti: "j",
      iat: now,
      nbf: now,
      exp: now + 3600,
      "kubernetes.io": own,
    };
    const withOwn = (more: object): object => ({ ...claims, "kubernetes.io": { ...own, ...more } });
    const tokens = [
      claims,
      { ...claims, jti: undefined },
      { ...claims, aud: "plain" },
      { ...claims, aud: issuer },
      { ...claims, aud: ["x", issuer, "y"] },
      { ...claims, aud: [] },
      { ...claims, aud: undefined },
      { ...claims, iss: "other" },
      { ...claims, iss: undefined },
      { ...claims, exp: now - 30 },
      { ...claims, exp: now - 90 },
      { ...claims, exp: undefined },
      { ...claims, nbf: now + 30 },
      { ...claims, nbf: now + 90 },
      { ...claims, iat: now + 90 },
      { ...claims, nbf: now + 90, exp: now - 90, iat: now + 90 },
      { ...claims, sub: "somebody" },
      { ...claims, "kubernetes.io": undefined },
      withOwn({ namespace: "other" }),
      withOwn({ serviceaccount: { name: "nobody", uid: "x" } }),
      withOwn({ serviceaccount: { name: "one", uid: "x" } }),
      withOwn({ pod: { name: "pod", uid: uid("Pod/pod") } }),
      withOwn({ pod: { name: "pod", uid: uid("Pod/pod") }, node: { name: "worker", uid: uid("Node/worker") } }),
      withOwn({ pod: { name: "pod", uid: uid("Pod/pod") }, node: { name: "anything" } }),
      withOwn({ pod: { name: "pod", uid: "x" } }),
      withOwn({ pod: { name: "missing", uid: "x" } }),
      withOwn({ secret: { name: "secret", uid: uid("Secret/secret") } }),
      withOwn({ secret: { name: "secret", uid: "x" } }),
      withOwn({ secret: { name: "missing", uid: "x" } }),
      withOwn({ node: { name: "worker", uid: uid("Node/worker") } }),
      withOwn({ node: { name: "worker", uid: "x" } }),
      withOwn({ node: { name: "missing", uid: "x" } }),
      withOwn({ warnafter: now - 5 }),
    ].map((each) => key.sign({ ...each }));
    const [good = ""] = tokens;
    const [head = "", payload = "", signature = ""] = good.split(".");
    const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    tokens.push(
      "garbage",
      "a.b.c",
      "a b",
      " x",
      `${head}.${payload}`,
      `${head}.${payload}.`,
      `${head}.${payload}.${signature.slice(0, -4)}AAAA`,
      `${good}.more`,
      `${good} more`,
      `${encode({ alg: "ES256" })}.${payload}.${signature}`,
      `${encode({ alg: "ES256", kid: "no" })}.${payload}.${signature}`,
      `${encode({ alg: "RS256", kid: key.publicKey.id })}.${payload}.${signature}`,
      `${encode({ alg: "none" })}.${payload}.`,
      `${head}.${encode({ ...claims, sub: "x" })}.${signature}`,
      `${head}=.${payload}.${signature}`,
    );
    for (const audiences of [undefined, ["plain", "x"]]) {
      for (const token of tokens) {
        const spec = { token, ...(audiences === undefined ? {} : { audiences }) };
        const theirs = await server.ask({
          method: "POST",
          path: "/apis/authentication.k8s.io/v1/tokenreviews",
          body: { spec },
        });

        assertSame(
          reviewToken(spec, authenticator),
          theirs,
          `${token
            .split(".")
            .slice(0, 2)
            .map((part) => Buffer.from(part, "base64url").toString())
            .join(" ")} ${token} for ${String(audiences)}`,
        );
      }
    }
    const empty = await server.ask({
      method: "POST",
      path: "/apis/authentication.k8s.io/v1/tokenreviews",
      body: { spec: {} },
    });
    assertSame(reviewToken({}, authenticator), empty, "no token");
  });

  await it("authenticates a client certificate as the same user", async () => {
    const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    const theirs = await server.ask({ method: "POST", path, body: {} });

    const certificate = new X509Certificate(cluster.cert ?? "").raw;
    const identity = authenticator.authenticate({ path, certificate });

    assert.ok(!(identity instanceof Refusal));
    assertSame(reviewSelf(identity.user, systemClock), theirs, "admin");
  });

  await it("rejects unauthenticated and unauthorized requests with the same messages", async () => {
    const policy = new RbacPolicy(defaults());
    const token = tokenOf("one");
    const resource = (path: string, attributes: object): [string, object] => [
      path,
      { group: "", subresource: "", namespace: "", name: "", ...attributes },
    ];
    const requests = [
      resource("/api/v1/pods", { verb: "list", resource: "pods" }),
      resource("/api/v1/namespaces/default/pods", { verb: "list", resource: "pods", namespace: "default" }),
      resource("/api/v1/namespaces/default/pods/p/log", {
        verb: "get",
        resource: "pods",
        subresource: "log",
        namespace: "default",
        name: "p",
      }),
      resource("/apis/apps/v1/namespaces/d/deployments/x", {
        verb: "get",
        group: "apps",
        resource: "deployments",
        namespace: "d",
        name: "x",
      }),
      resource("/api/v1/nodes/n", { verb: "get", resource: "nodes", name: "n" }),
      resource("/api/v1/namespaces/n", { verb: "get", resource: "namespaces", namespace: "n", name: "n" }),
      ["/metrics", { verb: "get", path: "/metrics" }],
      ["/a<b>&c", { verb: "get", path: "/a<b>&c" }],
      ["/api", { verb: "get", path: "/api" }],
    ] as const;
    for (const authorization of [
      undefined,
      "Bearer bad",
      `Bearer ${token}`,
      `bearer ${token} more`,
      `Bearer  ${token}`,
      "Basic abc",
      "Bearer",
      token,
    ]) {
      for (const [path, attributes] of requests) {
        const headers = authorization === undefined ? [] : ([["authorization", authorization]] as const);
        const theirs = await server.ask({ path, headers, certificate: "none" });

        const identity = authenticator.authenticate({ path, authorization });

        if (identity instanceof Refusal) assertSame(identity, theirs, `${path} ${String(authorization)}`);
        else {
          assert.deepEqual(
            identity.warnings.map((text) => `299 - "${text}"`),
            theirs.warnings,
            `${path} ${String(authorization)}`,
          );
          const accessRequest = { ...attributes, user: identity.user } as Attributes;
          const decision = policy.authorize(accessRequest);
          if (decision.isAllowed) assert.equal(theirs.status, 200);
          else assertSame(forbiddenRefusal(accessRequest, decision.reason), theirs, `${path} ${String(authorization)}`);
        }
      }
    }
  });

  function tokenOf(name: string): string {
    const made = issueToken(maker, { namespace: "default", name, body: {} });
    assert.ok(!(made instanceof Refusal));
    return String(at(made.object, "status", "token"));
  }

  function defaults(): RbacObject[] {
    const { clusterRoles, clusterRoleBindings, roles, roleBindings } = defaultPolicy();
    return [...clusterRoles, ...clusterRoleBindings, ...roles, ...roleBindings];
  }

  await it("allows impersonation under the same conditions", async () => {
    const authentication = "authentication.k8s.io";
    const objects: RbacObject[] = [
      {
        kind: "ClusterRole",
        metadata: { name: "actor" },
        rules: [
          {
            verbs: ["impersonate"],
            apiGroups: [""],
            resources: ["users"],
            resourceNames: ["ann", "system:anonymous", "system:node:old"],
          },
          {
            verbs: ["impersonate"],
            apiGroups: [""],
            resources: ["groups"],
            resourceNames: ["red", "system:unauthenticated"],
          },
          { verbs: ["impersonate"], apiGroups: [""], resources: ["serviceaccounts"], resourceNames: ["one"] },
          { verbs: ["impersonate"], apiGroups: [authentication], resources: ["userextras/scopes", "uids"] },
          {
            verbs: ["impersonate:arbitrary-node"],
            apiGroups: [authentication],
            resources: ["nodes"],
            resourceNames: ["worker"],
          },
          {
            verbs: ["impersonate:serviceaccount"],
            apiGroups: [authentication],
            resources: ["serviceaccounts"],
            resourceNames: ["two"],
          },
          {
            verbs: ["impersonate:user-info"],
            apiGroups: [authentication],
            resources: ["users"],
            resourceNames: ["narrow"],
          },
          {
            verbs: ["impersonate:user-info"],
            apiGroups: [authentication],
            resources: ["groups"],
            resourceNames: ["*", "blue"],
          },
          { verbs: ["impersonate:user-info"], apiGroups: [authentication], resources: ["userextras/a.b/c"] },
          {
            verbs: [
              "impersonate-on:user-info:create",
              "impersonate-on:serviceaccount:create",
              "impersonate-on:arbitrary-node:create",
            ],
            apiGroups: [authentication],
            resources: ["selfsubjectreviews"],
          },
        ],
      },
      {
        kind: "ClusterRoleBinding",
        metadata: { name: "actor" },
        roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "actor" },
        subjects: [{ kind: "ServiceAccount", name: "actor", namespace: "default" }],
      },
    ];
    for (const object of objects) {
      await server.good({
        method: "POST",
        path: `/apis/${rbac}/v1/${object.kind.toLowerCase()}s`,
        body: { apiVersion: `${rbac}/v1`, ...object },
      });
    }
    await untilAuthorized(server);
    const policy = new RbacPolicy([...defaults(), ...objects]);
    const impersonation = new Impersonation(policy);
    const user = (name: string): [string, string] => ["Impersonate-User", name];
    const group = (name: string): [string, string] => ["Impersonate-Group", name];
    const extra = (name: string, value: string): [string, string] => [`Impersonate-Extra-${name}`, value];
    const lists: [string, string][][] = [
      [user("stranger")],
      [user("narrow")],
      [user("ann")],
      [user("stranger")],
      [user("ann"), group("red")],
      [user("ann"), group("blue")],
      [user("ann"), group("red"), group("system:unauthenticated")],
      [user("ann"), group("red"), group("green")],
      [user("ann"), ["Impersonate-Uid", "u"]],
      [user("ann"), extra("scopes", "a"), extra("scopes", "b")],
      [user("ann"), extra("a%2Fb", "c")],
      [user("ann"), extra("scopes", "")],
      [user("narrow"), group("blue")],
      [user("narrow"), group("a"), group("b"), group("c"), group("d")],
      [user("narrow"), group("a"), group("b"), group("c")],
      [user("narrow"), group("system:masters")],
      [user("narrow"), group("")],
      [user("narrow"), extra("a.b%2fc", "v")],
      [user("narrow"), extra("plain", "v")],
      [user("narrow"), extra("a_b%2fc", "v")],
      [user("narrow"), extra("a.b%2fc%20d", "v")],
      [user("narrow"), extra("a.b%2fc", "")],
      [user("system:anonymous")],
      [user("system:serviceaccount:default:one")],
      [user("system:serviceaccount:default:one"), group("red")],
      [user("system:serviceaccount:default:two")],
      [user("system:serviceaccount:default:three")],
      [user("system:serviceaccount:default:three:more")],
      [user("system:node:worker")],
      [user("system:node:old")],
      [user("system:node:other")],
      [user("system:node:Bad_Name")],
      [group("red")],
      [["Impersonate-Uid", "u"]],
      [extra("scopes", "a"), extra("b%2fc", "d"), extra("b%2fc", 'e"f')],
      [user("")],
      [user(""), group("red")],
    ];
    const attributes = {
      verb: "create",
      group: authentication,
      resource: "selfsubjectreviews",
      subresource: "",
      namespace: "",
      name: "",
    };
    const token = tokenOf("actor");
    const identity = authenticator.authenticate({ path: "/", authorization: `Bearer ${token}` });
    assert.ok(!(identity instanceof Refusal));
    for (const list of lists) {
      const headers = [["authorization", `Bearer ${token}`], ...list] as [string, string][];
      const theirs = await server.ask({
        method: "POST",
        path: `/apis/${authentication}/v1/selfsubjectreviews`,
        headers,
        body: {},
        certificate: "none",
      });

      const wanted = impersonatedUser(list);
      const actual: User | Refusal =
        wanted === undefined
          ? identity.user
          : wanted instanceof Refusal
            ? wanted
            : impersonation.impersonate(wanted, { ...attributes, user: identity.user });
      const ours = actual instanceof Refusal ? actual : responseFor(actual);

      assertSame(ours, theirs, JSON.stringify(list));
    }

    /** Creating the review itself needs a permission, too. */
    function responseFor(actual: User): unknown {
      const accessRequest = { ...attributes, user: actual };
      const { isAllowed, reason } = policy.authorize(accessRequest);
      return isAllowed ? reviewSelf(actual, systemClock) : forbiddenRefusal(accessRequest, reason);
    }
  });
});

/** Requests a token. Returns its claims, with times in seconds since its creation. */
function readable(body: unknown): unknown {
  const token = at(body, "status", "token");
  if (typeof token !== "string") return body;
  const [head, claims] = token
    .split(".")
    .slice(0, 2)
    .map((part): unknown => JSON.parse(Buffer.from(part, "base64url").toString()));
  const start = Number(at(claims, "iat"));
  const said = JSON.parse(JSON.stringify(claims), (key, value: unknown) => {
    if (["iat", "nbf", "exp", "warnafter"].includes(key)) return Number(value) - start;
    return key === "jti" ? /^[0-9a-f-]{36}$/.test(String(value)) : value;
  });
  const expires = Math.round(Date.parse(String(at(body, "status", "expirationTimestamp"))) / 1000) - start;
  assert.ok(Object.keys(Object(claims)).join() === Object.keys(Object(claims)).sort().join(), "claims are sorted");
  return { ...Object(body), status: { head, said, expires } };
}
