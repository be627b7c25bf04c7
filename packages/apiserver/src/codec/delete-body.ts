import { quote } from "@homeostat/cel";
import type { JsonRecord } from "@homeostat/core";
import { badRequestStatus, bodyTooLargeStatus, unsupportedMediaTypeStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import { DecodeError } from "./decode-error.ts";
import { decodeProtobuf } from "./decode-protobuf.ts";
import { decodeTyped } from "./decode-typed.ts";
import { encodeJson } from "./encode-json.ts";
import { openEnvelope } from "./envelope.ts";
import { readUtf8 } from "./go-text.ts";
import { listedMediaTypes, type MediaType, negotiateContentType } from "./media-types.ts";
import { readYaml } from "./read-yaml.ts";
import { bodyBytesMax } from "./request-body.ts";
import { type ExpectedKind, interpretKind, typeOfKind, withDefaults } from "./request-object.ts";

const expected: ExpectedKind = { apiVersion: "v1", kind: "DeleteOptions" };

/** What a body is taken for that does not say what it is. */
const said: ExpectedKind = { apiVersion: "meta.k8s.io/v1", kind: "DeleteOptions" };

/**
 * Reads the body of a DELETE request: `DeleteOptions` of any group; undefined when there is no body.
 *
 * Unknown fields are dropped without a word, whatever `fieldValidation` says. Throws a `StatusError` with the answer of the
 * real server.
 */
export function readDeleteBody(body: Uint8Array, contentType: string): JsonRecord | undefined {
  if (body.length > bodyBytesMax) throw new StatusError(bodyTooLargeStatus(bodyBytesMax));
  if (body.length === 0) return undefined;
  const mediaType = negotiateContentType(contentType);
  if (mediaType === undefined) throw new StatusError(unsupportedMediaTypeStatus(listedMediaTypes({ isStream: false })));
  try {
    return read(body, mediaType);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new StatusError(badRequestStatus(error.message), { cause: error });
  }
}

function read(body: Uint8Array, mediaType: MediaType): JsonRecord {
  const type = typeOfKind(expected);
  if (mediaType === "application/vnd.kubernetes.protobuf") {
    const envelope = openEnvelope(body);
    checkKind(withDefaults(envelope, said));
    return decodeProtobuf(type, envelope.raw);
  }
  const text = mediaType === "application/json" ? readUtf8(body) : encodeJson(readYaml(readUtf8(body)).value);
  checkKind(withDefaults(interpretKind(text), said));
  return decodeTyped(type, text).object;
}

/** Every group has these options; nothing else is known here. */
function checkKind({ apiVersion, kind }: ExpectedKind): void {
  if (kind === expected.kind) return;
  const version = `version ${quote(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
  throw new DecodeError(`no kind ${quote(kind)} is registered for ${version}`);
}
