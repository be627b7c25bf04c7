import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, SeededRandom } from "@homeostat/core";
import type { HttpResponse } from "@homeostat/http";
import { defaultLimits, Holds, type IncomingRequest, type RoutePlan, RouteTables } from "@homeostat/proxy";
import {
  compileTable,
  defaultRoutingSettings,
  headerSource,
  KeyReader,
  type PreviewHost,
  type PreviewSettings,
  type RouteTable,
} from "@homeostat/routing";
import { generateKeys, type PreviewClaims, signPreviewToken } from "@homeostat/x509";
import { Gateway } from "./gateway.ts";
import type { SendHttp } from "./forward-auth.ts";

const key = "k3v9q2m7x1c4d";
const domain = "preview.test";
const host = `web--${key}.${domain}`;
const pair = generateKeys("Ed25519");
const signer = { id: "one", privateKey: pair.privateKey };
const settings: PreviewSettings = {
  keys: [{ id: "one", key: pair.publicKey.export({ format: "jwk" }).x ?? "" }],
  isSecure: true,
};

const table: RouteTable = {
  namespace: "shop",
  service: "frontend",
  version: "v1",
  interception: "None",
  ports: [{ port: 80, baselineTarget: "frontend.shop.svc:80" }],
  entries: [
    {
      routingKey: key,
      sandbox: "pr-42",
      workload: "frontend",
      source: "Sandbox",
      ports: [{ port: 80, targetService: "pr-42-frontend", targetPort: 80, addresses: ["10.0.0.9:8080"] }],
    },
  ],
};

interface Stand {
  readonly hosts?: readonly Partial<PreviewHost>[];
  readonly tables?: readonly RouteTable[];
  readonly preview?: PreviewSettings;
  readonly acceptExternalKeys?: boolean;
  readonly send?: SendHttp;
}

function stand({ hosts = [{}], tables = [], preview = settings, acceptExternalKeys = false, send }: Stand = {}) {
  const clock = new FakeClock();
  const routing = { ...defaultRoutingSettings, acceptExternalKeys };
  const counted: string[] = [];
  const routes = new RouteTables({
    keys: new KeyReader({ role: "gateway", settings: routing }),
    random: new SeededRandom(1),
    count: (reason) => counted.push(reason),
  });
  const gateway = new Gateway({
    tables: routes,
    holds: new Holds({ clock, limits: defaultLimits }),
    clock,
    send,
  });
  const use = (list: readonly Partial<PreviewHost>[]): void => {
    const compiled = tables.map((each) => ({ table: each, compiled: compileTable(each) }));
    const state = {
      hosts: new Map(list.map((each, index) => [String(index), { ...previewHost, ...each }])),
      tables: new Map(compiled.map((each) => [`${each.table.namespace}/${each.table.service}`, each])),
      preview,
    };
    routes.swap({ tables: compiled.map((each) => each.compiled), others: gateway.use(state) });
  };
  use(hosts);
  const usedIds = (): readonly string[] => gateway.uses.take().map(({ id }) => id);
  return { router: gateway.router, clock, use, usedIds, counted };
}

const previewHost: PreviewHost = {
  host,
  namespace: "shop",
  service: "frontend",
  port: 80,
  protocol: "http1",
  version: "v1",
  routingKey: key,
  path: "/",
  auth: "None",
  addresses: ["10.0.0.1:8080"],
};

type Fields = readonly (readonly [string, string])[];

function request({
  headers = [],
  ...rest
}: Partial<Omit<IncomingRequest, "headers">> & { readonly headers?: Fields } = {}): IncomingRequest {
  return {
    method: "GET",
    path: "/",
    headers: headerSource(headers),
    protocol: "http1",
    scheme: "http",
    authority: host,
    isUpgrade: false,
    isGrpc: false,
    ...rest,
  };
}

function forwarded(plan: RoutePlan) {
  assert.equal(plan.type, "forward", JSON.stringify(plan));
  if (plan.type !== "forward") throw new Error("unreachable");
  return { ...plan, set: new Map(plan.edits.set) };
}

function responded(plan: RoutePlan) {
  assert.equal(plan.type, "respond", JSON.stringify(plan));
  if (plan.type !== "respond") throw new Error("unreachable");
  return { ...plan, fields: new Map(plan.headers) };
}

