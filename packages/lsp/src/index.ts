/* The language server of `cli lsp`: a part of the bundle, see scripts/bundle.mjs. */
export { serve } from './server/server.ts';
