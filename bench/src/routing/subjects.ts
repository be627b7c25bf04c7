import { SeededRandom } from "@homeostat/core";
import {
  type CompiledPort,
  compileTable,
  decide,
  type DecisionContext,
  type HeaderSource,
  headerSource,
  KeyReader,
  parseTable,
  type RouteTable,
} from "@homeostat/routing";

/** Number of entries of the large table: a thousand Services with twenty sandboxes each would be as many in one proxy. */
const entryCount = 20_000;

/** Length of generated keys. */
const keyLength = 13;
/** All keys in one text. */
const keysText = Array.from(
  { length: entryCount },
  (_, n) => `k${((n * 7919) % 1e6).toString().padStart(keyLength - 1, "0")}`,
).join("");

const context: DecisionContext = { keys: new KeyReader({ role: "takeover" }), random: new SeededRandom(1) };
const tables = { one: sampleTable(1), many: sampleTable(entryCount) };
const one = portOf(tables.one);
const many = portOf(tables.many);

/** A function to measure. */
export type Subject = () => unknown;

/** The work that is measured, by name. */
export const subjects = {
  "decide by key, 1 entry": byKey(one, 1),
  "decide by key, 20,000 entries, the same key": byKey(many, 1),
  "decide by key, 20,000 entries, any key": byKey(many, entryCount),
  "decide without a key, 20,000 entries": withHeaders(many, headerSource([["accept", "*/*"]])),
  "scan 1 KiB of baggage with the key at its end": scan(`${members(1000)},routing-key=${keyAt(7)}`),
  "scan 1 KiB of baggage without a key": scan(members(1024)),
  "compile a table of 20,000 entries": () => compileTable(tables.many),
  "parse a table of 20,000 entries": () => parseTable(tables.many),
} satisfies Readonly<Record<string, Subject>>;

/** Name of a subject. */
export type SubjectName = keyof typeof subjects;

function sampleTable(count: number): RouteTable {
  return {
    namespace: "shop",
    service: "cart",
    version: "1",
    ports: [{ port: 80, baselineTarget: "cart--base.shop.svc:80" }],
    entries: Array.from({ length: count }, (_, n) => ({
      routingKey: keyAt(n),
      sandbox: `pr-${n}`,
      workload: "cart",
      source: "Sandbox",
      ports: [
        { port: 80, targetService: `pr-${n}-cart`, targetPort: 80, addresses: [`10.0.${n >> 8}.${n & 255}:8080`] },
      ],
    })),
  };
}

function portOf(table: RouteTable): CompiledPort {
  const port = compileTable(table).ports.get(80);
  if (port === undefined) throw new Error("the table has no port 80");
  return port;
}

/**
 * Decides about requests with one of the first `count` keys, in a scattered order. The key is a new string each time, as it is when a parser
 * cuts it out of a request, so its hash is computed again.
 */
function byKey(port: CompiledPort, count: number): Subject {
  let at = 0;
  const headers: HeaderSource = {
    get: (name) => (name === "x-routing-key" ? keyAt((at * 7919) % count) : undefined),
  };
  const request = { method: "GET", path: "/api/cart?id=1", headers };
  return () => {
    at = (at + 1) % entryCount;
    return decide(port, request, context);
  };
}

function keyAt(n: number): string {
  return keysText.slice(n * keyLength, (n + 1) * keyLength);
}

function withHeaders(port: CompiledPort, headers: HeaderSource): Subject {
  const request = { method: "GET", path: "/api/cart?id=1", headers };
  return () => decide(port, request, context);
}

/** Reads the key of a request that has nothing but baggage. */
function scan(baggage: string): Subject {
  const request = { method: "GET", path: "/", headers: headerSource([["baggage", baggage]]) };
  return () => context.keys.read(request);
}

/** Returns baggage of about `length` bytes, with members of 30 bytes. */
function members(length: number): string {
  return Array.from({ length: Math.floor(length / 31) }, (_, n) => `member-${n}=`.padEnd(30, "x")).join(",");
}
