import { type KeyObject, createHash, createPrivateKey, randomBytes, sign } from "node:crypto";
import * as der from "./der.ts";
import { CertificateError } from "./errors.ts";
import { generateKeys } from "./generate-keys.ts";
import { addressBytes, isAddress } from "./address.ts";
import { openPair } from "./read.ts";
import { subjectOf } from "./subject-of.ts";

/** Subject of a certificate. Kubernetes uses the common name as the user and the organization as the group. */
export interface Subject {
  readonly commonName: string;
  readonly organization?: string;
}

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** Extended key usage of a certificate: for servers or for clients. */
export type Usage = "server" | "client";

/** Content of a certificate to be issued. */
export interface CertificateRequest {
  readonly subject: Subject;
  /** Host names and IPv4 and IPv6 addresses of a server (subject alternative names). */
  readonly hosts?: readonly string[];
  /** Default: both. A CA has none. */
  readonly usages?: readonly Usage[];
  /** Start of the validity. Certificates have a precision of one second. */
  readonly validFrom: Date;
  readonly validUntil: Date;
}

const ids = {
  commonName: "2.5.4.3",
  organization: "2.5.4.10",
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  subjectKeyId: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyId: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
  clientAuth: "1.3.6.1.5.5.7.3.2",
};

/**
 * Creates a self-signed certificate authority.
 *
 * Throws a {@link CertificateError} if the request is invalid, such as an end before the start.
 */
export function makeAuthority(request: CertificateRequest): KeyPair {
  checkRequest(request);
  const { publicKey, privateKey } = generateKeys("P-256");
  const issuer = name(request.subject);
  const cert = certificate({ request, publicKey, issuer, issuerKey: privateKey, isAuthority: true });
  const authority = { cert, key: pem(privateKey) };
  signers.set(authority, { issuer, issuerKey: privateKey });
  return authority;
}

/**
 * Issues a certificate for a server, a client or both, signed by an authority.
 *
 * Throws a {@link CertificateError} if the authority cannot be parsed or is not a CA, or if the request is invalid.
 */
export function issue(authority: KeyPair, request: CertificateRequest): KeyPair {
  checkRequest(request);
  const { issuer, issuerKey } = signerOf(authority);
  const { publicKey, privateKey } = generateKeys("P-256");
  const cert = certificate({ request, publicKey, issuer, issuerKey, isAuthority: false });
  return { cert, key: pem(privateKey) };
}

type Signer = Pick<Parts, "issuer" | "issuerKey">;

/** Parsed authorities. Parsing the key is most of the cost of a certificate. */
const signers = new WeakMap<KeyPair, Signer>();

function signerOf(authority: KeyPair): Signer {
  const cached = signers.get(authority);
  if (cached !== undefined) return cached;
  const signer = openPair(authority);
  if (!signer.ca) throw new CertificateError("The authority is not a CA certificate and cannot sign others.");
  const opened = { issuer: subjectOf(signer.raw), issuerKey: createPrivateKey(authority.key) };
  signers.set(authority, opened);
  return opened;
}

function checkRequest({ subject, hosts = [], validFrom, validUntil }: CertificateRequest): void {
  if (!(validFrom.getTime() < validUntil.getTime())) {
    throw new CertificateError(
      `The certificate for ${subject.commonName} would expire before it is valid. Set validFrom before validUntil.`,
    );
  }
  const invalidHost = hosts.find((host) => !/^[\x21-\x7e]+$/.test(host));
  if (invalidHost !== undefined)
    throw new CertificateError(`${JSON.stringify(invalidHost)} is not a host name or IP address.`);
}

/** Generates a key pair for signing tokens, PEM. */
export function makeSigningKey(): { privateKey: string; publicKey: string } {
  const { publicKey, privateKey } = generateKeys("P-256");
  return { privateKey: pem(privateKey), publicKey: publicKey.export({ type: "spki", format: "pem" }).toString() };
}

