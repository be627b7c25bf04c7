// What a program saw of a cluster, without what differs from cluster to cluster.

import { ApiException } from "@kubernetes/client-node";

/** Writes one line. */
export function line(text) {
  const plain = text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UID")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "TIME");
  process.stdout.write(`${plain}\n`);
}

/** Writes an object, whole but for versions; the owners of fields are ordered by their times, to the second, so by name here. */
export function object(label, value) {
  line(`${label}: ${JSON.stringify(value, withoutVersions)}`);
}

function withoutVersions(key, value) {
  if (key === "resourceVersion" || key === "continue" || key === "_continue") return undefined;
  if (key === "managedFields") return value?.toSorted((a, b) => (a.manager < b.manager ? -1 : 1));
  return value;
}

/** Runs what is expected to be refused, and writes the class of the error and what it says. */
export async function refusal(label, work) {
  try {
    await work();
    line(`${label}: no error`);
  } catch (error) {
    if (!(error instanceof ApiException)) {
      line(`${label}: ${error.constructor.name}: ${error.message}`);
      return;
    }
    const body = typeof error.body === "string" ? error.body.trim() : JSON.stringify(error.body);
    line(`${label}: ${error.constructor.name} ${error.code}: ${body}`);
  }
}

/** Resolves to whether something becomes true within a minute. */
export async function until(isTrue) {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await isTrue()) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}
