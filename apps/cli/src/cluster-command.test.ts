import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@homeostat/client";
import { Pod } from "@homeostat/kubernetes/core/v1";

const bin = fileURLToPath(new URL("../bin/homeostat.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "homeostat-cli-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Without the options of the test runner the program loads its bundle, as users do, and starts faster. */
const env = { ...process.env, NODE_OPTIONS: "" };

interface ProcessResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(...words: string[]): Promise<ProcessResult> {
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, ...words], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

describe("homeostat cluster", () => {
  it("runs a command with KUBECONFIG set and exits with its exit code", async () => {
    const script = "process.stdout.write(process.env.KUBECONFIG); process.exit(7)";

    const { code, stdout, stderr } = await run("cluster", "--api-only", "--", process.execPath, "-e", script);

    assert.equal(code, 7, stderr);
    assert.match(stdout, /kubeconfig$/);
    assert.ok(!existsSync(stdout), "the kubeconfig is removed when the cluster stops");
  });

  it("exits with 127 when the command cannot be started", async () => {
    const { code, stderr } = await run("cluster", "--api-only", "--", "no-such-program");

    assert.equal(code, 127);
    assert.match(stderr, /^homeostat: Cannot start no-such-program: there is no such program on the PATH/);
  });

  it("prints one line and leaves no file behind when the data directory cannot be written", async () => {
    const data = join(folder, "full");

    const { code, stdout, stderr } = await new Promise<ProcessResult>((resolve) => {
      const words = ["-c", 'ulimit -f 0; exec "$0" "$@"', process.execPath, bin];
      execFile("sh", [...words, "cluster", "--api-only", "--data", data], { env }, (error, out, err) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout: out, stderr: err }),
      );
    });

    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /^homeostat: Locking \S+: no space left\. Free disk space or raise the limit\.\n$/);
    assert.deepEqual(readdirSync(data), []);
  });

  it("prints its URL and kubeconfig, and stops on SIGTERM", async () => {
    const file = join(folder, "kubeconfig");
    const child = spawn(process.execPath, [bin, "cluster", "--api-only", "--kubeconfig", file], { env });
    let printed = "";
    const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));

    await new Promise<void>((resolve) =>
      child.stdout.on("data", (piece: Buffer) => {
        printed += piece.toString();
        if (printed.includes("Ctrl-C")) resolve();
      }),
    );
    const mode = statSync(file).mode & 0o777;
    const text = readFileSync(file, "utf8");
    child.kill("SIGTERM");

    assert.equal(await ended, 0);
    assert.match(printed, /API server running at https:\/\/127\.0\.0\.1:\d+/);
    assert.equal(mode, 0o600);
    assert.match(text, /server: "https:\/\/127\.0\.0\.1:\d+"/);
    assert.ok(!existsSync(file));
  });

  it("simulates Chronik, Locust and Redis containers", async () => {
    const file = join(folder, "kubeconfig");
    const child = spawn(process.execPath, [bin, "cluster", "--kubeconfig", file], { env });
    const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
    await new Promise((resolve) => child.stdout.once("data", resolve));
    const client = await Client.fromKubeconfig({ file });
    const firstLine = async (name: string, image: string): Promise<string> => {
      const namespace = "default";
      await client.create(Pod, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { namespace, name },
        spec: { automountServiceAccountToken: false, containers: [{ name, image }] },
      });
      for await (const event of client.watch(Pod, { namespace, fieldSelector: `metadata.name=${name}` }))
        if ("object" in event && event.object.status?.phase === "Running") break;
      for await (const line of client.logs({ namespace, name })) return line;
      return "";
    };

    const images = { redis: "redis:7", locust: "locustio/locust:2.47.0", chronik: "chronik/search:v1.4.2" };
    const lines: string[] = [];
    for (const [name, image] of Object.entries(images)) lines.push(await firstLine(name, image));
    client.close();
    child.kill("SIGTERM");

    assert.equal(await ended, 0);
    assert.match(lines[0] ?? "", /Redis is starting/);
    assert.match(lines[1] ?? "", /Starting Locust/);
    assert.match(lines[2] ?? "", /^Starting \w* 1 of cluster/);
  });

  it("prints its version and the emulated Kubernetes version", async () => {
    const { code, stdout } = await run("--version");

    assert.equal(code, 0);
    assert.match(stdout, /^homeostat \d+\.\d+\.\d+ \(Kubernetes v1\.\d+\.\d+\)\n$/);
  });

  it("prints in one line why it cannot start", async () => {
    const occupied = createServer();
    await new Promise<void>((resolve) => occupied.listen(0, "127.0.0.1", resolve));
    const { port } = occupied.address() as AddressInfo;

    const onOccupiedPort = await run("cluster", "--port", String(port));
    const onNetwork = await run("cluster", "--host", "0.0.0.0");
    const unknown = await run("clutser");
    const withoutValue = await run("cluster", "--port", "--api-only");
    const unwritable = await run("cluster", "--api-only", "--kubeconfig", join(folder, "absent", "kubeconfig"));
    occupied.close();

    assert.equal(onOccupiedPort.code, 1);
    assert.match(onOccupiedPort.stderr, /^homeostat: .*127\.0\.0\.1:\d+ is already in use.*--port.*\n$/);
    assert.equal(onNetwork.code, 1);
    assert.match(onNetwork.stderr, /^homeostat: .*0\.0\.0\.0.*--open-to-network.*\n$/);
    assert.equal(withoutValue.code, 2);
    assert.match(withoutValue.stderr, /^homeostat: --port requires a value.*\n$/);
    assert.equal(unwritable.code, 1);
    assert.match(unwritable.stderr, /^homeostat: .*absent.*\n$/);
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /^homeostat: .*clutser.*\n$/);
  });
});
