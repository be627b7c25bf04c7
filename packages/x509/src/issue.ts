import { type KeyObject, createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import * as der from "./der.ts";
import { CertificateError } from "./errors.ts";
import { addressBytes, isAddress } from "./address.ts";
import { openPair } from "./read.ts";
import { subjectOf } from "./subject-of.ts";

/** Whom a certificate speaks for. Kubernetes reads the common name as user and the organization as group. */
export interface Subject {
  readonly commonName: string;
  readonly organization?: string;
}

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** What the holder of a certificate may be: a server, a client of one, or both. */
export type Usage = "server" | "client";

/** What a certificate shall say. */
export interface CertificateRequest {
  readonly subject: Subject;
  /** The names and the IPv4 and IPv6 addresses a server may be reached by. */
  readonly hosts?: readonly string[];
  /** Both unless said otherwise. An authority has none. */
  readonly usages?: readonly Usage[];
  /** To the second; a certificate knows nothing finer. */
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
 * Makes a certificate authority that vouches for itself.
 *
 * Throws a {@link CertificateError} when the request cannot be met, such as one that ends before it begins.
 */
export function makeAuthority(request: CertificateRequest): KeyPair {
  checkRequest(request);
  const { publicKey, privateKey } = newKeys();
  const issuer = name(request.subject);
  const cert = certificate({ request, publicKey, issuer, issuerKey: privateKey, isAuthority: true });
  const authority = { cert, key: pem(privateKey) };
  signers.set(authority, { issuer, issuerKey: privateKey });
  return authority;
}

/**
 * Makes a certificate for a server, a client or both, signed by an authority.
 *
 * Throws a {@link CertificateError} when the authority cannot be read or is none, or the request cannot be met.
 */
export function issue(authority: KeyPair, request: CertificateRequest): KeyPair {
  checkRequest(request);
  const { issuer, issuerKey } = signerOf(authority);
  const { publicKey, privateKey } = newKeys();
  const cert = certificate({ request, publicKey, issuer, issuerKey, isAuthority: false });
  return { cert, key: pem(privateKey) };
}

type Signer = Pick<Parts, "issuer" | "issuerKey">;

/** Authorities that have signed before: the reading of keys is most of what a certificate costs. */
const signers = new WeakMap<KeyPair, Signer>();

function signerOf(authority: KeyPair): Signer {
  const known = signers.get(authority);
  if (known !== undefined) return known;
  const signer = openPair(authority);
  if (!signer.ca) throw new CertificateError("The authority is a certificate that may not sign others.");
  const made = { issuer: subjectOf(signer.raw), issuerKey: createPrivateKey(authority.key) };
  signers.set(authority, made);
  return made;
}

function checkRequest({ subject, hosts = [], validFrom, validUntil }: CertificateRequest): void {
  if (!(validFrom.getTime() < validUntil.getTime())) {
    throw new CertificateError(`A certificate for ${subject.commonName} would end before it begins.`);
  }
  const bad = hosts.find((host) => !/^[\x21-\x7e]+$/.test(host));
  if (bad !== undefined) throw new CertificateError(`${JSON.stringify(bad)} is no name or address of a host.`);
}

/** A private key with its public half, PEM, for signing tokens. */
export function makeSigningKey(): { privateKey: string; publicKey: string } {
  const { publicKey, privateKey } = newKeys();
  return { privateKey: pem(privateKey), publicKey: publicKey.export({ type: "spki", format: "pem" }).toString() };
}

interface Parts {
  readonly request: CertificateRequest;
  readonly publicKey: KeyObject;
  /** Its name, as bytes. */
  readonly issuer: Uint8Array;
  readonly issuerKey: KeyObject;
  readonly isAuthority: boolean;
}

/** An X.509 version 3 certificate (RFC 5280) with ECDSA keys on P-256, as PEM. */
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
  const whole = der.sequence(signed, algorithm, der.bitString(signature));
  const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function extensions({ request, publicKey, issuerKey, isAuthority }: Omit<Parts, "issuer">): Buffer[] {
  // Usage bits are counted from the left: 0 digital signature, 5 sign certificates, 6 sign revocation lists.
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

/** 127 random bits: never zero in practice, never negative. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes.writeUInt8(bytes.readUInt8(0) & 0x7f, 0);
  return bytes;
}

/** Names a key by the hash of its point, which is the end of its encoding: 65 bytes on P-256. */
function keyId(key: KeyObject): Buffer {
  const jwk = key.export({ format: "jwk" });
  const point = [Buffer.from([4]), Buffer.from(jwk.x ?? "", "base64url"), Buffer.from(jwk.y ?? "", "base64url")];
  return createHash("sha1").update(Buffer.concat(point)).digest();
}

function newKeys(): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

function pem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}
