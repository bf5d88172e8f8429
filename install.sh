#!/bin/sh
# Installs the executable of cli as PREFIX/bin/cli, by default ~/.local/bin/cli. Needs no root and no Node.js.
#
#   curl -fsSL https://github.com/workflow-plan/workflow-plan/releases/latest/download/install.sh | sh
#
# CLI_RELEASE_URL names another release: a directory with SHA256SUMS and cli-VERSION-OS-ARCH.
set -eu

say() {
  echo "install.sh: $1" >&2
}

fail() {
  say "$1; nothing was installed"
  exit 1
}

# Writes a file of the release. Arguments: its name, and the path.
download() {
  if command -v curl >/dev/null; then
    curl -fsSL -o "$2" "$url/$1"
  elif command -v wget >/dev/null; then
    wget -q -O "$2" "$url/$1"
  else
    fail 'neither curl nor wget was found in PATH'
  fi
}

sum_of() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -c 1-64
}

# All of it in a function: a script that was cut off does nothing.
main() {
  url=${CLI_RELEASE_URL:-https://github.com/workflow-plan/workflow-plan/releases/latest/download}
  prefix=${PREFIX:-$HOME/.local}
  case $(uname -s) in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    *) fail "there is no executable for $(uname -s); on Windows, use WSL" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "there is no executable for $(uname -m)" ;;
  esac
  # A shell for Intel on a Mac with an Apple processor.
  [ "$os" = linux ] || [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" != 1 ] || arch=arm64
  files=$(mktemp -d) || fail 'no directory for temporary files'
  trap 'rm -rf "$files"' EXIT
  trap 'exit 1' HUP INT TERM
  download SHA256SUMS "$files/SHA256SUMS" || fail "$url/SHA256SUMS could not be downloaded"
  sum='' name=''
  while read -r each file; do
    file=${file#\*}
    case $file in
      */*) ;;
      cli-[0-9]*-"$os-$arch") [ -z "$name" ] || fail 'SHA256SUMS lists several versions'; sum=$each name=$file ;;
    esac
  done <"$files/SHA256SUMS"
  [ -n "$name" ] || fail "the release at $url has no executable for $os-$arch"
  say "downloading $url/$name"
  download "$name" "$files/cli" || fail "$url/$name could not be downloaded"
  [ "$(sum_of "$files/cli")" = "$sum" ] || fail "$name is not the file of the release: its SHA-256 checksum differs"
  chmod 755 "$files/cli"
  version=$("$files/cli" --version) || fail "$name does not run here"
  mkdir -p "$prefix/bin" || fail "$prefix/bin cannot be made"
  # In one move: a running cli keeps its file.
  new=$prefix/bin/.cli.$$
  if ! { cp "$files/cli" "$new" && mv -f "$new" "$prefix/bin/cli"; }; then
    rm -f "$new"
    fail "$prefix/bin/cli cannot be written"
  fi
  say "installed cli $version as $prefix/bin/cli"
  case :$PATH: in
    *:"$prefix/bin":*) ;;
    *) say "$prefix/bin is not in PATH: add it, or call $prefix/bin/cli" ;;
  esac
}

main "$@"
