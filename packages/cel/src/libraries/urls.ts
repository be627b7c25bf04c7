import { failure, noSuchOverload, type CelFailure } from "../failure.ts";
import { defineLibrary, defineOverload, type FunctionDeclaration, type Library } from "../library.ts";
import type { Range } from "../types/cost-node.ts";
import { exactly, scale, union } from "../cost/ranges.ts";
import { textFactor } from "../cost/rules.ts";
import { boolType, listType, mapType, opaqueType, stringType, type OpaqueType } from "../types/type.ts";
import { listOf, mapOf } from "../values/collections.ts";
import { CelOpaque, type CelMap, type CelValue } from "../values/value.ts";
import { flatCost, readingCost } from "./call-costs.ts";
import { Malformed } from "./malformed.ts";
import { checkUrl, parseUrl, type UrlParts } from "./url-parse.ts";
import { escapedPathOf, formatUrl, hostnameOf, hostOf, portOf, queryOf } from "./url-text.ts";

/** A parsed URL. */
export class UrlValue extends CelOpaque {
  readonly parts: UrlParts;
  #text: string | undefined;

  constructor(parts: UrlParts) {
    super();
    this.parts = parts;
  }

  override get type(): OpaqueType<UrlValue> {
    return urlType;
  }

  override equals(other: CelValue): boolean | CelFailure {
    return other instanceof UrlValue ? this.toString() === other.toString() : noSuchOverload();
  }

  /** The formatted URL. URLs are equal if these strings are. */
  override toString(): string {
    this.#text ??= formatUrl(this.parts);
    return this.#text;
  }
}

/** The CEL type `kubernetes.URL`. */
export const urlType: OpaqueType<UrlValue> = opaqueType("kubernetes.URL", UrlValue, {
  // The API server uses the size of the right side for both.
  estimateEquality: (_left, right): Range => {
    const size = right.computedSize === undefined ? exactly(1) : union(right.computedSize, right.computedSize);
    return scale({ min: 1, max: size.max }, textFactor);
  },
});

/** The library of URLs, parsed by the rules of the API server: `url`, `isURL`, `getHost`, `getQuery` and others. */
export const urlLibrary: Library = defineLibrary({
  name: "kubernetes.urls",
  functions: () => [
    {
      name: "url",
      overloads: [defineOverload({ id: "string_to_url", params: [stringType], result: urlType, implement: readUrl })],
      cost: {
        estimate: ({ args }, context) => {
          const [text, ...more] = args;
          if (text === undefined || more.length > 0) return undefined;
          const size = context.size(text);
          return { cost: scale(size, textFactor), resultSize: size };
        },
        track: readingCost().track,
      },
    },
    {
      name: "isURL",
      overloads: [
        defineOverload({
          id: "is_url_string",
          params: [stringType],
          result: boolType,
          implement: (text) => checkUrl(text) === undefined,
        }),
      ],
    },
    accessor("getScheme", "url_get_scheme", ({ scheme }) => scheme),
    accessor("getHost", "url_get_host", hostOf),
    accessor("getHostname", "url_get_hostname", hostnameOf),
    accessor("getPort", "url_get_port", portOf),
    accessor("getEscapedPath", "url_get_escaped_path", escapedPathOf),
    {
      name: "getQuery",
      overloads: [
        defineOverload({
          id: "url_get_query",
          member: true,
          params: [urlType],
          result: mapType(stringType, listType(stringType)),
          implement: readQuery,
        }),
      ],
      cost: flatCost,
    },
  ],
});

function readUrl(text: string): UrlValue | CelFailure {
  const parts = parseUrl(text);
  if (!(parts instanceof Malformed)) return new UrlValue(parts);
  return failure(`URL parse error during conversion from string: ${parts.problem}`);
}

function readQuery(url: UrlValue): CelMap {
  return mapOf([...queryOf(url.parts)].map(([key, values]) => [key, listOf(values)]));
}

function accessor(name: string, id: string, read: (parts: UrlParts) => string): FunctionDeclaration {
  return {
    name,
    overloads: [
      defineOverload({
        id,
        member: true,
        params: [urlType],
        result: stringType,
        implement: (url) => read(url.parts),
      }),
    ],
    cost: flatCost,
  };
}
