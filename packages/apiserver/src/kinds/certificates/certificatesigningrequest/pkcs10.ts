import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { CertificateError } from "@homeostat/x509";
import { derValues, malformedDer, nameAttributes, readName } from "../../../auth/distinguished-name.ts";

/** The content of a PKCS#10 request (RFC 2986) that validation and admission need. */
export interface SigningRequest {
  /** Organizations of the subject: the groups of a user. */
  readonly organizations: readonly string[];
  /** Go's error for an invalid signature; undefined for a valid one. */
  readonly signatureProblem: string | undefined;
}

/** Digests by the object identifier of a signature algorithm, as hexadecimal digits; null where the key implies it. */
const digests: ReadonlyMap<string, string | null> = new Map([
  ["2a864886f70d010105", "sha1"],
  ["2a864886f70d01010b", "sha256"],
  ["2a864886f70d01010c", "sha384"],
  ["2a864886f70d01010d", "sha512"],
  ["2a8648ce3d0401", "sha1"],
  ["2a8648ce3d040302", "sha256"],
  ["2a8648ce3d040303", "sha384"],
  ["2a8648ce3d040304", "sha512"],
  ["2b6570", null],
]);

/**
 * Reads the first PEM block of `spec.request`, which is base64.
 *
 * Returns kube-apiserver's error as a string when it is not a certificate request.
 */
export function readSigningRequest(base64: string): SigningRequest | string {
  const pem = Buffer.from(base64, "base64").toString("latin1");
  const [, type, body = ""] = /^-----BEGIN ([^\n]*)-----[ \t\r]*\n([^-]*)^-----END \1-----[ \t\r]*$/m.exec(pem) ?? [];
  if (type !== "CERTIFICATE REQUEST") return "PEM block type must be CERTIFICATE REQUEST";
  try {
    return readRequest(Buffer.from(body, "base64"));
  } catch (error) {
    if (error instanceof CertificateError) return "asn1: syntax error: sequence truncated";
    throw error;
  }
}

function readRequest(der: Buffer): SigningRequest {
  const [whole] = derValues(der);
  const [info, algorithm, signature] = derValues(whole?.content);
  const [, subject, key] = derValues(info?.content);
  const [identifier] = derValues(algorithm?.content);
  if (info === undefined || key === undefined || signature?.tag !== 0x03 || identifier === undefined)
    throw malformedDer();
  const organizations = readName(subject)
    .filter(({ type }) => type === nameAttributes.organization)
    .map(({ text }) => text);
  // The first byte of a bit string counts its unused bits.
  const signed = { data: info.bytes, signature: signature.content.subarray(1) };
  const digest = digests.get(Buffer.from(identifier.content).toString("hex"));
  return { organizations, signatureProblem: signatureProblem(publicKeyOf(key.bytes), digest, signed) };
}

function publicKeyOf(der: Uint8Array): KeyObject {
  try {
    return createPublicKey({ key: Buffer.from(der), format: "der", type: "spki" });
  } catch (cause) {
    throw new CertificateError("The public key of the certificate request cannot be parsed.", { cause });
  }
}

function signatureProblem(
  key: KeyObject,
  digest: string | null | undefined,
  { data, signature }: { readonly data: Uint8Array; readonly signature: Uint8Array },
): string | undefined {
  if (digest === undefined) return "x509: cannot verify signature: algorithm unimplemented";
  const isFittingKey = (digest === null) === (key.asymmetricKeyType === "ed25519");
  if (isFittingKey && verify(digest, data, key, signature)) return undefined;
  switch (key.asymmetricKeyType) {
    case "rsa":
      return "crypto/rsa: verification error";
    case "ed25519":
      return "x509: Ed25519 verification failure";
    default:
      return "x509: ECDSA verification failure";
  }
}
