/** The version of the tool, the same as in package.json, which a standalone executable does not have. */
export const VERSION = '0.1.0';
