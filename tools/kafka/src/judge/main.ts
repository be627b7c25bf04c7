// A program that judges a cluster: it produces records without a pause, and compares what was acknowledged with what the log contains.
//
//   GET  /counts   numbers so far; the longest gap since the last call
//   POST /stop     stops the producer
//   POST /verify   reads the whole topic and compares
//
// Producer and consumer are those of Kafka. Other clients were seen to report records as acknowledged that no broker had acknowledged.

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { commonArguments } from "../adapter/java.ts";
import { Comparison, Ledger, type Verdict } from "./ledger.ts";

const java = "/opt/java/bin/java";
const port = 8081;
const configFile = "/tmp/client.properties";
/** The consumer stops when it has received nothing for this time. */
const silenceMs = 30_000;
const readLimitMs = 120_000;
const readsMax = 3;

const { JUDGE_BOOTSTRAP: bootstrap = "", JUDGE_TOPIC: topic = "", JUDGE_RATE: rate = "100" } = process.env;
const client = clientProperties(process.env["JUDGE_TLS"]);
writeFileSync(configFile, client);
const producerFile = "/tmp/producer.properties";
writeFileSync(
  producerFile,
  `${client}retries=2147483647\ndelivery.timeout.ms=120000\nrequest.timeout.ms=5000\nlinger.ms=20\nmetadata.max.age.ms=5000\n`,
);

const ledger = new Ledger();
const target = `--bootstrap-server ${bootstrap} --topic ${topic}`;
const producer = startJava(
  `org.apache.kafka.tools.VerifiableProducer ${target} --throughput ${rate} --acks -1 --command-config ${producerFile}`,
);
const ended = once(producer, "exit");
createInterface({ input: producer.stdout }).on("line", (line) => ledger.note(line, Date.now()));

const server = createServer((request, response) => {
  handle(`${request.method} ${request.url}`).then(
    (body) => response.writeHead(body === undefined ? 404 : 200).end(JSON.stringify(body ?? {})),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
}).listen(port);
process.once("SIGTERM", () => {
  producer.kill("SIGKILL");
  server.close().closeAllConnections();
  process.exit(0);
});

async function handle(call: string): Promise<unknown> {
  if (call === "GET /counts") return ledger.counts(Date.now());
  if (call === "POST /verify") return verify();
  if (call !== "POST /stop") return undefined;
  producer.kill("SIGTERM");
  await ended;
  return ledger.counts(Date.now());
}

/**
 * Compares the topic with the records that are acknowledged now.
 *
 * A consumer that finds no broker in time reads nothing. That proves nothing, so it is repeated.
 */
async function verify(): Promise<Verdict> {
  const acknowledged = ledger.snapshot();
  let comparison = await readTopic(acknowledged);
  for (let reads = 1; comparison.read === 0 && reads < readsMax; reads += 1) comparison = await readTopic(acknowledged);
  return { ...ledger.counts(Date.now()), read: comparison.read, missing: comparison.missing };
}

async function readTopic(acknowledged: ReadonlyMap<string, string>): Promise<Comparison> {
  const comparison = new Comparison(acknowledged);
  const consumer = startJava(
    `org.apache.kafka.tools.consumer.ConsoleConsumer ${target} --from-beginning --timeout-ms ${silenceMs} --formatter-property print.partition=true --formatter-property print.offset=true --command-config ${configFile}`,
  );
  // The producer runs on, so the consumer never falls silent: it stops when everything was found.
  const limit = setTimeout(() => consumer.kill("SIGTERM"), readLimitMs);
  createInterface({ input: consumer.stdout }).on("line", (line) => {
    comparison.note(line);
    if (comparison.isComplete) consumer.kill("SIGTERM");
  });
  await once(consumer, "close");
  clearTimeout(limit);
  return comparison;
}

/** Returns the properties of a client that uses the certificate in a folder; none without a folder. */
function clientProperties(folder: string | undefined): string {
  if (folder === undefined) return "";
  const keyStore = "/tmp/keystore.pem";
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  writeFileSync(keyStore, `${read("tls.key").trimEnd()}\n${read("tls.crt")}`);
  const stores = { keystore: keyStore, truststore: join(folder, "ca.crt") };
  const lines = Object.entries(stores).map(([store, path]) => `ssl.${store}.type=PEM\nssl.${store}.location=${path}\n`);
  return `security.protocol=SSL\n${lines.join("")}`;
}

/** Starts a class of Kafka with its arguments, separated by spaces. */
function startJava(command: string): ChildProcessByStdio<null, Readable, null> {
  const args = ["-Xmx96m", ...commonArguments, ...command.split(" ")];
  return spawn(java, args, { stdio: ["ignore", "pipe", "inherit"] });
}
