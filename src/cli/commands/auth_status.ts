import { createPrivateKey } from 'node:crypto';
import { printDocument } from '../output/document.ts';
import type { Options } from '../command_line/parse_command_line.ts';
import { EXIT, printStderr, type Io } from '../output/io.ts';

/** A private key; `text` is undefined if the variable is not valid base64. */
type Key = Readonly<{ variable: string; text: string | undefined }>;

/** `auth status`: prints the credentials of the environment, but nothing of the private key. */
export function authStatus(io: Io, options: Options): number {
  const keyId = io.env['CLI_KEY_ID'] || null;
  const issuerId = io.env['CLI_ISSUER_ID'] || null;
  const key = findKey(io.env);
  const problems = [
    ...(keyId === null ? ['CLI_KEY_ID is not set'] : []),
    ...(issuerId === null ? ['CLI_ISSUER_ID is not set'] : []),
    ...(key === undefined ? ['CLI_PRIVATE_KEY (or CLI_PRIVATE_KEY_B64) is not set'] : []),
    ...(key !== undefined && key.text === undefined ? [`${key.variable} is not base64`] : []),
  ];
  printStderr(io, problems, 'cli: not authenticated: ');
  if (key?.text !== undefined && !isPrivateKey(key.text)) {
    printStderr(io, [`${key.variable} is not a private key in PEM format`], 'cli: warning: ');
  }
  const authenticated = problems.length === 0;
  const variable = key?.text === undefined ? null : key.variable;
  const document = { authenticated, key_id: keyId, issuer_id: issuerId, private_key: variable };
  return printDocument(io, document, options, authenticated ? EXIT.ok : EXIT.no);
}

function findKey(env: Io['env']): Key | undefined {
  const text = env['CLI_PRIVATE_KEY'];
  if (text) return { variable: 'CLI_PRIVATE_KEY', text };
  const encoded = env['CLI_PRIVATE_KEY_B64']?.replace(/\s/g, '');
  if (!encoded) return undefined;
  // RFC 4648, section 4. Node's decoder skips invalid characters.
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(encoded);
  const decoded = isBase64 ? Buffer.from(encoded, 'base64').toString('utf8') : undefined;
  return { variable: 'CLI_PRIVATE_KEY_B64', text: decoded };
}

function isPrivateKey(text: string): boolean {
  try {
    createPrivateKey({ key: text, format: 'pem' });
    return true;
  } catch {
    // An encrypted PEM key cannot be opened without its passphrase.
    return /^-----BEGIN .*PRIVATE KEY-----/.test(text) && text.includes('ENCRYPTED');
  }
}
