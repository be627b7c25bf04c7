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

/** Kind assumed for a body that does not name one. */
const assumed: ExpectedKind = { apiVersion: "meta.k8s.io/v1", kind: "DeleteOptions" };

/**
 * Decodes the body of a DELETE request: `DeleteOptions` of any group; undefined if there is no body.
 *
 * Unknown fields are dropped silently, whatever `fieldValidation` says.
 *
 * @throws StatusError with the response of the real server.
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
    checkKind(withDefaults(envelope, assumed));
    return decodeProtobuf(type, envelope.raw);
  }
  const text = mediaType === "application/json" ? readUtf8(body) : encodeJson(readYaml(readUtf8(body)).value);
  checkKind(withDefaults(interpretKind(text), assumed));
  return decodeTyped(type, text).object;
}

/** Every group has DeleteOptions; any other kind is unknown here. */
function checkKind({ apiVersion, kind }: ExpectedKind): void {
  if (kind === expected.kind) return;
  const version = `version ${quote(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
  throw new DecodeError(`no kind ${quote(kind)} is registered for ${version}`);
}
