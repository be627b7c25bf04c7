import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SeededRandom } from "@homeostat/core";
import { type LogLine, recordingLogger, type Route, type RouteResponse } from "@homeostat/runtime";
import { LoggedSandboxes } from "../traffic/logged-sandboxes.ts";
import { TableStore } from "../routes/table-store.ts";
import { cartTable } from "../testing/tables.ts";
import { debugGuard, debugRoutes } from "./admin-routes.ts";
import { LevelSetting, levelLogger } from "./level-logger.ts";

function routesWithCart(level = new LevelSetting("info"), logged = new LoggedSandboxes()): readonly Route[] {
  const store = new TableStore();
  store.begin();
  store.apply({ op: "ADD", version: undefined, table: cartTable() });
  const health = { isHealthy: () => true };
  return debugRoutes({
    role: "takeover",
    state: () => store.state,
    health,
    random: new SeededRandom(1),
    level,
    logged,
  });
}

async function get(routes: readonly Route[], url: string): Promise<RouteResponse> {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  const route = routes.find(({ path }) => path === pathname) ?? assert.fail(pathname);
  return route.respond({ rest: [], query: searchParams, signal: new AbortController().signal });
}

describe("debug pages of the proxy", () => {
  it("switch the access log of a sandbox", async () => {
    const logged = new LoggedSandboxes();
    const routes = routesWithCart(new LevelSetting("info"), logged);

    const on = await get(routes, "/debug/access-log?sandbox=shop/pr-42&enabled=true");
    const unknown = await get(routes, "/debug/access-log?sandbox=shop/other&enabled=true");
    const malformed = await get(routes, "/debug/access-log?sandbox=shop/pr-42");

    assert.deepEqual([on.status, JSON.parse(on.body)], [200, { sandboxes: ["shop/pr-42"] }]);
    assert.deepEqual([unknown.status, malformed.status], [404, 400]);
    assert.equal(logged.has("shop/pr-42"), true);
    await get(routes, "/debug/access-log?sandbox=shop/pr-42&enabled=false");
    assert.deepEqual(JSON.parse((await get(routes, "/debug/access-log")).body), { sandboxes: [] });
  });

  it("show the tables in use", async () => {
    const { status, body } = await get(routesWithCart(), "/debug/tables");

    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(body).tables, [cartTable()]);
  });

  it("explain the route of a request with the key of a sandbox", async () => {
    const { status, body } = await get(
      routesWithCart(),
      "/debug/explain?namespace=shop&service=cart&path=/api&header=X-Routing-Key:%20k3v9q2m7x1c4d",
    );

    assert.equal(status, 200);
    const { outcome, key } = JSON.parse(body);
    assert.equal(key.key, "k3v9q2m7x1c4d");
    assert.equal(outcome.type, "entry");
  });

  it("name the known Services and ports for others", async () => {
    const missing = await get(routesWithCart(), "/debug/explain?namespace=shop&service=orders");
    const port = await get(routesWithCart(), "/debug/explain?namespace=shop&service=cart&port=81");

    assert.deepEqual([missing.status, port.status], [404, 400]);
    assert.match(missing.body, /shop\/cart/);
    assert.match(port.body, /80/);
  });

  it("change the log level", async () => {
    const level = new LevelSetting("info");
    const lines: LogLine[] = [];
    const log = levelLogger(recordingLogger(lines), level);
    const routes = routesWithCart(level);

    log.debug("Hidden");
    const changed = await get(routes, "/debug/log?level=debug");
    log.child({ a: 1 }).debug("Shown");
    const refused = await get(routes, "/debug/log?level=loud");

    assert.deepEqual([changed.status, refused.status], [200, 400]);
    assert.deepEqual(
      lines.map(({ message }) => message),
      ["Shown"],
    );
    assert.equal((await get(routes, "/debug/log")).body, "debug\n");
  });
});

describe("debugGuard", () => {
  const check = async (token: string | undefined, path: string, authorization: string): Promise<number | undefined> =>
    (await debugGuard(async () => token)({ path, authorization }))?.status;

  it("lets other pages pass", async () => {
    assert.equal(await check("t", "/metrics", ""), undefined);
    assert.equal(await check("t", "/debugging", ""), undefined);
  });

  it("requires the token", async () => {
    assert.equal(await check("t", "/debug/tables", "Bearer t"), undefined);
    assert.equal(await check("t", "/debug/tables", "Bearer u"), 401);
    assert.equal(await check("t", "/debug", ""), 401);
  });

  it("switches debug pages off without a token", async () => {
    assert.equal(await check(undefined, "/debug/tables", "Bearer "), 404);
    assert.equal(await check("", "/debug/tables", "Bearer "), 404);
  });
});
