import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import json, { type CompletionItem, type LanguageService, type TextDocument } from 'vscode-json-languageservice';
import { ROOT } from '../cli.ts';

/** The JSON language service of VS Code. Without a schema it follows the `$schema` of a file, as the editor does. */
function service(schema: boolean): LanguageService {
  const languageService = json.getLanguageService({
    schemaRequestService: (uri) => Promise.resolve(readFileSync(new URL(uri), 'utf8')),
    workspaceContext: { resolveRelativePath: (path, resource) => new URL(path, resource).href },
  });
  const published: unknown = JSON.parse(readFileSync(join(ROOT, 'dist/schema.json'), 'utf8'));
  if (!schema || typeof published !== 'object' || published === null) return languageService;
  languageService.configure({ schemas: [{ uri: 'test://schema', fileMatch: ['*'], schema: published }] });
  return languageService;
}

const PUBLISHED = service(true);

/** The problems that VS Code reports in a text with the published schema: the marked text and the message. */
export function editorProblems(text: string): Promise<string[]> {
  return problemsIn(PUBLISHED, json.TextDocument.create('test://workflow.json', 'json', 1, text));
}

/** The problems that VS Code reports in a file on disk, with the schema named in the file. */
export function editorProblemsOf(path: string): Promise<string[]> {
  const text = readFileSync(path, 'utf8');
  return problemsIn(service(false), json.TextDocument.create(`file://${path}`, 'json', 1, text));
}

async function problemsIn(languageService: LanguageService, document: TextDocument): Promise<string[]> {
  const parsed = languageService.parseJSONDocument(document);
  const problems = await languageService.doValidation(document, parsed);
  return problems.map(
    ({ range, message }) => `${document.getText(range)}: ${typeof message === 'string' ? message : message.value}`,
  );
}

/** The completions of VS Code at the `|` in a text, in the order of the editor. */
export async function completions(text: string): Promise<CompletionItem[]> {
  const document = json.TextDocument.create('test://workflow.json', 'json', 1, text.replace('|', ''));
  const parsed = PUBLISHED.parseJSONDocument(document);
  const found = await PUBLISHED.doComplete(document, document.positionAt(text.indexOf('|')), parsed);
  return found?.items ?? [];
}

/** The Markdown that VS Code shows for the word at the `|`. */
export async function hoverText(text: string): Promise<unknown> {
  const document = json.TextDocument.create('test://workflow.json', 'json', 1, text.replace('|', ''));
  const hover = await PUBLISHED.doHover(
    document,
    document.positionAt(text.indexOf('|')),
    PUBLISHED.parseJSONDocument(document),
  );
  return hover?.contents;
}
