/** The maximum length of a pattern of paths, in characters: that of a path. Expressions for longer ones may not compile. */
export const PATTERN_LIMIT = 4096;
