import { fork } from "node:child_process";
import { once } from "node:events";
import { request } from "node:https";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { interruptible } from "../harness/interruptible.ts";
import { parseBenchOptions } from "../harness/options.ts";
import { type Attack, attacks } from "./attacks.ts";
import type { Listening, Turns } from "./protocol.ts";

/** No request may keep probes and lease renewals waiting for longer. */
const turnCpuMsMax = 100;
const rounds = 3;

/** Sends hostile requests to the webhooks of the Locust operator and prints the longest turn of its event loop for each. */
export async function runWebhook(words: readonly string[]): Promise<void> {
  const isChecked = readArguments(words);
  if (process.platform !== "linux") throw new Error("Measured on Linux only: CPU time of a thread comes from /proc.");
  await interruptible(async ({ signal }) => {
    const program = fileURLToPath(new URL("webhook-process.js", import.meta.url));
    const child = fork(program, { signal, execArgv: [], killSignal: "SIGKILL" });
    const next = async <T>(): Promise<T> => {
      const [message] = (await once(child, "message", { signal })) as [T];
      return message;
    };
    const turns = async (): Promise<Turns> => {
      child.send("turns");
      return next<Turns>();
    };
    child.on("error", () => undefined);
    try {
      const listening = await next<Listening>();
      console.log("| webhook | request | response | CPU of the longest turn, ms | its duration, ms | RSS, MB |");
      console.log("| --- | --- | ---: | ---: | ---: | ---: |");
      for (const attack of attacks) {
        const body = Buffer.from(attack.body());
        const measured: (Turns & { readonly status: number })[] = [];
        for (let round = 0; round < rounds; round += 1) {
          await turns();
          const status = await send(attack, body, listening);
          measured.push({ status, ...(await turns()) });
        }
        const [{ status, cpuMs, wallMs, rssBytes } = missing] = measured.toSorted((a, b) => a.cpuMs - b.cpuMs).slice(1);
        const numbers = [status, cpuMs.toFixed(1), wallMs.toFixed(1), (rssBytes / 1e6).toFixed(0)];
        console.log(`| ${attack.webhook} | ${attack.name} | ${numbers.join(" | ")} |`);
        if (isChecked && cpuMs > turnCpuMsMax) process.exitCode = 1;
      }
    } finally {
      child.disconnect();
    }
  });
}

const missing = { status: 0, cpuMs: 0, wallMs: 0, rssBytes: 0 };

/** Returns the status of the response, or 0 when the server closed the connection without one. */
function send({ webhook }: Attack, body: Buffer, { port, ca, paths }: Listening): Promise<number> {
  return new Promise((resolve) => {
    const headers = { "content-type": "application/json", "content-length": body.length };
    const address = { host: "127.0.0.1", port, ca, path: paths[webhook], method: "POST", headers, agent: false };
    const sending = request(address, (response) => {
      response.resume();
      response.on("close", () => resolve(response.statusCode ?? 0));
    });
    sending.on("error", () => resolve(0));
    sending.end(body);
  });
}

function readArguments(words: readonly string[]): boolean {
  const parse = () => parseArgs({ args: [...words], options: { check: { type: "boolean" } } });
  return parseBenchOptions(parse).values.check === true;
}
