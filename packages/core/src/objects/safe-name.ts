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

/** The rule a name must follow. */
export type NameForm = "dns-label" | "dns-1035-label" | "dns-subdomain";

/** What {@link safeName} makes a name of. */
export interface SafeNameOptions {
  /** The parts of the name, which are joined by `-`. */
  readonly parts: readonly string[];
  /** How long the name may be. Default 63; at most 63 for a label, 253 for a subdomain, and at least 12. */
  readonly lengthMax?: number;
  /** The rule it must follow. Default `dns-label`. */
  readonly form?: NameForm;
  /**
   * When the name ends in a hash of the parts: only when they had to be changed or cut, or always. Default
   * `when-changed`. Take `always` where the parts come from different people: `["a", "b-c"]` and `["a-b", "c"]` are
   * the same text when joined, and only a hash tells them apart.
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
 * A valid name made of any parts, always the same for the same parts.
 *
 * Parts that fit are joined as they are. Otherwise the text is made lower case, what is not allowed in it becomes `-`,
 * it is cut, and ends in a hash of the parts as they were, so that different parts that would be cut to the same
 * text still get different names.
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
  const problem = `is ${lengthMax}; for a ${form} it must be a whole number from ${hashLength + 2} to ${max}.`;
  throw new ArgumentError({ argument: "lengthMax", problem });
}

/** The text with nothing in it that the form does not allow, but for what may stand at its end. */
function cleaned(text: string, form: NameForm): string {
  // Longer than any name: the rest counts in the hash alone.
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

/** Ten characters of the hash of the parts; about 47 bits, so that even a collision sought on purpose is hard work. */
function hashOf(parts: readonly string[]): string {
  // As JSON, not joined: where one part ends and the next begins counts.
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
