import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { resultsFolder } from "../peers/results.ts";
import { interruptible, type Surroundings } from "../harness/interruptible.ts";
import { type EmbeddedOptions, type PartName, readEmbeddedArguments } from "./arguments.ts";
import { parts } from "./parts.ts";
import { formatPart, type Sample } from "./report.ts";
import { startSubject } from "./subject.ts";

/** Measures the embedded server beside etcd and kube-apiserver and prints a table for each part. */
export async function runEmbedded(words: readonly string[]): Promise<void> {
  const options = readEmbeddedArguments(words);
  if (process.platform !== "linux") throw new Error("Measured on Linux only: memory comes from /proc.");
  await interruptible((surroundings) => measureAll(options, surroundings));
}

async function measureAll(options: EmbeddedOptions, surroundings: Surroundings): Promise<void> {
  const date = new Date().toISOString();
  const path = options.json ?? join(resultsFolder, `embedded-${date.slice(0, 19).replaceAll(":", "-")}.json`);
  mkdirSync(dirname(path), { recursive: true });
  const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, memoryBytes: totalmem() };
  const samples: Sample[] = [];
  for (const part of options.parts) {
    // The others take long, or hold so much that they say the same each time.
    const rounds = part === "start" || part === "throughput" ? options.rounds : 1;
    for (let round = 1; round <= rounds; round += 1) {
      // Each goes first as often as the other.
      const order = round % 2 === 1 ? options.subjects : options.subjects.toReversed();
      for (const subject of order) {
        samples.push(await measureOne(part, { subject, round, options, surroundings }));
        const head = { date, machine, node: process.version, options };
        writeFileSync(path, `${JSON.stringify({ ...head, samples }, null, 2)}\n`);
      }
    }
    console.log(`\n${formatPart(part, samples)}\n`);
  }
  surroundings.report(`numbers: ${path}`);
}

async function measureOne(
  part: PartName,
  {
    subject: name,
    round,
    options,
    surroundings,
  }: { subject: string; round: number; options: EmbeddedOptions; surroundings: Surroundings },
): Promise<Sample> {
  await using subject = await startSubject(name, { ...surroundings, report: () => undefined }, options);
  try {
    const values = await parts[part](subject, options, surroundings);
    const shown = Object.entries(values).map(([key, value]) => `${key} ${value.toFixed(1)}`);
    surroundings.report(`${part} round ${round} ${name}: ${shown.join(", ")}`);
    return { part, subject: name, round, values };
  } catch (error) {
    // Such as a server that gives up on watchers: that is a result, too.
    surroundings.signal.throwIfAborted();
    surroundings.report(
      `${part} round ${round} ${name} FAILED: ${error instanceof Error ? error.message : String(error)}`,
    );
    return { part, subject: name, round, values: {} };
  }
}
