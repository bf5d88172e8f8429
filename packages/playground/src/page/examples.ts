/** The name and the text of an example. */
export type Example = Readonly<{ name: string; text: string }>;

/** The examples. In the bundle, scripts/bundle_playground.mjs replaces this module by one that contains them. */
export const EXAMPLES: readonly Example[] = [];
