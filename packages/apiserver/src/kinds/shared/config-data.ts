/** Limit of the data of a ConfigMap or a Secret. */
export const configBytesMax: number = 1024 * 1024;
