// Admission
export { handleAdmissionReview, type AdmissionReviewOptions } from "./admission/admission-review.ts";
export {
  type Admission,
  type AdmissionWebhook,
  type DecideOptions,
  type Mutated,
  type MutatingContext,
  type MutatingDefinition,
  mutatingWebhook,
  type ValidatingDefinition,
  validatingWebhook,
  type WebhookCalls,
} from "./admission/define-admission.ts";
export {
  type Cause,
  type CauseReason,
  denialMessage,
  type Finding,
  type Findings,
  type Verdict,
} from "./admission/findings.ts";
export { findingOf, invalidMessage } from "./admission/problem-findings.ts";
export type { AdmissionContext, AdmissionUser, Operation } from "./admission/request.ts";

// Conversion
export { handleConversionReview } from "./conversion/conversion-review.ts";

// Errors
export { RotationConflictError } from "./certificates/rotation-conflict-error.ts";
export { AdmissionDeniedError, type Denial, ReviewError, ReviewTooLargeError } from "./errors.ts";
export type { ReviewLimits } from "./review/limits.ts";
export type { WebhookResponse, WebhookResponseReport } from "./review/response.ts";

// Server
export type { ClientCertificates } from "./server/client-certificate.ts";
export { type WebhookObserver, webhookMetrics } from "./server/observer.ts";
export type { RoutesOptions } from "./server/routes.ts";
export { WebhookServer, type WebhookServerOptions } from "./server/server.ts";

// Certificates
export { CertificateFiles, type CertificateFilesOptions } from "./certificates/files.ts";
export { CertificateKeeper, type CertificateKeeperOptions } from "./certificates/keeper.ts";
export type { CertificateRotationInput, CertificateRotationStep } from "./certificates/decide.ts";
export type { CertificatePolicy } from "./certificates/policy.ts";
export type { CaBundleTarget, SecretStore, StoredSecret } from "./certificates/ports.ts";
export type { CertificateState, DatedPair, RetiredAuthority } from "./certificates/state.ts";

// Manifests
export { type CaBundleAccess, caBundleTarget } from "./manifests/ca-bundle.ts";
export { clientConfig, type WebhookLocation } from "./manifests/client-config.ts";
export { type WebhookManifestOptions, type WebhookManifests, webhookManifests } from "./manifests/configurations.ts";
