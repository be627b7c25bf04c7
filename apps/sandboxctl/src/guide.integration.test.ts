// Follows the guide "Develop against the cluster from your laptop" as it is written, with the installed operator. A tunnel server on the loopback interface
// stands in for the rest of the cluster: it leads requests with the routing key back to the machine, as a routing proxy does.

import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { isRecord } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Service } from "@homeostat/kubernetes/core/v1";
import { applyManifests } from "@homeostat/operator-testing";
import { LocalWorkload, Sandbox } from "@homeostat/sandbox-operator";
import { parseManifests } from "./manifest/manifests.ts";
import { TestShop } from "./testing/shop.ts";
import { TestTunnelServer } from "./testing/tunnel-server.ts";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../../../", import.meta.url));
const page = readFileSync(join(repository, "docs/guides/develop-from-your-laptop.md"), "utf8");
/** Ports of this machine that the guide uses. They may be in use here. */
const guidePorts = ["3000", "9000", "1080"];
const leftRunning = "# leave it running";

describe("develop from your laptop", () => {
  let shop: TestShop;
  let server: TestTunnelServer;
  let folder: string;
  let script: (text: string) => string;
  const left: { readonly child: ChildProcess; output: string }[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "sandboxctl-guide-"));
    // The guide writes files into its folder.
    for (const name of ["apps", "node_modules", "operators"]) await symlink(join(repository, name), join(folder, name));
    shop = await TestShop.open();
    server = await TestTunnelServer.open(shop);
    server.routedService = "cart.shop.svc:80";
    server.routingKey = "jane";
    await createBaseline(shop);
    await writeFile(join(folder, "kubeconfig"), shop.kubeconfig());
    const free = await Promise.all(guidePorts.map(freePort));
    script = (text) => guidePorts.reduce((changed, port, at) => changed.replaceAll(port, String(free[at])), text);
  });
  after(async () => {
    for (const { child } of left) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    await server[Symbol.asyncDispose]();
    await shop[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const environment = (): NodeJS.ProcessEnv => ({
    PATH: `${join(folder, "node_modules/.bin")}:${dirname(process.execPath)}:${process.env["PATH"]}`,
    HOME: folder,
    KUBECONFIG: join(folder, "kubeconfig"),
  });

  /** Starts a command as in another terminal, and waits until it has printed its last line or the local port is open. */
  const leaveRunning = async (text: string): Promise<void> => {
    const attachments = server.attached.length;
    const words = text.replace(leftRunning, "").trim();
    const child = spawn("bash", ["--norc", "-c", `exec env ${words}`], { cwd: folder, env: environment() });
    const step = { child, output: "" };
    left.push(step);
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (piece: Buffer) => (step.output += piece.toString()));
    const isUp = (): boolean => {
      if (words.includes("local run"))
        return server.attached.length > attachments && server.reports.at(-1) === "http listening";
      if (words.includes("local proxy")) return step.output.includes(" -> ");
      return true;
    };
    await shop.until(async () => {
      assert.equal(child.exitCode, null, `${words} has ended:\n${step.output}`);
      return isUp();
    });
  };

  it("works as written", { timeout: 240_000 }, async () => {
    let output = "";
    for (const [, block = ""] of page.matchAll(/```sh\n([\s\S]*?)```/g)) {
      const text = script(block.trim());
      if (text.includes(leftRunning)) {
        await leaveRunning(text);
        continue;
      }
      const finished = await run("bash", ["--norc", "-euo", "pipefail", "-c", text], {
        cwd: folder,
        env: environment(),
      }).catch((error: unknown) => {
        const { stdout, stderr } = isRecord(error) ? error : {};
        throw new Error(
          `this step of the guide failed:\n${text}\n${String(stdout)}${String(stderr)}\nother terminals:\n${left.map((each) => each.output).join("\n")}`,
        );
      });
      output += `$ ${text}\n${finished.stdout}${finished.stderr}`;
    }

    const [command, map] = left.map((each) => each.output);
    assert.match(
      command ?? "",
      /^Routing key jane\ncart port 80 \(http\) -> 127\.0\.0\.1:\d+\nProxy into the cluster: http:/m,
    );
    assert.match(command ?? "", /^Send a request: curl -H "x-routing-key: jane" http:\/\/cart\.shop\.svc:80\/$/m);
    assert.match(map ?? "", /^127\.0\.0\.1:\d+ -> cart\.shop\.svc:80 with the key jane$/m);
    for (const part of [
      /^namespace set to shop$/m,
      /^sandbox\/jane created$/m,
      /^\$ curl -sS http:\S+\ncart on this machine, orders responded with 200$/m,
      /^jane-cart +shop +jane +cart +attached .* 127\.0\.0\.1:\d+=listening /m,
      /^Routing key: +jane$/m,
      /^Process \d+ runs in the background and writes to /m,
      /^localworkload\/jane-cart disconnected$[^]*^localworkload\/jane-cart disconnected$/m,
      /^sandbox\/jane deleted$/m,
    ])
      assert.match(output, part);
    // The call of the process, and the request through the Service.
    const orders = server.outbound.filter(({ destination }) => destination === "orders.shop.svc:80");
    assert.ok(orders.length > 0 && orders.every(({ head }) => head.includes("x-routing-key: jane\r\n")));
    assert.deepEqual(await readLocalWorkloads(), []);
    assert.equal(await shop.admin.get(Sandbox, { namespace: "shop", name: "jane" }), undefined);
  });

  const readLocalWorkloads = async (): Promise<readonly string[]> =>
    (await shop.admin.list(LocalWorkload, { namespace: "shop" })).items.map(({ metadata }) => metadata.name ?? "");
});

/** Replaces the cart of the shop by the services of the samples, which the guide uses. */
async function createBaseline({ admin }: TestShop): Promise<void> {
  const at = { namespace: "shop", name: "cart" };
  await admin.delete(Deployment, at);
  await admin.delete(Service, at);
  const file = join(repository, "operators/sandbox/samples/baseline.yaml");
  await applyManifests(admin, parseManifests(readFileSync(file, "utf8"), file, "shop"));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
