// A derived fork, packed into an annotation of its Deployment. The operator uses it to correct drift while the fork is behind its baseline, and to
// roll back when a rebase fails.

import { isRecord, JsonLimitError, ParseError, parseBoundedJson, utf8Length } from "@homeostat/core";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { templateHash } from "./hashes.ts";
import type { ForkSpec } from "./patched-spec.ts";

/** Maximum size of the annotation in bytes. All annotations of an object together may have 256 KiB. */
const annotationBytesMax = 64 * 1024;

/** Maximum size of an unpacked fork in bytes: an annotation that another client wrote must not use up the memory. */
const unpackedBytesMax = 2 * 1024 * 1024;

const jsonDepthMax = 200;
const jsonValuesMax = 200_000;

/** State of the baseline that a fork was derived from. */
export interface ForkedFrom {
  readonly uid: string;
  readonly generation: number;
  readonly templateHash: string;
}

/** The parts of a fork that are derived from the baseline and the entry. */
export interface ForkBody {
  readonly labels: Readonly<Record<string, string>>;
  /** Annotations without those of the operator. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: ForkSpec;
}

/** A fork as stored in an annotation. */
export interface StoredFork {
  readonly templateHash: string;
  readonly inputHash: string;
  readonly forkedFrom: ForkedFrom;
  /** Undefined if it was too large to keep. */
  readonly body: ForkBody | undefined;
}

/** Returns the value of the annotation. A body that is too large is omitted; the fork then cannot be rolled back to it. */
export function packFork({ body, templateHash: hash, inputHash, forkedFrom }: StoredFork): string {
  const hashes = { templateHash: hash, inputHash, forkedFrom };
  const packed = body === undefined ? undefined : deflateRawSync(JSON.stringify(body), { level: 9 }).toString("base64");
  const text = JSON.stringify({ ...hashes, body: packed });
  return utf8Length(text) <= annotationBytesMax ? text : JSON.stringify(hashes);
}

/** Reads the annotation; returns undefined if it is missing or invalid. A body whose template does not match its hash is ignored. */
export function readStoredFork(text: string | undefined): StoredFork | undefined {
  const value = text === undefined ? undefined : parse(text, annotationBytesMax);
  if (!isRecord(value)) return undefined;
  const { templateHash: hash, inputHash, forkedFrom, body: packed } = value;
  if (typeof hash !== "string" || typeof inputHash !== "string" || !isForkedFrom(forkedFrom)) return undefined;
  const body = typeof packed === "string" ? unpack(packed) : undefined;
  const isIntact = body !== undefined && templateHash(body.spec.template) === hash;
  return { templateHash: hash, inputHash, forkedFrom, body: isIntact ? body : undefined };
}

function unpack(packed: string): ForkBody | undefined {
  let text: string;
  try {
    text = inflateRawSync(Buffer.from(packed, "base64"), { maxOutputLength: unpackedBytesMax }).toString("utf8");
  } catch (error) {
    // Zlib reports invalid data and oversized output as errors with a code.
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
  const value = parse(text, unpackedBytesMax);
  return isBody(value) ? value : undefined;
}

function parse(text: string, bytesMax: number): unknown {
  const limits = { bytesMax, depthMax: jsonDepthMax, valuesMax: jsonValuesMax };
  try {
    return parseBoundedJson(text, { what: "annotation of a fork", ...limits });
  } catch (error) {
    if (error instanceof ParseError || error instanceof JsonLimitError) return undefined;
    throw error;
  }
}

/** Reports whether a value has the form of a body. The hash of the template then proves that it was not modified. */
function isBody(value: unknown): value is ForkBody {
  if (!isRecord(value) || !isRecord(value["labels"]) || !isRecord(value["annotations"])) return false;
  const { spec } = value;
  return isRecord(spec) && isRecord(spec["template"]) && isRecord(spec["template"]["spec"]);
}

function isForkedFrom(value: unknown): value is ForkedFrom {
  if (!isRecord(value)) return false;
  const { uid, generation, templateHash: hash } = value;
  return typeof uid === "string" && typeof generation === "number" && typeof hash === "string";
}
