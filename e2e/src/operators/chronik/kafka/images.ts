// The image of real Kafka with the adapter of the component contract, and of the program that judges it.

import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { adapterFolder, buildKafkaRoot } from "@homeostat/kafka";
import { copyProgram, importImage } from "../../../harness/local-image.ts";

/** Image of controllers and ingest nodes. */
export const kafkaImage = "docker.io/local/chronik-kafka:4.3.1";

/** Command of the judge, in the same image. */
export const judgeCommand: readonly string[] = ["/usr/bin/node", "/app/judge/main.js"];

/** Builds Kafka, once per machine, and imports the image into the node. */
export async function importKafka(kubeconfigPath: string): Promise<void> {
  const root = await buildKafkaRoot();
  const entrypoint = ["/usr/bin/node", "/app/adapter/main.js"];
  importImage(kubeconfigPath, { name: kafkaImage, entrypoint, user: "1000:1000" }, (folder) => {
    // Class archives are valid only for jars with their original time.
    cpSync(root, folder, { recursive: true, preserveTimestamps: true });
    cpSync(adapterFolder, join(folder, "app"), { recursive: true });
    writeFileSync(join(folder, "app/package.json"), '{"type":"module"}\n');
    copyProgram(process.execPath, folder, "node");
  });
}
