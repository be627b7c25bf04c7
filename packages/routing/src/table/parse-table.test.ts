import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz } from "@homeostat/fuzz";
import { parseTable } from "./parse-table.ts";

const entry = {
  routingKey: "k3v9q2m7x1c4d",
  sandbox: "pr-42",
  workload: "cart",
  source: "Sandbox",
  onUnavailable: "Fail",
  ports: [{ port: 80, targetService: "pr-42-cart-1a2b3c4d", targetPort: 80, addresses: ["10.0.4.12:8080"] }],
};

const table = {
  namespace: "shop",
  service: "cart",
  version: "9f2c61d0",
  interception: "Takeover",
  ports: [{ port: 80, name: "http", appProtocol: "http", listen: 21_007, baselineTarget: "cart--base.shop.svc:80" }],
  entries: [
    entry,
    {
      routingKey: "g7h2t5n8w0z3b",
      sandbox: "pr-42",
      sandboxUid: "5f0c",
      workload: "cart",
      mode: "Local",
      source: "RouteGroup",
      routeGroup: "checkout-v2",
      match: {
        paths: [{ prefix: "/api/cart" }, { exact: "/" }],
        methods: ["GET"],
        headers: [{ name: "X-Team", value: "blue" }],
      },
      percent: 50,
      stickyBy: "Header",
      stickyHeader: "X-User",
      additionalHeaders: { "x-environment": "sandbox" },
      onUnavailable: "Hold",
      holdSeconds: 30,
      sleepAfterSeconds: 90,
      ports: [{ port: 80, targetService: "pr-42-cart-1a2b3c4d", targetPort: 80 }],
      middleware: {
        record: true,
        faults: [
          {
            percent: 5,
            delayMs: 100,
            jitterMs: 50,
            abortCode: 503,
            abortGrpcStatus: 14,
            paths: [{ prefix: "/" }],
            methods: ["GET"],
          },
        ],
      },
    },
  ],
};

/** Returns the problems of the sample table with a changed entry. */
function problemsOf(change: object): readonly string[] {
  const { problems } = parseTable({ ...table, entries: [{ ...entry, ...change }] });
  return problems.map(({ field, value, reason }) => `${field} ${value} ${reason}`);
}

