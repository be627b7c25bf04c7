import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { resultsFolder } from "../peers/results.ts";
import { interruptible, type BenchContext } from "../harness/interruptible.ts";
import { type EmbeddedOptions, type PartName, readEmbeddedArguments } from "./arguments.ts";
import { parts } from "./parts.ts";
import { formatPart, type Sample } from "./report.ts";
import { startSubject } from "./subject.ts";

/** Compares the embedded server with etcd and kube-apiserver and prints a table for each part. */
export async function runEmbedded(words: readonly string[]): Promise<void> {
  const options = readEmbeddedArguments(words);
  if (process.platform !== "linux") throw new Error("This benchmark requires Linux: it reads memory from /proc.");
  await interruptible((context) => measureAll(options, context));
}

async function measureAll(options: EmbeddedOptions, context: BenchContext): Promise<void> {
  const date = new Date().toISOString();
  const path = options.json ?? join(resultsFolder, `embedded-${date.slice(0, 19).replaceAll(":", "-")}.json`);
  mkdirSync(dirname(path), { recursive: true });
  const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, memoryBytes: totalmem() };
  const samples: Sample[] = [];
  for (const part of options.parts) {
    // The other parts take long, or average over so many requests that one round is enough.
    const rounds = part === "start" || part === "throughput" ? options.rounds : 1;
    for (let round = 1; round <= rounds; round += 1) {
      // Each server goes first equally often.
      const order = round % 2 === 1 ? options.subjects : options.subjects.toReversed();
      for (const subject of order) {
        samples.push(await measureOne(part, { subject, round, options, context }));
        const head = { date, machine, node: process.version, options };
        writeFileSync(path, `${JSON.stringify({ ...head, samples }, null, 2)}\n`);
      }
    }
    console.log(`\n${formatPart(part, samples)}\n`);
  }
  context.report(`Results written to ${path}`);
}

async function measureOne(
  part: PartName,
  {
    subject: name,
    round,
    options,
    context,
  }: { subject: string; round: number; options: EmbeddedOptions; context: BenchContext },
): Promise<Sample> {
  await using subject = await startSubject(name, { ...context, report: () => undefined }, options);
  try {
    const values = await parts[part](subject, options, context);
    const shown = Object.entries(values).map(([key, value]) => `${key} ${value.toFixed(1)}`);
    context.report(`${part} round ${round} ${name}: ${shown.join(", ")}`);
    return { part, subject: name, round, values };
  } catch (error) {
    // A failure, such as a server that closes its watches, is also a result.
    context.signal.throwIfAborted();
    context.report(`${part} round ${round} ${name} FAILED: ${error instanceof Error ? error.message : String(error)}`);
    return { part, subject: name, round, values: {} };
  }
}
