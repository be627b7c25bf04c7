import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { infoHandler } from "./info-handler.ts";
import { withWorld } from "./world.fixture.test.ts";

describe("what an API server tells about itself", () => {
  it("answers health as a whole, one by one, in detail and with exceptions", async () => {
    let problem: string | undefined;
    const checks = [
      { name: "ping", check: () => undefined },
      { name: "poststarthook/a/b", check: () => problem },
    ];
    await withWorld(infoHandler({ checks: { healthz: checks } }), {}, async (world) => {
      assert.equal((await world.ask("/healthz")).text, "ok");
      assert.equal((await world.ask("/readyz/poststarthook/a/b")).text, "ok");
      assert.equal(
        (await world.ask("/livez?verbose")).text,
        "[+]ping ok\n[+]poststarthook/a/b ok\nlivez check passed\n",
      );
      problem = "no storage";
      const failed = await world.ask("/readyz");
      assert.equal(failed.status, 500);
      assert.equal(failed.text, "[+]ping ok\n[-]poststarthook/a/b failed: reason withheld\nreadyz check failed\n");
      assert.equal((await world.ask("/livez/poststarthook/a/b")).text, "internal server error: no storage\n");
      const excluded = await world.ask("/livez?verbose&exclude=poststarthook/a/b&exclude=x");
      assert.equal(
        excluded.text,
        '[+]ping ok\n[+]poststarthook/a/b excluded: ok\nwarn: some health checks cannot be excluded: no matches for "x"\nlivez check passed\n',
      );
      assert.equal((await world.ask("/livez/nope")).text, "404 page not found\n");
    });
  });

  it("lists its paths in order and tells its version", async () => {
    await withWorld(infoHandler({ paths: () => ["/apis", "/api"] }), {}, async (world) => {
      const index = JSON.parse((await world.ask("/")).text) as { paths: string[] };
      const version = JSON.parse((await world.ask("/version")).text) as { gitVersion: string };

      assert.deepEqual(index.paths.slice(0, 4), ["/api", "/apis", "/healthz", "/healthz/ping"]);
      assert.match(version.gitVersion, /^v1\.36\./);
    });
  });
});
