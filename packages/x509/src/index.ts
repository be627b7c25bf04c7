export { normalizeHost } from "./address.ts";
export { CertificateError } from "./errors.ts";
export {
  type CertificateRequest,
  issue,
  type KeyPair,
  makeAuthority,
  makeSigningKey,
  type Subject,
  type Usage,
} from "./issue.ts";
export { type CertificateInfo, checkPair, isSignedBy, readCertificate, splitCertificates } from "./read.ts";
