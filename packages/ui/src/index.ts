/* The page of runs of `cli ui`: a part of the bundle, see scripts/bundle.mjs. */
export { serve } from './server/server.ts';