async function ended(plan: RoutePlan): Promise<RoutePlan> {
  return plan.type === "hold" ? plan.wait(new AbortController().signal) : plan;
}

function token(clock: FakeClock, change: Partial<PreviewClaims> = {}): string {
  const exp = Math.floor(clock.now() / 1_000) + 3_600;
  return signPreviewToken({ host, key, exp, jti: "id-1", sub: "alice", ...change }, signer);
}

describe("a gateway", () => {
  it("responds 404 to unknown hosts, and names none that exist", () => {
    const { router } = stand();
    for (const authority of [undefined, domain, `web--other.${domain}`, `x.${host}`, "10.0.0.1", `${host}@x`]) {
      const { status, body } = responded(router.route(request({ authority })));
      assert.equal(status, 404);
      assert.doesNotMatch(body, /web|k3v|shop|frontend|preview\.test/);
    }
  });

  it("finds a host whatever its case and port are", () => {
    const { router } = stand();

    const { targets, destination } = forwarded(router.route(request({ authority: `${host.toUpperCase()}.:8443` })));

    assert.deepEqual(targets, ["10.0.0.1:8080"]);
    assert.deepEqual([destination.kind, destination.service], ["baseline", "frontend"]);
  });

  it("connects with verified TLS to a Service with TLS, and to its forks", () => {
    const tls = { caBundle: "-----BEGIN CERTIFICATE-----\n", serverName: "frontend.shop.svc" };
    const secure = { protocol: "https", tls } as const;
    for (const tables of [
      [],
      [table],
      [{ ...table, ports: [{ port: 80, appProtocol: "grpc", baselineTarget: "b:80" }] }],
    ]) {
      const { router } = stand({ hosts: [secure], tables });

      const plan = forwarded(router.route(request()));

      assert.deepEqual([plan.upstreamTls?.serverName, plan.upstreamProtocol], ["frontend.shop.svc", "http1"]);
      assert.deepEqual(router.protocolsOf(host), ["http/1.1"]);
    }
    assert.equal(forwarded(stand().router.route(request())).upstreamTls, undefined);
  });

  it("gives requests the key of the host, in the header and in baggage", () => {
    const { router } = stand();

    const { set, responseHeaders } = forwarded(router.route(request({ headers: [["baggage", "user=7"]] })));

    assert.equal(set.get("x-routing-key"), key);
    assert.equal(set.get("baggage"), `user=7,routing-key=${key}`);
    assert.deepEqual(responseHeaders, [["x-sandbox-route", "baseline; reason=no-entry"]]);
  });

  it("sends requests to the fork of the sandbox if the Service has a route of the key", () => {
    const { router } = stand({ tables: [table] });

    const { targets, destination } = forwarded(router.route(request()));

    assert.deepEqual(targets, ["10.0.0.9:8080"]);
    assert.equal(destination.sandbox, "pr-42");
  });

  for (const acceptExternalKeys of [false, true]) {
    it(`drops and counts other keys, ${acceptExternalKeys ? "also" : "especially"} if external keys are ${acceptExternalKeys ? "" : "not "}accepted`, () => {
      const { router, counted } = stand({ tables: [table], acceptExternalKeys });
      const other = "zzzzzzzzzzzzz";
      const headers: Fields = [
        ["x-routing-key", other],
        ["x-route-key", other],
        ["baggage", `routing-key=${other},user=7`],
        ["cookie", `a=1; sandbox-routing-key=${other}`],
      ];

      const plan = forwarded(router.route(request({ headers, path: `/?routing-key=${other}&b=2` })));

      assert.deepEqual(plan.targets, ["10.0.0.9:8080"]);
      assert.deepEqual([plan.set.get("x-routing-key"), plan.set.get("cookie"), plan.path], [key, "a=1", "/?b=2"]);
      assert.equal(plan.set.get("baggage"), `routing-key=${key},user=7`);
      assert.ok(plan.edits.remove.includes("x-route-key"));
      assert.deepEqual(counted, ["key_conflict"]);
    });
  }

  it("uses the default key for a host without a key, and an external one only if it is accepted", () => {
    const open = { routingKey: undefined, defaultKey: key };
    const headers: Fields = [["cookie", "sandbox-routing-key=otherkey12"]];
    const keyOf = (acceptExternalKeys: boolean, defaultKey = key): string | undefined =>
      forwarded(
        stand({ hosts: [{ ...open, defaultKey }], acceptExternalKeys }).router.route(request({ headers })),
      ).set.get("x-routing-key");

    assert.equal(keyOf(false), key);
    assert.equal(keyOf(true), "otherkey12");
    assert.equal(keyOf(false, "production"), undefined);
  });

  it("responds 410 to expired hosts, also after they were removed, and 404 to removed ones", async () => {
    const { router, clock, use } = stand();
    const expiresAt = new Date(clock.now() + 1_000).toISOString();
    use([{ expiresAt }, { host: `gone.${domain}` }]);
    assert.equal(router.route(request()).type, "forward");

    await clock.advance(1_000);
    const expired = responded(router.route(request()));
    use([]);

    assert.equal(expired.status, 410);
    assert.equal(responded(router.route(request())).status, 410);
    assert.equal(responded(router.route(request({ authority: `gone.${domain}` }))).status, 404);
    use([{}]);
    assert.equal(router.route(request()).type, "forward");
  });

  it("serves only paths below the prefix of the host", () => {
    const { router } = stand({ hosts: [{ path: "/api" }] });
    const statusOf = (path: string): number => {
      const plan = router.route(request({ path }));
      return plan.type === "respond" ? plan.status : 200;
    };

    assert.deepEqual(["/api", "/api/", "/api/1?x=/", "/api?x"].map(statusOf), [200, 200, 200, 200]);
    assert.deepEqual(
      ["/", "/apis", "/API", "/api/../admin", "/x/../../api/../b", "/api%2f..", "*"].map(statusOf),
      [404, 404, 404, 404, 404, 404, 404],
    );
  });

  it("responds 503 with the name of the Service if it has no ready pods, unless the key has a route", () => {
    const addresses: readonly string[] = [];

    const { status, body, fields } = responded(stand({ hosts: [{ addresses }] }).router.route(request()));

    assert.equal(status, 503);
    assert.match(body, /Service frontend of namespace shop has no ready pods/);
    assert.equal(fields.get("retry-after"), "5");
    assert.equal(stand({ hosts: [{ addresses }], tables: [table] }).router.route(request()).type, "forward");
  });

  it("connects to the baseline of a Service that is taken over, not to its proxies", () => {
    const ports = [{ port: 80, baselineTarget: "frontend--base.shop.svc:80" }];
    const { router } = stand({ tables: [{ ...table, ports, entries: [] }] });

    assert.deepEqual(forwarded(router.route(request())).targets, ["frontend--base.shop.svc:80"]);
  });

  it("offers HTTP/2 only for hosts that speak it, and sends other requests to another connection", () => {
    const { router } = stand({ hosts: [{}, { host: `grpc.${domain}`, protocol: "http2" }] });

    assert.deepEqual(router.protocolsOf(host), ["http/1.1"]);
    assert.deepEqual(router.protocolsOf("unknown.test"), ["http/1.1"]);
    assert.deepEqual(router.protocolsOf(`GRPC.${domain}`), ["h2", "http/1.1"]);
    assert.equal(responded(router.route(request({ protocol: "http2" }))).status, 421);
    assert.equal(router.route(request({ protocol: "http2", authority: `grpc.${domain}` })).type, "forward");
  });
});

