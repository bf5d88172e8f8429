import type { CompletionItemKind } from 'vscode-languageserver-types';

/** A word that can be inserted. `isLiteral`: it is `true` or `false`, without quotes. */
export type Proposal = Readonly<{ label: string; kind: CompletionItemKind; detail?: string; isLiteral?: boolean }>;
