/** The field manager of writes of this program. */
export const fieldManager = "sandboxctl";