describe("a host that requires a token", () => {
  const hosts = [{ auth: "Token", tokens: ["id-1"] } as const];

  it("accepts a token in the header or the cookie, and never forwards it", () => {
    const { router, clock, usedIds } = stand({ hosts });
    const valid = token(clock);

    const byHeader = forwarded(router.route(request({ headers: [["x-preview-token", valid]] })));
    const byCookie = forwarded(router.route(request({ headers: [["cookie", `a=1; sandbox-preview=${valid}; b=2`]] })));

    assert.ok(byHeader.edits.remove.includes("x-preview-token"));
    assert.equal(byCookie.set.get("cookie"), "a=1; b=2");
    assert.doesNotMatch(JSON.stringify([byHeader, byCookie]), new RegExp(valid.slice(-20)));
    assert.deepEqual(usedIds(), ["id-1"]);
  });

  it("turns the token of a link into a cookie, and redirects to the address without it", () => {
    const { router, clock, usedIds } = stand({ hosts });
    const valid = token(clock);

    const { status, fields } = responded(router.route(request({ path: `/a?x=1&sandbox-preview=${valid}&y=2` })));

    assert.equal(status, 302);
    assert.equal(fields.get("location"), "/a?x=1&y=2");
    assert.equal(
      fields.get("set-cookie"),
      `sandbox-preview=${valid}; Path=/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure`,
    );
    assert.equal(fields.get("referrer-policy"), "no-referrer");
    assert.equal(fields.get("cache-control"), "no-store");
    assert.deepEqual(usedIds(), ["id-1"]);
  });

  it("never redirects to another host", () => {
    const { router, clock } = stand({ hosts });
    for (const path of ["//evil.test/", "/\\evil.test/", "\\\\evil.test", "///evil.test"]) {
      const plan = responded(router.route(request({ path: `${path}?sandbox-preview=${token(clock)}` })));
      assert.match(plan.fields.get("location") ?? "", /^\/evil\.test/);
    }
  });

  it("forwards a request other than that of a page without a redirect, and without the token of the link", () => {
    const { router, clock } = stand({ hosts });
    const path = `/ws?sandbox-preview=${token(clock)}&a=1`;
    for (const change of [{ isUpgrade: true }, { method: "POST" }])
      assert.equal(forwarded(router.route(request({ path, ...change }))).path, "/ws?a=1");
  });

  const refusals: readonly [title: string, change: Partial<PreviewClaims>, text: RegExp][] = [
    ["of another host", { host: `other.${domain}` }, /another preview address/],
    ["of another key", { key: "otherkey12" }, /another sandbox/],
    ["that has expired", { exp: 1 }, /has expired/],
    ["that was revoked", { jti: "id-2" }, /was revoked/],
  ];
  for (const [title, change, text] of refusals) {
    it(`refuses a token ${title}`, () => {
      const { router, clock, usedIds } = stand({ hosts });

      const { status, body } = responded(
        router.route(request({ headers: [["x-preview-token", token(clock, change)]] })),
      );

      assert.equal(status, 403);
      assert.match(body, text);
      assert.deepEqual(usedIds(), []);
    });
  }

  it("refuses requests without a token, with a tampered one, and with one of an unknown key", () => {
    const { router, clock } = stand({ hosts });
    const other = { id: "one", privateKey: generateKeys("Ed25519").privateKey };
    const forged = signPreviewToken({ host, key, exp: 2 ** 40, jti: "id-1", sub: "eve" }, other);

    assert.equal(responded(router.route(request())).status, 401);
    for (const text of [forged, `${token(clock)}x`, "", "a.b.c"]) {
      const { status } = responded(router.route(request({ headers: [["x-preview-token", text]] })));
      assert.equal(status, 403, text);
    }
  });

  it("refuses everything until it knows a key", () => {
    const { router, clock } = stand({ hosts, preview: { keys: [], isSecure: true } });

    assert.equal(responded(router.route(request({ headers: [["x-preview-token", token(clock)]] }))).status, 403);
  });

  it("refuses a token that it accepted before, once it is revoked or has expired", async () => {
    const { router, clock, use } = stand({ hosts });
    const headers: Fields = [["cookie", `sandbox-preview=${token(clock)}`]];
    assert.equal(router.route(request({ headers })).type, "forward");

    use([{ auth: "Token", tokens: [] }]);
    assert.match(responded(router.route(request({ headers }))).body, /revoked/);
    use(hosts);
    assert.equal(router.route(request({ headers })).type, "forward");
    await clock.advance(3_600_000);
    assert.match(responded(router.route(request({ headers }))).body, /expired/);
  });

  it("accepts a valid cookie beside one of the same name that another host has set", () => {
    const { router, clock } = stand({ hosts });
    const headers: Fields = [["cookie", `sandbox-preview=tossed; sandbox-preview=${token(clock)}`]];

    assert.equal(forwarded(router.route(request({ headers }))).edits.remove.includes("cookie"), true);
  });

  it("marks the cookie as secure only if clients use https", () => {
    const { router, clock } = stand({ hosts, preview: { ...settings, isSecure: false } });

    const { fields } = responded(router.route(request({ path: `/?sandbox-preview=${token(clock)}` })));

    assert.doesNotMatch(fields.get("set-cookie") ?? "", /Secure/);
  });
});

