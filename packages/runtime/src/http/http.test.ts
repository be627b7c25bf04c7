import assert from "node:assert/strict";
import { connect } from "node:net";
import { describe, it } from "node:test";
import { systemClock } from "@homeostat/core";
import type { Check } from "./check.ts";
import { healthRoutes } from "./health-routes.ts";
import { type HttpServer, serveHttp } from "./http-server.ts";
import { inspectorProfile, profileRoute } from "./profile-route.ts";
import { jsonResponse, type Route, textResponse } from "./route.ts";
import { whyRoute } from "./why-route.ts";

const fine: Check = { name: "ping", problem: () => undefined };
const degraded: Check = { name: "controller/tenants", problem: () => "degraded: no permission to list\ntenants" };

async function serve(routes: readonly Route[], errors: unknown[] = []): Promise<HttpServer> {
  return serveHttp({ port: 0, host: "127.0.0.1", routes, onError: (error) => errors.push(error) });
}

async function get(
  { port }: HttpServer,
  path: string,
  method = "GET",
): Promise<{ status: number; text: string; type: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
  return {
    status: response.status,
    text: await response.text(),
    type: response.headers.get("content-type") ?? "",
  };
}

/** Sends raw bytes and returns everything that is received. */
function sendRaw({ port }: HttpServer, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let received = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.setTimeout(3_000, () => socket.destroy());
    socket.on("data", (chunk) => (received += chunk.toString("latin1")));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(received));
  });
}

describe("health pages", () => {
  it("return ok, and the list of checks with verbose", async () => {
    await using server = await serve(healthRoutes({ live: () => [fine], ready: () => [fine] }));

    assert.deepEqual(await get(server, "/livez"), { status: 200, text: "ok\n", type: "text/plain; charset=utf-8" });
    assert.equal((await get(server, "/healthz?verbose")).text, "[+]ping ok\nhealthz check passed\n");
    assert.equal((await get(server, "/readyz/ping")).text, "ok\n");
  });

  it("are also served under the paths /health and /ready", async () => {
    await using server = await serve(healthRoutes({ live: () => [fine], ready: () => [fine, degraded] }));

    assert.equal((await get(server, "/health")).status, 200);
    assert.equal((await get(server, "/ready")).status, 500);
  });

  it("list each failed check with its reason on one line", async () => {
    await using server = await serve(healthRoutes({ live: () => [fine], ready: () => [fine, degraded] }));

    const whole = await get(server, "/readyz");

    assert.equal(whole.status, 500);
    assert.equal(
      whole.text,
      "[+]ping ok\n[-]controller/tenants degraded: no permission to list tenants\nreadyz check failed\n",
    );
    assert.equal((await get(server, "/readyz/controller/tenants")).status, 500);
    assert.equal((await get(server, "/readyz/ping")).status, 200);
    assert.equal((await get(server, "/readyz?exclude=controller/tenants")).status, 200);
    assert.equal((await get(server, "/readyz/other")).status, 404);
    assert.equal((await get(server, "/livez")).status, 200, "a program that is not ready is still live");
  });

  it("count a check that throws as failed", async () => {
    const broken: Check = {
      name: "broken",
      problem: () => {
        throw new TypeError("secret words");
      },
    };
    await using server = await serve(healthRoutes({ live: () => [], ready: () => [broken] }));

    const { status, text } = await get(server, "/readyz");

    assert.equal(status, 500);
    assert.match(text, /^\[-\]broken failed: the check itself threw TypeError/);
  });
});