describe("parseTable", () => {
  it("returns a valid table with every field", () => {
    assert.deepEqual(parseTable(table), { table, problems: [] });
  });

  it("ignores fields of newer versions outside of conditions", () => {
    const newer = {
      ...table,
      format: 7,
      ports: [{ ...table.ports[0], tls: true }],
      entries: [{ ...entry, weight: 3, ports: [{ ...entry.ports[0], zone: "a" }], middleware: { mirror: "x" } }],
    };

    const { table: parsed, problems } = parseTable(newer);

    assert.deepEqual(problems, []);
    assert.deepEqual(parsed, { ...table, entries: [{ ...entry, middleware: {} }] });
  });

  it("treats null as absent", () => {
    const { table: parsed, problems } = parseTable({ ...table, entries: [{ ...entry, match: null, percent: null }] });

    assert.deepEqual(problems, []);
    assert.deepEqual(parsed?.entries, [entry]);
  });

  it("reports an unknown interception and uses the table", () => {
    const { table: parsed, problems } = parseTable({ ...table, interception: "Ambient" });

    const { interception, ...rest } = table;
    assert.equal(interception, "Takeover");
    assert.deepEqual(parsed, rest);
    assert.deepEqual(
      problems.map(({ field }) => field),
      ["interception"],
    );
  });

  it("leaves out an entry with an unknown condition, which would otherwise match too much", () => {
    const { table: parsed, problems } = parseTable({
      ...table,
      entries: [{ ...entry, match: { cookies: ["a"] } }, entry],
    });

    assert.deepEqual(parsed?.entries, [entry]);
    assert.deepEqual(problems, [
      {
        field: "entries[0].match.cookies",
        value: '["a"]',
        reason: "is an unknown condition; update the proxy to use it",
      },
    ]);
  });

  it("reports all problems of an entry at once", () => {
    const problems = problemsOf({
      routingKey: "A_B",
      sandbox: "Pr 42",
      source: "Elsewhere",
      percent: 101,
      stickyBy: "Cookie",
      onUnavailable: "Retry",
      holdSeconds: -1,
      ports: [{ port: 0, targetService: "", targetPort: "80", addresses: ["10.0.0.1", "http://x:80", 7] }],
    });

    assert.deepEqual(problems, [
      'entries[0].routingKey "A_B" must have 3 to 63 lower-case letters, digits and dashes, and no dash at the ends',
      'entries[0].sandbox "Pr 42" must be a DNS label: lower-case letters, digits and dashes',
      'entries[0].source "Elsewhere" must be one of Sandbox, RouteGroup, Explicit',
      "entries[0].ports[0].port 0 must be an integer from 1 to 65535",
      'entries[0].ports[0].targetService "" must be a DNS label: lower-case letters, digits and dashes',
      'entries[0].ports[0].targetPort "80" must be an integer from 1 to 65535',
      'entries[0].ports[0].addresses[0] "10.0.0.1" must be host:port, such as 10.0.4.12:8080 or [fd00::1]:8080',
      'entries[0].ports[0].addresses[1] "http://x:80" must be host:port, such as 10.0.4.12:8080 or [fd00::1]:8080',
      "entries[0].ports[0].addresses[2] 7 must be a string",
      "entries[0].percent 101 must be an integer from 0 to 100",
      'entries[0].stickyBy "Cookie" must be one of TraceId, ClientIP, Header, None',
      'entries[0].onUnavailable "Retry" must be one of Baseline, Fail, Hold',
      "entries[0].holdSeconds -1 must be an integer from 0 to 600",
    ]);
  });

  it("reports missing fields", () => {
    assert.deepEqual(
      parseTable({ entries: [{}] }).problems.map(({ field, reason }) => `${field} ${reason}`),
      [
        "namespace is required",
        "service is required",
        "version is required",
        "ports is required",
        "entries[0].source is required",
        "entries[0].routingKey is required",
        "entries[0].sandbox is required",
        "entries[0].workload is required",
      ],
    );
  });

  const paths: readonly [path: unknown, reason: string][] = [
    [{}, "must have either prefix or exact"],
    [{ prefix: "/a", exact: "/b" }, "must have either prefix or exact"],
    [{ prefix: "a" }, "must start with /"],
    [{ prefix: "/a?b" }, "must be a path without query, fragment and spaces"],
    [{ exact: "/a//b" }, "must not contain //"],
    [{ exact: "/a/../b" }, "must not contain . or .. as a segment"],
    [{ exact: "/a/." }, "must not contain . or .. as a segment"],
    [{ prefix: "/a%2Fb" }, "must not contain an encoded slash or NUL"],
    [{ prefix: 7 }, "must be a string"],
    ["/a", "must be an object"],
  ];
  for (const [path, reason] of paths) {
    it(`rejects the path condition ${JSON.stringify(path)}`, () => {
      const { table: parsed, problems } = parseTable({ ...table, entries: [{ ...entry, match: { paths: [path] } }] });

      assert.deepEqual(
        problems.map((each) => each.reason),
        [reason],
      );
      assert.deepEqual(parsed?.entries, []);
    });
  }

  it("rejects headers that a route may not set, and does not show values", () => {
    const names = ["connection", "Host", "X-Sandbox-Hops", "baggage", "X-Routing-Key", "content-length", "a b"];
    const problems = problemsOf({
      additionalHeaders: { ...Object.fromEntries(names.map((name) => [name, "secret"])), "x-ok": "line\nbreak" },
    });

    assert.equal(problems.length, names.length + 1);
    assert.ok(problems.every((problem) => !problem.includes("secret") && !problem.includes("break")));
  });

  it("does not show the value of a header condition", () => {
    const [problem] = problemsOf({ match: { headers: [{ name: "authorization", value: " secret" }] } });

    assert.equal(
      problem,
      'entries[0].match.headers[0].value "(not shown)" must be a text without control characters and without spaces at its ends',
    );
  });

  const unusable: readonly [name: string, value: unknown][] = [
    ["no object", []],
    ["null", null],
    ["a port without baseline", { ...table, ports: [{ port: 80 }] }],
    ["a port that is listed twice", { ...table, ports: [...table.ports, ...table.ports] }],
    ["entries that are no list", { ...table, entries: {} }],
  ];
  for (const [name, value] of unusable) {
    it(`returns no table for ${name}`, () => {
      const { table: parsed, problems } = parseTable(value);

      assert.equal(parsed, undefined);
      assert.equal(problems.length > 0, true);
    });
  }

  it("lists at most 100 problems and the number of the others", () => {
    const { problems } = parseTable({ ...table, entries: Array.from({ length: 150 }, () => 7) });

    assert.equal(problems.length, 101);
    assert.deepEqual(problems.at(-1), { field: "", value: "50", reason: "further problems are not listed" });
  });

  it("reads no inherited field", () => {
    const inherited: unknown = Object.create(table);

    assert.equal(parseTable(inherited).table, undefined);
  });

  it("never throws, whatever the JSON contains", () => {
    const text = JSON.stringify(table);
    const pieces = ['"', "null", "[]", "{}", "-1", '"__proto__":', "1e999", "true", "/", "%2f", "\\u0000"];

    const { accepted } = fuzz({
      count: 10_000,
      input: (chance) => chance.mutate(text, pieces),
      run: (input) => parseTable(JSON.parse(input)),
      isExpected: (error) => error instanceof SyntaxError,
    });

    assert.ok(accepted > 500, `${accepted} accepted`);
  });
});
