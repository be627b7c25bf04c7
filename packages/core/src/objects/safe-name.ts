import { ArgumentError } from "../errors/argument-error.ts";
import { nameAlphabet } from "../seams/random.ts";
import {
  dns1035LabelProblems,
  dnsLabelLengthMax,
  dnsLabelProblems,
  dnsSubdomainLengthMax,
  dnsSubdomainProblems,
} from "./names.ts";
import { sha256 } from "./sha256.ts";

/** The form of a name. */
export type NameForm = "dns-label" | "dns-1035-label" | "dns-subdomain";

/** Options of {@link safeName}. */
export interface SafeNameOptions {
  /** The parts of the name, which are joined with `-`. */
  readonly parts: readonly string[];
  /** The maximum length of the name, at least 12 and at most 63 for a label or 253 for a subdomain. Default 63. */
  readonly lengthMax?: number;
  /** The form of the name. Default `dns-label`. */
  readonly form?: NameForm;
  /**
   * When to append a hash of the parts: only if they had to be changed or truncated, or always. Default `when-changed`. Use
   * `always` if the parts come from different users: `["a", "b-c"]` and `["a-b", "c"]` give the same text when joined, and only
   * a hash distinguishes them.
   */
  readonly hash?: "when-changed" | "always";
}

const hashLength = 10;

const problemsOf: Readonly<Record<NameForm, (name: string) => string[]>> = {
  "dns-label": dnsLabelProblems,
  "dns-1035-label": dns1035LabelProblems,
  "dns-subdomain": dnsSubdomainProblems,
};

/**
 * Returns a valid name for any parts, always the same for the same parts.
 *
 * If the joined parts are a valid name, they are returned unchanged. Otherwise the text is converted to lowercase, invalid
 * characters are replaced by `-`, it is truncated, and a hash of the original parts is appended, so that different parts that
 * are truncated to the same text still get different names.
 *
 * @example
 * safeName({ parts: ["checkout", "worker"] }); // "checkout-worker"
 * safeName({ parts: ["Check Out", "worker"] }); // "check-out-worker-" and ten characters
 */
export function safeName({
  parts,
  lengthMax = 63,
  form = "dns-label",
  hash = "when-changed",
}: SafeNameOptions): string {
  checkLength(lengthMax, form);
  const joined = parts.join("-");
  const fits = joined.length <= lengthMax && problemsOf[form](joined).length === 0;
  if (fits && hash === "when-changed") return joined;
  const stem = cleaned(joined, form)
    .slice(0, lengthMax - hashLength - 1)
    .replace(/[-.]+$/, "");
  return `${stem === "" ? "x" : stem}-${hashOf(parts)}`;
}

function checkLength(lengthMax: number, form: NameForm): void {
  const max = form === "dns-subdomain" ? dnsSubdomainLengthMax : dnsLabelLengthMax;
  if (Number.isInteger(lengthMax) && lengthMax >= hashLength + 2 && lengthMax <= max) return;
  const problem = `is ${lengthMax}; for a ${form} it must be an integer from ${hashLength + 2} to ${max}.`;
  throw new ArgumentError({ argument: "lengthMax", problem });
}

/** Replaces characters that the form does not allow. The result may still end with `-` or `.`. */
function cleaned(text: string, form: NameForm): string {
  // Longer than any name: the rest only affects the hash.
  const head = text.slice(0, 1000).toLowerCase();
  if (form !== "dns-subdomain") {
    return head.replace(/[^a-z0-9]/g, "-").replace(form === "dns-label" ? /^-+/ : /^[-0-9]+/, "");
  }
  return head
    .replace(/[^a-z0-9.]/g, "-")
    .split(".")
    .map((label) => label.replace(/^-+|-+$/g, ""))
    .filter((label) => label !== "")
    .join(".");
}

/** Returns ten characters of a hash of the parts. They have about 47 bits, which makes deliberate collisions expensive. */
function hashOf(parts: readonly string[]): string {
  // As JSON, not joined, so that the boundaries of the parts count.
  const [high = 0, low = 0] = sha256(JSON.stringify(parts));
  let rest = (BigInt(high) << 32n) | BigInt(low);
  const base = BigInt(nameAlphabet.length);
  let text = "";
  while (text.length < hashLength) {
    text += nameAlphabet[Number(rest % base)];
    rest /= base;
  }
  return text;
}
