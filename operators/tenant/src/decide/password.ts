/** Gives that many bytes which nobody can guess. */
export type SecureBytes = (count: number) => Uint8Array;

const passwordBytes = 32;
const lengthMin = 16;
const lengthMax = 128;

/** A new password: 32 bytes of the secure source, in letters, digits, `-` and `_`. */
export function newPassword(secureBytes: SecureBytes): string {
  return Buffer.from(secureBytes(passwordBytes)).toString("base64url");
}

/** Why a text cannot be a password of Redis; undefined when it can. Never tells the text. */
export function passwordProblem(text: string): string | undefined {
  if (text.length < lengthMin || text.length > lengthMax)
    return `a password has ${lengthMin} to ${lengthMax} characters, and this one has ${text.length}`;
  // A line break at its end is the most frequent mistake: it came with the file that the Secret was made from.
  if (!/^[!-~]*$/.test(text))
    return "a password has printable ASCII characters only, and neither spaces nor line breaks, also not at its end";
  return undefined;
}
