// A parser of the text format, written from the format's description alone and sharing no code with the writer.

/** One sample: name, labels and value. */
export interface Sample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

/** The samples under one `# TYPE`, with name, type and help. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: readonly Sample[];
}

/** Parses a page. Throws at the first deviation from the format. */
export function parsePage(page: string): readonly Family[] {
  if (page === "") return [];
  if (!page.endsWith("\n")) throw new Error("the last line has no end");
  const families: { name: string; help: string; type: string; samples: Sample[] }[] = [];
  const lines = page.slice(0, -1).split("\n");
  for (let i = 0; i < lines.length; i += 1) {
    const line = lines[i] ?? "";
    if (line.startsWith("# HELP ")) {
      const [, name = "", help = ""] = /^# HELP ([^ ]+) (.*)$/su.exec(line) ?? [];
      const [, typeName, type = ""] = /^# TYPE ([^ ]+) (counter|gauge|histogram)$/.exec(lines[(i += 1)] ?? "") ?? [];
      if (typeName !== name || name === "") throw new Error(`HELP and TYPE differ at ${line}`);
      if (families.some((family) => family.name === name)) throw new Error(`${name} comes twice`);
      families.push({ name, help: unescape(help, false), type, samples: [] });
    } else {
      const sample = parseSample(line);
      const family = families.at(-1);
      if (family === undefined || !belongs(sample.name, family)) throw new Error(`${line} stands under no head`);
      if (family.samples.some((other) => isSame(other, sample))) throw new Error(`${line} comes twice`);
      family.samples.push(sample);
    }
  }
  return families;
}

function belongs(name: string, { name: family, type }: { name: string; type: string }): boolean {
  return type === "histogram" ? /^_(?:bucket|sum|count)$/.test(name.slice(family.length)) : name === family;
}

function isSame(a: Sample, b: Sample): boolean {
  return a.name === b.name && JSON.stringify([...a.labels]) === JSON.stringify([...b.labels]);
}

function parseSample(line: string): Sample {
  const name = /^[a-zA-Z_:][a-zA-Z0-9_:]*/.exec(line)?.[0];
  if (name === undefined) throw new Error(`no name: ${line}`);
  const labels = new Map<string, string>();
  let at = name.length;
  if (line[at] === "{") {
    do {
      const start = at + 1;
      const equals = line.indexOf("=", start);
      const label = line.slice(start, equals);
      if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(label) || labels.has(label)) throw new Error(`bad label: ${line}`);
      if (line[equals + 1] !== '"') throw new Error(`no quote: ${line}`);
      const end = closingQuote(line, equals + 2);
      labels.set(label, unescape(line.slice(equals + 2, end), true));
      at = end + 1;
    } while (line[at] === ",");
    if (line[at] !== "}") throw new Error(`no closing brace: ${line}`);
    at += 1;
  }
  if (line[at] !== " ") throw new Error(`no space before the value: ${line}`);
  return { name, labels, value: parseValue(line.slice(at + 1)) };
}

function closingQuote(line: string, from: number): number {
  for (let i = from; i < line.length; i += 1) {
    if (line[i] === "\\") i += 1;
    else if (line[i] === '"') return i;
  }
  throw new Error(`no closing quote: ${line}`);
}

function unescape(text: string, withQuotes: boolean): string {
  let result = "";
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i];
    if (character !== "\\") {
      result += character;
      continue;
    }
    const escaped = text[(i += 1)];
    if (escaped === "n") result += "\n";
    else if (escaped === "\\" || (escaped === '"' && withQuotes)) result += escaped;
    else throw new Error(`unknown escape \\${escaped} in ${text}`);
  }
  return result;
}

function parseValue(text: string): number {
  if (text === "NaN") return Number.NaN;
  if (text === "+Inf") return Infinity;
  if (text === "-Inf") return -Infinity;
  if (!/^-?\d+(?:\.\d+)?(?:e[+-]\d{2,3})?$/.test(text)) throw new Error(`no number: ${text}`);
  return Number(text);
}