describe("a token that is bound to a user", () => {
  const hosts = [{ auth: "Token", tokens: ["id-1"] } as const];
  const forward = { url: "http://auth.test/check", headers: ["x-user"], timeoutMs: 500, userHeader: "x-auth-user" };
  const preview: PreviewSettings = { ...settings, forward };

  /** Returns a gateway whose authentication service responds with these values of the header that names users. */
  function boundStand(users: readonly string[], { status = 200, ...rest }: Stand & { readonly status?: number } = {}) {
    const asked: Parameters<SendHttp>[0][] = [];
    const send: SendHttp = async (sent) => {
      asked.push(sent);
      const headersDistinct = { "x-auth-user": users, "x-user": users, location: ["https://login.test/"] };
      return { status, headers: {}, headersDistinct, body: Buffer.alloc(0) };
    };
    return { ...stand({ hosts, preview, send, ...rest }), asked };
  }
  const withToken = (text: string): Fields => [["cookie", `session=1; sandbox-preview=${text}`]];

  it("opens the host for this user, and the service gets neither the token nor the cookie", async () => {
    const { router, clock, asked } = boundStand(["bob"]);
    const bound = token(clock, { for: "bob" });

    const plan = forwarded(await ended(router.route(request({ headers: withToken(bound), path: "/a" }))));

    assert.equal(plan.set.get("x-user"), "bob");
    assert.equal(plan.set.get("cookie"), "session=1");
    assert.equal(asked[0]?.headers?.["cookie"], "session=1");
    const posted = request({ method: "POST", path: `/a?x=1&sandbox-preview=${bound}` });
    assert.equal((await ended(router.route(posted))).type, "forward");
    assert.equal(asked[1]?.headers?.["x-forwarded-uri"], "/a?x=1");
    assert.doesNotMatch(JSON.stringify(asked), new RegExp(bound.slice(-20)));
  });

  it("becomes a cookie before the service is asked, so that a login can return to the address", async () => {
    const { router, clock, asked } = boundStand([], { status: 302 });
    const bound = token(clock, { for: "bob" });

    const opened = responded(router.route(request({ path: `/a?sandbox-preview=${bound}` })));
    assert.deepEqual([opened.status, opened.fields.get("location"), asked.length], [302, "/a", 0]);

    const login = responded(await ended(router.route(request({ headers: withToken(bound) }))));
    assert.deepEqual([login.status, login.fields.get("location")], [302, "https://login.test/"]);
  });

  for (const [title, users, text] of [
    ["another user", ["eve"], /bound to another user/],
    ["another spelling of the user", ["Bob"], /bound to another user/],
    ["no user", [], /did not name yours/],
    ["an empty name", [" "], /did not name yours/],
    ["several users", ["bob", "eve"], /did not name yours/],
  ] as const) {
    it(`is refused if the service names ${title}`, async () => {
      const { router, clock, usedIds } = boundStand(users);
      const headers: Fields = [
        ["x-preview-token", token(clock, { for: "bob" })],
        ["x-auth-user", "bob"],
      ];

      const { status, body } = responded(await ended(router.route(request({ headers }))));

      assert.equal(status, 403);
      assert.match(body, text);
      assert.doesNotMatch(body, /bob/);
      assert.deepEqual(usedIds(), []);
    });
  }

  it("is refused if the service refuses the request, fails, or is not configured to name users", async () => {
    const { userHeader: _, ...anonymous } = forward;
    const failing: SendHttp = async () => {
      throw new Error("no connection");
    };
    const statusOf = async ({ router, clock }: ReturnType<typeof stand>): Promise<number> =>
      responded(await ended(router.route(request({ headers: withToken(token(clock, { for: "bob" })) })))).status;

    assert.equal(await statusOf(boundStand(["bob"], { status: 401 })), 401);
    assert.equal(await statusOf(boundStand(["bob"], { send: failing })), 503);
    assert.equal(await statusOf(boundStand(["bob"], { preview: { ...settings, forward: anonymous } })), 503);
    assert.equal(await statusOf(boundStand(["bob"], { preview: settings })), 503);
  });

  it("is counted as used by a header only when its user is admitted", async () => {
    const { router, clock, usedIds } = boundStand(["bob"]);
    const headers: Fields = [["x-preview-token", token(clock, { for: "bob" })]];

    assert.equal((await ended(router.route(request({ headers })))).type, "forward");
    assert.deepEqual(usedIds(), ["id-1"]);
  });

  it("is refused when it is revoked, before the service is asked", () => {
    const { router, clock, use, asked } = boundStand(["bob"]);
    use([{ auth: "Token", tokens: [] }]);

    const plan = responded(router.route(request({ headers: withToken(token(clock, { for: "bob" })) })));

    assert.deepEqual([plan.status, asked.length], [403, 0]);
  });
});

