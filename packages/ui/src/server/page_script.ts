/** The script of the page. The bundler replaces this module by one with the bundle of `page/main.ts`. */
export const PAGE_SCRIPT: string = '';
