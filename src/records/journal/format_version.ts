/** The format version that this tool writes, and the highest that it reads. */
export const FORMAT_VERSION = 1;
