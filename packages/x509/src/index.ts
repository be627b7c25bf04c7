export { normalizeHost } from "./address.ts";
export { CertificateError } from "./errors.ts";
export { type GeneratedKeys, generateKeys, type KeyType } from "./generate-keys.ts";
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
export {
  type PreviewClaims,
  type PreviewSigner,
  PreviewVerifier,
  signPreviewToken,
  type TokenKey,
  type TokenProblem,
  type VerifiedToken,
} from "./preview-token.ts";
export { generateRecipient, openToken, type RecipientKeys, sealToken } from "./sealed-token.ts";
