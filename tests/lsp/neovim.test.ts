/* The settings for Neovim in docs/editors.md, in a real Neovim. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMAND_LINE, finish, ROOT, temporaryDirectory } from '../support/cli.ts';
import { parseMarkdown } from '../support/goldens/markdown.ts';
import { needs, program } from '../support/needs.ts';

const MAIN = `{
  "include": { "lib": "lib.json" },
  "env": { "STAGE": "dev" },
  "workflows": {
    "main": { "steps": ["echo $STAGE", { "workflow": "lib:tset" }] }
  }
}
`;
const LIB = '{\n  "workflows": { "test": { "private": true, "steps": ["echo \\"$STAGE\\""] } }\n}\n';

/** Uses the editor as a person would, and writes what it shows. */
const SESSION = `
local shown = {}
local function wait(condition) assert(vim.wait(60000, condition, 20), 'nothing happened') end
local function text(buffer) return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\\n') .. '\\n' end
local function ask(method, line, character)
  local position = { line = line, character = character }
  local document = { uri = vim.uri_from_bufnr(0) }
  local answers = vim.lsp.buf_request_sync(0, method, { textDocument = document, position = position }, 60000)
  for _, answer in pairs(answers) do return answer.result end
end
vim.cmd('edit .cli/workflow.json')
local main = vim.api.nvim_get_current_buf()
wait(function() return #vim.diagnostic.get(main) > 0 end)
shown.diagnostics = vim.tbl_map(function(each) return each.message end, vim.diagnostic.get(main))
shown.completion = vim.tbl_map(function(each) return each.label end, ask('textDocument/completion', 4, 58).items)
shown.hover = ask('textDocument/hover', 4, 6).contents.value
vim.api.nvim_win_set_cursor(0, { 3, 12 })
vim.lsp.buf.rename('LEVEL')
local lib
wait(function()
  lib = vim.fn.bufnr('lib.json')
  return lib > 0 and text(main):find('$LEVEL', 1, true) ~= nil and text(lib):find('$LEVEL', 1, true) ~= nil
end)
shown.renamed = { text(main), text(lib) }
vim.cmd('undo')
vim.api.nvim_buf_call(lib, function() vim.cmd('undo') end)
shown.undone = { text(main), text(lib) }
vim.fn.writefile({ vim.fn.json_encode(shown) }, 'shown.json')
vim.cmd('qall!')
`;

test(
  'the settings for Neovim give diagnostics, completion, hover, and renames that can be undone',
  needs('neovim'),
  async (t) => {
    const { blocks } = parseMarkdown(readFileSync(join(ROOT, 'docs/editors.md'), 'utf8'));
    const settings = blocks.find(({ language }) => language === 'lua');
    assert.ok(settings !== undefined);
    const cwd = temporaryDirectory(t, {
      '.cli/workflow.json': MAIN,
      '.cli/lib.json': LIB,
      'init.lua': settings.text,
      'session.lua': SESSION,
    });
    mkdirSync(join(cwd, 'bin'));
    writeFileSync(join(cwd, 'bin/cli'), `#!/bin/sh\nexec ${COMMAND_LINE} "$@"\n`, { mode: 0o755 });
    const env = { PATH: `${join(cwd, 'bin')}:${process.env['PATH'] ?? ''}`, HOME: cwd, XDG_STATE_HOME: cwd };
    const flags = ['--headless', '-n', '-i', 'NONE', '-u', 'init.lua', '-c', 'luafile session.lua', '-c', 'cquit'];
    const { code, stderr } = await finish(program('neovim'), flags, { cwd, env });
    assert.equal(code, 0, stderr);
    const renamed = [MAIN, LIB].map((text) => text.replaceAll('STAGE', 'LEVEL'));
    assert.deepEqual(JSON.parse(readFileSync(join(cwd, 'shown.json'), 'utf8')), {
      diagnostics: ["step 2: unknown workflow 'lib:tset'; did you mean 'lib:test'?"],
      completion: ['lib:test'],
      hover: '**main**',
      renamed,
      undone: [MAIN, LIB],
    });
  },
);
