import { isRecord, ownValue } from "@homeostat/core";
import { runAction } from "../actions/run-action.ts";
import { readableType } from "../fields/hide-secrets.ts";
import { RequestError } from "../errors.ts";
import { findObject, objectInBody, textOf } from "./requested-object.ts";
import { createSandbox, previewSandbox, restoreTakenOver } from "./sandbox-writes.ts";
import type { Write, WriteRequest } from "./write.ts";

/** Writes by their names in paths: `POST /api/delete`. */
const writes: ReadonlyMap<string, Write> = new Map<string, Write>([
  ["delete", deleteObject],
  ["action", changeObject],
  ["preview-sandbox", previewSandbox],
  ["create-sandbox", createSandbox],
  ["restore-service", restoreTakenOver],
]);

/** Returns the write of a name; undefined if there is none. */
export function writeNamed(name: string): Write | undefined {
  return writes.get(name);
}

/** Deletes an object, if it still has the UID that the user saw. */
async function deleteObject({ body, session, signal }: WriteRequest): Promise<{ readonly wasFound: boolean }> {
  const { requested, uid } = objectInBody(body);
  const { type, ref } = await findObject(session, requested, signal);
  const before = await session.client.get(readableType(type), ref, { signal });
  if (before === undefined) return { wasFound: false };
  await session.client.delete(type, ref, { preconditions: { uid }, signal });
  return { wasFound: true };
}

/** Runs an action of an object's kind. */
async function changeObject({ body, session, context, signal }: WriteRequest): Promise<object> {
  const { requested, uid } = objectInBody(body);
  const action = textOf(body, "action");
  if (action === undefined) throw new RequestError(400, "The body must have action.");
  const { type, ref } = await findObject(session, requested, signal);
  const inputs = isRecord(body) ? ownValue(body, "inputs") : undefined;
  const { client } = session;
  const { clock, random } = context;
  await runAction({ type, ref, uid, action, inputs }, { client, clock, random, signal });
  return {};
}
