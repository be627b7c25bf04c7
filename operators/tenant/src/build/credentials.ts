interface Common {
  readonly password: string;
  /** The last value of the annotation that requests a rotation. */
  readonly token: string | undefined;
  readonly stepAtMs: number;
  readonly rotatedAtMs: number;
}

/**
 * The passwords of a Redis and the step of their rotation. Everything else in the Secret follows from them.
 *
 *     done ──requested──▶ overlap ──Redis rolled──▶ clients ──clients rolled──▶ cleanup ──Redis rolled──▶ done
 */
export type Credentials =
  /** One password, which all clients use. */
  | (Common & { readonly step: "done" })
  /** Redis is being restarted to accept the new password as well; clients still use the previous one. */
  | (Common & { readonly step: "overlap"; readonly previous: string })
  /** Clients switch to the new password. */
  | (Common & { readonly step: "clients"; readonly previous: string })
  /** Redis is being restarted to accept only the new password. */
  | (Common & { readonly step: "cleanup" });

/** Returns the password that clients use in this step. */
export function clientPassword(credentials: Credentials): string {
  return credentials.step === "overlap" ? credentials.previous : credentials.password;
}

/** Returns the passwords that Redis accepts in this step, the newest first. */
export function acceptedPasswords(credentials: Credentials): readonly string[] {
  return "previous" in credentials ? [credentials.password, credentials.previous] : [credentials.password];
}

/** A cryptographically secure source of bytes. */
export type SecureBytes = (count: number) => Uint8Array;

/** Generates a password: 32 secure bytes as base64url. */
export function newPassword(secureBytes: SecureBytes): string {
  return Buffer.from(secureBytes(32)).toString("base64url");
}

const lengthMin = 16;
const lengthMax = 128;

/** Returns the problem of a text as Redis password; undefined for a valid one. The message never contains the text. */
export function passwordProblem(text: string): string | undefined {
  if (text.length < lengthMin || text.length > lengthMax)
    return `the password must have ${lengthMin} to ${lengthMax} characters, but has ${text.length}`;
  // The most frequent mistake is a line break at the end, from the file that the Secret was created from.
  if (!/^[!-~]*$/.test(text))
    return "the password must contain only printable ASCII characters: no spaces and no line breaks, not even at the end";
  return undefined;
}
