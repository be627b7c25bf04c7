import { X509Certificate } from "node:crypto";
import { quote } from "@homeostat/cel";
import { dnsLabelProblems, dnsSubdomainProblems } from "@homeostat/core";
import type { Field } from "../../../validation/field.ts";
import { readSigningRequest } from "./pkcs10.ts";

const usages = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];

const expirationSecondsMin = 600;
const domainLengthMax = 253;
const signerNameLengthMax = domainLengthMax + domainLengthMax + 63 + 2;

/** Validates the spec of a CertificateSigningRequest, including the signature of the PKCS#10 request. */
export function validateSigningRequest(object: Field): void {
  const spec = object.at("spec");
  const request = readSigningRequest(spec.at("request").text);
  const problem = typeof request === "string" ? request : request.signatureProblem;
  if (problem !== undefined) spec.at("request").invalid(problem);
  const listed = spec.at("usages");
  if (listed.length === 0) listed.required();
  for (const usage of listed.items()) if (!usages.includes(usage.text)) usage.notSupported(usages);
  const seen = new Set<string>();
  for (const usage of listed.items()) {
    if (seen.has(usage.text)) usage.duplicate();
    seen.add(usage.text);
  }
  const signer = spec.at("signerName");
  if (signer.text === "kubernetes.io/legacy-unknown") {
    signer.invalid("the legacy signerName is not allowed via this API version");
  } else validateSignerName(signer);
  const expiration = spec.at("expirationSeconds");
  if (expiration.isSet && expiration.number < expirationSecondsMin)
    expiration.invalid("may not specify a duration less than 600 seconds (10 minutes)");
}

/** Validates the name of a signer: a domain and a path, as in `example.com/signer-name`. */
function validateSignerName(signer: Field): void {
  if (signer.text === "") return signer.required();
  const [domain = "", path = "", ...more] = signer.text.split("/");
  if (more.length > 0 || !signer.text.includes("/"))
    return signer.invalid("must be a fully qualified domain and path of the form 'example.com/signer-name'");
  if (domain.length > domainLengthMax) signer.tooLong(domainLengthMax);
  const labels = domain.split(".");
  reportFirst(signer.with(domain), labels, dnsLabelProblems);
  if (labels.length < 2) signer.with(domain).invalid("should be a domain with at least two segments separated by dots");
  reportFirst(signer.with(path), path.split("."), dnsSubdomainProblems);
  if (signer.text.length > signerNameLengthMax) signer.tooLong(signerNameLengthMax);
}

/** Reports the problems of the first invalid label only, as kube-apiserver does. */
function reportFirst(field: Field, labels: readonly string[], problemsOf: (label: string) => string[]): void {
  const label = labels.find((each) => problemsOf(each).length > 0);
  if (label === undefined) return;
  field.each(problemsOf(label).map((problem) => `validating label ${quote(label)}: ${problem}`));
}

/** Validates a write of the subresource `status`: it may set the certificate, and may not approve or deny. */
export function validateSigningStatus(object: Field, old: Field): void {
  validateStatus(object, old);
  const conditions = object.at("status").at("conditions");
  for (const type of ["Approved", "Denied"]) {
    if (countOf(object, type) > countOf(old, type))
      conditions.forbidden(`updates may not add a condition of type ${quote(type)}`);
  }
  const [after, before] = [object.at("status").at("certificate"), old.at("status").at("certificate")];
  if (after.text !== before.text && before.text !== "")
    after.forbidden("updates may not modify existing certificate content");
}

/** Validates a write of the subresource `approval`. */
export function validateApproval(object: Field, old: Field): void {
  validateStatus(object, old);
}

function validateStatus(object: Field, old: Field): void {
  validateConditions(object.at("status").at("conditions"), old);
  const [after, before] = [object.at("status").at("certificate"), old.at("status").at("certificate")];
  // An unchanged or already invalid certificate is tolerated.
  if (after.text !== before.text && certificateProblem(before.text) === undefined) {
    const problem = certificateProblem(after.text);
    if (problem !== undefined) after.invalid(problem, "<certificate data>");
  }
  for (const type of ["Approved", "Denied", "Failed"]) {
    if (countOf(object, type) < countOf(old, type))
      object
        .at("status")
        .at("conditions")
        .forbidden(`updates may not remove a condition of type ${quote(type)}`);
  }
}

function validateConditions(conditions: Field, old: Field): void {
  const wasBoth = countOf(old, "Approved") > 0 && countOf(old, "Denied") > 0;
  const oldTypes = typesOf(old);
  const hadDuplicates = new Set(oldTypes).size < oldTypes.length;
  const seen = new Set<string>();
  for (const condition of conditions.items()) {
    const [type, status] = [condition.at("type"), condition.at("status")];
    if (type.text === "" && !oldTypes.includes("")) type.required();
    status.oneOf(["Approved", "Denied", "Failed"].includes(type.text) ? ["True"] : ["False", "True", "Unknown"], {
      isRequired: true,
    });
    const opposite = type.text === "Approved" ? "Denied" : type.text === "Denied" ? "Approved" : undefined;
    if (!wasBoth && opposite !== undefined && seen.has(opposite))
      conditions.invalid("Approved and Denied conditions are mutually exclusive", type.text);
    if (!hadDuplicates && seen.has(type.text)) type.duplicate();
    seen.add(type.text);
  }
}

function typesOf(object: Field): string[] {
  return object
    .at("status")
    .at("conditions")
    .items()
    .map((condition) => condition.at("type").text);
}

function countOf(object: Field, type: string): number {
  return typesOf(object).filter((each) => each === type).length;
}

/** Returns the problem of `status.certificate`, which is base64 of PEM; undefined when it is valid. */
function certificateProblem(base64: string): string | undefined {
  if (base64 === "") return undefined;
  const pem = Buffer.from(base64, "base64").toString("latin1");
  const blocks = [...pem.matchAll(/^-----BEGIN ([^\n]*)-----[ \t\r]*\n([^-]*)^-----END \1-----[ \t\r]*$/gm)];
  for (const [block, type = "", body = ""] of blocks) {
    if (type !== "CERTIFICATE") return `only CERTIFICATE PEM blocks are allowed, found ${quote(type)}`;
    if (body.includes(":")) return "no PEM block headers are permitted";
    try {
      void new X509Certificate(block);
    } catch {
      return "x509: malformed certificate";
    }
  }
  return blocks.length === 0 ? "must contain at least one CERTIFICATE PEM block" : undefined;
}
