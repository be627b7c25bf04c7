import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import type { Handler } from "./handler.ts";
import { startTestServer } from "../testing/http-server.ts";

const run = promisify(execFile);

describe("HttpServer.stop", () => {
  it("leaves no socket and no timer behind", async () => {
    const url = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
    const program = `
      import { ServerCertificates } from ${url("./server-certificates.js")};
      import { HttpServer } from ${url("./server.js")};
      import { infoHandler } from ${url("./info-handler.js")};
      import https from "node:https";
      import http2 from "node:http2";
      const credentials = new ServerCertificates();
      const server = new HttpServer({ handler: infoHandler() });
      const { port } = await server.listen({ certificate: credentials.server });
      const agent = new https.Agent({ keepAlive: true, ca: credentials.ca });
      await new Promise((done) => https.get({ host: "127.0.0.1", port, path: "/healthz", agent }, (r) => r.resume().on("end", done)));
      const session = http2.connect("https://127.0.0.1:" + port, { ca: credentials.ca });
      await new Promise((done) => session.request({ ":path": "/livez" }).resume().on("end", done).end());
      const started = performance.now();
      await server.stop();
      // Clients that keep their side open must not keep the server's side alive.
      agent.destroy();
      session.destroy();
      const open = () => process.getActiveResourcesInfo().filter((name) => !/Pipe|TTY|TickObject|Immediate|CloseReq/.test(name));
      // Less than the five seconds after which Node closes an idle connection by itself.
      while (open().length > 0 && performance.now() - started < 4000) await new Promise((done) => setTimeout(done, 20));
      const left = open();
      process.on("exit", () => console.log(JSON.stringify({ left })));
    `;
    const { stdout } = await run(process.execPath, ["--conditions=development", "--input-type=module", "-e", program], {
      timeout: 60_000,
    });

    // The program prints when it ends by itself.
    assert.deepEqual(JSON.parse(stdout), { left: [] });
  });

  it("aborts requests that take longer than the grace period", async () => {
    const handler: Handler = () => new Promise(() => undefined);
    const api = await startTestServer(handler);
    const sending = api.send("/api/v1/pods").then(
      () => "responded",
      () => "cut",
    );
    while (api.server.runningCount === 0) await new Promise((resolve) => setImmediate(resolve));

    await api.server.stop({ graceMs: 20 });

    assert.match(await sending, /responded|cut/);
    assert.equal(api.server.runningCount, 0);
    await api.close();
  });

  it("finishes a running request and closes its connection", async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const api = await startTestServer(async () => {
      await held;
      return { status: 200, body: "done" };
    });
    const socket = await api.connect();
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    socket.write("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n");
    while (api.server.runningCount === 0) await new Promise((resolve) => setImmediate(resolve));
    const stopping = api.server.stop();
    release();
    await stopping;

    assert.match(text, /done$/);
    assert.match(text, /Connection: close/);
    await api.close();
  });
});