describe("a host that asks an authentication service", () => {
  const hosts = [{ auth: "Forward" } as const];
  const forward = { url: "http://auth.test:8080/check?x=1", headers: ["x-user", "x-team"], timeoutMs: 500 };
  const preview: PreviewSettings = { ...settings, forward };

  function answer(status: number, headersDistinct: Record<string, readonly string[]> = {}): HttpResponse {
    return { status, headers: {}, headersDistinct, body: Buffer.alloc(0) };
  }

  it("forwards what the service allows, with its headers instead of those of the client", async () => {
    const asked: Parameters<SendHttp>[0][] = [];
    const send: SendHttp = async (sent) => {
      asked.push(sent);
      return answer(204, { "x-user": ["alice"], "x-other": ["1"] });
    };
    const { router } = stand({ hosts, preview, send });
    const headers: Fields = [
      ["cookie", "session=1"],
      ["authorization", "Bearer t"],
      ["x-user", "root"],
      ["x-team", "admins"],
    ];

    const plan = forwarded(await ended(router.route(request({ headers, path: "/a?b=1", clientAddress: "10.1.1.1" }))));

    assert.equal(plan.set.get("x-user"), "alice");
    assert.equal(plan.set.get("x-routing-key"), key);
    assert.ok(plan.edits.remove.includes("x-team"));
    assert.equal(plan.set.has("x-other"), false);
    const [sent] = asked;
    assert.deepEqual([sent?.host, sent?.port, sent?.path], ["auth.test", 8080, "/check?x=1"]);
    assert.deepEqual(sent?.headers, {
      "x-forwarded-method": "GET",
      "x-forwarded-host": host,
      "x-forwarded-proto": "http",
      "x-forwarded-uri": "/a?b=1",
      "x-forwarded-for": "10.1.1.1",
      authorization: "Bearer t",
      cookie: "session=1",
    });
  });

  it("passes refusals and redirects to the client", async () => {
    for (const [status, fields] of [
      [401, { "www-authenticate": ["Basic"] }],
      [403, {}],
      [302, { location: ["https://login.test/"], "set-cookie": ["a=1", "b=2"] }],
    ] as const) {
      const { router } = stand({ hosts, preview, send: async () => answer(status, fields) });
      const plan = responded(await ended(router.route(request())));
      assert.equal(plan.status, status);
      for (const [name, values] of Object.entries(fields))
        assert.deepEqual(
          plan.headers.filter(([each]) => each === name).map(([, value]) => value),
          values,
        );
    }
  });

  it("refuses requests if the service fails, is slow, or is not configured", async () => {
    const failing: SendHttp = async () => {
      throw new Error("no connection");
    };
    const slow: SendHttp = async ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    const statusOf = async (each: Stand, ms = 0): Promise<number> => {
      const { router, clock } = stand({ hosts, ...each });
      const plan = ended(router.route(request()));
      await clock.advance(ms);
      return responded(await plan).status;
    };

    assert.equal(await statusOf({ preview, send: failing }), 503);
    assert.equal(await statusOf({ preview, send: async () => answer(500) }), 503);
    assert.equal(await statusOf({ preview, send: slow }, 500), 503);
    assert.equal(await statusOf({}), 503);
  });
});
