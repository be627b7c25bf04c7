export { normalHost } from "./address.ts";
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
export { type CertificateFacts, checkPair, isSignedBy, readCertificate, splitCertificates } from "./read.ts";
