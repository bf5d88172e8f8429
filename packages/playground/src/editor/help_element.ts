/** The Markdown that the language server writes, as elements: paragraphs, code blocks, bold text and escapes. */
export function helpElement(markdown: string): HTMLElement {
  const help = document.createElement('div');
  help.className = 'cm-help';
  for (const part of markdown.split(/^(`{3,}\w*\n[^]*?\n`{3,})$/m)) {
    const code = /^`{3,}\w*\n([^]*)\n`{3,}$/.exec(part)?.[1];
    if (code !== undefined) help.append(elementOf('pre', code));
    else for (const paragraph of part.split(/\n{2,}/)) if (paragraph.trim() !== '') help.append(paragraphOf(paragraph));
  }
  return help;
}

function paragraphOf(text: string): HTMLElement {
  const paragraph = document.createElement('p');
  for (const [, bold, code, other = ''] of text
    .trim()
    .matchAll(/\*\*((?:\\.|[^*\\])+)\*\*|`([^`]+)`|((?:\\.|[^])(?:\\.|[^*`\\])*)/g)) {
    if (bold !== undefined) paragraph.append(elementOf('strong', unescape(bold)));
    else if (code !== undefined) paragraph.append(elementOf('code', code));
    else paragraph.append(unescape(other));
  }
  return paragraph;
}

function unescape(text: string): string {
  return text.replaceAll(/\\([\\`*_[\]<>])/g, '$1');
}

function elementOf(name: string, text: string): HTMLElement {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}
