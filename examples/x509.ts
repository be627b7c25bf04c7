// Creates a certificate authority and a serving certificate, and reads it back.
//
// Prints:
//   valid for shop.default.svc until 2026-04-01T00:00:00.000Z
//   signed by shop-ca: true

import { issue, isSignedBy, makeAuthority, readCertificate } from "@homeostat/x509";

// region: issue
const validFrom = new Date("2026-01-01T00:00:00Z");
const authority = makeAuthority({
  subject: { commonName: "shop-ca" },
  validFrom,
  validUntil: new Date("2027-01-01T00:00:00Z"),
});
const serving = issue(authority, {
  subject: { commonName: "shop" },
  hosts: ["shop.default.svc"],
  usages: ["server"],
  validFrom,
  validUntil: new Date("2026-04-01T00:00:00Z"),
});

const { hosts, validUntil } = readCertificate(serving.cert);
console.log(`valid for ${hosts.join(", ")} until ${validUntil.toISOString()}`);
console.log(`signed by shop-ca: ${isSignedBy(serving.cert, authority.cert)}`);
// endregion
