/* The module node:url in the browser. */
export const pathToFileURL = (path) => new URL(`file://${path}`);
export const fileURLToPath = (url) => decodeURIComponent(new URL(url).pathname);
