// Prints the Homebrew formula of a release, from its checksums: node scripts/formula.mjs VERSION URL <SHA256SUMS
import { readFileSync } from 'node:fs';

const [version, url] = process.argv.slice(2);
if (version === undefined || url === undefined) throw new Error('usage: formula.mjs VERSION URL <SHA256SUMS');
const sums = new Map(
  readFileSync(0, 'utf8')
    .split('\n')
    .map((line) => line.split(/ [ *]/).toReversed()),
);
const { description, homepage, license } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

function system(os, arch) {
  const name = `cli-${version}-${os}-${arch}`;
  const sum = sums.get(name);
  if (!/^[0-9a-f]{64}$/.test(sum)) throw new Error(`SHA256SUMS has no ${name}`);
  const kind = arch === 'arm64' ? 'arm' : 'intel';
  return `    on_${kind} do\n      url "${url}/${name}"\n      sha256 "${sum}"\n    end\n`;
}

process.stdout.write(`class WorkflowPlan < Formula
  desc ${JSON.stringify(description)}
  homepage ${JSON.stringify(homepage)}
  version ${JSON.stringify(version)}
  license ${JSON.stringify(license)}

  on_macos do
${system('darwin', 'arm64')}${system('darwin', 'x64')}  end
  on_linux do
${system('linux', 'arm64')}${system('linux', 'x64')}  end

  def install
    bin.install Dir["cli-*"].first => "cli"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/cli --version")
  end
end
`);
