// Changes of entries as users write them: `cart=image`, `cart/app=image`, `cart/NAME=value`, `cart/NAME-`.

import { UsageError } from "@homeostat/core";

/** An image for an entry. */
export interface ImageChange {
  readonly entry: string;
  /** Undefined for the only container. */
  readonly container: string | undefined;
  readonly image: string;
}

/** A variable for an entry. */
export interface VariableChange {
  readonly entry: string;
  /** Undefined for the only container. */
  readonly container: string | undefined;
  readonly name: string;
  /** Undefined to remove the variable. */
  readonly value: string | undefined;
}

/** Reads `ENTRY[/CONTAINER]=IMAGE`. Throws a {@link UsageError}. */
export function imageChange(option: string, text: string): ImageChange {
  const [, entry = "", container, image = ""] = /^([^/=]+)(?:\/([^/=]+))?=(\S+)$/.exec(text) ?? [];
  if (image === "")
    throw new UsageError(`${option} is ${JSON.stringify(text)}; it must be NAME=IMAGE or NAME/CONTAINER=IMAGE.`);
  return { entry, container, image };
}

/** Reads `ENTRY[/CONTAINER]/NAME=VALUE` or `ENTRY[/CONTAINER]/NAME-`. Throws a {@link UsageError}. */
export function variableChange(text: string): VariableChange {
  const form = /^([^/=]+)\/(?:([^/=]+)\/)?([A-Za-z_][A-Za-z0-9_.-]*?)(?:=([\s\S]*)|-)$/;
  const match = form.exec(text);
  if (match === null)
    throw new UsageError(`--env is ${JSON.stringify(text)}; it must be ENTRY/NAME=VALUE, or ENTRY/NAME- to remove it.`);
  const [, entry = "", container, name = "", value] = match;
  return { entry, container, name, value };
}
