import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ServerCertificates } from "@homeostat/apiserver";
import { HttpServer, infoHandler } from "@homeostat/apiserver/internal";
import type { RealCluster } from "@homeostat/kube";
import { reasonToSkip, startCluster } from "../../../harness/cluster.ts";
import { type Case, cases } from "./cases.ts";
import type { ApiAccess } from "@homeostat/kube";
import { type RawResponse, sendRaw } from "./raw.ts";
import { tableHandler } from "./table-handler.ts";

const skip = await reasonToSkip({ need: "apiserver" });

/** Headers that may differ: random values, times, the framing of bodies, and flow control, which the handler under test lacks. */
const ignored = /^(?:date|audit-id|content-length|transfer-encoding|x-kubernetes-pf-.*)$/i;

describe("raw requests, compared with a real server", { skip }, () => {
  let cluster: RealCluster;
  let real: ApiAccess;
  let ours: ApiAccess;
  let server: HttpServer;

  before(async () => {
    cluster = await startCluster({ need: "apiserver" });
    real = cluster;
    const certificates = new ServerCertificates();
    const names = async (path: string): Promise<{ name: string; check: () => undefined }[]> => {
      const { body } = await sendRaw(real, bytesOf({ target: `${path}?verbose` }, real));
      return [...body.matchAll(/^\[\+\](\S+) ok$/gm)].map(([, name = ""]) => ({ name, check: () => undefined }));
    };
    const checks = { healthz: await names("/healthz"), livez: await names("/livez"), readyz: await names("/readyz") };
    const index = JSON.parse((await sendRaw(real, bytesOf({ target: "/" }, real))).body) as { paths: string[] };
    server = new HttpServer({ handler: infoHandler({ checks, paths: () => index.paths, next: tableHandler }) });
    const { port } = await server.listen({ certificate: certificates.server, clientAuthorities: certificates.ca });
    ours = { server: `https://127.0.0.1:${port}`, ca: certificates.ca, ...certificates.client() };
  });

  after(async () => {
    await server?.stop({ graceMs: 0 });
    await cluster?.[Symbol.asyncDispose]();
  });

  it(`get the same response (${cases.length} of them)`, async () => {
    const problems: string[] = [];
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < cases.length) {
        const one = cases[next++];
        if (one === undefined) return;
        const [theirs, mine] = await Promise.all([
          sendRaw(real, bytesOf(one, real)),
          sendRaw(ours, bytesOf(one, ours)),
        ]);
        const expected = shown(theirs, one);
        const actual = shown(mine, one);
        const name = `${one.method ?? "GET"} ${one.target}`.slice(0, 200);
        if (expected !== actual) {
          problems.push(`${name} ${(one.headers ?? []).join("; ")}\n  real: ${expected}\n  ours: ${actual}`);
        }
      }
    };
    await Promise.all(Array.from({ length: 6 }, lane));

    assert.equal(problems.join("\n\n"), "");
  });

  it("get an audit ID of the same form in every response, or the one that the client sent", async () => {
    for (const access of [real, ours]) {
      const made = await sendRaw(access, bytesOf({ target: "/nope" }, access));
      const given = await sendRaw(access, bytesOf({ target: "/nope", headers: ["Audit-ID: mine"] }, access));
      const idOf = ({ headers }: RawResponse): string | undefined => headers.find(([name]) => name === "Audit-Id")?.[1];

      assert.match(idOf(made) ?? "", /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      assert.equal(idOf(given), "mine");
    }
  });
});

function bytesOf({ method = "GET", target, headers = [], body }: Case, { server }: ApiAccess): string {
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const agent = headers.some((line) => line.startsWith("User-Agent:")) ? [] : ["User-Agent: case/1"];
  const close = headers.some((line) => line.startsWith("Connection:")) ? [] : ["Connection: close"];
  const lines = [
    `${method} ${target} HTTP/1.1`,
    `Host: ${new URL(server).host}`,
    ...agent,
    ...headers,
    ...length,
    ...close,
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body ?? ""}`;
}

function shown({ status, headers, body }: RawResponse, { only }: Case): string {
  if (only === "status") return String(status);
  const kept = headers.filter(([name]) => !ignored.test(name)).map(([name, value]) => `${name}: ${value}`);
  return `${status} | ${kept.sort().join(" | ")}${only === "head" ? "" : ` | ${body}`}`;
}
