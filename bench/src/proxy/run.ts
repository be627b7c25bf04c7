import { parseArgs } from "node:util";
import { median } from "../harness/measure.ts";
import { parseBenchOptions } from "../harness/options.ts";
import { sendLoad } from "./load.ts";
import { cpuNs, startHaproxy, startNginx, startProgram, type Subject } from "./subjects.ts";

const connections = 16;
const firstPort = 29_100;

/** Measures the CPU time per request of proxies in turns, and prints it. */
export async function runProxy(words: readonly string[]): Promise<void> {
  const { values } = parseBenchOptions(() =>
    parseArgs({
      args: [...words],
      options: {
        requests: { type: "string" },
        rounds: { type: "string" },
        keys: { type: "string" },
        node: { type: "string" },
      },
    }),
  );
  const number = (text: string | undefined, otherwise: number): number =>
    text === undefined ? otherwise : Number(text);
  const requests = number(values.requests, 20_000);
  const rounds = number(values.rounds, 5);
  const keys = number(values.keys, 1);
  const started: Subject[] = [];
  const keep = <T extends Subject | undefined>(subject: T): T => {
    if (subject !== undefined) started.push(subject);
    return subject;
  };
  try {
    const upstream = keep(await startProgram("upstream", "upstream-process.js", firstPort, []));
    const args = [upstream.port, keys];
    const subjects = [
      keep(await startProgram(`proxy, Node ${process.versions.node}`, "proxy-process.js", firstPort + 1, args)),
      values.node === undefined
        ? undefined
        : keep(await startProgram("proxy, other Node", "proxy-process.js", firstPort + 2, args, values.node)),
      keep(await startHaproxy(firstPort + 3, upstream.port)),
      keep(await startNginx(firstPort + 4, upstream.port)),
    ].filter((subject) => subject !== undefined);
    const times = new Map(subjects.map((subject) => [subject, [] as number[]]));
    for (const { port } of subjects) await sendLoad({ port, requests, connections });
    for (let round = 0; round < rounds; round += 1) {
      for (const subject of subjects) {
        const before = cpuNs(subject);
        await sendLoad({ port: subject.port, requests, connections });
        times.get(subject)?.push((cpuNs(subject) - before) / requests / 1000);
      }
    }
    printTable(times);
  } finally {
    for (const { process: child } of started) child.kill();
  }
}

function printTable(times: ReadonlyMap<Subject, readonly number[]>): void {
  const haproxy = [...times].find(([{ name }]) => name === "HAProxy");
  console.log("| proxy | CPU per request, us | capacity, HAProxy = 1 |");
  console.log("| --- | ---: | ---: |");
  for (const [{ name }, values] of times) {
    const us = median([...values]);
    const ratio = haproxy === undefined ? "" : (median([...haproxy[1]]) / us).toFixed(2);
    console.log(`| ${name} | ${us.toFixed(1)} | ${ratio} |`);
  }
}
