# Reads dotenv files.
IFS= read -r -d '' wf_dotenv_reader <<'PYTHON'
import re, sys

PATH = sys.argv[1]
ENTRY = re.compile(
    r'''^\s*(?:export\s+)?([A-Za-z0-9_.-]+)(?:\s*=\s*?|:\s+?)'''
    r"""(\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\r\n]+)?\s*(?:#.*)?$""",
    re.MULTILINE,
)
RESERVED = re.compile(sys.argv[2])

def fail(offset, problem):
    line = text.count('\n', 0, offset) + 1
    sys.exit('%s:%d: %s' % (PATH, line, problem))

def check_gap(start, end):
    for line in re.finditer(r'\S.*', text[start:end]):
        if not line[0].startswith('#'):
            fail(start + line.start(), 'not of the form KEY=value')

try:
    with open(PATH, 'rb') as file:
        data = file.read()
except FileNotFoundError:
    sys.exit(0)
except OSError as error:
    sys.exit('cannot read %s: %s' % (PATH, error.strerror))
try:
    text = re.sub(r'\r\n?', '\n', data.decode('utf-8-sig'))
except UnicodeDecodeError:
    sys.exit('%s is not valid UTF-8' % PATH)
found, end = {}, 0
for entry in ENTRY.finditer(text):
    check_gap(end, entry.start())
    end = entry.end()
    start = entry.start() + len(entry[0]) - len(entry[0].lstrip())
    key, value = entry[1], (entry[2] or '').strip()
    if not re.fullmatch('[A-Za-z_][A-Za-z0-9_]*', key) or RESERVED.match(key) or key == '__proto__':
        fail(start, 'the key is not the name of a variable that can be set')
    quote = value[:1]
    if quote in ('"', "'", '`') and (len(value) < 2 or value[-1] != quote):
        fail(start, 'the value has a quote that is not closed')
    if '\0' in value:
        fail(start, 'the value contains a NUL character')
    if quote in ('"', "'", '`') and quote:
        value = value[1:-1]
    if quote == '"':
        value = value.replace('\\n', '\n').replace('\\r', '\r')
    found[key] = value
check_gap(end, len(text))
sys.stdout.buffer.write(''.join('%s=%s\0' % pair for pair in found.items()).encode('utf-8'))
PYTHON

# Reads a dotenv file into wf_entries, before the first command runs.
wf_read_dotenv() {
  local wf_python
  wf_python=$(type -P python3) || wf_cannot_start 'python3 was not found in PATH; dotenv files need it'
  [[ ! -e $1 || -f $1 ]] || wf_cannot_start "cannot read $1: it is not a regular file"
  mapfile -d '' -t wf_entries < <("$wf_python" -IS -c "$wf_dotenv_reader" "$1" "$wf_reserved" || printf 'failed\0')
  [[ ${wf_entries[*]-} != failed ]] || exit 2
}
