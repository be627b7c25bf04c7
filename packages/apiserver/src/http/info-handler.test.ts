import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { infoHandler } from "./info-handler.ts";
import { withTestServer } from "../testing/http-server.ts";

describe("infoHandler", () => {
  it("serves health endpoints as a whole, per check, verbose and with exclusions", async () => {
    let problem: string | undefined;
    const checks = [
      { name: "ping", check: () => undefined },
      { name: "poststarthook/a/b", check: () => problem },
    ];
    await withTestServer(infoHandler({ checks: { healthz: checks } }), {}, async (api) => {
      assert.equal((await api.send("/healthz")).text, "ok");
      assert.equal((await api.send("/readyz/poststarthook/a/b")).text, "ok");
      assert.equal(
        (await api.send("/livez?verbose")).text,
        "[+]ping ok\n[+]poststarthook/a/b ok\nlivez check passed\n",
      );
      problem = "no storage";
      const failed = await api.send("/readyz");
      assert.equal(failed.status, 500);
      assert.equal(failed.text, "[+]ping ok\n[-]poststarthook/a/b failed: reason withheld\nreadyz check failed\n");
      assert.equal((await api.send("/livez/poststarthook/a/b")).text, "internal server error: no storage\n");
      const excluded = await api.send("/livez?verbose&exclude=poststarthook/a/b&exclude=x");
      assert.equal(
        excluded.text,
        '[+]ping ok\n[+]poststarthook/a/b excluded: ok\nwarn: some health checks cannot be excluded: no matches for "x"\nlivez check passed\n',
      );
      assert.equal((await api.send("/livez/nope")).text, "404 page not found\n");
    });
  });

  it("lists its paths in order and serves its version", async () => {
    await withTestServer(infoHandler({ paths: () => ["/apis", "/api"] }), {}, async (api) => {
      const index = JSON.parse((await api.send("/")).text) as { paths: string[] };
      const version = JSON.parse((await api.send("/version")).text) as { gitVersion: string };

      assert.deepEqual(index.paths.slice(0, 4), ["/api", "/apis", "/healthz", "/healthz/ping"]);
      assert.match(version.gitVersion, /^v1\.36\./);
    });
  });
});
