/* The server for coding agents of `cli mcp`: a part of the bundle, see scripts/bundle.mjs. */
export { serve } from './server/server.ts';
