import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { KubeconfigError } from "@homeostat/client";
import { startCluster } from "@homeostat/cluster";
import { NetworkError } from "@homeostat/core";
import { sendHttp } from "@homeostat/http";
import { dashboardCommand } from "./dashboard-command.ts";

describe("homeostat dashboard", () => {
  it("prints a login link for the cluster of a kubeconfig, and ends with its signal", async () => {
    const folder = await mkdtemp(join(tmpdir(), "dashboard-"));
    const kubeconfig = join(folder, "kubeconfig");
    const stopping = new AbortController();
    const { signal } = stopping;
    const lines: string[] = [];
    let printed = (): void => undefined;
    const isPrinted = new Promise<void>((resolve) => (printed = resolve));
    const print = (line: string): void => {
      lines.push(line);
      if (line.includes("Ctrl-C")) printed();
    };
    {
      await using cluster = await startCluster({ parts: "api" });
      await cluster.writeKubeconfig(kubeconfig);
      const context = { print, printError: (line: string) => lines.push(`error: ${line}`), signal };
      const running = dashboardCommand({ run: "dashboard", kubeconfig, context: undefined, port: 0 }, context);
      await isPrinted;
      const url = new URL(lines[2]?.trim() ?? "");

      const request = { method: "GET", host: url.hostname, port: Number(url.port), signal, bodyBytesMax: 1_000_000 };
      const login = await sendHttp({ ...request, path: `${url.pathname}${url.search}` });
      const cookie = String(login.headers["set-cookie"]).split(";", 1)[0] ?? "";
      const overview = await sendHttp({ ...request, path: "/api/overview", headers: { cookie } });

      assert.match(lines[0] ?? "", /^Dashboard of Kubernetes v1\.36\.\d+ at https:\/\/127\.0\.0\.1:\d+$/);
      assert.deepEqual(JSON.parse(overview.body.toString("utf8")), { kinds: [], rows: [] });
      stopping.abort();
      assert.equal(await running, 0);
      assert.equal(lines.at(-1), "Stopping.");
    }
    const context = { print, printError: print, signal: new AbortController().signal };
    const args = { run: "dashboard", context: undefined, port: 0 } as const;
    await assert.rejects(dashboardCommand({ ...args, kubeconfig }, context), NetworkError);
    await assert.rejects(dashboardCommand({ ...args, kubeconfig: join(folder, "none") }, context), KubeconfigError);
    await rm(folder, { recursive: true, force: true });
  });
});
