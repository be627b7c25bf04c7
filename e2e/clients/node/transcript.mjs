// Prints what a program observes of a cluster, without what differs between clusters.

import { ApiException } from "@kubernetes/client-node";

/** Writes one line. */
export function line(text) {
  const plain = text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UID")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "TIME");
  process.stdout.write(`${plain}\n`);
}

/** Writes an object without resource versions. Field managers are sorted by name: the server orders them by time, to the second. */
export function object(label, value) {
  line(`${label}: ${JSON.stringify(value, withoutVersions)}`);
}

function withoutVersions(key, value) {
  if (key === "resourceVersion" || key === "continue" || key === "_continue") return undefined;
  if (key === "managedFields") return value?.toSorted((a, b) => (a.manager < b.manager ? -1 : 1));
  return value;
}

/** Runs a request that the server is expected to reject, and writes the class and message of the error. */
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

/** Resolves to true if a condition holds within a minute, else to false. */
export async function until(isTrue) {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await isTrue()) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}
