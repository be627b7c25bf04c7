import { CertificateError, readCertificate, splitCertificates } from "@homeostat/x509";

/** Returns what is wrong with the authorities of an endpoint; undefined if each of them is a CA certificate that can be read. */
export function caBundleProblem(bundle: string): string | undefined {
  const certificates = splitCertificates(bundle);
  if (certificates.length === 0)
    return "has no certificate; it must be PEM, such as the ca.crt of the Secret of the Service";
  for (const [index, certificate] of certificates.entries()) {
    try {
      if (!readCertificate(certificate).isAuthority)
        return `has a certificate at index ${index} that is not one of an authority; use the certificate of its issuer`;
    } catch (error) {
      if (!(error instanceof CertificateError)) throw error;
      return `has a certificate at index ${index} that cannot be read; copy the PEM text again`;
    }
  }
  return undefined;
}
