/** The version of the tool: that of package.json, which is not there beside a standalone executable. */
export const VERSION = '0.1.0';
