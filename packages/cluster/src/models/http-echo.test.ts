import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { httpEcho } from "./http-echo.ts";
import { eventually } from "../testing/eventually.ts";
import { modelContainer } from "./model-container.ts";

describe("httpEcho", () => {
  it("runs HTTP server images, unless the container has another command", () => {
    const runs = (image: string, command: readonly string[] = []): boolean =>
      httpEcho.runs({ name: "main", image, command, args: [], ports: [] });

    assert.deepEqual(
      [runs("hashicorp/http-echo:1.0"), runs("nginx"), runs("nginx", ["sleep", "1"]), runs("redis:7")],
      [true, true, false, false],
    );
  });

  it("responds on the container's port with the request", async () => {
    const { context, exits } = modelContainer({ image: "ealen/echo-server", ports: [{ name: "http", port: 3000 }] });
    const program = httpEcho.start(context);
    const { host, port } = await eventually(() => context.network.addressOf("10.0.0.2", 3000));

    const response = await fetch(`http://${host}:${port}/a/b?x=1`, { method: "POST", body: "hello" });

    const echoed = (await response.json()) as { method: string; path: string; query: unknown; body: string };
    assert.deepEqual(
      [response.status, echoed.method, echoed.path, echoed.query, echoed.body],
      [200, "POST", "/a/b", { x: "1" }, "hello"],
    );
    program.terminate();
    assert.deepEqual(exits, [{ exitCode: 0 }]);
    assert.equal(context.network.addressOf("10.0.0.2", 3000), undefined, "nothing listens after the exit");
    await assert.rejects(fetch(`http://${host}:${port}/`));
  });

  it("responds with the configured text, port and status", async () => {
    const args = ["-text=hello", "-listen=:8081"];
    const { context } = modelContainer({ image: "hashicorp/http-echo", args }, { options: { status: 503 } });
    const program = httpEcho.start(context);
    const { port } = await eventually(() => context.network.addressOf("10.0.0.2", 8081));

    const response = await fetch(`http://127.0.0.1:${port}/`);

    assert.deepEqual([response.status, await response.text()], [503, "hello\n"]);
    program.kill();
  });
});
