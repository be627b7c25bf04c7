// Formats of identifiers and codes: UUID, ISBN, MAC address, colors and others.

/** Reports whether a string has the format `uuid3`. */
export function isUuid3(text: string): boolean {
  return /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text);
}

/** Reports whether a string has the format `uuid4`. */
export function isUuid4(text: string): boolean {
  return /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text);
}

/** Reports whether a string has the format `uuid5`. */
export function isUuid5(text: string): boolean {
  return /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text);
}

/** Reports whether a string has the format `bsonobjectid`: 24 hexadecimal digits. */
export function isBsonObjectId(text: string): boolean {
  return /^[0-9a-f]{24}$/i.test(text);
}

/** Reports whether a string has the format `mac`: 6, 8 or 20 bytes in hexadecimal, with colons, dashes, dots or nothing. */
export function isMac(text: string): boolean {
  const digits = /^[0-9a-f]{2}(?:([:-])[0-9a-f]{2}(?:\1[0-9a-f]{2})*)$/i.test(text)
    ? (text.length + 1) / 3
    : /^[0-9a-f]{4}(?:\.[0-9a-f]{4})+$/i.test(text)
      ? (2 * (text.length + 1)) / 5
      : /^[0-9a-f]+$/i.test(text)
        ? text.length / 2
        : 0;
  return [6, 8, 20].includes(digits);
}

/** Reports whether a string has the format `isbn10`. Spaces and dashes are ignored. */
export function isIsbn10(text: string): boolean {
  const code = compact(text);
  if (!/^[0-9]{9}[0-9X]$/.test(code)) return false;
  const sum = code
    .split("")
    .reduce((total, digit, index) => total + (index + 1) * (digit === "X" ? 10 : Number(digit)), 0);
  return sum % 11 === 0;
}

/** Reports whether a string has the format `isbn13`. Spaces and dashes are ignored. */
export function isIsbn13(text: string): boolean {
  const code = compact(text);
  if (!/^[0-9]{13}$/.test(code)) return false;
  const sum = code.split("").reduce((total, digit, index) => total + (index % 2 === 0 ? 1 : 3) * Number(digit), 0);
  return sum % 10 === 0;
}

/** Reports whether a string has the format `isbn`. */
export function isIsbn(text: string): boolean {
  return isIsbn10(text) || isIsbn13(text);
}

function compact(text: string): string {
  return text.replace(/[\t\n\f\r -]+/g, "");
}

const cardNumber =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$/;

/** Reports whether a string has the format `creditcard`: a known series of numbers with a right check digit. */
export function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, "");
  if (!cardNumber.test(digits)) return false;
  const sum = digits
    .split("")
    .reverse()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}

/** Reports whether a string has the format `ssn`: three, two and four digits with a dash or a space between. */
export function isSocialSecurityNumber(text: string): boolean {
  return /^[0-9]{3}[- ][0-9]{2}[- ][0-9]{4}$/.test(text);
}

/** Reports whether a string has the format `hexcolor`. */
export function isHexColor(text: string): boolean {
  return /^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(text);
}

const part = "[\\t\\n\\f\\r ]*(?:0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])[\\t\\n\\f\\r ]*";
const rgb = new RegExp(`^rgb\\(${part},${part},${part}\\)$`);

/** Reports whether a string has the format `rgbcolor`. */
export function isRgbColor(text: string): boolean {
  return rgb.test(text);
}