describe("the HTTP server", () => {
  const hello: Route = { path: "/hello", respond: ({ rest, query }) => jsonResponse(200, { rest, q: query.get("q") }) };

  it("passes the decoded rest of the path and the query to the route", async () => {
    await using server = await serve([hello]);

    const { text, type } = await get(server, "/hello/a%2Fb/c?q=1%202");

    assert.deepEqual(JSON.parse(text), { rest: ["a/b", "c"], q: "1 2" });
    assert.equal(type, "application/json");
  });

  it("rejects other methods and unknown paths with an explanation", async () => {
    await using server = await serve([hello]);

    assert.equal((await get(server, "/hello", "POST")).status, 405);
    assert.equal((await get(server, "/hello", "DELETE")).status, 405);
    assert.equal((await get(server, "/helloo")).status, 404);
    assert.match((await get(server, "/")).text, /\/hello/);
    assert.equal((await get(server, "/hello/%ff")).status, 400);
    assert.equal((await get(server, `/hello/${"x".repeat(3000)}`)).status, 414);
  });

  it("responds to HEAD with the length and without the body", async () => {
    await using server = await serve([hello]);

    const response = await fetch(`http://127.0.0.1:${server.port}/hello`, { method: "HEAD" });

    assert.equal(response.status, 200);
    assert.equal(Number(response.headers.get("content-length")) > 10, true);
    assert.equal(await response.text(), "");
  });

  it("keeps serving after malformed requests", async () => {
    await using server = await serve([hello]);
    const garbage = [
      "\u0000\u0001\u0002\r\n\r\n",
      "GET\r\n\r\n",
      "GET /hello HTTP/9.9\r\n\r\n",
      `GET /hello HTTP/1.1\r\nHost: a\r\n${"x: yyyyyyyyyyyyyyyy\r\n".repeat(1000)}\r\n`,
      "GET //// HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
      "GET http://other/hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
      "POST /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nzz",
      "GET /%00%0a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    ];

    const responses = await Promise.all(garbage.map((bytes) => sendRaw(server, bytes)));

    for (const response of responses) assert.match(response, /^HTTP\/1\.1 4\d\d /);
    assert.equal((await get(server, "/hello")).status, 200);
  });

  it("reports the error of a route that throws, without showing it to the client", async () => {
    const errors: unknown[] = [];
    const error = new Error("secret words");
    await using server = await serve([{ path: "/bad", respond: () => Promise.reject(error) }], errors);

    const { status, text } = await get(server, "/bad");

    assert.equal(status, 500);
    assert.doesNotMatch(text, /secret/);
    assert.deepEqual(errors, [error]);
  });

  it("aborts requests in progress when it closes", async () => {
    let aborted = false;
    const slow: Route = {
      path: "/slow",
      respond: ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            aborted = true;
            resolve(textResponse(503, "over"));
          });
          started();
        }),
    };
    let started = (): void => undefined;
    const running = new Promise<void>((resolve) => (started = resolve));
    const server = await serve([slow]);
    const request = get(server, "/slow").catch(() => undefined);

    await running;
    await server[Symbol.asyncDispose]();

    await request;
    assert.equal(aborted, true);
  });

  it("names the port that is already in use", async () => {
    await using server = await serve([]);

    const second = serveHttp({ port: server.port, host: "127.0.0.1", routes: [], onError: () => undefined });

    await assert.rejects(second, {
      code: "LISTEN",
      message: new RegExp(`port ${server.port} of 127.0.0.1: .*EADDRINUSE`),
    });
  });
});

describe("the /why page", () => {
  const controllers = [{ name: "tenants", resource: "tenants.example.com", state: "leading" }];
  const source = {
    controllers: () => controllers,
    informers: () => [{ name: "pods in a", objects: 2, bytes: 900, state: "watching", failures: 0 }],
    isLeading: () => true,
    explain: (controller: string, key: string) => (key === "a/b" ? { controller, key, runs: [] } : undefined),
  };

  it("shows times in ISO 8601 and durations as whole milliseconds", async () => {
    const reconcile = {
      now: { state: "delayed", at: 1_794_794_908_247.4336 },
      startedAt: 1_794_794_908_247,
      waitedMs: 0.1389,
      writes: [{ ms: 25.227, count: 3 }],
    };
    await using server = await serve([whyRoute({ ...source, explain: () => reconcile })]);

    assert.deepEqual(JSON.parse((await get(server, "/why/tenants/a")).text), {
      now: { state: "delayed", at: "2026-11-16T02:08:28.247Z" },
      startedAt: "2026-11-16T02:08:28.247Z",
      waitedMs: 0,
      writes: [{ ms: 25, count: 3 }],
    });
  });

  it("lists controllers and shows the history of an object", async () => {
    await using server = await serve([whyRoute(source)]);

    assert.deepEqual(JSON.parse((await get(server, "/why")).text), {
      isLeading: true,
      controllers,
      informers: [{ name: "pods in a", objects: 2, bytes: 900, state: "watching", failures: 0 }],
    });
    assert.deepEqual(JSON.parse((await get(server, "/why/tenants")).text), controllers[0]);
    assert.deepEqual(JSON.parse((await get(server, "/why/tenants/a/b")).text), {
      controller: "tenants",
      key: "a/b",
      runs: [],
    });
  });

  it("explains which controller or object it does not know", async () => {
    await using server = await serve([whyRoute(source)]);

    const [object, controller, path] = await Promise.all(
      ["/why/tenants/a/c", "/why/other", "/why/tenants/a/b/c"].map((where) => get(server, where)),
    );

    assert.deepEqual([object?.status, controller?.status, path?.status], [404, 404, 404]);
    assert.match(object?.text ?? "", /No history of a\/c/);
    assert.match(controller?.text ?? "", /Available controllers: tenants/);
  });
});

describe("the profile page", () => {
  it("takes a profile of this process", async () => {
    await using server = await serve([profileRoute(inspectorProfile(systemClock))]);

    const { status, text } = await get(server, "/debug/profile?seconds=0.05");

    assert.equal(status, 200);
    assert.ok(Array.isArray((JSON.parse(text) as { nodes: unknown }).nodes));
  });

  it("takes one profile at a time and limits its duration", async () => {
    let finish = (): void => undefined;
    const taken = new Promise<string>((resolve) => (finish = () => resolve("{}")));
    await using server = await serve([profileRoute(() => taken)]);

    const first = get(server, "/debug/profile");
    // Which of the two is first is not defined; one of them is rejected.
    const second = get(server, "/debug/profile");
    const earlier = await Promise.race([first, second]);
    finish();

    assert.equal(earlier.status, 409);
    assert.deepEqual(
      (await Promise.all([first, second])).map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409],
    );
    for (const seconds of ["0", "-1", "61", "x", "NaN"])
      assert.equal((await get(server, `/debug/profile?seconds=${seconds}`)).status, 400);
  });
});