interface Parts {
  readonly request: CertificateRequest;
  readonly publicKey: KeyObject;
  /** Name of the issuer, DER-encoded. */
  readonly issuer: Uint8Array;
  readonly issuerKey: KeyObject;
  readonly isAuthority: boolean;
}

/** Builds and signs an X.509 version 3 certificate (RFC 5280) with an ECDSA key on P-256. Returns PEM. */
function certificate({ request, publicKey, issuer, issuerKey, isAuthority }: Parts): string {
  const algorithm = der.sequence(der.objectIdentifier(ids.ecdsaWithSha256));
  const signed = der.sequence(
    der.explicit(0, der.integer(Buffer.from([2]))),
    der.integer(serialNumber()),
    algorithm,
    issuer,
    der.sequence(der.time(request.validFrom), der.time(request.validUntil)),
    name(request.subject),
    publicKey.export({ type: "spki", format: "der" }),
    der.explicit(3, der.sequence(...extensions({ request, publicKey, issuerKey, isAuthority }))),
  );
  const signature = sign("sha256", signed, { key: issuerKey, dsaEncoding: "der" });
  const signedCertificate = der.sequence(signed, algorithm, der.bitString(signature));
  const lines = signedCertificate.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function extensions({ request, publicKey, issuerKey, isAuthority }: Omit<Parts, "issuer">): Buffer[] {
  // Key usage bits are numbered from the left: 0 digital signature, 5 sign certificates, 6 sign revocation lists.
  const usage = isAuthority
    ? der.bitString(Buffer.from([0b1000_0110]), 1)
    : der.bitString(Buffer.from([0b1000_0000]), 7);
  const common = [
    extension(ids.basicConstraints, der.sequence(...(isAuthority ? [der.boolean(true)] : [])), { critical: true }),
    extension(ids.keyUsage, usage, { critical: true }),
    extension(ids.subjectKeyId, der.octetString(keyId(publicKey))),
    extension(ids.authorityKeyId, der.sequence(der.implicit(0, keyId(issuerKey)))),
  ];
  if (isAuthority) return common;
  const { hosts = [], usages = ["server", "client"] } = request;
  const purposes = usages.map((usage) => der.objectIdentifier(usage === "server" ? ids.serverAuth : ids.clientAuth));
  return [
    ...common,
    extension(ids.extendedKeyUsage, der.sequence(...purposes)),
    ...(hosts.length === 0 ? [] : [extension(ids.subjectAltName, der.sequence(...hosts.map(hostName)))]),
  ];
}

function extension(id: string, value: Uint8Array, { critical = false } = {}): Buffer {
  return der.sequence(der.objectIdentifier(id), ...(critical ? [der.boolean(true)] : []), der.octetString(value));
}

function hostName(host: string): Buffer {
  return isAddress(host) ? der.implicit(7, addressBytes(host)) : der.implicit(2, Buffer.from(host));
}

function name({ commonName, organization }: Subject): Buffer {
  const part = (id: string, value: string): Buffer =>
    der.setOf(der.sequence(der.objectIdentifier(id), der.utf8String(value)));
  return der.sequence(
    ...(organization === undefined ? [] : [part(ids.organization, organization)]),
    part(ids.commonName, commonName),
  );
}

/** Returns 127 random bits: positive, and zero only with negligible probability. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes.writeUInt8(bytes.readUInt8(0) & 0x7f, 0);
  return bytes;
}

/**
 * Returns the key identifier: the SHA-1 hash of the public point (RFC 5280, section 4.2.1.2), which has 65 bytes on
 * P-256.
 */
function keyId(key: KeyObject): Buffer {
  const jwk = key.export({ format: "jwk" });
  const point = [Buffer.from([4]), Buffer.from(jwk.x ?? "", "base64url"), Buffer.from(jwk.y ?? "", "base64url")];
  return createHash("sha1").update(Buffer.concat(point)).digest();
}

function pem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}
